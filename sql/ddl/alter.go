package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

func init() { register("AlterTableStmt", alterTable) }

// alteration is an ALTER TABLE in progress. Subcommands run in passes, as PostgreSQL orders them: what is dropped first, then types, then
// what is added; rows are rewritten or checked once, at the end.
type alteration struct {
	*ctx
	rel    *catalog.Relation
	before *catalog.Relation // as it was: rows have this shape until they are rewritten

	rewrite   bool             // rows get new values: columns added with volatile defaults, changed types
	newValues []newColumnValue // how
	notNull   []int16          // columns to check
	rebuild   []rebuiltIndex   // indexes to be made again after a change of type
	later     []*pg_query.Constraint

	unchecked []string // CHECKs to try on the rows

	recurse   bool           // to the children: ONLY was not said
	recursing bool           // the command comes down from a parent
	tree      *[]*alteration // of the table that the statement names, and of the children that it goes down to
}

// Passes of ALTER TABLE.
const (
	passDrop = iota
	passAlterType
	passAddColumn
	passColumnAttributes
	passAddConstraint
	passMisc
	passCount
)

// alterTable is ALTER TABLE, INDEX, SEQUENCE and VIEW with subcommands.
func alterTable(c *ctx, n *pg_query.AlterTableStmt) (string, error) {
	tag := parse.AlterTag(n.Objtype)
	rel, err := c.tryOpen(n.Relation, alterLock(n.Cmds))
	if err != nil {
		return "", err
	}
	if rel == nil {
		if n.MissingOk {
			c.notice(pgerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", n.Relation.Relname)
			return tag, nil
		}
		return "", pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rangeVarName(n.Relation))
	}
	if err := c.requireOwner(rel); err != nil {
		return "", err
	}
	if err := requireNotSystem(rel); err != nil {
		return "", err
	}
	if err := checkAlterKind(rel, n.Objtype); err != nil {
		return "", err
	}
	if err := c.checkNotInUse(rel, tag); err != nil {
		return "", err
	}
	a := &alteration{ctx: c, rel: rel, before: rel, recurse: n.Relation.Inh, tree: &[]*alteration{}}
	*a.tree = append(*a.tree, a)
	for pass := range passCount {
		for _, x := range n.Cmds {
			cmd := x.GetAlterTableCmd()
			if alterPass(cmd) != pass {
				continue
			}
			if err := a.run(cmd); err != nil {
				return "", err
			}
			if a.rel, err = a.reload(rel.OID); err != nil {
				return "", err
			}
		}
		if pass == passColumnAttributes {
			if err := a.finishTree(); err != nil {
				return "", err
			}
		}
	}
	if err := a.addConstraintTree(a.later); err != nil {
		return "", withoutLocation(err)
	}
	return tag, a.checkRows()
}

// finishTree rewrites or checks the rows of the table and of all children that the command went down to.
func (a *alteration) finishTree() error {
	for _, b := range *a.tree {
		var err error
		if b.rel, err = a.reload(b.rel.OID); err != nil {
			return err
		}
		if b.rel.Kind == 'p' {
			continue
		}
		if err := b.finishRows(); err != nil {
			return err
		}
	}
	return nil
}

// alterLock is the weakest lock that all subcommands allow.
func alterLock(cmds []*pg_query.Node) int {
	mode := shareUpdateExclusive
	for _, x := range cmds {
		cmd := x.GetAlterTableCmd()
		need := accessExclusive
		switch cmd.Subtype {
		case pg_query.AlterTableType_AT_SetStatistics, pg_query.AlterTableType_AT_ClusterOn, pg_query.AlterTableType_AT_DropCluster,
			pg_query.AlterTableType_AT_SetOptions, pg_query.AlterTableType_AT_ResetOptions, pg_query.AlterTableType_AT_SetRelOptions,
			pg_query.AlterTableType_AT_ResetRelOptions, pg_query.AlterTableType_AT_ValidateConstraint:
			need = shareUpdateExclusive
		case pg_query.AlterTableType_AT_AddConstraint:
			if k := cmd.Def.GetConstraint(); k != nil && k.Contype == pg_query.ConstrType_CONSTR_FOREIGN {
				need = shareRowExclusive
			}
		}
		mode = max(mode, need)
	}
	return mode
}

func alterPass(cmd *pg_query.AlterTableCmd) int {
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_DropColumn, pg_query.AlterTableType_AT_DropConstraint, pg_query.AlterTableType_AT_DropNotNull,
		pg_query.AlterTableType_AT_DropExpression, pg_query.AlterTableType_AT_DropIdentity:
		return passDrop
	case pg_query.AlterTableType_AT_AlterColumnType:
		return passAlterType
	case pg_query.AlterTableType_AT_AddColumn:
		return passAddColumn
	case pg_query.AlterTableType_AT_ColumnDefault, pg_query.AlterTableType_AT_SetNotNull, pg_query.AlterTableType_AT_AddIdentity,
		pg_query.AlterTableType_AT_SetIdentity:
		return passColumnAttributes
	case pg_query.AlterTableType_AT_AddConstraint:
		return passAddConstraint
	}
	return passMisc
}

// run carries out one subcommand, on all descendants too where it is the same for each of them.
func (a *alteration) run(cmd *pg_query.AlterTableCmd) error {
	if err := a.runOne(cmd); err != nil {
		return withoutPlace(cmd, err)
	}
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_ColumnDefault, pg_query.AlterTableType_AT_DropExpression, pg_query.AlterTableType_AT_SetNotNull, pg_query.AlterTableType_AT_DropNotNull,
		pg_query.AlterTableType_AT_SetStatistics, pg_query.AlterTableType_AT_SetStorage:
		if err := a.next(); err != nil {
			return err
		}
		return a.everyDescendant(func(b *alteration) error { return b.runOne(cmd) })
	}
	return nil
}

// withoutPlace drops the place of an error that PostgreSQL finds when it carries a subcommand out: it keeps no text for that, other than of a new column's
// type and contradictory constraints, of an index to be used, and of USING.
func withoutPlace(cmd *pg_query.AlterTableCmd, err error) error {
	e := pgerr.From(err)
	if e.Location == 0 {
		return err
	}
	at := int32(e.Location - 1)
	keep := true
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_AddColumn:
		for _, n := range cmd.Def.GetColumnDef().Constraints {
			switch con := n.GetConstraint(); {
			case at > con.Location:
				keep = con.RawExpr == nil
			case at == con.Location:
				keep = con.Contype != pg_query.ConstrType_CONSTR_PRIMARY && con.Contype != pg_query.ConstrType_CONSTR_UNIQUE
			}
		}
	case pg_query.AlterTableType_AT_ColumnDefault:
		keep = false
	case pg_query.AlterTableType_AT_AddConstraint:
		keep = cmd.Def.GetConstraint().Indexname != ""
	case pg_query.AlterTableType_AT_AlterColumnType:
		using := cmd.Def.GetColumnDef().RawDefault
		keep = using != nil && at > cmd.Def.GetColumnDef().TypeName.Location
	}
	if keep {
		return err
	}
	return withoutLocation(err)
}

func withoutLocation(err error) error {
	e := *pgerr.From(err)
	e.Location = 0
	return &e
}

// runOne carries out one subcommand.
func (a *alteration) runOne(cmd *pg_query.AlterTableCmd) error {
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_AddColumn:
		return a.addColumn(cmd)
	case pg_query.AlterTableType_AT_DropColumn:
		return a.dropColumn(cmd)
	case pg_query.AlterTableType_AT_ColumnDefault:
		return a.columnDefault(cmd)
	case pg_query.AlterTableType_AT_DropExpression:
		return a.dropExpression(cmd)
	case pg_query.AlterTableType_AT_SetNotNull:
		return a.setColumnNotNull(cmd)
	case pg_query.AlterTableType_AT_DropNotNull:
		return a.dropColumnNotNull(cmd)
	case pg_query.AlterTableType_AT_AlterColumnType:
		return a.columnType(cmd)
	case pg_query.AlterTableType_AT_AddConstraint:
		return a.addConstraint(cmd)
	case pg_query.AlterTableType_AT_DropConstraint:
		return a.dropConstraint(cmd)
	case pg_query.AlterTableType_AT_ValidateConstraint:
		return a.validateConstraint(cmd)
	case pg_query.AlterTableType_AT_SetRelOptions, pg_query.AlterTableType_AT_ResetRelOptions:
		return a.relOptions(cmd)
	case pg_query.AlterTableType_AT_ChangeOwner:
		owner, err := a.roleSpec(cmd.Newowner)
		if err != nil {
			return err
		}
		return a.changeOwner(a.rel, owner)
	case pg_query.AlterTableType_AT_SetStatistics, pg_query.AlterTableType_AT_SetStorage, pg_query.AlterTableType_AT_SetOptions,
		pg_query.AlterTableType_AT_ResetOptions:
		return a.columnSetting(cmd)
	case pg_query.AlterTableType_AT_ClusterOn, pg_query.AlterTableType_AT_DropCluster:
		return a.clusterOn(cmd)
	case pg_query.AlterTableType_AT_AddIdentity, pg_query.AlterTableType_AT_SetIdentity, pg_query.AlterTableType_AT_DropIdentity:
		return a.identity(cmd)
	case pg_query.AlterTableType_AT_EnableTrig, pg_query.AlterTableType_AT_EnableAlwaysTrig, pg_query.AlterTableType_AT_EnableReplicaTrig,
		pg_query.AlterTableType_AT_DisableTrig, pg_query.AlterTableType_AT_EnableTrigAll, pg_query.AlterTableType_AT_DisableTrigAll,
		pg_query.AlterTableType_AT_EnableTrigUser, pg_query.AlterTableType_AT_DisableTrigUser:
		return a.enableTrigger(cmd)
	case pg_query.AlterTableType_AT_EnableRule, pg_query.AlterTableType_AT_EnableAlwaysRule, pg_query.AlterTableType_AT_EnableReplicaRule,
		pg_query.AlterTableType_AT_DisableRule:
		return a.enableRule(cmd)
	case pg_query.AlterTableType_AT_AddInherit:
		return a.addInherit(cmd)
	case pg_query.AlterTableType_AT_DropInherit:
		return a.dropInherit(cmd)
	case pg_query.AlterTableType_AT_AttachPartition:
		return a.attachPartition(cmd.Def.GetPartitionCmd())
	case pg_query.AlterTableType_AT_DetachPartition, pg_query.AlterTableType_AT_DetachPartitionFinalize:
		return a.detachPartition(cmd.Def.GetPartitionCmd(), cmd.Subtype == pg_query.AlterTableType_AT_DetachPartitionFinalize)
	}
	word := strings.TrimPrefix(cmd.Subtype.String(), "AT_")
	return pgerr.NotSupported("ALTER TABLE subcommand %s", word)
}

// checkAlterKind refuses a relation of another kind than ALTER says; ALTER TABLE takes them all but composite types.
func checkAlterKind(rel *catalog.Relation, t pg_query.ObjectType) error {
	isNot := func(kinds, what string) error {
		if strings.IndexByte(kinds, rel.Kind) >= 0 {
			return nil
		}
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is not %s", rel.Name, what)
	}
	switch t {
	case pg_query.ObjectType_OBJECT_VIEW:
		return isNot("v", "a view")
	case pg_query.ObjectType_OBJECT_MATVIEW:
		return isNot("m", "a materialized view")
	case pg_query.ObjectType_OBJECT_FOREIGN_TABLE:
		return isNot("f", "a foreign table")
	case pg_query.ObjectType_OBJECT_SEQUENCE:
		return isNot("S", "a sequence")
	case pg_query.ObjectType_OBJECT_INDEX:
		return isNot("iI", "an index")
	case pg_query.ObjectType_OBJECT_TYPE:
		return isNot("c", "a composite type")
	}
	if rel.Kind == 'c' {
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a composite type", rel.Name).WithHint("Use ALTER TYPE instead.")
	}
	return nil
}

// onlyTables refuses subcommands that other kinds of relations don't have.
func (a *alteration) onlyTables(what string) error { return a.onlyKinds("rp", what) }

// onlyKinds refuses a subcommand for relations of other kinds than it is for.
func (a *alteration) onlyKinds(kinds, what string) error {
	if strings.IndexByte(kinds, a.rel.Kind) >= 0 {
		return nil
	}
	return pgerr.New(pgerr.WrongObjectType, "ALTER action %s cannot be performed on relation \"%s\"", what, a.rel.Name).
		WithDetail("%s", unsupportedKind(a.rel.Kind))
}

// attr finds a column that may be changed.
func (a *alteration) attr(name string) (int16, error) {
	for i := range systemColumns {
		if systemColumns[i].Name == name {
			return 0, pgerr.New(pgerr.FeatureNotSupported, "cannot alter system column \"%s\"", name)
		}
	}
	x := a.rel.AttrByName(name)
	if x == nil {
		return 0, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, a.rel.Name)
	}
	return x.Num, nil
}
