package tsearch

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Operator of a Query's node; Operand is a word. The numbers are those of the binary form.
type Operator uint8

const (
	Operand Operator = iota
	Not
	And
	Or
	Phrase
	stopWord // while a query is made: a word that was left out
)

// priority orders operators by how tightly they bind.
func (o Operator) priority() int {
	return [...]int{Operand: 9, Not: 4, And: 2, Or: 1, Phrase: 3, stopWord: 9}[o]
}

// Query is a tsquery's tree; nil is the empty one.
type Query struct {
	Op       Operator
	Distance int16  // of Phrase
	Word     string // of Operand
	Weight   uint8  // of Operand: bit 1<<w for each allowed weight w; 0 = any
	Prefix   bool   // of Operand: words that begin so
	Left     *Query // of And, Or, Phrase
	Right    *Query // of Not too
}

const queryDepthMax = 2000

func errTooDeep() error { return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded") }

// walk calls each with q's nodes in prefix order, the right operand before the left one.
func (q *Query) walk(each func(*Query)) {
	if q == nil {
		return
	}
	each(q)
	q.Right.walk(each)
	q.Left.walk(each)
}

const queryItemSize = 12

// Datum gives the bytes of q: the number of nodes; these in prefix order, right operand first; the words, each with a NUL.
//
//	word      1, weight, prefix, 0, checksum (32 bits), length (12 bits) and offset (20 bits)
//	operator  2, operator, distance (16 bits), distance in nodes to the left operand (32 bits), 0
func (q *Query) Datum() (types.Datum, error) {
	b := make([]byte, 4)
	var words []byte
	var fill func(q *Query) error
	fill = func(q *Query) error {
		at := len(b)
		b = append(b, make([]byte, queryItemSize)...)
		if q.Op == Operand {
			b[at], b[at+1] = 1, q.Weight
			if q.Prefix {
				b[at+2] = 1
			}
			if len(words) > vectorBytesMax {
				return pgerr.New(pgerr.ProgramLimitExceeded, "tsquery is too large")
			}
			binary.LittleEndian.PutUint32(b[at+4:], checksum(q.Word))
			binary.LittleEndian.PutUint32(b[at+8:], uint32(len(q.Word))|uint32(len(words))<<12)
			words = append(append(words, q.Word...), 0)
			return nil
		}
		b[at], b[at+1] = 2, byte(q.Op)
		binary.LittleEndian.PutUint16(b[at+2:], uint16(q.Distance))
		if err := fill(q.Right); err != nil {
			return err
		}
		binary.LittleEndian.PutUint32(b[at+4:], uint32((len(b)-at)/queryItemSize))
		if q.Op == Not {
			return nil
		}
		return fill(q.Left)
	}
	if q != nil {
		if err := fill(q); err != nil {
			return types.Null, err
		}
		binary.LittleEndian.PutUint32(b, uint32((len(b)-4)/queryItemSize))
	}
	return types.Bytes(append(b, words...)), nil
}

// QueryOf reads the bytes of a tsquery. The words alias them.
func QueryOf(d types.Datum) *Query {
	b := d.Bytes()
	n := int(binary.LittleEndian.Uint32(b))
	items, words := b[4:4+n*queryItemSize], b[4+n*queryItemSize:]
	var read func() *Query
	read = func() *Query {
		it := items[:queryItemSize]
		items = items[queryItemSize:]
		if it[0] == 1 {
			place := binary.LittleEndian.Uint32(it[8:])
			start := int(place >> 12)
			return &Query{Weight: it[1], Prefix: it[2] != 0, Word: types.Bytes(words[start : start+int(place&(1<<12-1))]).Str()}
		}
		q := &Query{Op: Operator(it[1]), Distance: int16(binary.LittleEndian.Uint16(it[2:]))}
		q.Right = read()
		if q.Op != Not {
			q.Left = read()
		}
		return q
	}
	if n == 0 {
		return nil
	}
	return read()
}

// querySize gives the number of nodes.
func querySize(d types.Datum) int { return int(binary.LittleEndian.Uint32(d.Bytes())) }

var crcTable = func() (t [256]uint32) {
	for i := range t {
		c := uint32(i)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ 0xedb88320
			} else {
				c >>= 1
			}
		}
		t[i] = c
	}
	return t
}()

// checksum is the one that PostgreSQL keeps with each word and orders by: the reflected CRC-32 table, used as if it were not reflected.
func checksum(s string) uint32 {
	c := ^uint32(0)
	for i := range len(s) {
		c = crcTable[byte(c>>24)^s[i]] ^ c<<8
	}
	return ^c
}

// compareQueries orders by number of nodes, size in bytes, then node by node.
func compareQueries(a, b types.Datum) int {
	if c := querySize(a) - querySize(b); c != 0 {
		return c
	}
	if c := len(a.Bytes()) - len(b.Bytes()); c != 0 {
		return c
	}
	if querySize(a) == 0 {
		return 0
	}
	return compareNodes(treeOf(QueryOf(a)), treeOf(QueryOf(b)))
}

// tree is a query whose And and Or have any number of operands: what ts_rewrite compares and changes.
type tree struct {
	q        Query // without operands
	children []*tree
	done     bool // it came by replacement: not looked into again
}

func treeOf(q *Query) *tree {
	t := &tree{q: *q}
	t.q.Left, t.q.Right = nil, nil
	if q.Op == Operand {
		return t
	}
	t.children = append(t.children, treeOf(q.Right))
	if q.Op != Not {
		t.children = append(t.children, treeOf(q.Left))
	}
	return t
}

// query makes a binary tree of t again.
func (t *tree) query() *Query {
	q := t.q
	if q.Op == Operand {
		return &q
	}
	children := make([]*Query, len(t.children))
	for i, c := range t.children {
		children[i] = c.query()
	}
	for len(children) > 2 {
		joined := &Query{Op: q.Op, Right: children[0], Left: children[1]}
		last := len(children) - 1
		children[0], children[1] = joined, children[last]
		children = children[:last]
	}
	q.Right = children[0]
	if len(children) > 1 {
		q.Left = children[1]
	}
	return &q
}

// compareNodes orders operators before words, later operators before earlier, more operands before fewer, greater checksums before smaller.
func compareNodes(a, b *tree) int {
	if (a.q.Op == Operand) != (b.q.Op == Operand) {
		if a.q.Op != Operand {
			return -1
		}
		return 1
	}
	if a.q.Op == Operand {
		if x, y := int32(checksum(a.q.Word)), int32(checksum(b.q.Word)); x != y {
			if x > y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.q.Word, b.q.Word)
	}
	if a.q.Op != b.q.Op {
		return int(b.q.Op) - int(a.q.Op)
	}
	if len(a.children) != len(b.children) {
		return len(b.children) - len(a.children)
	}
	for i := range a.children {
		if c := compareNodes(a.children[i], b.children[i]); c != 0 {
			return c
		}
	}
	if a.q.Op == Phrase {
		return int(b.q.Distance) - int(a.q.Distance)
	}
	return 0
}

// flatten joins And below And and Or below Or.
func (t *tree) flatten() {
	for _, c := range t.children {
		c.flatten()
	}
	if t.q.Op != And && t.q.Op != Or {
		return
	}
	var flat []*tree
	for _, c := range t.children {
		if c.q.Op == t.q.Op {
			flat = append(flat, c.children...)
		} else {
			flat = append(flat, c)
		}
	}
	t.children = flat
}

// sort puts the operands of And and Or in order.
func (t *tree) sort() {
	for _, c := range t.children {
		c.sort()
	}
	if t.q.Op == And || t.q.Op == Or {
		slices.SortStableFunc(t.children, compareNodes)
	}
}

func (t *tree) canonical() *tree {
	t.flatten()
	t.sort()
	return t
}

func (t *tree) copy() *tree {
	c := *t
	c.children = make([]*tree, len(t.children))
	for i := range t.children {
		c.children[i] = t.children[i].copy()
	}
	return &c
}

func (t *tree) clearDone() {
	t.done = false
	for _, c := range t.children {
		c.clearDone()
	}
}
