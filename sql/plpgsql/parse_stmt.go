package plpgsql

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

// statement is one statement of a body. exec runs it and says how control goes on.
type statement interface {
	base() *stmtBase
	exec(f *frame) (flow, error)
}

// stmtBase is what all statements have: their line, and their name in CONTEXT lines.
type stmtBase struct {
	line int
	name string
}

func (b *stmtBase) base() *stmtBase { return b }

// flow says how control goes on after a statement.
type flow uint8

const (
	flowNext     flow = iota
	flowExit          // to the end of the loop or block that frame.target is, or of the innermost loop
	flowContinue      // to the next round of it
	flowReturn
)

// stmtParsers read the statements that begin with a word, which has been taken; start is that word.
var stmtParsers = map[string]func(p *parser, start token) statement{}

// statements reads statements up to one of the words, which is left.
func (p *parser) statements(until ...string) []statement {
	var list []statement
	for {
		for _, w := range until {
			if p.at(w) {
				return list
			}
		}
		if p.peek().kind == parse.End {
			p.syntaxError()
		}
		if s := p.statement(); s != nil {
			list = append(list, s)
		}
	}
}

// statement reads one statement with its semicolon; nil for NULL.
func (p *parser) statement() statement {
	p.depth++
	defer func() { p.depth-- }()
	t := p.peek()
	if p.depth > nestingMax {
		p.fail(t.start, pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	label := p.label()
	t = p.peek()
	if label != "" {
		switch {
		case t.is("declare") || t.is("begin") || t.is("loop") || t.is("while") || t.is("for") || t.is("foreach"):
		default:
			p.syntaxError()
		}
	}
	if t.is("declare") || t.is("begin") {
		b := p.block(label)
		p.expect(";")
		return b
	}
	if p.atAssignment() {
		return p.assignment()
	}
	if t.kind == parse.Ident {
		if label != "" || t.is("loop") || t.is("while") || t.is("for") || t.is("foreach") {
			p.next()
			return loopParsers[t.word](p, t, label)
		}
		if parseStmt := stmtParsers[t.word]; parseStmt != nil {
			p.next()
			return parseStmt(p, t)
		}
	}
	if t.is("null") {
		p.next()
		p.expect(";")
		return nil
	}
	if t.kind != parse.Ident && t.kind != parse.QuotedIdent && !p.at("(") {
		p.syntaxError()
	}
	if t.kind == parse.Ident && reserved[t.word] {
		p.syntaxError()
	}
	return p.sqlStatement(t)
}

// atAssignment says whether a variable's assignment begins here: its name, then := or =, perhaps after fields and subscripts. A name that is none
// of a variable is complained about when it looks like one.
func (p *parser) atAssignment() bool {
	t := p.peek()
	if t.kind == parse.ParamRef {
		d, _ := p.scope.lookup([]string{p.text(t)})
		return d != nil
	}
	if !t.isName() {
		return false
	}
	after := p.peekAt(1)
	looksLike := p.tokenIs(after, ":=") || p.tokenIs(after, "=") || p.tokenIs(after, "[") || p.tokenIs(after, ".")
	names := []string{t.word}
	for i := 1; p.tokenIs(p.peekAt(i), ".") && len(names) < 3; i += 2 {
		names = append(names, p.peekAt(i+1).word)
	}
	d, _ := p.scope.lookup(names)
	if d == nil {
		if looksLike {
			p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a known variable", p.dottedText(names))
		}
		return false
	}
	// A keyword that is a variable's name too is the keyword unless an assignment follows.
	return looksLike
}

func (p *parser) dottedText(names []string) string {
	out := names[0]
	for _, n := range names[1:] {
		out += "." + n
	}
	return out
}

// stringNodes makes parse nodes of names.
func stringNodes(names []string) []*pg_query.Node {
	var list []*pg_query.Node
	for _, n := range names {
		list = append(list, &pg_query.Node{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: n}}})
	}
	return list
}

// stringValue is what a string literal means.
func (p *parser) stringValue(t token) string {
	stmts, err := parse.Parse("SELECT " + p.text(t))
	if err != nil || len(stmts) != 1 {
		p.failAt(t, "syntax error")
	}
	return stmts[0].Node.GetSelectStmt().GetTargetList()[0].GetResTarget().GetVal().GetAConst().GetSval().GetSval()
}

// intoTarget reads what INTO assigns to: a record, or a list of variables.
func (p *parser) intoTarget() *datum {
	first := p.peek()
	tg := p.targetName("")
	if tg.field == "" && tg.d.kind == recordDatum {
		if p.at(",") {
			p.fail(p.peek().start, pgerr.SyntaxError, "record variable cannot be part of multiple-item INTO list")
		}
		return tg.d
	}
	list := []target{tg}
	names := []string{tg.d.name}
	for p.accept(",") {
		t := p.peek()
		tg := p.targetName("")
		if tg.field == "" && tg.d.kind == recordDatum {
			p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a scalar variable", p.text(t))
		}
		list = append(list, tg)
		names = append(names, tg.d.name)
	}
	row := p.newDatum(listDatum, "(unnamed row)", p.line(first), varType{})
	row.targets, row.names = list, names
	return row
}

// targetName reads a variable or a record's field that is to be assigned to.
func (p *parser) targetName(what string) target {
	t := p.peek()
	if t.kind == parse.ParamRef {
		p.next()
		d, _ := p.scope.lookup([]string{p.text(t)})
		if d == nil {
			p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a known variable", p.text(t))
		}
		p.checkAssignable(d, t.start)
		return target{d: d}
	}
	if !t.isName() {
		p.syntaxError()
	}
	names := p.dottedNames()
	d, used := p.scope.lookup(names)
	if d == nil || len(names)-used > 1 || len(names) > used && d.kind != recordDatum {
		p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a known variable", p.dottedText(names))
	}
	p.checkAssignable(d, t.start)
	tg := target{d: d}
	if used < len(names) {
		tg.field = names[used]
	}
	return tg
}

func (p *parser) checkAssignable(d *datum, at int) {
	if d.constant {
		p.fail(at, pgerr.ErrorInAssignment, "variable \"%s\" is declared CONSTANT", d.name)
	}
}
