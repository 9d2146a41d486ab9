package parse

import (
	"fmt"
	"strings"
	"testing"
)

func TestShape(t *testing.T) {
	for _, c := range []struct{ sql, key, lits string }{
		{"select 1", "select \x00i", "1"},
		{"select a from t where b = 'x''y' and c=-5;", "select a from t where b = \x00s and c=-\x00i;", "x'y 5"},
		{"select 2147483647,2147483648, 9223372036854775808, 99999999999, 1.5, 1e5 -- 7\n", "select \x00i,\x00I, \x00L, \x00l, \x00n, \x00n -- 7\n", "2147483647 2147483648 9223372036854775808 99999999999 1.5 1e5"},
		{"select E'a', \"1\", x1, $$2$$ ", "select E'a', \"1\", x1, $$2$$ ", ""},
		{"select 'é'", "select \x00s", "é"},
		{"select 1; ", "select \x00i; ", "1"},
		{"select 1; select 2", "-", ""},
		{"select 1;;", "-", ""},
		{"select $1", "-", ""},
		{"select 'a'\n'b'", "-", ""},
		{"select 'a\xff'", "-", ""},
		{"select 1a", "-", ""},
		{"select 0x1f", "-", ""},
		{"select 1_000", "-", ""},
		{"select 1e", "-", ""},
		{"select 'a", "-", ""},
		{"select 'a''", "-", ""},
		{"select {", "-", ""},
	} {
		key, lits, ok := Shape(c.sql, nil, nil)
		if !ok {
			if c.key != "-" {
				t.Errorf("%q: refused", c.sql)
			}
			continue
		}
		var values []string
		for _, l := range lits {
			values = append(values, l.Value(c.sql))
		}
		if got := strings.Join(values, " "); string(key) != c.key || got != c.lits {
			t.Errorf("%q: %q %q, want %q %q", c.sql, key, got, c.key, c.lits)
		}
	}
}

func BenchmarkShape(b *testing.B) {
	var key []byte
	var lits []Literal
	b.ReportAllocs()
	for i := range b.N {
		_ = i
		key, lits, _ = Shape("SELECT abalance FROM pgbench_accounts WHERE aid = 123456;", key[:0], lits[:0])
	}
	_ = fmt.Sprint(len(key), len(lits))
}
