package plan

import "github.com/calfdb/calf/sql/query"

// reduceOuterJoins turns outer joins into inner ones where a strict condition above rejects the null-extended rows, full into left or right,
// right into left, and left into anti-joins where a condition above requires a column to be null that the join's own condition requires not
// to be.
func (r *root) reduceOuterJoins() {
	o := &ojReducer{r}
	r.q.JoinTree = o.tree(r.q.JoinTree, Relids{}, nil, nil).(*query.FromExpr)
}

type ojReducer struct{ *root }

// tree: nonnull are relations, nonnullVars columns, that conditions above force to be not null; forcedNull columns forced to be null.
func (o *ojReducer) tree(t query.FromItem, nonnull Relids, nonnullVars, forcedNull []varKey) query.FromItem {
	switch t := t.(type) {
	case *query.FromExpr:
		quals := implicitAnd(t.Quals)
		nonnull = nonnull.or(o.g.nonnullableOfQuals(quals))
		nonnullVars = append(o.g.nonnullableVarsAll(quals, true), nonnullVars...)
		forcedNull = append(forcedNullVars(quals), forcedNull...)
		n := &query.FromExpr{Quals: t.Quals}
		for _, x := range t.Items {
			n.Items = append(n.Items, o.tree(x, nonnull, nonnullVars, forcedNull))
		}
		return n
	case *query.JoinExpr:
		return o.join(t, nonnull, nonnullVars, forcedNull)
	}
	return t
}

func (o *ojReducer) join(t *query.JoinExpr, nonnull Relids, nonnullVars, forcedNull []varKey) query.FromItem {
	n := *t
	left, right := joinTreeRels(t.Left), joinTreeRels(t.Right)
	switch t.Type {
	case query.JoinLeft:
		if nonnull.overlaps(right) {
			n.Type = query.JoinInner
		}
	case query.JoinRight:
		if nonnull.overlaps(left) {
			n.Type = query.JoinInner
		}
	case query.JoinFull:
		l, r := nonnull.overlaps(left), nonnull.overlaps(right)
		switch {
		case l && r:
			n.Type = query.JoinInner
		case l:
			n.Type = query.JoinLeft
		case r:
			n.Type = query.JoinRight
		}
	}
	if n.Type == query.JoinRight {
		n.Left, n.Right, n.Type = n.Right, n.Left, query.JoinLeft
		left, right = right, left
	}
	quals := implicitAnd(n.Quals)
	if n.Type == query.JoinLeft {
		local := o.g.nonnullableVarsAll(quals, true)
		for _, v := range intersectVars(local, forcedNull) {
			if right.has(v.no) {
				n.Type = query.JoinAnti
			}
		}
	}
	if n.RTIndex != 0 && n.Type != t.Type {
		o.rte(n.RTIndex).JoinType = n.Type
	}
	o.joinChildren(&n, quals, nonnull, nonnullVars, forcedNull)
	return &n
}

// joinChildren passes down what holds for each side.
func (o *ojReducer) joinChildren(n *query.JoinExpr, quals []query.Expr, nonnull Relids, nonnullVars, forcedNull []varKey) {
	var localNonnull Relids
	var localVars, localForced []varKey
	if n.Type != query.JoinFull {
		localNonnull = o.g.nonnullableOfQuals(quals)
		localVars = o.g.nonnullableVarsAll(quals, true)
		localForced = forcedNullVars(quals)
		if n.Type == query.JoinInner || n.Type == query.JoinSemi {
			localNonnull = localNonnull.or(nonnull)
			localVars = append(localVars, nonnullVars...)
			localForced = append(localForced, forcedNull...)
		}
	}
	switch n.Type {
	case query.JoinInner, query.JoinSemi:
		n.Left = o.tree(n.Left, localNonnull, localVars, localForced)
		n.Right = o.tree(n.Right, localNonnull, localVars, localForced)
	case query.JoinFull:
		n.Left = o.tree(n.Left, Relids{}, nil, nil)
		n.Right = o.tree(n.Right, Relids{}, nil, nil)
	default:
		n.Left = o.tree(n.Left, nonnull, nonnullVars, forcedNull)
		n.Right = o.tree(n.Right, localNonnull, localVars, localForced)
	}
}
