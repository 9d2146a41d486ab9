package pgregress

import (
	"fmt"
	"strings"
	"testing"
)

const source = `-- numbers
select 1;
select 2;

begin;
fetch c;
fetch c;
commit;
`

// table is what psql prints for one row.
func table(v string) string { return " ?column? \n----------\n        " + v + "\n(1 row)\n\n" }

var expectedText = "-- numbers\nselect 1;\n" + table("1") + "select 2;\n" + table("2") + "begin;\nfetch c;\n" + table("3") + "fetch c;\n" + table("4") + "commit;\n"

// verdicts writes a score as a letter a statement: s same, d different, n not run.
func verdicts(statements []Statement) string {
	var b strings.Builder
	for _, s := range statements {
		switch {
		case s.Same:
			b.WriteByte('s')
		case s.Ran:
			b.WriteByte('d')
		default:
			b.WriteByte('n')
		}
	}
	return b.String()
}

// One bad statement costs one statement, wherever it is and whatever it prints instead.
func TestScoreCostsOneStatement(t *testing.T) {
	cases := []struct{ name, actual, want string }{
		{"equal", expectedText, "ssssss"},
		{"other value", strings.Replace(expectedText, table("1"), table("7"), 1), "dsssss"},
		{"error", strings.Replace(expectedText, table("2"), "ERROR:  no\nLINE 1: select 2;\n               ^\n", 1), "sdssss"},
		{"nothing", strings.Replace(expectedText, table("3"), "", 1), "sssdss"},
		{"more rows", strings.Replace(expectedText, table("4"), strings.Repeat("x\n\n", 50), 1), "ssssds"},
		{"at the end", expectedText + "WARNING:  there is no transaction in progress\n", "sssssd"},
		{"a line of it in the output", strings.Replace(expectedText, table("3"), "fetch\ncommit\n", 1), "sssdss"},
		{"ended", expectedText[:strings.Index(expectedText, table("3"))] + "server closed the connection unexpectedly\n", "sssdnn"},
		{"nothing at all", "", "nnnnnn"},
		{"echoes only", source[:len(source)-1], "ddsdds"},
	}
	for _, c := range cases {
		if got := verdicts(scoreStatements(source, expectedText, c.actual)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// An output that prints the text of the next statement misleads the search for one statement only.
func TestAlignSelfHeals(t *testing.T) {
	actual := strings.Replace(expectedText, table("1"), "select 2;\n", 1)
	if got := verdicts(scoreStatements(source, expectedText, actual)); got != "ddssss" {
		t.Errorf("%s", got)
	}
}

// When a statement's lines are missing in the middle, those after it must not be lost to a later statement with the same text.
func TestAlignSkipsMissing(t *testing.T) {
	src := "a;\nb;\nc;\nd;\nb;\ne;\n"
	units := splitUnits(src, newOutput(src))
	got := align(units, newOutput("a;\n1\nc;\n2\nd;\n3\nb;\n4\ne;\n5\n"))
	want := "[true false true true true true] [[1] [] [2] [3] [4] [5]]"
	if s := fmt.Sprint(got.ran, got.output); s != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
}

// The data of a COPY that the server refuses is read as statements; the next statement has its own verdict all the same.
func TestScoreRefusedCopy(t *testing.T) {
	src := "copy t from stdin;\n1\n2\n\\.\nselect 1;\nselect 2;\n"
	expected := "copy t from stdin;\nselect 1;\n" + table("1") + "select 2;\n" + table("2")
	actual := "copy t from stdin;\nERROR:  no\n1\n2\n\\.\ninvalid command \\.\nselect 1;\nERROR:  syntax error at or near \"1\"\nselect 2;\n" + table("2")
	if got := verdicts(scoreStatements(src, expected, actual)); got != "dds" {
		t.Errorf("%s", got)
	}
	// PostgreSQL itself refuses this one: what follows are statements.
	src = "copy nowhere from stdin;\nselect 1;\ncopy t from stdin;\n1\n\\.\nselect 2;\n"
	expected = "copy nowhere from stdin;\nERROR:  no\nselect 1;\n" + table("1") + "copy t from stdin;\nselect 2;\n" + table("2")
	if got := verdicts(scoreStatements(src, expected, expected)); got != "ssss" {
		t.Errorf("refused by both: %s", got)
	}
}

// What an alternate expected file does not hold is not counted.
func TestScoreQuits(t *testing.T) {
	src := "select 1;\n\\if :skip\n\\quit\n\\endif\nselect 2;\n"
	expected := "select 1;\n" + table("1") + "\\if :skip\n\\quit\n"
	if got := verdicts(scoreStatements(src, expected, expected)); got != "s" {
		t.Errorf("%s", got)
	}
}

func TestCounts(t *testing.T) {
	src := "create table t ();\nselect 1;\ncreate function f() returns int language c;\n\\pset null x\n"
	expected := "create table t ();\nselect 1;\n" + table("1") + "create function f() returns int language c;\n\\pset null x\n"
	f := FileResult{Statements: scoreStatements(src, expected, strings.Replace(expected, table("1"), "ERROR:  no\n", 1))}
	if got, want := f.Counts(), (Counts{All: 2, Same: 1, Prints: 1, NeedsC: 1, Bad: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
