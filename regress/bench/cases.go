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
	sql     string   // timed statement instead of pgbench
}

var cases = []benchCase{
	{name: "select-only prepared, 4 clients", pgbench: []string{"-S", "-M", "prepared", "-c", "4", "-j", "2"}},
	{name: "select-only extended, 4 clients", pgbench: []string{"-S", "-M", "extended", "-c", "4", "-j", "2"}},
	{name: "select-only simple, 4 clients", pgbench: []string{"-S", "-M", "simple", "-c", "4", "-j", "2"}},
	{name: "TPC-B prepared, 4 clients", pgbench: []string{"-M", "prepared", "-c", "4", "-j", "2"}},
	{name: "TPC-B prepared, 16 clients", pgbench: []string{"-M", "prepared", "-c", "16", "-j", "2"}},
	{name: "TPC-B simple, 4 clients", pgbench: []string{"-M", "simple", "-c", "4", "-j", "2"}},
	{name: "update one row prepared, 4 clients", pgbench: []string{"-M", "prepared", "-c", "4", "-j", "2"},
		script: "\\set aid random(1, 100000 * :scale)\nUPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\n"},
	{name: "count(*) of pgbench_accounts", sql: "select count(*) from pgbench_accounts"},
	{name: "grouped sum", sql: "select bid, sum(abalance) from pgbench_accounts group by bid"},
	{name: "order by limit", sql: "select * from pgbench_accounts order by abalance, aid desc limit 10"},
	{name: "hash join", sql: "select count(*) from pgbench_accounts a join pgbench_accounts b on a.aid = b.aid + 1"},
}

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
		return find(s.command("psql", "-q", "-o", "/dev/null", "-c", `\timing on`, "-c", c.sql), timeLine)
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
