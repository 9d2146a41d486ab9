package plan

import "slices"

const fuzz = 1.01

func compareCosts(a, b *path, byStartup bool) int {
	x, y := a.total, b.total
	x2, y2 := a.startup, b.startup
	if byStartup {
		x, y, x2, y2 = x2, y2, x, y
	}
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x2 < y2:
		return -1
	case x2 > y2:
		return 1
	}
	return 0
}

// compareFractional compares the costs of fetching a fraction of the rows.
func compareFractional(a, b *path, fraction float64) int {
	if fraction <= 0 || fraction >= 1 {
		return compareCosts(a, b, false)
	}
	x := a.startup + fraction*(a.total-a.startup)
	y := b.startup + fraction*(b.total-b.startup)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

type costOrder uint8

const (
	costEqual costOrder = iota
	costBetter1
	costBetter2
	costDifferent
)

// compareFuzzily compares costs; what differs by less than a factor counts as the same. Startup costs count only where they are of interest.
func compareFuzzily(a, b *path, factor float64) costOrder {
	startupMatters := func(p *path) bool {
		if p.param == nil {
			return p.rel.considerStartup
		}
		return p.rel.considerParamStartup
	}
	switch {
	case a.total > b.total*factor:
		if startupMatters(a) && b.startup > a.startup*factor {
			return costDifferent
		}
		return costBetter2
	case b.total > a.total*factor:
		if startupMatters(b) && a.startup > b.startup*factor {
			return costDifferent
		}
		return costBetter1
	case a.startup > b.startup*factor:
		return costBetter2
	case b.startup > a.startup*factor:
		return costBetter1
	}
	return costEqual
}

type subsetOrder uint8

const (
	setsEqual subsetOrder = iota
	subset1               // the first is part of the second
	subset2
	setsDiffer
)

func compareOuter(a, b Relids) subsetOrder {
	switch {
	case a == b:
		return setsEqual
	case a.subsetOf(b):
		return subset1
	case b.subsetOf(a):
		return subset2
	}
	return setsDiffer
}

// addPath keeps p if no path of the relation is as good in cost, order, parameterisation and rows, and drops those that p dominates.
func addPath(r *rel, p *path) {
	keys := p.keys
	if p.param != nil {
		keys = nil
	}
	at, accept := 0, true
	kept := r.paths[:0:0]
	for i, old := range r.paths {
		drop := false
		c := compareFuzzily(p, old, fuzz)
		if c != costDifferent {
			oldKeys := old.keys
			if old.param != nil {
				oldKeys = nil
			}
			if kc := compareKeys(keys, oldKeys); kc != keysDifferent {
				drop, accept = dominance(p, old, c, kc, accept)
			}
		}
		if !drop {
			kept = append(kept, old)
			if p.total >= old.total {
				at = len(kept)
			}
		}
		if !accept {
			kept = append(kept, r.paths[i+1:]...)
			break
		}
	}
	r.paths = kept
	if accept {
		r.paths = slices.Insert(r.paths, at, p)
	}
}

// dominance decides between a new path and an old one of comparable order: drop the old, reject the new, or neither.
func dominance(p, old *path, c costOrder, kc keysCompare, accept bool) (drop, keep bool) {
	outer := compareOuter(p.requiredOuter(), old.requiredOuter())
	switch c {
	case costEqual:
		switch kc {
		case keysBetter1:
			if (outer == setsEqual || outer == subset1) && p.rows <= old.rows {
				return true, accept
			}
		case keysBetter2:
			if (outer == setsEqual || outer == subset2) && p.rows >= old.rows {
				return false, false
			}
		default:
			switch outer {
			case setsEqual:
				if p.rows < old.rows {
					return true, accept
				}
				if p.rows > old.rows {
					return false, false
				}
				if compareFuzzily(p, old, 1.0000000001) == costBetter1 {
					return true, accept
				}
				return false, false
			case subset1:
				if p.rows <= old.rows {
					return true, accept
				}
			case subset2:
				if p.rows >= old.rows {
					return false, false
				}
			}
		}
	case costBetter1:
		if kc != keysBetter2 && (outer == setsEqual || outer == subset1) && p.rows <= old.rows {
			return true, accept
		}
	case costBetter2:
		if kc != keysBetter1 && (outer == setsEqual || outer == subset2) && p.rows >= old.rows {
			return false, false
		}
	}
	return false, accept
}

// worthTrying: a join path of at least these costs could still be kept (a cheap test before the path is made).
func worthTrying(r *rel, startup, total float64, keys []*pathkey, outer Relids) bool {
	if !outer.empty() {
		keys = nil
	}
	considerStartup := r.considerStartup
	if !outer.empty() {
		considerStartup = r.considerParamStartup
	}
	for _, old := range r.paths {
		if total <= old.total*fuzz {
			break
		}
		if !considerStartup || startup > old.startup*fuzz {
			oldKeys := old.keys
			if old.param != nil {
				oldKeys = nil
			}
			kc := compareKeys(keys, oldKeys)
			if (kc == keysEqual || kc == keysBetter2) && outer == old.requiredOuter() {
				return false
			}
		}
	}
	return true
}

// setCheapest finds the relation's cheapest paths.
func (r *root) setCheapest(b *rel) {
	b.cheapestStartup, b.cheapestTotal, b.cheapestParam = nil, nil, nil
	var param []*path
	var best *path
	for _, p := range b.paths {
		if p.param != nil {
			param = append(param, p)
			if b.cheapestTotal != nil {
				continue
			}
			if best == nil {
				best = p
				continue
			}
			switch compareOuter(p.requiredOuter(), best.requiredOuter()) {
			case setsEqual:
				if compareCosts(p, best, false) < 0 {
					best = p
				}
			case subset1:
				best = p
			}
			continue
		}
		if b.cheapestTotal == nil {
			b.cheapestStartup, b.cheapestTotal = p, p
			continue
		}
		if c := compareCosts(b.cheapestStartup, p, true); c > 0 || c == 0 && compareKeys(b.cheapestStartup.keys, p.keys) == keysBetter2 {
			b.cheapestStartup = p
		}
		if c := compareCosts(b.cheapestTotal, p, false); c > 0 || c == 0 && compareKeys(b.cheapestTotal.keys, p.keys) == keysBetter2 {
			b.cheapestTotal = p
		}
	}
	if b.cheapestTotal != nil {
		param = append([]*path{b.cheapestTotal}, param...)
	} else {
		b.cheapestTotal = best
	}
	b.cheapestParam = param
	if b.cheapestTotal == nil {
		panic(broken("could not devise a query plan"))
	}
}

// cheapestFractional gives the best path for fetching a fraction (< 1) or a number of rows; 0 = all.
func cheapestFractional(b *rel, fraction float64) *path {
	best := b.cheapestTotal
	if fraction <= 0 {
		return best
	}
	if fraction >= 1 && best.rows > 0 {
		fraction /= best.rows
	}
	for _, p := range b.paths {
		if p.param == nil && p != best && compareFractional(best, p, fraction) > 0 {
			best = p
		}
	}
	return best
}
