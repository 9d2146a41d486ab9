package plan

import (
	"math"
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// groupingSets is how a query's grouping sets are to be computed: rollups are chains of sets that one sort serves, unsortable sets must be
// hashed.
type groupingSets struct {
	sets       [][]uint32 // all, expanded
	rollups    []*rollup
	unsortable []*groupSet
	anyHash    bool
	hashGroups float64 // estimated groups of the unsortable sets
}

// groupSet is one grouping set.
type groupSet struct {
	refs   []uint32
	groups float64
}

// rollup computes grouping sets in one pass over input sorted by groups, largest set first, or (hashed) one set by a hash table.
type rollup struct {
	groups   []*query.SortGroupClause
	sets     []*groupSet
	num      float64
	hashable bool
	hashed   bool
}

// indexes gives each set as positions in the rollup's columns.
func (u *rollup) indexes() (out [][]int) {
	for _, s := range u.sets {
		set := []int{}
		for _, r := range s.refs {
			set = append(set, slices.IndexFunc(u.groups, func(g *query.SortGroupClause) bool { return g.Ref == r }))
		}
		out = append(out, set)
	}
	return out
}

// preprocessGroupingSets divides the grouping sets into rollups.
func (r *root) preprocessGroupingSets() *groupingSets {
	q := r.q
	gs := &groupingSets{sets: query.ExpandGroupingSets(q.GroupingSets, q.GroupDistinct, -1)}
	unsortable, unhashable := map[uint32]bool{}, map[uint32]bool{}
	for _, g := range q.GroupBy {
		unsortable[g.Ref], unhashable[g.Ref] = g.SortOp == 0, !g.Hashable
	}
	among := func(set []uint32, m map[uint32]bool) bool {
		return slices.ContainsFunc(set, func(x uint32) bool { return m[x] })
	}
	var sortableSets [][]uint32
	for _, s := range gs.sets {
		if !among(s, unsortable) {
			sortableSets = append(sortableSets, s)
			continue
		}
		if among(s, unhashable) {
			failGroupBy()
		}
		gs.unsortable = append(gs.unsortable, &groupSet{refs: s})
		gs.anyHash = true
	}
	if len(sortableSets) == 0 {
		return gs
	}
	chains := rollupChains(sortableSets)
	for _, c := range chains {
		var order []*query.SortGroupClause
		if len(chains) == 1 {
			order = q.SortBy
		}
		u := &rollup{sets: orderChain(c, order)}
		first := u.sets[0].refs
		u.groups = r.groupClauses(first)
		u.hashable = len(first) > 0 && !among(first, unhashable)
		gs.anyHash = gs.anyHash || u.hashable
		gs.rollups = append(gs.rollups, u)
	}
	return gs
}

func failGroupBy() {
	fail(pgerr.New(pgerr.FeatureNotSupported, "could not implement GROUP BY").
		WithDetail("Some of the datatypes only support hashing, while others only support sorting."))
}

// groupClauses gives the GROUP BY clauses of references, in their order.
func (r *root) groupClauses(refs []uint32) (out []*query.SortGroupClause) {
	for _, ref := range refs {
		for _, g := range r.q.GroupBy {
			if g.Ref == ref {
				out = append(out, g)
				break
			}
		}
	}
	return out
}

// rollupChains finds the fewest chains of sets in which each set contains the one before: a minimum chain cover, by a maximum matching
// between sets and their subsets. Sets come shortest first; empty ones join the first chain.
func rollupChains(sets [][]uint32) (chains [][][]uint32) {
	empty := 0
	for empty < len(sets) && len(sets[empty]) == 0 {
		empty++
	}
	if empty == len(sets) {
		return [][][]uint32{sets}
	}
	orig := [][][]uint32{nil} // by number from 1: a set and its duplicates
	masks := []map[uint32]bool{nil}
	adjacency := [][]int{nil}
	from, size := 0, 0 // first number of the sets of the current size
next:
	for _, s := range sets[empty:] {
		mask := map[uint32]bool{}
		for _, x := range s {
			mask[x] = true
		}
		if size == len(s) {
			for k := from; k < len(orig); k++ {
				if len(masks[k]) == len(mask) && subset(masks[k], mask) {
					orig[k] = append(orig[k], s)
					continue next
				}
			}
		} else if size < len(s) {
			size, from = len(s), len(orig)
		}
		var adjacent []int
		for k := from - 1; k > 0; k-- {
			if subset(masks[k], mask) {
				adjacent = append(adjacent, k)
			}
		}
		orig, masks, adjacency = append(orig, [][]uint32{s}), append(masks, mask), append(adjacency, adjacent)
	}
	m := match(adjacency)
	chain := make([]int, len(orig))
	for i := 1; i < len(orig); i++ {
		u, v := m.vu[i], m.uv[i]
		switch {
		case u > 0 && u < i:
			chain[i] = chain[u]
		case v > 0 && v < i:
			chain[i] = chain[v]
		default:
			chains = append(chains, nil)
			chain[i] = len(chains)
		}
		chains[chain[i]-1] = append(chains[chain[i]-1], orig[i]...)
	}
	chains[0] = append(slices.Clone(sets[:empty]), chains[0]...)
	return chains
}

func subset(a, b map[uint32]bool) bool {
	for x := range a {
		if !b[x] {
			return false
		}
	}
	return true
}

// orderChain orders the columns of each set of a chain so that each is a prefix of the next, in ORDER BY's order as far as that goes, and
// gives the sets largest first.
func orderChain(chain [][]uint32, order []*query.SortGroupClause) []*groupSet {
	var previous []uint32
	out := make([]*groupSet, len(chain))
	for i, s := range chain {
		var fresh []uint32
		for _, x := range s {
			if !slices.Contains(previous, x) {
				fresh = append(fresh, x)
			}
		}
		for len(order) > len(previous) && len(fresh) > 0 {
			ref := order[len(previous)].Ref
			at := slices.Index(fresh, ref)
			if at < 0 {
				order = nil // no common order any more
				break
			}
			previous, fresh = append(previous, ref), slices.Delete(fresh, at, at+1)
		}
		previous = append(previous, fresh...)
		out[len(chain)-1-i] = &groupSet{refs: slices.Clone(previous)}
	}
	return out
}

// estimateGroupingSets estimates the groups of every set and gives their sum.
func (r *root) estimateGroupingSets(gs *groupingSets, rows float64) (total float64) {
	one := func(s *groupSet) float64 {
		var exprs []query.Expr
		for _, ref := range s.refs {
			exprs = append(exprs, targetByRef(r.processedTargets, ref).Expr)
		}
		s.groups = r.estimateGroups(exprs, rows)
		return s.groups
	}
	if len(r.q.GroupBy) == 0 {
		total = float64(len(gs.sets))
	}
	for _, u := range gs.rollups {
		u.num = 0
		for _, s := range u.sets {
			u.num += one(s)
		}
		if len(r.q.GroupBy) > 0 {
			total += u.num
		}
	}
	for _, s := range gs.unsortable {
		gs.hashGroups += one(s)
	}
	return total + gs.hashGroups
}

func (r *root) hashTableSize(p *path, ac *aggCosts, groups float64) float64 {
	return hashAggEntry(len(r.aggs), p.target.width, ac.space) * groups
}

func (r *root) hashedRollup(s *groupSet) *rollup {
	return &rollup{groups: r.groupClauses(s.refs), sets: []*groupSet{s}, num: s.groups, hashable: true, hashed: true}
}

// groupingSetPaths adds the ways to compute grouping sets over input sorted by the first rollup's columns.
func (r *root) groupingSetPaths(out *rel, p *path, t *pathTarget, canHash bool, gs *groupingSets, ac *aggCosts, having []query.Expr) {
	if len(gs.rollups) == 0 {
		return
	}
	if canHash && gs.anyHash {
		if rollups := r.mixedRollups(p, gs, ac); rollups != nil {
			addPath(out, r.groupingSetsPath(out, p, t, AggMixed, rollups, ac, having))
		}
	}
	if len(gs.unsortable) == 0 {
		addPath(out, r.groupingSetsPath(out, p, t, AggSorted, gs.rollups, ac, having))
	}
}

// mixedRollups hashes beside the sorted first rollup what fits into memory, the other sets being sorted; nil when nothing is to be hashed.
func (r *root) mixedRollups(p *path, gs *groupingSets, ac *aggCosts) (rollups []*rollup) {
	hash := slices.Clone(gs.unsortable)
	space := r.g.hashMem() - r.hashTableSize(p, ac, gs.hashGroups)
	if space > 0 && len(gs.rollups) > 1 {
		scale := max(space/(20*float64(len(gs.rollups))), 1)
		capacity := int(math.Floor(space / scale))
		var weights []int
		for _, u := range gs.rollups[1:] {
			if u.hashable {
				weights = append(weights, int(min(math.Floor(r.hashTableSize(p, ac, u.num)/scale), float64(capacity)+1)))
			}
		}
		if items := knapsack(capacity, weights); len(items) > 0 {
			rollups = append(rollups, gs.rollups[0])
			i := 0
			for _, u := range gs.rollups[1:] {
				if u.hashable && items[i] {
					hash = append(hash, u.sets...)
				} else {
					rollups = append(rollups, u)
				}
				if u.hashable {
					i++
				}
			}
		}
	}
	if rollups == nil && len(hash) > 0 {
		rollups = slices.Clone(gs.rollups)
	}
	for _, s := range hash {
		rollups = append([]*rollup{r.hashedRollup(s)}, rollups...)
	}
	return rollups
}

// knapsack chooses the most items whose weights do not exceed capacity.
func knapsack(capacity int, weights []int) map[int]bool {
	values, sets := make([]int, capacity+1), make([]map[int]bool, capacity+1)
	for i, w := range weights {
		for j := capacity; j >= w; j-- {
			if values[j] <= values[j-w]+1 {
				set := map[int]bool{i: true}
				for k := range sets[j-w] {
					set[k] = true
				}
				sets[j], values[j] = set, values[j-w]+1
			}
		}
	}
	return sets[capacity]
}

// hashedSetPaths computes all grouping sets by hash tables, or all but those of the first rollup when the input is in its order.
func (r *root) hashedSetPaths(out *rel, p *path, t *pathTarget, gs *groupingSets, ac *aggCosts, having []query.Expr, total float64) {
	rest, strategy := gs.rollups, AggHashed
	var sorted *rollup
	exclude := 0.0
	if len(rest) > 0 && containedIn(r.groupPathkeys, p.keys) {
		sorted, exclude, rest = rest[0], rest[0].num, rest[1:]
	}
	if r.hashTableSize(p, ac, total-exclude) > r.g.hashMem() && len(gs.rollups) > 0 {
		return
	}
	sets := slices.Clone(gs.unsortable)
	for _, u := range rest {
		if !u.hashable {
			return
		}
		sets = append(sets, u.sets...)
	}
	var rollups []*rollup
	empty := &rollup{}
	for _, s := range sets {
		if len(s.refs) == 0 {
			empty.sets = append(empty.sets, s)
		} else {
			rollups = append(rollups, r.hashedRollup(s))
		}
	}
	if rollups == nil {
		return
	}
	switch {
	case sorted != nil:
		rollups, strategy = append(rollups, sorted), AggMixed
	case len(empty.sets) > 0:
		empty.num = float64(len(empty.sets))
		rollups, strategy = append(rollups, empty), AggMixed
	}
	addPath(out, r.groupingSetsPath(out, p, t, strategy, rollups, ac, having))
}

func (r *root) groupingSetsPath(out *rel, p *path, t *pathTarget, strategy AggStrategy, rollups []*rollup, ac *aggCosts, having []query.Expr) *path {
	if len(rollups) == 1 {
		switch {
		case strategy == AggSorted && len(rollups[0].groups) == 0:
			strategy = AggPlain
		case strategy == AggMixed:
			strategy = AggHashed
		}
	}
	n := &path{kind: pGroupingSets, rel: out, target: t, param: p.param, sub: p, quals: having, upper: &upperPath{strategy: strategy, rollups: rollups}}
	if strategy == AggSorted && len(rollups) == 1 {
		n.keys = r.groupPathkeys
	}
	firstSort := true
	for i, u := range rollups {
		cols := len(u.sets[0].refs)
		var c, s path
		switch {
		case i == 0:
			r.costAgg(n, strategy, ac, cols, u.num, having, p.startup, p.total, p.rows, p.target.width)
		case u.hashed || firstSort:
			how := AggSorted
			if u.hashed {
				how = AggHashed
			}
			r.costAgg(&c, how, ac, cols, u.num, having, 0, 0, p.rows, p.target.width)
		default:
			r.costSort(&s, 0, 0, p.rows, p.target.width, -1)
			r.costAgg(&c, AggSorted, ac, cols, u.num, having, s.startup, s.total, s.rows, p.target.width)
		}
		firstSort = firstSort && u.hashed
		n.total += c.total
		n.rows += c.rows
	}
	n.startup += t.cost.startup
	n.total += t.cost.startup + t.cost.tuple*n.rows
	return n
}

// emptySetsPath computes grouping sets that are all empty without any aggregate: a row for each, whatever the input.
func (r *root) emptySetsPath(out *rel, one *path, n int) *path {
	if n <= 1 {
		return one
	}
	a := &path{kind: pAppend, rel: out, target: one.target, startup: one.startup}
	for range n {
		c := *one
		a.subs = append(a.subs, &c)
		a.total += one.total
		a.rows += one.rows
	}
	return a
}

// groupingSetsNode makes the Agg of grouping sets: the first rollup is the node's own, the others are its chain.
func (r *root) groupingSetsNode(p *path) Node {
	n := &Agg{Plan: r.base(p), Strategy: p.upper.strategy}
	n.Left = r.node(p.sub, needLabel)
	ts := n.Left.Base().Targets
	r.groupingCols = map[uint32]int{}
	for _, g := range r.q.GroupBy {
		r.groupingCols[g.Ref] = r.groupKeys([]*query.SortGroupClause{g}, ts)[0].Col
	}
	first := p.upper.rollups[0]
	n.NumGroups, n.Keys, n.GroupingSets = max(first.num, 1), r.groupKeys(first.groups, ts), first.indexes()
	n.Quals = r.orderQuals(p.quals)
	firstSort := first.hashed
	for _, u := range p.upper.rollups[1:] {
		c := &Agg{Strategy: AggSorted, Keys: r.groupKeys(u.groups, ts), GroupingSets: u.indexes(), NumGroups: max(u.num, 1)}
		switch {
		case u.hashed:
			c.Strategy = AggHashed
		case len(u.sets[0].refs) == 0:
			c.Strategy = AggPlain
		}
		if !u.hashed && !firstSort {
			s := &Sort{}
			for i, g := range u.groups {
				s.Keys = append(s.Keys, SortKey{Col: c.Keys[i].Col, Op: g.SortOp, Collation: c.Keys[i].Collation, NullsFirst: g.NullsFirst})
			}
			c.Left = s
		}
		firstSort = firstSort && u.hashed
		n.Chain = append(n.Chain, c)
	}
	r.fillGroupingFuncs(n)
	return n
}

// fillGroupingFuncs tells the GROUPING calls which columns of the node's input they ask about.
func (r *root) fillGroupingFuncs(n *Agg) {
	fill := func(e query.Expr) query.Expr {
		return mutate(e, func(x query.Expr) query.Expr {
			g, ok := x.(*query.GroupingFunc)
			if !ok || g.LevelsUp > 0 {
				return nil
			}
			c := *g
			c.Cols = nil
			for _, ref := range g.Refs {
				c.Cols = append(c.Cols, r.groupingCols[ref])
			}
			return &c
		})
	}
	n.Targets = mapTargets(n.Targets, fill)
	n.Quals = mapList(n.Quals, fill)
}
