package pgregress

import "fmt"

// printVerdict prints a test's line as pg_regress does.
func (r *runner) printVerdict(f *FileResult, inGroup bool) {
	form := "test %-28s ... "
	if inGroup {
		form = "     %-28s ... "
	}
	r.progress.clear()
	fmt.Fprintf(r.status, form, f.Name)
	verdict := [...]string{"ok    ", "FAILED", "failed (ignored)", "skipped"}[f.Verdict]
	if r.opt.Update {
		verdict = "recorded"
	}
	fmt.Fprint(r.status, verdict)
	if f.Exit > 0 {
		fmt.Fprintf(r.status, " (test process exited with exit code %d)", f.Exit)
	} else if f.Exit < 0 {
		fmt.Fprint(r.status, " (test process was terminated)")
	}
	fmt.Fprintf(r.status, " %8.0f ms\n", float64(f.Duration.Microseconds())/1000)
	if f.Missing {
		fmt.Fprintf(r.status, "     %s\n", f.Reason)
	}
	if f.End != WholeFile {
		fmt.Fprintf(r.status, "     %s at %s.sql:%d: %s\n", f.End, f.Name, f.EndLine, shorten(f.EndText, 120))
		if f.Reason != "" {
			fmt.Fprintf(r.status, "     %s\n", f.Reason)
		}
	}
}
