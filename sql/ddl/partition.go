package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// maxPartitionColumns is how many columns a partition key may have.
const maxPartitionColumns = 32

// partitionColumn is one column of a partition key to be made.
type partitionColumn struct {
	attr          int16
	expr          query.Expr
	opclass, coll OID
}

// strategyOf gives a partitioning strategy's letter and word.
func strategyOf(s pg_query.PartitionStrategy) (byte, string) {
	switch s {
	case pg_query.PartitionStrategy_PARTITION_STRATEGY_LIST:
		return partition.List, "list"
	case pg_query.PartitionStrategy_PARTITION_STRATEGY_RANGE:
		return partition.Range, "range"
	}
	return partition.Hash, "hash"
}

// storePartitionKey makes a new table partitioned.
func (c *ctx) storePartitionKey(rel *catalog.Relation, spec *pg_query.PartitionSpec) error {
	strategy, word := strategyOf(spec.Strategy)
	if len(spec.PartParams) > maxPartitionColumns {
		return pgerr.New(pgerr.TooManyColumns, "cannot partition using more than %d columns", maxPartitionColumns)
	}
	if strategy == partition.List && len(spec.PartParams) != 1 {
		return pgerr.New(pgerr.InvalidObjectDefinition, "cannot use \"%s\" partition strategy with more than one column", word)
	}
	var cols []partitionColumn
	for _, n := range spec.PartParams {
		k, err := c.partitionColumn(rel, n.GetPartitionElem(), strategy)
		if err != nil {
			return err
		}
		cols = append(cols, *k)
	}
	return c.insertPartitionKey(rel, strategy, cols)
}

// partitionColumn finds a key column's value, collation and operator class.
func (c *ctx) partitionColumn(rel *catalog.Relation, n *pg_query.PartitionElem, strategy byte) (*partitionColumn, error) {
	k := &partitionColumn{}
	typ, err := c.partitionValue(rel, n, k)
	if err != nil {
		return nil, err
	}
	if len(n.Collation) > 0 {
		if k.coll, err = c.collation(n.Collation, -1); err != nil {
			return nil, err
		}
	}
	t, err := c.v.Type(typ)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Collation != 0 && k.coll == 0:
		return nil, pgerr.New(pgerr.IndeterminateCollation, "could not determine which collation to use for partition expression").
			WithHint("Use the COLLATE clause to set the collation explicitly.")
	case t.Collation == 0 && k.coll != 0:
		return nil, pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.FormatType(c.Backend.Env, typ))
	}
	am, amName := catalog.BTreeAM, "btree"
	if strategy == partition.Hash {
		am, amName = catalog.HashAM, "hash"
	}
	if len(n.Opclass) > 0 {
		k.opclass, err = c.indexOpClass(am, amName, typ, &pg_query.IndexElem{Opclass: n.Opclass})
		return k, err
	}
	if k.opclass, err = c.v.DefaultOpClass(am, typ); err == nil && k.opclass == 0 {
		err = pgerr.New(pgerr.UndefinedObject, "data type %s has no default operator class for access method \"%s\"", types.FormatType(c.Backend.Env, typ), amName).
			WithHint("You must specify a %s operator class or define a default %s operator class for the data type.", amName, amName)
	}
	return k, err
}

func (c *ctx) partitionValue(rel *catalog.Relation, n *pg_query.PartitionElem, k *partitionColumn) (OID, error) {
	if n.Name != "" {
		a := rel.AttrByName(n.Name)
		if a == nil {
			for i := range systemColumns {
				if systemColumns[i].Name == n.Name {
					return 0, pgerr.New(pgerr.InvalidObjectDefinition, "cannot use system column \"%s\" in partition key", n.Name).WithLocation(int(n.Location))
				}
			}
			return 0, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" named in partition key does not exist", n.Name).WithLocation(int(n.Location))
		}
		if a.Generated != 0 {
			return 0, pgerr.New(pgerr.InvalidObjectDefinition, "cannot use generated column in partition key").
				WithDetail("Column \"%s\" is a generated column.", a.Name).WithLocation(int(n.Location))
		}
		k.attr, k.coll = a.Num, a.Collation
		return a.TypeOID, nil
	}
	e, err := c.relationExpr(rel, n.Expr, analyze.ExprPartitionKey)
	if err != nil {
		return 0, err
	}
	if cl, ok := e.(*query.CollateExpr); ok {
		k.coll, e = cl.Coll, cl.Arg
	} else {
		k.coll = e.Collation()
	}
	if v, ok := e.(*query.Var); ok && v.AttNo > 0 { // a column in parentheses
		k.attr = v.AttNo
		return v.TypeOID, nil
	}
	return e.Type(), c.checkPartitionExpr(rel, n, e, k)
}

// checkPartitionExpr refuses key expressions that do not depend on the row alone.
func (c *ctx) checkPartitionExpr(rel *catalog.Relation, n *pg_query.PartitionElem, e query.Expr, k *partitionColumn) error {
	t, err := c.v.Type(e.Type())
	if err != nil {
		return err
	}
	if t.Kind == 'p' {
		return pgerr.New(pgerr.InvalidTableDefinition, "partition key column %d has pseudo-type %s", 1, types.FormatType(c.Backend.Env, e.Type()))
	}
	var bad error
	hasVar := false
	query.Walk(e, func(x query.Expr) bool {
		v, ok := x.(*query.Var)
		if !ok || bad != nil {
			return true
		}
		hasVar = true
		switch {
		case v.AttNo == 0:
			bad = pgerr.New(pgerr.InvalidObjectDefinition, "partition key expressions cannot contain whole-row references")
		case v.AttNo < 0:
			bad = pgerr.New(pgerr.InvalidObjectDefinition, "partition key expressions cannot contain system column references")
		default:
			if a := rel.Attr(v.AttNo); a != nil && a.Generated != 0 {
				bad = pgerr.New(pgerr.InvalidObjectDefinition, "cannot use generated column in partition key").
					WithDetail("Column \"%s\" is a generated column.", a.Name).WithLocation(int(n.Location))
			}
		}
		return true
	})
	if bad != nil {
		return bad
	}
	if mutable, err := c.isMutable(e); err != nil || mutable {
		return orError(err, pgerr.New(pgerr.InvalidObjectDefinition, "functions in partition key expression must be marked IMMUTABLE"))
	}
	if !hasVar {
		return pgerr.New(pgerr.InvalidObjectDefinition, "cannot use constant expression as partition key")
	}
	k.expr = e
	return nil
}

func (c *ctx) insertPartitionKey(rel *catalog.Relation, strategy byte, cols []partitionColumn) error {
	row := catalog.NewRow(catalog.PgPartitionedTableOID)
	var attrs []int16
	var classes, colls []OID
	var exprs []query.Expr
	self := relObject(rel.OID, 0)
	var refs, own []catalog.Object
	for _, k := range cols {
		attrs, classes, colls = append(attrs, k.attr), append(classes, k.opclass), append(colls, k.coll)
		refs = append(refs, object(catalog.PgOpclassOID, k.opclass))
		if k.coll != 0 && k.coll != catalog.DefaultCollation {
			refs = append(refs, object(catalog.PgCollationOID, k.coll))
		}
		if k.attr != 0 {
			own = append(own, relObject(rel.OID, k.attr))
		} else {
			exprs = append(exprs, k.expr)
		}
	}
	row[catalog.PartitionedTablePartrelid] = types.Oid(rel.OID)
	row[catalog.PartitionedTablePartstrat] = types.Char(strategy)
	row[catalog.PartitionedTablePartnatts] = types.Int2(int16(len(cols)))
	row[catalog.PartitionedTablePartdefid] = types.Oid(0)
	row[catalog.PartitionedTablePartattrs] = catalog.Int2Vector(attrs)
	row[catalog.PartitionedTablePartclass] = catalog.OIDVector(classes)
	row[catalog.PartitionedTablePartcollation] = catalog.OIDVector(colls)
	if exprs != nil {
		row[catalog.PartitionedTablePartexprs] = types.Text(query.EncodeExprs(exprs))
	}
	if err := c.v.Insert(catalog.PgPartitionedTableOID, row); err != nil {
		return err
	}
	if err := c.v.Depend(self, catalog.DepNormal, refs...); err != nil {
		return err
	}
	for _, o := range own { // dropping a key column means dropping the table
		if err := c.v.Depend(o, catalog.DepInternal, self); err != nil {
			return err
		}
	}
	for _, e := range exprs {
		if err := c.v.DependOnExpr(self, catalog.DepNormal, e, rel.OID, catalog.DepInternal); err != nil {
			return err
		}
	}
	return nil
}

// boundMaker turns the bound of a statement into that of the catalogs.
type boundMaker struct {
	*ctx
	parent *catalog.Relation
	key    *partition.Key
}

// bound analyses a partition bound against the parent's key.
func (c *ctx) bound(parent *catalog.Relation, n *pg_query.PartitionBoundSpec) (*query.PartitionBoundSpec, error) {
	key, err := partition.NewKey(c.v, c.Backend.Env, parent)
	if err != nil {
		return nil, err
	}
	m := &boundMaker{ctx: c, parent: parent, key: key}
	b := &query.PartitionBoundSpec{Strategy: key.Strategy, IsDefault: n.IsDefault, Loc: int(n.Location)}
	if n.IsDefault {
		if key.Strategy == partition.Hash {
			return nil, pgerr.New(pgerr.InvalidTableDefinition, "a hash-partitioned table may not have a default partition")
		}
		return b, nil
	}
	if n.Strategy[0] != key.Strategy {
		word := map[byte]string{partition.Hash: "hash", partition.List: "list", partition.Range: "range"}[key.Strategy]
		return nil, pgerr.New(pgerr.InvalidTableDefinition, "invalid bound specification for a %s partition", word).WithLocation(boundLocation(n))
	}
	switch key.Strategy {
	case partition.Hash:
		return b, m.hash(b, n)
	case partition.List:
		return b, m.list(b, n)
	}
	return b, m.ranges(b, n)
}

// boundLocation is where a bound begins: its first value, as PostgreSQL's cursor shows it.
func boundLocation(n *pg_query.PartitionBoundSpec) int { return int(n.Location) }

func (m *boundMaker) hash(b *query.PartitionBoundSpec, n *pg_query.PartitionBoundSpec) error {
	b.Modulus, b.Remainder = n.Modulus, n.Remainder
	bad := func(s string) error { return pgerr.New(pgerr.InvalidTableDefinition, "%s", s) }
	switch {
	case b.Modulus <= 0:
		return bad("modulus for hash partition must be an integer value greater than zero")
	case b.Remainder < 0:
		return bad("remainder for hash partition must be an integer value greater than or equal to zero")
	case b.Remainder >= b.Modulus:
		return bad("remainder for hash partition must be less than modulus")
	}
	return nil
}

func (m *boundMaker) list(b *query.PartitionBoundSpec, n *pg_query.PartitionBoundSpec) error {
	for _, x := range n.Listdatums {
		k, err := m.value(x, 0)
		if err != nil {
			return err
		}
		known := false
		for _, e := range b.List {
			known = known || query.Equal(e, k)
		}
		if !known {
			b.List = append(b.List, k)
		}
	}
	return nil
}

func (m *boundMaker) ranges(b *query.PartitionBoundSpec, n *pg_query.PartitionBoundSpec) (err error) {
	if len(n.Lowerdatums) != len(m.key.Cols) {
		return pgerr.New(pgerr.InvalidTableDefinition, "FROM must specify exactly one value per partitioning column")
	}
	if len(n.Upperdatums) != len(m.key.Cols) {
		return pgerr.New(pgerr.InvalidTableDefinition, "TO must specify exactly one value per partitioning column")
	}
	if b.Lower, err = m.rangeBound(n.Lowerdatums); err != nil {
		return err
	}
	b.Upper, err = m.rangeBound(n.Upperdatums)
	return err
}

func (m *boundMaker) rangeBound(list []*pg_query.Node) (out []query.Expr, err error) {
	for i, x := range list {
		d := &query.PartitionRangeDatum{}
		if ref := x.GetColumnRef(); ref != nil {
			d.Loc = int(ref.Location)
			switch name := strs(ref.Fields); {
			case len(name) == 1 && name[0] == "minvalue":
				d.Kind = -1
			case len(name) == 1 && name[0] == "maxvalue":
				d.Kind = 1
			}
		}
		if d.Kind == 0 {
			k, err := m.value(x, i)
			if err != nil {
				return nil, err
			}
			if k.Value.IsNull() {
				return nil, pgerr.New(pgerr.InvalidObjectDefinition, "cannot specify NULL in range bound")
			}
			d.Value, d.Loc = k, k.Loc
		}
		out = append(out, d)
	}
	kind := 0
	for _, e := range out { // what follows an infinite column must be so too
		d := e.(*query.PartitionRangeDatum)
		if kind != 0 && d.Kind != kind {
			word := "MINVALUE"
			if kind > 0 {
				word = "MAXVALUE"
			}
			return nil, pgerr.New(pgerr.DatatypeMismatch, "every bound following %s must also be %s", word, word).WithLocation(d.Loc)
		}
		kind = d.Kind
	}
	return out, nil
}

// value computes one value of a bound.
func (m *boundMaker) value(n *pg_query.Node, col int) (*query.Const, error) {
	k := &m.key.Cols[col]
	e, err := analyze.Expr(m.analyzeEnv(), n, analyze.ExprPartitionBound, analyze.ExprTarget{})
	if err != nil {
		return nil, err
	}
	loc := query.LeftmostLocation(e)
	cast, err := analyze.Cast(m.analyzeEnv(), e, k.Type, k.TypMod, false)
	if err != nil {
		return nil, err
	}
	if cast == nil {
		name, err := m.columnName(k)
		if err != nil {
			return nil, err
		}
		return nil, pgerr.New(pgerr.DatatypeMismatch, "specified value cannot be cast to type %s for column \"%s\"", types.FormatType(m.Backend.Env, k.Type), name).
			WithLocation(loc)
	}
	eval, err := m.compile(cast)
	if err != nil {
		return nil, err
	}
	v, err := eval(m.evalContext())
	if err != nil {
		return nil, err
	}
	return &query.Const{TypeOID: k.Type, Mod: k.TypMod, Coll: k.Coll, Value: v.Clone(), Loc: loc}, nil
}

// columnName is a key column's name, or its expression's text.
func (m *boundMaker) columnName(k *partition.Column) (string, error) {
	if k.Attr != 0 {
		return m.parent.Desc.Attrs[k.Attr-1].Name, nil
	}
	return m.expressionText(m.parent, k.Expr), nil
}

// relationName is a relation's name for messages.
func (c *ctx) relationName(oid OID) string {
	rel, err := c.v.Relation(oid)
	if err != nil || rel == nil {
		return ""
	}
	return rel.Name
}

// checkBound refuses a new partition's bound that does not fit among those that there are.
func (c *ctx) checkBound(name string, parent *catalog.Relation, b *query.PartitionBoundSpec) error {
	d, err := partition.Of(c.v, c.Backend.Env, parent)
	if err != nil {
		return err
	}
	conflict, err := d.Check(b, c.relationName)
	if conflict == nil || err != nil {
		return err
	}
	var e *pgerr.Error
	switch {
	case conflict.With < 0:
		e = pgerr.New(pgerr.InvalidObjectDefinition, "empty range bound specified for partition \"%s\"", name).
			WithDetail("Specified lower bound %s is greater than or equal to upper bound %s.", c.boundText(b.Lower), c.boundText(b.Upper))
	case b.IsDefault:
		e = pgerr.New(pgerr.InvalidObjectDefinition, "partition \"%s\" conflicts with existing default partition \"%s\"", name,
			c.relationName(d.Parts[conflict.With].OID))
	default:
		e = pgerr.New(pgerr.InvalidObjectDefinition, "partition \"%s\" would overlap partition \"%s\"", name, c.relationName(d.Parts[conflict.With].OID))
	}
	return e.WithLocation(conflict.Loc)
}

// boundText writes a range bound as in the statement.
func (c *ctx) boundText(list []query.Expr) string {
	return deparse.RangeBound(&deparse.Context{Catalog: c.v, Types: c.Backend.Env}, list)
}

// attachBound checks and stores a new partition's bound: overlaps, and rows of the default partition that belong to it.
func (c *ctx) attachBound(rel, parent *catalog.Relation, n *pg_query.PartitionBoundSpec) error {
	if parent.Kind != 'p' {
		return pgerr.New(pgerr.InvalidObjectDefinition, "\"%s\" is not partitioned", parent.Name)
	}
	def, err := c.defaultPartition(parent)
	if err != nil {
		return err
	}
	b, err := c.bound(parent, n)
	if err != nil {
		return err
	}
	if err := c.checkBound(rel.Name, parent, b); err != nil {
		return err
	}
	if def != nil {
		if err := c.checkDefaultRows(parent, def, b); err != nil {
			return err
		}
	}
	return c.storeBound(rel.OID, parent, b)
}

// defaultPartition locks and reads the default partition, nil when there is none.
func (c *ctx) defaultPartition(parent *catalog.Relation) (*catalog.Relation, error) {
	d, err := partition.Of(c.v, c.Backend.Env, parent)
	if err != nil || d.Default < 0 {
		return nil, err
	}
	return c.Session.LockRelation(d.Parts[d.Default].OID, accessExclusive)
}

func (c *ctx) storeBound(rel OID, parent *catalog.Relation, b *query.PartitionBoundSpec) error {
	err := c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel)}, func(row types.Row) {
		row[catalog.ClassRelpartbound] = types.Text(query.Encode(b))
		row[catalog.ClassRelispartition] = types.Bool(true)
	})
	if err != nil || !b.IsDefault {
		return err
	}
	return c.setDefaultPartition(parent.OID, rel)
}

func (c *ctx) setDefaultPartition(parent, def OID) error {
	return c.v.Modify(catalog.PgPartitionedTableOID, catalog.PgPartitionedTablePartrelidIndexOID, []types.Datum{types.Oid(parent)}, func(row types.Row) {
		row[catalog.PartitionedTablePartdefid] = types.Oid(def)
	})
}

// checkDefaultRows refuses a new partition when rows of the default partition belong to it.
func (c *ctx) checkDefaultRows(parent, def *catalog.Relation, b *query.PartitionBoundSpec) error {
	if b.IsDefault {
		return nil
	}
	quals, err := partition.BoundQuals(c.v, c.Backend.Env, parent, b)
	if err != nil {
		return err
	}
	var e query.Expr = &query.BoolExpr{Op: query.And, Args: quals, Loc: -1}
	if len(quals) == 1 {
		e = quals[0]
	}
	not := []query.Expr{&query.BoolExpr{Op: query.Not, Args: []query.Expr{e}, Loc: -1}}
	return c.checkPartitionRows(def, partition.MapVars(not, partition.MapColumns(parent, def)), func(rel *catalog.Relation) error {
		return pgerr.New(pgerr.CheckViolation, "updated partition constraint for default partition \"%s\" would be violated by some row", def.Name).
			WithTable(c.schemaName(def.Namespace), def.Name)
	})
}

// checkPartitionRows tries a condition on all rows of a table or of all its partitions; violated makes the error.
func (c *ctx) checkPartitionRows(rel *catalog.Relation, quals []query.Expr, violated func(rel *catalog.Relation) error) error {
	if len(quals) == 0 {
		return nil
	}
	if rel.Kind == 'p' {
		kids, err := c.childrenOf(rel.OID, accessExclusive)
		if err != nil {
			return err
		}
		for _, k := range kids {
			if err := c.checkPartitionRows(k, partition.MapVars(quals, partition.MapColumns(rel, k)), violated); err != nil {
				return err
			}
		}
		return nil
	}
	if rel.Kind != 'r' {
		return nil
	}
	holds, err := c.compiler().CompileQual(quals)
	if err != nil {
		return err
	}
	x := c.evalContext()
	return c.eachRow(rel, func(slot *heap.Slot) error {
		x.Scan = slot.Row
		x.Arena.Reset()
		ok, err := holds(x)
		if err == nil && !ok {
			err = violated(rel)
		}
		return err
	})
}

// isPartitionColumn says whether a column is part of a table's partition key, by itself or in an expression.
func isPartitionColumn(rel *catalog.Relation, num int16) (found, inExpr bool) {
	if rel.PartKey == nil {
		return false, false
	}
	for _, k := range rel.PartKey.Attrs {
		found = found || k == num
	}
	for _, e := range rel.PartKey.Exprs {
		query.Walk(e, func(x query.Expr) bool {
			if v, ok := x.(*query.Var); ok && v.AttNo == num {
				inExpr = true
			}
			return true
		})
	}
	return found, inExpr
}

// mergePartitionColumns lays the column clauses of CREATE TABLE ... PARTITION OF over the parent's columns.
func (m *columnMerge) mergePartitionColumns(own []*columnDef) error {
	for _, d := range own {
		_, old := m.find(d.Name)
		if old == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" does not exist", d.Name)
		}
		old.NotNull = old.NotNull || d.NotNull
		old.constraints = d.constraints
		if d.def != nil {
			old.def, old.cooked, old.inherited = d.def, nil, false
			delete(m.conflicting, old)
		}
	}
	return nil
}
