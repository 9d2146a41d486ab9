package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
)

func init() { register("CompositeTypeStmt", createComposite) }

// createComposite is CREATE TYPE AS (columns): a relation of kind 'c', which has no rows.
func createComposite(c *ctx, n *pg_query.CompositeTypeStmt) (string, error) {
	rv := n.Typevar
	if rv.Relpersistence == "" {
		rv.Relpersistence = "p"
	}
	ns, persistence, err := c.creationSchema(rv, rv.Relpersistence[0])
	if err != nil {
		return "", err
	}
	if err := c.checkTypeName(ns, rv.Relname, false); err != nil {
		return "", err
	}
	t := &tableDef{}
	t.name, t.ns, t.owner, t.persistence, t.kind = rv.Relname, ns, c.v.User(), persistence, 'c'
	if err := c.tableElements(t, n.Coldeflist); err != nil {
		return "", err
	}
	if err := checkColumns(t.columns); err != nil {
		return "", err
	}
	for _, d := range t.columns {
		t.newRelation.columns = append(t.newRelation.columns, d.Attr)
	}
	_, err = c.makeRelation(&t.newRelation)
	return "CREATE TYPE", err
}

// compositeUse words the refusal to change a row type that stored columns have.
func compositeUse(rel *catalog.Relation) alteredType {
	if rel.Kind == 'c' {
		return alteredType{"type \"" + rel.Name + "\"", "it"}
	}
	return alteredType{"table \"" + rel.Name + "\"", "its row type"}
}
