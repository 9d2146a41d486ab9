package pgregress

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Options are what a run is about. Names and defaults are those of pg_regress's options where it has the option.
type Options struct {
	InputDir  string   // has sql/, expected/, and the data that tests read
	OutputDir string   // gets results/, regression.diffs, regression.out
	Schedules []string // schedule files, run before Tests
	Tests     []string // names of tests (paths below sql/, without .sql). No schedule and no test: all of InputDir

	DBName         string
	UseExisting    bool // the database is there, with what is in it
	Encoding       string
	NoLocale       bool
	Roles          []string // created before, with all rights on the database
	LoadExtensions []string
	DLPath         string // where tests look for libraries of C functions

	Jobs        int           // tests of a group that run at the same time; 0 = all
	FileTimeout time.Duration // what a test may take; 0 = no limit
	Skip        map[string]string
	Update      bool // write the results as expected files; only from PostgreSQL

	Status   io.Writer // a line for each test
	Progress io.Writer // one line that is written over and over; nil for none
}

func (o *Options) setDefaults() error {
	if o.DBName == "" {
		o.DBName = "regression"
	}
	for _, dir := range []*string{&o.InputDir, &o.OutputDir, &o.DLPath} {
		if *dir == "" {
			*dir = "."
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = abs
	}
	for i, t := range o.Tests { // sql/NAME.sql names a test as well as NAME does
		if rel, err := filepath.Rel(filepath.Join(o.InputDir, "sql"), absolute(t)); err == nil && strings.HasSuffix(t, ".sql") && !strings.HasPrefix(rel, "..") {
			t = rel
		}
		o.Tests[i] = filepath.ToSlash(strings.TrimSuffix(t, ".sql"))
	}
	return nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// groups are all groups of tests in order.
func (o *Options) groups() ([]group, error) {
	var out []group
	for _, path := range o.Schedules {
		g, err := readSchedule(path)
		if err != nil {
			return nil, err
		}
		out = append(out, g...)
	}
	tests := o.Tests
	if len(o.Schedules) == 0 && len(tests) == 0 {
		var err error
		if tests, err = allTests(filepath.Join(o.InputDir, "sql")); err != nil {
			return nil, err
		}
		if len(tests) == 0 {
			return nil, fmt.Errorf("there are no files sql/*.sql in %s", o.InputDir)
		}
	}
	for _, t := range tests {
		out = append(out, group{tests: []string{t}})
	}
	return out, nil
}

// allTests lists the tests below dir, sorted.
func allTests(dir string) ([]string, error) {
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".sql") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		out = append(out, filepath.ToSlash(strings.TrimSuffix(rel, ".sql")))
		return err
	})
	sort.Strings(out)
	return out, err
}
