package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateDomainStmt", createDomain)
	register("AlterDomainStmt", alterDomain)
}

// Input functions of all domains; output is the base type's.
const domainIn, domainRecv = 2597, 2598

// createDomain is CREATE DOMAIN.
func createDomain(c *ctx, n *pg_query.CreateDomainStmt) (string, error) {
	const tag = "CREATE DOMAIN"
	ns, name, err := c.creationName(n.Domainname)
	if err != nil {
		return "", err
	}
	if err := c.checkTypeName(ns, name, false); err != nil {
		return "", err
	}
	base, mod, err := c.domainBase(n.TypeName)
	if err != nil {
		return "", err
	}
	t := &newType{name: name, ns: ns, owner: c.v.User(), length: base.Len, byVal: base.ByVal, kind: 'd', category: base.Category, delim: base.Delim,
		input: domainIn, output: base.Output, receive: domainRecv, send: base.Send, analyze: base.Analyze, align: base.Align, storage: base.Storage,
		base: base.OID, typmod: mod, ndims: int32(len(n.TypeName.ArrayBounds)), collation: base.Collation}
	if n.CollClause != nil {
		if t.collation, err = c.collation(n.CollClause.Collname, int(n.CollClause.Location)); err != nil {
			return "", err
		}
		if base.Collation == 0 {
			return "", pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.FormatType(c.Backend.Env, base.OID))
		}
	}
	def, checks, err := c.domainClauses(t, base, n.Constraints)
	if err != nil {
		return "", err
	}
	if err := c.storeDomain(t, base, def); err != nil {
		return "", err
	}
	for _, con := range checks {
		d, err := c.v.Type(t.oid)
		if err != nil {
			return "", err
		}
		if _, err := c.addDomainCheck(d, con); err != nil {
			return "", err
		}
		if err := c.next(); err != nil {
			return "", err
		}
	}
	return tag, nil
}

// creationName finds the schema that a new object with that name goes to, and its name there.
func (c *ctx) creationName(list []*pg_query.Node) (ns OID, name string, err error) {
	schema, name := splitName(list)
	if ns, err = c.schemaFor(schema, false); err != nil {
		return 0, "", err
	}
	return ns, name, c.requireCreate(ns)
}

// domainBase finds the type that a domain is made over.
func (c *ctx) domainBase(tn *pg_query.TypeName) (*catalog.Type, int32, error) {
	oid, mod, err := c.typeName(unplaced(tn))
	if err != nil {
		return nil, 0, err
	}
	t, err := c.v.Type(oid)
	if err != nil {
		return nil, 0, err
	}
	switch t.Kind {
	case 'b', 'c', 'd', 'e', 'r', 'm':
	default:
		return nil, 0, pgerr.New(pgerr.DatatypeMismatch, "\"%s\" is not a valid base type for a domain", analyze.TypeNameText(tn))
	}
	return t, mod, c.requireTypeUsage(t)
}

// requireTypeUsage checks USAGE on a type; on that of its elements when it is an array.
func (c *ctx) requireTypeUsage(t *catalog.Type) error {
	if t.Subscript == arraySubscript && t.Elem != 0 {
		elem, err := c.v.Type(t.Elem)
		if err != nil || elem == nil {
			return err
		}
		t = elem
	}
	ok, err := c.v.HasPrivilege(catalog.PgTypeOID, t.OID, 0, c.v.User(), query.AclUsage)
	if err == nil && !ok {
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for type %s", types.FormatType(c.Backend.Env, t.OID))
	}
	return err
}

// domainClauses reads the clauses of CREATE DOMAIN: the default, and the checks, which are made later.
func (c *ctx) domainClauses(t *newType, base *catalog.Type, clauses []*pg_query.Node) (def query.Expr, checks []*pg_query.Constraint, err error) {
	def = base.Default
	if base.DefaultText != "" {
		t.defaultText = types.Text(base.DefaultText)
	}
	sawDefault, nullSaid := false, false
	for _, x := range clauses {
		con := x.GetConstraint()
		switch con.Contype {
		case pg_query.ConstrType_CONSTR_DEFAULT:
			if sawDefault {
				return nil, nil, pgerr.New(pgerr.SyntaxError, "multiple default expressions")
			}
			sawDefault = true
			if def, t.defaultText, err = c.domainDefault(con.RawExpr, t.base, t.typmod, t.name); err != nil {
				return nil, nil, err
			}
		case pg_query.ConstrType_CONSTR_NOTNULL, pg_query.ConstrType_CONSTR_NULL:
			not := con.Contype == pg_query.ConstrType_CONSTR_NOTNULL
			if nullSaid && t.notNull != not {
				return nil, nil, pgerr.New(pgerr.SyntaxError, "conflicting NULL/NOT NULL constraints")
			}
			t.notNull, nullSaid = not, true
		case pg_query.ConstrType_CONSTR_CHECK:
			if con.IsNoInherit {
				return nil, nil, pgerr.New(pgerr.InvalidObjectDefinition, "check constraints for domains cannot be marked NO INHERIT")
			}
			checks = append(checks, con)
		default:
			return nil, nil, notForDomains(con)
		}
	}
	return def, checks, nil
}

// notForDomains refuses a kind of constraint that domains don't have.
func notForDomains(con *pg_query.Constraint) error {
	switch con.Contype {
	case pg_query.ConstrType_CONSTR_UNIQUE:
		return pgerr.New(pgerr.SyntaxError, "unique constraints not possible for domains")
	case pg_query.ConstrType_CONSTR_PRIMARY:
		return pgerr.New(pgerr.SyntaxError, "primary key constraints not possible for domains")
	case pg_query.ConstrType_CONSTR_EXCLUSION:
		return pgerr.New(pgerr.SyntaxError, "exclusion constraints not possible for domains")
	case pg_query.ConstrType_CONSTR_FOREIGN:
		return pgerr.New(pgerr.SyntaxError, "foreign key constraints not possible for domains")
	}
	if isConstraintAttribute(con.Contype) {
		return pgerr.New(pgerr.FeatureNotSupported, "specifying constraint deferrability not supported for domains")
	}
	return pgerr.Internal("unrecognized constraint subtype: %d", con.Contype)
}

// domainDefault analyses a domain's default and gives its text too; a plain NULL is no default.
func (c *ctx) domainDefault(n *pg_query.Node, base OID, mod int32, name string) (query.Expr, types.Datum, error) {
	none := types.Datum{}
	e, err := analyze.Expr(c.analyzeEnv(), n, analyze.ExprDefault, analyze.ExprTarget{Type: base, TypMod: mod, Column: name})
	if err != nil || isNullConst(e) {
		return nil, none, err
	}
	text, err := deparse.Expr(&deparse.Context{Catalog: c.v, Types: c.Backend.Env}, e, false)
	return e, types.Text(text), err
}

// storeDomain makes the domain, its array type, and what it depends on.
func (c *ctx) storeDomain(t *newType, base *catalog.Type, def query.Expr) error {
	if def != nil {
		t.defaultBin = types.Text(query.Encode(def))
	}
	if err := c.storeType(t); err != nil {
		return err
	}
	self := object(catalog.PgTypeOID, t.oid)
	refs := []catalog.Object{object(catalog.PgTypeOID, base.OID)}
	if t.collation != base.Collation && t.collation != catalog.DefaultCollation {
		refs = append(refs, object(catalog.PgCollationOID, t.collation))
	}
	if err := c.v.Depend(self, catalog.DepNormal, refs...); err != nil {
		return err
	}
	if def != nil {
		if err := c.v.DependOnExpr(self, catalog.DepNormal, def, 0, catalog.DepNormal); err != nil {
			return err
		}
	}
	return c.next()
}

// addDomainCheck adds a CHECK constraint to a domain; existing values are not looked at.
func (c *ctx) addDomainCheck(d *catalog.Type, con *pg_query.Constraint) (query.Expr, error) {
	name := con.Conname
	if name == "" {
		var err error
		if name, err = c.freeConstraintName(d.Name, "", "check", d.Namespace, nil); err != nil {
			return nil, err
		}
	} else {
		for _, k := range d.DomainChecks {
			if k.Name == name {
				return nil, pgerr.New(pgerr.DuplicateObject, "constraint \"%s\" for domain \"%s\" already exists", name, d.Name)
			}
		}
	}
	base, err := c.v.Type(d.BaseType)
	if err != nil {
		return nil, err
	}
	e, err := analyze.Expr(c.analyzeEnv(), con.RawExpr, analyze.ExprDomainCheck,
		analyze.ExprTarget{DomainType: d.BaseType, DomainMod: d.TypMod, DomainColl: base.Collation})
	if err != nil {
		return nil, err
	}
	_, err = c.insertConstraint(&constraintRow{name: name, ns: d.Namespace, kind: 'c', validated: !con.SkipValidation, domain: d.OID, expr: e})
	return e, err
}

// alterDomain is ALTER DOMAIN with a default, NOT NULL or a constraint.
func alterDomain(c *ctx, n *pg_query.AlterDomainStmt) (string, error) {
	d, err := c.ownedDomain(n.TypeName)
	if err != nil {
		return "", err
	}
	switch n.Subtype {
	case "T":
		err = c.setDomainDefault(d, n.Def)
	case "N":
		err = c.setDomainNotNull(d, false)
	case "O":
		err = c.setDomainNotNull(d, true)
	case "C":
		err = c.alterDomainAdd(d, n.Def.GetConstraint())
	case "X":
		err = c.dropDomainConstraint(d, n)
	case "V":
		err = c.validateDomainConstraint(d, n)
	}
	return "ALTER DOMAIN", err
}

// ownedDomain finds a domain that the current user may change.
func (c *ctx) ownedDomain(names []*pg_query.Node) (*catalog.Type, error) {
	o, err := c.findType(&pg_query.Node{Node: &pg_query.Node_TypeName{TypeName: namedType(names)}}, true)
	if err != nil {
		return nil, err
	}
	return c.v.Type(o.OID)
}

func (c *ctx) modifyType(oid OID, fn func(row types.Row)) error {
	return c.v.Modify(catalog.PgTypeOID, catalog.PgTypeOidIndexOID, []types.Datum{types.Oid(oid)}, fn)
}

// setDomainDefault is SET DEFAULT, or DROP DEFAULT when n is nil.
func (c *ctx) setDomainDefault(d *catalog.Type, n *pg_query.Node) error {
	var def query.Expr
	text := types.Null
	if n != nil {
		var err error
		if def, text, err = c.domainDefault(n, d.BaseType, d.TypMod, d.Name); err != nil {
			return err
		}
	}
	bin := types.Null
	if def != nil {
		bin = types.Text(query.Encode(def))
	} else {
		text = types.Null
	}
	err := c.modifyType(d.OID, func(row types.Row) { row[catalog.TypeTypdefault], row[catalog.TypeTypdefaultbin] = text, bin })
	if err != nil {
		return err
	}
	return c.renewDomainDepends(d, def)
}

// renewDomainDepends records anew what a domain depends on, after its default changed.
func (c *ctx) renewDomainDepends(d *catalog.Type, def query.Expr) error {
	self := object(catalog.PgTypeOID, d.OID)
	if err := c.v.RemoveDepends(self, catalog.DepNormal, 0); err != nil {
		return err
	}
	base, err := c.v.Type(d.BaseType)
	if err != nil {
		return err
	}
	refs := []catalog.Object{object(catalog.PgNamespaceOID, d.Namespace), object(catalog.PgTypeOID, d.BaseType)}
	if d.Collation != base.Collation && d.Collation != catalog.DefaultCollation {
		refs = append(refs, object(catalog.PgCollationOID, d.Collation))
	}
	if err := c.v.Depend(self, catalog.DepNormal, refs...); err != nil || def == nil {
		return err
	}
	return c.v.DependOnExpr(self, catalog.DepNormal, def, 0, catalog.DepNormal)
}

// setDomainNotNull is SET NOT NULL, which looks at the values there are, and DROP NOT NULL.
func (c *ctx) setDomainNotNull(d *catalog.Type, not bool) error {
	if d.NotNull == not {
		return nil
	}
	if not {
		columns, err := c.domainColumns(d)
		if err != nil {
			return err
		}
		if err := c.checkDomainColumns(columns, func(v types.Datum) (bool, error) { return !v.IsNull(), nil }, func(rel *catalog.Relation, num int16) error {
			return pgerr.New(pgerr.NotNullViolation, "column \"%s\" of table \"%s\" contains null values", rel.Attr(num).Name, rel.Name)
		}); err != nil {
			return err
		}
	}
	return c.modifyType(d.OID, func(row types.Row) { row[catalog.TypeTypnotnull] = types.Bool(not) })
}

// alterDomainAdd is ADD CONSTRAINT.
func (c *ctx) alterDomainAdd(d *catalog.Type, con *pg_query.Constraint) error {
	if con.Contype != pg_query.ConstrType_CONSTR_CHECK {
		return notForDomains(con)
	}
	if con.IsNoInherit {
		return pgerr.New(pgerr.InvalidObjectDefinition, "check constraints for domains cannot be marked NO INHERIT")
	}
	e, err := c.addDomainCheck(d, con)
	if err != nil || con.SkipValidation {
		return err
	}
	return c.tryDomainCheck(d, e)
}

// dropDomainConstraint is DROP CONSTRAINT.
func (c *ctx) dropDomainConstraint(d *catalog.Type, n *pg_query.AlterDomainStmt) error {
	for _, k := range d.DomainChecks {
		if k.Name == n.Name {
			return c.dropObjects([]catalog.Object{object(catalog.PgConstraintOID, k.OID)}, n.Behavior)
		}
	}
	if n.MissingOk {
		c.notice(pgerr.SuccessfulCompletion, "constraint \"%s\" of domain \"%s\" does not exist, skipping", n.Name, joinName(strs(n.TypeName)))
		return nil
	}
	return noDomainConstraint(n)
}

func noDomainConstraint(n *pg_query.AlterDomainStmt) error {
	return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" of domain \"%s\" does not exist", n.Name, joinName(strs(n.TypeName)))
}

// validateDomainConstraint is VALIDATE CONSTRAINT.
func (c *ctx) validateDomainConstraint(d *catalog.Type, n *pg_query.AlterDomainStmt) error {
	for _, k := range d.DomainChecks {
		if k.Name != n.Name {
			continue
		}
		if err := c.tryDomainCheck(d, k.Expr); err != nil {
			return err
		}
		return c.v.Modify(catalog.PgConstraintOID, catalog.PgConstraintOidIndexOID, []types.Datum{types.Oid(k.OID)}, func(row types.Row) {
			row[catalog.ConstraintConvalidated] = types.Bool(true)
		})
	}
	return noDomainConstraint(n)
}
