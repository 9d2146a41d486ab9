package query

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/types"
)

// The stored form of a tree, for pg_node_tree columns: a version, then nodes as {Name Field value ...}, lists as (a b ...), strings quoted,
// fields of zero value left out. Field names keep it readable by a later calf that has more fields; places in the text are not kept.

const encodeVersion = "calf1 "

// Encode gives the stored form of an expression.
func Encode(e Expr) string {
	w := encoder{buf: []byte(encodeVersion)}
	w.node(e)
	return string(w.buf)
}

// EncodeExprs gives the stored form of a list of expressions.
func EncodeExprs(list []Expr) string {
	w := encoder{buf: []byte(encodeVersion)}
	w.openList()
	for _, e := range list {
		w.node(e)
	}
	w.closeList()
	return string(w.buf)
}

// EncodeQueries gives the stored form of a list of queries, as pg_rewrite.ev_action holds; a utility statement has none and is an error.
func EncodeQueries(list []*Query) (string, error) {
	w := encoder{buf: []byte(encodeVersion)}
	w.openList()
	for _, q := range list {
		encodeQuery(&w, q)
	}
	w.closeList()
	return string(w.buf), w.err
}

// EncodeQuery gives the stored form of one query.
func EncodeQuery(q *Query) (string, error) {
	w := encoder{buf: []byte(encodeVersion)}
	encodeQuery(&w, q)
	return string(w.buf), w.err
}

// Decode reads an expression from its stored form.
func Decode(s string) (Expr, error) {
	r, err := newDecoder(s)
	if err != nil {
		return nil, err
	}
	e := decodeTo[Expr](r)
	return e, r.end()
}

// DecodeExprs reads a list of expressions.
func DecodeExprs(s string) ([]Expr, error) {
	r, err := newDecoder(s)
	if err != nil {
		return nil, err
	}
	var list []Expr
	r.openList()
	for r.more() {
		list = append(list, decodeTo[Expr](r))
	}
	return list, r.end()
}

// DecodeQueries reads a list of queries.
func DecodeQueries(s string) ([]*Query, error) {
	r, err := newDecoder(s)
	if err != nil {
		return nil, err
	}
	var list []*Query
	r.openList()
	for r.more() {
		list = append(list, decodeTo[*Query](r))
	}
	return list, r.end()
}

// EncodeBody gives the stored form of a function's SQL-standard body: a list of statements, or one that is RETURN.
func EncodeBody(list []*Query, atomic bool) (string, error) {
	if atomic {
		return EncodeQueries(list)
	}
	return EncodeQuery(list[0])
}

// DecodeBody reads a function's SQL-standard body; atomic says that it is BEGIN ATOMIC ... END.
func DecodeBody(s string) (list []*Query, atomic bool, err error) {
	if rest, ok := strings.CutPrefix(s, encodeVersion); ok && strings.HasPrefix(strings.TrimLeft(rest, " "), "(") {
		list, err = DecodeQueries(s)
		return list, true, err
	}
	q, err := DecodeQuery(s)
	return []*Query{q}, false, err
}

// DecodeQuery reads one query.
func DecodeQuery(s string) (*Query, error) {
	r, err := newDecoder(s)
	if err != nil {
		return nil, err
	}
	q := decodeTo[*Query](r)
	return q, r.end()
}

type encoder struct {
	buf []byte
	err error
}

// space separates a value from what is before it.
func (w *encoder) space() {
	if c := w.buf[len(w.buf)-1]; c != '(' && c != ' ' {
		w.buf = append(w.buf, ' ')
	}
}

func (w *encoder) open(name string) { w.space(); w.buf = append(append(w.buf, '{'), name...) }
func (w *encoder) close()           { w.buf = append(w.buf, '}') }
func (w *encoder) name(n string)    { w.buf = append(append(w.buf, ' '), n...) }
func (w *encoder) openList()        { w.space(); w.buf = append(w.buf, '(') }
func (w *encoder) closeList()       { w.buf = append(w.buf, ')') }
func (w *encoder) null()            { w.space(); w.buf = append(w.buf, '_') }
func (w *encoder) int(v int64)      { w.space(); w.buf = strconv.AppendInt(w.buf, v, 10) }
func (w *encoder) uint(v uint64)    { w.space(); w.buf = strconv.AppendUint(w.buf, v, 10) }
func (w *encoder) float(v float64)  { w.space(); w.buf = strconv.AppendFloat(w.buf, v, 'g', -1, 64) }
func (w *encoder) string(v string)  { w.space(); w.buf = strconv.AppendQuote(w.buf, v) }

func (w *encoder) bool(v bool) {
	if v {
		w.int(1)
	} else {
		w.int(0)
	}
}

func (w *encoder) datum(d types.Datum) {
	w.space()
	switch {
	case d.IsNull():
		w.buf = append(w.buf, '_')
	case d.IsByRef():
		w.buf = append(w.buf, 'x')
		w.buf = hex.AppendEncode(w.buf, d.Bytes())
	default:
		w.buf = strconv.AppendUint(append(w.buf, 'v'), d.Raw(), 10)
	}
}

func (w *encoder) intSet(m map[int]bool) {
	var keys []int
	for k, in := range m {
		if in {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	w.openList()
	for _, k := range keys {
		w.int(int64(k))
	}
	w.closeList()
}

func (w *encoder) opaque(any) {
	w.null()
	w.err = fmt.Errorf("query: a utility statement has no stored form")
}

func (w *encoder) node(x any) {
	if x == nil {
		w.null()
		return
	}
	encodeNode(w, x)
}

type decoder struct {
	s   string
	pos int
	err error
}

func newDecoder(s string) (*decoder, error) {
	if !strings.HasPrefix(s, encodeVersion) {
		return nil, fmt.Errorf("query: stored tree has an unknown version: %.10q", s)
	}
	return &decoder{s: s, pos: len(encodeVersion)}, nil
}

func (r *decoder) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("query: stored tree is broken at byte %d: %s", r.pos, what)
	}
	r.pos = len(r.s)
}

func (r *decoder) end() error {
	if r.err == nil && r.pos != len(r.s) {
		r.fail("trailing text")
	}
	return r.err
}

// peek skips blanks and gives the next byte, 0 at the end.
func (r *decoder) peek() byte {
	for r.pos < len(r.s) && r.s[r.pos] == ' ' {
		r.pos++
	}
	if r.pos == len(r.s) {
		return 0
	}
	return r.s[r.pos]
}

// word reads up to a blank or a bracket.
func (r *decoder) word() string {
	r.peek()
	start := r.pos
	for r.pos < len(r.s) {
		switch r.s[r.pos] {
		case ' ', '(', ')', '{', '}':
			return r.s[start:r.pos]
		}
		r.pos++
	}
	return r.s[start:]
}

// field reads the name of the next field, "" at the end of the node.
func (r *decoder) field() string {
	switch r.peek() {
	case '}':
		r.pos++
		return ""
	case 0:
		r.fail("a node does not end")
		return ""
	}
	w := r.word()
	if w == "" {
		r.fail("a field name is missing")
	}
	return w
}

// openList enters a list.
func (r *decoder) openList() {
	if r.peek() != '(' {
		r.fail("a list is missing")
		return
	}
	r.pos++
}

// more says whether another member of the list follows, and leaves the list when none does.
func (r *decoder) more() bool {
	switch r.peek() {
	case ')':
		r.pos++
		return false
	case 0:
		r.fail("a list does not end")
		return false
	}
	return true
}

func (r *decoder) int() int64 {
	v, err := strconv.ParseInt(r.word(), 10, 64)
	if err != nil {
		r.fail(err.Error())
	}
	return v
}

func (r *decoder) uint() uint64 {
	v, err := strconv.ParseUint(r.word(), 10, 64)
	if err != nil {
		r.fail(err.Error())
	}
	return v
}

func (r *decoder) float() float64 {
	v, err := strconv.ParseFloat(r.word(), 64)
	if err != nil {
		r.fail(err.Error())
	}
	return v
}

func (r *decoder) bool() bool { return r.int() != 0 }

func (r *decoder) string() string {
	if r.peek() != '"' {
		r.fail("a string is missing")
		return ""
	}
	q, err := strconv.QuotedPrefix(r.s[r.pos:])
	if err != nil {
		r.fail(err.Error())
		return ""
	}
	r.pos += len(q)
	v, err := strconv.Unquote(q)
	if err != nil {
		r.fail(err.Error())
	}
	return v
}

func (r *decoder) datum() types.Datum {
	w := r.word()
	switch {
	case w == "_":
		return types.Null
	case strings.HasPrefix(w, "x"):
		b, err := hex.DecodeString(w[1:])
		if err != nil {
			r.fail(err.Error())
		}
		return types.Bytes(b)
	case strings.HasPrefix(w, "v"):
		v, err := strconv.ParseUint(w[1:], 10, 64)
		if err != nil {
			r.fail(err.Error())
		}
		return types.FromRaw(v)
	}
	r.fail("a value is missing")
	return types.Null
}

func (r *decoder) intSet() map[int]bool {
	m := map[int]bool{}
	r.openList()
	for r.more() {
		m[int(r.int())] = true
	}
	return m
}

func (r *decoder) opaque() any {
	r.fail("a utility statement has no stored form")
	return nil
}

// decodeTo reads a node or "_" and checks that it is of the kind wanted.
func decodeTo[T any](r *decoder) (v T) {
	switch r.peek() {
	case '_':
		r.pos++
		return v
	case '{':
		r.pos++
		v, ok := decodeNode(r, r.word()).(T)
		if !ok {
			r.fail("a node is of the wrong kind")
		}
		return v
	}
	r.fail("a node is missing")
	return v
}
