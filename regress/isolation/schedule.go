package isolation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readSchedule gives the tests of a schedule file in their order. Tests of one line may run at the same time, which nothing here makes use of.
func readSchedule(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		tests, ok := strings.CutPrefix(strings.TrimSpace(line), "test:")
		if !ok {
			return nil, fmt.Errorf("%s, line %d: not \"test: name ...\"", path, i+1)
		}
		names = append(names, strings.Fields(tests)...)
	}
	return names, nil
}

// specNames gives the tests of a directory: those of its isolation_schedule in their order, then all other specs by name. (PostgreSQL's schedule
// leaves out those that need max_prepared_transactions.)
func specNames(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "specs", "*.spec"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no specs in %s", filepath.Join(dir, "specs"))
	}
	names, err := readSchedule(filepath.Join(dir, "isolation_schedule"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, f := range files { // Glob sorts
		if name := strings.TrimSuffix(filepath.Base(f), ".spec"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}
