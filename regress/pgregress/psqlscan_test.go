package pgregress

import (
	"fmt"
	"strings"
	"testing"
)

// scanAll gives the units of a source as psql reads it from a server that takes every COPY.
func scanAll(src string) []*unit {
	var out []*unit
	s := newPsqlScanner(src)
	for u := s.unit(); u != nil; u = s.unit() {
		out = append(out, u)
		s.skipCopyData(u.copyIns)
	}
	return out
}

// Each source is written with | where a unit ends; the scanner must find just those.
func TestUnits(t *testing.T) {
	cases := map[string]string{
		"statements":        "select 1;|select 2;|",
		"two on a line":     "begin; select 1;|commit;|",
		"over lines":        "select\n1\n;|select 2;|",
		"begun on a line":   "select 1; select\n2;|",
		"comment before":    "-- why\nselect 1;|-- end",
		"block comment":     "/* ; /* ; */ ; \n */ select 1;|",
		"quote":             "select 'a;\nb'';\nc';|select 1;|",
		"escape":            `select E'a\';` + "\n" + `b';|select 1;|`,
		"escape word":       `select note'a\';|select 1;|`, // the e is part of a word
		"unicode":           `select U&'a\' uescape '\';|`,
		"off":               "set standard_conforming_strings = off;|" + `select 'a\';` + "\n" + `b';|select U&'\';|`,
		"identifier":        "select 1 as \"a;\nb\"\"\";|",
		"dollar":            "do $$ begin; 'x end $$;|do $a$ ;$$; $b$\n$a$;|",
		"parameter":         "select $1 ; |",
		"parens":            "create rule r as on insert to t do (select 1;\nselect 2);|",
		"atomic":            "create function f() returns int\nbegin atomic\nselect case when true then 1 end;\nend;|select 1;|",
		"replace atomic":    "create or replace procedure f()\nbegin atomic\nselect 1;\nend;|",
		"transaction":       "begin;|create table t (a int);|end;|",
		"command":           "\\d t|select 1;|",
		"command in a line": "select 1 \\gset|select :x;|",
		"command midway":    "select 1\n\\p|;|",
		"reset":             "select 1\n\\r|select 2;|",
		"command arguments": "\\echo 'a;\\'b' \"c;\" ;|select 1;|",
		"two commands":      "\\x \\\\ select 1;|",
		"forced semicolon":  "select 1\\; select 2;|",
		"copy":              "copy t from stdin;|1\tx\n2\t;'\n\\.\nselect 1;|",
		"copy text":         "copy t (a, b) from stdin with (format csv);|1,;'\n\\.\nselect 1;|",
		"two copies":        "copy t from stdin\\; copy t from stdin;|1\n\\.\n2\n\\.\nselect 1;|",
		"psql copy":         "\\copy t from stdin|1\n\\.\nselect 1;|",
		"copy out":          "copy t to stdout;|select 1;|",
		"unfinished":        "select 1;|select",
		"empty lines":       "select 1;|\n\n\nselect\n\n2;|",
	}
	for name, marked := range cases {
		var want, got []string
		copyData := []string{"1\tx\n2\t;'\n\\.\n", "1,;'\n\\.\n", "1\n\\.\n2\n\\.\n", "1\n\\.\n"}
		for _, part := range strings.Split(marked, "|") {
			for _, d := range copyData {
				part = strings.TrimPrefix(part, d)
			}
			if part = strings.Trim(part, "\n"); part != "" {
				want = append(want, strings.ReplaceAll(part, "\n\n", "\n"))
			}
		}
		src := strings.ReplaceAll(strings.ReplaceAll(marked, "|\n", "\n"), "|", "\n")
		for _, u := range scanAll(src) {
			got = append(got, u.text())
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
}

func TestUnitKinds(t *testing.T) {
	cases := []struct {
		src  string
		line int
		sql  bool
	}{
		{"-- a\n\nselect 1;", 3, true},
		{"\\d t", 1, true},
		{"\\pset null x", 1, false},
		{"\n-- a\n\\set x 1", 3, false},
		{"\\pset null x \\\\ select 1;", 1, true},
		{"-- only this", 1, false},
		{"/* a\n\n*/", 3, false},
	}
	for _, c := range cases {
		u := newPsqlScanner(c.src).unit()
		if u.line != c.line || u.sql != c.sql {
			t.Errorf("%q: line %d, sql %v; want %d, %v", c.src, u.line, u.sql, c.line, c.sql)
		}
	}
}
