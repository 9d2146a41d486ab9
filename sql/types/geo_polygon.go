package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types/libm"
)

// Polygons and circles.

// onPolygon is what crossings gives when the point lies on the edge.
const onPolygon = math.MaxInt32

// inside tells where a point is: 0 outside, 1 inside, 2 on an edge. The edges that cross the ray to the right are counted, with their
// direction.
func (f *flops) inside(p point, vertices []point) int {
	first := f.subPoints(vertices[0], p)
	prev, total := first, 0
	for i := 1; i <= len(vertices); i++ {
		cur := first
		if i < len(vertices) {
			cur = f.subPoints(vertices[i], p)
		}
		n := f.edgeCrossing(cur, prev)
		if n == onPolygon {
			return 2
		}
		total += n
		prev = cur
	}
	if total != 0 {
		return 1
	}
	return 0
}

// edgeCrossing counts how the edge from prev to cur crosses the positive x axis: ±2 when it does, ±1 when it begins or ends there.
func (f *flops) edgeCrossing(cur, prev point) int {
	pick := func(on bool, yes, no int) int {
		if on {
			return yes
		}
		return no
	}
	if fuzzyZero(cur.y) {
		switch {
		case fuzzyZero(cur.x):
			return onPolygon
		case fuzzyGt(cur.x, 0):
			if fuzzyZero(prev.y) {
				return pick(fuzzyGt(prev.x, 0), 0, onPolygon)
			}
			return pick(fuzzyLt(prev.y, 0), 1, -1)
		case fuzzyZero(prev.y):
			return pick(fuzzyLt(prev.x, 0), 0, onPolygon)
		}
		return 0
	}
	sign := pick(fuzzyGt(cur.y, 0), 1, -1)
	switch {
	case fuzzyZero(prev.y):
		return pick(fuzzyLt(prev.x, 0), 0, sign)
	case sign < 0 && fuzzyLt(prev.y, 0) || sign > 0 && fuzzyGt(prev.y, 0):
		return 0
	case fuzzyGe(cur.x, 0) && fuzzyGt(prev.x, 0):
		return 2 * sign
	case fuzzyLt(cur.x, 0) && fuzzyLe(prev.x, 0):
		return 0
	}
	z := f.sub(f.mul(f.sub(cur.x, prev.x), cur.y), f.mul(f.sub(cur.y, prev.y), cur.x))
	switch {
	case fuzzyZero(z):
		return onPolygon
	case sign < 0 && fuzzyLt(z, 0) || sign > 0 && fuzzyGt(z, 0):
		return 0
	}
	return 2 * sign
}

// polygonDistance is the way from a point to the polygon, 0 inside.
func (f *flops) polygonDistance(p polygon, to point) float64 {
	if f.inside(to, p.p) != 0 {
		return 0
	}
	return f.pathDistance(path{true, p.p}, to)
}

func (f *flops) polygonsOverlap(p, q polygon) bool {
	if !p.bound.overlaps(q.bound) {
		return false
	}
	found := false
	path{true, p.p}.segments(func(s lseg) bool {
		path{true, q.p}.segments(func(t lseg) bool {
			_, found = f.segmentsMeet(s, t)
			return !found
		})
		return !found && f.poll()
	})
	return found || f.inside(p.p[0], q.p) != 0 || f.inside(q.p[0], p.p) != 0
}

// polygonContains: each edge of q lies inside p.
func (f *flops) polygonContains(p, q polygon) bool {
	if !p.bound.contains(q.bound) {
		return false
	}
	all := true
	path{true, q.p}.segments(func(s lseg) bool {
		all = f.segmentInside(s[0], s[1], p, 0)
		return all && f.poll()
	})
	return all
}

const geoDepthMax = 10000

// segmentInside says whether the segment from a to b lies in a polygon, looking at its edges from the start-th on. Where it meets an edge it
// is cut and the parts are looked at.
func (f *flops) segmentInside(a, b point, p polygon, start int) bool {
	if f.depth++; f.depth > geoDepthMax {
		f.fail(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
		return false
	}
	defer func() { f.depth-- }()
	seg := lseg{a, b}
	prev := p.p[(start+len(p.p)-1)%len(p.p)]
	ok, cut := true, false
	for i := start; i < len(p.p) && ok && f.poll(); i++ {
		edge := lseg{prev, p.p[i]}
		if f.onSegment(edge, a) {
			if f.onSegment(edge, b) {
				return true // on the edge altogether
			}
			ok = f.touchingInside(a, b, edge, p, i+1)
		} else if f.onSegment(edge, b) {
			ok = f.touchingInside(b, a, edge, p, i+1)
		} else if at, meets := f.segmentsMeet(seg, edge); meets {
			cut = true
			ok = f.segmentInside(a, at, p, i+1) && f.segmentInside(b, at, p, i+1)
		}
		prev = p.p[i]
	}
	if ok && !cut {
		return f.inside(f.middle(a, b), p.p) != 0
	}
	return ok
}

// touchingInside: a lies on the edge; the rest of the segment is looked at from where it leaves the edge.
func (f *flops) touchingInside(a, b point, edge lseg, p polygon, start int) bool {
	seg := lseg{a, b}
	switch {
	case samePoint(a, edge[0]):
		if f.onSegment(seg, edge[1]) {
			return f.segmentInside(b, edge[1], p, start)
		}
	case samePoint(a, edge[1]):
		if f.onSegment(seg, edge[0]) {
			return f.segmentInside(b, edge[0], p, start)
		}
	case f.onSegment(seg, edge[0]):
		return f.segmentInside(b, edge[0], p, start)
	case f.onSegment(seg, edge[1]):
		return f.segmentInside(b, edge[1], p, start)
	}
	return true
}

// samePolygon: the same vertices in the same or the opposite order, from wherever they begin.
func samePolygon(p, q []point) bool {
	n := len(p)
	if n != len(q) {
		return false
	}
	for i := range q {
		if !samePoint(q[i], p[0]) {
			continue
		}
		for _, step := range []int{1, n - 1} {
			k := 1
			for k < n && samePoint(q[(i+k*step)%n], p[k]) {
				k++
			}
			if k == n {
				return true
			}
		}
	}
	return false
}

func (f *flops) polygonCircle(p polygon) circle {
	var c circle
	n := float64(len(p.p))
	for _, q := range p.p {
		c.center = f.addPoints(c.center, q)
	}
	c.center = point{f.div(c.center.x, n), f.div(c.center.y, n)}
	for _, q := range p.p {
		c.radius = f.add(c.radius, f.dist(q, c.center))
	}
	c.radius = f.div(c.radius, n)
	return c
}

func init() {
	test := func(name string, t func(f *flops, p, q polygon) bool) {
		geoFunc("poly_"+name, func(f *flops, c *Call) Datum { return Bool(t(f, c.Args[0].polygon(), c.Args[1].polygon())) })
	}
	bounds := func(name string, t func(a, b box) bool) {
		test(name, func(_ *flops, p, q polygon) bool { return t(p.bound, q.bound) })
	}
	bounds("left", func(a, b box) bool { return a.high.x < b.low.x })
	bounds("overleft", func(a, b box) bool { return a.high.x <= b.high.x })
	bounds("right", func(a, b box) bool { return a.low.x > b.high.x })
	bounds("overright", func(a, b box) bool { return a.low.x >= b.low.x })
	bounds("below", func(a, b box) bool { return a.high.y < b.low.y })
	bounds("overbelow", func(a, b box) bool { return a.high.y <= b.high.y })
	bounds("above", func(a, b box) bool { return a.low.y > b.high.y })
	bounds("overabove", func(a, b box) bool { return a.low.y >= b.low.y })
	test("same", func(_ *flops, p, q polygon) bool { return samePolygon(p.p, q.p) })
	test("overlap", (*flops).polygonsOverlap)
	test("contain", (*flops).polygonContains)
	test("contained", func(f *flops, p, q polygon) bool { return f.polygonContains(q, p) })
	geoFunc("poly_contain_pt", func(f *flops, c *Call) Datum { return Bool(f.inside(c.Args[1].point(), c.Args[0].polygon().p) != 0) })
	geoFunc("pt_contained_poly", func(f *flops, c *Call) Datum { return Bool(f.inside(c.Args[0].point(), c.Args[1].polygon().p) != 0) })
	geoFunc("poly_distance", func(f *flops, c *Call) Datum {
		p, q := c.Args[0].polygon(), c.Args[1].polygon()
		if f.polygonsOverlap(p, q) {
			return Float8(0)
		}
		d, _ := f.closestSegments(path{true, p.p}, path{true, q.p})
		return Float8(d)
	})
	part := func(name string, get func(f *flops, p polygon) Datum) {
		geoFunc("poly_"+name, func(f *flops, c *Call) Datum { return get(f, c.Args[0].polygon()) })
	}
	part("npoints", func(_ *flops, p polygon) Datum { return Int4(int32(len(p.p))) })
	part("box", func(_ *flops, p polygon) Datum { return p.bound.datum() })
	part("path", func(_ *flops, p polygon) Datum { return path{true, p.p}.datum() })
	part("center", func(f *flops, p polygon) Datum { return f.polygonCircle(p).center.datum() })
	part("circle", func(f *flops, p polygon) Datum { return f.polygonCircle(p).datum() })
	registerCircles()
}

func (f *flops) circleArea(c circle) float64 { return f.mul(f.mul(c.radius, c.radius), math.Pi) }

func registerCircles() {
	test := func(name string, t func(f *flops, a, b circle) bool) {
		geoFunc("circle_"+name, func(f *flops, c *Call) Datum { return Bool(t(f, c.Args[0].circle(), c.Args[1].circle())) })
	}
	left := func(f *flops, c circle) float64 { return f.sub(c.center.x, c.radius) }
	right := func(f *flops, c circle) float64 { return f.add(c.center.x, c.radius) }
	bottom := func(f *flops, c circle) float64 { return f.sub(c.center.y, c.radius) }
	top := func(f *flops, c circle) float64 { return f.add(c.center.y, c.radius) }
	test("same", func(_ *flops, a, b circle) bool {
		return (math.IsNaN(a.radius) && math.IsNaN(b.radius) || fuzzyEq(a.radius, b.radius)) && samePoint(a.center, b.center)
	})
	test("overlap", func(f *flops, a, b circle) bool {
		return fuzzyLe(f.dist(a.center, b.center), f.add(a.radius, b.radius))
	})
	test("contain", func(f *flops, a, b circle) bool {
		return fuzzyLe(f.dist(a.center, b.center), f.sub(a.radius, b.radius))
	})
	test("contained", func(f *flops, a, b circle) bool {
		return fuzzyLe(f.dist(a.center, b.center), f.sub(b.radius, a.radius))
	})
	test("left", func(f *flops, a, b circle) bool { return fuzzyLt(right(f, a), left(f, b)) })
	test("overleft", func(f *flops, a, b circle) bool { return fuzzyLe(right(f, a), right(f, b)) })
	test("right", func(f *flops, a, b circle) bool { return fuzzyGt(left(f, a), right(f, b)) })
	test("overright", func(f *flops, a, b circle) bool { return fuzzyGe(left(f, a), left(f, b)) })
	test("below", func(f *flops, a, b circle) bool { return fuzzyLt(top(f, a), bottom(f, b)) })
	test("overbelow", func(f *flops, a, b circle) bool { return fuzzyLe(top(f, a), top(f, b)) })
	test("above", func(f *flops, a, b circle) bool { return fuzzyGt(bottom(f, a), top(f, b)) })
	test("overabove", func(f *flops, a, b circle) bool { return fuzzyGe(bottom(f, a), bottom(f, b)) })
	for op, t := range map[string]func(a, b float64) bool{"eq": fuzzyEq, "ne": func(a, b float64) bool { return a != b && math.Abs(a-b) > geoEpsilon },
		"lt": fuzzyLt, "le": fuzzyLe, "gt": fuzzyGt, "ge": fuzzyGe} {
		test(op, func(f *flops, a, b circle) bool { return t(f.circleArea(a), f.circleArea(b)) })
	}
	for op, fn := range pointArithmetic {
		geoFunc("circle_"+op+"_pt", func(f *flops, c *Call) Datum {
			a, p := c.Args[0].circle(), c.Args[1].point()
			out := circle{fn(f, a.center, p), a.radius}
			switch op {
			case "mul":
				out.radius = f.mul(a.radius, f.hypot(p.x, p.y))
			case "div":
				out.radius = f.div(a.radius, f.hypot(p.x, p.y))
			}
			return out.datum()
		})
	}
	part := func(name string, get func(f *flops, c circle) Datum) {
		geoFunc("circle_"+name, func(f *flops, c *Call) Datum { return get(f, c.Args[0].circle()) })
	}
	part("area", func(f *flops, c circle) Datum { return Float8(f.circleArea(c)) })
	part("diameter", func(f *flops, c circle) Datum { return Float8(f.mul(c.radius, 2)) })
	part("radius", func(_ *flops, c circle) Datum { return Float8(c.radius) })
	part("center", func(_ *flops, c circle) Datum { return c.center.datum() })
	part("box", func(f *flops, c circle) Datum {
		d := f.div(c.radius, math.Sqrt2)
		return box{point{f.add(c.center.x, d), f.add(c.center.y, d)}, point{f.sub(c.center.x, d), f.sub(c.center.y, d)}}.datum()
	})
	geoFunc("circle_distance", func(f *flops, c *Call) Datum {
		a, b := c.Args[0].circle(), c.Args[1].circle()
		return Float8(f.outside(f.dist(a.center, b.center), f.add(a.radius, b.radius)))
	})
	within := func(f *flops, c circle, p point) Datum { return Bool(f.dist(c.center, p) <= c.radius) }
	geoFunc("circle_contain_pt", func(f *flops, c *Call) Datum { return within(f, c.Args[0].circle(), c.Args[1].point()) })
	geoFunc("pt_contained_circle", func(f *flops, c *Call) Datum { return within(f, c.Args[1].circle(), c.Args[0].point()) })
	geoFunc("cr_circle", func(_ *flops, c *Call) Datum { return circle{c.Args[0].point(), c.Args[1].Float8()}.datum() })
	geoFunc("circle_poly", circlePolygon)
}

// circlePolygon makes a polygon of a number of points on the circle.
func circlePolygon(f *flops, c *Call) Datum {
	n, a := int(c.Args[0].Int4()), c.Args[1].circle()
	switch {
	case fuzzyZero(a.radius):
		f.fail(pgerr.New(pgerr.FeatureNotSupported, "cannot convert circle with radius zero to polygon"))
		return Null
	case n < 2:
		f.fail(pgerr.New(pgerr.InvalidParameterValue, "must request at least 2 points"))
		return Null
	case n > geoPointsMax:
		f.fail(copyErr(errTooManyPoints))
		return Null
	}
	step := f.div(2*math.Pi, float64(n))
	p := make([]point, n)
	for i := range p {
		if i&0xffff == 0 && !f.poll() {
			return Null
		}
		angle := f.mul(step, float64(i))
		p[i] = point{f.sub(a.center.x, f.mul(a.radius, libm.Cos(angle))), f.add(a.center.y, f.mul(a.radius, libm.Sin(angle)))}
	}
	return newPolygon(p).datum()
}
