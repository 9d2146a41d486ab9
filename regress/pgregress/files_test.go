package pgregress

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// write makes files below a new directory; "name": "content".
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestSchedule(t *testing.T) {
	groups, err := parseSchedule("s", "# comment\n\ntest: a\nignore: b\ntest: b  c\td \n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(groups), "[{[a] map[]} {[b c d] map[b:true]}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, bad := range []string{"tests: a", "test:a", " test: a", "test: ", "a"} {
		if _, err := parseSchedule("s", "test: x\n"+bad+"\n"); err == nil || err.Error()[:len(`syntax error in schedule file "s" line 2`)] != `syntax error in schedule file "s" line 2` {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestResultMap(t *testing.T) {
	dir := write(t, map[string]string{"resultmap": "a:out:x86_64-.*-linux.*=a-linux.out\nb:out:.*-.*-cygwin.*=b-cygwin.out\na:out:x86_64.pc=a-last.out\n"})
	m, err := readResultMap(dir, "x86_64-pc-linux-gnu")
	if err != nil || fmt.Sprint(m) != "map[a:out:a-last.out]" {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := readResultMap(t.TempDir(), "x"); m != nil || err != nil {
		t.Errorf("no file: %v, %v", m, err)
	}
	if _, err := readResultMap(write(t, map[string]string{"resultmap": "a:out\n"}), "x"); err == nil {
		t.Error("a bad line gives no error")
	}
	for _, c := range []struct {
		pattern string
		want    bool
	}{{"", true}, {"x86", true}, {"86", false}, {".*86", true}, {".*linux", true}, {".*-.*-linux.*", true}, {"x.6_64", true}, {".*bsd", false}, {".*gnu.", false}, {".*gnu.*", true}} {
		if matchesPlatform("x86_64-pc-linux-gnu", c.pattern) != c.want {
			t.Errorf("%q: want %v", c.pattern, c.want)
		}
	}
}

// Which expected file counts, and from which the difference is shown.
func TestCompare(t *testing.T) {
	dir := write(t, map[string]string{
		"expected/a.out": "1\n2\n3\n", "expected/a_1.out": "one\ntwo\nthree\n", "expected/a_9.out": "9\n", "expected/a-here.out": "here\n",
		"expected/plain.out": "1\n",
	})
	r := &runner{opt: Options{InputDir: dir, OutputDir: t.TempDir()}}
	cases := []struct {
		test, result, mapped string
		same                 bool
		expected             string
	}{
		{"a", "1\n2\n3\n", "", true, "a.out"},
		{"a", "one\ntwo\nthree\n", "", true, "a_1.out"},
		{"a", "9\n", "", true, "a_9.out"},
		{"a", "1\n2\n4\n", "", false, "a.out"},
		{"a", "one\ntwo\nfour\n", "", false, "a_1.out"},
		{"a", "here\n", "a-here.out", true, "a-here.out"},
		{"a", "1\n2\n3\n", "a-here.out", true, "a.out"},
		{"plain", "1 \n", "", false, "plain.out"}, // white space counts
		{"plain", "1", "", false, "plain.out"},    // and so does the last newline
		{"plain", "", "", false, "plain.out"},
	}
	for _, c := range cases {
		r.resultMap = resultMap{}
		if c.mapped != "" {
			r.resultMap[c.test+":out"] = c.mapped
		}
		result := filepath.Join(r.opt.OutputDir, "result")
		if err := os.WriteFile(result, []byte(c.result), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := r.compare(c.test, result)
		if err != nil || got.Same != c.same || filepath.Base(got.Expected) != c.expected || (got.Diff == "") != c.same {
			t.Errorf("%q: %v, %v", c.result, got, err)
		}
	}
	if _, err := r.compare("none", filepath.Join(r.opt.OutputDir, "result")); err == nil {
		t.Error("no expected file, and no error")
	}
}

func TestTestNames(t *testing.T) {
	dir := write(t, map[string]string{"sql/b.sql": "", "sql/a/x.sql": "", "sql/a.sql": "", "sql/note.txt": ""})
	o := Options{InputDir: dir}
	if err := o.setDefaults(); err != nil {
		t.Fatal(err)
	}
	groups, err := o.groups()
	if got := fmt.Sprint(groups, err); got != "[{[a] map[]} {[a/x] map[]} {[b] map[]}] <nil>" {
		t.Errorf("%s", got)
	}
	o = Options{InputDir: dir, Tests: []string{"b", filepath.Join(dir, "sql/a/x.sql")}}
	if err := o.setDefaults(); err != nil || fmt.Sprint(o.Tests) != "[b a/x]" {
		t.Errorf("%v, %v", o.Tests, err)
	}
}
