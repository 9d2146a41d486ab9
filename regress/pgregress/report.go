package pgregress

import (
	"fmt"
	"io"
	"sort"
	"time"
)

// Verdict is the outcome of a test, as pg_regress has it.
type Verdict int

const (
	Passed Verdict = iota
	Failed
	Ignored // failed, and the schedule says to ignore that
	Skipped
)

// End says how a test ended before its file did.
type End int

const (
	WholeFile End = iota
	LostConnection
	Crash // the server ended
	Hang
)

func (e End) String() string {
	return [...]string{"", "lost the connection", "the server crashed", "hung"}[e]
}

// FileResult is the outcome of one test.
type FileResult struct {
	Name     string
	Verdict  Verdict
	Duration time.Duration
	Exit     int // psql's exit status
	Diff     string

	End     End // with EndLine and EndText: the statement that it stopped at
	EndLine int
	EndText string
	Reason  string // why it ended, why it was skipped, or which file is missing

	Missing bool // the test's file, or an expected one, is not there: it failed, and pg_regress would have ended here with exit status 2

	Statements []Statement
}

// Counts is the score of the test.
func (f *FileResult) Counts() Counts {
	var c Counts
	for i := range f.Statements {
		c.add(&f.Statements[i])
	}
	return c
}

// Report is the outcome of a run.
type Report struct {
	Name     string
	Files    []*FileResult
	Causes   []Cause
	Restarts int // of the server
}

// Count is how many tests have a verdict.
func (r *Report) Count(v Verdict) int {
	n := 0
	for _, f := range r.Files {
		if f.Verdict == v {
			n++
		}
	}
	return n
}

// Missing counts the tests without a file of their own or an expected one.
func (r *Report) Missing() (n int) {
	for _, f := range r.Files {
		if f.Missing {
			n++
		}
	}
	return n
}

// Summary is pg_regress's last line.
func (r *Report) Summary() string {
	passed, failed, ignored := r.Count(Passed), r.Count(Failed), r.Count(Ignored)
	switch {
	case failed == 0 && ignored == 0:
		return fmt.Sprintf("All %d tests passed.", passed)
	case failed == 0:
		return fmt.Sprintf("%d of %d tests passed, %d failed test(s) ignored.", passed, passed+ignored, ignored)
	case ignored == 0:
		return fmt.Sprintf("%d of %d tests failed.", failed, passed+failed)
	}
	return fmt.Sprintf("%d of %d tests failed, %d of these failures ignored.", failed+ignored, passed+failed+ignored, ignored)
}

// WriteTable prints the score of each test and of all.
func (r *Report) WriteTable(w io.Writer) error {
	files := append([]*FileResult{}, r.Files...)
	sort.SliceStable(files, func(i, j int) bool { return files[i].Name < files[j].Name })
	width := len("total")
	for _, f := range files {
		width = max(width, len(f.Name))
	}
	fmt.Fprintf(w, "%-*s  %10s %6s %6s  %8s %6s %6s  %7s  %s\n", width, "file", "statements", "same", "%", "printing", "same", "%", "seconds", "verdict")
	var total Counts
	var seconds float64
	line := func(name string, c Counts, seconds float64, verdict string) {
		fmt.Fprintf(w, "%-*s  %10d %6d %6s  %8d %6d %6s  %7.1f  %s\n", width, name, c.All, c.Same, percent(c.Same, c.All),
			c.Prints, c.PrintsSame, percent(c.PrintsSame, c.Prints), seconds, verdict)
	}
	for _, f := range files {
		if f.Verdict == Skipped {
			fmt.Fprintf(w, "%-*s  left out: %s\n", width, f.Name, f.Reason)
			continue
		}
		c := f.Counts()
		total.Add(c)
		seconds += f.Duration.Seconds()
		line(f.Name, c, f.Duration.Seconds(), f.verdictText())
	}
	line("total", total, seconds, r.Summary())
	_, err := fmt.Fprintf(w, "Not reached: %d statements. Left out, as they name C libraries: %d. Restarts of the server: %d.\n", total.NotRun, total.NeedsC, r.Restarts)
	return err
}

// verdictText is ok or FAILED, and where a test stopped too early.
func (f *FileResult) verdictText() string {
	v := [...]string{"ok", "FAILED", "failed (ignored)", "skipped"}[f.Verdict]
	if f.Missing {
		return v + ": " + f.Reason
	}
	if f.End == WholeFile {
		return v
	}
	v += fmt.Sprintf(": %s at line %d: %s", f.End, f.EndLine, shorten(f.EndText, 80))
	if f.Reason != "" {
		v += " (" + shorten(f.Reason, 120) + ")"
	}
	return v
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(part)/float64(whole))
}

// shorten cuts a text to at most n bytes, at a rune's border.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}
