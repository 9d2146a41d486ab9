package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// Paths.

// segments calls fn for each segment, the closing one first, until it says stop.
func (p path) segments(fn func(s lseg) (more bool)) {
	for i := range p.p {
		prev := i - 1
		if i == 0 {
			if !p.closed {
				continue
			}
			prev = len(p.p) - 1
		}
		if !fn(lseg{p.p[prev], p.p[i]}) {
			return
		}
	}
}

// pathDistance is the way from a point to the nearest segment.
func (f *flops) pathDistance(p path, to point) float64 {
	best, first := 0.0, true
	p.segments(func(s lseg) bool {
		if _, d := f.nearestOnSegment(s, to); first || floatLess(d, best) {
			best, first = d, false
		}
		return true
	})
	return best
}

func (f *flops) pathsMeet(p, q path) bool {
	if !newPolygon(p.p).bound.overlaps(newPolygon(q.p).bound) {
		return false
	}
	found := false
	p.segments(func(s lseg) bool {
		q.segments(func(t lseg) bool {
			_, found = f.segmentsMeet(s, t)
			return !found
		})
		return !found && f.poll()
	})
	return found
}

// closestSegments is the smallest distance of two paths' segments; ok is false when one has none.
func (f *flops) closestSegments(p, q path) (best float64, ok bool) {
	p.segments(func(s lseg) bool {
		q.segments(func(t lseg) bool {
			if _, d := f.nearestToSegment(s, t); !ok || floatLess(d, best) {
				best, ok = d, true
			}
			return true
		})
		return f.poll()
	})
	return best, ok
}

func init() {
	for op, t := range map[string]func(a, b int) bool{"eq": func(a, b int) bool { return a == b }, "lt": func(a, b int) bool { return a < b },
		"le": func(a, b int) bool { return a <= b }, "gt": func(a, b int) bool { return a > b }, "ge": func(a, b int) bool { return a >= b }} {
		geoFunc("path_n_"+op, func(_ *flops, c *Call) Datum { return Bool(t(len(c.Args[0].path().p), len(c.Args[1].path().p))) })
	}
	part := func(name string, get func(f *flops, p path) Datum) {
		geoFunc("path_"+name, func(f *flops, c *Call) Datum { return get(f, c.Args[0].path()) })
	}
	part("isclosed", func(_ *flops, p path) Datum { return Bool(p.closed) })
	part("isopen", func(_ *flops, p path) Datum { return Bool(!p.closed) })
	part("npoints", func(_ *flops, p path) Datum { return Int4(int32(len(p.p))) })
	part("close", func(_ *flops, p path) Datum { return path{true, p.p}.datum() })
	part("open", func(_ *flops, p path) Datum { return path{false, p.p}.datum() })
	part("length", func(f *flops, p path) Datum {
		sum := 0.0
		p.segments(func(s lseg) bool { sum = f.add(sum, f.dist(s[0], s[1])); return true })
		return Float8(sum)
	})
	part("area", func(f *flops, p path) Datum {
		if !p.closed {
			return Null
		}
		area := 0.0
		for i, a := range p.p {
			b := p.p[(i+1)%len(p.p)]
			area = f.sub(f.add(area, f.mul(a.x, b.y)), f.mul(a.y, b.x))
		}
		return Float8(f.div(math.Abs(area), 2))
	})
	part("poly", func(f *flops, p path) Datum {
		if !p.closed {
			f.fail(pgerr.New(pgerr.InvalidParameterValue, "open path cannot be converted to polygon"))
		}
		return newPolygon(p.p).datum()
	})
	geoFunc("path_inter", func(f *flops, c *Call) Datum { return Bool(f.pathsMeet(c.Args[0].path(), c.Args[1].path())) })
	geoFunc("path_distance", func(f *flops, c *Call) Datum {
		d, ok := f.closestSegments(c.Args[0].path(), c.Args[1].path())
		if !ok {
			return Null
		}
		return Float8(d)
	})
	geoFunc("path_add", func(f *flops, c *Call) Datum {
		p, q := c.Args[0].path(), c.Args[1].path()
		if p.closed || q.closed {
			return Null
		}
		if len(p.p)+len(q.p) > geoPointsMax {
			f.fail(copyErr(errTooManyPoints))
			return Null
		}
		return path{false, append(p.p, q.p...)}.datum()
	})
	for op, fn := range pointArithmetic {
		geoFunc("path_"+op+"_pt", func(f *flops, c *Call) Datum {
			p, by := c.Args[0].path(), c.Args[1].point()
			for i := range p.p {
				p.p[i] = fn(f, p.p[i], by)
			}
			return p.datum()
		})
	}
	geoFunc("on_ppath", func(f *flops, c *Call) Datum { return Bool(f.onPath(c.Args[1].path(), c.Args[0].point())) })
}

// onPath: on a segment of an open path, or inside a closed one.
func (f *flops) onPath(p path, pt point) bool {
	if p.closed {
		return f.inside(pt, p.p) != 0
	}
	a := f.dist(pt, p.p[0])
	for i := range len(p.p) - 1 {
		b := f.dist(pt, p.p[i+1])
		if fuzzyEq(f.add(a, b), f.dist(p.p[i], p.p[i+1])) {
			return true
		}
		a = b
	}
	return false
}
