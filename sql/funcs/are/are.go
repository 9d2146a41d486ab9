// Package are translates PostgreSQL's advanced regular expressions (ARE) to Go's, where the meaning can be kept exactly. What Go's engine
// does not have (back references, look-around, word starts) is refused with 0A000 by name. A leaf: it imports pgerr only.
//
// PostgreSQL's rule for which match counts is POSIX's: the leftmost, and of these the longest (or, where quantifiers are non-greedy, the
// shortest). Go has leftmost-longest as an option; a pattern that mixes greedy and non-greedy quantifiers can be tested but not searched.
package are

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// Flags are the options of a pattern.
type Flags struct {
	IgnoreCase bool
	Expanded   bool // white space and comments in the pattern are skipped
	Literal    bool // the pattern is a plain string
	NewlineDot bool // . and [^...] do not match newline
	NewlineAnc bool // ^ and $ match at newlines too
	Basic      bool
}

// Regexp is a compiled pattern.
type Regexp struct {
	re      *regexp.Regexp
	exact   bool // the match that Go finds is the one PostgreSQL finds
	feature string
}

// Invalid makes the error of a pattern that PostgreSQL refuses.
func invalid(what string) error {
	return pgerr.New(pgerr.InvalidRegularExpression, "invalid regular expression: %s", what)
}

// Compile translates and compiles a pattern.
func Compile(pattern string, f Flags) (*Regexp, error) {
	t := translator{in: pattern, f: f}
	if err := t.prefix(); err != nil {
		return nil, err
	}
	if t.f.Basic {
		return nil, pgerr.NotSupported("a basic regular expression")
	}
	if t.f.Literal {
		t.out.WriteString(regexp.QuoteMeta(t.in))
	} else if err := t.run(); err != nil {
		return nil, err
	}
	flags := ""
	if t.f.IgnoreCase {
		flags += "i"
	}
	if !t.f.NewlineDot {
		flags += "s"
	}
	if t.f.NewlineAnc {
		flags += "m"
	}
	src := t.out.String()
	if flags != "" {
		src = "(?" + flags + ")" + src
	}
	re, err := regexp.Compile(src)
	if err != nil {
		if strings.Contains(err.Error(), "repeat count") || strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), "too deep") {
			return nil, pgerr.NotSupported("a regular expression of this size")
		}
		return nil, pgerr.NotSupported("the regular expression %q", pattern)
	}
	r := &Regexp{re: re, exact: true}
	switch {
	case !t.lazy:
		re.Longest()
	case t.greedy || t.branches:
		r.exact, r.feature = false, "finding the match of a regular expression that mixes greedy and non-greedy quantifiers"
	}
	return r, nil
}

// Match says whether the pattern matches anywhere in s.
func (r *Regexp) Match(s string) bool { return r.re.MatchString(s) }

// Groups counts the capturing parentheses.
func (r *Regexp) Groups() int { return r.re.NumSubexp() }

// Find gives the bounds of the first match at or after from and of its groups, nil when there is none.
func (r *Regexp) Find(s string, from int) ([]int, error) {
	if !r.exact {
		return nil, pgerr.NotSupported("%s", r.feature)
	}
	if from == 0 {
		return r.re.FindStringSubmatchIndex(s), nil
	}
	// Anchors must see what stands before from: walk the matches of the whole text.
	loc := r.re.FindAllStringSubmatchIndex(s, -1)
	for _, l := range loc {
		if l[0] >= from {
			return l, nil
		}
	}
	return nil, nil
}

// FindAll gives all matches that do not overlap, from the left.
func (r *Regexp) FindAll(s string) ([][]int, error) {
	if !r.exact {
		return nil, pgerr.NotSupported("%s", r.feature)
	}
	return r.re.FindAllStringSubmatchIndex(s, -1), nil
}

type translator struct {
	in       string
	f        Flags
	out      strings.Builder
	depth    int
	quant    bool // something stands before that a quantifier may follow
	lazy     bool
	greedy   bool
	branches bool
}

// prefix reads *** directors and embedded options.
func (t *translator) prefix() error {
	if t.f.Literal || t.f.Basic {
		return nil
	}
	switch {
	case strings.HasPrefix(t.in, "***="):
		t.in, t.f.Literal = t.in[4:], true
		return nil
	case strings.HasPrefix(t.in, "***:"):
		t.in = t.in[4:]
	case strings.HasPrefix(t.in, "***"):
		return invalid("quantifier operand invalid")
	}
	if !strings.HasPrefix(t.in, "(?") || len(t.in) < 3 || !isLetter(t.in[2]) {
		return nil
	}
	end := strings.IndexByte(t.in, ')')
	if end < 0 {
		return invalid("invalid embedded option")
	}
	for _, c := range t.in[2:end] {
		if err := t.f.Set(c); err != nil {
			return invalid("invalid embedded option")
		}
	}
	t.in = t.in[end+1:]
	return nil
}

// Set applies one option letter.
func (f *Flags) Set(c rune) error {
	switch c {
	case 'b':
		f.Basic = true
	case 'c':
		f.IgnoreCase = false
	case 'e', 't':
	case 'i':
		f.IgnoreCase = true
	case 'm', 'n':
		f.NewlineDot, f.NewlineAnc = true, true
	case 'p':
		f.NewlineDot, f.NewlineAnc = true, false
	case 'q':
		f.Literal = true
	case 's':
		f.NewlineDot, f.NewlineAnc = false, false
	case 'w':
		f.NewlineDot, f.NewlineAnc = false, true
	case 'x':
		f.Expanded = true
	default:
		return pgerr.New(pgerr.InvalidParameterValue, "invalid regular expression option: \"%c\"", c)
	}
	if c == 't' {
		f.Expanded = false
	}
	return nil
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (t *translator) run() error {
	for t.in != "" {
		if err := t.atom(); err != nil {
			return err
		}
	}
	if t.depth > 0 {
		return invalid("parentheses () not balanced")
	}
	return nil
}

func (t *translator) emit(s string) {
	t.out.WriteString(s)
	t.quant = true
}

func (t *translator) atom() error {
	c := t.in[0]
	if t.f.Expanded && (c == ' ' || c >= '\t' && c <= '\r' || c == '#') {
		if c == '#' {
			end := strings.IndexByte(t.in, '\n')
			if end < 0 {
				end = len(t.in) - 1
			}
			t.in = t.in[end+1:]
		} else {
			t.in = t.in[1:]
		}
		return nil
	}
	switch c {
	case '(':
		return t.open()
	case ')':
		if t.depth == 0 {
			return invalid("parentheses () not balanced")
		}
		t.depth--
		t.in = t.in[1:]
		t.emit(")")
		return nil
	case '|':
		t.in, t.quant, t.branches = t.in[1:], false, true
		t.out.WriteByte('|')
		return nil
	case '^', '$':
		t.in, t.quant = t.in[1:], false
		t.out.WriteByte(c)
		if t.in != "" && (t.in[0] == '*' || t.in[0] == '+' || t.in[0] == '?' || t.in[0] == '{' && len(t.in) > 1 && isDigit(t.in[1])) {
			return invalid("quantifier operand invalid")
		}
		return nil
	case '*', '+', '?':
		t.in = t.in[1:]
		return t.quantifier(string(c))
	case '{':
		if len(t.in) > 1 && isDigit(t.in[1]) {
			return t.bound()
		}
		t.in = t.in[1:]
		t.emit(`\{`)
		return nil
	case '.':
		t.in = t.in[1:]
		t.emit(".")
		return nil
	case '[':
		return t.bracket()
	case '\\':
		return t.escape()
	}
	r, n := utf8.DecodeRuneInString(t.in)
	t.in = t.in[n:]
	t.emit(regexp.QuoteMeta(string(r)))
	return nil
}

func (t *translator) open() error {
	switch {
	case strings.HasPrefix(t.in, "(?:"):
		t.in = t.in[3:]
		t.out.WriteString("(?:")
	case strings.HasPrefix(t.in, "(?="), strings.HasPrefix(t.in, "(?!"), strings.HasPrefix(t.in, "(?<"):
		return pgerr.NotSupported("look-around in a regular expression")
	case strings.HasPrefix(t.in, "(?#"):
		end := strings.IndexByte(t.in, ')')
		if end < 0 {
			return invalid("parentheses () not balanced")
		}
		t.in = t.in[end+1:]
		return nil
	case strings.HasPrefix(t.in, "(?"):
		return invalid("quantifier operand invalid")
	default:
		t.in = t.in[1:]
		t.out.WriteByte('(')
	}
	t.depth++
	t.quant = false
	return nil
}

// quantifier writes q, with the ? of a non-greedy one.
func (t *translator) quantifier(q string) error {
	if !t.quant {
		return invalid("quantifier operand invalid")
	}
	t.out.WriteString(q)
	fixed := strings.HasPrefix(q, "{") && !strings.Contains(q, ",")
	if strings.HasPrefix(t.in, "?") {
		t.in = t.in[1:]
		if !fixed {
			t.out.WriteByte('?')
			t.lazy = true
		}
	} else if !fixed {
		t.greedy = true
	}
	t.quant = false
	if t.in != "" && (t.in[0] == '*' || t.in[0] == '+' || t.in[0] == '?') {
		return invalid("quantifier operand invalid")
	}
	return nil
}

func (t *translator) bound() error {
	end := strings.IndexByte(t.in, '}')
	if end < 0 {
		return invalid("braces {} not balanced")
	}
	body := t.in[1:end]
	t.in = t.in[end+1:]
	lo, hi, comma := strings.Cut(body, ",")
	m, err := strconv.Atoi(lo)
	n := m
	if err == nil && comma && hi != "" {
		n, err = strconv.Atoi(hi)
	}
	if err != nil || m > 255 || n > 255 || comma && hi != "" && m > n {
		return invalid("invalid repetition count(s)")
	}
	return t.quantifier("{" + body + "}")
}

const (
	wordClass  = `\p{L}\p{Nd}\p{Nl}_`
	spaceClass = `\t-\r \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}`
)

func (t *translator) escape() error {
	if len(t.in) < 2 {
		return invalid(`invalid escape \ sequence`)
	}
	c := t.in[1]
	switch c {
	case 'd', 'D', 's', 'S', 'w', 'W':
		t.in = t.in[2:]
		class := map[byte]string{'d': "0-9", 's': spaceClass, 'w': wordClass}[c|0x20]
		if c < 'a' {
			class = "^" + class
			if t.f.NewlineDot {
				class += `\n`
			}
		}
		t.emit("[" + class + "]")
		return nil
	case 'A', 'Z', 'y', 'Y':
		t.in, t.quant = t.in[2:], false
		t.out.WriteString(map[byte]string{'A': `\A`, 'Z': `\z`, 'y': `\b`, 'Y': `\B`}[c])
		return nil
	case 'm', 'M':
		return pgerr.NotSupported("a word boundary \\%c in a regular expression", c)
	}
	if c >= '1' && c <= '9' {
		return pgerr.NotSupported("a back reference in a regular expression")
	}
	r, err := t.escapedChar()
	if err != nil {
		return err
	}
	t.emit(quoteRune(r))
	return nil
}

func quoteRune(r rune) string { return regexp.QuoteMeta(string(r)) }

// escapedChar reads an escape that stands for one character.
func (t *translator) escapedChar() (rune, error) {
	c, n := utf8.DecodeRuneInString(t.in[1:])
	t.in = t.in[1+n:]
	hex := func(least, most int) (rune, error) {
		i := 0
		for i < most && i < len(t.in) && strings.IndexByte("0123456789abcdefABCDEF", t.in[i]) >= 0 {
			i++
		}
		if i < least {
			return 0, invalid(`invalid escape \ sequence`)
		}
		v, err := strconv.ParseUint(t.in[:i], 16, 32)
		t.in = t.in[i:]
		if err != nil || v > 0x10ffff {
			return 0, invalid(`invalid escape \ sequence`)
		}
		return rune(v), nil
	}
	switch c {
	case 'a':
		return 7, nil
	case 'b':
		return 8, nil
	case 'B':
		return '\\', nil
	case 'c':
		if t.in == "" {
			return 0, invalid(`invalid escape \ sequence`)
		}
		v := rune(t.in[0] & 31)
		t.in = t.in[1:]
		return v, nil
	case 'e':
		return 27, nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'u':
		return hex(4, 4)
	case 'U':
		return hex(8, 8)
	case 'x':
		return hex(1, 255)
	case '0':
		i := 0
		for i < 2 && i < len(t.in) && t.in[i] >= '0' && t.in[i] <= '7' {
			i++
		}
		v, _ := strconv.ParseUint("0"+t.in[:i], 8, 32)
		t.in = t.in[i:]
		return rune(v), nil
	}
	if c < 0x80 && (isLetter(byte(c)) || isDigit(byte(c))) {
		return 0, invalid(`invalid escape \ sequence`)
	}
	return c, nil
}
