package funcs

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Functions that take values of any type as text: concat, concat_ws, format; and those that split text.

func init() {
	types.RegisterFunc("text_concat", func(c *types.Call) (types.Datum, error) { return concat(c, "", 0) })
	types.RegisterFunc("text_concat_ws", func(c *types.Call) (types.Datum, error) {
		if c.Args[0].IsNull() {
			return types.Null, nil
		}
		return concat(c, c.Args[0].Str(), 1)
	})
	types.RegisterFunc("text_format", format)
	types.RegisterFunc("text_format_nv", format)
	types.RegisterFunc("textanycat", func(c *types.Call) (types.Datum, error) { return concatAny(c) })
	types.RegisterFunc("anytextcat", func(c *types.Call) (types.Datum, error) { return concatAny(c) })
	types.RegisterFunc("text_to_array", func(c *types.Call) (types.Datum, error) { return textToArray(c, types.Null) })
	types.RegisterFunc("text_to_array_null", func(c *types.Call) (types.Datum, error) { return textToArray(c, c.Args[2]) })
	types.RegisterSRF("text_to_table", func(c *types.Call) (types.Iterator, error) { return textToTable(c, types.Null) })
	types.RegisterSRF("text_to_table_null", func(c *types.Call) (types.Iterator, error) { return textToTable(c, c.Args[2]) })
}

// valueText gives argument i in its text form.
func valueText(c *types.Call, typ types.OID, d types.Datum, dst []byte) ([]byte, error) {
	if typ == types.BoolOID {
		if d.Bool() {
			return append(dst, 't'), nil
		}
		return append(dst, 'f'), nil
	}
	io, err := types.IOFor(c.Env, typ)
	if err != nil {
		return dst, err
	}
	return io.AppendText(c.Env, dst, d)
}

// variadicArgs gives the arguments from the first on, with the array after VARIADIC taken apart.
func variadicArgs(c *types.Call, first int) (args []types.Datum, typs []types.OID, isNull bool, err error) {
	if !c.Variadic {
		return c.Args[first:], c.ArgTypes[first:], false, nil
	}
	last := len(c.Args) - 1
	args, typs = append(args, c.Args[first:last]...), append(typs, c.ArgTypes[first:last]...)
	if c.Args[last].IsNull() {
		return nil, nil, true, nil
	}
	elem, err := elemOf(c, c.Args[last], 0)
	if err != nil {
		return nil, nil, false, err
	}
	n := len(args)
	if args, err = types.ArrayElements(elem, c.Args[last], args); err != nil {
		return nil, nil, false, err
	}
	for range args[n:] {
		typs = append(typs, elem.OID)
	}
	return args, typs, false, nil
}

func concat(c *types.Call, sep string, first int) (types.Datum, error) {
	args, typs, isNull, err := variadicArgs(c, first)
	if err != nil || isNull {
		return types.Null, err
	}
	var b []byte
	any := false
	for i, a := range args {
		if a.IsNull() {
			continue
		}
		if any {
			b = append(b, sep...)
		}
		any = true
		if b, err = valueText(c, typs[i], a, b); err != nil {
			return types.Null, err
		}
	}
	return types.Bytes(b), nil
}

func concatAny(c *types.Call) (types.Datum, error) {
	var b []byte
	var err error
	for i, a := range c.Args {
		if b, err = valueText(c, argType(c, i), a, b); err != nil {
			return types.Null, err
		}
	}
	return types.Bytes(b), nil
}

func badFormat(msg string, args ...any) *pgerr.Error {
	return pgerr.New(pgerr.InvalidParameterValue, msg, args...)
}

// format is SQL's format(): %s, %I and %L with positions, minus flag and width.
func format(c *types.Call) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, nil
	}
	args, typs, _, err := variadicArgs(c, 1)
	if err != nil {
		return types.Null, err
	}
	f := formatter{c: c, args: args, typs: typs}
	s := c.Args[0].Str()
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			f.out = append(f.out, s...)
			break
		}
		f.out = append(f.out, s[:i]...)
		if s = s[i+1:]; s == "" {
			return types.Null, badFormat("unterminated format() type specifier").WithHint("For a single \"%\" use \"%%\".")
		}
		if s[0] == '%' {
			f.out, s = append(f.out, '%'), s[1:]
			continue
		}
		if s, err = f.spec(s); err != nil {
			return types.Null, err
		}
	}
	return types.Bytes(f.out), nil
}

type formatter struct {
	c    *types.Call
	args []types.Datum
	typs []types.OID
	next int
	out  []byte
}

func unterminated() error {
	return badFormat("unterminated format() type specifier").WithHint("For a single \"%\" use \"%%\".")
}

func leadingInt(s string) (n int, rest string, have bool, err error) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 {
		return 0, s, false, nil
	}
	n, e := strconv.Atoi(s[:i])
	if e != nil || n > 1<<31-1 {
		return 0, s, false, pgerr.New(pgerr.NumericValueOutOfRange, "number is out of range")
	}
	return n, s[i:], true, nil
}

func (f *formatter) arg(pos int) (types.Datum, types.OID, error) {
	if pos < 0 {
		pos = f.next
	}
	f.next = pos + 1
	if pos >= len(f.args) {
		return types.Null, 0, badFormat("too few arguments for format()")
	}
	return f.args[pos], f.typs[pos], nil
}

// spec reads one specifier after its percent sign.
func (f *formatter) spec(s string) (string, error) {
	pos, width, minus := -1, 0, false
	n, rest, have, err := leadingInt(s)
	if err != nil {
		return "", err
	}
	if have && strings.HasPrefix(rest, "$") {
		if n == 0 {
			return "", badFormat("format specifies argument 0, but arguments are numbered from 1")
		}
		pos, s = n-1, rest[1:]
	}
	for strings.HasPrefix(s, "-") {
		minus, s = true, s[1:]
	}
	if strings.HasPrefix(s, "*") {
		if width, s, err = f.widthArg(s[1:]); err != nil {
			return "", err
		}
	} else if width, s, _, err = leadingInt(s); err != nil {
		return "", err
	}
	if s == "" {
		return "", unterminated()
	}
	conv := s[0]
	if conv != 's' && conv != 'I' && conv != 'L' {
		_, size := utf8.DecodeRuneInString(s)
		return "", badFormat("unrecognized format() type specifier \"%s\"", s[:size]).WithHint("For a single \"%\" use \"%%\".")
	}
	d, typ, err := f.arg(pos)
	if err != nil {
		return "", err
	}
	text, err := f.convert(conv, d, typ)
	if err != nil {
		return "", err
	}
	f.pad(text, width, minus)
	return s[1:], nil
}

// widthArg reads a width given as an argument: * or *n$.
func (f *formatter) widthArg(s string) (int, string, error) {
	pos := -1
	n, rest, have, err := leadingInt(s)
	if err != nil {
		return 0, "", err
	}
	if have {
		if !strings.HasPrefix(rest, "$") {
			return 0, "", badFormat("width argument position must be ended by \"$\"")
		}
		if n == 0 {
			return 0, "", badFormat("format specifies argument 0, but arguments are numbered from 1")
		}
		pos, s = n-1, rest[1:]
	}
	d, typ, err := f.arg(pos)
	if err != nil || d.IsNull() {
		return 0, s, err
	}
	if typ == types.Int4OID || typ == types.Int2OID {
		return int(d.Int4()), s, nil
	}
	b, err := valueText(f.c, typ, d, nil)
	if err != nil {
		return 0, "", err
	}
	v, err := types.ParseInt(string(b), 32, "integer")
	return int(v), s, err
}

func (f *formatter) convert(conv byte, d types.Datum, typ types.OID) (string, error) {
	if d.IsNull() {
		switch conv {
		case 'I':
			return "", pgerr.New(pgerr.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
		case 'L':
			return "NULL", nil
		}
		return "", nil
	}
	b, err := valueText(f.c, typ, d, nil)
	if err != nil {
		return "", err
	}
	switch conv {
	case 'I':
		return types.QuoteIdent(f.c.Env, string(b)), nil
	case 'L':
		return types.QuoteLiteral(string(b)), nil
	}
	return string(b), nil
}

func (f *formatter) pad(text string, width int, minus bool) {
	if width < 0 {
		minus, width = true, -width
	}
	fill := max(width-utf8.RuneCountInString(text), 0)
	if !minus {
		f.out = append(f.out, strings.Repeat(" ", fill)...)
	}
	f.out = append(f.out, text...)
	if minus {
		f.out = append(f.out, strings.Repeat(" ", fill)...)
	}
}

// splitText splits as string_to_array does: a null separator splits into characters, an empty one not at all.
func splitText(c *types.Call, null types.Datum) []types.Datum {
	s := c.Args[0].Str()
	if s == "" {
		return nil
	}
	var parts []string
	switch {
	case c.Args[1].IsNull():
		for _, r := range s {
			parts = append(parts, string(r))
		}
	case c.Args[1].Str() == "":
		parts = []string{s}
	default:
		parts = strings.Split(s, c.Args[1].Str())
	}
	values := make([]types.Datum, len(parts))
	for i, p := range parts {
		if values[i] = types.Text(p); !null.IsNull() && p == null.Str() {
			values[i] = types.Null
		}
	}
	return values
}

func textToArray(c *types.Call, null types.Datum) (types.Datum, error) {
	if c.Args[0].IsNull() {
		return types.Null, nil
	}
	text, _ := types.BuiltinType(types.TextOID)
	return types.MakeArray(text, splitText(c, null)), nil
}

func textToTable(c *types.Call, null types.Datum) (types.Iterator, error) {
	if c.Args[0].IsNull() {
		return &sliceIterator{}, nil
	}
	return &sliceIterator{values: splitText(c, null)}, nil
}
