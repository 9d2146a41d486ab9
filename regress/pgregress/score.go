package pgregress

import (
	"regexp"
	"slices"
)

// Statement is a statement of a test with its verdict.
type Statement struct {
	Line     int
	Text     string
	Expected []string // the lines that it should print
	Actual   []string // the lines that it printed
	Ran      bool
	Same     bool
	NeedsC   bool // it names a library of C functions, which this server can't load: not counted
}

// Counts is a score.
type Counts struct {
	All, Same           int // statements
	Prints, PrintsSame  int // statements for which the expected file prints something
	NotRun, NeedsC, Bad int // not reached; left out; different
}

func (c *Counts) add(s *Statement) {
	if s.NeedsC {
		c.NeedsC++
		return
	}
	c.All++
	if !s.Ran {
		c.NotRun++
	}
	if s.Same {
		c.Same++
	} else {
		c.Bad++
	}
	if len(s.Expected) > 0 {
		c.Prints++
		if s.Same {
			c.PrintsSame++
		}
	}
}

// Add sums two scores.
func (c *Counts) Add(d Counts) {
	c.All += d.All
	c.Same += d.Same
	c.Prints += d.Prints
	c.PrintsSame += d.PrintsSame
	c.NotRun += d.NotRun
	c.NeedsC += d.NeedsC
	c.Bad += d.Bad
}

// scoreStatements compares an output with the expected one, statement by statement. Backslash commands that ask the server nothing, and statements that
// the expected file does not hold (an alternate for a server that can't run the test ends early), do not count.
func scoreStatements(source, expected, actual string) []Statement {
	want := newOutput(expected)
	units := splitUnits(source, want)
	wanted, got := align(units, want), align(units, newOutput(actual))
	var out []Statement
	for i, u := range units {
		if !u.sql || !wanted.ran[i] {
			continue
		}
		s := Statement{Line: u.line, Text: u.text(), Expected: wanted.output[i], Actual: got.output[i], Ran: got.ran[i]}
		s.Same = s.Ran && slices.Equal(s.Expected, s.Actual)
		s.NeedsC = cLibrary.MatchString(s.Text)
		out = append(out, s)
	}
	return out
}

// cLibrary finds the tests' own C functions: CREATE FUNCTION ... LANGUAGE C, and LOAD.
var cLibrary = regexp.MustCompile(`(?i):'(regresslib|autoinclib|refintlib)'|\blanguage\s+'?c\b`)
