package analyze

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

var joinTypes = map[pg_query.JoinType]query.JoinType{pg_query.JoinType_JOIN_INNER: query.JoinInner, pg_query.JoinType_JOIN_LEFT: query.JoinLeft,
	pg_query.JoinType_JOIN_FULL: query.JoinFull, pg_query.JoinType_JOIN_RIGHT: query.JoinRight}

// joinSide is one input of a join.
type joinSide struct {
	item  *nsItem
	names []string
}

// fromJoin analyses a JOIN.
func (p *state) fromJoin(n *pg_query.JoinExpr) (query.FromItem, *nsItem, []*nsItem) {
	j := &query.JoinExpr{Type: joinTypes[n.Jointype], Natural: n.IsNatural, Using: strList(n.UsingClause), UsingAlias: alias(n.JoinUsingAlias),
		Alias: alias(n.Alias)}
	left, leftItem, leftNames := p.fromItem(n.Larg)
	j.Left = left
	// The right side may refer to the left with LATERAL.
	setLateral(leftNames, true, j.Type == query.JoinInner || j.Type == query.JoinLeft)
	saved := len(p.namespace)
	p.namespace = append(clip(p.namespace), leftNames...)
	right, rightItem, rightNames := p.fromItem(n.Rarg)
	j.Right = right
	p.namespace = p.namespace[:saved]
	checkConflicts(leftNames, rightNames)
	mine := append(append([]*nsItem(nil), leftNames...), rightNames...)

	l, r := joinSide{leftItem, leftItem.names.Cols}, joinSide{rightItem, rightItem.names.Cols}
	if n.IsNatural {
		for _, name := range l.names {
			if name != "" && slices.Contains(r.names, name) {
				j.Using = append(j.Using, name)
			}
		}
	}
	b := &joinBuilder{p: p, j: j, l: l, r: r}
	if len(j.Using) > 0 {
		b.using()
	} else if n.Quals != nil {
		j.Quals = p.joinOn(n.Quals, mine)
	}
	item := b.finish()

	// With an alias the inputs' names are hidden; else they stay, their columns being reached through the join.
	if j.Alias != nil {
		mine = nil
	} else {
		setColumnsVisible(mine, false)
	}
	if j.UsingAlias != nil {
		u := &nsItem{names: j.UsingAlias, rte: item.rte, index: item.index, cols: item.cols[:len(j.Using)], relVisible: true, lateralOK: true}
		u.names = &query.Alias{Name: j.UsingAlias.Name, Cols: j.Using}
		checkConflicts([]*nsItem{u}, mine)
		mine = append(mine, u)
		item.rte.JoinUsingAlias = u.names
		j.UsingAlias = u.names
	}
	item.relVisible, item.colsVisible, item.lateralOK = j.Alias != nil, true, true
	return j, item, append(mine, item)
}

// joinOn analyses an ON condition: it sees the two inputs only.
func (p *state) joinOn(quals *node, names []*nsItem) query.Expr {
	setLateral(names, false, true)
	saved := p.namespace
	p.namespace = names
	e := p.whereClause(quals, kindJoinOn, "JOIN/ON")
	p.namespace = saved
	return e
}

// joinBuilder makes the output columns of a join.
type joinBuilder struct {
	p            *state
	j            *query.JoinExpr
	l, r         joinSide
	names        []string
	cols         []nsColumn
	vars         []query.Expr
	lefts        []int
	rights       []int
	usedL, usedR map[int]bool
}

// using finds the USING columns on both sides, makes the condition and the merged columns.
func (b *joinBuilder) using() {
	b.usedL, b.usedR = map[int]bool{}, map[int]bool{}
	for i, name := range b.j.Using {
		if slices.Contains(b.j.Using[:i], name) {
			throw(pgerr.New(pgerr.DuplicateColumn, "column name \"%s\" appears more than once in USING clause", name))
		}
		li, ri := findUsing(b.l.names, name, "left"), findUsing(b.r.names, name, "right")
		b.lefts, b.rights = append(b.lefts, li+1), append(b.rights, ri+1)
		b.usedL[li], b.usedR[ri] = true, true
	}
	var conds []query.Expr
	for i := range b.j.Using {
		lv, rv := b.l.item.cols[b.lefts[i]-1].makeVar(0, -1), b.r.item.cols[b.rights[i]-1].makeVar(0, -1)
		b.p.markSelected(lv)
		b.p.markSelected(rv)
		conds = append(conds, b.p.operatorCall([]string{"="}, lv, rv, -1))
		b.names = append(b.names, b.j.Using[i])
		b.addMerged(lv, rv)
	}
	q := conds[0]
	if len(conds) > 1 {
		q = &query.BoolExpr{Op: query.And, Args: conds, Loc: -1}
	}
	q = b.p.coerceToBoolean(q, "JOIN/USING")
	b.p.assignCollations(q)
	b.j.Quals = q
}

func findUsing(names []string, name, side string) int {
	found := -1
	for i, n := range names {
		if n == name {
			if found >= 0 {
				throw(pgerr.New(pgerr.AmbiguousColumn, "common column name \"%s\" appears more than once in %s table", name, side))
			}
			found = i
		}
	}
	if found < 0 {
		throw(pgerr.New(pgerr.UndefinedColumn, "column \"%s\" specified in USING clause does not exist in %s table", name, side))
	}
	return found
}

// addMerged adds the one output column of two USING columns: one of the two when it needs no coercion, else the join's own column.
func (b *joinBuilder) addMerged(lv, rv *query.Var) {
	v := b.p.mergedJoinColumn(b.j.Type, lv, rv)
	b.vars = append(b.vars, v)
	i := len(b.vars) - 1
	col := nsColumn{varNo: -1, attNo: int16(i + 1), typ: v.Type(), mod: v.TypMod(), coll: v.Collation(), synNo: -1, synAttNo: int16(i + 1)}
	switch v {
	case query.Expr(lv):
		col = b.l.item.cols[b.lefts[i]-1]
	case query.Expr(rv):
		col = b.r.item.cols[b.rights[i]-1]
	}
	b.cols = append(b.cols, col)
}

// mergedJoinColumn makes the value of a merged column.
func (p *state) mergedJoinColumn(t query.JoinType, lv, rv *query.Var) query.Expr {
	typ := p.commonType([]query.Expr{lv, rv}, "JOIN/USING", nil)
	mod := commonTypMod([]query.Expr{lv, rv}, typ)
	coerce := func(v *query.Var) query.Expr {
		switch {
		case v.TypeOID != typ:
			return p.coerceType(v, v.TypeOID, typ, mod, coercionImplicit, query.CoerceImplicitCast, -1)
		case v.Mod != mod:
			return &query.RelabelType{Arg: v, TypeOID: typ, Mod: mod, Form: query.CoerceImplicitCast, Loc: -1}
		}
		return v
	}
	l, r := coerce(lv), coerce(rv)
	var e query.Expr
	switch t {
	case query.JoinInner:
		e = l
		if _, ok := l.(*query.Var); !ok {
			if _, ok := r.(*query.Var); ok {
				e = r
			}
		}
	case query.JoinLeft:
		e = l
	case query.JoinRight:
		e = r
	default:
		e = &query.CoalesceExpr{TypeOID: typ, Args: []query.Expr{l, r}, Loc: -1}
	}
	p.assignCollations(e)
	return e
}

// finish adds the remaining columns and makes the join's entry.
func (b *joinBuilder) finish() *nsItem {
	merged := len(b.vars)
	b.rest(b.l, b.usedL, true)
	b.rest(b.r, b.usedR, false)
	item := b.p.addJoin(b.j, b.names, b.cols, merged, b.vars, b.lefts, b.rights, b.j.Alias)
	b.j.RTIndex = item.index
	for i := range item.cols {
		c := &item.cols[i]
		if c.varNo < 0 {
			c.varNo, c.synNo = item.index, item.index
		}
		if b.j.Alias != nil {
			c.synNo, c.synAttNo = item.index, int16(i+1)
		}
	}
	b.p.joinExprs[item.index] = b.j
	return b.p.remember(item)
}

func (b *joinBuilder) rest(side joinSide, used map[int]bool, left bool) {
	for i, name := range side.names {
		c := side.item.cols[i]
		if used[i] || name == "" {
			continue
		}
		b.names = append(b.names, name)
		b.cols = append(b.cols, c)
		b.vars = append(b.vars, c.makeVar(0, -1))
		if left {
			b.lefts = append(b.lefts, i+1)
		} else {
			b.rights = append(b.rights, i+1)
		}
	}
}
