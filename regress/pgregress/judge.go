package pgregress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// judge compares a test's result with what is expected, and scores its statements.
func (r *runner) judge(test string, run *fileRun, ignored bool) (*FileResult, error) {
	if run.missing != nil {
		return &FileResult{Name: test, Verdict: Failed, Missing: true, Reason: run.missing.Error()}, nil
	}
	if run.err != nil {
		return nil, fmt.Errorf("test %s: %w", test, run.err)
	}
	f := &FileResult{Name: test, Duration: run.duration, Exit: run.exit, Verdict: Passed}
	if r.opt.Update {
		return f, r.record(test, run)
	}
	c, err := r.compare(test, r.result(test))
	if errors.Is(err, fs.ErrNotExist) {
		f.Verdict, f.Missing, f.Reason = Failed, true, err.Error()
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("test %s: %w", test, err)
	}
	if !c.Same {
		f.Verdict, f.Diff = Failed, c.Diff
		if ignored {
			f.Verdict = Ignored
		}
		if _, err := r.diffs.WriteString(c.Diff); err != nil {
			return nil, err
		}
	}
	if err := r.score(f, c.Expected); err != nil {
		return nil, err
	}
	r.noteEnd(f, run)
	return f, nil
}

// score cuts the source, the expected output and the result into units, and compares unit by unit.
func (r *runner) score(f *FileResult, expectedFile string) error {
	var texts [3]string
	for i, path := range []string{r.input("sql", f.Name, ".sql"), expectedFile, r.result(f.Name)} {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts[i] = string(b)
	}
	f.Statements = scoreStatements(texts[0], texts[1], texts[2])
	return nil
}

// noteEnd notes an end before the end of the file: the statement that did not come back, and why.
func (r *runner) noteEnd(f *FileResult, run *fileRun) {
	if !run.badEnd() || f.Verdict == Passed {
		return
	}
	tail, err := os.ReadFile(r.result(f.Name))
	if err != nil {
		return
	}
	switch {
	case run.timedOut:
		f.End = Hang
		f.Reason = fmt.Sprintf("no end after %v", r.opt.FileTimeout)
		if run.stuck {
			f.Reason += ", and the server did not cancel the statement"
		}
	case lostConnection.Match(tail):
		f.End = LostConnection
		if run.serverLost || r.srv.Ended() {
			f.End = Crash
		}
		f.Reason = crashReason(r.srv.LogFile(), run.logFrom)
	default:
		return
	}
	for i := range f.Statements {
		if s := &f.Statements[i]; s.Ran {
			f.EndLine, f.EndText = s.Line, firstLine(s.Text)
		}
	}
}

// firstLine is the first line of a statement that is not a comment.
func firstLine(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "--") {
			return l
		}
	}
	return ""
}
