package plpgsql

import (
	"strings"

	"github.com/calfdb/calf/sql/parse"
)

// token is a piece of a body. word is an identifier's name: folded to lower case, or what stands between double quotes.
type token struct {
	kind       parse.TokenKind
	start, end int
	word       string
	quoted     bool
}

// tokenize splits a body into tokens; the last one is parse.End.
func tokenize(src string) []token {
	s := parse.Scanner{Text: src}
	var list []token
	for {
		t := s.Next()
		k := token{kind: t.Kind, start: t.Start, end: t.End}
		switch t.Kind {
		case parse.Ident:
			k.word = truncateName(strings.ToLower(src[t.Start:t.End]))
		case parse.QuotedIdent:
			k.quoted = true
			k.word = truncateName(strings.ReplaceAll(strings.TrimSuffix(src[t.Start+1:t.End], `"`), `""`, `"`))
		}
		if n := len(list); t.Kind == parse.Number && src[t.Start] == '.' && n > 0 && src[list[n-1].start] == '.' && list[n-1].end == t.Start {
			// The scanner reads the second dot of 1..3 as part of a number.
			list = append(list, token{kind: parse.Punct, start: t.Start, end: t.Start + 1})
			k.start++
		}
		list = append(list, k)
		if t.Kind == parse.End {
			return list
		}
	}
}

// truncateName cuts a name to the 63 bytes of a name, at a character's end.
func truncateName(s string) string {
	const nameMax = 63
	if len(s) <= nameMax {
		return s
	}
	n := nameMax
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// reserved are the words that can't name a variable without quotes.
var reserved = map[string]bool{
	"all": true, "begin": true, "by": true, "case": true, "declare": true, "else": true, "end": true, "execute": true, "for": true, "foreach": true,
	"from": true, "if": true, "in": true, "into": true, "loop": true, "not": true, "null": true, "or": true, "strict": true, "then": true, "to": true,
	"using": true, "when": true, "while": true,
}

// isName says whether a token can be a name.
func (t token) isName() bool {
	return t.kind == parse.QuotedIdent || t.kind == parse.Ident && !reserved[t.word]
}

// is says whether a token is this unquoted word.
func (t token) is(word string) bool { return t.kind == parse.Ident && t.word == word }
