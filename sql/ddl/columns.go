package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// columnDef is a column definition made ready: its attribute, and what its clauses ask for.
type columnDef struct {
	types.Attr
	def         *pg_query.Node // DEFAULT or GENERATED expression, raw
	cooked      query.Expr     // the same, ready
	serial      OID            // type of a serial column's sequence, 0 = none
	identity    *pg_query.Constraint
	constraints []*pg_query.Constraint // CHECK, UNIQUE, PRIMARY KEY, FOREIGN KEY
	nullable    bool                   // NULL was said
	inherited   bool                   // it comes, with its default, from a parent
}

const maxColumns = 1600

// serialTypes are the names that make a column with a sequence.
var serialTypes = map[string]OID{
	"smallserial": types.Int2OID, "serial2": types.Int2OID, "serial": types.Int4OID, "serial4": types.Int4OID,
	"bigserial": types.Int8OID, "serial8": types.Int8OID,
}

// column makes a columnDef of a parse node.
func (c *ctx) column(n *pg_query.ColumnDef, table string) (*columnDef, error) {
	d := &columnDef{}
	d.Name, d.IsLocal = n.Colname, true
	if n.TypeName != nil { // a column of a partition has its parent's type
		if err := c.columnType(d, n); err != nil {
			return nil, err
		}
	}
	if len(n.Constraints) == 0 && n.RawDefault != nil {
		d.def = n.RawDefault
	}
	return d, c.columnClauses(d, n, table)
}

// columnType finds the type, typmod and collation.
func (c *ctx) columnType(d *columnDef, n *pg_query.ColumnDef) error {
	tn := n.TypeName
	if names := strs(tn.Names); len(names) == 1 && serialTypes[names[0]] != 0 {
		if len(tn.ArrayBounds) > 0 {
			return pgerr.New(pgerr.FeatureNotSupported, "array of serial is not implemented").WithLocation(int(tn.Location))
		}
		d.serial, d.NotNull = serialTypes[names[0]], true
		return c.setType(d, d.serial, -1, nil)
	}
	oid, mod, err := c.typeName(tn)
	if err != nil {
		return err
	}
	d.NDims = int16(len(tn.ArrayBounds))
	return c.setType(d, oid, mod, n.CollClause)
}

// setType fills the storage facts of a type into an attribute.
func (c *ctx) setType(d *columnDef, oid OID, mod int32, coll *pg_query.CollateClause) error {
	t, err := c.v.Type(oid)
	if err != nil {
		return err
	}
	if t == nil {
		return pgerr.Internal("cache lookup failed for type %d", oid)
	}
	if err := c.checkColumnType(d.Name, t); err != nil {
		return err
	}
	d.TypeOID, d.TypMod, d.Len, d.ByVal, d.Align, d.Storage, d.Collation = t.OID, mod, t.Len, t.ByVal, t.Align, t.Storage, t.Collation
	if coll != nil {
		if t.Collation == 0 {
			return pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.FormatType(c.Backend.Env, oid)).
				WithLocation(int(coll.Location))
		}
		if d.Collation, err = c.collation(coll.Collname, int(coll.Location)); err != nil {
			return err
		}
	}
	return nil
}

// checkColumnType refuses pseudo-types; but pg_stats has columns of type anyarray.
func (c *ctx) checkColumnType(name string, t *catalog.Type) error {
	if t.Kind == 'p' && !(t.OID == types.AnyarrayOID && c.v.Cluster().IsBootstrapping()) {
		return pgerr.New(pgerr.InvalidTableDefinition, "column \"%s\" has pseudo-type %s", name, types.FormatType(c.Backend.Env, t.OID))
	}
	return nil
}

// collation finds a collation by name.
func (c *ctx) collation(name []*pg_query.Node, location int) (OID, error) {
	schema, base := splitName(name)
	oid, err := c.v.CollationByName(schema, base)
	if err == nil && oid == 0 {
		err = pgerr.New(pgerr.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", joinName(strs(name))).WithLocation(location)
	}
	return oid, err
}

func joinName(parts []string) string {
	s := parts[0]
	for _, p := range parts[1:] {
		s += "." + p
	}
	return s
}

// columnClauses applies a column's constraint clauses.
func (c *ctx) columnClauses(d *columnDef, n *pg_query.ColumnDef, table string) error {
	var last *pg_query.Constraint // that DEFERRABLE and its kin belong to
	for _, node := range n.Constraints {
		con := node.GetConstraint()
		if isConstraintAttribute(con.Contype) {
			if err := applyAttribute(last, con); err != nil {
				return err
			}
			continue
		}
		last = con
		if err := c.columnClause(d, con, table); err != nil {
			return err
		}
	}
	if d.identity != nil && (d.def != nil || d.serial != 0) {
		return pgerr.New(pgerr.SyntaxError, "both default and identity specified for column \"%s\" of table \"%s\"", d.Name, table).WithLocation(int(d.identity.Location))
	}
	return nil
}

func (c *ctx) columnClause(d *columnDef, con *pg_query.Constraint, table string) error {
	at := int(con.Location)
	switch con.Contype {
	case pg_query.ConstrType_CONSTR_NULL:
		if d.NotNull {
			return conflictingNull(d.Name, table, at)
		}
		d.nullable = true
	case pg_query.ConstrType_CONSTR_NOTNULL:
		if d.nullable {
			return conflictingNull(d.Name, table, at)
		}
		d.NotNull = true
	case pg_query.ConstrType_CONSTR_DEFAULT:
		if d.def != nil || d.serial != 0 {
			return pgerr.New(pgerr.SyntaxError, "multiple default values specified for column \"%s\" of table \"%s\"", d.Name, table).WithLocation(at)
		}
		d.def = con.RawExpr
	case pg_query.ConstrType_CONSTR_IDENTITY:
		if d.identity != nil {
			return pgerr.New(pgerr.SyntaxError, "multiple identity specifications for column \"%s\" of table \"%s\"", d.Name, table).WithLocation(at)
		}
		d.identity, d.Identity, d.NotNull = con, con.GeneratedWhen[0], true
	case pg_query.ConstrType_CONSTR_GENERATED:
		if d.def != nil {
			return pgerr.New(pgerr.SyntaxError, "both default and generation expression specified for column \"%s\" of table \"%s\"", d.Name, table).WithLocation(at)
		}
		d.def, d.Generated = con.RawExpr, 's'
	case pg_query.ConstrType_CONSTR_CHECK, pg_query.ConstrType_CONSTR_PRIMARY, pg_query.ConstrType_CONSTR_UNIQUE:
		if con.Contype != pg_query.ConstrType_CONSTR_CHECK && len(con.Keys) == 0 {
			con.Keys = []*pg_query.Node{stringNode(d.Name)}
		}
		d.constraints = append(d.constraints, con)
	case pg_query.ConstrType_CONSTR_FOREIGN:
		con.FkAttrs = []*pg_query.Node{stringNode(d.Name)}
		d.constraints = append(d.constraints, con)
	default:
		return pgerr.NotSupported("constraint type %s", con.Contype)
	}
	return nil
}

func conflictingNull(column, table string, at int) error {
	return pgerr.New(pgerr.SyntaxError, "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"", column, table).WithLocation(at)
}

func stringNode(s string) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: s}}}
}

// isConstraintAttribute says whether a clause is DEFERRABLE, INITIALLY ... : it modifies the constraint before it.
func isConstraintAttribute(t pg_query.ConstrType) bool {
	switch t {
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE, pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE,
		pg_query.ConstrType_CONSTR_ATTR_DEFERRED, pg_query.ConstrType_CONSTR_ATTR_IMMEDIATE:
		return true
	}
	return false
}

func applyAttribute(to, attr *pg_query.Constraint) error {
	words := map[pg_query.ConstrType]string{
		pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE: "DEFERRABLE", pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE: "NOT DEFERRABLE",
		pg_query.ConstrType_CONSTR_ATTR_DEFERRED: "INITIALLY DEFERRED", pg_query.ConstrType_CONSTR_ATTR_IMMEDIATE: "INITIALLY IMMEDIATE",
	}
	misplaced := pgerr.New(pgerr.SyntaxError, "misplaced %s clause", words[attr.Contype]).WithLocation(int(attr.Location))
	if to == nil {
		return misplaced
	}
	switch to.Contype {
	case pg_query.ConstrType_CONSTR_PRIMARY, pg_query.ConstrType_CONSTR_UNIQUE, pg_query.ConstrType_CONSTR_EXCLUSION, pg_query.ConstrType_CONSTR_FOREIGN:
	default:
		return misplaced
	}
	switch attr.Contype {
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRABLE:
		to.Deferrable = true
	case pg_query.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE:
		if to.Initdeferred {
			return pgerr.New(pgerr.SyntaxError, "constraint declared INITIALLY DEFERRED must be DEFERRABLE").WithLocation(int(attr.Location))
		}
	case pg_query.ConstrType_CONSTR_ATTR_DEFERRED:
		to.Initdeferred, to.Deferrable = true, true
	}
	return nil
}

// isNullConst says whether an expression is a plain NULL: DEFAULT NULL is no default.
func isNullConst(e query.Expr) bool {
	for {
		switch x := e.(type) {
		case *query.Const:
			return x.Value.IsNull()
		case *query.RelabelType:
			e = x.Arg
		case *query.CoerceToDomain:
			return false
		default:
			return false
		}
	}
}

// storeDefault records a column's default: pg_attrdef, the column's flag, what it depends on.
func (c *ctx) storeDefault(rel OID, num int16, e query.Expr, generated bool) (OID, error) {
	oid, err := c.v.GetNewOID(catalog.PgAttrdefOidIndexOID)
	if err != nil {
		return 0, err
	}
	if err := c.v.Insert(catalog.PgAttrdefOID, types.Row{types.Oid(oid), types.Oid(rel), types.Int2(num), types.Text(query.Encode(e))}); err != nil {
		return 0, err
	}
	err = c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(num)}, func(row types.Row) {
		row[catalog.AttributeAtthasdef] = types.Bool(true)
	})
	if err != nil {
		return 0, err
	}
	def, column := object(catalog.PgAttrdefOID, oid), relObject(rel, num)
	kind := byte(catalog.DepAuto)
	if generated {
		kind = catalog.DepInternal
	}
	if err := c.v.Depend(def, kind, column); err != nil {
		return 0, err
	}
	return oid, c.v.DependOnExpr(def, catalog.DepNormal, e, rel, catalog.DepNormal)
}
