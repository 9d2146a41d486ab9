// Package verdict compares the output of a test with its expected files, as pg_regress does: byte for byte, with the plain file or any of its
// alternates NAME_0.out to NAME_9.out. Both runners use it. It runs the program diff for the report, and imports the standard library only.
package verdict

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Comparison is the outcome for one result file.
type Comparison struct {
	Same     bool
	Expected string // path: the file that equals, or the one with the fewest lines of difference
	Diff     string // unified, "" when same
}

// Compare compares a result file with expected files, all of which must be there. The reported difference is from the nearest one.
func Compare(result string, candidates []string) (Comparison, error) {
	got, err := os.ReadFile(result)
	if err != nil {
		return Comparison{}, err
	}
	best, fewest := "", 0
	for _, path := range candidates {
		want, err := os.ReadFile(path)
		if err != nil {
			return Comparison{}, fmt.Errorf("no expected output: %w", err)
		}
		if bytes.Equal(got, want) {
			return Comparison{Same: true, Expected: path}, nil
		}
		d, err := diff(path, result)
		if err != nil {
			return Comparison{}, err
		}
		if lines := strings.Count(d, "\n"); best == "" || lines < fewest {
			best, fewest = path, lines
		}
	}
	d, err := diff("-U3", best, result)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{Expected: best, Diff: fmt.Sprintf("diff -U3 %s %s\n%s", best, result, d)}, nil
}

// Alternates are the files NAME_0.out to NAME_9.out that there are beside a file.
func Alternates(path string) []string {
	var out []string
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	for i := range 10 {
		alt := fmt.Sprintf("%s_%d%s", stem, i, filepath.Ext(path))
		if _, err := os.Stat(alt); err == nil {
			out = append(out, alt)
		}
	}
	return out
}

// diff runs the program diff on its arguments.
func diff(args ...string) (string, error) {
	out, err := exec.Command("diff", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // they differ
	}
	if err != nil {
		return "", fmt.Errorf("diff %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
