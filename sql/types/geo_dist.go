package types

import "math"

// Nearest points and distances between shapes of different kinds.

// nearestOnLine gives the point of a line nearest to p, and its distance; NaN when there is none.
func (f *flops) nearestOnLine(l line, p point) (point, float64) {
	q, ok := f.crossing(f.lineThrough(p, f.lineInverseSlope(l)), l)
	if !ok {
		return p, math.NaN()
	}
	return q, f.dist(q, p)
}

// nearestToLine gives the point of a segment nearest to a line.
func (f *flops) nearestToLine(s lseg, l line) (point, float64) {
	if p, ok := f.segmentMeetsLine(s, l); ok {
		return p, 0
	}
	_, d0 := f.nearestOnLine(l, s[0])
	_, d1 := f.nearestOnLine(l, s[1])
	if d0 < d1 {
		return s[0], d0
	}
	return s[1], d1
}

// nearestOnSegment gives the point of a segment nearest to p.
func (f *flops) nearestOnSegment(s lseg, p point) (point, float64) {
	q, _ := f.nearestToLine(s, f.lineThrough(p, f.inverseSlope(s[0], s[1])))
	return q, f.dist(q, p)
}

// nearestToSegment gives the point of s nearest to t.
func (f *flops) nearestToSegment(s, t lseg) (point, float64) {
	if p, ok := f.segmentsMeet(s, t); ok {
		return p, 0
	}
	best, dist := f.nearestOnSegment(s, t[0])
	if p, d := f.nearestOnSegment(s, t[1]); floatLess(d, dist) {
		best, dist = p, d
	}
	for _, end := range s {
		if _, d := f.nearestOnSegment(t, end); floatLess(d, dist) {
			best, dist = end, d
		}
	}
	return best, dist
}

// nearestInBox gives the point of a box nearest to p.
func (f *flops) nearestInBox(b box, p point) (point, float64) {
	if b.containsPoint(p) {
		return p, 0
	}
	return f.nearestEdge(b, func(s lseg) (point, float64) { return f.nearestOnSegment(s, p) })
}

func (f *flops) nearestEdge(b box, to func(s lseg) (point, float64)) (best point, dist float64) {
	for i, edge := range b.edges() {
		if p, d := to(edge); i == 0 || floatLess(d, dist) {
			best, dist = p, d
		}
	}
	return best, dist
}

// segmentMeetsBox gives the point of the segment that is nearest to the box's centre.
func (f *flops) segmentMeetsBox(s lseg, b box) (p point, ok bool) {
	around := box{point{floatMax(s[0].x, s[1].x), floatMax(s[0].y, s[1].y)}, point{floatMin(s[0].x, s[1].x), floatMin(s[0].y, s[1].y)}}
	if !around.overlaps(b) {
		return p, false
	}
	p, _ = f.nearestOnSegment(s, f.boxCenter(b))
	if b.containsPoint(s[0]) || b.containsPoint(s[1]) {
		return p, true
	}
	for _, edge := range b.edges() {
		if _, meets := f.segmentsMeet(edge, s); meets {
			return p, true
		}
	}
	return p, false
}

func (f *flops) nearestInBoxToSegment(b box, s lseg) (point, float64) {
	if p, ok := f.segmentMeetsBox(s, b); ok {
		return p, 0
	}
	return f.nearestEdge(b, func(edge lseg) (point, float64) { return f.nearestToSegment(edge, s) })
}

// outside is a distance from a circle's rim, 0 inside.
func (f *flops) outside(d, radius float64) float64 { return math.Max(f.sub(d, radius), 0) }

// geoPair registers a distance and its commuted form.
func geoPair(name, commuted string, dist func(f *flops, a, b Datum) float64) {
	geoFunc(name, func(f *flops, c *Call) Datum { return Float8(dist(f, c.Args[0], c.Args[1])) })
	if commuted != "" {
		geoFunc(commuted, func(f *flops, c *Call) Datum { return Float8(dist(f, c.Args[1], c.Args[0])) })
	}
}

func init() {
	geoPair("dist_pl", "dist_lp", func(f *flops, a, b Datum) float64 { _, d := f.nearestOnLine(b.line(), a.point()); return d })
	geoPair("dist_ps", "dist_sp", func(f *flops, a, b Datum) float64 { _, d := f.nearestOnSegment(b.lseg(), a.point()); return d })
	geoPair("dist_pb", "dist_bp", func(f *flops, a, b Datum) float64 { _, d := f.nearestInBox(b.box(), a.point()); return d })
	geoPair("dist_sl", "dist_ls", func(f *flops, a, b Datum) float64 { _, d := f.nearestToLine(a.lseg(), b.line()); return d })
	geoPair("dist_sb", "dist_bs", func(f *flops, a, b Datum) float64 { _, d := f.nearestInBoxToSegment(b.box(), a.lseg()); return d })
	geoPair("dist_ppath", "dist_pathp", func(f *flops, a, b Datum) float64 { return f.pathDistance(b.path(), a.point()) })
	geoPair("dist_ppoly", "dist_polyp", func(f *flops, a, b Datum) float64 { return f.polygonDistance(b.polygon(), a.point()) })
	geoPair("dist_cpoly", "dist_polyc", func(f *flops, a, b Datum) float64 {
		c := a.circle()
		return f.outside(f.polygonDistance(b.polygon(), c.center), c.radius)
	})
	geoPair("dist_pc", "dist_cpoint", func(f *flops, a, b Datum) float64 {
		c := b.circle()
		return f.outside(f.dist(a.point(), c.center), c.radius)
	})
	geoPair("lseg_distance", "", func(f *flops, a, b Datum) float64 { _, d := f.nearestToSegment(a.lseg(), b.lseg()); return d })
	nearest := func(name string, near func(f *flops, a, b Datum) (point, float64)) {
		geoFunc(name, func(f *flops, c *Call) Datum {
			p, d := near(f, c.Args[0], c.Args[1])
			return pointOrNull(p, !math.IsNaN(d))
		})
	}
	nearest("close_pl", func(f *flops, a, b Datum) (point, float64) { return f.nearestOnLine(b.line(), a.point()) })
	nearest("close_ps", func(f *flops, a, b Datum) (point, float64) { return f.nearestOnSegment(b.lseg(), a.point()) })
	nearest("close_pb", func(f *flops, a, b Datum) (point, float64) { return f.nearestInBox(b.box(), a.point()) })
	nearest("close_sb", func(f *flops, a, b Datum) (point, float64) { return f.nearestInBoxToSegment(b.box(), a.lseg()) })
	nearest("close_ls", func(f *flops, a, b Datum) (point, float64) {
		l, s := a.line(), b.lseg()
		if f.slope(s[0], s[1]) == f.lineSlope(l) {
			return point{}, math.NaN()
		}
		return f.nearestToLine(s, l)
	})
	nearest("close_lseg", func(f *flops, a, b Datum) (point, float64) {
		s, t := a.lseg(), b.lseg()
		if f.slope(s[0], s[1]) == f.slope(t[0], t[1]) {
			return point{}, math.NaN()
		}
		return f.nearestToSegment(t, s)
	})
	geoFunc("on_pl", func(f *flops, c *Call) Datum { return Bool(f.onLine(c.Args[1].line(), c.Args[0].point())) })
	geoFunc("on_ps", func(f *flops, c *Call) Datum { return Bool(f.onSegment(c.Args[1].lseg(), c.Args[0].point())) })
	geoFunc("on_sl", func(f *flops, c *Call) Datum {
		s, l := c.Args[0].lseg(), c.Args[1].line()
		return Bool(f.onLine(l, s[0]) && f.onLine(l, s[1]))
	})
	geoFunc("inter_sl", func(f *flops, c *Call) Datum {
		_, ok := f.segmentMeetsLine(c.Args[0].lseg(), c.Args[1].line())
		return Bool(ok)
	})
	geoFunc("inter_sb", func(f *flops, c *Call) Datum {
		_, ok := f.segmentMeetsBox(c.Args[0].lseg(), c.Args[1].box())
		return Bool(ok)
	})
	geoFunc("inter_lb", func(f *flops, c *Call) Datum {
		for _, edge := range c.Args[1].box().edges() {
			if _, ok := f.segmentMeetsLine(edge, c.Args[0].line()); ok {
				return Bool(true)
			}
		}
		return Bool(false)
	})
}
