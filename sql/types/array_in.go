package types

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("array_in", arrayIn, "array_out", arrayOut, "array_recv", arrayRecv, "array_send", arraySend)
	registerIO("oidvectorin", vectorIn, "oidvectorout", vectorOut, "oidvectorrecv", arrayRecv, "oidvectorsend", arraySend)
	registerIO("int2vectorin", vectorIn, "int2vectorout", vectorOut, "int2vectorrecv", arrayRecv, "int2vectorsend", arraySend)
	registerIO("", nil, "anyarray_out", anyArrayOut, "", nil, "anyarray_send", anyArraySend)
}

func malformedArray(s string) *pgerr.Error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "malformed array literal: \"%s\"", s)
}

func arrayIn(env *Env, io *IO, s string, typmod int32) (Datum, error) {
	p := arrayText{s: s, at: s, delim: io.elem.Info.Delim, nulls: env.settings().ArrayNulls}
	dims, lower, err := p.bounds()
	if err != nil {
		return Null, err
	}
	found, err := p.body()
	if err != nil {
		return Null, err
	}
	if dims == nil {
		dims = found
		lower = make([]int32, len(found))
		for i := range lower {
			lower[i] = 1
		}
	} else if !sameDims(dims, found) {
		return Null, malformedArray(s).WithDetail("Specified array dimensions do not match array contents.")
	}
	if err := checkItems(dims); err != nil {
		return Null, err
	}
	if err := checkUpper(dims, lower); err != nil {
		return Null, err
	}
	values := make([]Datum, len(p.items))
	for i, it := range p.items {
		if it.null {
			values[i] = Null
		} else if values[i], err = io.elem.Input(env, it.text, typmod); err != nil {
			return Null, err
		}
	}
	return BuildArray(io.elem.Info, values, dims, lower), nil
}

func sameDims(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func checkItems(dims []int32) error {
	n := int64(1)
	for _, d := range dims {
		if n *= int64(d); n > arrayElemsMax || d < 0 {
			return pgerr.New(pgerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", arrayElemsMax)
		}
	}
	return nil
}

// arrayText reads an array literal: the bounds in front, then the body in one pass.
type arrayText struct {
	s     string // the whole literal, for messages
	at    string // what is left
	delim byte
	nulls bool // array_nulls

	items []arrayItem
}

type arrayItem struct {
	text string
	null bool
}

// bounds reads "[1:2][0:3]=", when it is there.
func (p *arrayText) bounds() (dims, lower []int32, err error) {
	for {
		p.at = strings.TrimLeft(p.at, " \t\n\v\f\r")
		if !strings.HasPrefix(p.at, "[") {
			break
		}
		p.at = p.at[1:]
		if len(dims) >= arrayDimsMax {
			return nil, nil, tooManyDims(len(dims) + 1)
		}
		lo, hi := int64(1), int64(0)
		if hi, err = p.bound("\"[\" must introduce explicitly-specified array dimensions."); err != nil {
			return nil, nil, err
		}
		if strings.HasPrefix(p.at, ":") {
			p.at = p.at[1:]
			lo = hi
			if hi, err = p.bound("Missing array dimension value."); err != nil {
				return nil, nil, err
			}
		}
		if !strings.HasPrefix(p.at, "]") {
			return nil, nil, malformedArray(p.s).WithDetail("Missing \"]\" after array dimensions.")
		}
		p.at = p.at[1:]
		if hi < lo {
			return nil, nil, pgerr.New(pgerr.ArraySubscriptError, "upper bound cannot be less than lower bound")
		}
		dims, lower = append(dims, int32(hi-lo+1)), append(lower, int32(lo))
	}
	if dims == nil {
		if !strings.HasPrefix(p.at, "{") {
			return nil, nil, malformedArray(p.s).WithDetail("Array value must start with \"{\" or dimension information.")
		}
		return nil, nil, nil
	}
	if !strings.HasPrefix(p.at, "=") {
		return nil, nil, malformedArray(p.s).WithDetail("Missing \"=\" after array dimensions.")
	}
	p.at = strings.TrimLeft(p.at[1:], " \t\n\v\f\r")
	if !strings.HasPrefix(p.at, "{") {
		return nil, nil, malformedArray(p.s).WithDetail("Array contents must start with \"{\".")
	}
	return dims, lower, nil
}

func (p *arrayText) bound(missing string) (int64, error) {
	n := 0
	for n < len(p.at) && (p.at[n] >= '0' && p.at[n] <= '9' || n == 0 && (p.at[n] == '-' || p.at[n] == '+')) {
		n++
	}
	if n == 0 {
		return 0, malformedArray(p.s).WithDetail("%s", missing)
	}
	v, err := ParseInt(p.at[:n], 32, "integer")
	p.at = p.at[n:]
	if err != nil {
		return 0, pgerr.New(pgerr.ArraySubscriptError, "array bound is out of integer range")
	}
	return v, nil
}

// What stands before the next character of an array's body.
type arrayState uint8

const (
	noLevel arrayState = iota
	levelStarted
	elemStarted
	quotedElemStarted
	quotedElemCompleted
	elemDelimited
	levelCompleted
	levelDelimited
)

// body reads "{...}", collects the elements and gives the dimensions.
func (p *arrayText) body() ([]int32, error) {
	b := arrayBody{arrayText: p, ndim: 1}
	for i := range b.expected {
		b.expected[i] = -1
	}
	for !b.done {
		if err := b.step(); err != nil {
			return nil, err
		}
	}
	if strings.Trim(p.at, " \t\n\v\f\r") != "" {
		return nil, malformedArray(p.s).WithDetail("Junk after closing right brace.")
	}
	if len(p.items) == 0 {
		return nil, nil
	}
	dims := make([]int32, b.ndim)
	for i := range dims {
		dims[i] = b.expected[i]
	}
	return dims, nil
}

type arrayBody struct {
	*arrayText
	state    arrayState
	level    int
	ndim     int
	counts   [arrayDimsMax]int32 // members seen so far at each open level
	expected [arrayDimsMax]int32 // members of the first finished list of each level
	elem     []byte
	quoted   bool
	lastText int // length of elem without trailing space
	done     bool
}

func (b *arrayBody) unexpected(c byte) error {
	return malformedArray(b.s).WithDetail("Unexpected \"%c\" character.", c)
}

func (b *arrayBody) step() error {
	if b.at == "" {
		return malformedArray(b.s).WithDetail("Unexpected end of input.")
	}
	c := b.at[0]
	b.at = b.at[1:]
	inQuotes := b.state == quotedElemStarted
	switch {
	case c == '\\':
		if b.state != levelStarted && b.state != elemStarted && !inQuotes && b.state != elemDelimited {
			return b.unexpected(c)
		}
		if !inQuotes {
			b.state = elemStarted
		}
		if b.at == "" {
			return malformedArray(b.s).WithDetail("Unexpected end of input.")
		}
		b.elem = append(b.elem, b.at[0])
		b.lastText, b.quoted = len(b.elem), true
		b.at = b.at[1:]
	case c == '"':
		return b.quote()
	case inQuotes:
		b.elem = append(b.elem, c)
	case c == '{':
		return b.open()
	case c == '}':
		return b.close()
	case c == b.delim:
		return b.delimiter(c)
	case isSpace(c):
		if b.state == elemStarted {
			b.elem = append(b.elem, c)
		}
	default:
		if b.state != levelStarted && b.state != elemStarted && b.state != elemDelimited {
			return malformedArray(b.s).WithDetail("Unexpected array element.")
		}
		b.state = elemStarted
		b.elem = append(b.elem, c)
		b.lastText = len(b.elem)
	}
	return nil
}

func (b *arrayBody) quote() error {
	if b.state != levelStarted && b.state != quotedElemStarted && b.state != elemDelimited {
		return malformedArray(b.s).WithDetail("Unexpected array element.")
	}
	if b.state == quotedElemStarted {
		b.state, b.lastText = quotedElemCompleted, len(b.elem)
	} else {
		b.state, b.quoted = quotedElemStarted, true
	}
	return nil
}

func (b *arrayBody) open() error {
	if b.state != noLevel && b.state != levelStarted && b.state != levelDelimited {
		return b.unexpected('{')
	}
	b.state = levelStarted
	if b.level >= arrayDimsMax {
		return tooManyDims(b.level + 1)
	}
	b.counts[b.level] = 0
	b.level++
	b.ndim = max(b.ndim, b.level)
	return nil
}

func (b *arrayBody) close() error {
	empty := b.level == 1 && b.state == levelStarted
	if b.state != elemStarted && b.state != quotedElemCompleted && b.state != levelCompleted && !empty {
		return b.unexpected('}')
	}
	if b.state == elemStarted || b.state == quotedElemCompleted {
		if err := b.finish(); err != nil {
			return err
		}
	}
	b.state = levelCompleted
	b.level--
	n := b.counts[b.level]
	if b.expected[b.level] >= 0 && b.expected[b.level] != n {
		return b.ragged()
	}
	b.expected[b.level] = n
	if b.level == 0 {
		b.done = true
	} else {
		b.counts[b.level-1]++
	}
	return nil
}

func (b *arrayBody) ragged() error {
	return malformedArray(b.s).WithDetail("Multidimensional arrays must have sub-arrays with matching dimensions.")
}

func (b *arrayBody) delimiter(c byte) error {
	switch b.state {
	case elemStarted, quotedElemCompleted:
		if err := b.finish(); err != nil {
			return err
		}
		b.state = elemDelimited
	case levelCompleted:
		b.state = levelDelimited
	default:
		return b.unexpected(c)
	}
	return nil
}

// finish ends an element.
func (b *arrayBody) finish() error {
	if b.level < b.ndim { // an element beside sub-arrays
		return malformedArray(b.s)
	}
	text := string(b.elem[:b.lastText])
	b.items = append(b.items, arrayItem{text: text, null: b.nulls && !b.quoted && strings.EqualFold(text, "null")})
	b.counts[b.level-1]++
	b.elem, b.quoted, b.lastText = b.elem[:0], false, 0
	return nil
}
