package pgregress

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of a JUnit report.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Seconds  string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Seconds string     `xml:"time,attr"`
		Failure *junitText `xml:"failure,omitempty"`
		Error   *junitText `xml:"error,omitempty"`
		Skipped *junitText `xml:"skipped,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML: a test that differs is a failure with its diff, one that crashed or hung, or has a file missing, is an error. A failure that the
// schedule says to ignore counts as skipped.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: r.Name, Tests: len(r.Files)}
	seconds := 0.0
	for _, f := range r.Files {
		c := junitCase{Class: r.Name, Name: f.Name, Seconds: fmt.Sprintf("%.3f", f.Duration.Seconds())}
		seconds += f.Duration.Seconds()
		n := f.Counts()
		message := fmt.Sprintf("%d of %d statements differ", n.Bad, n.All)
		switch {
		case f.Verdict == Skipped:
			suite.Skipped++
			c.Skipped = &junitText{Message: f.Reason}
		case f.Verdict == Ignored:
			suite.Skipped++
			c.Skipped = &junitText{Message: "failed, and ignored by the schedule: " + message}
		case f.Verdict == Failed && (f.Missing || f.End == Crash || f.End == Hang):
			suite.Errors++
			c.Error = &junitText{f.verdictText(), validXML(f.Diff)}
		case f.Verdict == Failed:
			suite.Failures++
			c.Failure = &junitText{message, validXML(f.Diff)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Seconds = fmt.Sprintf("%.3f", seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// validXML replaces what XML can't hold: bytes that are not UTF-8, and control characters.
func validXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r != 0xFFFE && r != 0xFFFF {
			return r
		}
		return '\uFFFD'
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
