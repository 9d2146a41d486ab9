package pgregress

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// comparison is the outcome of a result file beside its expected files.
type comparison struct {
	same     bool
	expected string // path: the file that equals, or the one with the fewest lines of difference
	diff     string // unified, "" when same
}

// compare compares as pg_regress does: with the expected file (the platform's, if resultmap names one), with its alternates NAME_0.out to NAME_9.out, and
// with the plain one. White space counts (pg_regress ignores it on Windows only). The reported difference is from the nearest file.
func (r *runner) compare(test, result string) (comparison, error) {
	plain := r.input("expected", test, ".out")
	first := plain
	if name := r.resultMap[test+":out"]; name != "" {
		first = filepath.Join(filepath.Dir(plain), name)
	}
	candidates := append([]string{first}, alternates(first)...)
	if first != plain {
		candidates = append(candidates, plain)
	}
	got, err := os.ReadFile(result)
	if err != nil {
		return comparison{}, err
	}
	best, fewest := "", 0
	for _, path := range candidates {
		want, err := os.ReadFile(path)
		if err != nil {
			return comparison{}, fmt.Errorf("no expected output: %w", err)
		}
		if bytes.Equal(got, want) {
			return comparison{same: true, expected: path}, nil
		}
		d, err := diff(path, result)
		if err != nil {
			return comparison{}, err
		}
		if lines := strings.Count(d, "\n"); best == "" || lines < fewest {
			best, fewest = path, lines
		}
	}
	d, err := diff("-U3", best, result)
	if err != nil {
		return comparison{}, err
	}
	return comparison{expected: best, diff: fmt.Sprintf("diff -U3 %s %s\n%s", best, result, d)}, nil
}

// alternates are the files NAME_0.out to NAME_9.out that there are.
func alternates(path string) []string {
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
