package isolation

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// alternatesMax is how many expected files a test may have beside NAME.out: NAME_1.out to NAME_9.out (pg_regress has NAME_0.out too).
const alternatesMax = 10

// compare compares a result file with NAME.out and its alternates, as pg_regress does: white space does not count (diff -w). The diff is that
// against the expected file that is nearest; "" when one is equal.
func compare(expected, result string) (diff string, err error) {
	nearest := -1
	for i := -1; i < alternatesMax; i++ {
		candidate := expected
		if i >= 0 {
			candidate = fmt.Sprintf("%s_%d.out", strings.TrimSuffix(expected, ".out"), i)
			if _, err := os.Stat(candidate); err != nil {
				continue
			}
		}
		text, err := runDiff(candidate, result)
		if err != nil {
			return "", err
		}
		if text == "" {
			return "", nil
		}
		if n := strings.Count(text, "\n"); nearest < 0 || n < nearest {
			nearest, diff = n, text
		}
	}
	return diff, nil
}

// runDiff gives a unified diff that ignores white space. A file that is missing counts as an empty one.
func runDiff(a, b string) (string, error) {
	out, err := exec.Command("diff", "-N", "-w", "-U3", a, b).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return string(bytes.ToValidUTF8(out, []byte("?"))), nil
	}
	if err != nil {
		return "", fmt.Errorf("diff of %s and %s: %w", a, b, err)
	}
	return "", nil
}
