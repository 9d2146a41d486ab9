package types

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
)

// jsonpath is kept as the text that it prints. A path is a chain of items: each says what it does with the value that the one before gives.

func init() {
	registerIO("jsonpath_in", jsonPathIn, "jsonpath_out", textOut, "jsonpath_recv", jsonPathRecv, "jsonpath_send", jsonbSend)
}

// PathKind is what an item of a jsonpath does.
type PathKind uint8

const (
	PathRoot PathKind = iota
	PathCurrent
	PathLast
	PathNull
	PathBool
	PathNumber
	PathString
	PathVariable
	PathKey
	PathAnyKey
	PathAnyArray
	PathIndexArray
	PathAny
	PathFilter
	PathMethod // Str names it
	PathDatetime
	PathAnd
	PathOr
	PathNot
	PathIsUnknown
	PathCompare // Str is the operator
	PathStartsWith
	PathLikeRegex
	PathExists
	PathArith // Str is the operator
	PathUnary // Str is + or -
)

// PathAnyLevel is a level of ** that was not given, or "last".
const PathAnyLevel = math.MaxUint32

// PathItem is one item; Next is the one that its result goes to.
type PathItem struct {
	Kind        PathKind
	Str         string // key, name, text, operator or pattern
	Num         Numeric
	Bool        bool
	Left, Right *PathItem // operands; Left alone for unary ones
	Subs        [][2]*PathItem
	First, Last uint32 // of **
	Flags       string // of like_regex, in the order that they print
	Next        *PathItem
}

// JSONPath is a path in its mode.
type JSONPath struct {
	Strict bool
	Root   *PathItem
}

// CheckPathRegex checks a pattern of like_regex; the package of regular expressions sets it.
var CheckPathRegex func(pattern, flags string) error

func jsonPathIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	p, err := ParseJSONPath(s)
	if err != nil {
		return Null, err
	}
	return Bytes(p.Append(nil)), nil
}

func jsonPathRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	if len(b) == 0 {
		return Null, pgerr.New(pgerr.ProtocolViolation, "no data left in message")
	}
	if b[0] != 1 {
		return Null, pgerr.Internal("unsupported jsonpath version number: %d", b[0])
	}
	if err := CheckUTF8(b[1:]); err != nil {
		return Null, err
	}
	return jsonPathIn(env, io, string(b[1:]), typmod)
}

// Append writes the path as it prints.
func (p *JSONPath) Append(dst []byte) []byte {
	if p.Strict {
		dst = append(dst, "strict "...)
	}
	return p.Root.append(dst, false, true)
}

func (v *PathItem) priority() int {
	switch v.Kind {
	case PathOr:
		return 0
	case PathAnd:
		return 1
	case PathCompare, PathStartsWith:
		return 2
	case PathArith:
		if v.Str == "+" || v.Str == "-" {
			return 3
		}
		return 4
	case PathUnary:
		return 5
	}
	return 6
}

func (v *PathItem) operator() string {
	switch v.Kind {
	case PathAnd:
		return "&&"
	case PathOr:
		return "||"
	case PathStartsWith:
		return "starts with"
	}
	return v.Str
}

// append writes an item and what follows it; inKey: after a dot; brackets: an operator needs parentheses here.
func (v *PathItem) append(dst []byte, inKey, brackets bool) []byte {
	open := func() {
		if brackets {
			dst = append(dst, '(')
		}
	}
	shut := func() {
		if brackets {
			dst = append(dst, ')')
		}
	}
	operand := func(o *PathItem) { dst = o.append(dst, false, o.priority() <= v.priority()) }
	switch v.Kind {
	case PathAnd, PathOr, PathCompare, PathStartsWith, PathArith:
		open()
		operand(v.Left)
		dst = append(append(append(dst, ' '), v.operator()...), ' ')
		operand(v.Right)
		shut()
	case PathLikeRegex:
		open()
		operand(v.Left)
		dst = AppendJSONString(append(dst, " like_regex "...), v.Str)
		if v.Flags != "" {
			dst = append(append(append(dst, " flag \""...), v.Flags...), '"')
		}
		shut()
	case PathUnary:
		open()
		dst = append(dst, v.Str...)
		operand(v.Left)
		shut()
	default:
		dst = v.appendSimple(dst, inKey)
	}
	if v.Next != nil {
		dst = v.Next.append(dst, true, true)
	}
	return dst
}

func (v *PathItem) appendSimple(dst []byte, inKey bool) []byte {
	dot := func() {
		if inKey {
			dst = append(dst, '.')
		}
	}
	around := func(before string, arg *PathItem, after string) []byte {
		return append(arg.append(append(dst, before...), false, false), after...)
	}
	switch v.Kind {
	case PathRoot:
		return append(dst, '$')
	case PathCurrent:
		return append(dst, '@')
	case PathLast:
		return append(dst, "last"...)
	case PathNull:
		return append(dst, "null"...)
	case PathBool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case PathNumber:
		if v.Next != nil {
			return append(v.Num.Append(append(dst, '(')), ')')
		}
		return v.Num.Append(dst)
	case PathString:
		return AppendJSONString(dst, v.Str)
	case PathVariable:
		return AppendJSONString(append(dst, '$'), v.Str)
	case PathKey:
		dot()
		return AppendJSONString(dst, v.Str)
	case PathAnyKey:
		dot()
		return append(dst, '*')
	case PathAnyArray:
		return append(dst, "[*]"...)
	case PathIndexArray:
		return v.appendSubscripts(dst)
	case PathAny:
		dot()
		return v.appendAny(dst)
	case PathFilter:
		return around("?(", v.Left, ")")
	case PathNot:
		return around("!(", v.Left, ")")
	case PathIsUnknown:
		return around("(", v.Left, ") is unknown")
	case PathExists:
		return around("exists (", v.Left, ")")
	case PathDatetime:
		if v.Left == nil {
			return append(dst, ".datetime()"...)
		}
		return around(".datetime(", v.Left, ")")
	}
	return append(append(append(dst, '.'), v.Str...), "()"...) // PathMethod
}

func (v *PathItem) appendSubscripts(dst []byte) []byte {
	dst = append(dst, '[')
	for i, s := range v.Subs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s[0].append(dst, false, false)
		if s[1] != nil {
			dst = s[1].append(append(dst, " to "...), false, false)
		}
	}
	return append(dst, ']')
}

func (v *PathItem) appendAny(dst []byte) []byte {
	dst = append(dst, "**"...)
	if v.First == 0 && v.Last == PathAnyLevel {
		return dst
	}
	level := func(n uint32) {
		if n == PathAnyLevel {
			dst = append(dst, "last"...)
		} else {
			dst = NumericFromInt64(int64(n)).Append(dst)
		}
	}
	dst = append(dst, '{')
	level(v.First)
	if v.First != v.Last {
		dst = append(dst, " to "...)
		level(v.Last)
	}
	return append(dst, '}')
}
