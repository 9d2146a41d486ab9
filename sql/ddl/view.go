package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("ViewStmt", createView) }

// createView is CREATE [OR REPLACE] VIEW.
func createView(c *ctx, n *pg_query.ViewStmt) (string, error) {
	const tag = "CREATE VIEW"
	q, err := analyze.Query(c.analyzeEnv(), n.Query)
	if err != nil {
		return "", err
	}
	if err := checkViewQuery(q); err != nil {
		return "", err
	}
	options := n.Options
	if n.WithCheckOption > pg_query.ViewCheckOption_NO_CHECK_OPTION {
		value := "local"
		if n.WithCheckOption == pg_query.ViewCheckOption_CASCADED_CHECK_OPTION {
			value = "cascaded"
		}
		options = append(options, &pg_query.Node{Node: &pg_query.Node_DefElem{DefElem: &pg_query.DefElem{Defname: "check_option", Arg: stringNode(value)}}})
	}
	if n.View.Relpersistence == "u" {
		return "", pgerr.New(pgerr.SyntaxError, "views cannot be unlogged because they do not have storage")
	}
	if n.View.Relpersistence == "p" && c.usesTemp(q) {
		n.View.Relpersistence = "t"
		c.notice(pgerr.SuccessfulCompletion, "view \"%s\" will be a temporary view", n.View.Relname)
	}
	t := &tableDef{}
	t.kind = 'v'
	if t.options, err = mergeOptions(nil, options, viewOptions, false); err != nil {
		return "", err
	}
	if t.newRelation.columns, err = c.queryColumns(q.Targets, strs(n.Aliases), "CREATE VIEW specifies more column names than columns"); err != nil {
		return "", err
	}
	return tag, c.storeView(n, t, q)
}

// checkViewQuery refuses queries that can't be a view.
func checkViewQuery(q *query.Query) error {
	if q.Command != query.CmdSelect {
		return pgerr.New(pgerr.FeatureNotSupported, "views must not contain data-modifying statements in WITH")
	}
	if q.HasModifyingCTE {
		return pgerr.New(pgerr.FeatureNotSupported, "views must not contain data-modifying statements in WITH")
	}
	return nil
}

// usesTemp says whether a query reads temporary relations.
func (c *ctx) usesTemp(q *query.Query) bool {
	for _, ref := range c.v.QueryRefs(q) {
		if ref.Class != catalog.PgClassOID {
			continue
		}
		if r, err := c.v.Relation(ref.OID); err == nil && r != nil && r.Persistence == 't' {
			return true
		}
	}
	return false
}

// queryColumns makes columns of a query's targets; names rename the first ones. tooManyNames is what to say of names without a column.
func (c *ctx) queryColumns(targets []*query.TargetEntry, names []string, tooManyNames string) ([]types.Attr, error) {
	var list []types.Attr
	seen := map[string]bool{}
	for _, t := range targets {
		if t.Junk {
			continue
		}
		name := t.Name
		if len(list) < len(names) {
			name = names[len(list)]
			t.Name = name
		}
		if seen[name] {
			return nil, pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", name)
		}
		seen[name] = true
		a, err := c.resultAttr(t.Expr, name)
		if err != nil {
			return nil, err
		}
		a.Num = int16(len(list) + 1)
		list = append(list, a)
	}
	if len(names) > len(list) {
		return nil, pgerr.New(pgerr.SyntaxError, "%s", tooManyNames)
	}
	return list, nil
}

// resultAttr makes a column of an expression's type.
func (c *ctx) resultAttr(e query.Expr, name string) (types.Attr, error) {
	t, err := c.v.Type(e.Type())
	if err != nil {
		return types.Attr{}, err
	}
	if t == nil {
		return types.Attr{}, pgerr.Internal("cache lookup failed for type %d", e.Type())
	}
	if err := c.checkColumnType(name, t); err != nil {
		return types.Attr{}, err
	}
	if t.Collation != 0 && e.Collation() == 0 {
		return types.Attr{}, pgerr.New(pgerr.IndeterminateCollation, "could not determine which collation to use for view column \"%s\"", name).
			WithHint("Use the COLLATE clause to set the collation explicitly.")
	}
	return types.Attr{Name: name, TypeOID: t.OID, TypMod: e.TypMod(), Len: t.Len, ByVal: t.ByVal, Align: t.Align, Storage: t.Storage,
		Collation: e.Collation(), IsLocal: true}, nil
}

// storeView makes the view, or gives an existing one its new query.
func (c *ctx) storeView(n *pg_query.ViewStmt, t *tableDef, q *query.Query) error {
	target, exists, err := c.viewTarget(n)
	if err != nil {
		return err
	}
	if exists != nil {
		return c.replaceView(exists, t, q)
	}
	t.name, t.ns, t.owner, t.persistence = target.name, target.ns, target.owner, target.persistence
	oid, err := c.makeRelation(&t.newRelation)
	if err != nil {
		return err
	}
	if err := c.next(); err != nil {
		return err
	}
	return c.storeRule(oid, q)
}

// viewTarget finds where the view goes, or the view that is to be replaced.
func (c *ctx) viewTarget(n *pg_query.ViewStmt) (*tableDef, *catalog.Relation, error) {
	if !n.Replace {
		t, _, err := c.tableTarget(n.View, false)
		return t, nil, err
	}
	t := &tableDef{}
	t.name, t.owner, t.persistence = n.View.Relname, c.v.User(), n.View.Relpersistence[0]
	var err error
	if t.ns, t.persistence, err = c.creationSchema(n.View, t.persistence); err != nil {
		return nil, nil, err
	}
	_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(t.name), types.Oid(t.ns))
	if err != nil || row == nil {
		return t, nil, err
	}
	rel, err := c.Session.LockRelation(row[catalog.ClassOid].Oid(), accessExclusive)
	if err != nil {
		return nil, nil, err
	}
	if rel.Kind != 'v' {
		return nil, nil, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a view", rel.Name)
	}
	return t, rel, c.requireOwner(rel)
}

// replaceView checks that the new query keeps the view's columns, and stores it.
func (c *ctx) replaceView(rel *catalog.Relation, t *tableDef, q *query.Query) error {
	fresh := t.newRelation.columns
	if len(fresh) < len(rel.Desc.Attrs) {
		return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i := range rel.Desc.Attrs {
		old, now := &rel.Desc.Attrs[i], &fresh[i]
		if old.Name != now.Name {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot change name of view column \"%s\" to \"%s\"", old.Name, now.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if old.TypeOID != now.TypeOID || old.TypMod != now.TypMod {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot change data type of view column \"%s\" from %s to %s", old.Name,
				types.FormatTypeMod(c.Backend.Env, old.TypeOID, old.TypMod), types.FormatTypeMod(c.Backend.Env, now.TypeOID, now.TypMod))
		}
		if old.Collation != now.Collation {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot change collation of view column \"%s\"", old.Name)
		}
	}
	for i := len(rel.Desc.Attrs); i < len(fresh); i++ {
		if err := c.insertColumn(rel.OID, &fresh[i], true); err != nil {
			return err
		}
	}
	err := c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelnatts] = types.Int2(int16(len(fresh)))
		row[catalog.ClassReloptions] = types.Null
		if len(t.options) > 0 {
			row[catalog.ClassReloptions] = catalog.TextArray(t.options)
		}
	})
	if err != nil {
		return err
	}
	for _, r := range rel.Rules {
		if r.Event != '1' {
			continue
		}
		if err := c.v.RemoveDepends(object(catalog.PgRewriteOID, r.OID), 0, 0); err != nil {
			return err
		}
		if _, err := c.v.DeleteWhere(catalog.PgRewriteOID, catalog.PgRewriteOidIndexOID, types.Oid(r.OID)); err != nil {
			return err
		}
	}
	if err := c.next(); err != nil {
		return err
	}
	return c.storeRule(rel.OID, q)
}

// storeRule makes the view's _RETURN rule.
func (c *ctx) storeRule(view OID, q *query.Query) error {
	text, err := query.EncodeQueries([]*query.Query{q})
	if err != nil {
		return err
	}
	oid, err := c.v.GetNewOID(catalog.PgRewriteOidIndexOID)
	if err != nil {
		return err
	}
	row := catalog.NewRow(catalog.PgRewriteOID)
	row[catalog.RewriteOid], row[catalog.RewriteRulename], row[catalog.RewriteEvClass] = types.Oid(oid), types.Text("_RETURN"), types.Oid(view)
	row[catalog.RewriteEvType], row[catalog.RewriteEvEnabled], row[catalog.RewriteIsInstead] = types.Char('1'), types.Char('O'), types.Bool(true)
	row[catalog.RewriteEvQual], row[catalog.RewriteEvAction] = types.Text(""), types.Text(text)
	if err := c.v.Insert(catalog.PgRewriteOID, row); err != nil {
		return err
	}
	self := object(catalog.PgRewriteOID, oid)
	if err := c.v.Depend(self, catalog.DepInternal, relObject(view, 0)); err != nil {
		return err
	}
	if err := c.v.DependOnQuery(self, catalog.DepNormal, q); err != nil {
		return err
	}
	err = c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(view)}, func(row types.Row) {
		row[catalog.ClassRelhasrules] = types.Bool(true)
	})
	if err != nil {
		return err
	}
	return c.next()
}
