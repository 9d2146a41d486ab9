package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
)

func init() { register("IndexStmt", createIndex) }

// indexDef is an index to be made.
type indexDef struct {
	name                     string
	am                       OID
	keys                     []indexKey // key columns, then those of INCLUDE
	numKeys                  int
	pred                     query.Expr
	unique, nullsNotDistinct bool
	primary, constraint      bool
	deferrable, deferred     bool
	options                  []string
	oid                      OID             // 0 = to be chosen
	storage                  pagestore.RelID // zero = to be made
	skipBuild                bool
	constraintOID            OID
	exclOps                  []OID // of an exclusion constraint, by key column

	invalid                       bool // of a partitioned table, while partitions lack it
	parentIndex, parentConstraint OID  // of the partitioned table
}

// indexKey is one column of an index.
type indexKey struct {
	attr             int16 // 0 = expr
	expr             query.Expr
	name             string
	opclass, coll    OID
	desc, nullsFirst bool
	column           types.Attr // of the index's own tuple
}

// createIndex is CREATE INDEX. CONCURRENTLY builds as plain: the table's writers wait.
func createIndex(c *ctx, n *pg_query.IndexStmt) (string, error) {
	const tag = "CREATE INDEX"
	if n.Concurrent {
		if err := c.Session.RequireNoBlock("CREATE INDEX CONCURRENTLY"); err != nil {
			return "", err
		}
	}
	rel, err := c.open(n.Relation, share)
	if err != nil {
		return "", err
	}
	if rel.Kind == 'p' && n.Concurrent {
		return "", pgerr.New(pgerr.FeatureNotSupported, "cannot create index on partitioned table \"%s\" concurrently", rel.Name)
	}
	if err := checkIndexable(rel); err != nil {
		return "", err
	}
	if err := c.requireOwner(rel); err != nil {
		return "", err
	}
	if err := requireNotSystem(rel); err != nil {
		return "", err
	}
	if err := c.checkTablespace(n.TableSpace); err != nil {
		return "", err
	}
	d, err := c.indexOf(rel, n)
	if err != nil {
		return "", err
	}
	exists, err := c.indexName(rel, d, n.IfNotExists)
	if err != nil || exists {
		return tag, err
	}
	_, err = c.makeIndexTree(rel, d, !n.Relation.Inh)
	return tag, err
}

func checkIndexable(rel *catalog.Relation) error {
	switch rel.Kind {
	case 'r', 'm', 'p':
		return nil
	}
	return pgerr.New(pgerr.WrongObjectType, "cannot create index on relation \"%s\"", rel.Name).WithDetail("%s", unsupportedKind(rel.Kind))
}

// unsupportedKind is the detail of commands that a kind of relation does not have.
func unsupportedKind(kind byte) string {
	words := map[byte]string{'r': "tables", 'i': "indexes", 'S': "sequences", 't': "TOAST tables", 'v': "views", 'm': "materialized views",
		'c': "composite types", 'f': "foreign tables", 'p': "partitioned tables", 'I': "partitioned indexes"}
	return "This operation is not supported for " + words[kind] + "."
}

// indexOf makes an indexDef of CREATE INDEX.
func (c *ctx) indexOf(rel *catalog.Relation, n *pg_query.IndexStmt) (*indexDef, error) {
	d := &indexDef{name: n.Idxname, unique: n.Unique, nullsNotDistinct: n.NullsNotDistinct}
	amName := n.AccessMethod
	if amName == "" {
		amName = "btree"
	}
	var err error
	if d.am, err = c.indexAM(amName); err != nil {
		return nil, err
	}
	known := btreeOptions
	if d.am == catalog.HashAM {
		known = hashOptions
	}
	if d.options, err = mergeOptions(nil, n.Options, known, false); err != nil {
		return nil, err
	}
	if err := c.checkAMCaps(d, amName, n); err != nil {
		return nil, err
	}
	for _, p := range n.IndexParams {
		k, err := c.indexElem(rel, d.am, amName, p.GetIndexElem())
		if err != nil {
			return nil, err
		}
		d.keys = append(d.keys, *k)
	}
	d.numKeys = len(d.keys)
	for _, p := range n.IndexIncludingParams {
		k, err := c.includedElem(rel, p.GetIndexElem())
		if err != nil {
			return nil, err
		}
		d.keys = append(d.keys, *k)
	}
	if n.WhereClause != nil {
		if d.pred, err = c.relationExpr(rel, n.WhereClause, analyze.ExprIndexPredicate); err != nil {
			return nil, err
		}
		if bad, err := c.isMutable(d.pred); err != nil || bad {
			return nil, orError(err, pgerr.New(pgerr.InvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE"))
		}
	}
	return d, nil
}

// indexAM finds an index access method that is built.
func (c *ctx) indexAM(name string) (OID, error) {
	oid, err := c.v.AMByName(name)
	if err != nil {
		return 0, err
	}
	if oid == 0 {
		return 0, pgerr.New(pgerr.UndefinedObject, "access method \"%s\" does not exist", name)
	}
	if c.v.Cluster().Storage().AMs[oid] == nil {
		return 0, pgerr.NotSupported("access method %s", name)
	}
	return oid, nil
}

func (c *ctx) checkAMCaps(d *indexDef, name string, n *pg_query.IndexStmt) error {
	caps := c.v.Cluster().Storage().AMs[d.am].Caps()
	lacks := func(what string) error {
		return pgerr.New(pgerr.FeatureNotSupported, "access method \"%s\" does not support %s", name, what)
	}
	switch {
	case n.Unique && !caps.CanUnique:
		return lacks("unique indexes")
	case len(n.IndexIncludingParams) > 0 && !caps.CanInclude:
		return lacks("included columns")
	case len(n.IndexParams) > 1 && !caps.CanMultiCol:
		return lacks("multicolumn indexes")
	case len(n.IndexParams)+len(n.IndexIncludingParams) > 32:
		return pgerr.New(pgerr.TooManyColumns, "cannot use more than %d columns in an index", 32)
	}
	return nil
}

// indexElem makes a key column.
func (c *ctx) indexElem(rel *catalog.Relation, am OID, amName string, n *pg_query.IndexElem) (*indexKey, error) {
	k := &indexKey{name: n.Indexcolname}
	typ, coll, err := c.indexValue(rel, n, k)
	if err != nil {
		return nil, err
	}
	if len(n.Collation) > 0 {
		if coll == 0 {
			return nil, pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.FormatType(c.Backend.Env, typ))
		}
		if coll, err = c.collation(n.Collation, -1); err != nil {
			return nil, err
		}
	}
	k.coll = coll
	if k.opclass, err = c.indexOpClass(am, amName, typ, n); err != nil {
		return nil, err
	}
	return k, c.indexOrder(k, am, amName, n)
}

// indexValue finds what a key column holds: its type and collation.
func (c *ctx) indexValue(rel *catalog.Relation, n *pg_query.IndexElem, k *indexKey) (typ, coll OID, err error) {
	if n.Expr == nil {
		return c.indexColumn(rel, n.Name, k)
	}
	if k.expr, err = c.relationExpr(rel, n.Expr, analyze.ExprIndexColumn); err != nil {
		return 0, 0, err
	}
	if k.name == "" {
		if k.name = analyze.IndexColumnName(n.Expr); k.name == "" {
			k.name = "expr"
		}
	}
	if v, ok := k.expr.(*query.Var); ok && v.AttNo > 0 { // a column in parentheses
		k.expr = nil
		return c.indexColumn(rel, rel.Desc.Attrs[v.AttNo-1].Name, k)
	}
	if bad, err := c.isMutable(k.expr); err != nil || bad {
		return 0, 0, orError(err, pgerr.New(pgerr.InvalidObjectDefinition, "functions in index expression must be marked IMMUTABLE"))
	}
	typ = k.expr.Type()
	t, err := c.v.Type(typ)
	if err != nil {
		return 0, 0, err
	}
	if t.Kind == 'p' {
		return 0, 0, pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", k.name, types.FormatType(c.Backend.Env, typ))
	}
	k.column = types.Attr{TypeOID: typ, TypMod: k.expr.TypMod(), Len: t.Len, ByVal: t.ByVal, Align: t.Align, Storage: t.Storage}
	return typ, k.expr.Collation(), nil
}

func (c *ctx) indexColumn(rel *catalog.Relation, name string, k *indexKey) (typ, coll OID, err error) {
	a := rel.AttrByName(name)
	if a == nil {
		for i := range systemColumns {
			if systemColumns[i].Name == name {
				return 0, 0, pgerr.New(pgerr.FeatureNotSupported, "index creation on system columns is not supported")
			}
		}
		return 0, 0, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" does not exist", name)
	}
	k.attr = a.Num
	if k.name == "" {
		k.name = a.Name
	}
	k.column = *a
	return a.TypeOID, a.Collation, nil
}

func (c *ctx) includedElem(rel *catalog.Relation, n *pg_query.IndexElem) (*indexKey, error) {
	k := &indexKey{name: n.Indexcolname}
	switch {
	case n.Expr != nil:
		return nil, pgerr.New(pgerr.FeatureNotSupported, "expressions are not supported in included columns")
	case len(n.Collation) > 0:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "including column does not support a collation")
	case len(n.Opclass) > 0:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "including column does not support an operator class")
	case n.Ordering != pg_query.SortByDir_SORTBY_DEFAULT:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "including column does not support ASC/DESC options")
	case n.NullsOrdering != pg_query.SortByNulls_SORTBY_NULLS_DEFAULT:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "including column does not support NULLS FIRST/LAST options")
	}
	_, _, err := c.indexColumn(rel, n.Name, k)
	return k, err
}

// indexOpClass finds a key column's operator class: the one named, or the type's default.
func (c *ctx) indexOpClass(am OID, amName string, typ OID, n *pg_query.IndexElem) (OID, error) {
	if len(n.Opclassopts) > 0 {
		return 0, pgerr.NotSupported("operator class parameters")
	}
	if len(n.Opclass) == 0 {
		oid, err := c.v.DefaultOpClass(am, typ)
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.UndefinedObject, "data type %s has no default operator class for access method \"%s\"",
				types.FormatType(c.Backend.Env, typ), amName).
				WithHint("You must specify an operator class for the index or define a default operator class for the data type.")
		}
		return oid, err
	}
	schema, name := splitName(n.Opclass)
	oid, err := c.v.OpClassByName(am, schema, name)
	if err != nil {
		return 0, err
	}
	if oid == 0 {
		return 0, pgerr.New(pgerr.UndefinedObject, "operator class \"%s\" does not exist for access method \"%s\"", joinName(strs(n.Opclass)), amName)
	}
	opc, err := c.v.OpClass(oid)
	if err != nil {
		return 0, err
	}
	ok, err := c.v.IsBinaryCoercible(typ, opc.InType)
	if err == nil && !ok {
		err = pgerr.New(pgerr.DatatypeMismatch, "operator class \"%s\" does not accept data type %s", opc.Name, types.FormatType(c.Backend.Env, typ))
	}
	return oid, err
}

func (c *ctx) indexOrder(k *indexKey, am OID, amName string, n *pg_query.IndexElem) error {
	if !c.v.Cluster().Storage().AMs[am].Caps().CanOrder {
		if n.Ordering != pg_query.SortByDir_SORTBY_DEFAULT {
			return pgerr.New(pgerr.FeatureNotSupported, "access method \"%s\" does not support ASC/DESC options", amName)
		}
		if n.NullsOrdering != pg_query.SortByNulls_SORTBY_NULLS_DEFAULT {
			return pgerr.New(pgerr.FeatureNotSupported, "access method \"%s\" does not support NULLS FIRST/LAST options", amName)
		}
		return nil
	}
	k.desc = n.Ordering == pg_query.SortByDir_SORTBY_DESC
	k.nullsFirst = k.desc
	switch n.NullsOrdering {
	case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
		k.nullsFirst = true
	case pg_query.SortByNulls_SORTBY_NULLS_LAST:
		k.nullsFirst = false
	}
	return nil
}

// indexName chooses or checks the index's name.
func (c *ctx) indexName(rel *catalog.Relation, d *indexDef, ifNotExists bool) (exists bool, err error) {
	if d.name != "" {
		_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(d.name), types.Oid(rel.Namespace))
		if err != nil || row == nil {
			return false, err
		}
		if ifNotExists {
			c.notice(pgerr.DuplicateTable, "relation \"%s\" already exists, skipping", d.name)
			return true, nil
		}
		return false, pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", d.name)
	}
	var names []string
	for _, k := range d.keys {
		names = append(names, k.name)
	}
	label, columns := "idx", joinedNames(names)
	switch {
	case d.primary:
		label, columns = "pkey", ""
	case d.exclOps != nil:
		label = "excl"
	case d.constraint:
		label = "key"
	}
	d.name, err = c.freeRelationName(rel.Name, columns, label, rel.Namespace, d.constraint)
	return false, err
}

// addUnique adds PRIMARY KEY or UNIQUE, with the index that makes it so.
func (c *ctx) addUnique(rel *catalog.Relation, con *pg_query.Constraint, isNew, only bool) error {
	if con.Indexname != "" {
		if rel.Kind == 'p' {
			return pgerr.New(pgerr.FeatureNotSupported, "ALTER TABLE / ADD CONSTRAINT USING INDEX is not supported on partitioned tables")
		}
		return c.constraintOfIndex(rel, con)
	}
	d := &indexDef{name: con.Conname, am: catalog.BTreeAM, unique: true, constraint: true, nullsNotDistinct: con.NullsNotDistinct,
		primary: con.Contype == pg_query.ConstrType_CONSTR_PRIMARY, deferrable: con.Deferrable, deferred: con.Initdeferred}
	if d.name != "" && hasConstraint(rel, d.name) {
		return duplicateConstraint(d.name, rel.Name)
	}
	if err := c.checkTablespace(con.Indexspace); err != nil {
		return err
	}
	var err error
	if d.options, err = mergeOptions(nil, con.Options, btreeOptions, false); err != nil {
		return err
	}
	if err := c.uniqueKeys(rel, con, d); err != nil {
		return err
	}
	if d.primary {
		if rel, err = c.primaryNotNull(rel, d, isNew); err != nil {
			return err
		}
	}
	if _, err := c.indexName(rel, d, false); err != nil {
		return err
	}
	_, err = c.makeIndexTree(rel, d, only)
	return err
}

// uniqueKeys makes the columns of PRIMARY KEY or UNIQUE.
func (c *ctx) uniqueKeys(rel *catalog.Relation, con *pg_query.Constraint, d *indexDef) error {
	seen := map[string]bool{}
	for _, name := range strs(con.Keys) {
		if rel.AttrByName(name) == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" named in key does not exist", name).WithLocation(locationOf(con))
		}
		if seen[name] {
			word := "unique"
			if d.primary {
				word = "primary key"
			}
			return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" appears twice in %s constraint", name, word).WithLocation(locationOf(con))
		}
		seen[name] = true
		k, err := c.indexElem(rel, d.am, "btree", &pg_query.IndexElem{Name: name})
		if err != nil {
			return err
		}
		d.keys = append(d.keys, *k)
	}
	d.numKeys = len(d.keys)
	for _, name := range strs(con.Including) {
		if rel.AttrByName(name) == nil {
			return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" named in key does not exist", name).WithLocation(locationOf(con))
		}
		k, err := c.includedElem(rel, &pg_query.IndexElem{Name: name, Ordering: pg_query.SortByDir_SORTBY_DEFAULT,
			NullsOrdering: pg_query.SortByNulls_SORTBY_NULLS_DEFAULT})
		if err != nil {
			return err
		}
		d.keys = append(d.keys, *k)
	}
	return nil
}

// primaryNotNull makes a primary key's columns NOT NULL.
func (c *ctx) primaryNotNull(rel *catalog.Relation, d *indexDef, isNew bool) (*catalog.Relation, error) {
	var nums []int16
	for _, k := range d.keys[:d.numKeys] {
		if !rel.Desc.Attrs[k.attr-1].NotNull {
			nums = append(nums, k.attr)
		}
	}
	if len(nums) == 0 {
		return rel, nil
	}
	if rel.Kind == 'p' {
		for _, n := range nums {
			if err := c.notNullBelow(rel, rel.Desc.Attrs[n-1].Name); err != nil {
				return nil, err
			}
		}
	} else if !isNew {
		if err := c.validateNotNull(rel, nums); err != nil {
			return nil, err
		}
	}
	for _, n := range nums {
		if err := c.setNotNull(rel.OID, n, true); err != nil {
			return nil, err
		}
	}
	return c.reload(rel.OID)
}

// notNullBelow makes a column NOT NULL in all partitions.
func (c *ctx) notNullBelow(rel *catalog.Relation, name string) error {
	kids, err := c.childrenOf(rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	for _, k := range kids {
		a := k.AttrByName(name)
		if a == nil || a.NotNull {
			continue
		}
		if k.Kind == 'p' {
			err = c.notNullBelow(k, name)
		} else {
			err = c.validateNotNull(k, []int16{a.Num})
		}
		if err != nil {
			return err
		}
		if err := c.setNotNull(k.OID, a.Num, true); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) setNotNull(rel OID, num int16, notNull bool) error {
	return c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(num)}, func(row types.Row) {
		row[catalog.AttributeAttnotnull] = types.Bool(notNull)
	})
}

// makeIndex makes an index's rows, then fills it.
func (c *ctx) makeIndex(rel *catalog.Relation, d *indexDef) (OID, error) {
	r := &newRelation{name: d.name, ns: rel.Namespace, owner: rel.Owner, kind: 'i', persistence: rel.Persistence, am: d.am, options: d.options,
		noType: true, oid: d.oid, storage: d.storage}
	if rel.Kind == 'p' {
		r.kind = 'I'
	}
	for i := range d.keys {
		a, err := c.indexAttr(d.am, &d.keys[i], i, i < d.numKeys)
		if err != nil {
			return 0, err
		}
		r.columns = append(r.columns, a)
	}
	uniqueNames(r.columns)
	oid, err := c.makeRelation(r)
	if err != nil {
		return 0, err
	}
	if err := c.v.Insert(catalog.PgIndexOID, c.indexRow(rel, d, oid)); err != nil {
		return 0, err
	}
	if err := c.indexDepends(rel, d, oid); err != nil {
		return 0, err
	}
	if d.parentIndex != 0 {
		if err := c.next(); err != nil {
			return 0, err
		}
		if err := c.linkIndex(rel.OID, oid, d.parentIndex); err != nil {
			return 0, err
		}
	}
	if !rel.HasIndex {
		err = c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
			row[catalog.ClassRelhasindex] = types.Bool(true)
		})
		if err != nil {
			return 0, err
		}
	}
	if rel, err = c.reload(rel.OID); err != nil || d.skipBuild || rel.Kind == 'p' {
		return oid, err
	}
	return oid, c.fillIndex(rel, oid)
}

// indexAttr is the column of the index's own tuples.
func (c *ctx) indexAttr(am OID, k *indexKey, i int, isKey bool) (types.Attr, error) {
	a := k.column
	a = types.Attr{Name: k.name, TypeOID: a.TypeOID, TypMod: a.TypMod, Len: a.Len, ByVal: a.ByVal, Align: a.Align, Storage: a.Storage,
		NDims: a.NDims, Num: int16(i + 1), IsLocal: true, Collation: k.coll}
	if !isKey {
		a.Collation = k.column.Collation
		return a, nil
	}
	opc, err := c.v.OpClass(k.opclass)
	if err != nil {
		return a, err
	}
	keyType := opc.KeyType
	if t := c.v.Cluster().Storage().AMs[am].Caps().KeyType; t != 0 {
		keyType = t
	}
	if keyType == 0 {
		return a, nil
	}
	t, err := c.v.Type(keyType)
	if err != nil {
		return a, err
	}
	a.TypeOID, a.TypMod, a.Len, a.ByVal, a.Align, a.Storage = t.OID, -1, t.Len, t.ByVal, t.Align, t.Storage
	return a, nil
}

// uniqueNames numbers columns of the same name.
func uniqueNames(attrs []types.Attr) {
	seen := map[string]bool{}
	for i := range attrs {
		name, _ := freeName(attrs[i].Name, "", "", func(n string) (bool, error) { return false, nil })
		for n := 1; seen[name]; n++ {
			suffix := itoa(n)
			name = clip(attrs[i].Name, types.NameLen-len(suffix)) + suffix
		}
		seen[name] = true
		attrs[i].Name = name
	}
}

func (c *ctx) indexRow(rel *catalog.Relation, d *indexDef, oid OID) types.Row {
	row := catalog.NewRow(catalog.PgIndexOID)
	var attrs, options []int16
	var colls, classes []OID
	var exprs []query.Expr
	for i, k := range d.keys {
		attrs = append(attrs, k.attr)
		if k.expr != nil {
			exprs = append(exprs, k.expr)
		}
		if i >= d.numKeys {
			continue
		}
		o := int16(0)
		if k.desc {
			o |= 1
		}
		if k.nullsFirst {
			o |= 2
		}
		options, colls, classes = append(options, o), append(colls, k.coll), append(classes, k.opclass)
	}
	row[catalog.IndexIndexrelid] = types.Oid(oid)
	row[catalog.IndexIndrelid] = types.Oid(rel.OID)
	row[catalog.IndexIndnatts] = types.Int2(int16(len(d.keys)))
	row[catalog.IndexIndnkeyatts] = types.Int2(int16(d.numKeys))
	row[catalog.IndexIndisunique] = types.Bool(d.unique)
	row[catalog.IndexIndnullsnotdistinct] = types.Bool(d.nullsNotDistinct)
	row[catalog.IndexIndisprimary] = types.Bool(d.primary)
	row[catalog.IndexIndisexclusion] = types.Bool(d.exclOps != nil)
	row[catalog.IndexIndimmediate] = types.Bool(!d.deferrable)
	row[catalog.IndexIndisclustered] = types.Bool(false)
	row[catalog.IndexIndisvalid] = types.Bool(!d.invalid)
	row[catalog.IndexIndcheckxmin] = types.Bool(false)
	row[catalog.IndexIndisready] = types.Bool(true)
	row[catalog.IndexIndislive] = types.Bool(true)
	row[catalog.IndexIndisreplident] = types.Bool(false)
	row[catalog.IndexIndkey] = catalog.Int2Vector(attrs)
	row[catalog.IndexIndcollation] = catalog.OIDVector(colls)
	row[catalog.IndexIndclass] = catalog.OIDVector(classes)
	row[catalog.IndexIndoption] = catalog.Int2Vector(options)
	if exprs != nil {
		row[catalog.IndexIndexprs] = types.Text(query.EncodeExprs(exprs))
	}
	if d.pred != nil {
		row[catalog.IndexIndpred] = types.Text(query.Encode(d.pred))
	}
	return row
}

// indexDepends records what an index goes with; and makes the constraint that it is of.
func (c *ctx) indexDepends(rel *catalog.Relation, d *indexDef, oid OID) error {
	self := relObject(oid, 0)
	switch {
	case d.constraint:
		if err := c.indexConstraint(rel, d, oid); err != nil {
			return err
		}
	default:
		if err := c.v.Depend(self, catalog.DepAuto, keyColumns(rel, d)...); err != nil {
			return err
		}
	}
	for _, k := range d.keys[:d.numKeys] {
		refs := []catalog.Object{object(catalog.PgOpclassOID, k.opclass)}
		if k.coll != catalog.DefaultCollation {
			refs = append(refs, object(catalog.PgCollationOID, k.coll))
		}
		if err := c.v.Depend(self, catalog.DepNormal, refs...); err != nil {
			return err
		}
	}
	for _, k := range d.keys {
		if k.expr != nil {
			if err := c.v.DependOnExpr(self, catalog.DepNormal, k.expr, rel.OID, catalog.DepAuto); err != nil {
				return err
			}
		}
	}
	if d.pred != nil {
		return c.v.DependOnExpr(self, catalog.DepNormal, d.pred, rel.OID, catalog.DepAuto)
	}
	return nil
}

// keyColumns are the plain columns of an index, or the table when there are none.
func keyColumns(rel *catalog.Relation, d *indexDef) (refs []catalog.Object) {
	var set heap.AttrSet
	for _, k := range d.keys {
		if k.attr != 0 && !set.Has(k.attr) {
			set.Add(k.attr)
			refs = append(refs, relObject(rel.OID, k.attr))
		}
	}
	if len(refs) == 0 {
		refs = append(refs, relObject(rel.OID, 0))
	}
	return refs
}

// indexConstraint makes the constraint of a unique or exclusion index, which the index belongs to.
func (c *ctx) indexConstraint(rel *catalog.Relation, d *indexDef, oid OID) error {
	k := &constraintRow{name: d.name, ns: rel.Namespace, kind: 'u', deferrable: d.deferrable, deferred: d.deferred, validated: true,
		rel: rel.OID, index: oid, noInherit: true}
	switch {
	case d.primary:
		k.kind = 'p'
	case d.exclOps != nil:
		k.kind, k.excl = 'x', d.exclOps
	}
	for _, key := range d.keys[:d.numKeys] {
		k.keys = append(k.keys, key.attr)
	}
	if d.parentConstraint != 0 {
		k.inhCount, k.parent, k.noInherit = 1, d.parentConstraint, false
	}
	con, err := c.insertConstraint(k)
	if err != nil {
		return err
	}
	d.constraintOID = con
	if k.parent != 0 {
		self := object(catalog.PgConstraintOID, con)
		if err := c.v.Depend(self, catalog.DepPartitionPri, object(catalog.PgConstraintOID, k.parent)); err != nil {
			return err
		}
		if err := c.v.Depend(self, catalog.DepPartitionSec, relObject(rel.OID, 0)); err != nil {
			return err
		}
	}
	if err := c.v.Depend(relObject(oid, 0), catalog.DepInternal, object(catalog.PgConstraintOID, con)); err != nil {
		return err
	}
	if !d.deferrable {
		return nil
	}
	return c.uniqueTrigger(rel, con, oid, d)
}

// uniqueRecheck is the function of the triggers that deferrable unique constraints have.
const uniqueRecheck OID = 1250

// uniqueTrigger makes the trigger of a deferrable unique constraint: it shows in pg_trigger; the executor queues the second look itself.
func (c *ctx) uniqueTrigger(rel *catalog.Relation, con, index OID, d *indexDef) error {
	kind := "Unique"
	if d.primary {
		kind = "PK"
	}
	_, err := c.insertTrigger(&triggerRow{rel: rel.OID, name: kind + "_ConstraintTrigger", fn: uniqueRecheck, kind: 1 | 4 | 16,
		constraint: con, constrIndex: index, deferrable: true, deferred: d.deferred})
	return err
}
