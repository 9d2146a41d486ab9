package plancache

import (
	"container/list"

	"github.com/calfdb/calf/sql/parse"
)

// Statements is a session's statement cache: statements by their text with the literals cut out (parse.Shape). Texts of one shape may be several
// statements, which differ in the literals that stayed constants. It forgets what was not used for longest when its bound in bytes is passed.
//
// V is what the session keeps of a statement; it holds the Source, whose validity is the Source's affair.
type Statements[V any] struct {
	BytesMax int

	shapes map[string][]*Statement[V]
	used   list.List // of *Statement[V], most recently used first
	bytes  int
}

// Statement is one cached statement.
type Statement[V any] struct {
	Value  V
	Lifted []Lifted // what its parameters are

	shape string
	fixed []string // the text of each literal that is a constant, "" for the lifted ones
	size  int
	at    *list.Element
}

// shapeVariantsMax bounds the statements of one shape: a search looks at each.
const shapeVariantsMax = 16

// Find looks a statement up by its shape and literals.
func (s *Statements[V]) Find(shape []byte, sql string, lits []parse.Literal) *Statement[V] {
	for _, c := range s.shapes[string(shape)] {
		if c.matches(sql, lits) {
			if s.used.Front() != c.at {
				s.used.MoveToFront(c.at)
			}
			return c
		}
	}
	return nil
}

func (c *Statement[V]) matches(sql string, lits []parse.Literal) bool {
	for i, f := range c.fixed {
		if f != "" && f != sql[lits[i].Start:lits[i].End] {
			return false
		}
	}
	return true
}

// Add keeps a statement; size is its estimated memory.
func (s *Statements[V]) Add(shape []byte, sql string, lits []parse.Literal, lifted []Lifted, value V, size int) {
	c := &Statement[V]{Value: value, Lifted: lifted, shape: string(shape), fixed: make([]string, len(lits)), size: size + len(shape) + 24*len(lits)}
	if c.size > s.BytesMax/4 {
		return
	}
	for i, l := range lits {
		c.fixed[i] = sql[l.Start:l.End]
	}
	for _, l := range lifted {
		c.fixed[l.Literal] = ""
	}
	if old := s.Find(shape, sql, lits); old != nil {
		s.Drop(old)
	}
	if v := s.shapes[c.shape]; len(v) >= shapeVariantsMax {
		s.Drop(v[0])
	}
	if s.shapes == nil {
		s.shapes = map[string][]*Statement[V]{}
	}
	s.shapes[c.shape] = append(s.shapes[c.shape], c)
	c.at = s.used.PushFront(c)
	s.bytes += c.size
	for s.bytes > s.BytesMax {
		s.Drop(s.used.Back().Value.(*Statement[V]))
	}
}

// Drop forgets a statement.
func (s *Statements[V]) Drop(c *Statement[V]) {
	if c.at == nil {
		return
	}
	s.used.Remove(c.at)
	c.at = nil
	s.bytes -= c.size
	left := s.shapes[c.shape][:0:0]
	for _, o := range s.shapes[c.shape] {
		if o != c {
			left = append(left, o)
		}
	}
	if len(left) == 0 {
		delete(s.shapes, c.shape)
		return
	}
	s.shapes[c.shape] = left
}

// Clear forgets all.
func (s *Statements[V]) Clear() {
	s.shapes, s.bytes = nil, 0
	s.used.Init()
}

// Len counts the statements.
func (s *Statements[V]) Len() int { return s.used.Len() }
