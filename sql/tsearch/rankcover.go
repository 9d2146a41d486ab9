package tsearch

import (
	"slices"

	"github.com/calfdb/calf/sql/types/libm"
)

// place is a position of a document where words of a query are: cover density ranking works on the ordered list of them.
type place struct {
	pos   Pos
	entry int      // index in the vector
	items []*Query // operands that the entry matches
}

// placesOf lists where a query's words are.
func placesOf(v Vector, q *Query) (list []place) {
	q.walk(func(item *Query) {
		if item.Op != Operand {
			return
		}
		first, _ := v.find(item.Word)
		for i, e := range v.entriesOf(item) {
			for _, p := range e.Pos {
				if item.Weight == 0 || item.Weight&(1<<p.weight()) != 0 {
					list = append(list, place{p, first + i, []*Query{item}})
				}
			}
		}
	})
	slices.SortStableFunc(list, func(a, b place) int {
		if c := comparePos(a.pos, b.pos); c != 0 {
			return c
		}
		if c := a.pos.weight() - b.pos.weight(); c != 0 {
			return c
		}
		return a.entry - b.entry
	})
	joined := list[:0]
	for _, p := range list {
		if n := len(joined); n > 0 && joined[n-1].pos == p.pos && joined[n-1].entry == p.entry {
			joined[n-1].items = append(joined[n-1].items, p.items...)
			continue
		}
		joined = append(joined, p)
	}
	return joined
}

// window is the part of a document that was looked at: the positions of each operand, in the order in which they were met.
type window struct {
	at       map[*Query][]int
	backward bool
}

func (w *window) add(p *place) {
	for _, item := range p.items {
		list := w.at[item]
		if n := len(list); n == 0 || list[n-1] != p.pos.at() {
			w.at[item] = append(list, p.pos.at())
		}
	}
}

func (w *window) lookup(q *Query, at *places) ternary {
	list, ok := w.at[q]
	if !ok {
		return no
	}
	if at != nil {
		at.pos = slices.Clone(list)
		if w.backward {
			slices.Reverse(at.pos)
		}
	}
	return yes
}

// cover is a smallest stretch of a document that matches: places from..to, of positions p..q.
type cover struct{ next, from, to, p, q int }

// advance finds the cover that begins next.
func (c *cover) advance(doc []place, q *Query) bool {
	for {
		w := window{at: map[*Query][]int{}}
		c.q = 0
		found := false
		for i := c.next; i < len(doc); i++ {
			w.add(&doc[i])
			if !q.matches(w.lookup, false) {
				continue
			}
			if at := doc[i].pos.at(); at > c.q {
				c.q, c.to, found = at, i, true
			}
			break
		}
		if !found {
			return false
		}
		w = window{at: map[*Query][]int{}, backward: true}
		matched := false
		i := c.to
		for ; i >= c.next; i-- {
			w.add(&doc[i])
			if matched = q.matches(w.lookup, false); matched {
				c.from, c.p = i, doc[i].pos.at()
				break
			}
		}
		if matched && c.p <= c.q {
			c.next = i + 1
			return true
		}
		c.next++
	}
}

// RankCover is ts_rank_cd: cover density ranking, after Clarke, Cormack, Tudhope: "Relevance Ranking for One to Three Term Queries" (1999).
func RankCover(weights *[4]float32, v Vector, q *Query, method int32) float32 {
	if q == nil {
		return 0
	}
	doc := placesOf(v, q)
	if len(doc) == 0 {
		return 0
	}
	var inverse [4]float64
	for i, w := range weights {
		inverse[i] = 1 / float64(w)
	}
	var rank, distances, previous float64
	extents := 0
	for c := (cover{}); c.advance(doc, q); {
		sum := 0.0
		for _, p := range doc[c.from : c.to+1] {
			sum += inverse[p.pos.weight()]
		}
		noise := c.q - c.p - (c.to - c.from)
		if noise < 0 {
			noise = (c.to - c.from) / 2
		}
		rank += float64(c.to-c.from+1) / sum / float64(1+noise)
		at := float64(c.q+c.p) / 2
		if extents > 0 && at > previous {
			distances += 1 / (at - previous)
		}
		previous = at
		extents++
	}
	if method&normLogLength != 0 {
		rank /= libm.Log(float64(v.length() + 1))
	}
	if method&normLength != 0 {
		rank /= float64(v.length())
	}
	if method&normExtentDistance != 0 && extents > 0 && distances > 0 {
		rank /= float64(extents) / distances
	}
	if method&normWords != 0 {
		rank /= float64(len(v))
	}
	if method&normLogWords != 0 {
		rank /= libm.Log(float64(len(v)+1)) / libm.Log(2)
	}
	if method&normSelf != 0 {
		rank /= rank + 1
	}
	return float32(rank)
}
