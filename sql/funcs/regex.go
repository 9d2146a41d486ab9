package funcs

import (
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/funcs/are"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// compiledRegex is a call site's last pattern.
type compiledRegex struct {
	pattern string
	flags   are.Flags
	re      *are.Regexp
}

func compileRegex(c *types.Call, pattern string, f are.Flags) (*are.Regexp, error) {
	if r, ok := c.Cache.(*compiledRegex); ok && r.pattern == pattern && r.flags == f {
		return r.re, nil
	}
	re, err := are.Compile(pattern, f)
	if err != nil {
		return nil, err
	}
	c.Cache = &compiledRegex{strings.Clone(pattern), f, re}
	return re, nil
}

// regexFlags reads an options argument; g is reported apart.
func regexFlags(s string) (f are.Flags, global bool, err error) {
	for _, r := range s {
		if r == 'g' {
			global = true
			continue
		}
		if err := f.Set(r); err != nil {
			return f, false, err
		}
	}
	return f, global, nil
}

func init() {
	match := func(fold, negate bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			re, err := compileRegex(c, c.Args[1].Str(), are.Flags{ICase: fold})
			if err != nil {
				return types.Null, err
			}
			ok, err := re.Match(c.Args[0].Str(), c.Env.Poll)
			return types.Bool(ok != negate), err
		}
	}
	for _, t := range []string{"text", "name"} {
		types.RegisterFunc(t+"regexeq", match(false, false))
		types.RegisterFunc(t+"regexne", match(false, true))
		types.RegisterFunc(t+"icregexeq", match(true, false))
		types.RegisterFunc(t+"icregexne", match(true, true))
	}
	types.RegisterFunc("textregexsubstr", regexSubstr)
	types.RegisterFunc("textregexreplace_noopt", func(c *types.Call) (types.Datum, error) {
		return regexReplace(c, c.Args[1].Str(), are.Flags{}, 1, 1)
	})
	types.RegisterFunc("textregexreplace", func(c *types.Call) (types.Datum, error) {
		opt := c.Args[3].Str()
		if opt != "" && opt[0] >= '0' && opt[0] <= '9' {
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "invalid regular expression option: \"%s\"", firstChars(opt)).
				WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
		}
		f, global, err := regexFlags(opt)
		if err != nil {
			return types.Null, err
		}
		n := 1
		if global {
			n = 0
		}
		return regexReplace(c, c.Args[1].Str(), f, 1, n)
	})
	for _, n := range []string{"textregexreplace_extended", "textregexreplace_extended_no_flags", "textregexreplace_extended_no_n"} {
		types.RegisterFunc(n, regexReplaceExtended)
	}
	for _, n := range []string{"regexp_like", "regexp_like_no_flags"} {
		types.RegisterFunc(n, regexLike)
	}
	for _, n := range []string{"regexp_match", "regexp_match_no_flags"} {
		types.RegisterFunc(n, regexMatch)
	}
	for _, n := range []string{"regexp_matches", "regexp_matches_no_flags"} {
		types.RegisterSRF(n, regexMatches)
	}
	for _, s := range []string{"", "_no_flags"} {
		types.RegisterFunc("regexp_split_to_array"+s, func(c *types.Call) (types.Datum, error) {
			parts, err := regexSplit(c, "regexp_split_to_array()")
			return textArray(parts), err
		})
		types.RegisterSRF("regexp_split_to_table"+s, func(c *types.Call) (types.Iterator, error) {
			parts, err := regexSplit(c, "regexp_split_to_table()")
			return &sliceIterator{values: parts}, err
		})
	}
	for _, s := range []string{"", "_no_flags", "_no_start"} {
		types.RegisterFunc("regexp_count"+s, regexCount)
	}
	types.RegisterFunc("similar_to_escape_1", func(c *types.Call) (types.Datum, error) { return similarEscape(c.Args[0].Str(), `\`) })
	types.RegisterFunc("similar_to_escape_2", func(c *types.Call) (types.Datum, error) {
		return similarEscape(c.Args[0].Str(), c.Args[1].Str())
	})
	types.RegisterFunc("similar_escape", func(c *types.Call) (types.Datum, error) {
		if c.Args[0].IsNull() {
			return types.Null, nil
		}
		if c.Args[1].IsNull() {
			return similarEscape(c.Args[0].Str(), `\`)
		}
		return similarEscape(c.Args[0].Str(), c.Args[1].Str())
	})
}

func firstChars(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func textArray(values []types.Datum) types.Datum {
	elem, _ := types.BuiltinType(types.TextOID)
	return types.MakeArray(elem, values)
}

func regexSubstr(c *types.Call) (types.Datum, error) {
	re, err := compileRegex(c, c.Args[1].Str(), are.Flags{})
	if err != nil {
		return types.Null, err
	}
	s := c.Args[0].Str()
	m, err := re.Find(s, c.Env.Poll)
	if err != nil || m == nil {
		return types.Null, err
	}
	from, to := m[0], m[1]
	if re.Groups() > 0 {
		from, to = m[2], m[3]
	}
	if from < 0 {
		return types.Null, nil
	}
	return types.Text(s[from:to]), nil
}

func regexReplaceExtended(c *types.Call) (types.Datum, error) {
	start, n := c.Args[3].Int4(), int32(1)
	if start <= 0 {
		return types.Null, badParam("start", start)
	}
	if len(c.Args) > 4 {
		if n = c.Args[4].Int4(); n < 0 {
			return types.Null, badParam("n", n)
		}
	}
	f, global := are.Flags{}, false
	if len(c.Args) > 5 {
		var err error
		if f, global, err = regexFlags(c.Args[5].Str()); err != nil {
			return types.Null, err
		}
	}
	if len(c.Args) <= 4 && global {
		n = 0
	}
	return regexReplace(c, c.Args[1].Str(), f, int(start), int(n))
}

func badParam(name string, v int32) error {
	return pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"%s\": %d", name, v)
}

// regexReplace replaces the nth match from character start on, or all when n is 0.
func regexReplace(c *types.Call, pattern string, f are.Flags, start, n int) (types.Datum, error) {
	re, err := compileRegex(c, pattern, f)
	if err != nil {
		return types.Null, err
	}
	s, with := c.Args[0].Str(), c.Args[2].Str()
	all, err := re.FindAll(s, searchOffset(s, start), c.Env.Poll)
	if err != nil {
		return types.Null, err
	}
	var b []byte
	last, count := 0, 0
	for _, m := range all {
		if count++; n > 0 && count != n {
			continue
		}
		b = append(b, s[last:m[0]]...)
		b = expandReplacement(b, s, with, m)
		last = m[1]
		if n > 0 {
			break
		}
	}
	if last == 0 && b == nil {
		return c.Args[0], nil
	}
	return types.Bytes(append(b, s[last:]...)), nil
}

// expandReplacement writes the replacement with \1 ... \9 and \& filled in.
func expandReplacement(b []byte, s, with string, m []int) []byte {
	for i := 0; i < len(with); i++ {
		if with[i] != '\\' || i+1 >= len(with) {
			b = append(b, with[i])
			continue
		}
		i++
		switch c := with[i]; {
		case c == '&':
			b = append(b, s[m[0]:m[1]]...)
		case c >= '1' && c <= '9':
			if k := 2 * int(c-'0'); k+1 < len(m) && m[k] >= 0 {
				b = append(b, s[m[k]:m[k+1]]...)
			}
		case c == '\\':
			b = append(b, '\\')
		default:
			b = append(b, '\\', c)
		}
	}
	return b
}

// optionalFlags reads the flags argument at position i; g is refused for the function named.
func optionalFlags(c *types.Call, i int, fn string) (are.Flags, error) {
	if len(c.Args) <= i {
		return are.Flags{}, nil
	}
	f, global, err := regexFlags(c.Args[i].Str())
	if err == nil && global {
		e := pgerr.New(pgerr.InvalidParameterValue, "%s does not support the \"global\" option", fn)
		if fn == "regexp_match()" {
			e = e.WithHint("Use the regexp_matches function instead.")
		}
		return f, e
	}
	return f, err
}

func regexLike(c *types.Call) (types.Datum, error) {
	f, err := optionalFlags(c, 2, "regexp_like()")
	if err != nil {
		return types.Null, err
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil {
		return types.Null, err
	}
	ok, err := re.Match(c.Args[0].Str(), c.Env.Poll)
	return types.Bool(ok), err
}

// groupsArray is the array of a match's groups, or of the match when there are none.
func groupsArray(s string, m []int) types.Datum {
	if len(m) > 2 {
		m = m[2:]
	}
	var values []types.Datum
	for i := 0; i < len(m); i += 2 {
		if m[i] < 0 {
			values = append(values, types.Null)
		} else {
			values = append(values, types.Text(s[m[i]:m[i+1]]))
		}
	}
	return textArray(values)
}

func regexMatch(c *types.Call) (types.Datum, error) {
	f, err := optionalFlags(c, 2, "regexp_match()")
	if err != nil {
		return types.Null, err
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil {
		return types.Null, err
	}
	m, err := re.Find(c.Args[0].Str(), c.Env.Poll)
	if err != nil || m == nil {
		return types.Null, err
	}
	return groupsArray(c.Args[0].Str(), m), nil
}

func regexMatches(c *types.Call) (types.Iterator, error) {
	f, global := are.Flags{}, false
	var err error
	if len(c.Args) > 2 {
		if f, global, err = regexFlags(c.Args[2].Str()); err != nil {
			return nil, err
		}
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil {
		return nil, err
	}
	s := strings.Clone(c.Args[0].Str())
	all, err := re.FindAll(s, 0, c.Env.Poll)
	if err != nil {
		return nil, err
	}
	if !global && len(all) > 1 {
		all = all[:1]
	}
	it := &sliceIterator{}
	for _, m := range all {
		it.values = append(it.values, groupsArray(s, m))
	}
	return it, nil
}

// regexSplit splits at matches; an empty match at the end, or right after another match, splits nothing.
func regexSplit(c *types.Call, fn string) ([]types.Datum, error) {
	f, err := optionalFlags(c, 2, fn)
	if err != nil {
		return nil, err
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil {
		return nil, err
	}
	s := strings.Clone(c.Args[0].Str())
	all, err := re.FindAll(s, 0, c.Env.Poll)
	if err != nil {
		return nil, err
	}
	var parts []types.Datum
	last := 0
	for _, m := range all {
		if m[0] == m[1] && (m[0] >= len(s) || m[0] == last) {
			continue
		}
		parts = append(parts, types.Text(s[last:m[0]]))
		last = m[1]
	}
	return append(parts, types.Text(s[last:])), nil
}

func regexCount(c *types.Call) (types.Datum, error) {
	start := int32(1)
	if len(c.Args) > 2 {
		if start = c.Args[2].Int4(); start <= 0 {
			return types.Null, badParam("start", start)
		}
	}
	f, err := optionalFlags(c, 3, "regexp_count()")
	if err != nil {
		return types.Null, err
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil {
		return types.Null, err
	}
	s := c.Args[0].Str()
	all, err := re.FindAll(s, searchOffset(s, int(start)), c.Env.Poll)
	return types.Int4(int32(len(all))), err
}

// similarEscape turns a SIMILAR TO pattern into a regular expression.
func similarEscape(p, esc string) (types.Datum, error) {
	if utf8.RuneCountInString(esc) > 1 {
		return types.Null, pgerr.New(pgerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	}
	b := []byte("^(?:")
	afterEscape, quotes := false, 0
	depth, pos := 0, 0 // of brackets; pos is 1 behind the opening bracket, 2 behind its caret, 3 and more further on
	for _, r := range p {
		ch := string(r)
		switch {
		case afterEscape:
			afterEscape = false
			if ch == `"` && depth == 0 {
				switch quotes {
				case 0:
					b = append(b, "){1,1}?("...)
				case 1:
					b = append(b, "){1,1}(?:"...)
				default:
					return types.Null, pgerr.New(pgerr.InvalidUseOfEscapeCharacter, "SQL regular expression may not contain more than two escape-double-quote separators")
				}
				quotes++
			} else {
				b = append(append(b, '\\'), ch...)
				pos = 3
			}
		case esc != "" && ch == esc:
			afterEscape = true
		case depth > 0:
			if ch == `\` {
				b = append(b, '\\')
			}
			b = append(b, ch...)
			switch {
			case ch == "]" && pos > 2:
				depth--
			case ch == "[":
				depth++
				pos = 3
			case ch == "^":
				pos++
			default:
				pos = 3
			}
		case ch == "[":
			b = append(b, '[')
			depth, pos = 1, 1
		case ch == "%":
			b = append(b, ".*"...)
		case ch == "_":
			b = append(b, '.')
		case ch == "(":
			b = append(b, "(?:"...)
		case ch == `\` || ch == "." || ch == "^" || ch == "$":
			b = append(append(b, '\\'), ch...)
		default:
			b = append(b, ch...)
		}
	}
	return types.Bytes(append(b, ")$"...)), nil
}
