package types

// Boxes.

func (b box) overlaps(o box) bool {
	return fuzzyLe(b.low.x, o.high.x) && fuzzyLe(o.low.x, b.high.x) && fuzzyLe(b.low.y, o.high.y) && fuzzyLe(o.low.y, b.high.y)
}

func (b box) contains(o box) bool {
	return fuzzyGe(b.high.x, o.high.x) && fuzzyLe(b.low.x, o.low.x) && fuzzyGe(b.high.y, o.high.y) && fuzzyLe(b.low.y, o.low.y)
}

// containsPoint is exact.
func (b box) containsPoint(p point) bool {
	return b.high.x >= p.x && b.low.x <= p.x && b.high.y >= p.y && b.low.y <= p.y
}

func (f *flops) boxArea(b box) float64 {
	return f.mul(f.sub(b.high.x, b.low.x), f.sub(b.high.y, b.low.y))
}
func (f *flops) boxCenter(b box) point { return f.middle(b.high, b.low) }

// edges are the four sides: left, top, bottom, right.
func (b box) edges() [4]lseg {
	leftTop, rightBottom := point{b.low.x, b.high.y}, point{b.high.x, b.low.y}
	return [4]lseg{{b.low, leftTop}, {b.high, leftTop}, {b.low, rightBottom}, {b.high, rightBottom}}
}

func init() {
	test := func(name string, t func(a, b box) bool) {
		geoFunc("box_"+name, func(_ *flops, c *Call) Datum { return Bool(t(c.Args[0].box(), c.Args[1].box())) })
	}
	test("same", func(a, b box) bool { return samePoint(a.high, b.high) && samePoint(a.low, b.low) })
	test("overlap", box.overlaps)
	test("contain", box.contains)
	test("contained", func(a, b box) bool { return b.contains(a) })
	test("left", func(a, b box) bool { return fuzzyLt(a.high.x, b.low.x) })
	test("overleft", func(a, b box) bool { return fuzzyLe(a.high.x, b.high.x) })
	test("right", func(a, b box) bool { return fuzzyGt(a.low.x, b.high.x) })
	test("overright", func(a, b box) bool { return fuzzyGe(a.low.x, b.low.x) })
	test("below", func(a, b box) bool { return fuzzyLt(a.high.y, b.low.y) })
	test("overbelow", func(a, b box) bool { return fuzzyLe(a.high.y, b.high.y) })
	test("above", func(a, b box) bool { return fuzzyGt(a.low.y, b.high.y) })
	test("overabove", func(a, b box) bool { return fuzzyGe(a.low.y, b.low.y) })
	test("below_eq", func(a, b box) bool { return fuzzyLe(a.high.y, b.low.y) })
	test("above_eq", func(a, b box) bool { return fuzzyGe(a.low.y, b.high.y) })
	for op, t := range map[string]func(a, b float64) bool{"eq": fuzzyEq, "lt": fuzzyLt, "le": fuzzyLe, "gt": fuzzyGt, "ge": fuzzyGe} {
		geoFunc("box_"+op, func(f *flops, c *Call) Datum {
			return Bool(t(f.boxArea(c.Args[0].box()), f.boxArea(c.Args[1].box())))
		})
	}
	part := func(name string, get func(f *flops, b box) Datum) {
		geoFunc(name, func(f *flops, c *Call) Datum { return get(f, c.Args[0].box()) })
	}
	part("box_area", func(f *flops, b box) Datum { return Float8(f.boxArea(b)) })
	part("box_width", func(f *flops, b box) Datum { return Float8(f.sub(b.high.x, b.low.x)) })
	part("box_height", func(f *flops, b box) Datum { return Float8(f.sub(b.high.y, b.low.y)) })
	part("box_center", func(f *flops, b box) Datum { return f.boxCenter(b).datum() })
	part("box_diagonal", func(_ *flops, b box) Datum { return lseg{b.high, b.low}.datum() })
	part("box_poly", func(_ *flops, b box) Datum {
		return newPolygon([]point{b.low, {b.low.x, b.high.y}, b.high, {b.high.x, b.low.y}}).datum()
	})
	part("box_circle", func(f *flops, b box) Datum {
		center := f.boxCenter(b)
		return circle{center, f.dist(center, b.high)}.datum()
	})
	geoFunc("box_distance", func(f *flops, c *Call) Datum {
		return Float8(f.dist(f.boxCenter(c.Args[0].box()), f.boxCenter(c.Args[1].box())))
	})
	geoFunc("box_intersect", func(_ *flops, c *Call) Datum {
		a, b := c.Args[0].box(), c.Args[1].box()
		if !a.overlaps(b) {
			return Null
		}
		return box{point{floatMin(a.high.x, b.high.x), floatMin(a.high.y, b.high.y)},
			point{floatMax(a.low.x, b.low.x), floatMax(a.low.y, b.low.y)}}.datum()
	})
	geoFunc("boxes_bound_box", func(_ *flops, c *Call) Datum {
		a, b := c.Args[0].box(), c.Args[1].box()
		return box{point{floatMax(a.high.x, b.high.x), floatMax(a.high.y, b.high.y)},
			point{floatMin(a.low.x, b.low.x), floatMin(a.low.y, b.low.y)}}.datum()
	})
	geoFunc("points_box", func(_ *flops, c *Call) Datum { return newBox(c.Args[0].point(), c.Args[1].point()).datum() })
	geoFunc("point_box", func(_ *flops, c *Call) Datum { p := c.Args[0].point(); return box{p, p}.datum() })
	for op, fn := range pointArithmetic {
		sorted := op == "mul" || op == "div" // these turn the box
		geoFunc("box_"+op, func(f *flops, c *Call) Datum {
			b, p := c.Args[0].box(), c.Args[1].point()
			high, low := fn(f, b.high, p), fn(f, b.low, p)
			if sorted {
				return newBox(high, low).datum()
			}
			return box{high, low}.datum()
		})
	}
	geoFunc("box_contain_pt", func(_ *flops, c *Call) Datum { return Bool(c.Args[0].box().containsPoint(c.Args[1].point())) })
	geoFunc("on_pb", func(_ *flops, c *Call) Datum { return Bool(c.Args[1].box().containsPoint(c.Args[0].point())) })
	geoFunc("on_sb", func(_ *flops, c *Call) Datum {
		s, b := c.Args[0].lseg(), c.Args[1].box()
		return Bool(b.containsPoint(s[0]) && b.containsPoint(s[1]))
	})
}
