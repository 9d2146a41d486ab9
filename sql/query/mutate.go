package query

// mutator carries what to do with each child expression and sub-select; always makes copies of nodes that did not change.
type mutator struct {
	expr   func(Expr) Expr
	query  func(*Query) *Query
	always bool
}

// MutateChildren gives e with each direct child replaced by f's answer: e itself when nothing changed, else a copy.
func MutateChildren(e Expr, f func(Expr) Expr) Expr { return mutateChildren(&mutator{expr: f}, e) }

// Mutate replaces in pre-order: f gives a replacement and true, or anything and false to go below. Sub-selects are left alone.
func Mutate(e Expr, f func(Expr) (Expr, bool)) Expr {
	if e == nil {
		return nil
	}
	var m mutator
	m.expr = func(x Expr) Expr {
		if y, done := f(x); done {
			return y
		}
		return mutateChildren(&m, x)
	}
	return m.expr(e)
}

// MutateQuery gives a copy of q whose expressions are replaced as by Mutate, and whose direct sub-selects are replaced by sub (nil = kept).
func MutateQuery(q *Query, f func(Expr) (Expr, bool), sub func(*Query) *Query) *Query {
	m := mutator{query: sub}
	m.expr = func(x Expr) Expr {
		if y, done := f(x); done {
			return y
		}
		return mutateChildren(&m, x)
	}
	return mutateQuery(&m, q)
}

// MutateLevels is Mutate that enters sub-selects: level counts the queries between e and the node.
func MutateLevels(e Expr, f func(e Expr, level int) (Expr, bool)) Expr {
	if e == nil {
		return nil
	}
	return levelMutator(0, f).expr(e)
}

// MutateQueryLevels is MutateQuery that enters sub-selects: q's own expressions are at level 0.
func MutateQueryLevels(q *Query, f func(e Expr, level int) (Expr, bool)) *Query {
	return mutateQuery(levelMutator(0, f), q)
}

func levelMutator(level int, f func(Expr, int) (Expr, bool)) *mutator {
	m := &mutator{}
	m.expr = func(x Expr) Expr {
		if y, done := f(x, level); done {
			return y
		}
		return mutateChildren(m, x)
	}
	m.query = func(q *Query) *Query { return mutateQuery(levelMutator(level+1, f), q) }
	return m
}

// Copy gives a deep copy of e.
func Copy(e Expr) Expr {
	if e == nil {
		return nil
	}
	return copier().expr(e)
}

// CopyQuery gives a deep copy of q.
func CopyQuery(q *Query) *Query { return mutateQuery(copier(), q) }

func copier() *mutator {
	m := &mutator{always: true}
	m.expr = func(x Expr) Expr { return mutateChildren(m, x) }
	m.query = func(q *Query) *Query { return mutateQuery(m, q) }
	return m
}

func mutateExpr(m *mutator, e Expr) (Expr, bool) {
	if e == nil {
		return nil, false
	}
	x := m.expr(e)
	return x, x != e
}

func mutateSubquery(m *mutator, q *Query) (*Query, bool) {
	if q == nil || m.query == nil {
		return q, false
	}
	x := m.query(q)
	return x, x != q
}

// mutateList copies the list when one of its members changes; else it gives the list itself (a member of a list of lists).
func mutateList[T any](m *mutator, list []T, f func(*mutator, T) (T, bool)) ([]T, bool) {
	var out []T
	if m.always && list != nil {
		out = make([]T, len(list))
	}
	for i, x := range list {
		y, changed := f(m, x)
		if changed && out == nil {
			out = make([]T, len(list))
			copy(out, list)
		}
		if out != nil {
			out[i] = y
		}
	}
	if out == nil {
		return list, false
	}
	return out, true
}

func copyPointers[T any](list []*T) []*T {
	if list == nil {
		return nil
	}
	out := make([]*T, len(list))
	for i, p := range list {
		if p != nil {
			c := *p
			out[i] = &c
		}
	}
	return out
}
