package plpgsql

import (
	"strings"
	"testing"
)

// TestTokenize shows what the language's tokens have that SQL's don't: ranges, labels, names folded and cut.
func TestTokenize(t *testing.T) {
	long := strings.Repeat("x", 62) + "éé"
	for _, c := range []struct{ src, want string }{
		{"FOR i IN 1..3 LOOP", "for|i|in|1|.|.|3|loop|"},
		{"x := a[1].f;", "x|:=|a|[|1|]|.|f|;|"},
		{`<<"My L">> "A""b"`, `<<|My L|>>|A"b|`},
		{"a=-1 -- no\n/* nor /* this */ */ $1", "a|=-|1|$1|"},
		{long, strings.Repeat("x", 62) + "|"},
		{"$$a$$ 'it''s'", "$$a$$|'it''s'|"},
	} {
		var b strings.Builder
		for _, k := range tokenize(c.src) {
			if k.word != "" {
				b.WriteString(k.word)
			} else {
				b.WriteString(c.src[k.start:k.end])
			}
			b.WriteByte('|')
		}
		if got := strings.TrimSuffix(b.String(), "|"); got != c.want {
			t.Errorf("tokenize(%q) = %s, want %s", c.src, got, c.want)
		}
	}
}

// TestConditionCodes: a condition's name may stand for several SQLSTATEs; OTHERS is one of its own.
func TestConditionCodes(t *testing.T) {
	for name, want := range map[string]int{"division_by_zero": 1, "null_value_not_allowed": 2, "others": 1, "no_such_condition": 0, "successful_completion": 0} {
		if got := len(conditionCodes(name)); got != want {
			t.Errorf("%s: %d codes, want %d", name, got, want)
		}
	}
}
