package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
)

// Options of LIKE, as the grammar gives them.
const (
	likeComments    = 1 << 0
	likeCompression = 1 << 1
	likeConstraints = 1 << 2
	likeDefaults    = 1 << 3
	likeGenerated   = 1 << 4
	likeIdentity    = 1 << 5
	likeIndexes     = 1 << 6
	likeStatistics  = 1 << 7
	likeStorage     = 1 << 8
)

// likeClause takes the columns of another table over: names, types, collations, NOT NULL; defaults and generation expressions when asked.
func (c *ctx) likeClause(t *tableDef, n *pg_query.TableLikeClause) error {
	rel, err := c.open(n.Relation, accessShare)
	if err != nil {
		return err
	}
	switch rel.Kind {
	case 'r', 'v', 'm', 'c', 'f', 'p':
	default:
		return pgerr.New(pgerr.WrongObjectType, "relation \"%s\" is invalid in LIKE clause", rel.Name).WithDetail("%s", unsupportedKind(rel.Kind))
	}
	o := n.Options
	if o&(likeConstraints|likeIdentity|likeIndexes|likeStatistics|likeComments) != 0 && len(rel.Constraints())+len(rel.Indexes) > 0 {
		return pgerr.NotSupported("LIKE INCLUDING of constraints, indexes, identities, statistics and comments")
	}
	for i := range rel.Desc.Attrs {
		a := rel.Desc.Attrs[i]
		if a.Dropped {
			continue
		}
		d := &columnDef{Attr: a}
		d.HasDefault, d.Identity, d.Generated, d.HasMissing, d.IsLocal, d.InhCount = false, 0, 0, false, true, 0
		if o&likeCompression == 0 {
			d.Compression = 0
		}
		e := rel.Defaults[a.Num]
		switch {
		case e != nil && a.Generated != 0 && o&likeGenerated != 0:
			if len(t.columns) != i {
				return pgerr.NotSupported("LIKE INCLUDING GENERATED behind other columns")
			}
			d.cooked, d.Generated = e, a.Generated
		case e != nil && a.Generated == 0 && o&likeDefaults != 0:
			d.cooked = e
		}
		t.columns = append(t.columns, d)
	}
	return nil
}
