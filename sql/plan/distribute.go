package plan

import "github.com/calfdb/calf/sql/query"

// distributeArgs is where in the join tree a condition stands.
type distributeArgs struct {
	below       bool // below an outer join
	jointype    query.JoinType
	security    int
	scope       Relids // relations of its syntactic level
	ojscope     Relids // of an outer join's own condition: what must be joined first
	hasOJScope  bool
	nonnullable Relids // the outer join's non-nullable side
}

// distribute puts one condition where it can be checked: at a relation, at a join, or into an equivalence class.
func (r *root) distribute(clause query.Expr, a distributeArgs, late *[]postponed) {
	rels := varRelids(clause)
	if !rels.subsetOf(a.scope) {
		*late = append(*late, postponed{clause, rels})
		return
	}
	pseudo := false
	if rels.empty() {
		if a.hasOJScope {
			rels = a.ojscope
		} else {
			rels = a.scope
			if !r.g.volatile(clause) {
				pseudo, r.hasPseudoconst = true, true
				if !a.below {
					rels = joinTreeRels(r.q.JoinTree)
					a.scope = rels
				}
			}
		}
	}
	var ri *restrict
	maybeEC, maybeOJ := false, false
	if rels.overlaps(a.nonnullable) {
		_, nullable, delayed := r.outerJoinDelay(rels, false)
		rels = a.ojscope
		maybeOJ = true
		ri = r.makeRestrict(clause, restrictArgs{delayed: delayed, security: a.security, required: rels, outer: a.nonnullable, nullable: nullable})
	} else {
		wide, nullable, delayed := r.outerJoinDelay(rels, true)
		rels = wide
		if delayed {
			if r.redundantNullTest(clause) {
				return
			}
		} else {
			maybeEC = true
			a.below = a.below || !a.nonnullable.empty()
		}
		ri = r.makeRestrict(clause, restrictArgs{pushed: true, delayed: delayed, pseudo: pseudo, security: a.security, required: rels,
			outer: a.nonnullable, nullable: nullable})
	}
	if rels.count() > 1 {
		r.addVars(varsOf(clause), rels, false)
	}
	r.checkMergeable(ri)
	if len(ri.families) > 0 {
		switch {
		case maybeEC:
			if r.ecDelayOK(ri) {
				done, replaced := r.processEquivalence(ri, a.below)
				if done {
					return
				}
				ri = replaced
			}
			if len(ri.families) > 0 {
				r.initMergeECs(ri)
			}
		case maybeOJ && ri.canJoin:
			r.initMergeECs(ri)
			switch {
			case ri.left.subsetOf(a.nonnullable) && !ri.right.overlaps(a.nonnullable):
				r.lefts = append(r.lefts, ri)
				return
			case ri.right.subsetOf(a.nonnullable) && !ri.left.overlaps(a.nonnullable):
				r.rights = append(r.rights, ri)
				return
			case a.jointype == query.JoinFull:
				r.fulls = append(r.fulls, ri)
				return
			}
		default:
			r.initMergeECs(ri)
		}
	}
	r.distributeRestrict(ri)
}

// outerJoinDelay widens the relations that a condition must wait for by the outer joins that may null what it reads.
func (r *root) outerJoinDelay(rels Relids, pushed bool) (wide, nullable Relids, delayed bool) {
	wide = rels
	for again := len(r.specials) > 0; again; {
		again = false
		for _, s := range r.specials {
			if !wide.overlaps(s.minRight) && !(s.typ == query.JoinFull && wide.overlaps(s.minLeft)) {
				continue
			}
			if both := s.minLeft.or(s.minRight); !both.subsetOf(wide) {
				wide, delayed, again = wide.or(both), true, true
			}
			nullable = nullable.or(s.minRight)
			if s.typ == query.JoinFull {
				nullable = nullable.or(s.minLeft)
			}
			if pushed && s.typ != query.JoinFull && wide.overlaps(s.minLeft) {
				s.delayUpper = true
			}
		}
	}
	return wide, nullable.and(rels), delayed
}

func (r *root) ecDelayOK(ri *restrict) bool {
	if len(r.specials) == 0 {
		return true
	}
	_, _, dl := r.outerJoinDelay(ri.left, true)
	_, _, dr := r.outerJoinDelay(ri.right, true)
	return !dl && !dr
}

// redundantNullTest: x IS NULL over an anti-join that already ensures it.
func (r *root) redundantNullTest(clause query.Expr) bool {
	vs := forcedNullVars([]query.Expr{clause})
	if len(vs) == 0 {
		return false
	}
	nt, ok := clause.(*query.NullTest)
	if !ok || nt.IsNot {
		return false
	}
	for _, s := range r.specials {
		if s.typ == query.JoinAnti && s.synRight.has(vs[0].no) {
			return true
		}
	}
	return false
}

type restrictArgs struct {
	pushed, delayed, pseudo   bool
	security                  int
	required, outer, nullable Relids
}

// makeRestrict wraps a condition.
func (r *root) makeRestrict(clause query.Expr, a restrictArgs) *restrict {
	ri := &restrict{clause: clause, pushedDown: a.pushed, outerjoinDelayed: a.delayed, pseudoconst: a.pseudo, security: a.security,
		outerRelids: a.outer, nullableRelids: a.nullable, normSel: -1, outerSel: -1, leftBucket: -1, rightBucket: -1, leftMCV: -1, rightMCV: -1}
	if a.security > 0 {
		ri.leakproof = !r.g.leaky(clause)
	}
	ri.clauseRelids = varRelids(clause)
	if o, ok := clause.(*query.OpExpr); ok && len(o.Args) == 2 {
		ri.left, ri.right = varRelids(o.Args[0]), varRelids(o.Args[1])
		ri.canJoin = !ri.left.empty() && !ri.right.empty() && !ri.left.overlaps(ri.right)
		r.setMemoOps(ri, o)
	}
	if b, ok := clause.(*query.BoolExpr); ok && b.Op == query.Or {
		ri.or = r.orArms(b, a)
	}
	ri.required = a.required
	if a.required.empty() {
		ri.required = ri.clauseRelids
	}
	if ri.canJoin {
		r.setHashOp(ri)
	}
	return ri
}

// orArms wraps the parts of an OR's arms, for index matching and selectivity: each arm is a list of ANDed restricts.
func (r *root) orArms(b *query.BoolExpr, a restrictArgs) [][]any {
	arms := make([][]any, len(b.Args))
	for i, arm := range b.Args {
		for _, p := range implicitAnd(arm) {
			arms[i] = append(arms[i], r.makeRestrict(p, restrictArgs{pushed: a.pushed, delayed: a.delayed, security: a.security, outer: a.outer,
				nullable: a.nullable}))
		}
	}
	return arms
}

func (r *root) setHashOp(ri *restrict) {
	o, ok := ri.clause.(*query.OpExpr)
	if ok && !ri.pseudoconst && r.g.opHashable(o.OpOID, o.Args[0].Type()) && !r.g.volatile(ri.clause) {
		ri.hashOp = o.OpOID
	}
}

func (r *root) setMemoOps(ri *restrict, o *query.OpExpr) {
	if r.g.volatile(o.Args[0]) || r.g.volatile(o.Args[1]) {
		return
	}
	ri.memoLeft = r.g.memoEquality(o.Args[0].Type())
	ri.memoRight = r.g.memoEquality(o.Args[1].Type())
}

func (r *root) checkMergeable(ri *restrict) {
	o, ok := ri.clause.(*query.OpExpr)
	if ri.pseudoconst || !ok || len(o.Args) != 2 {
		return
	}
	if r.g.opMergeable(o.OpOID, o.Args[0].Type()) && !r.g.volatile(ri.clause) {
		ri.families = r.g.mergeFamilies(o.OpOID)
	}
}

// distributeRestrict adds a condition to its relation, or to all relations of its join.
func (r *root) distributeRestrict(ri *restrict) {
	if i := ri.required.single(); i > 0 {
		rel := r.rels[i]
		rel.restricts = append(rel.restricts, ri)
		rel.baseMinSecurity = min(rel.baseMinSecurity, ri.security)
		return
	}
	ri.required.each(func(i int) {
		if r.rels[i] != nil {
			r.rels[i].joinInfo = append(r.rels[i].joinInfo, ri)
		}
	})
}
