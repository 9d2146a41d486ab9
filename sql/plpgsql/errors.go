package plpgsql

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// located is an error whose context names the frame's place already: on its way up through the frame's statements nothing is added.
type located struct {
	err   *pgerr.Error
	frame *frame
}

func (l *located) Error() string { return l.err.Message }

// locate adds the frame's line to an error's context, once.
func (f *frame) locate(err error) *located {
	if l, ok := err.(*located); ok && l.frame == f {
		return l
	}
	return &located{err: withContext(asError(err), f.place()), frame: f}
}

// asError takes an error out of the frame that it left.
func asError(err error) *pgerr.Error {
	if l, ok := err.(*located); ok {
		return l.err
	}
	return pgerr.From(err)
}

func withContext(e *pgerr.Error, line string) *pgerr.Error {
	c := *e
	if c.Context != "" {
		c.Context += "\n"
	}
	c.Context += line
	return &c
}

// place words where a frame stands, for CONTEXT.
func (f *frame) place() string {
	head := "PL/pgSQL function " + f.fn.signature
	switch {
	case f.stage != "" && f.stageLine:
		return fmt.Sprintf("%s line %d %s", head, f.line, f.stage)
	case f.stage != "":
		return head + " " + f.stage
	case f.name != "":
		return fmt.Sprintf("%s line %d at %s", head, f.line, f.name)
	}
	return head
}

// callStack words where all running frames stand, innermost first, with the SQL statements in between: PG_CONTEXT and notices.
func (rt *Runtime) callStack() string {
	var lines []string
	for i := len(rt.stack) - 1; i >= 0; i-- {
		f := rt.stack[i]
		if f.running != nil && i < len(rt.stack)-1 {
			lines = append(lines, f.running.contextLine())
		}
		lines = append(lines, f.place())
	}
	return strings.Join(lines, "\n")
}

// outerStack is callStack without the frame itself.
func (f *frame) outerStack() string {
	all := f.rt.callStack()
	if i := strings.IndexByte(all, '\n'); i >= 0 {
		return all[i:]
	}
	return ""
}

// contextLine names an expression or statement in CONTEXT.
func (e *expression) contextLine() string {
	switch e.form {
	case formExpression:
		return fmt.Sprintf("SQL expression \"%s\"", e.text)
	case formAssignment:
		return fmt.Sprintf("PL/pgSQL assignment \"%s\"", e.text)
	}
	return fmt.Sprintf("SQL statement \"%s\"", e.text)
}

// sqlError makes an error of an expression's analysis, planning or execution the function's: a place in its text becomes the internal query and
// position, otherwise the text is named in the context.
func (e *expression) sqlError(err error) error {
	c := *asError(err)
	if c.InternalQuery == "" && c.Location > 0 {
		at := max(c.Location-1-len(e.prefix)+e.skip, 0)
		at = min(at, len(e.text))
		c.InternalQuery, c.InternalPosition = e.text, utf8.RuneCountInString(e.text[:at])+1
		c.Location, c.Position = 0, 0
		return &c
	}
	c.Location, c.Position = 0, 0
	return withContext(&c, e.contextLine())
}

// compileError makes a syntax error of a body the function's: where in the body, and in the function's compilation. The session makes that a place
// in the user's statement when the body stands in it.
func (fn *Function) compileError(err error, src string, line int) error {
	e := *asError(err)
	if e.Location > 0 && e.InternalQuery == "" {
		at := min(e.Location-1, len(src))
		line = 1 + strings.Count(src[:at], "\n")
		e.InternalQuery, e.InternalPosition = src, utf8.RuneCountInString(src[:at])+1
		e.Location, e.Position = 0, 0
	}
	return withContext(&e, fmt.Sprintf("compilation of PL/pgSQL function \"%s\" near line %d", fn.shortName, line))
}
