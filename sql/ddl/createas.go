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
		return createMatView(c, n)
	}
	into := n.Into
	t, exists, err := c.tableTarget(into.Rel, n.IfNotExists)
	if err != nil || exists {
		return "CREATE TABLE AS", err
	}
	columns, run, err := c.tableSource(n.Query)
	if err != nil {
		return "", err
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
	if t.newRelation.columns, err = c.queryColumns(columns, strs(into.ColNames), "too many column names were specified"); err != nil {
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
	if err := run(func(row types.Row) error { return w.add(row[:width]) }); err != nil {
		return "", err
	}
	if err := w.flush(); err != nil {
		return "", err
	}
	return "SELECT " + itoa(int(w.count)), nil
}

// tableSource gives the columns of CREATE TABLE AS's query, or of the prepared statement that it executes, and what runs it.
func (c *ctx) tableSource(n *pg_query.Node) (columns []*query.TargetEntry, run func(func(types.Row) error) error, err error) {
	if x := n.GetExecuteStmt(); x != nil {
		list, run, err := c.Execute(x)
		for _, t := range list {
			own := *t // it gets the table's name of the column
			columns = append(columns, &own)
		}
		return columns, run, err
	}
	q, err := analyze.Query(c.AnalyzeEnv().(*analyze.Env), n)
	if err != nil {
		return nil, nil, err
	}
	if q.Command != query.CmdSelect {
		return nil, nil, pgerr.NotSupported("CREATE TABLE AS of a data-modifying statement")
	}
	return q.Targets, func(each func(types.Row) error) error { return c.Session.RunTree(c.Command, q, each) }, nil
}
