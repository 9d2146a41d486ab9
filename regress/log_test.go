package regress

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// TestServerLog: what log_statement, log_min_duration_statement, log_min_messages and the like put into the log of a server, as PostgreSQL 15 does.
func TestServerLog(t *testing.T) {
	dir, err := os.MkdirTemp("", "calflog") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	bin, err := target.BuildCalf(dir)
	if err != nil {
		t.Fatal(err)
	}
	logFile, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer logFile.Close()
	srv := exec.Command(bin, "serve", "--data", filepath.Join(dir, "data"), "--port", "6789", "--listen", "", "--socket-dir", dir)
	srv.Stderr = logFile
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Process.Kill(); srv.Wait() })
	psql := func(input, options string) {
		t.Helper()
		c := exec.Command("psql", "-qAtX", "-h", dir, "-p", "6789", "-U", "postgres", "-d", "postgres")
		c.Env = append(os.Environ(), "PGOPTIONS="+options)
		c.Stdin = strings.NewReader(input)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	ready := false
	for end := time.Now().Add(30 * time.Second); !ready && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		ready = exec.Command("psql", "-X", "-h", dir, "-p", "6789", "-U", "postgres", "-d", "postgres", "-c", "select 1").Run() == nil
	}
	if !ready {
		t.Fatal("the server does not answer")
	}

	for _, c := range []struct {
		name, options, input string
		want                 []string // message|statement or code, of each line that the session logged
	}{
		{"errors by default", "", "select 1/0;\nselect 1;\nrollback;\ndo $$begin raise notice 'n'; raise warning 'w'; end$$;", []string{
			"division by zero|22012|select 1/0;", "there is no transaction in progress|25P01|", "w|01000|"}},
		{"only fatal", "-c log_min_messages=fatal", "select 1/0;", nil},
		{"no statement", "-c log_min_error_statement=panic", "select 1/0;", []string{"division by zero|22012|"}},
		{"all", "-c log_statement=all", "select 1;\nselec;", []string{"statement||select 1;", `syntax error at or near "selec"|42601|selec;`}},
		{"ddl", "-c log_statement=ddl", "select 1;\ncreate table a (b int);\ninsert into a values (1);\nselect * into a2 from a;\nexplain analyze select 1;", []string{
			"statement||create table a (b int);", "statement||select * into a2 from a;"}},
		{"mod", "-c log_statement=mod", "select 1;\ninsert into a values (1);\nprepare p as delete from a;\nexecute p;\ntruncate a;\nvacuum;\nexplain analyze insert into a values (2);", []string{
			"statement||insert into a values (1);", "statement||prepare p as delete from a;", "statement||execute p;", "statement||truncate a;",
			"statement||explain analyze insert into a values (2);"}},
		{"durations", "-c log_min_duration_statement=0", "select 1;\nselect 1/0;", []string{"duration||select 1;", "division by zero|22012|select 1/0;"}},
		{"long ones", "-c log_min_duration_statement=100", "select 1;\nselect pg_sleep(0.15);", []string{"duration||select pg_sleep(0.15);"}},
		{"log_duration", "-c log_duration=on", "select 1;", []string{"duration||"}},
		{"text once", "-c log_min_duration_statement=0 -c log_statement=all", "select 1;", []string{"statement||select 1;", "duration||"}},
		{"disconnections", "-c log_disconnections=on", "select 1;", []string{"disconnection||"}},
	} {
		at, _ := logFile.Seek(0, 2)
		psql(c.input, c.options)
		var got []string
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if got = logLines(t, logFile.Name(), at); len(got) >= len(c.want) {
				break
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: the log has\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// logLines reads a server's log from an offset: message|code|statement of each line.
func logLines(t *testing.T, name string, at int64) (lines []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Seek(at, 0)
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var l struct{ Message, Code, Statement string }
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatalf("%v: %s", err, sc.Text())
		}
		lines = append(lines, l.Message+"|"+l.Code+"|"+l.Statement)
	}
	return lines
}
