package types

import (
	"encoding/binary"
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// Geometric types. All numbers are float8, little endian:
//
//	point    x, y
//	lseg     two points
//	line     A, B, C of Ax + By + C = 0
//	box      the upper right corner, then the lower left one
//	circle   the centre, then the radius
//	path     int32 number of points, int32 1 when closed, int32 0, then the points
//	polygon  int32 number of points, the bounding box, then the points
//
// Comparisons are fuzzy: numbers no farther apart than geoEpsilon are equal, as PostgreSQL has it.

const geoEpsilon = 1.0e-06

func fuzzyZero(a float64) bool  { return math.Abs(a) <= geoEpsilon }
func fuzzyEq(a, b float64) bool { return a == b || math.Abs(a-b) <= geoEpsilon }
func fuzzyLt(a, b float64) bool { return a+geoEpsilon < b }
func fuzzyLe(a, b float64) bool { return a <= b+geoEpsilon }
func fuzzyGt(a, b float64) bool { return a > b+geoEpsilon }
func fuzzyGe(a, b float64) bool { return a+geoEpsilon >= b }

// floatLess orders as float8's operator does: NaN is above all others.
func floatLess(a, b float64) bool { return CompareFloat(a, b) < 0 }

func floatMin(a, b float64) float64 {
	if floatLess(a, b) {
		return a
	}
	return b
}

func floatMax(a, b float64) float64 {
	if floatLess(b, a) {
		return a
	}
	return b
}

// flops computes with float8's checks; the first overflow, underflow or division by zero stays in err.
type flops struct {
	env   *Env
	err   error
	depth int
}

func (f *flops) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *flops) checked(r float64, operandsInf, zeroIsRight bool) float64 {
	if math.IsInf(r, 0) && !operandsInf {
		f.fail(FloatOverflow())
	}
	if r == 0 && !zeroIsRight {
		f.fail(FloatUnderflow())
	}
	return r
}

func anyInf(a, b float64) bool { return math.IsInf(a, 0) || math.IsInf(b, 0) }

func (f *flops) add(a, b float64) float64 { return f.checked(a+b, anyInf(a, b), true) }
func (f *flops) sub(a, b float64) float64 { return f.checked(a-b, anyInf(a, b), true) }
func (f *flops) mul(a, b float64) float64 {
	return f.checked(float64(a*b), anyInf(a, b), a == 0 || b == 0)
}
func (f *flops) div(a, b float64) float64 {
	if b == 0 && !math.IsNaN(a) {
		f.fail(copyErr(errDivByZero))
		return 0
	}
	return f.checked(a/b, math.IsInf(a, 0), a == 0 || math.IsInf(b, 0))
}

// hypot is the length of a vector.
func (f *flops) hypot(x, y float64) float64 {
	if anyInf(x, y) {
		return math.Inf(1)
	}
	if math.IsNaN(x) || math.IsNaN(y) {
		return math.NaN()
	}
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 {
		return x
	}
	yx := y / x
	return f.checked(x*math.Sqrt(1+float64(yx*yx)), false, false)
}

// poll ends a long computation when the statement is cancelled.
func (f *flops) poll() bool {
	if f.err == nil {
		f.fail(f.env.Poll())
	}
	return f.err == nil
}

// geoFunc registers a function that computes with checks.
func geoFunc(name string, fn func(f *flops, c *Call) Datum) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		f := &flops{env: c.Env}
		d := fn(f, c)
		if f.err != nil {
			return Null, f.err
		}
		return d, nil
	})
}

type (
	point  struct{ x, y float64 }
	lseg   [2]point
	line   struct{ a, b, c float64 }
	box    struct{ high, low point }
	circle struct {
		center point
		radius float64
	}
	path struct {
		closed bool
		p      []point
	}
	polygon struct {
		bound box
		p     []point
	}
)

func geoFloat(b []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
}

func geoDatum(prefix []byte, v ...float64) Datum {
	b := make([]byte, len(prefix), len(prefix)+8*len(v))
	copy(b, prefix)
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return Bytes(b)
}

func pointAt(b []byte, i int) point { return point{geoFloat(b, 2*i), geoFloat(b, 2*i+1)} }

func (d Datum) point() point { return pointAt(d.Bytes(), 0) }
func (d Datum) lseg() lseg   { b := d.Bytes(); return lseg{pointAt(b, 0), pointAt(b, 1)} }
func (d Datum) line() line {
	b := d.Bytes()
	return line{geoFloat(b, 0), geoFloat(b, 1), geoFloat(b, 2)}
}
func (d Datum) box() box { b := d.Bytes(); return box{pointAt(b, 0), pointAt(b, 1)} }
func (d Datum) circle() circle {
	b := d.Bytes()
	return circle{pointAt(b, 0), geoFloat(b, 2)}
}

func pointsAt(b []byte, n int) []point {
	p := make([]point, n)
	for i := range p {
		p[i] = pointAt(b, i)
	}
	return p
}

func (d Datum) path() path {
	b := d.Bytes()
	return path{b[4] != 0, pointsAt(b[12:], int(binary.LittleEndian.Uint32(b)))}
}

func (d Datum) polygon() polygon {
	b := d.Bytes()
	return polygon{box{pointAt(b[4:], 0), pointAt(b[4:], 1)}, pointsAt(b[36:], int(binary.LittleEndian.Uint32(b)))}
}

func (p point) datum() Datum  { return geoDatum(nil, p.x, p.y) }
func (s lseg) datum() Datum   { return geoDatum(nil, s[0].x, s[0].y, s[1].x, s[1].y) }
func (l line) datum() Datum   { return geoDatum(nil, l.a, l.b, l.c) }
func (b box) datum() Datum    { return geoDatum(nil, b.high.x, b.high.y, b.low.x, b.low.y) }
func (c circle) datum() Datum { return geoDatum(nil, c.center.x, c.center.y, c.radius) }

func flat(prefix []float64, p []point) []float64 {
	for _, q := range p {
		prefix = append(prefix, q.x, q.y)
	}
	return prefix
}

func (p path) datum() Datum {
	head := make([]byte, 12)
	binary.LittleEndian.PutUint32(head, uint32(len(p.p)))
	if p.closed {
		head[4] = 1
	}
	return geoDatum(head, flat(nil, p.p)...)
}

func (p polygon) datum() Datum {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(p.p)))
	return geoDatum(head, flat([]float64{p.bound.high.x, p.bound.high.y, p.bound.low.x, p.bound.low.y}, p.p)...)
}

// newPolygon finds the bounding box.
func newPolygon(p []point) polygon {
	b := box{p[0], p[0]}
	for _, q := range p[1:] {
		if floatLess(q.x, b.low.x) {
			b.low.x = q.x
		}
		if floatLess(b.high.x, q.x) {
			b.high.x = q.x
		}
		if floatLess(q.y, b.low.y) {
			b.low.y = q.y
		}
		if floatLess(b.high.y, q.y) {
			b.high.y = q.y
		}
	}
	return polygon{b, p}
}

// newBox sorts two corners.
func newBox(p, q point) box {
	b := box{q, p}
	if floatLess(q.x, p.x) {
		b.high.x, b.low.x = p.x, q.x
	}
	if floatLess(q.y, p.y) {
		b.high.y, b.low.y = p.y, q.y
	}
	return b
}

// samePoint compares fuzzily; NaN equals NaN.
func samePoint(p, q point) bool {
	if math.IsNaN(p.x) || math.IsNaN(p.y) || math.IsNaN(q.x) || math.IsNaN(q.y) {
		return CompareFloat(p.x, q.x) == 0 && CompareFloat(p.y, q.y) == 0
	}
	return fuzzyEq(p.x, q.x) && fuzzyEq(p.y, q.y)
}

var errTooManyPoints = pgerr.New(pgerr.ProgramLimitExceeded, "too many points requested")

// geoPointsMax keeps a path or polygon below PostgreSQL's limit of a value.
const geoPointsMax = (1<<30 - 64) / 16
