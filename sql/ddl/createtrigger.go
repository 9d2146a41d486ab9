package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CreateTrigStmt", createTrigger) }

// newTrigger is a CREATE TRIGGER made ready.
type newTrigger struct {
	n          *pg_query.CreateTrigStmt
	rel        *catalog.Relation
	constrRel  *catalog.Relation // of FROM; nil = none
	kind       int16             // tgtype
	old, new   string            // transition tables
	when       query.Expr
	fn         *catalog.Proc
	columns    []int16
	parent     OID // the trigger of the partitioned table that this one is a clone of
	constraint OID
}

// createTrigger is CREATE [OR REPLACE] [CONSTRAINT] TRIGGER.
func createTrigger(c *ctx, n *pg_query.CreateTrigStmt) (string, error) {
	const tag = "CREATE TRIGGER"
	rel, err := c.open(n.Relation, shareRowExclusive)
	if err != nil {
		return "", err
	}
	t := &newTrigger{n: n, rel: rel, kind: int16(n.Timing | n.Events)}
	if n.Row {
		t.kind |= executor.TriggerRow
	}
	if err := t.checkRelation(); err != nil {
		return "", err
	}
	if err := requireNotSystem(rel); err != nil {
		return "", err
	}
	if n.Constrrel != nil {
		if t.constrRel, err = c.open(n.Constrrel, accessShare); err != nil {
			return "", err
		}
	}
	for _, r := range []*catalog.Relation{rel, t.constrRel} {
		if r == nil {
			continue
		}
		if got, err := c.v.RelationPrivileges(r, c.v.User(), query.AclTrigger); err != nil {
			return "", err
		} else if got == 0 {
			return "", executor.PermissionDenied(r)
		}
	}
	if err := t.checkEvents(); err != nil {
		return "", err
	}
	if err := t.checkTransitions(); err != nil {
		return "", err
	}
	if err := c.triggerCondition(t); err != nil {
		return "", err
	}
	if err := c.triggerFunction(t); err != nil {
		return "", err
	}
	if err := t.findColumns(); err != nil {
		return "", err
	}
	return tag, c.makeTrigger(t)
}

// checkRelation refuses triggers that relations of the kind can't have.
func (t *newTrigger) checkRelation() error {
	no := func(what, detail string) error {
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a %s", t.rel.Name, what).WithDetail("%s", detail)
	}
	instead := t.kind&executor.TriggerInstead != 0
	switch t.rel.Kind {
	case 'r':
		if instead {
			return no("table", "Tables cannot have INSTEAD OF triggers.")
		}
	case 'p':
		if instead {
			return no("table", "Tables cannot have INSTEAD OF triggers.")
		}
		if t.n.Row && len(t.n.TransitionRels) > 0 {
			return pgerr.New(pgerr.FeatureNotSupported, "\"%s\" is a partitioned table", t.rel.Name).
				WithDetail("ROW triggers with transition tables are not supported on partitioned tables.")
		}
	case 'v':
		if !instead && t.n.Row {
			return no("view", "Views cannot have row-level BEFORE or AFTER triggers.")
		}
		if t.kind&executor.TriggerTruncate != 0 {
			return no("view", "Views cannot have TRUNCATE triggers.")
		}
	default:
		return pgerr.New(pgerr.WrongObjectType, "relation \"%s\" cannot have triggers", t.rel.Name).
			WithDetail("This operation is not supported for %s.", kindPlural(t.rel.Kind))
	}
	return nil
}

// kindPlural names relations of a kind in messages.
func kindPlural(kind byte) string {
	switch kind {
	case 'p':
		return "partitioned tables"
	case 'i':
		return "indexes"
	case 'I':
		return "partitioned indexes"
	case 't':
		return "TOAST tables"
	}
	return catalog.RelKindWord(kind) + "s"
}

func (t *newTrigger) checkEvents() error {
	if t.n.Row && t.kind&executor.TriggerTruncate != 0 {
		return pgerr.New(pgerr.FeatureNotSupported, "TRUNCATE FOR EACH ROW triggers are not supported")
	}
	if t.kind&executor.TriggerInstead == 0 {
		return nil
	}
	what := ""
	switch {
	case !t.n.Row:
		what = "must be FOR EACH ROW"
	case t.n.WhenClause != nil:
		what = "cannot have WHEN conditions"
	case len(t.n.Columns) > 0:
		what = "cannot have column lists"
	default:
		return nil
	}
	return pgerr.New(pgerr.FeatureNotSupported, "INSTEAD OF triggers %s", what)
}

// checkTransitions looks at REFERENCING.
func (t *newTrigger) checkTransitions() error {
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...)
	}
	const events = executor.TriggerInsert | executor.TriggerDelete | executor.TriggerUpdate | executor.TriggerTruncate
	for _, x := range t.n.TransitionRels {
		tt := x.GetTriggerTransition()
		switch {
		case !tt.IsTable:
			return pgerr.New(pgerr.FeatureNotSupported, "ROW variable naming in the REFERENCING clause is not supported").
				WithHint("Use OLD TABLE or NEW TABLE for naming transition tables.")
		case t.rel.Kind == 'v':
			return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a view", t.rel.Name).WithDetail("Triggers on views cannot have transition tables.")
		case t.n.Row && len(t.rel.Parents) > 0 && t.rel.IsPartition:
			return pgerr.New(pgerr.FeatureNotSupported, "ROW triggers with transition tables are not supported on partitions")
		case t.n.Row && len(t.rel.Parents) > 0:
			return pgerr.New(pgerr.FeatureNotSupported, "ROW triggers with transition tables are not supported on inheritance children")
		case t.kind&(executor.TriggerBefore|executor.TriggerInstead) != 0:
			return bad("transition table name can only be specified for an AFTER trigger")
		case t.kind&executor.TriggerTruncate != 0:
			return pgerr.New(pgerr.FeatureNotSupported, "TRUNCATE triggers with transition tables are not supported")
		case t.kind&events&(t.kind&events-1) != 0:
			return pgerr.New(pgerr.FeatureNotSupported, "transition tables cannot be specified for triggers with more than one event")
		case len(t.n.Columns) > 0:
			return pgerr.New(pgerr.FeatureNotSupported, "transition tables cannot be specified for triggers with column lists")
		}
		into, word, needs, event := &t.old, "OLD", int16(executor.TriggerDelete|executor.TriggerUpdate), "a DELETE or UPDATE"
		if tt.IsNew {
			into, word, needs, event = &t.new, "NEW", executor.TriggerInsert|executor.TriggerUpdate, "an INSERT or UPDATE"
		}
		if t.kind&needs == 0 {
			if tt.IsNew {
				return bad("NEW TABLE can only be specified for %s trigger", event)
			}
			return bad("OLD TABLE can only be specified for %s trigger", event)
		}
		if *into != "" {
			return bad("%s TABLE cannot be specified multiple times", word)
		}
		*into = tt.Name
	}
	if t.old != "" && t.old == t.new {
		return bad("OLD TABLE name and NEW TABLE name cannot be the same")
	}
	return nil
}

// triggerCondition analyses WHEN.
func (c *ctx) triggerCondition(t *newTrigger) (err error) {
	if t.n.WhenClause == nil {
		return nil
	}
	if t.when, err = analyze.Expr(c.analyzeEnv(), t.n.WhenClause, analyze.ExprTriggerWhen, analyze.ExprTarget{Relation: t.rel}); err != nil {
		return err
	}
	query.Walk(t.when, func(e query.Expr) bool {
		if v, ok := e.(*query.Var); ok && err == nil {
			err = t.checkConditionVar(v)
		}
		return true
	})
	return err
}

// checkConditionVar refuses a column that WHEN can't read: VarNo 1 is OLD, 2 is NEW.
func (t *newTrigger) checkConditionVar(v *query.Var) error {
	bad := func(format string, args ...any) *pgerr.Error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...).WithLocation(v.Loc)
	}
	if !t.n.Row {
		return bad("statement trigger's WHEN condition cannot reference column values")
	}
	if v.VarNo == 1 {
		if t.kind&executor.TriggerInsert != 0 {
			return bad("INSERT trigger's WHEN condition cannot reference OLD values")
		}
		return nil
	}
	if t.kind&executor.TriggerDelete != 0 {
		return bad("DELETE trigger's WHEN condition cannot reference NEW values")
	}
	if t.kind&executor.TriggerBefore == 0 {
		return nil
	}
	generated := "BEFORE trigger's WHEN condition cannot reference NEW generated columns"
	switch {
	case v.AttNo < 0:
		return pgerr.New(pgerr.FeatureNotSupported, "BEFORE trigger's WHEN condition cannot reference NEW system columns").WithLocation(v.Loc)
	case v.AttNo == 0:
		for i := range t.rel.Desc.Attrs {
			if t.rel.Desc.Attrs[i].Generated != 0 {
				return bad("%s", generated).WithDetail("A whole-row reference is used and the table contains generated columns.")
			}
		}
	case t.rel.Desc.Attrs[v.AttNo-1].Generated != 0:
		return bad("%s", generated).WithDetail("Column \"%s\" is a generated column.", t.rel.Desc.Attrs[v.AttNo-1].Name)
	}
	return nil
}

// triggerFunction finds the function: one without parameters that returns trigger.
func (c *ctx) triggerFunction(t *newTrigger) (err error) {
	if t.fn, err = c.functionNamed(t.n.Funcname, nil); err != nil {
		return err
	}
	if c.Backend.CheckExecute != nil {
		if err := c.Backend.CheckExecute(t.fn); err != nil {
			return err
		}
	}
	if t.fn.RetType != types.TriggerOID {
		return pgerr.New(pgerr.InvalidObjectDefinition, "function %s must return type %s", joinName(strs(t.n.Funcname)), "trigger")
	}
	return nil
}

// findColumns resolves UPDATE OF.
func (t *newTrigger) findColumns() error {
	for _, x := range t.n.Columns {
		name := x.GetString_().GetSval()
		a := t.rel.AttrByName(name)
		if a == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, t.rel.Name)
		}
		for _, num := range t.columns {
			if num == a.Num {
				return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", name)
			}
		}
		t.columns = append(t.columns, a.Num)
	}
	return nil
}

// makeTrigger makes the rows, of the partitions' clones too.
func (c *ctx) makeTrigger(t *newTrigger) error {
	oid, err := c.storeTrigger(t)
	if err != nil {
		return err
	}
	if t.rel.Kind != 'p' || !t.n.Row {
		return nil
	}
	for _, child := range t.rel.Children {
		rel, err := c.Session.LockRelation(child, shareRowExclusive)
		if err != nil {
			return err
		}
		if err := c.cloneTrigger(t, oid, rel); err != nil {
			return err
		}
	}
	return nil
}

// cloneTrigger gives a partition the trigger of its partitioned table.
func (c *ctx) cloneTrigger(t *newTrigger, parent OID, rel *catalog.Relation) error {
	clone := *t
	clone.rel, clone.parent, clone.columns, clone.when = rel, parent, nil, nil
	if err := clone.findColumns(); err != nil {
		return err
	}
	if err := c.triggerCondition(&clone); err != nil {
		return err
	}
	return c.makeTrigger(&clone)
}

func (c *ctx) storeTrigger(t *newTrigger) (OID, error) {
	n := t.n
	oid, err := c.replacedTrigger(t)
	if err != nil {
		return 0, err
	}
	replaces := oid != 0
	if !replaces {
		if oid, err = c.v.GetNewOID(catalog.PgTriggerOidIndexOID); err != nil {
			return 0, err
		}
	}
	if n.Isconstraint && t.constraint == 0 {
		k := &constraintRow{name: n.Trigname, ns: t.rel.Namespace, kind: 't', deferrable: n.Deferrable, deferred: n.Initdeferred, validated: true,
			noInherit: true, rel: t.rel.OID}
		if t.constraint, err = c.insertConstraint(k); err != nil {
			return 0, err
		}
	}
	row := c.triggerRow(t, oid)
	if replaces {
		tid, old, err := c.v.Find(catalog.PgTriggerOidIndexOID, types.Oid(oid))
		if err != nil {
			return 0, err
		}
		if err := c.v.Update(catalog.PgTriggerOID, tid, old, row); err != nil {
			return 0, err
		}
		if err := c.v.RemoveDepends(object(catalog.PgTriggerOID, oid), 0, 0); err != nil {
			return 0, err
		}
	} else if err := c.v.Insert(catalog.PgTriggerOID, row); err != nil {
		return 0, err
	}
	if err := c.dependTrigger(t, oid); err != nil {
		return 0, err
	}
	return oid, c.markTriggers(t.rel.OID)
}

// replacedTrigger finds the trigger that OR REPLACE replaces, 0 when there is none of the name.
func (c *ctx) replacedTrigger(t *newTrigger) (OID, error) {
	for _, old := range t.rel.Triggers {
		if old.Name != t.n.Trigname {
			continue
		}
		switch {
		case !t.n.Replace:
			return 0, pgerr.New(pgerr.DuplicateObject, "trigger \"%s\" for relation \"%s\" already exists", t.n.Trigname, t.rel.Name)
		case (old.Internal || old.Parent != 0) && t.parent == 0:
			return 0, pgerr.New(pgerr.DuplicateObject, "trigger \"%s\" for relation \"%s\" is an internal or a child trigger", t.n.Trigname, t.rel.Name)
		case old.Constraint != 0:
			return 0, pgerr.New(pgerr.DuplicateObject, "trigger \"%s\" for relation \"%s\" is a constraint trigger", t.n.Trigname, t.rel.Name)
		}
		return old.OID, nil
	}
	return 0, nil
}

func (c *ctx) triggerRow(t *newTrigger, oid OID) types.Row {
	n := t.n
	row := catalog.NewRow(catalog.PgTriggerOID)
	row[catalog.TriggerOid] = types.Oid(oid)
	row[catalog.TriggerTgrelid] = types.Oid(t.rel.OID)
	row[catalog.TriggerTgparentid] = types.Oid(t.parent)
	row[catalog.TriggerTgname] = types.Text(n.Trigname)
	row[catalog.TriggerTgfoid] = types.Oid(t.fn.OID)
	row[catalog.TriggerTgtype] = types.Int2(t.kind)
	row[catalog.TriggerTgenabled] = types.Char('O')
	row[catalog.TriggerTgisinternal] = types.Bool(false)
	row[catalog.TriggerTgconstrrelid] = types.Oid(0)
	if t.constrRel != nil {
		row[catalog.TriggerTgconstrrelid] = types.Oid(t.constrRel.OID)
	}
	row[catalog.TriggerTgconstrindid] = types.Oid(0)
	row[catalog.TriggerTgconstraint] = types.Oid(t.constraint)
	row[catalog.TriggerTgdeferrable] = types.Bool(n.Deferrable)
	row[catalog.TriggerTginitdeferred] = types.Bool(n.Initdeferred)
	row[catalog.TriggerTgnargs] = types.Int2(int16(len(n.Args)))
	row[catalog.TriggerTgattr] = catalog.Int2Vector(t.columns)
	var args strings.Builder
	for _, a := range n.Args {
		args.WriteString(a.GetString_().GetSval())
		args.WriteByte(0)
	}
	row[catalog.TriggerTgargs] = types.Bytes([]byte(args.String()))
	set := func(col int, s string) {
		row[col] = types.Null
		if s != "" {
			row[col] = types.Text(s)
		}
	}
	set(catalog.TriggerTgoldtable, t.old)
	set(catalog.TriggerTgnewtable, t.new)
	row[catalog.TriggerTgqual] = types.Null
	if t.when != nil {
		row[catalog.TriggerTgqual] = types.Text(query.Encode(t.when))
	}
	return row
}

// dependTrigger records what the trigger needs: the function, its table, columns, what WHEN uses.
func (c *ctx) dependTrigger(t *newTrigger, oid OID) error {
	self := object(catalog.PgTriggerOID, oid)
	if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgProcOID, t.fn.OID)); err != nil {
		return err
	}
	switch {
	case t.constraint != 0 && t.parent == 0:
		// The constraint belongs to the trigger, and goes with the table.
		if err := c.v.Depend(object(catalog.PgConstraintOID, t.constraint), catalog.DepInternal, self); err != nil {
			return err
		}
		fallthrough
	default:
		if err := c.v.Depend(self, catalog.DepAuto, relObject(t.rel.OID, 0)); err != nil {
			return err
		}
	}
	if t.constrRel != nil {
		if err := c.v.Depend(self, catalog.DepAuto, relObject(t.constrRel.OID, 0)); err != nil {
			return err
		}
	}
	if t.parent != 0 {
		if err := c.v.Depend(self, catalog.DepPartitionPri, object(catalog.PgTriggerOID, t.parent)); err != nil {
			return err
		}
		if err := c.v.Depend(self, catalog.DepPartitionSec, relObject(t.rel.OID, 0)); err != nil {
			return err
		}
	}
	for _, num := range t.columns {
		if err := c.v.Depend(self, catalog.DepNormal, relObject(t.rel.OID, num)); err != nil {
			return err
		}
	}
	if t.when == nil {
		return nil
	}
	return c.v.Depend(self, catalog.DepNormal, c.v.ExprRefs(t.when, []OID{t.rel.OID, t.rel.OID})...)
}

// enableTrigger is ENABLE and DISABLE TRIGGER, of one, of all, or of all that users made.
func (a *alteration) enableTrigger(cmd *pg_query.AlterTableCmd) error {
	state, all, user := triggerState(cmd.Subtype)
	found := false
	for _, t := range a.rel.Triggers {
		if !all && t.Name != cmd.Name || user && t.Internal {
			continue
		}
		if t.Internal {
			super, err := a.v.IsSuperuser(a.v.User())
			if err != nil {
				return err
			}
			if !super {
				return pgerr.New(pgerr.InsufficientPrivilege, "permission denied: \"%s\" is a system trigger", t.Name)
			}
		}
		found = true
		if t.Enabled == state {
			continue
		}
		err := a.v.Modify(catalog.PgTriggerOID, catalog.PgTriggerOidIndexOID, []types.Datum{types.Oid(t.OID)}, func(row types.Row) {
			row[catalog.TriggerTgenabled] = types.Char(state)
		})
		if err != nil {
			return err
		}
	}
	if !found && !all {
		return pgerr.New(pgerr.UndefinedObject, "trigger \"%s\" for table \"%s\" does not exist", cmd.Name, a.rel.Name)
	}
	return nil
}

func triggerState(t pg_query.AlterTableType) (state byte, all, user bool) {
	switch t {
	case pg_query.AlterTableType_AT_EnableTrig:
		return 'O', false, false
	case pg_query.AlterTableType_AT_EnableAlwaysTrig:
		return 'A', false, false
	case pg_query.AlterTableType_AT_EnableReplicaTrig:
		return 'R', false, false
	case pg_query.AlterTableType_AT_DisableTrig:
		return 'D', false, false
	case pg_query.AlterTableType_AT_EnableTrigAll:
		return 'O', true, false
	case pg_query.AlterTableType_AT_DisableTrigAll:
		return 'D', true, false
	case pg_query.AlterTableType_AT_EnableTrigUser:
		return 'O', true, true
	}
	return 'D', true, true
}
