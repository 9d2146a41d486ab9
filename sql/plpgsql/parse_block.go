package plpgsql

import (
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// block reads [DECLARE ...] BEGIN ... [EXCEPTION ...] END [label], its own label having been read.
func (p *parser) block(label string) *block {
	first := p.peek()
	b := &block{label: label}
	p.push(label, false)
	defer p.pop()
	from := len(p.fn.datums)
	for p.accept("declare") {
		p.declarations()
	}
	for _, d := range p.fn.datums[from:] {
		if d.kind != listDatum {
			b.vars = append(b.vars, d)
		}
	}
	b.line = p.line(p.peek())
	if first.is("begin") {
		b.line = p.line(first)
	}
	p.expect("begin")
	b.body = p.statements("exception", "end")
	if p.at("exception") {
		p.exceptions(b)
	}
	p.expect("end")
	p.endLabel(label)
	return b
}

// endLabel reads the optional label after END and checks it against the one at the beginning.
func (p *parser) endLabel(label string) {
	t := p.peek()
	if !t.isName() {
		return
	}
	p.next()
	if label == "" {
		p.fail(t.start, pgerr.SyntaxError, "end label \"%s\" specified for unlabeled block", t.word)
	}
	if t.word != label {
		p.fail(t.start, pgerr.SyntaxError, "end label \"%s\" differs from block's label \"%s\"", t.word, label)
	}
}

// declarations reads the declarations after DECLARE, up to the next DECLARE or BEGIN.
func (p *parser) declarations() {
	for !p.at("begin") && !p.at("declare") {
		if p.at("<<") {
			p.fail(p.peek().start, pgerr.SyntaxError, "block label must be placed before DECLARE, not after")
		}
		p.declaration()
	}
}

func (p *parser) declaration() {
	t := p.peek()
	if !t.isName() {
		p.syntaxError()
	}
	name := p.next().word
	if p.scope.names[name] != nil {
		p.failAt(t, "duplicate declaration")
	}
	line := p.line(t)
	switch {
	case p.at("alias"):
		p.next()
		p.expect("for")
		p.alias(name)
	case p.at("cursor") || (p.at("scroll") || p.at("no") && p.peekAt(1).is("scroll")):
		p.cursorDeclaration(name, line)
	default:
		p.variable(name, line)
	}
}

// alias reads the rest of name ALIAS FOR other.
func (p *parser) alias(name string) {
	t := p.peek()
	var d *datum
	if t.kind == parse.ParamRef {
		p.next()
		d, _ = p.scope.lookup([]string{p.text(t)})
	} else {
		names := p.dottedNames()
		var used int
		if d, used = p.scope.lookup(names); used != len(names) {
			d = nil
		}
	}
	if d == nil {
		p.fail(t.start, pgerr.UndefinedObject, "variable \"%s\" does not exist", p.text(t))
	}
	p.expect(";")
	p.scope.add(name, d)
}

// dottedNames reads a.b.c.
func (p *parser) dottedNames() []string {
	if !p.peek().isName() {
		p.syntaxError()
	}
	names := []string{p.next().word}
	for p.at(".") && (p.peekAt(1).kind == parse.Ident || p.peekAt(1).kind == parse.QuotedIdent) {
		p.next()
		names = append(names, p.next().word)
	}
	return names
}

// variable reads [CONSTANT] type [COLLATE c] [NOT NULL] [:= default];
func (p *parser) variable(name string, line int) {
	constant := p.accept("constant")
	at := p.peek().start
	t := p.dataType()
	if p.accept("collate") {
		p.collate(&t, at)
	}
	notNull := false
	if p.accept("not") {
		p.expect("null")
		notNull = true
	}
	var init *expression
	if p.accept(":=") || p.accept("=") || p.accept("default") {
		init = p.expression(";")
	}
	end := p.expect(";")
	d := p.declare(name, line, t)
	d.constant, d.notNull, d.init = constant, notNull, init
	if notNull && init == nil {
		p.fail(end.start, pgerr.NullValueNotAllowed, "variable \"%s\" must have a default value, since it's declared NOT NULL", name)
	}
}

// cursorDeclaration reads [[NO] SCROLL] CURSOR [(args)] FOR|IS query;
func (p *parser) cursorDeclaration(name string, line int) {
	decl := &cursorDecl{}
	if p.accept("no") {
		p.expect("scroll")
		decl.options.NoScroll = true
	} else if p.accept("scroll") {
		decl.options.Scroll = true
	}
	p.expect("cursor")
	p.push("", false)
	if p.accept("(") {
		for {
			at := p.peek()
			if !at.isName() {
				p.syntaxError()
			}
			arg := p.next().word
			decl.args = append(decl.args, p.declare(arg, p.line(at), p.dataType()))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
	}
	if !p.accept("is") {
		p.expect("for")
	}
	start, end := p.capture("statement", ";")
	decl.query = p.newStatement(p.src[start:end], start)
	p.pop()
	p.expect(";")
	d := p.declare(name, line, varType{oid: types.RefcursorOID, mod: -1})
	d.cursor = decl
	// A bound cursor is named after its variable, until that is given another value.
	d.init = p.bare("'"+strings.ReplaceAll(name, "'", "''")+"'::pg_catalog.refcursor", formExpression)
	p.checkSyntax(d.init, start)
}

// exceptions reads EXCEPTION WHEN ... THEN ...
func (p *parser) exceptions(b *block) {
	line := p.line(p.next())
	// SQLSTATE and SQLERRM are variables of the handlers.
	p.push("", false)
	defer p.pop()
	text := varType{oid: types.TextOID, mod: -1, coll: catalog.DefaultCollation}
	b.sqlstate = p.declare("sqlstate", line, text)
	b.sqlerrm = p.declare("sqlerrm", line, text)
	b.sqlstate.constant, b.sqlerrm.constant = true, true
	for p.accept("when") {
		h := &handler{}
		for {
			h.conditions = append(h.conditions, p.condition()...)
			if !p.accept("or") {
				break
			}
		}
		p.expect("then")
		h.body = p.statements("when", "end")
		b.handlers = append(b.handlers, h)
	}
	if len(b.handlers) == 0 {
		p.syntaxError()
	}
}

// condition reads a condition's name or SQLSTATE 'xxxxx'; several SQLSTATEs may have the same name.
func (p *parser) condition() []pgerr.Code {
	t := p.peek()
	name := p.word("")
	if !t.quoted && name == "sqlstate" {
		return []pgerr.Code{p.sqlstateLiteral()}
	}
	codes := conditionCodes(name)
	if codes == nil {
		p.fail(t.start, pgerr.UndefinedObject, "unrecognized exception condition \"%s\"", name)
	}
	return codes
}

// sqlstateLiteral reads 'xxxxx'.
func (p *parser) sqlstateLiteral() pgerr.Code {
	t := p.peek()
	if t.kind != parse.String {
		p.syntaxError()
	}
	p.next()
	s := p.stringValue(t)
	if !validState(s) {
		p.failAt(t, "invalid SQLSTATE code")
	}
	return pgerr.Code(s)
}

func validState(s string) bool {
	if len(s) != 5 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}
