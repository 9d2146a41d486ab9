package plan

import "github.com/calfdb/calf/sql/query"

// Shorthands over package query's tree walking, in the forms that planning uses most.

func children(e query.Expr, f func(query.Expr)) { query.Children(e, f) }

func walk(e query.Expr, f func(query.Expr) bool) { query.Walk(e, f) }

// exists says whether f holds for e or a sub-expression.
func exists(e query.Expr, f func(query.Expr) bool) bool { return query.Contains(e, f) }

// mutate gives e with f's non-nil answers in place of the expressions it was asked about; where f answers nil it is asked about the
// sub-expressions. What does not change is shared with e.
func mutate(e query.Expr, f func(query.Expr) query.Expr) query.Expr {
	return query.Mutate(e, func(x query.Expr) (query.Expr, bool) {
		r := f(x)
		return r, r != nil
	})
}

func mapChildren(e query.Expr, f func(query.Expr) query.Expr) query.Expr {
	return query.MutateChildren(e, f)
}

func mutateList(es []query.Expr, f func(query.Expr) query.Expr) []query.Expr {
	return mapList(es, func(x query.Expr) query.Expr { return mutate(x, f) })
}

// mapList applies f to each expression that is there; the list itself is given when nothing changed.
func mapList(es []query.Expr, f func(query.Expr) query.Expr) []query.Expr {
	var out []query.Expr
	for i, x := range es {
		if x == nil {
			continue
		}
		y := f(x)
		if y == x {
			continue
		}
		if out == nil {
			out = append([]query.Expr(nil), es...)
		}
		out[i] = y
	}
	if out == nil {
		return es
	}
	return out
}

// mapTargets applies f to each target's expression; the list itself is given when nothing changed.
func mapTargets(ts []*query.TargetEntry, f func(query.Expr) query.Expr) []*query.TargetEntry {
	var out []*query.TargetEntry
	for i, t := range ts {
		y := f(t.Expr)
		if y == t.Expr {
			continue
		}
		if out == nil {
			out = append([]*query.TargetEntry(nil), ts...)
		}
		c := *t
		c.Expr = y
		out[i] = &c
	}
	if out == nil {
		return ts
	}
	return out
}

func sameList(a, b []query.Expr) bool { return len(a) == 0 || len(b) > 0 && &a[0] == &b[0] }
