package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// Points, line segments and lines.

func (f *flops) dist(p, q point) float64 { return f.hypot(f.sub(p.x, q.x), f.sub(p.y, q.y)) }

// slope of the line through two points, and the slope of a perpendicular to it.
func (f *flops) slope(p, q point) float64 {
	switch {
	case fuzzyEq(p.x, q.x):
		return math.Inf(1)
	case fuzzyEq(p.y, q.y):
		return 0
	}
	return f.div(f.sub(p.y, q.y), f.sub(p.x, q.x))
}

func (f *flops) inverseSlope(p, q point) float64 {
	switch {
	case fuzzyEq(p.x, q.x):
		return 0
	case fuzzyEq(p.y, q.y):
		return math.Inf(1)
	}
	return f.div(f.sub(p.x, q.x), f.sub(q.y, p.y))
}

// lineThrough is the line of a slope through a point.
func (f *flops) lineThrough(p point, slope float64) line {
	switch {
	case math.IsInf(slope, 0):
		return line{-1, 0, p.x}
	case slope == 0:
		return line{0, -1, p.y}
	}
	l := line{slope, -1, f.sub(p.y, f.mul(slope, p.x))}
	if l.c == 0 {
		l.c = 0 // no negative zero
	}
	return l
}

func (f *flops) lineSlope(l line) float64 {
	switch {
	case fuzzyZero(l.a):
		return 0
	case fuzzyZero(l.b):
		return math.Inf(1)
	}
	return f.div(l.a, -l.b)
}

func (f *flops) lineInverseSlope(l line) float64 {
	switch {
	case fuzzyZero(l.a):
		return math.Inf(1)
	case fuzzyZero(l.b):
		return 0
	}
	return f.div(l.b, l.a)
}

// crossing is where two lines meet.
func (f *flops) crossing(l, m line) (p point, ok bool) {
	if fuzzyZero(l.b) {
		l, m = m, l
		if fuzzyZero(l.b) {
			return p, false
		}
	}
	if fuzzyEq(m.a, f.mul(l.a, f.div(m.b, l.b))) {
		return p, false
	}
	p.x = f.div(f.sub(f.mul(l.b, m.c), f.mul(m.b, l.c)), f.sub(f.mul(l.a, m.b), f.mul(m.a, l.b)))
	p.y = f.div(-f.add(f.mul(l.a, p.x), l.c), l.b)
	if p.x == 0 {
		p.x = 0
	}
	if p.y == 0 {
		p.y = 0
	}
	return p, true
}

// onSegment: the ways to both ends are together as long as the segment.
func (f *flops) onSegment(s lseg, p point) bool {
	return fuzzyEq(f.dist(p, s[0])+f.dist(p, s[1]), f.dist(s[0], s[1]))
}

func (f *flops) onLine(l line, p point) bool {
	return fuzzyZero(f.add(f.add(f.mul(l.a, p.x), f.mul(l.b, p.y)), l.c))
}

func (f *flops) segmentLine(s lseg) line { return f.lineThrough(s[0], f.slope(s[0], s[1])) }

// segmentMeetsLine gives where; an end of the segment is taken as it is.
func (f *flops) segmentMeetsLine(s lseg, l line) (p point, ok bool) {
	if p, ok = f.crossing(f.segmentLine(s), l); !ok || !f.onSegment(s, p) {
		return p, false
	}
	switch {
	case samePoint(s[0], p):
		p = s[0]
	case samePoint(s[1], p):
		p = s[1]
	}
	return p, true
}

func (f *flops) segmentsMeet(s, t lseg) (p point, ok bool) {
	if p, ok = f.segmentMeetsLine(s, f.segmentLine(t)); !ok || !f.onSegment(t, p) {
		return p, false
	}
	return p, true
}

func (f *flops) addPoints(p, q point) point { return point{f.add(p.x, q.x), f.add(p.y, q.y)} }
func (f *flops) subPoints(p, q point) point { return point{f.sub(p.x, q.x), f.sub(p.y, q.y)} }

// mulPoints and divPoints take points as complex numbers.
func (f *flops) mulPoints(p, q point) point {
	return point{f.sub(f.mul(p.x, q.x), f.mul(p.y, q.y)), f.add(f.mul(p.x, q.y), f.mul(p.y, q.x))}
}

func (f *flops) divPoints(p, q point) point {
	d := f.add(f.mul(q.x, q.x), f.mul(q.y, q.y))
	return point{f.div(f.add(f.mul(p.x, q.x), f.mul(p.y, q.y)), d), f.div(f.sub(f.mul(p.y, q.x), f.mul(p.x, q.y)), d)}
}

// pointArithmetic lists the four operations by the names of their functions.
var pointArithmetic = map[string]func(f *flops, p, q point) point{
	"add": (*flops).addPoints, "sub": (*flops).subPoints, "mul": (*flops).mulPoints, "div": (*flops).divPoints,
}

func init() {
	test := func(name string, t func(p, q point) bool) {
		geoFunc("point_"+name, func(_ *flops, c *Call) Datum { return Bool(t(c.Args[0].point(), c.Args[1].point())) })
	}
	test("left", func(p, q point) bool { return fuzzyLt(p.x, q.x) })
	test("right", func(p, q point) bool { return fuzzyGt(p.x, q.x) })
	test("above", func(p, q point) bool { return fuzzyGt(p.y, q.y) })
	test("below", func(p, q point) bool { return fuzzyLt(p.y, q.y) })
	test("vert", func(p, q point) bool { return fuzzyEq(p.x, q.x) })
	test("horiz", func(p, q point) bool { return fuzzyEq(p.y, q.y) })
	test("eq", samePoint)
	test("ne", func(p, q point) bool { return !samePoint(p, q) })
	for op, fn := range pointArithmetic {
		geoFunc("point_"+op, func(f *flops, c *Call) Datum { return fn(f, c.Args[0].point(), c.Args[1].point()).datum() })
	}
	geoFunc("point_distance", func(f *flops, c *Call) Datum { return Float8(f.dist(c.Args[0].point(), c.Args[1].point())) })
	geoFunc("point_slope", func(f *flops, c *Call) Datum { return Float8(f.slope(c.Args[0].point(), c.Args[1].point())) })
	geoFunc("construct_point", func(_ *flops, c *Call) Datum { return point{c.Args[0].Float8(), c.Args[1].Float8()}.datum() })
	registerSegments()
	registerLines()
}

func registerSegments() {
	length := func(f *flops, s lseg) float64 { return f.dist(s[0], s[1]) }
	for op, t := range map[string]func(a, b float64) bool{"lt": fuzzyLt, "le": fuzzyLe, "gt": fuzzyGt, "ge": fuzzyGe} {
		geoFunc("lseg_"+op, func(f *flops, c *Call) Datum {
			return Bool(t(length(f, c.Args[0].lseg()), length(f, c.Args[1].lseg())))
		})
	}
	same := func(s, t lseg) bool { return samePoint(s[0], t[0]) && samePoint(s[1], t[1]) }
	test := func(name string, t func(f *flops, s, u lseg) bool) {
		geoFunc("lseg_"+name, func(f *flops, c *Call) Datum { return Bool(t(f, c.Args[0].lseg(), c.Args[1].lseg())) })
	}
	test("eq", func(_ *flops, s, t lseg) bool { return same(s, t) })
	test("ne", func(_ *flops, s, t lseg) bool { return !same(s, t) })
	test("intersect", func(f *flops, s, t lseg) bool { _, ok := f.segmentsMeet(s, t); return ok })
	test("parallel", func(f *flops, s, t lseg) bool { return fuzzyEq(f.slope(s[0], s[1]), f.slope(t[0], t[1])) })
	test("perp", func(f *flops, s, t lseg) bool { return fuzzyEq(f.slope(s[0], s[1]), f.inverseSlope(t[0], t[1])) })
	geoFunc("lseg_vertical", func(_ *flops, c *Call) Datum { s := c.Args[0].lseg(); return Bool(fuzzyEq(s[0].x, s[1].x)) })
	geoFunc("lseg_horizontal", func(_ *flops, c *Call) Datum { s := c.Args[0].lseg(); return Bool(fuzzyEq(s[0].y, s[1].y)) })
	geoFunc("lseg_length", func(f *flops, c *Call) Datum { return Float8(length(f, c.Args[0].lseg())) })
	geoFunc("lseg_center", func(f *flops, c *Call) Datum { s := c.Args[0].lseg(); return f.middle(s[0], s[1]).datum() })
	geoFunc("lseg_construct", func(_ *flops, c *Call) Datum { return lseg{c.Args[0].point(), c.Args[1].point()}.datum() })
	geoFunc("lseg_interpt", func(f *flops, c *Call) Datum {
		return pointOrNull(f.segmentsMeet(c.Args[0].lseg(), c.Args[1].lseg()))
	})
}

func pointOrNull(p point, ok bool) Datum {
	if !ok {
		return Null
	}
	return p.datum()
}

func (f *flops) middle(p, q point) point {
	return point{f.div(f.add(p.x, q.x), 2), f.div(f.add(p.y, q.y), 2)}
}

func registerLines() {
	geoFunc("line_construct_pp", func(f *flops, c *Call) Datum {
		p, q := c.Args[0].point(), c.Args[1].point()
		if samePoint(p, q) {
			f.fail(pgerr.New(pgerr.InvalidParameterValue, "invalid line specification: must be two distinct points"))
			return Null
		}
		return f.lineThrough(p, f.slope(p, q)).datum()
	})
	geoFunc("line_intersect", func(f *flops, c *Call) Datum {
		_, ok := f.crossing(c.Args[0].line(), c.Args[1].line())
		return Bool(ok)
	})
	geoFunc("line_parallel", func(f *flops, c *Call) Datum {
		_, ok := f.crossing(c.Args[0].line(), c.Args[1].line())
		return Bool(!ok)
	})
	geoFunc("line_interpt", func(f *flops, c *Call) Datum {
		return pointOrNull(f.crossing(c.Args[0].line(), c.Args[1].line()))
	})
	geoFunc("line_perp", func(f *flops, c *Call) Datum { return Bool(f.perpendicular(c.Args[0].line(), c.Args[1].line())) })
	geoFunc("line_vertical", func(_ *flops, c *Call) Datum { return Bool(fuzzyZero(c.Args[0].line().b)) })
	geoFunc("line_horizontal", func(_ *flops, c *Call) Datum { return Bool(fuzzyZero(c.Args[0].line().a)) })
	geoFunc("line_eq", func(f *flops, c *Call) Datum { return Bool(f.sameLine(c.Args[0].line(), c.Args[1].line())) })
	geoFunc("line_distance", func(f *flops, c *Call) Datum { return Float8(f.lineDistance(c.Args[0].line(), c.Args[1].line())) })
}

func (f *flops) perpendicular(l, m line) bool {
	switch {
	case fuzzyZero(l.a):
		return fuzzyZero(m.b)
	case fuzzyZero(m.a):
		return fuzzyZero(l.b)
	case fuzzyZero(l.b):
		return fuzzyZero(m.a)
	case fuzzyZero(m.b):
		return fuzzyZero(l.a)
	}
	return fuzzyEq(f.div(f.mul(l.a, m.a), f.mul(l.b, m.b)), -1)
}

func (f *flops) sameLine(l, m line) bool {
	for _, v := range []float64{l.a, l.b, l.c, m.a, m.b, m.c} {
		if math.IsNaN(v) {
			return CompareFloat(l.a, m.a) == 0 && CompareFloat(l.b, m.b) == 0 && CompareFloat(l.c, m.c) == 0
		}
	}
	ratio := 1.0
	switch {
	case !fuzzyZero(m.a):
		ratio = f.div(l.a, m.a)
	case !fuzzyZero(m.b):
		ratio = f.div(l.b, m.b)
	case !fuzzyZero(m.c):
		ratio = f.div(l.c, m.c)
	}
	return fuzzyEq(l.a, f.mul(ratio, m.a)) && fuzzyEq(l.b, f.mul(ratio, m.b)) && fuzzyEq(l.c, f.mul(ratio, m.c))
}

func (f *flops) lineDistance(l, m line) float64 {
	if _, ok := f.crossing(l, m); ok {
		return 0
	}
	some := func(v float64) bool { return !fuzzyZero(v) && !math.IsNaN(v) }
	ratio := 1.0
	switch {
	case some(l.a) && some(m.a):
		ratio = f.div(l.a, m.a)
	case some(l.b) && some(m.b):
		ratio = f.div(l.b, m.b)
	}
	return f.div(math.Abs(f.sub(l.c, f.mul(ratio, m.c))), f.hypot(l.a, l.b))
}
