package plpgsql

import (
	"math"

	"github.com/calfdb/calf/sql/types"
)

// varType is the type of a variable.
type varType struct {
	oid  types.OID
	mod  int32
	coll types.OID
	row  bool // RECORD, or a composite type: its fields are variables themselves
}

// datumKind says what stands behind a name.
type datumKind uint8

const (
	scalarDatum datumKind = iota
	recordDatum           // a variable of type RECORD or of a composite type
	listDatum             // the targets of INTO a, b, c, and the OUT parameters together
)

// datum is a variable of a function; its number is its place in a frame.
type datum struct {
	kind     datumKind
	number   int
	name     string
	line     int
	typ      varType
	constant bool
	notNull  bool
	init     *expression // DEFAULT; nil = NULL

	cursor *cursorDecl // of bound cursor variables

	targets []target // of a list
	names   []string // the targets' column names
}

// target is what a value can be assigned to: a whole variable, or one field of a record.
type target struct {
	d     *datum
	field string // "" = all of it
}

// cursorDecl is what CURSOR (args) FOR query declares.
type cursorDecl struct {
	args    []*datum
	query   *expression
	options CursorOptions
}

// scope is a block's names. Labels and the function's own name are the scopes' labels.
type scope struct {
	outer *scope
	label string
	loop  bool // a loop's label: EXIT and CONTINUE may name it
	block bool // it is a block of statements, with or without label
	names map[string]*datum
}

func (s *scope) add(name string, d *datum) {
	if s.names == nil {
		s.names = map[string]*datum{}
	}
	s.names[name] = d
}

// lookup resolves a possibly qualified name: label.variable, variable.field, label.variable.field. used is how many of the names made the
// variable; what is left names a field.
func (s *scope) lookup(names []string) (d *datum, used int) {
	return s.lookupBefore(names, math.MaxInt)
}

// lookupBefore is lookup among the first variables of the function.
func (s *scope) lookupBefore(names []string, declared int) (d *datum, used int) {
	for sc := s; sc != nil; sc = sc.outer {
		if d := sc.names[names[0]]; d != nil && d.number < declared {
			return d, 1
		}
		if len(names) > 1 && sc.label != "" && sc.label == names[0] {
			if d := sc.names[names[1]]; d != nil && d.number < declared {
				return d, 2
			}
		}
	}
	return nil, 0
}

// findLabel gives the innermost block or loop of that label.
func (s *scope) findLabel(label string) *scope {
	for sc := s; sc != nil; sc = sc.outer {
		if sc.label == label && sc.label != "" {
			return sc
		}
	}
	return nil
}

// findLoop gives the innermost loop.
func (s *scope) findLoop() *scope {
	for sc := s; sc != nil; sc = sc.outer {
		if sc.loop {
			return sc
		}
	}
	return nil
}
