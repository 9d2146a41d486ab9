package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRegressExitStatus: 0 when all passed, 1 when some failed, 2 when they could not be run or a file is missing; the JUnit file has them all. A psql
// that prints the file stands for psql and server.
func TestRegressExitStatus(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("bin/psql", "#!/bin/sh\ncase \"$*\" in *-a*) cat;; esac\n", 0o755)
	for name, expected := range map[string]string{"good": "select 1;\n", "other": "select 2;\n", "nothing": ""} {
		put("sql/"+name+".sql", "select 1;\n", 0o644)
		if expected != "" {
			put("expected/"+name+".out", expected, 0o644)
		}
	}
	junit := filepath.Join(dir, "junit.xml")
	run := func(args ...string) (int, string) {
		var out, errOut strings.Builder
		status := regress(append([]string{"--inputdir", dir, "--outputdir", filepath.Join(dir, "out"), "--bindir", filepath.Join(dir, "bin"),
			"--junit", junit}, args...), &out, &errOut)
		return status, out.String() + errOut.String()
	}
	for _, c := range []struct {
		args   []string
		status int
		junit  string // tests, failures, errors
	}{
		{[]string{"good"}, 0, "1 0 0"}, {[]string{"good", "other"}, 1, "2 1 0"}, {[]string{"other", "nothing", "good"}, 2, "3 1 1"},
		{[]string{"absent", "good"}, 2, "2 0 1"}, {[]string{"--no-such-flag"}, 2, ""}, {[]string{"--schedule", "/absent", "good"}, 2, ""},
		{[]string{"--skip", "/absent", "good"}, 2, ""}, {[]string{"--bindir", dir, "good"}, 2, ""},
	} {
		_ = os.Remove(junit)
		status, text := run(c.args...)
		if status != c.status {
			t.Errorf("%v: exit status %d, want %d\n%s", c.args, status, c.status, text)
		}
		if got := junitCounts(t, junit); got != c.junit {
			t.Errorf("%v: JUnit has %q, want %q", c.args, got, c.junit)
		}
	}
}

// junitCounts gives the numbers of tests, failures and errors of a JUnit file, "" when there is none.
func junitCounts(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	var suite struct {
		Tests    string `xml:"tests,attr"`
		Failures string `xml:"failures,attr"`
		Errors   string `xml:"errors,attr"`
	}
	if err := xml.Unmarshal(b, &suite); err != nil {
		t.Fatal(err)
	}
	return suite.Tests + " " + suite.Failures + " " + suite.Errors
}

// TestIsTerminal: the progress line is for terminals only; /dev/null is a character device too.
func TestIsTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if isTerminal(null) || isTerminal(io.Discard) {
		t.Error("/dev/null or no file at all is taken for a terminal")
	}
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here")
	}
	defer pty.Close()
	if !isTerminal(pty) {
		t.Error("a pseudo-terminal is not taken for a terminal")
	}
}
