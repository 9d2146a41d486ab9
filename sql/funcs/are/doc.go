// Package are matches PostgreSQL's advanced regular expressions.
//
// A pattern becomes a tree. Which strings match, and where the leftmost match begins and ends, is found by simulating each part's
// automaton (program.go, run.go), in time linear in the text. Where the parentheses match is then found by taking the match apart along
// the tree (dissect.go), as Henry Spencer's engine does: of a concatenation the left part gets the longest (or, when it prefers so, the
// shortest) piece that leaves the right part a match; of alternatives the first that fits is taken. Back references are checked while
// dissecting, so that only patterns which have them may take exponential time.
//
// It imports pgerr only.
package are

import "github.com/calfdb/calf/sql/pgerr"

// The reasons for which a pattern is refused, in PostgreSQL's words.
var (
	errEscape  = refuse("invalid escape \\ sequence")
	errSubReg  = refuse("invalid backreference number")
	errBracket = refuse("brackets [] not balanced")
	errParen   = refuse("parentheses () not balanced")
	errBrace   = refuse("braces {} not balanced")
	errRepeat  = refuse("invalid repetition count(s)")
	errRange   = refuse("invalid character range")
	errOperand = refuse("quantifier operand invalid")
	errClass   = refuse("invalid character class")
	errCollate = refuse("invalid collating element")
	errOption  = refuse("invalid embedded option")
	errTooBig  = refuse("regular expression is too complex")
)

func refuse(why string) error {
	return pgerr.New(pgerr.InvalidRegularExpression, "invalid regular expression: %s", why)
}
