package types

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Text and binary forms of the geometric types.

func init() {
	registerIO("point_in", pointIn, "point_out", pointOut, "point_recv", floatsRecv(2), "point_send", floatsSend)
	registerIO("lseg_in", lsegIn, "lseg_out", lsegOut, "lseg_recv", floatsRecv(4), "lseg_send", floatsSend)
	registerIO("box_in", boxIn, "box_out", boxOut, "box_recv", boxRecv, "box_send", floatsSend)
	registerIO("line_in", lineIn, "line_out", lineOut, "line_recv", lineRecv, "line_send", floatsSend)
	registerIO("circle_in", circleIn, "circle_out", circleOut, "circle_recv", circleRecv, "circle_send", floatsSend)
	registerIO("path_in", pathIn, "path_out", pathOut, "path_recv", pathRecv, "path_send", pathSend)
	registerIO("poly_in", polyIn, "poly_out", polyOut, "poly_recv", polyRecv, "poly_send", polySend)
}

// geoScanner reads the text of a geometric value.
type geoScanner struct {
	s, orig, typ string
}

func (g *geoScanner) bad() error { return badSyntax(g.typ, g.orig) }

func (g *geoScanner) skipSpaces() { g.s = trimLeftSpace(g.s) }

// take steps over one character if it comes next.
func (g *geoScanner) take(c byte) bool {
	if g.s == "" || g.s[0] != c {
		return false
	}
	g.s = g.s[1:]
	return true
}

func (g *geoScanner) number() (float64, error) {
	v, rest, err := ParseFloat(g.s, g.orig, g.typ, 64, false)
	g.s = rest
	return v, err
}

// pair reads "x,y" or "(x,y)".
func (g *geoScanner) pair() (p point, err error) {
	g.skipSpaces()
	paren := g.take('(')
	if p.x, err = g.number(); err != nil {
		return p, err
	}
	if !g.take(',') {
		return p, g.bad()
	}
	if p.y, err = g.number(); err != nil {
		return p, err
	}
	if paren {
		if !g.take(')') {
			return p, g.bad()
		}
		g.skipSpaces()
	}
	return p, nil
}

// points reads n pairs, in parentheses, or in brackets when open ones are allowed.
func (g *geoScanner) points(n int, mayBeOpen bool) (p []point, open bool, err error) {
	g.skipSpaces()
	depth := 0
	if open = g.take('['); open {
		if !mayBeOpen {
			return nil, false, g.bad()
		}
		depth++
	} else if strings.HasPrefix(g.s, "(") {
		inner := trimLeftSpace(g.s[1:])
		if strings.HasPrefix(inner, "(") || strings.LastIndexByte(g.s, '(') == 0 {
			depth++
			g.s = inner
		}
	}
	p = make([]point, n)
	for i := range p {
		if p[i], err = g.pair(); err != nil {
			return nil, false, err
		}
		g.take(',')
	}
	for ; depth > 0; depth-- {
		if !g.take(')') && !(open && depth == 1 && g.take(']')) {
			return nil, false, g.bad()
		}
		g.skipSpaces()
	}
	return p, open, nil
}

// whole reads n points and nothing after them.
func (g *geoScanner) whole(n int, mayBeOpen bool) (p []point, open bool, err error) {
	if p, open, err = g.points(n, mayBeOpen); err == nil && g.s != "" {
		err = g.bad()
	}
	return p, open, err
}

// countPairs counts points by their commas; -1 when there cannot be a whole number of them.
func countPairs(s string) int {
	n := strings.Count(s, ",")
	if n%2 == 0 {
		return -1
	}
	return (n + 1) / 2
}

func appendPoint(dst []byte, env *Env, p point) []byte {
	dst = appendGeoFloat(append(dst, '('), env, p.x)
	return append(appendGeoFloat(append(dst, ','), env, p.y), ')')
}

func appendGeoFloat(dst []byte, env *Env, v float64) []byte {
	return AppendFloat8(dst, v, env.settings().ExtraFloatDigits)
}

func appendPoints(dst []byte, env *Env, p []point) []byte {
	for i, q := range p {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPoint(dst, env, q)
	}
	return dst
}

func pointIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	g := geoScanner{s, s, "point"}
	p, err := g.pair()
	if err == nil && g.s != "" {
		err = g.bad()
	}
	return p.datum(), err
}

func pointOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return appendPoint(dst, env, d.point()), nil
}

func lsegIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	g := geoScanner{s, s, "lseg"}
	p, _, err := g.whole(2, true)
	if err != nil {
		return Null, err
	}
	return lseg{p[0], p[1]}.datum(), nil
}

func lsegOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	s := d.lseg()
	return append(appendPoints(append(dst, '['), env, s[:]), ']'), nil
}

func boxIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	g := geoScanner{s, s, "box"}
	p, _, err := g.whole(2, false)
	if err != nil {
		return Null, err
	}
	return box{p[0], p[1]}.sorted().datum(), nil
}

// sorted exchanges coordinates so that high is above low.
func (b box) sorted() box {
	if floatLess(b.high.x, b.low.x) {
		b.high.x, b.low.x = b.low.x, b.high.x
	}
	if floatLess(b.high.y, b.low.y) {
		b.high.y, b.low.y = b.low.y, b.high.y
	}
	return b
}

func boxOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	b := d.box()
	return appendPoints(dst, env, []point{b.high, b.low}), nil
}

// lineIn reads {A,B,C}, or two points.
func lineIn(env *Env, _ *IO, s string, _ int32) (Datum, error) {
	g := geoScanner{trimLeftSpace(s), s, "line"}
	if !g.take('{') {
		p, _, err := g.whole(2, true)
		if err != nil {
			return Null, err
		}
		if samePoint(p[0], p[1]) {
			return Null, pgerr.New(pgerr.InvalidTextRepresentation, "invalid line specification: must be two distinct points")
		}
		f := &flops{env: env}
		l := f.lineThrough(p[0], f.slope(p[0], p[1]))
		return l.datum(), f.err
	}
	var v [3]float64
	for i, after := range []byte{',', ',', '}'} {
		var err error
		if v[i], err = g.number(); err != nil {
			return Null, err
		}
		if !g.take(after) {
			return Null, g.bad()
		}
	}
	if g.skipSpaces(); g.s != "" {
		return Null, g.bad()
	}
	if fuzzyZero(v[0]) && fuzzyZero(v[1]) {
		return Null, pgerr.New(pgerr.InvalidTextRepresentation, "invalid line specification: A and B cannot both be zero")
	}
	return line{v[0], v[1], v[2]}.datum(), nil
}

func lineOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	l := d.line()
	dst = appendGeoFloat(append(dst, '{'), env, l.a)
	dst = appendGeoFloat(append(dst, ','), env, l.b)
	return append(appendGeoFloat(append(dst, ','), env, l.c), '}'), nil
}

// circleIn reads <(x,y),r> and the same in parentheses or without any.
func circleIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	g := geoScanner{trimLeftSpace(s), s, "circle"}
	depth := 0
	if g.take('<') {
		depth = 1
	} else if strings.HasPrefix(g.s, "(") {
		if inner := trimLeftSpace(g.s[1:]); strings.HasPrefix(inner, "(") {
			depth, g.s = 1, inner
		}
	}
	var c circle
	var err error
	if c.center, err = g.pair(); err != nil {
		return Null, err
	}
	g.take(',')
	if c.radius, err = g.number(); err != nil {
		return Null, err
	}
	if c.radius < 0 {
		return Null, g.bad()
	}
	if depth > 0 {
		if !g.take(')') && !g.take('>') {
			return Null, g.bad()
		}
		g.skipSpaces()
	}
	if g.s != "" {
		return Null, g.bad()
	}
	return c.datum(), nil
}

func circleOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	c := d.circle()
	dst = appendPoint(append(dst, '<'), env, c.center)
	return append(appendGeoFloat(append(dst, ','), env, c.radius), '>'), nil
}

func pathIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	n := countPairs(s)
	if n <= 0 {
		return Null, badSyntax("path", s)
	}
	if n > geoPointsMax {
		return Null, copyErr(errTooManyPoints)
	}
	g := geoScanner{trimLeftSpace(s), s, "path"}
	paren := strings.LastIndexByte(g.s, '(') == 0 // one around all, none around the points
	if paren {
		g.s = g.s[1:]
	}
	p, open, err := g.points(n, true)
	if err != nil {
		return Null, err
	}
	if paren {
		if !g.take(')') {
			return Null, g.bad()
		}
		g.skipSpaces()
	}
	if g.s != "" {
		return Null, g.bad()
	}
	return path{!open, p}.datum(), nil
}

func pathOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	p := d.path()
	if p.closed {
		return append(appendPoints(append(dst, '('), env, p.p), ')'), nil
	}
	return append(appendPoints(append(dst, '['), env, p.p), ']'), nil
}

func polyIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	n := countPairs(s)
	if n <= 0 {
		return Null, badSyntax("polygon", s)
	}
	if n > geoPointsMax {
		return Null, copyErr(errTooManyPoints)
	}
	g := geoScanner{s, s, "polygon"}
	p, _, err := g.whole(n, false)
	if err != nil {
		return Null, err
	}
	return newPolygon(p).datum(), nil
}

func polyOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return append(appendPoints(append(dst, '('), env, d.polygon().p), ')'), nil
}

// floatsRecv reads a type that is n floats and nothing else.
func floatsRecv(n int) recvFunc {
	return func(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
		if err := wantLen(b, 8*n); err != nil {
			return Null, err
		}
		return geoDatum(nil, bigFloats(b)...), nil
	}
}

func bigFloats(b []byte) []float64 {
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.BigEndian.Uint64(b[8*i:]))
	}
	return v
}

func floatsSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return sendFloats(dst, d.Bytes()), nil
}

func sendFloats(dst, b []byte) []byte {
	for ; len(b) >= 8; b = b[8:] {
		dst = binary.BigEndian.AppendUint64(dst, binary.LittleEndian.Uint64(b))
	}
	return dst
}

func boxRecv(env *Env, io *IO, b []byte, m int32) (Datum, error) {
	d, err := floatsRecv(4)(env, io, b, m)
	if err != nil {
		return Null, err
	}
	return d.box().sorted().datum(), nil
}

func lineRecv(env *Env, io *IO, b []byte, m int32) (Datum, error) {
	d, err := floatsRecv(3)(env, io, b, m)
	if err != nil {
		return Null, err
	}
	if l := d.line(); fuzzyZero(l.a) && fuzzyZero(l.b) {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid line specification: A and B cannot both be zero")
	}
	return d, nil
}

func circleRecv(env *Env, io *IO, b []byte, m int32) (Datum, error) {
	d, err := floatsRecv(3)(env, io, b, m)
	if err != nil {
		return Null, err
	}
	if d.circle().radius < 0 {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid radius in external \"circle\" value")
	}
	return d, nil
}

// recvPoints reads a count and so many points.
func recvPoints(r *reader, typ string) ([]point, error) {
	n := int32(r.uint32())
	if r.short {
		return nil, badBinary()
	}
	if n <= 0 || n > geoPointsMax {
		return nil, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid number of points in external \"%s\" value", typ)
	}
	if err := wantLen(r.b, 16*int(n)); err != nil {
		return nil, err
	}
	v := bigFloats(r.b)
	p := make([]point, n)
	for i := range p {
		p[i] = point{v[2*i], v[2*i+1]}
	}
	return p, nil
}

func pathRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	r := reader{b: b}
	closed := r.uint8() != 0
	p, err := recvPoints(&r, "path")
	if err != nil {
		return Null, err
	}
	return path{closed, p}.datum(), nil
}

func pathSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	b := d.Bytes()
	dst = append(dst, b[4])
	dst = binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(b))
	return sendFloats(dst, b[12:]), nil
}

func polyRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	p, err := recvPoints(&reader{b: b}, "polygon")
	if err != nil {
		return Null, err
	}
	return newPolygon(p).datum(), nil
}

func polySend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	b := d.Bytes()
	dst = binary.BigEndian.AppendUint32(dst, binary.LittleEndian.Uint32(b))
	return sendFloats(dst, b[36:]), nil
}
