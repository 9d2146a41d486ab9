package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/pgerr"
)

// TestErrors: PostgreSQL 15's messages, SQLSTATEs and byte places.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		sql, code, message string
		location           int
	}{
		{"selct 1", "42601", `syntax error at or near "selct"`, 0},
		{"select 1 +", "42601", "syntax error at end of input", 10},
		{"select 'ä', from", "42601", `syntax error at or near "from"`, 13},
		{"select 1_000", "42601", `trailing junk after numeric literal at or near "1_"`, 7},
		{"select 0x1F", "42601", `trailing junk after numeric literal at or near "0x"`, 7},
		{"select 123abc", "42601", `trailing junk after numeric literal at or near "123a"`, 7},
		{"select 'abc", "42601", `unterminated quoted string at or near "'abc"`, 7},
		{"select x is json", "42601", `syntax error at or near "json"`, 12},
		{"select * from (select 1)", "42601", "subquery in FROM must have an alias", 14},
		{"select * from (values (1))", "42601", "VALUES in FROM must have an alias", 14},
		{"select * from a, (select (2)) where x", "42601", "subquery in FROM must have an alias", 17},
		{"select 1\x00", "22021", `invalid byte sequence for encoding "UTF8": 0x00`, -1},
		{"select '\xff'", "22021", `invalid byte sequence for encoding "UTF8": 0xff`, -1},
		{`select e'\xff'`, "22021", `invalid byte sequence for encoding "UTF8": 0xff`, -1},
		{`select e'a\000'`, "22021", `invalid byte sequence for encoding "UTF8": 0x00`, -1},
		{`select E'\u12'`, "22025", "invalid Unicode escape", 9},
		{`select U&'\zz'`, "42601", "invalid Unicode escape", 10},
		{`select U&"\+zz"`, "42601", "invalid Unicode escape", 10},
		{"select 1 from t for update limit 1 limit 2", "42601", `syntax error at or near "limit"`, 35},
		{"select " + strings.Repeat("1+", 25000) + "1", "54001", "stack depth limit exceeded", -1},
		{"select " + strings.Repeat("(1+", 9000) + "1" + strings.Repeat(")", 9000), "54001", "stack depth limit exceeded", -1},
		{"select " + strings.Repeat("not ", 30000) + "true", "54001", "stack depth limit exceeded", -1},
		{strings.Repeat("select 1 union ", 30000) + "select 1", "54001", "stack depth limit exceeded", -1},
	} {
		_, err := Parse(c.sql)
		if err == nil {
			t.Errorf("%.60s: accepted", c.sql)
			continue
		}
		e := pgerr.From(err)
		if string(e.Code) != c.code || e.Message != c.message || e.Location != c.location+1 {
			t.Errorf("%.60s:\n got %s %q at %d\nwant %s %q at %d", c.sql, e.Code, e.Message, e.Location-1, c.code, c.message, c.location)
		}
	}
}

func TestStatements(t *testing.T) {
	for sql, want := range map[string]string{
		"":                             "[]",
		" ; -- nothing\n;":             "[]",
		"select 1":                     "[select 1]",
		"select 1; ;select 'a;b' ; --": "[select 1 select 'a;b' ]",
		"begin;commit":                 "[begin commit]",
	} {
		stmts, err := Parse(sql)
		if err != nil {
			t.Fatal(sql, err)
		}
		texts := []string{}
		for _, s := range stmts {
			texts = append(texts, strings.TrimLeft(s.Text(sql), " ;"))
		}
		if got := fmt.Sprint(texts); got != want {
			t.Errorf("%q: %s, want %s", sql, got, want)
		}
	}
}

// TestLongChains: what PostgreSQL takes must pass.
func TestLongChains(t *testing.T) {
	for _, sql := range []string{
		"select " + strings.Repeat("1+", 4000) + "1",
		"select " + strings.Repeat("x = 1 or ", 50000) + "true",
		"select x in (" + strings.Repeat("1,", 100000) + "1)",
		"select " + strings.Repeat("(", 4900) + "1" + strings.Repeat(")", 4900),
		"insert into t values " + strings.Repeat("(1, -2, 3 + 4),", 20000) + "(1,2,3)",
	} {
		if _, err := Parse(sql); err != nil {
			t.Errorf("%.60s...: %v", sql, err)
		}
	}
}

func TestScanner(t *testing.T) {
	s := Scanner{Text: `select "a""b", E'x\'y' || $tag$it's$tag$ + $1 -- rest
		/* a /* nested */ b */ from t where x::int>=-1.5e+3 and U&'d'='' ;`}
	var got []string
	for {
		tok := s.Next()
		if tok.Kind == End {
			break
		}
		got = append(got, fmt.Sprintf("%d:%s", tok.Kind, s.Text[tok.Start:tok.End]))
	}
	want := `1:select 2:"a""b" 7:, 4:E'x\'y' 6:|| 4:$tag$it's$tag$ 6:+ 5:$1 1:from 1:t 1:where 1:x 6::: 1:int 6:>=- 3:1.5e+3 1:and 4:U&'d' 6:= 4:'' 7:;`
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		Parse("SELECT abalance FROM pgbench_accounts WHERE aid = $1")
	}
}

// TestUnicodeEscapeHints: the two kinds of strings with Unicode escapes have hints of their own, a bad UESCAPE has none.
func TestUnicodeEscapeHints(t *testing.T) {
	for sql, want := range map[string]string{
		`select E'\u061'`:             `Unicode escapes must be \uXXXX or \UXXXXXXXX.`,
		`select U&'\061'`:             `Unicode escapes must be \XXXX or \+XXXXXX.`,
		`select U&'!061' uescape '!'`: `Unicode escapes must be \XXXX or \+XXXXXX.`,
		`select U&'+061' uescape '+'`: "",
	} {
		_, err := Parse(sql)
		if e := pgerr.From(err); err == nil || e.Hint != want {
			t.Errorf("%s: %v, hint %q, want %q", sql, err, e.Hint, want)
		}
	}
}
