package ddl

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("RefreshMatViewStmt", refreshMatView) }

// createMatView is CREATE MATERIALIZED VIEW.
func createMatView(c *ctx, n *pg_query.CreateTableAsStmt) (string, error) {
	const tag = "CREATE MATERIALIZED VIEW"
	into := n.Into
	if into.Rel.Relpersistence == "u" {
		return "", pgerr.New(pgerr.FeatureNotSupported, "materialized views cannot be unlogged")
	}
	q, err := analyze.Query(c.analyzeEnv(), n.Query)
	if err != nil {
		return "", err
	}
	switch {
	case q.Command != query.CmdSelect || q.HasModifyingCTE:
		return "", pgerr.New(pgerr.FeatureNotSupported, "materialized views must not use data-modifying statements in WITH")
	case c.usesTemp(q):
		return "", pgerr.New(pgerr.FeatureNotSupported, "materialized views must not use temporary tables or views")
	}
	t, exists, err := c.tableTarget(into.Rel, n.IfNotExists)
	if err != nil || exists {
		return tag, err
	}
	if err := c.checkTablespace(into.TableSpaceName); err != nil {
		return "", err
	}
	if err := checkTableAM(into.AccessMethod); err != nil {
		return "", err
	}
	t.kind, t.am = 'm', catalog.HeapAM
	if t.options, err = mergeOptions(nil, into.Options, tableOptions, false); err != nil {
		return "", err
	}
	if t.newRelation.columns, err = c.queryColumns(q.Targets, strs(into.ColNames), "too many column names were specified"); err != nil {
		return "", err
	}
	oid, err := c.makeRelation(&t.newRelation)
	if err != nil {
		return "", err
	}
	if err := c.next(); err != nil {
		return "", err
	}
	if err := c.storeRule(oid, q); err != nil {
		return "", err
	}
	if err := c.setPopulated(oid, false); err != nil {
		return "", err
	}
	rel, err := c.Session.LockRelation(oid, accessExclusive)
	if err != nil || into.SkipData {
		return tag, err
	}
	count, err := c.fillMatView(rel)
	return "SELECT " + itoa(int(count)), err
}

// setPopulated notes whether a materialized view can be read.
func (c *ctx) setPopulated(oid OID, populated bool) error {
	err := c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ClassRelispopulated] = types.Bool(populated)
	})
	if err != nil {
		return err
	}
	return c.next()
}

// matViewQuery gives a copy of the query behind a materialized view, to be run with its owner's rights.
func matViewQuery(rel *catalog.Relation) (*query.Query, error) {
	for _, r := range rel.Rules {
		if r.Event == '1' && len(r.Actions) == 1 {
			return query.CopyQuery(r.Actions[0]), nil
		}
	}
	return nil, pgerr.Internal("materialized view \"%s\" is missing rewrite information", rel.Name)
}

// runMatView runs the query of a materialized view as its owner.
func (c *ctx) runMatView(rel *catalog.Relation, each func(types.Row) error) error {
	q, err := matViewQuery(rel)
	if err != nil {
		return err
	}
	user := c.v.User()
	c.v.SetUser(rel.Owner)
	defer c.v.SetUser(user)
	width := len(rel.Desc.Attrs)
	return c.Session.RunTree(c.Command, q, func(row types.Row) error { return each(row[:width]) })
}

// fillMatView writes a materialized view anew, with its indexes, and gives the number of rows.
func (c *ctx) fillMatView(rel *catalog.Relation) (int64, error) {
	id, err := c.v.NewStorage(false, false)
	if err != nil {
		return 0, err
	}
	w, err := c.newRowWriter(rel, id)
	if err != nil {
		return 0, err
	}
	if err := c.runMatView(rel, w.add); err != nil {
		return 0, err
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	if rel, err = c.setStorage(rel, id); err != nil {
		return 0, err
	}
	if err := c.setPopulated(rel.OID, true); err != nil {
		return 0, err
	}
	if rel, err = c.reload(rel.OID); err != nil {
		return 0, err
	}
	return w.count, c.reindexAll(rel)
}

// refreshMatView is REFRESH MATERIALIZED VIEW.
func refreshMatView(c *ctx, n *pg_query.RefreshMatViewStmt) (string, error) {
	const tag = "REFRESH MATERIALIZED VIEW"
	if n.Concurrent && n.SkipData {
		return "", pgerr.New(pgerr.SyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together")
	}
	mode := accessExclusive
	if n.Concurrent {
		mode = exclusive
	}
	rel, err := c.openFor(n.Relation, mode, func(rel *catalog.Relation) error { return c.requireOwner(rel) })
	if err != nil {
		return "", err
	}
	switch {
	case rel.Kind != 'm':
		return "", pgerr.New(pgerr.FeatureNotSupported, "\"%s\" is not a materialized view", rel.Name)
	case n.Concurrent && !rel.IsPopulated:
		return "", pgerr.New(pgerr.FeatureNotSupported, "CONCURRENTLY cannot be used when the materialized view is not populated")
	case n.Concurrent:
		return tag, c.refreshConcurrently(rel)
	}
	if err := c.checkNotInUse(rel, "REFRESH MATERIALIZED VIEW"); err != nil {
		return "", err
	}
	if n.SkipData {
		if err := c.truncateStorage(rel.OID); err != nil {
			return "", err
		}
		return tag, c.setPopulated(rel.OID, false)
	}
	_, err = c.fillMatView(rel)
	return tag, err
}

// refreshConcurrently makes the new rows in a temporary table, and changes only the rows that differ, so that readers need not wait. Rows are told
// apart by the columns of the view's unique indexes and by all their bytes.
func (c *ctx) refreshConcurrently(rel *catalog.Relation) error {
	name := types.QuoteIdent(c.Backend.Env, c.schemaName(rel.Namespace)) + "." + types.QuoteIdent(c.Backend.Env, rel.Name)
	keys := uniqueColumns(rel)
	if len(keys) == 0 {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot refresh materialized view \"%s\" concurrently", name).
			WithHint("Create a unique index with no WHERE clause on one or more columns of the materialized view.")
	}
	fresh, drop, err := c.freshRows(rel)
	if err != nil {
		return err
	}
	run := func(format string, args ...any) ([]types.Row, error) {
		return c.Session.RunQuery(fmt.Sprintf(format, args...), nil)
	}
	rows, err := run("SELECT n.*::text FROM %s n WHERE n.* IS NOT NULL AND EXISTS (SELECT 1 FROM %s m WHERE m.* IS NOT NULL"+
		" AND m.* OPERATOR(pg_catalog.*=) n.* AND m.ctid <> n.ctid) LIMIT 1", fresh, fresh)
	if err != nil {
		return err
	}
	if len(rows) > 0 {
		return pgerr.New(pgerr.CardinalityViolation, "new data for materialized view \"%s\" contains duplicate rows without any null columns", rel.Name).
			WithDetail("Row: %s", rows[0][0].Str())
	}
	same := "n.* OPERATOR(pg_catalog.*=) o.*"
	for _, k := range keys {
		col := types.QuoteIdent(c.Backend.Env, rel.Desc.Attrs[k-1].Name)
		same = "n." + col + " = o." + col + " AND " + same
	}
	c.Backend.MaintainedView = rel.OID
	defer func() { c.Backend.MaintainedView = 0 }()
	if _, err := run("DELETE FROM %s o WHERE NOT EXISTS (SELECT 1 FROM %s n WHERE %s)", name, fresh, same); err != nil {
		return err
	}
	if _, err := run("INSERT INTO %s SELECT n.* FROM %s n WHERE NOT EXISTS (SELECT 1 FROM %s o WHERE %s)", name, fresh, name, same); err != nil {
		return err
	}
	return drop()
}

// uniqueColumns are the columns of the unique indexes that cover all rows.
func uniqueColumns(rel *catalog.Relation) (list []int16) {
	seen := map[int16]bool{}
	for _, ix := range rel.Indexes {
		if !ix.Unique || !ix.Valid || ix.Pred != nil || len(ix.Exprs) > 0 {
			continue
		}
		for _, k := range ix.Keys[:ix.NumKeys] {
			if !seen[k] {
				seen[k] = true
				list = append(list, k)
			}
		}
	}
	return list
}

// freshRows makes a temporary table of what a materialized view's query gives now: its qualified name, and what drops it.
func (c *ctx) freshRows(rel *catalog.Relation) (name string, drop func() error, err error) {
	ns, err := c.tempSchema()
	if err != nil {
		return "", nil, err
	}
	t := &newRelation{name: "pg_temp_" + itoa(int(rel.OID)), ns: ns, owner: c.v.User(), kind: 'r', persistence: 't', am: catalog.HeapAM,
		columns: append([]types.Attr(nil), rel.Desc.Attrs...)}
	oid, err := c.makeRelation(t)
	if err != nil {
		return "", nil, err
	}
	temp, err := c.reload(oid)
	if err != nil {
		return "", nil, err
	}
	w, err := c.newRowWriter(temp, temp.Storage)
	if err != nil {
		return "", nil, err
	}
	if err := c.runMatView(rel, w.add); err != nil {
		return "", nil, err
	}
	if err := w.flush(); err != nil {
		return "", nil, err
	}
	if err := c.next(); err != nil {
		return "", nil, err
	}
	drop = func() error {
		d := catalog.Dropper{View: c.v, Cascade: true, Quiet: true}
		return d.Drop(relObject(oid, 0))
	}
	return types.QuoteIdent(c.Backend.Env, c.schemaName(ns)) + "." + types.QuoteIdent(c.Backend.Env, t.name), drop, nil
}
