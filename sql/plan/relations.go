package plan

import "github.com/calfdb/calf/sql/query"

// VisitRelations calls f for each range table entry of q, and of the queries inside it, that names a relation.
func VisitRelations(q *query.Query, f func(*query.RTE)) {
	for _, e := range q.RangeTable {
		if e.RelOID != 0 {
			f(e)
		}
	}
	eachSubquery(q, func(s *query.Query) { VisitRelations(s, f) })
}
