package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/types"
)

// newColumnValue says how a rewrite computes a column of each row.
type newColumnValue struct {
	num  int16
	expr query.Expr
}

// addColumn is ADD COLUMN. A default that is the same for all rows is kept with the column, and no row is touched; any other rewrites the table.
func (a *alteration) addColumn(cmd *pg_query.AlterTableCmd) error {
	if err := a.onlyKinds("rcp", "ADD COLUMN"); err != nil {
		return err
	}
	n := cmd.Def.GetColumnDef()
	if a.rel.IsPartition && !a.recursing {
		return pgerr.New(pgerr.WrongObjectType, "cannot add column to a partition")
	}
	if a.recursing {
		if merged, err := a.mergeAddedColumn(n); merged || err != nil {
			return err
		}
	}
	if a.rel.AttrByName(n.Colname) != nil {
		if cmd.MissingOk {
			a.notice(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists, skipping", n.Colname, a.rel.Name)
			return nil
		}
		return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" of relation \"%s\" already exists", n.Colname, a.rel.Name)
	}
	if err := checkColumnName(n.Colname); err != nil {
		return err
	}
	d, err := a.column(n, a.rel.Name)
	if err != nil {
		return err
	}
	if len(a.rel.Desc.Attrs) >= maxColumns {
		return pgerr.New(pgerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	d.Num = int16(len(a.rel.Desc.Attrs) + 1)
	if a.recursing { // constraints come down by themselves
		d.IsLocal, d.InhCount, d.constraints = false, 1, nil
	}
	for _, con := range d.constraints {
		if con.Contype == pg_query.ConstrType_CONSTR_PRIMARY {
			d.NotNull = true
		}
	}
	if err := a.insertColumn(a.rel.OID, &d.Attr, true); err != nil {
		return err
	}
	err = a.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(a.rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelnatts] = types.Int2(d.Num)
	})
	if err != nil {
		return err
	}
	if a.rel, err = a.reload(a.rel.OID); err != nil {
		return err
	}
	if err := a.columnExtras(a.rel, []*columnDef{d}); err != nil {
		return err
	}
	if a.rel.Kind == 'c' { // values made before lack it, and it is null there
		return nil
	}
	a.later = append(a.later, d.constraints...)
	if err := a.fillColumn(d); err != nil {
		return err
	}
	return a.addColumnBelow(cmd, d)
}

// fillColumn gives existing rows the new column's value.
func (a *alteration) fillColumn(d *columnDef) error {
	value := d.cooked
	if d.identity != nil {
		seqs, err := a.ownedSequences(a.rel.OID, d.Num)
		if err != nil {
			return err
		}
		if len(seqs) == 1 {
			value = &query.NextValueExpr{SeqOID: seqs[0], TypeOID: d.TypeOID}
		}
	}
	domain, err := a.isConstrained(d.TypeOID)
	if err != nil {
		return err
	}
	if value == nil && d.identity == nil { // a domain's default
		if value, err = rewrite.ColumnDefault(a.analyzeEnv(), a.rel, &d.Attr); err != nil {
			return err
		}
	}
	if value == nil && domain {
		value = &query.CoerceToDomain{Arg: &query.Const{TypeOID: d.TypeOID, Mod: -1, Value: types.Null, Loc: -1}, TypeOID: d.TypeOID, Mod: -1, Loc: -1}
	}
	switch {
	case value == nil || isNullConst(value):
	case !domain && d.Generated == 0 && !a.isVolatile(value):
		if err := a.setMissing(d, value); err != nil {
			return err
		}
		return nil
	default:
		a.rewrite = true
		a.newValues = append(a.newValues, newColumnValue{d.Num, value})
	}
	if d.NotNull && (value == nil || a.rewrite) {
		a.notNull = append(a.notNull, d.Num)
	}
	return nil
}

// isConstrained says whether a type is a domain with constraints.
func (c *ctx) isConstrained(oid OID) (bool, error) {
	for {
		t, err := c.v.Type(oid)
		if err != nil || t == nil || t.Kind != 'd' {
			return false, err
		}
		if t.NotNull || len(t.DomainChecks) > 0 {
			return true, nil
		}
		oid = t.BaseType
	}
}

// isVolatile says whether an expression may give another value for each row.
func (c *ctx) isVolatile(e query.Expr) bool {
	bad := false
	check := func(fn OID) {
		p, err := c.v.Proc(fn)
		bad = bad || err != nil || p == nil || p.Volatile == 'v'
	}
	query.Walk(e, func(e query.Expr) bool {
		switch x := e.(type) {
		case *query.FuncExpr:
			check(x.FuncOID)
		case *query.OpExpr:
			check(x.FuncOID)
		case *query.NextValueExpr, *query.Var:
			bad = true
		}
		return true
	})
	return bad
}

// setMissing keeps the value that rows without the column have.
func (a *alteration) setMissing(d *columnDef, value query.Expr) error {
	eval, err := a.compile(value)
	if err != nil {
		return err
	}
	v, err := eval(a.evalContext())
	if err != nil {
		return err
	}
	if v.IsNull() {
		if d.NotNull {
			a.notNull = append(a.notNull, d.Num)
		}
		return nil
	}
	return a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(a.rel.OID), types.Int2(d.Num)}, func(row types.Row) {
		row[catalog.AttributeAtthasmissing] = types.Bool(true)
		row[catalog.AttributeAttmissingval] = catalog.AnyArray(&d.Attr, v)
	})
}

// dropColumn is DROP COLUMN.
func (a *alteration) dropColumn(cmd *pg_query.AlterTableCmd) error {
	if err := a.onlyKinds("rcp", "DROP COLUMN"); err != nil {
		return err
	}
	x := a.rel.AttrByName(cmd.Name)
	if x == nil {
		for i := range systemColumns {
			if systemColumns[i].Name == cmd.Name {
				return pgerr.New(pgerr.FeatureNotSupported, "cannot drop system column \"%s\"", cmd.Name)
			}
		}
		if cmd.MissingOk {
			a.notice(pgerr.SuccessfulCompletion, "column \"%s\" of relation \"%s\" does not exist, skipping", cmd.Name, a.rel.Name)
			return nil
		}
		return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", cmd.Name, a.rel.Name)
	}
	if x.InhCount > 0 {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop inherited column \"%s\"", cmd.Name)
	}
	if plain, inExpr := isPartitionColumn(a.rel, x.Num); plain || inExpr {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop column \"%s\" because it is part of the partition key of relation \"%s\"", cmd.Name, a.rel.Name)
	}
	var drop []catalog.Object
	if err := a.dropColumnBelow(cmd.Name, &drop); err != nil {
		return err
	}
	return a.dropObjects(append(drop, relObject(a.rel.OID, x.Num)), cmd.Behavior)
}

// columnDefault is SET DEFAULT and DROP DEFAULT.
func (a *alteration) columnDefault(cmd *pg_query.AlterTableCmd) error {
	num, err := a.attr(cmd.Name)
	if err != nil {
		return err
	}
	x := &a.rel.Desc.Attrs[num-1]
	if x.Identity != 0 {
		e := pgerr.New(pgerr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", x.Name, a.rel.Name)
		if cmd.Def == nil {
			return e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return e
	}
	if x.Generated != 0 {
		e := pgerr.New(pgerr.SyntaxError, "column \"%s\" of relation \"%s\" is a generated column", x.Name, a.rel.Name)
		if cmd.Def == nil {
			return e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
		}
		return e
	}
	if err := a.removeDefault(num); err != nil || cmd.Def == nil {
		return err
	}
	d := &columnDef{Attr: *x, def: cmd.Def}
	if err := a.cookDefault(a.rel, d); err != nil {
		return err
	}
	if isNullConst(d.cooked) {
		return nil
	}
	_, err = a.storeDefault(a.rel.OID, num, d.cooked, false)
	return err
}

// dropExpression is DROP EXPRESSION: a generated column becomes a plain one, its values stay.
func (a *alteration) dropExpression(cmd *pg_query.AlterTableCmd) error {
	num, err := a.attr(cmd.Name)
	if err != nil {
		return err
	}
	x := &a.rel.Desc.Attrs[num-1]
	if x.Generated == 0 {
		if !cmd.MissingOk {
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not a stored generated column", x.Name, a.rel.Name)
		}
		a.notice(pgerr.SuccessfulCompletion, "column \"%s\" of relation \"%s\" is not a stored generated column, skipping", x.Name, a.rel.Name)
		return nil
	}
	if !a.recurse && len(a.rel.Children) > 0 {
		return pgerr.New(pgerr.FeatureNotSupported, "ALTER TABLE / DROP EXPRESSION must be applied to child tables too")
	}
	if x.InhCount > 0 && len(*a.tree) > 0 && (*a.tree)[0] == a {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop generation expression from inherited column")
	}
	err = a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(a.rel.OID), types.Int2(num)}, func(row types.Row) {
		row[catalog.AttributeAttgenerated] = types.Char(0)
	})
	if err != nil {
		return err
	}
	_, row, err := a.v.Find(catalog.PgAttrdefAdrelidAdnumIndexOID, types.Oid(a.rel.OID), types.Int2(num))
	if err != nil || row == nil {
		return err
	}
	// The expression's internal dependency would make it undroppable by itself.
	if err := a.v.RemoveDepends(object(catalog.PgAttrdefOID, row[catalog.AttrdefOid].Oid()), 0, 0); err != nil {
		return err
	}
	if err := a.next(); err != nil {
		return err
	}
	return a.removeDefault(num)
}

// removeDefault drops a column's default, if it has one.
func (c *alteration) removeDefault(num int16) error {
	_, row, err := c.v.Find(catalog.PgAttrdefAdrelidAdnumIndexOID, types.Oid(c.rel.OID), types.Int2(num))
	if err != nil || row == nil {
		return err
	}
	d := catalog.Dropper{View: c.v, Quiet: true}
	return d.Drop(object(catalog.PgAttrdefOID, row[catalog.AttrdefOid].Oid()))
}

// setColumnNotNull is SET NOT NULL.
func (a *alteration) setColumnNotNull(cmd *pg_query.AlterTableCmd) error {
	num, err := a.attr(cmd.Name)
	if err != nil || a.rel.Desc.Attrs[num-1].NotNull {
		return err
	}
	if !a.recurse && a.rel.Kind == 'p' {
		if err := a.partitionsNotNull(cmd.Name); err != nil {
			return err
		}
	}
	a.notNull = append(a.notNull, num)
	return a.setNotNull(a.rel.OID, num, true)
}

// partitionsNotNull refuses SET NOT NULL of a partitioned table alone when a partition may have nulls.
func (a *alteration) partitionsNotNull(name string) error {
	kids, err := a.children()
	for _, k := range kids {
		if x := k.AttrByName(name); x != nil && !x.NotNull {
			return pgerr.New(pgerr.InvalidTableDefinition, "constraint must be added to child tables too").
				WithDetail("Column \"%s\" of relation \"%s\" is not already NOT NULL.", name, k.Name).WithHint("Do not specify the ONLY keyword.")
		}
	}
	return err
}

// dropColumnNotNull is DROP NOT NULL.
func (a *alteration) dropColumnNotNull(cmd *pg_query.AlterTableCmd) error {
	num, err := a.attr(cmd.Name)
	if err != nil {
		return err
	}
	x := &a.rel.Desc.Attrs[num-1]
	if a.rel.Kind == 'p' && !a.recurse && len(a.rel.Children) > 0 {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot remove constraint from only the partitioned table when partitions exist").
			WithHint("Do not specify the ONLY keyword.")
	}
	if x.Identity != 0 {
		return pgerr.New(pgerr.SyntaxError, "column \"%s\" of relation \"%s\" is an identity column", x.Name, a.rel.Name)
	}
	for _, ix := range a.rel.Indexes {
		for _, k := range ix.Keys[:ix.NumKeys] {
			if ix.Primary && k == num {
				return pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" is in a primary key", x.Name)
			}
		}
	}
	if a.rel.IsPartition && len(a.rel.Parents) > 0 && !a.recursing {
		parent, err := a.v.Relation(a.rel.Parents[0])
		if err != nil {
			return err
		}
		if p := parent.AttrByName(x.Name); p != nil && p.NotNull {
			return pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" is marked NOT NULL in parent table", x.Name)
		}
	}
	return a.setNotNull(a.rel.OID, num, false)
}

// columnSetting is SET STATISTICS, SET STORAGE and SET (n_distinct = ...).
func (a *alteration) columnSetting(cmd *pg_query.AlterTableCmd) error {
	num := cmd.GetNum()
	if cmd.Name != "" {
		n, err := a.attr(cmd.Name)
		if err != nil {
			return err
		}
		num = int32(n)
	}
	var set func(row types.Row)
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_SetStatistics:
		v := cmd.Def.GetInteger().GetIval()
		if v < -1 {
			return pgerr.New(pgerr.InvalidParameterValue, "statistics target %d is too low", v)
		}
		if v > 10000 {
			a.send(&pgerr.Error{Severity: "WARNING", Code: pgerr.InvalidParameterValue, Message: "lowering statistics target to 10000"})
			v = 10000
		}
		set = func(row types.Row) { row[catalog.AttributeAttstattarget] = types.Int4(v) }
	case pg_query.AlterTableType_AT_SetStorage:
		word := cmd.Def.GetString_().GetSval()
		kinds := map[string]byte{"plain": 'p', "external": 'e', "extended": 'x', "main": 'm'}
		k, ok := kinds[word]
		if !ok {
			return pgerr.New(pgerr.InvalidParameterValue, "invalid storage type \"%s\"", word)
		}
		if a.rel.Desc.Attrs[num-1].Len != -1 && k != 'p' {
			return pgerr.New(pgerr.FeatureNotSupported, "column data type %s can only have storage PLAIN", types.FormatType(a.Backend.Env, a.rel.Desc.Attrs[num-1].TypeOID))
		}
		set = func(row types.Row) { row[catalog.AttributeAttstorage] = types.Char(k) }
	default:
		known := map[string]storageOption{"n_distinct": {'f', -1, 1e308, nil}, "n_distinct_inherited": {'f', -1, 1e308, nil}}
		_, row, err := a.v.Find(catalog.PgAttributeRelidAttnumIndexOID, types.Oid(a.rel.OID), types.Int2(int16(num)))
		if err != nil {
			return err
		}
		list, err := mergeOptions(catalog.Texts(row[catalog.AttributeAttoptions]), cmd.Def.GetList().GetItems(), known,
			cmd.Subtype == pg_query.AlterTableType_AT_ResetOptions)
		if err != nil {
			return err
		}
		set = func(row types.Row) { row[catalog.AttributeAttoptions] = catalog.TextArray(list) }
	}
	return a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(a.rel.OID), types.Int2(int16(num))}, set)
}

// identity is ADD GENERATED ... AS IDENTITY, SET GENERATED / SET sequence options, DROP IDENTITY.
func (a *alteration) identity(cmd *pg_query.AlterTableCmd) error {
	num, err := a.attr(cmd.Name)
	if err != nil {
		return err
	}
	x := &a.rel.Desc.Attrs[num-1]
	setIdentity := func(b byte) error {
		return a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(a.rel.OID), types.Int2(num)}, func(row types.Row) {
			row[catalog.AttributeAttidentity] = types.Char(b)
		})
	}
	seqs, err := a.ownedSequences(a.rel.OID, num)
	if err != nil {
		return err
	}
	switch cmd.Subtype {
	case pg_query.AlterTableType_AT_AddIdentity:
		switch {
		case x.TypeOID != types.Int2OID && x.TypeOID != types.Int4OID && x.TypeOID != types.Int8OID:
			return pgerr.New(pgerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
		case !x.NotNull:
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" must be declared NOT NULL before identity can be added", x.Name, a.rel.Name)
		case x.Identity != 0:
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is already an identity column", x.Name, a.rel.Name)
		case x.HasDefault:
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" already has a default value", x.Name, a.rel.Name)
		}
		con := cmd.Def.GetConstraint()
		if err := a.ctx.columnSequence(a.rel, &columnDef{Attr: *x, identity: con}); err != nil {
			return err
		}
		return setIdentity(con.GeneratedWhen[0])
	case pg_query.AlterTableType_AT_DropIdentity:
		if x.Identity == 0 {
			if cmd.MissingOk {
				a.notice(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not an identity column, skipping", x.Name, a.rel.Name)
				return nil
			}
			return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not an identity column", x.Name, a.rel.Name)
		}
		if err := setIdentity(0); err != nil {
			return err
		}
		for _, s := range seqs {
			if err := a.v.RemoveDepends(relObject(s, 0), catalog.DepInternal, catalog.PgClassOID); err != nil {
				return err
			}
			if err := a.next(); err != nil {
				return err
			}
			if err := a.dropObjects([]catalog.Object{relObject(s, 0)}, pg_query.DropBehavior_DROP_RESTRICT); err != nil {
				return err
			}
		}
		return nil
	}
	if x.Identity == 0 || len(seqs) == 0 {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "column \"%s\" of relation \"%s\" is not an identity column", x.Name, a.rel.Name)
	}
	var clauses []*pg_query.Node
	for _, n := range cmd.Def.GetList().GetItems() {
		d := n.GetDefElem()
		if d.Defname != "generated" {
			clauses = append(clauses, n)
			continue
		}
		if err := setIdentity(byte(d.Arg.GetInteger().GetIval())); err != nil {
			return err
		}
	}
	if len(clauses) == 0 {
		return nil
	}
	seq, err := a.v.Relation(seqs[0])
	if err != nil {
		return err
	}
	return a.changeSequence(seq, clauses)
}

// columnType is ALTER COLUMN TYPE. What depends on the column's type (indexes, constraints of the table) is made again; a view that uses the
// column refuses the change.
func (a *alteration) columnType(cmd *pg_query.AlterTableCmd) error {
	if err := a.onlyKinds("rcp", "ALTER COLUMN ... SET DATA TYPE"); err != nil {
		return err
	}
	num, err := a.attr(cmd.Name)
	if err != nil {
		return err
	}
	n := cmd.Def.GetColumnDef()
	old := a.rel.Desc.Attrs[num-1]
	if old.InhCount > 0 && !a.recursing {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot alter inherited column \"%s\"", cmd.Name)
	}
	if plain, inExpr := isPartitionColumn(a.rel, num); plain || inExpr {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot alter column \"%s\" because it is part of the partition key of relation \"%s\"", cmd.Name, a.rel.Name)
	}
	d := &columnDef{Attr: old}
	typ, mod, err := a.typeName(n.TypeName)
	if err != nil {
		return err
	}
	if err := a.setType(d, typ, mod, n.CollClause); err != nil {
		return err
	}
	d.NDims = int16(len(n.TypeName.ArrayBounds))
	if a.rel.Kind == 'c' {
		if err := a.refuseTypeUses(a.rel.RowType, compositeUse(a.rel)); err != nil {
			return err
		}
		return a.retypeColumn(num, d, true)
	}
	value, err := a.convert(cmd, n, &old, d)
	if err != nil {
		return err
	}
	if err := a.refuseDependents(num); err != nil {
		return err
	}
	if err := a.retypeBelow(cmd); err != nil {
		return err
	}
	sameBytes := onlyRelabels(value, num)
	if !sameBytes {
		a.rewrite = true
		a.newValues = append(a.newValues, newColumnValue{num, value})
	}
	if err := a.retypeDefault(num, d); err != nil {
		return err
	}
	if err := a.retypeColumn(num, d, sameBytes); err != nil {
		return err
	}
	return a.retypeIndexes(num, d)
}

// convert makes the expression that gives the new value of each row.
func (a *alteration) convert(cmd *pg_query.AlterTableCmd, n *pg_query.ColumnDef, old *types.Attr, d *columnDef) (query.Expr, error) {
	var e query.Expr
	var err error
	if n.RawDefault != nil {
		if e, err = analyze.Expr(a.analyzeEnv(), n.RawDefault, analyze.ExprAlterType, analyze.ExprTarget{Relation: a.rel}); err != nil {
			return nil, err
		}
	} else {
		e = &query.Var{VarNo: 1, AttNo: old.Num, TypeOID: old.TypeOID, Mod: old.TypMod, Coll: old.Collation, Loc: -1, SynNo: 1, SynAttNo: old.Num}
	}
	out, err := analyze.Cast(a.analyzeEnv(), e, d.TypeOID, d.TypMod, false)
	if err != nil {
		return nil, err
	}
	if out != nil {
		return out, nil
	}
	target := types.FormatType(a.Backend.Env, d.TypeOID)
	if n.RawDefault != nil {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "result of USING clause for column \"%s\" cannot be cast automatically to type %s", old.Name, target).
			WithHint("You might need to add an explicit cast.")
	}
	return nil, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" cannot be cast automatically to type %s", old.Name, target).
		WithHint("You might need to specify \"USING %s::%s\".", types.QuoteIdent(a.Backend.Env, old.Name),
			types.FormatTypeMod(a.Backend.Env, d.TypeOID, d.TypMod))
}

// isSameColumn says whether an expression is just the column.
func isSameColumn(e query.Expr, num int16) bool {
	v, ok := e.(*query.Var)
	return ok && v.AttNo == num
}

// onlyRelabels says whether an expression changes no bytes.
func onlyRelabels(e query.Expr, num int16) bool {
	for {
		r, ok := e.(*query.RelabelType)
		if !ok {
			return isSameColumn(e, num)
		}
		e = r.Arg
	}
}

// refuseDependents refuses a change of type when something outside the table uses the column.
func (a *alteration) refuseDependents(num int16) error {
	name := a.rel.Desc.Attrs[num-1].Name
	return a.v.Dependents(relObject(a.rel.OID, num), func(o catalog.Object, _ int32, kind byte) (bool, error) {
		switch o.Class {
		case catalog.PgRewriteOID:
			return false, pgerr.New(pgerr.FeatureNotSupported, "cannot alter type of a column used by a view or rule").
				WithDetail("%s depends on column \"%s\"", a.v.Describe(o), name)
		case catalog.PgPolicyOID:
			return false, pgerr.New(pgerr.FeatureNotSupported, "cannot alter type of a column used in a policy definition").
				WithDetail("%s depends on column \"%s\"", a.v.Describe(o), name)
		case catalog.PgConstraintOID:
			c, err := a.v.Constraint(o.OID)
			if err != nil {
				return false, err
			}
			if c.Type == 'f' || c.Type == 'c' {
				return false, pgerr.NotSupported("changing the type of a column with a %s constraint", map[byte]string{'f': "foreign key", 'c': "check"}[c.Type])
			}
		case catalog.PgAttrdefOID:
			if kind == catalog.DepNormal {
				return false, pgerr.NotSupported("changing the type of a column used by a generated column")
			}
		}
		return true, nil
	})
}

// retypeDefault casts the column's default to the new type.
func (a *alteration) retypeDefault(num int16, d *columnDef) error {
	e := a.rel.Defaults[num]
	if e == nil {
		return nil
	}
	if d.Generated != 0 {
		return pgerr.NotSupported("changing the type of a generated column")
	}
	out, err := analyze.Cast(a.analyzeEnv(), e, d.TypeOID, d.TypMod, false)
	if err != nil {
		return err
	}
	if out == nil {
		return pgerr.New(pgerr.DatatypeMismatch, "default for column \"%s\" cannot be cast automatically to type %s", d.Name, types.FormatType(a.Backend.Env, d.TypeOID))
	}
	if err := a.removeDefault(num); err != nil {
		return err
	}
	// Each step changes the column's row: the next one must see it.
	if err := a.v.NextCommand(); err != nil {
		return err
	}
	if _, err = a.storeDefault(a.rel.OID, num, out, false); err != nil {
		return err
	}
	return a.v.NextCommand()
}

// retypeColumn changes the column's row and what it depends on. The value that rows without the column have stays when its bytes do; else the
// table is rewritten, which puts it into all rows.
func (a *alteration) retypeColumn(num int16, d *columnDef, sameBytes bool) error {
	self := relObject(a.rel.OID, num)
	if err := a.v.RemoveDepends(self, catalog.DepNormal, catalog.PgTypeOID); err != nil {
		return err
	}
	if err := a.v.RemoveDepends(self, catalog.DepNormal, catalog.PgCollationOID); err != nil {
		return err
	}
	if _, err := a.v.DeleteWhere(catalog.PgStatisticOID, catalog.PgStatisticRelidAttInhIndexOID, types.Oid(a.rel.OID), types.Int2(num)); err != nil {
		return err
	}
	refs := []catalog.Object{object(catalog.PgTypeOID, d.TypeOID)}
	if d.Collation != catalog.DefaultCollation {
		refs = append(refs, object(catalog.PgCollationOID, d.Collation))
	}
	if err := a.v.Depend(self, catalog.DepNormal, refs...); err != nil {
		return err
	}
	return a.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(a.rel.OID), types.Int2(num)}, func(row types.Row) {
		missing := row[catalog.AttributeAtthasmissing].Bool()
		attr := d.Attr
		attr.HasMissing = missing && sameBytes
		fresh := attributeRow(a.rel.OID, &attr)
		for _, col := range []int{catalog.AttributeAtttypid, catalog.AttributeAtttypmod, catalog.AttributeAttlen, catalog.AttributeAttbyval,
			catalog.AttributeAttalign, catalog.AttributeAttstorage, catalog.AttributeAttcollation, catalog.AttributeAttndims} {
			row[col] = fresh[col]
		}
		row[catalog.AttributeAtthasmissing], row[catalog.AttributeAttmissingval] = types.Bool(attr.HasMissing), fresh[catalog.AttributeAttmissingval]
	})
}
