package plpgsql

import (
	"strings"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

// parser reads a function's body. Its methods end the parse by a panic with a bailout; parseBody turns that into an error.
type parser struct {
	rt    *Runtime
	fn    *Function
	src   string
	toks  []token
	pos   int
	scope *scope
	depth int
}

type bailout struct{ err *pgerr.Error }

// nestingMax bounds the nesting of statements.
const nestingMax = 1000

// parseBody reads the whole body into fn.
func (p *parser) parseBody() (err error) {
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bailout)
			if !ok {
				panic(r)
			}
			err = b.err
		}
	}()
	for p.options() {
	}
	p.fn.body = p.block(p.label())
	p.accept(";")
	if p.peek().kind != parse.End {
		p.syntaxError()
	}
	return nil
}

// options reads the #option lines in front of the block.
func (p *parser) options() bool {
	if p.text(p.peek()) != "#" {
		return false
	}
	p.next()
	name := p.word("")
	value := p.peek()
	p.next()
	switch {
	case name == "variable_conflict" && value.is("error"):
		p.fn.conflict = conflictError
	case name == "variable_conflict" && value.is("use_variable"):
		p.fn.conflict = conflictVariable
	case name == "variable_conflict" && value.is("use_column"):
		p.fn.conflict = conflictColumn
	case name == "print_strict_params" && value.is("on"):
		p.fn.strictParams = true
	case name == "print_strict_params" && value.is("off"):
		p.fn.strictParams = false
	case name == "option" && value.is("dump"):
	default:
		p.pos--
		p.syntaxError()
	}
	return true
}

func (p *parser) peek() token { return p.toks[p.pos] }

func (p *parser) peekAt(n int) token {
	if p.pos+n < len(p.toks) {
		return p.toks[p.pos+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) next() token {
	t := p.toks[p.pos]
	if t.kind != parse.End {
		p.pos++
	}
	return t
}

// text is a token as written.
func (p *parser) text(t token) string { return p.src[t.start:t.end] }

// at says whether the next token is this punctuation, operator or unquoted word.
func (p *parser) at(what string) bool { return p.tokenIs(p.peek(), what) }

func (p *parser) tokenIs(t token, what string) bool {
	switch t.kind {
	case parse.Ident:
		return t.word == what
	case parse.Punct, parse.Operator:
		return p.text(t) == what
	}
	return false
}

// accept takes the next token when it is this one.
func (p *parser) accept(what string) bool {
	if p.at(what) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(what string) token {
	if !p.at(what) {
		p.syntaxError()
	}
	return p.next()
}

// word takes a name; what, when not "", is said to be expected otherwise.
func (p *parser) word(what string) string {
	t := p.peek()
	if t.kind != parse.Ident && t.kind != parse.QuotedIdent {
		if what != "" {
			p.failAt(t, "%s", what)
		}
		p.syntaxError()
	}
	return p.next().word
}

// line is the line that a token stands on, from 1.
func (p *parser) line(t token) int { return 1 + strings.Count(p.src[:t.start], "\n") }

// fail ends the parse with an error at a byte offset of the body.
func (p *parser) fail(at int, code pgerr.Code, format string, args ...any) {
	e := pgerr.New(code, format, args...)
	e.Location = at + 1
	panic(bailout{e})
}

// failAt ends the parse with the scanner's kind of error: message, then the token.
func (p *parser) failAt(t token, format string, args ...any) {
	e := pgerr.New(pgerr.SyntaxError, format, args...)
	if t.kind == parse.End {
		e.Message += " at end of input"
	} else {
		e.Message += " at or near \"" + p.text(t) + "\""
	}
	e.Location = t.start + 1
	panic(bailout{e})
}

func (p *parser) syntaxError() { p.failAt(p.peek(), "syntax error") }

// label reads <<name>> when it is there.
func (p *parser) label() string {
	if !p.at("<<") {
		return ""
	}
	p.next()
	if !p.peek().isName() {
		p.syntaxError()
	}
	name := p.next().word
	p.expect(">>")
	return name
}

// push opens a scope, pop closes it.
func (p *parser) push(label string, loop bool) *scope {
	p.scope = &scope{outer: p.scope, label: label, loop: loop, block: !loop}
	return p.scope
}

func (p *parser) pop() { p.scope = p.scope.outer }

// newDatum makes a variable without a name in any scope.
func (p *parser) newDatum(kind datumKind, name string, line int, t varType) *datum {
	return p.fn.newDatum(kind, name, line, t)
}

// declare makes a variable and its name in the innermost scope.
func (p *parser) declare(name string, line int, t varType) *datum {
	kind := scalarDatum
	if t.row {
		kind = recordDatum
	}
	d := p.newDatum(kind, name, line, t)
	p.scope.add(name, d)
	return d
}

// capture reads the text of an expression or statement up to one of the given words at nesting depth 0, which is left as the next token. missing
// is the complaint when the body ends first.
func (p *parser) capture(missing string, until ...string) (start, end int) {
	start = p.peek().start
	from := p.pos
	depth := 0
	for {
		t := p.peek()
		if depth == 0 {
			for _, u := range until {
				if p.tokenIs(t, u) {
					if p.pos == from {
						return start, start
					}
					return start, p.toks[p.pos-1].end
				}
			}
		}
		switch {
		case t.kind == parse.End || depth == 0 && p.at(";"):
			if depth != 0 {
				p.failAt(t, "mismatched parentheses")
			}
			p.missing(t, missing, until)
		case p.at("(") || p.at("["):
			depth++
		case p.at(")") || p.at("]"):
			depth--
			if depth < 0 {
				p.failAt(t, "mismatched parentheses")
			}
		case p.at(";"):
			p.failAt(t, "mismatched parentheses")
		}
		p.next()
	}
}

func (p *parser) missing(t token, what string, until []string) {
	if t.kind == parse.End && until[0] == ";" {
		p.syntaxError()
	}
	e := pgerr.New(pgerr.SyntaxError, "missing \"%s\" at end of SQL expression", strings.ToUpper(until[0]))
	if what == "statement" {
		e.Message = "missing \"" + strings.ToUpper(until[0]) + "\" at end of SQL statement"
	}
	e.Location = t.start + 1
	panic(bailout{e})
}

// expression reads an expression up to one of the words, which is left.
func (p *parser) expression(until ...string) *expression {
	first := p.peek()
	start, end := p.capture("expression", until...)
	if start == end {
		p.failAt(first, "missing expression")
	}
	return p.newExpression(start, end)
}

// bare makes an expression or statement out of text, with the names that are visible here; its syntax is not checked yet.
func (p *parser) bare(text string, f form) *expression {
	e := &expression{fn: p.fn, rt: p.rt, scope: p.scope, declared: len(p.fn.datums), text: text, form: f}
	if f != formStatement {
		e.prefix = "SELECT "
	}
	return e
}

// newExpression makes an expression of a piece of the body, and checks its syntax.
func (p *parser) newExpression(start, end int) *expression {
	e := p.bare(p.src[start:end], formExpression)
	p.checkSyntax(e, start)
	return e
}

// newStatement makes a SQL statement of a piece of the body.
func (p *parser) newStatement(text string, start int) *expression {
	e := p.bare(text, formStatement)
	p.checkSyntax(e, start)
	return e
}

// checkSyntax runs the grammar over an expression's text, whose place in the body is start.
func (p *parser) checkSyntax(e *expression, start int) { p.checkSyntaxOf(e, e.prefix+e.text, start) }

func (p *parser) checkSyntaxOf(e *expression, sql string, start int) {
	stmts, err := parse.Parse(sql)
	if err == nil {
		if len(stmts) != 1 {
			p.fail(start, pgerr.SyntaxError, "syntax error at or near \";\"")
		}
		e.stmt = stmts[0]
		return
	}
	pe := *pgerr.From(err)
	if pe.Location > 0 {
		pe.Location = max(pe.Location-len(e.prefix), 1) + start
	}
	panic(bailout{&pe})
}
