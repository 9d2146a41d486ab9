package pgregress

import (
	"fmt"
	"os"
	"strings"
)

// group is a line of a schedule: tests that run at the same time.
type group struct {
	tests   []string
	ignored map[string]bool // tests whose failure does not count: those of the "ignore:" lines before
}

// parallelMax is how many tests a group may have in pg_regress.
const parallelMax = 100

// readSchedule reads a schedule file of pg_regress.
func readSchedule(path string) ([]group, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSchedule(path, string(b))
}

func parseSchedule(path, text string) ([]group, error) {
	var groups []group
	ignored := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r\f\v")
		if line == "" || line[0] == '#' {
			continue
		}
		if name, ok := strings.CutPrefix(line, "ignore: "); ok {
			ignored = withName(ignored, strings.TrimLeft(name, " \t"))
			continue
		}
		names, ok := strings.CutPrefix(line, "test: ")
		tests := strings.Fields(names)
		if !ok || len(tests) == 0 {
			return nil, fmt.Errorf("syntax error in schedule file %q line %d: %s", path, i+1, line)
		}
		if len(tests) > parallelMax {
			return nil, fmt.Errorf("too many parallel tests (more than %d) in schedule file %q line %d: %s", parallelMax, path, i+1, line)
		}
		groups = append(groups, group{tests: tests, ignored: ignored})
	}
	return groups, nil
}

// withName is a copy of set with a name more: the groups before keep theirs.
func withName(set map[string]bool, name string) map[string]bool {
	out := map[string]bool{name: true}
	for n := range set {
		out[n] = true
	}
	return out
}
