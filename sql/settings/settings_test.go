package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/pgerr"
)

func session(t *testing.T) *Session {
	t.Helper()
	srv := NewServer()
	if err := srv.SetDynamic("TimeZone", "Etc/UTC", false); err != nil {
		t.Fatal(err)
	}
	return srv.NewSession()
}

func show(t *testing.T, s *Session, name string) string {
	t.Helper()
	v, err := s.Show(name, true)
	if err != nil {
		t.Fatalf("SHOW %s: %v", name, err)
	}
	return v
}

// The expectations were read from PostgreSQL 15.18.
func TestSetShow(t *testing.T) {
	s := session(t)
	for _, c := range []struct{ name, value, want string }{
		{"work_mem", "65536", "64MB"}, {"work_mem", "9MB", "9MB"}, {"work_mem", "1025", "1025kB"}, {"work_mem", "1.5MB", "1536kB"},
		{"work_mem", "0x40", "64kB"}, {"work_mem", " 1 GB ", "1GB"}, {"work_mem", "1e3", "1000kB"},
		{"statement_timeout", "1500ms", "1500ms"}, {"statement_timeout", "2min", "2min"}, {"statement_timeout", "600000", "10min"},
		{"statement_timeout", "0", "0"}, {"statement_timeout", "1.5h", "90min"},
		{"enable_seqscan", "of", "off"}, {"enable_seqscan", "TRUE", "on"}, {"enable_seqscan", "y", "on"},
		{"synchronous_commit", "false", "off"}, {"synchronous_commit", "REMOTE_write", "remote_write"}, {"synchronous_commit", "1", "on"},
		{"random_page_cost", "1.1", "1.1"}, {"random_page_cost", "100000000", "1e+08"}, {"seq_page_cost", "3", "3"},
		{"DateStyle", "German", "German, DMY"}, {"datestyle", "iso, ymd", "ISO, YMD"}, {"datestyle", "sql", "SQL, YMD"},
		{"vacuum_cost_delay", "1.5", "1500us"}, {"vacuum_cost_delay", "2ms", "2ms"},
		{"application_name", "née", "n??e"}, {"temp_buffers", "1000", "8000kB"}, {"temp_buffers", "8MB", "8MB"},
		{"effective_cache_size", "4GB", "4GB"}, {"log_min_messages", "debug", "debug2"},
		{"app.tenant", "42", "42"},
	} {
		if err := s.Set(c.name, c.value, ActionSet); err != nil {
			t.Errorf("SET %s = %q: %v", c.name, c.value, err)
			continue
		}
		if got := show(t, s, c.name); got != c.want {
			t.Errorf("SET %s = %q shows %q, want %q", c.name, c.value, got, c.want)
		}
	}
}

func TestSetErrors(t *testing.T) {
	s := session(t)
	s.Privileged = func(string) bool { return false }
	for _, c := range []struct {
		name, value string
		code        pgerr.Code
		want        string
	}{
		{"geqo", "notabool", "22023", `parameter "geqo" requires a Boolean value`},
		{"nosuchparam", "1", "42704", `unrecognized configuration parameter "nosuchparam"`},
		{"work_mem", "1", "22023", `1 kB is outside the valid range for parameter "work_mem" (64 .. 2147483647)`},
		{"Work_mem", "abc", "22023", `invalid value for parameter "Work_mem": "abc"`},
		{"work_mem", "10XB", "22023", `invalid value for parameter "work_mem": "10XB" [Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".]`},
		{"work_mem", "9999999TB", "22023", `invalid value for parameter "work_mem": "9999999TB" [Value exceeds integer range.]`},
		{"statement_timeout", "1 fortnight", "22023", `invalid value for parameter "statement_timeout": "1 fortnight" [Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".]`},
		{"synchronous_commit", "maybe", "22023", `invalid value for parameter "synchronous_commit": "maybe" [Available values: local, remote_write, remote_apply, on, off.]`},
		{"seq_page_cost", "-1", "22023", `-1 is outside the valid range for parameter "seq_page_cost" (0 .. 1.79769e+308)`},
		{"shared_buffers", "1GB", "55P02", `parameter "shared_buffers" cannot be changed without restarting the server`},
		{"server_version", "1", "55P02", `parameter "server_version" cannot be changed`},
		{"autovacuum", "off", "55P02", `parameter "autovacuum" cannot be changed now`},
		{"log_connections", "on", "55P02", `parameter "log_connections" cannot be set after connection start`},
		{"log_statement", "all", "42501", `permission denied to set parameter "log_statement"`},
		{"datestyle", "iso, sql", "22023", `invalid value for parameter "DateStyle": "iso, sql"`},
		{"a.1b", "x", "42602", `invalid configuration parameter name "a.1b"`},
	} {
		err := s.Set(c.name, c.value, ActionSet)
		if err == nil {
			t.Errorf("SET %s = %q worked", c.name, c.value)
			continue
		}
		e := pgerr.From(err)
		got := e.Message
		if e.Hint != "" {
			got += " [" + e.Hint + "]"
		}
		if e.Code != c.code || got != c.want {
			t.Errorf("SET %s = %q: %s %s\nwant %s %s", c.name, c.value, e.Code, got, c.code, c.want)
		}
	}
}

// TestTransactions runs scripts of SET, SET LOCAL, savepoints and ends; every `=v` checks what SHOW work_mem (in kB) says.
func TestTransactions(t *testing.T) {
	for _, script := range []string{
		"begin set100 =100 abort =4096",
		"begin set100 commit =100",
		"begin local100 =100 commit =4096",
		"begin set100 local200 =200 commit =100",
		"begin set100 local200 abort =4096",
		"begin local200 set100 =100 commit =100",
		"begin set100 enter set200 abort1 =100 commit =100",
		"begin set100 enter set200 leave =200 commit =200",
		"begin enter local200 leave =200 commit =4096",
		"begin set100 enter local200 leave =200 commit =100",
		"begin enter enter set200 leave leave =200 abort =4096",
		"begin enter enter set200 leave abort1 =4096 commit =4096",
		"begin set100 enter set200 local300 leave =300 commit =200",
		"begin local100 enter set200 leave commit =200",
		"begin save100 =100 leavesave =4096 commit =4096",
		"begin set100 commit begin reset =4096 abort =100 begin reset commit =4096",
	} {
		s := session(t)
		for _, w := range strings.Fields(script) {
			step(t, s, script, w)
		}
		if len(s.stacks) != 0 {
			t.Errorf("%s: stacks are left", script)
		}
	}
}

func step(t *testing.T, s *Session, script, w string) {
	t.Helper()
	num := strings.TrimLeft(w, "abcdefghijklmnopqrstuvwxyz=")
	var err error
	switch strings.TrimRight(w, "0123456789") {
	case "begin":
		s.Begin()
	case "set":
		err = s.Set("work_mem", num, ActionSet)
	case "local":
		err = s.Set("work_mem", num, ActionLocal)
	case "save":
		s.Enter()
		err = s.Set("work_mem", num, ActionSave)
	case "leavesave", "leave":
		s.Leave(s.level, true)
	case "enter":
		s.Enter()
	case "reset":
		err = s.Reset("work_mem", ActionSet)
	case "commit":
		s.End(true)
	case "abort":
		if num == "1" {
			s.Leave(s.level, false)
		} else {
			s.End(false)
		}
	case "=":
		if got, _ := s.Show("work_mem", true); got != Lookup("work_mem").Show(Value{I: mustInt(num)}) {
			t.Errorf("%s: at %s work_mem is %s", script, w, got)
		}
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", script, w, err)
	}
}

func mustInt(s string) (n int64) {
	for _, c := range s {
		n = n*10 + int64(c-'0')
	}
	return n
}

// Case 50: a start-up setting is the session's default, and reports follow changes, sorted by name, but only real ones.
func TestDefaultsAndReports(t *testing.T) {
	s := session(t)
	if err := s.SetDefault("statement_timeout", "7s", SourceClient); err != nil {
		t.Fatal(err)
	}
	if err := s.SetDefault("application_name", "probe", SourceClient); err != nil {
		t.Fatal(err)
	}
	var out []string
	emit := func(n, v string) { out = append(out, n+"="+v) }
	s.ReportAll(emit)
	if got := strings.Join(out, " "); !strings.HasPrefix(got, "application_name=probe client_encoding=UTF8 ") || len(out) != 13 {
		t.Errorf("at start: %s", got)
	}
	out = nil
	check := func(want string) {
		t.Helper()
		s.ReportChanged(emit)
		if got := strings.Join(out, " "); got != want {
			t.Errorf("reported %q, want %q", got, want)
		}
		out = nil
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Set("statement_timeout", "1", ActionSet))
	must(s.Reset("statement_timeout", ActionSet))
	if got := show(t, s, "statement_timeout"); got != "7s" {
		t.Errorf("RESET statement_timeout: %s", got)
	}
	check("")
	must(s.Set("timezone", "Asia/Tokyo", ActionSet))
	check("TimeZone=Asia/Tokyo")
	s.Begin()
	must(s.Set("DateStyle", "ISO, DMY", ActionSet))
	s.End(false)
	check("")
	must(s.Set("application_name", "other", ActionSet))
	must(s.Set("standard_conforming_strings", "off", ActionSet))
	check("application_name=other standard_conforming_strings=off")
	must(s.ResetAll())
	check("application_name=probe standard_conforming_strings=on TimeZone=Etc/UTC")
}

func TestCustom(t *testing.T) {
	s := session(t)
	s.Begin()
	if err := s.Set("App.Tenant", "45", ActionSet); err != nil {
		t.Fatal(err)
	}
	s.End(false)
	if got := show(t, s, "app.tenant"); got != "" {
		t.Errorf("after rollback: %q", got)
	}
	if _, err := s.Show("no.such", true); pgerr.CodeOf(err) != "42704" {
		t.Errorf("SHOW no.such: %v", err)
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("more.conf", "seq_page_cost = 2.5\n")
	write(ConfFileName, "# comment\nwork_mem = 8MB # tail\nsearch_path = '\"$user\", public' \nlisten_addresses 'a''b\\tc'\ninclude 'more.conf'\ninclude_if_exists 'none.conf'\nshared_buffers=32MB\n")
	srv := NewServer()
	load := func() (string, []Entry) {
		entries, err := ReadFiles(dir)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, err := range srv.Apply(entries) {
			b.WriteString(err.Error() + "\n")
		}
		return b.String(), entries
	}
	if errs, _ := load(); errs != "" {
		t.Fatal(errs)
	}
	if got := srv.Str(ListenAddresses); got != "a'b\tc" {
		t.Errorf("listen_addresses %q", got)
	}
	s := srv.NewSession()
	if s.Bytes(WorkMem) != 8<<20 || show(t, s, "seq_page_cost") != "2.5" {
		t.Errorf("work_mem %d seq_page_cost %s", s.Bytes(WorkMem), show(t, s, "seq_page_cost"))
	}
	value := "16MB"
	if err := srv.AlterSystem(dir, "Work_mem", &value); err != nil {
		t.Fatal(err)
	}
	value = "64MB"
	if err := srv.AlterSystem(dir, "shared_buffers", &value); err != nil {
		t.Fatal(err)
	}
	if errs, _ := load(); !strings.Contains(errs, `parameter "shared_buffers" cannot be changed without restarting the server`) {
		t.Errorf("reload: %q", errs)
	}
	s.Refresh()
	if got := show(t, s, "work_mem"); got != "16MB" || show(t, s, "shared_buffers") != "32MB" {
		t.Errorf("after reload: work_mem %s", got)
	}
	if err := srv.AlterSystem(dir, "work_mem", nil); err != nil {
		t.Fatal(err)
	}
	load()
	s.Refresh()
	if got := show(t, s, "work_mem"); got != "8MB" {
		t.Errorf("after ALTER SYSTEM RESET: work_mem %s", got)
	}
	for _, bad := range []string{"work_mem", "work_mem = = 2", "= 3", "x = 'abc", "work_mem = 1 2"} {
		if _, err := ParseFile("f", bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func FuzzParseFile(f *testing.F) {
	f.Add("a = 'b\\101'''\n#x\ninclude_dir 'd'")
	f.Fuzz(func(t *testing.T, text string) {
		entries, err := ParseFile("f", text)
		if err != nil {
			return
		}
		for _, e := range entries {
			again, err := ParseFile("f", e.Name+" = "+quoteValue(e.Value))
			if strings.ContainsAny(e.Value, "\n") {
				continue
			}
			if err != nil || len(again) != 1 || again[0].Value != e.Value {
				t.Fatalf("%q does not survive: %v %v", e.Value, again, err)
			}
		}
	})
}

func FuzzParseNumber(f *testing.F) {
	f.Add("1.5 GB")
	f.Add("0x1f")
	f.Fuzz(func(t *testing.T, s string) {
		parseNumber(s, block8kB)
		parseNumber(s, nil)
	})
}

func BenchmarkRead(b *testing.B) {
	s := NewServer().NewSession()
	b.ReportAllocs()
	var sum int64
	for i := 0; i < b.N; i++ {
		s.Refresh()
		sum += s.Int(WorkMem)
	}
	_ = sum
}
