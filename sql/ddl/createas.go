package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CreateTableAsStmt", createTableAs) }

// createTableAs is CREATE TABLE AS and SELECT INTO.
func createTableAs(c *ctx, n *pg_query.CreateTableAsStmt) (string, error) {
	if n.Objtype == pg_query.ObjectType_OBJECT_MATVIEW {
		return "", pgerr.NotSupported("materialized views")
	}
	if n.Query.GetExecuteStmt() != nil {
		return "", pgerr.NotSupported("CREATE TABLE AS EXECUTE")
	}
	into := n.Into
	t, exists, err := c.tableTarget(into.Rel, n.IfNotExists)
	if err != nil || exists {
		return "CREATE TABLE AS", err
	}
	q, err := analyze.Query(c.AnalyzeEnv().(*analyze.Env), n.Query)
	if err != nil {
		return "", err
	}
	if q.Command != query.CmdSelect {
		return "", pgerr.NotSupported("CREATE TABLE AS of a data-modifying statement")
	}
	if err := c.checkTablespace(into.TableSpaceName); err != nil {
		return "", err
	}
	if err := checkTableAM(into.AccessMethod); err != nil {
		return "", err
	}
	t.kind, t.am = 'r', catalog.HeapAM
	if t.options, err = mergeOptions(nil, into.Options, tableOptions, false); err != nil {
		return "", err
	}
	if t.onCommit, err = onCommit(into.OnCommit, t.persistence); err != nil {
		return "", err
	}
	if t.newRelation.columns, err = c.queryColumns(q, strs(into.ColNames), "CREATE TABLE AS"); err != nil {
		return "", err
	}
	oid, err := c.makeRelation(&t.newRelation)
	if err != nil {
		return "", err
	}
	rel, err := c.reload(oid)
	if err != nil {
		return "", err
	}
	if _, err := c.Session.LockRelation(oid, accessExclusive); err != nil {
		return "", err
	}
	if t.onCommit != catalog.OnCommitPreserve {
		c.setOnCommit(oid, t.onCommit)
	}
	if into.SkipData {
		return "CREATE TABLE AS", nil
	}
	w, err := c.newRowWriter(rel, rel.Storage)
	if err != nil {
		return "", err
	}
	width := len(rel.Desc.Attrs)
	if err := c.Session.RunTree(c.Command, q, func(row types.Row) error { return w.add(row[:width]) }); err != nil {
		return "", err
	}
	if err := w.flush(); err != nil {
		return "", err
	}
	return "SELECT " + itoa(int(w.count)), nil
}
