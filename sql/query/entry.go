package query

// UsesEntry says whether a query's expressions, at any depth, name entry index of its range table.
func UsesEntry(q *Query, index int) bool {
	found := false
	WalkQueryLevels(q, func(e Expr, level int) bool {
		if v, ok := e.(*Var); ok && v.LevelsUp == level && v.VarNo == index {
			found = true
		}
		return !found
	})
	return found
}

// ExprUsesEntry is UsesEntry of an expression of the query.
func ExprUsesEntry(e Expr, index int) bool {
	found := false
	WalkLevels(e, func(e Expr, level int) bool {
		if v, ok := e.(*Var); ok && v.LevelsUp == level && v.VarNo == index {
			found = true
		}
		return !found
	})
	return found
}

// FromUsesEntry says whether a join tree has the entry, or names it in a condition.
func FromUsesEntry(item FromItem, index int) bool {
	switch item := item.(type) {
	case *RangeTblRef:
		return item.Index == index
	case *JoinExpr:
		return FromUsesEntry(item.Left, index) || FromUsesEntry(item.Right, index) || ExprUsesEntry(item.Quals, index)
	case *FromExpr:
		if item == nil {
			return false
		}
		for _, i := range item.Items {
			if FromUsesEntry(i, index) {
				return true
			}
		}
		return ExprUsesEntry(item.Quals, index)
	}
	return false
}

// MoveEntries gives a copy of a query whose entries have other places: entry i is now move(i). Its range table stays in its order, for the caller to
// put behind others.
func MoveEntries(q *Query, move func(int) int) *Query {
	out := MutateQueryLevels(CopyQuery(q), func(e Expr, level int) (Expr, bool) { return moveVar(e, level, move) })
	out.JoinTree, _ = moveFrom(out.JoinTree, move).(*FromExpr)
	if out.ResultRelation != 0 {
		out.ResultRelation = move(out.ResultRelation)
	}
	for _, m := range out.RowMarks {
		m.RTIndex = move(m.RTIndex)
	}
	if out.OnConflict != nil && out.OnConflict.ExclRTIndex != 0 {
		out.OnConflict.ExclRTIndex = move(out.OnConflict.ExclRTIndex)
	}
	out.SetOp = moveSetOp(out.SetOp, move)
	return out
}

// MoveExprEntries is MoveEntries of an expression of the query.
func MoveExprEntries(e Expr, move func(int) int) Expr {
	return MutateLevels(Copy(e), func(e Expr, level int) (Expr, bool) { return moveVar(e, level, move) })
}

func moveVar(e Expr, level int, move func(int) int) (Expr, bool) {
	v, ok := e.(*Var)
	if !ok || v.LevelsUp != level {
		return nil, false
	}
	c := *v
	c.VarNo = move(v.VarNo)
	if v.SynNo != 0 {
		c.SynNo = move(v.SynNo)
	}
	return &c, true
}

func moveFrom(item FromItem, move func(int) int) FromItem {
	switch item := item.(type) {
	case *RangeTblRef:
		return &RangeTblRef{Index: move(item.Index)}
	case *JoinExpr:
		c := *item
		c.Left, c.Right = moveFrom(item.Left, move), moveFrom(item.Right, move)
		if c.RTIndex != 0 {
			c.RTIndex = move(c.RTIndex)
		}
		return &c
	case *FromExpr:
		if item == nil {
			return item
		}
		c := *item
		c.Items = make([]FromItem, len(item.Items))
		for i, x := range item.Items {
			c.Items[i] = moveFrom(x, move)
		}
		return &c
	}
	return item
}

func moveSetOp(n SetOpNode, move func(int) int) SetOpNode {
	switch n := n.(type) {
	case *RangeTblRef:
		return &RangeTblRef{Index: move(n.Index)}
	case *SetOperation:
		c := *n
		c.Left, c.Right = moveSetOp(n.Left, move), moveSetOp(n.Right, move)
		return &c
	}
	return n
}
