package parse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// termsMax bounds the terms of one operator chain, joins and set operations included: each is a level of the tree. PostgreSQL with its
// default stack takes between 4000 and 6000; the C library overflows its stack somewhere above 20000. Brackets need no bound of ours: the
// grammar's own stack ends at 10000 ("memory exhausted").
const termsMax = 5000

// errStackDepth is PostgreSQL's answer to a statement that is too deep.
func errStackDepth() error {
	return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Increase the configuration parameter \"max_stack_depth\" (currently %dkB), after ensuring the platform's stack depth limit is adequate.", 2048)
}

// checkText refuses text that is no UTF-8 or holds a NUL, which C would take for the end.
func checkText(sql string) error {
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00")
	}
	if utf8.ValidString(sql) {
		return nil
	}
	i := 0
	for i < len(sql) {
		r, n := utf8.DecodeRuneInString(sql[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", badBytes(sql[i:]))
}

// badBytes prints the bytes that the first byte announces.
func badBytes(s string) string {
	n := 1
	switch c := s[0]; {
	case c&0xe0 == 0xc0:
		n = 2
	case c&0xf0 == 0xe0:
		n = 3
	case c&0xf8 == 0xf0:
		n = 4
	}
	var out []string
	for _, c := range []byte(s[:min(n, len(s))]) {
		out = append(out, fmt.Sprintf("0x%02x", c))
	}
	return strings.Join(out, " ")
}

// level is one open bracket (or CASE) in the depth scan.
type level struct {
	terms int // operators in the current operand list
	chain int // joins and set operations of the current select
}

// chainWords make the tree one level deeper each, like operators.
var chainWords = map[string]bool{"not": true, "is": true, "in": true, "like": true, "ilike": true, "similar": true, "between": true,
	"collate": true, "at": true, "isnull": true, "notnull": true}

// findings are what the token scan noticed that Parse looks at afterwards.
type findings struct {
	junk      int  // the place of the first number that only PostgreSQL 16 reads, -1 = none
	checkTree bool // the text has words that syntax of 16 needs: walk the tree
}

// treeWords are the words without which no syntax of PostgreSQL 16 can be in the text, sub-selects apart.
var treeWords = map[string]bool{"json": true, "indent": true, "storage": true, "json_object": true, "json_array": true,
	"json_arrayagg": true, "json_objectagg": true}

var selectWords = map[string]bool{"select": true, "values": true, "with": true, "table": true}

// guardDepth refuses what would nest too deep, before C is called, and notes what needs a look after it.
func guardDepth(sql string) (found findings, err error) {
	found.junk = -1
	afterParen := false
	stack := make([]level, 1, 16)
	below, deepest := 0, 0 // terms in the levels under the top
	s := Scanner{Text: sql}
	for {
		t := s.Next()
		top := &stack[len(stack)-1]
		wasParen := afterParen
		afterParen = false
		switch t.Kind {
		case End:
			if deepest > termsMax {
				return found, errStackDepth()
			}
			return found, nil
		case Number:
			if found.junk < 0 && isV16Number(sql[t.Start:t.End]) {
				found.junk = t.Start
			}
			continue
		case Operator:
			top.terms++
		case Punct:
			switch sql[t.Start] {
			case '(', '[':
				below += top.terms + top.chain
				stack = append(stack, level{})
				afterParen = true
				continue
			case ')', ']':
				if len(stack) > 1 {
					stack = stack[:len(stack)-1]
					top = &stack[len(stack)-1]
					below -= top.terms + top.chain
				}
			case ',':
				top.terms = 0
			case ';':
				*top = level{}
			}
		case Ident:
			if t.End-t.Start > len("json_objectagg") {
				continue
			}
			w := strings.ToLower(sql[t.Start:t.End])
			if treeWords[w] || wasParen && selectWords[w] {
				found.checkTree = true
			}
			switch w {
			case "and", "or":
				top.terms = 0
			case "union", "except", "intersect", "join":
				top.chain++
				top.terms = 0
			case "when", "case", "else":
				top.terms++
			default:
				if chainWords[w] {
					top.terms++
				}
			}
		}
		deepest = max(deepest, below+top.terms+top.chain)
	}
}

func isV16Number(n string) bool {
	if len(n) > 2 && n[0] == '0' && strings.IndexByte("xXoObB", n[1]) >= 0 {
		return true
	}
	return strings.IndexByte(n, '_') > 0
}
