package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// benchCase is one thing that is measured: a pgbench run, or the time of a SQL statement.
type benchCase struct {
	name    string
	pgbench []string // arguments, without -T
	script  string   // of -f, when not ""
	sql     string   // timed statement instead of pgbench; {dir} is a directory of the server
	setUp   string   // run before, once a server
	async   bool     // synchronous_commit off
}

// prepared4 are four clients with prepared statements.
var prepared4 = []string{"-M", "prepared", "-c", "4", "-j", "2"}

var cases = []benchCase{
	{name: "select-only prepared, 4 clients", pgbench: []string{"-S", "-M", "prepared", "-c", "4", "-j", "2"}},
	{name: "select-only extended, 4 clients", pgbench: []string{"-S", "-M", "extended", "-c", "4", "-j", "2"}},
	{name: "select-only simple, 4 clients", pgbench: []string{"-S", "-M", "simple", "-c", "4", "-j", "2"}},
	{name: "TPC-B prepared, 4 clients", pgbench: []string{"-M", "prepared", "-c", "4", "-j", "2"}},
	{name: "TPC-B prepared, 16 clients", pgbench: []string{"-M", "prepared", "-c", "16", "-j", "2"}},
	{name: "TPC-B simple, 4 clients", pgbench: []string{"-M", "simple", "-c", "4", "-j", "2"}},
	{name: "TPC-B prepared, 4 clients, async commit", pgbench: prepared4, async: true},
	{name: "TPC-B prepared, 16 clients, async commit", pgbench: []string{"-M", "prepared", "-c", "16", "-j", "2"}, async: true},
	{name: "update one row prepared, 4 clients", pgbench: prepared4,
		script: "\\set aid random(1, 100000 * :scale)\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\n"},
	{name: "update one row prepared, async commit", pgbench: prepared4, async: true,
		script: "\\set aid random(1, 100000 * :scale)\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\n"},
	{name: "select text key prepared, 4 clients", pgbench: prepared4, setUp: keyTable,
		script: "\\set k random(1, 1000000)\nSELECT v FROM bench_keys WHERE t = 'key ' || :k::int;\n"},
	{name: "select two-column key prepared, 4 clients", pgbench: prepared4, setUp: keyTable,
		script: "\\set k random(1, 1000000)\nSELECT v FROM bench_keys WHERE a = :k % 1000 AND b = :k / 1000;\n"},
	{name: "COPY of 1M rows", setUp: copyFile, sql: "copy bench_copy from '{dir}/bench.copy'"},
	{name: "COPY of 1M rows into a new table", setUp: copyFile,
		sql: "begin; truncate bench_copy; copy bench_copy from '{dir}/bench.copy'; commit"},
	{name: "count(*) of pgbench_accounts", sql: "select count(*) from pgbench_accounts"},
	{name: "grouped sum", sql: "select bid, sum(abalance) from pgbench_accounts group by bid"},
	{name: "order by limit", sql: "select * from pgbench_accounts order by abalance, aid desc limit 10"},
	{name: "hash join", sql: "select count(*) from pgbench_accounts a join pgbench_accounts b on a.aid = b.aid + 1"},
}

const (
	keyTable = `create table if not exists bench_keys (t text, a int, b int, v int);
		truncate bench_keys;
		insert into bench_keys select 'key ' || n, n % 1000, n / 1000, n from generate_series(1, 1000000) n;
		create index if not exists bench_keys_t on bench_keys (t);
		create index if not exists bench_keys_ab on bench_keys (a, b)`
	copyFile = `drop table if exists bench_copy;
		create table bench_copy (a int, b int, c text, d timestamp);
		copy (select n, n % 1000, 'row number ' || n, timestamp '2020-01-01' + n * interval '1 s' from generate_series(1, 1000000) n) to '{dir}/bench.copy'`
)

type runner struct {
	servers                []*server
	scale, seconds, rounds int
}

// load runs pgbench -i on both and times it.
func (r *runner) load() {
	var took [2]time.Duration
	for i, s := range r.servers {
		start := time.Now()
		c := s.command("pgbench", "-i", "-q", "-s", strconv.Itoa(r.scale))
		if out, err := c.CombinedOutput(); err != nil {
			fmt.Printf("%s: pgbench -i: %v\n%s", s.name, err, out)
		}
		took[i] = time.Since(start)
	}
	fmt.Printf("%-42s %12s %12s %8s\n", "case", "PostgreSQL", "calf", "ratio")
	fmt.Printf("%-42s %10.2f s %10.2f s %8.2f  (time: lower is better)\n", fmt.Sprintf("pgbench -i -s %d", r.scale),
		took[0].Seconds(), took[1].Seconds(), took[1].Seconds()/took[0].Seconds())
	for _, s := range r.servers {
		s.command("psql", "-q", "-c", "vacuum analyze").Run()
	}
}

// run measures a case on both servers, alternating.
func (r *runner) run(c benchCase) {
	var got [2][]float64
	for _, s := range r.servers {
		if c.setUp == "" {
			break
		}
		if out, err := s.command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", s.fill(c.setUp), "-c", "vacuum analyze").CombinedOutput(); err != nil {
			fmt.Printf("%s on %s: %v\n%s", c.name, s.name, err, out)
			return
		}
	}
	for range r.rounds {
		for i, s := range r.servers {
			if v, err := r.measure(c, s); err != nil {
				fmt.Printf("%s on %s: %v\n", c.name, s.name, err)
			} else {
				got[i] = append(got[i], v)
			}
		}
	}
	if len(got[0]) == 0 || len(got[1]) == 0 {
		return
	}
	a, b := median(got[0]), median(got[1])
	if c.sql != "" {
		fmt.Printf("%-42s %9.1f ms %9.1f ms %8.2f  (speed)\n", c.name, a, b, a/b)
		return
	}
	fmt.Printf("%-42s %8.0f tps %8.0f tps %8.2f\n", c.name, a, b, b/a)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

var (
	tpsLine  = regexp.MustCompile(`tps = ([0-9.]+) \(without`)
	timeLine = regexp.MustCompile(`Time: ([0-9.]+) ms`)
)

// measure runs a case once: transactions per second, or milliseconds of a statement.
func (r *runner) measure(c benchCase, s *server) (float64, error) {
	if c.sql != "" {
		return find(s.command("psql", "-q", "-o", "/dev/null", "-c", `\timing on`, "-c", s.fill(c.sql)), timeLine)
	}
	if c.async {
		defer os.Setenv("PGOPTIONS", os.Getenv("PGOPTIONS"))
		os.Setenv("PGOPTIONS", "-c synchronous_commit=off")
	}
	args := append([]string{"-n", "-T", strconv.Itoa(r.seconds)}, c.pgbench...)
	if c.script != "" {
		f, err := os.CreateTemp("", "bench*.sql")
		if err != nil {
			return 0, err
		}
		defer os.Remove(f.Name())
		f.WriteString(c.script)
		f.Close()
		args = append(args, "-f", f.Name())
	}
	return find(s.command("pgbench", args...), tpsLine)
}

// find runs a command and reads a number out of what it prints.
func find(c *exec.Cmd, re *regexp.Regexp) (float64, error) {
	out, err := c.CombinedOutput()
	m := re.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%v: %s", err, strings.TrimSpace(string(out)))
	}
	return strconv.ParseFloat(string(m[1]), 64)
}
