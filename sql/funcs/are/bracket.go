package are

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// classes are the named character classes, as glibc's C.UTF-8 has them.
var classes = map[string]string{
	"alnum": `\p{L}\p{Nd}\p{Nl}`, "alpha": `\p{L}\p{Nl}`, "ascii": `\x00-\x7f`, "blank": ` \t`, "cntrl": `\x00-\x1f\x7f-\x{9f}`, "digit": "0-9",
	"graph": `\p{L}\p{M}\p{N}\p{P}\p{S}`, "lower": `\p{Ll}`, "print": ` \p{L}\p{M}\p{N}\p{P}\p{S}`, "punct": `\p{P}\p{S}`,
	"space": spaceClass, "upper": `\p{Lu}`, "xdigit": "0-9a-fA-F", "word": wordClass,
}

// bracket translates a bracket expression.
func (t *translator) bracket() error {
	if strings.HasPrefix(t.in, "[[:<:]]") || strings.HasPrefix(t.in, "[[:>:]]") {
		return pgerr.NotSupported("a word boundary in a regular expression")
	}
	t.in = t.in[1:]
	var b strings.Builder
	b.WriteByte('[')
	if strings.HasPrefix(t.in, "^") {
		t.in = t.in[1:]
		b.WriteByte('^')
		if t.f.NewlineDot {
			b.WriteString(`\n`)
		}
	}
	for first := true; ; first = false {
		if t.in == "" {
			return invalid("brackets [] not balanced")
		}
		if t.in[0] == ']' && !first {
			t.in = t.in[1:]
			break
		}
		if err := t.member(&b); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	t.emit(b.String())
	return nil
}

// member translates a class, a character or a range.
func (t *translator) member(b *strings.Builder) error {
	if strings.HasPrefix(t.in, "[:") {
		end := strings.Index(t.in, ":]")
		if end < 0 {
			return invalid("brackets [] not balanced")
		}
		class, ok := classes[t.in[2:end]]
		if !ok {
			return invalid("invalid character class")
		}
		if t.f.IgnoreCase && (t.in[2:end] == "lower" || t.in[2:end] == "upper") {
			class = classes["alpha"]
		}
		b.WriteString(class)
		t.in = t.in[end+2:]
		return nil
	}
	if len(t.in) > 1 && t.in[0] == '\\' {
		switch c := t.in[1]; c {
		case 'd', 's', 'w':
			b.WriteString(map[byte]string{'d': "0-9", 's': spaceClass, 'w': wordClass}[c])
			t.in = t.in[2:]
			return nil
		case 'D', 'S', 'W':
			return pgerr.NotSupported("\\%c in a bracket expression", c)
		}
	}
	lo, err := t.element()
	if err != nil {
		return err
	}
	if !strings.HasPrefix(t.in, "-") || strings.HasPrefix(t.in, "-]") {
		b.WriteString(classRune(lo))
		return nil
	}
	t.in = t.in[1:]
	if t.in == "" {
		return invalid("brackets [] not balanced")
	}
	hi, err := t.element()
	if err != nil {
		return err
	}
	if hi < lo {
		return invalid("invalid character range")
	}
	b.WriteString(classRune(lo) + "-" + classRune(hi))
	return nil
}

// element reads one character: plain, escaped, or as [.x.] or [=x=].
func (t *translator) element() (rune, error) {
	for _, d := range []string{".", "="} {
		if strings.HasPrefix(t.in, "["+d) {
			end := strings.Index(t.in, d+"]")
			if end < 2 {
				return 0, invalid("brackets [] not balanced")
			}
			body := t.in[2:end]
			r, n := utf8.DecodeRuneInString(body)
			if n != len(body) || n == 0 {
				return 0, invalid("invalid collating element")
			}
			t.in = t.in[end+2:]
			return r, nil
		}
	}
	if t.in[0] == '\\' {
		if len(t.in) < 2 {
			return 0, invalid(`invalid escape \ sequence`)
		}
		return t.escapedChar()
	}
	r, n := utf8.DecodeRuneInString(t.in)
	t.in = t.in[n:]
	return r, nil
}

func classRune(r rune) string { return fmt.Sprintf(`\x{%x}`, r) }
