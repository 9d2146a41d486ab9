package tsearch

import (
	"encoding/binary"
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterIO("tsquery", types.TypeIO{In: queryIn, Out: queryOut, Recv: queryRecv, Send: querySend})
	types.RegisterComparisons("tsquery_", compareQueries)
}

func queryIn(env *types.Env, text string) (types.Datum, error) {
	q, err := parseQuery(env, text, styleStandard, (*queryParser).pushWord)
	if err != nil {
		return types.Null, err
	}
	return q.Datum()
}

func queryOut(_ *types.Env, dst []byte, d types.Datum) ([]byte, error) {
	if q := QueryOf(d); q != nil {
		dst = q.appendText(dst, -1, false)
	}
	return dst, nil
}

// appendText appends q as it is written; parent is the priority of the operator above, rightOfPhrase says that q is the right operand of a phrase.
func (q *Query) appendText(dst []byte, parent int, rightOfPhrase bool) []byte {
	if q.Op == Operand {
		dst = appendQuoted(dst, q.Word)
		if q.Weight == 0 && !q.Prefix {
			return dst
		}
		dst = append(dst, ':')
		if q.Prefix {
			dst = append(dst, '*')
		}
		for w := 3; w >= 0; w-- {
			if q.Weight&(1<<w) != 0 {
				dst = append(dst, weightLetter(w))
			}
		}
		return dst
	}
	priority := q.Op.priority()
	parens := priority < parent || q.Op == Phrase && rightOfPhrase
	if parens {
		dst = append(dst, "( "...)
	}
	switch q.Op {
	case Not:
		dst = q.Right.appendText(append(dst, '!'), priority, false)
	default:
		dst = q.Left.appendText(dst, priority, false)
		switch {
		case q.Op == Or:
			dst = append(dst, " | "...)
		case q.Op == And:
			dst = append(dst, " & "...)
		case q.Distance == 1:
			dst = append(dst, " <-> "...)
		default:
			dst = append(strconv.AppendInt(append(dst, " <"...), int64(q.Distance), 10), "> "...)
		}
		dst = q.Right.appendText(dst, priority, q.Op == Phrase)
	}
	if parens {
		dst = append(dst, " )"...)
	}
	return dst
}

// querySend: the number of nodes; these in prefix order, right operand first: 1, weight, prefix, word with a NUL; or 2, operator, for a phrase its distance.
func querySend(_ *types.Env, dst []byte, d types.Datum) ([]byte, error) {
	dst = binary.BigEndian.AppendUint32(dst, uint32(querySize(d)))
	QueryOf(d).walk(func(q *Query) {
		if q.Op == Operand {
			prefix := byte(0)
			if q.Prefix {
				prefix = 1
			}
			dst = append(append(append(dst, 1, q.Weight, prefix), q.Word...), 0)
			return
		}
		if dst = append(dst, 2, byte(q.Op)); q.Op == Phrase {
			dst = binary.BigEndian.AppendUint16(dst, uint16(q.Distance))
		}
	})
	return dst, nil
}

func queryRecv(_ *types.Env, b []byte) (types.Datum, error) {
	m := message{b}
	n, err := m.uint(4)
	if err != nil {
		return types.Null, err
	}
	if n > 1<<30/queryItemSize {
		return types.Null, pgerr.Internal("invalid size of tsquery")
	}
	if n == 0 {
		return (*Query)(nil).Datum()
	}
	left := int(n)
	q, err := m.node(&left, 0)
	if err == nil && left != 0 {
		err = pgerr.Internal("malformed tsquery: extra nodes")
	}
	if err != nil {
		return types.Null, err
	}
	return q.Datum()
}

// node reads a node with its operands; left counts what may still come.
func (m *message) node(left *int, depth int) (q *Query, err error) {
	if depth > queryDepthMax {
		return nil, errTooDeep()
	}
	if *left--; *left < 0 {
		return nil, pgerr.Internal("malformed tsquery: operand not found")
	}
	kind, err := m.uint(1)
	if err != nil {
		return nil, err
	}
	switch kind {
	case 1:
		return m.word()
	case 2:
	default:
		return nil, pgerr.Internal("unrecognized tsquery node type: %d", int8(kind))
	}
	op, err := m.uint(1)
	if err != nil {
		return nil, err
	}
	q = &Query{Op: Operator(op)}
	if q.Op < Not || q.Op > Phrase {
		return nil, pgerr.Internal("invalid tsquery: unrecognized operator type %d", int8(op))
	}
	if *left == 0 {
		return nil, pgerr.Internal("invalid pointer to right operand")
	}
	if q.Op == Phrase {
		d, err := m.uint(2)
		if err != nil {
			return nil, err
		}
		q.Distance = int16(d)
	}
	if q.Right, err = m.node(left, depth+1); err != nil || q.Op == Not {
		return q, err
	}
	q.Left, err = m.node(left, depth+1)
	return q, err
}

func (m *message) word() (*Query, error) {
	weight, err := m.uint(1)
	if err != nil {
		return nil, err
	}
	prefix, err := m.uint(1)
	if err != nil {
		return nil, err
	}
	word, err := m.text()
	switch {
	case err != nil:
		return nil, err
	case weight > 15:
		return nil, pgerr.Internal("invalid tsquery: invalid weight bitmap")
	case len(word) > wordLenMax:
		return nil, pgerr.Internal("invalid tsquery: operand too long")
	}
	return &Query{Word: word, Weight: uint8(weight), Prefix: prefix != 0}, nil
}
