package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// setOpName names a set operation in messages.
func setOpName(s *pg_query.SelectStmt) string {
	switch s.Op {
	case pg_query.SetOperation_SETOP_UNION:
		return "UNION"
	case pg_query.SetOperation_SETOP_INTERSECT:
		return "INTERSECT"
	}
	return "EXCEPT"
}

// setOperation analyses UNION, INTERSECT and EXCEPT: the leaves become sub-selects of the range table, and the top query has dummy targets that
// refer to the leftmost leaf.
func (p *state) setOperation(s *pg_query.SelectStmt) *query.Query {
	q := &query.Query{Command: query.CmdSelect}
	left := s.Larg
	for left != nil && left.Op != pg_query.SetOperation_SETOP_NONE {
		left = left.Larg
	}
	p.refuseInto(left)
	// The clauses of the whole are on the top node.
	p.withClause(q, s.WithClause)
	if len(s.LockingClause) > 0 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "%s is not allowed with UNION/INTERSECT/EXCEPT", lockName(s.LockingClause[0].GetLockingClause().Strength)))
	}
	bare := &pg_query.SelectStmt{Op: s.Op, All: s.All, Larg: s.Larg, Rarg: s.Rarg}
	b := &setBuilder{p: p}
	tree, first := b.node(bare, true, nil)
	q.SetOp = tree
	op := tree.(*query.SetOperation)

	var targets []*query.TargetEntry
	var vars []query.Expr
	var names []string
	leftmost := leftmostLeaf(op)
	leftQuery := p.rte(leftmost).Subquery
	for i, t := range first {
		name := leftQuery.Targets[i].Name
		v := &query.Var{VarNo: leftmost, AttNo: int16(t.ResNo), TypeOID: op.ColTypes[i], Mod: op.ColTypMods[i], Coll: op.ColCollations[i],
			Loc: exprLocation(leftQuery.Targets[i].Expr), SynNo: leftmost, SynAttNo: int16(t.ResNo)}
		targets = append(targets, &query.TargetEntry{Expr: v, ResNo: p.nextResNo, Name: name})
		p.nextResNo++
		vars, names = append(vars, v), append(names, name)
	}
	q.Targets = targets
	p.setOpSort(q, s, vars, names)
	p.limit(q, s)
	p.finish(q, nil)
	p.assignQueryCollations(q)
	return q
}

// setOpSort analyses ORDER BY over a set operation: it sees the output columns only, through a join-like entry that is taken away again.
func (p *state) setOpSort(q *query.Query, s *pg_query.SelectStmt, vars []query.Expr, names []string) {
	saveNS, saveRT := p.namespace, len(p.rtable)
	cols := make([]nsColumn, len(vars))
	for i, e := range vars {
		v := e.(*query.Var)
		cols[i] = nsColumn{varNo: v.VarNo, attNo: v.AttNo, typ: v.TypeOID, mod: v.Mod, coll: v.Coll, synNo: v.VarNo, synAttNo: v.AttNo}
	}
	item := p.addJoin(&query.JoinExpr{Type: query.JoinInner}, names, cols, 0, vars, nil, nil, nil)
	item.relVisible, item.colsVisible = false, true
	p.namespace = append(clip(p.namespace), item)
	n := len(q.Targets)
	q.SortBy = p.sortClause(s.SortClause, &q.Targets, kindOrderBy, false)
	p.namespace, p.rtable = saveNS, p.rtable[:saveRT]
	if len(q.Targets) != n {
		throw(pgerr.New(pgerr.FeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause").
			WithDetail("Only result column names can be used, not expressions or functions.").
			WithHint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.").
			WithLocation(exprLocation(q.Targets[n].Expr)))
	}
}

func leftmostLeaf(n query.SetOpNode) int {
	for {
		op, ok := n.(*query.SetOperation)
		if !ok {
			return n.(*query.RangeTblRef).Index
		}
		n = op.Left
	}
}

// setBuilder builds the tree of a set operation.
type setBuilder struct{ p *state }

// node analyses a branch; the targets that come back stand for its columns, leaves' own expressions so that literals can take a type.
func (b *setBuilder) node(s *pg_query.SelectStmt, top bool, parent *pg_query.SelectStmt) (query.SetOpNode, []*query.TargetEntry) {
	p := b.p
	p.enter()
	defer p.leave()
	if s.IntoClause != nil {
		fail(int(s.IntoClause.GetRel().GetLocation()), pgerr.SyntaxError, "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT")
	}
	if len(s.LockingClause) > 0 {
		throw(pgerr.New(pgerr.FeatureNotSupported, "%s is not allowed with UNION/INTERSECT/EXCEPT", lockName(s.LockingClause[0].GetLockingClause().Strength)))
	}
	isLeaf := s.Op == pg_query.SetOperation_SETOP_NONE || len(s.SortClause) > 0 || s.LimitOffset != nil || s.LimitCount != nil || s.WithClause != nil
	if isLeaf && !top {
		return b.leaf(s)
	}
	op := &query.SetOperation{All: s.All, Op: map[pg_query.SetOperation]query.SetOpKind{pg_query.SetOperation_SETOP_UNION: query.SetOpUnion,
		pg_query.SetOperation_SETOP_INTERSECT: query.SetOpIntersect, pg_query.SetOperation_SETOP_EXCEPT: query.SetOpExcept}[s.Op]}
	recursive := top && p.parentCTE != nil && p.parentCTE.Recursive
	var left, right []*query.TargetEntry
	op.Left, left = b.node(s.Larg, false, s)
	if recursive {
		// The recursive term may refer to the CTE, whose columns are now those of the left side.
		p.setRecursiveColumns(p.parentCTE, left)
	}
	op.Right, right = b.node(s.Rarg, false, s)
	name := setOpName(s)
	if len(left) != len(right) {
		fail(targetsLocation(right), pgerr.SyntaxError, "each %s query must have the same number of columns", name)
	}
	var out []*query.TargetEntry
	for i := range left {
		out = append(out, b.column(op, left[i], right[i], name, recursive))
	}
	return op, out
}

func targetsLocation(list []*query.TargetEntry) int {
	for _, t := range list {
		if at := exprLocation(t.Expr); at >= 0 {
			return at
		}
	}
	return -1
}

// leaf makes a sub-select of a branch that is a query of its own.
func (b *setBuilder) leaf(s *pg_query.SelectStmt) (query.SetOpNode, []*query.TargetEntry) {
	p := b.p
	sub := p.subStatement(&node{Node: &pg_query.Node_SelectStmt{SelectStmt: s}}, nil, false, false)
	if len(p.namespace) > 0 {
		// A member cannot refer to the other members, even LATERALly.
		if at, ok := queryVarsAtLevel(sub, 1); ok {
			fail(at, pgerr.InvalidColumnReference, "UNION/INTERSECT/EXCEPT member statement cannot refer to other relations of same query level")
		}
	}
	item := p.addSubquery(sub, &query.Alias{Name: "*SELECT* " + itoa(len(p.rtable)+1)}, false, false)
	return &query.RangeTblRef{Index: item.index}, visibleTargets(sub)
}

func queryVarsAtLevel(q *query.Query, level int) (at int, found bool) {
	query.WalkQueryLevels(q, func(e query.Expr, l int) bool {
		if v, ok := e.(*query.Var); ok && v.LevelsUp == level+l && !found {
			at, found = v.Loc, true
		}
		return !found
	})
	return at, found
}

// column resolves the type of one output column of a set operation.
func (b *setBuilder) column(op *query.SetOperation, l, r *query.TargetEntry, name string, recursive bool) *query.TargetEntry {
	p := b.p
	le, re := l.Expr, r.Expr
	lt, rt := le.Type(), re.Type()
	var best query.Expr
	typ := p.commonType([]query.Expr{le, re}, name, &best)
	at := exprLocation(best)
	le = b.coerceColumn(l, le, lt, typ, name)
	re = b.coerceColumn(r, re, rt, typ, name)
	mod := commonTypMod([]query.Expr{le, re}, typ)
	coll := p.selectCollation([]query.Expr{le, re}, op.Op == query.SetOpUnion && op.All)
	op.ColTypes = append(op.ColTypes, typ)
	op.ColTypMods = append(op.ColTypMods, mod)
	op.ColCollations = append(op.ColCollations, coll)
	if op.Op != query.SetOpUnion || !op.All {
		ops := p.sortGroupOperators(typ, false, true, false, at)
		hashable := ops.hashable
		op.Groups = append(op.Groups, &query.SortGroupClause{EqOp: ops.eq, SortOp: ops.lt, Hashable: hashable})
	}
	return &query.TargetEntry{Expr: &query.SetToDefault{TypeOID: typ, Mod: mod, Coll: coll, Loc: at}, ResNo: l.ResNo, Name: l.Name}
}

// coerceColumn gives an unknown literal of a leaf the column's type, and otherwise checks that the coercion exists.
func (b *setBuilder) coerceColumn(t *query.TargetEntry, e query.Expr, from, to OID, name string) query.Expr {
	p := b.p
	if from != types.UnknownOID {
		return p.coerceToCommon(e, to, name)
	}
	switch e.(type) {
	case *query.Const, *query.Param:
		e = p.coerceToCommon(e, to, name)
		t.Expr = e
	}
	return e
}
