package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// joinItem is an item of a join problem: one relation, or a nested problem to be solved first.
type joinItem struct {
	rel int
	sub []joinItem
}

// addVars notes that Vars are needed by the relations `where` (a join, or above); top: by the final target list.
func (r *root) addVars(vars []*query.Var, where Relids, top bool) {
	for _, v := range vars {
		rel := r.rels[v.VarNo]
		if rel == nil {
			continue
		}
		if where.subsetOf(rel.relids) && !top {
			continue
		}
		if _, known := rel.attrNeeded[v.AttNo]; !known {
			rel.target.exprs = append(rel.target.exprs, &query.Var{VarNo: v.VarNo, AttNo: v.AttNo, TypeOID: v.TypeOID, Mod: v.Mod, Coll: v.Coll,
				Loc: -1, SynNo: v.SynNo, SynAttNo: v.SynAttNo})
		}
		rel.attrNeeded[v.AttNo] = rel.attrNeeded[v.AttNo].or(where)
		if top {
			rel.attrTop[v.AttNo] = true
		}
	}
}

// buildBaseTlists notes what the final target list and HAVING need of the base relations.
func (r *root) buildBaseTlists(final []*query.TargetEntry) {
	for _, t := range final {
		r.addVars(varsOf(t.Expr), Relids{}, true)
	}
	if r.q.Having != nil {
		r.addVars(varsOf(r.q.Having), Relids{}, true)
	}
}

// findLateral notes the lateral references of subqueries, functions and VALUES to other relations.
func (r *root) findLateral() {
	if !r.hasLateral {
		return
	}
	for i := 1; i < len(r.rels); i++ {
		rel := r.rels[i]
		if rel == nil || !rel.rte.Lateral {
			continue
		}
		vars := lateralVarsOf(rel.rte)
		for _, v := range vars {
			rel.lateralVars = append(rel.lateralVars, v)
			rel.directLateral.add(v.VarNo)
		}
		r.addVars(vars, rel.relids, false)
	}
}

func lateralVarsOf(e *query.RTE) (vars []*query.Var) {
	add := func(x query.Expr, d int) bool {
		if v, ok := x.(*query.Var); ok && v.LevelsUp == d {
			c := *v
			c.LevelsUp = 0
			vars = append(vars, &c)
		}
		return true
	}
	switch e.Kind {
	case query.RTESubquery:
		visitQuery(e.Subquery, 1, add)
	case query.RTEFunction:
		for _, f := range e.Functions {
			visitDeep(f.Expr, 0, add)
		}
	case query.RTEValues:
		for _, row := range e.Values {
			for _, x := range row {
				visitDeep(x, 0, add)
			}
		}
	case query.RTERelation:
		if e.TableSample != nil {
			for _, x := range e.TableSample.Args {
				visitDeep(x, 0, add)
			}
		}
	}
	return vars
}

// closeLateral makes lateral references transitive and notes who is referenced.
func (r *root) closeLateral() {
	if !r.hasLateral {
		return
	}
	any := false
	for _, rel := range r.rels {
		if rel != nil {
			rel.lateral = rel.directLateral
			any = any || !rel.lateral.empty()
		}
	}
	if !any {
		r.hasLateral = false
		return
	}
	for changed := true; changed; {
		changed = false
		for _, rel := range r.rels {
			if rel == nil {
				continue
			}
			all := rel.lateral
			rel.lateral.each(func(i int) {
				if r.rels[i] != nil {
					all = all.or(r.rels[i].lateral)
				}
			})
			if all != rel.lateral {
				rel.lateral, changed = all, true
			}
		}
	}
	for i, rel := range r.rels {
		if rel == nil {
			continue
		}
		rel.lateral.each(func(j int) {
			if r.rels[j] != nil {
				r.rels[j].lateralReferencers.add(i)
			}
		})
	}
}

// scopeInfo is what deconstruct finds out about a part of the join tree.
type scopeInfo struct {
	scope Relids // base relations in it
	inner Relids // those inside inner joins
	list  []joinItem
}

type postponed struct {
	qual   query.Expr
	relids Relids
}

// deconstruct takes the join tree apart: conditions go to the relations or joins where they can be checked, outer joins become specialJoins,
// and the result is the list of what to join.
func (r *root) deconstruct() []joinItem {
	var late []postponed
	s := r.decon(r.q.JoinTree, false, &late)
	if len(late) > 0 {
		fail(pgerr.NotSupported("a lateral reference from a join condition to an outer relation"))
	}
	return s.list
}

func (r *root) decon(t query.FromItem, below bool, late *[]postponed) scopeInfo {
	switch t := t.(type) {
	case *query.RangeTblRef:
		s := scopeInfo{scope: relid(t.Index), list: []joinItem{{rel: t.Index}}}
		for level, q := range r.rte(t.Index).SecurityQuals {
			for _, c := range implicitAnd(q) {
				r.distribute(c, distributeArgs{below: below, security: level, scope: s.scope, ojscope: s.scope, hasOJScope: true}, late)
			}
		}
		return s
	case *query.FromExpr:
		return r.deconFrom(t, below, late)
	case *query.JoinExpr:
		return r.deconJoin(t, below, late)
	}
	panic(broken("unknown join tree item"))
}

func (r *root) deconFrom(t *query.FromExpr, below bool, late *[]postponed) scopeInfo {
	var s scopeInfo
	var mine []postponed
	remaining := len(t.Items)
	for _, x := range t.Items {
		sub := r.decon(x, below, &mine)
		s.scope = s.scope.or(sub.scope)
		s.inner = sub.inner
		remaining--
		if len(sub.list) <= 1 || len(s.list)+len(sub.list)+remaining <= r.g.set.FromCollapseLimit {
			s.list = append(s.list, sub.list...)
		} else {
			s.list = append(s.list, joinItem{sub: sub.list})
		}
	}
	if len(t.Items) > 1 {
		s.inner = s.scope
	}
	args := distributeArgs{below: below, security: r.qualSecurityLevel, scope: s.scope}
	for _, p := range mine {
		if p.relids.subsetOf(s.scope) {
			r.distribute(p.qual, args, late)
		} else {
			*late = append(*late, p)
		}
	}
	for _, q := range implicitAnd(t.Quals) {
		r.distribute(q, args, late)
	}
	return s
}

func (r *root) deconJoin(t *query.JoinExpr, below bool, late *[]postponed) scopeInfo {
	var mine []postponed
	belowL := below || t.Type == query.JoinFull
	belowR := below || t.Type == query.JoinFull || t.Type == query.JoinLeft || t.Type == query.JoinAnti
	l := r.decon(t.Left, belowL, &mine)
	rt := r.decon(t.Right, belowR, &mine)
	s := scopeInfo{scope: l.scope.or(rt.scope), inner: l.inner.or(rt.inner)}
	var nonnullable, nullable Relids
	switch t.Type {
	case query.JoinInner:
		s.inner = s.scope
	case query.JoinLeft, query.JoinAnti:
		nonnullable, nullable = l.scope, rt.scope
	case query.JoinFull:
		nonnullable, nullable = s.scope, s.scope
	}
	r.nullable = r.nullable.or(nullable)
	var quals []query.Expr
	for _, p := range mine {
		if p.relids.subsetOf(s.scope) {
			quals = append(quals, p.qual)
		} else {
			*late = append(*late, p)
		}
	}
	quals = append(quals, implicitAnd(t.Quals)...)
	args := distributeArgs{below: below, jointype: t.Type, security: r.qualSecurityLevel, scope: s.scope, nonnullable: nonnullable}
	var sj *specialJoin
	if t.Type != query.JoinInner {
		sj = r.makeSpecial(t, l.scope, rt.scope, s.inner, quals)
		if t.Type != query.JoinSemi {
			args.ojscope, args.hasOJScope = sj.minLeft.or(sj.minRight), true
		}
	}
	for _, q := range quals {
		r.distribute(q, args, late)
	}
	if sj != nil {
		r.specials = append(r.specials, sj)
	}
	s.list = r.combineLists(t.Type, l.list, rt.list)
	return s
}

func (r *root) combineLists(typ query.JoinType, l, rt []joinItem) []joinItem {
	wrap := func(list []joinItem) joinItem {
		if len(list) == 1 {
			return list[0]
		}
		return joinItem{sub: list}
	}
	switch {
	case typ == query.JoinFull:
		return []joinItem{{sub: []joinItem{wrap(l), wrap(rt)}}}
	case len(l)+len(rt) <= r.g.set.JoinCollapseLimit:
		return append(append([]joinItem(nil), l...), rt...)
	}
	return []joinItem{wrap(l), wrap(rt)}
}

// makeSpecial computes an outer or semi join's constraints on join order.
func (r *root) makeSpecial(t *query.JoinExpr, left, right, inner Relids, quals []query.Expr) *specialJoin {
	for _, m := range r.q.RowMarks {
		if right.has(m.RTIndex) || t.Type == query.JoinFull && left.has(m.RTIndex) {
			fail(pgerr.New(pgerr.FeatureNotSupported, "%s cannot be applied to the nullable side of an outer join", lockName(m.Strength)))
		}
	}
	sj := &specialJoin{synLeft: left, synRight: right, typ: t.Type, rtindex: t.RTIndex}
	r.semijoinInfo(sj, quals)
	if t.Type == query.JoinFull {
		sj.minLeft, sj.minRight = left, right
		return sj
	}
	clause := varRelidsList(quals)
	strict := r.g.nonnullableOfQuals(quals)
	sj.lhsStrict = strict.overlaps(left)
	minL, minR := clause.and(left), clause.or(inner).and(right)
	semi := t.Type == query.JoinSemi || t.Type == query.JoinAnti
	for _, o := range r.specials {
		both := o.synLeft.or(o.synRight)
		if o.typ == query.JoinFull {
			if left.overlaps(both) {
				minL = minL.or(both)
			}
			if right.overlaps(both) {
				minR = minR.or(both)
			}
			continue
		}
		if left.overlaps(o.synRight) && clause.overlaps(o.synRight) && (semi || !strict.overlaps(o.minRight)) {
			minL = minL.or(both)
		}
		if right.overlaps(o.synRight) && (clause.overlaps(o.synRight) || !clause.overlaps(o.minLeft) || semi ||
			o.typ == query.JoinSemi || o.typ == query.JoinAnti || !o.lhsStrict || o.delayUpper) {
			minR = minR.or(both)
		}
	}
	if minL.empty() {
		minL = left
	}
	if minR.empty() {
		minR = right
	}
	sj.minLeft, sj.minRight = minL, minR
	return sj
}

func lockName(s query.LockStrength) string {
	return [...]string{"", "FOR KEY SHARE", "FOR SHARE", "FOR NO KEY UPDATE", "FOR UPDATE"}[s]
}

// semijoinInfo finds whether a semi-join's right side could be made unique and inner-joined instead.
func (r *root) semijoinInfo(sj *specialJoin, quals []query.Expr) {
	if sj.typ != query.JoinSemi {
		return
	}
	allBT, allHash := true, true
	for _, q := range quals {
		o, ok := q.(*query.OpExpr)
		if !ok || len(o.Args) != 2 {
			if r.g.volatile(q) || varRelids(q).overlaps(sj.synRight) {
				return
			}
			continue
		}
		lv, rv := varRelids(o.Args[0]), varRelids(o.Args[1])
		all := lv.or(rv)
		if !all.overlaps(sj.synRight) {
			if r.g.volatile(q) {
				return
			}
			continue
		}
		op, rhs := o.OpOID, o.Args[1]
		switch {
		case rv.subsetOf(sj.synRight) && !rv.empty() && !lv.overlaps(sj.synRight):
		case lv.subsetOf(sj.synRight) && !lv.empty() && !rv.overlaps(sj.synRight):
			if op = r.g.oper(op).Commutator; op == 0 {
				return
			}
			rhs = o.Args[0]
		default:
			return
		}
		if len(r.g.mergeFamilies(op)) == 0 {
			allBT = false
		}
		if !r.g.opHashable(op, rhs.Type()) {
			allHash = false
		}
		if !allBT && !allHash {
			return
		}
		sj.semiOps, sj.semiRHS = append(sj.semiOps, op), append(sj.semiRHS, rhs)
	}
	if len(sj.semiOps) == 0 || r.g.volatileAny(sj.semiRHS) {
		sj.semiOps, sj.semiRHS = nil, nil
		return
	}
	sj.semiCanBTree, sj.semiCanHash = allBT, allHash
}
