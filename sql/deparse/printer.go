package deparse

import (
	"bytes"
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// printer is one printing. The first error sticks; what is printed after it is of no use.
type printer struct {
	ctx    *Context
	buf    []byte
	indent int
	depth  int
	err    error
}

// Indentation steps, in blanks.
const (
	indentStd   = 8
	indentJoin  = 4
	indentVar   = 4
	indentLimit = 40 // deeper levels step less and wrap around
	depthMax    = 10000
)

func (p *printer) fail(err error) {
	if p.err == nil && err != nil {
		p.err = err
	}
}

func (p *printer) write(parts ...string) {
	for _, s := range parts {
		p.buf = append(p.buf, s...)
	}
}

func (p *printer) paren() bool    { return p.ctx.Pretty&PrettyParen == 0 } // print parentheses even if needless
func (p *printer) indented() bool { return p.ctx.Pretty&PrettyIndent != 0 }

// keyword begins a clause: on a new line when laying out.
func (p *printer) keyword(s string, before, after, plus int) {
	if !p.indented() {
		p.write(s)
		return
	}
	p.indent += before
	p.trimBlanks()
	p.write("\n")
	amount := max(p.indent, 0)
	if p.indent >= indentLimit {
		amount = (indentLimit + (p.indent-indentLimit)/(indentStd/2)) % indentLimit
	}
	p.write(strings.Repeat(" ", amount+plus), s)
	p.indent = max(p.indent+after, 0)
}

func (p *printer) trimBlanks() { p.buf = bytes.TrimRight(p.buf, " ") }

func (p *printer) quote(name string) string { return types.QuoteIdent(p.ctx.Types, name) }

// lineLength is how far the current line has come.
func (p *printer) lineLength() int { return len(p.buf) - (bytes.LastIndexByte(p.buf, '\n') + 1) }

// captured gives what f prints, apart from the buffer.
func (p *printer) captured(f func()) []byte {
	save := p.buf
	p.buf = nil
	f()
	out := p.buf
	p.buf = save
	return out
}

// enter bounds the recursion; the caller defers leave.
func (p *printer) enter() bool {
	p.depth++
	if p.depth > depthMax {
		p.fail(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
		return false
	}
	return p.err == nil
}

func (p *printer) leave() { p.depth-- }

func (p *printer) typeName(typ OID, mod int32) string {
	return types.FormatTypeMod(p.ctx.Types, typ, mod)
}

func (p *printer) typ(oid OID) *catalog.Type {
	t, err := p.ctx.Catalog.Type(oid)
	p.fail(err)
	if t == nil {
		return &catalog.Type{}
	}
	return t
}

func (p *printer) proc(oid OID) *catalog.Proc {
	f, err := p.ctx.Catalog.Proc(oid)
	p.fail(err)
	if f == nil {
		p.fail(pgerr.Internal("cache lookup failed for function %d", oid))
		return &catalog.Proc{}
	}
	return f
}

// schemaPrefix is "schema." quoted.
func (p *printer) schemaPrefix(oid OID) string {
	ns, err := p.ctx.Catalog.Namespace(oid)
	p.fail(err)
	if ns == nil {
		return ""
	}
	return p.quote(ns.Name) + "."
}

// functionName is a function's name, with its schema when the path does not find it.
func (p *printer) functionName(oid OID) string {
	f := p.proc(oid)
	if p.ctx.Catalog.ProcVisible(oid) {
		return p.quote(f.Name)
	}
	return p.schemaPrefix(f.Namespace) + p.quote(f.Name)
}

// operatorName is an operator's name, as OPERATOR(schema.name) when the path does not find it.
func (p *printer) operatorName(oid OID) string {
	o, err := p.ctx.Catalog.Operator(oid)
	p.fail(err)
	if o == nil {
		p.fail(pgerr.Internal("cache lookup failed for operator %d", oid))
		return ""
	}
	if p.ctx.Catalog.OperatorVisible(oid) {
		return o.Name
	}
	return "OPERATOR(" + p.schemaPrefix(o.Namespace) + o.Name + ")"
}

func (p *printer) collationName(oid OID) string {
	c, err := p.ctx.Catalog.Collation(oid)
	p.fail(err)
	if c == nil {
		return ""
	}
	if seen, _ := p.ctx.Catalog.CollationByName("", c.Name); seen == oid {
		return p.quote(c.Name)
	}
	return p.schemaPrefix(c.Namespace) + p.quote(c.Name)
}

// relationName is a relation's name, with its schema when the path does not find it or a WITH item hides it.
func (p *printer) relationName(oid OID) string {
	rel, err := p.ctx.Catalog.Relation(oid)
	p.fail(err)
	if rel == nil {
		p.fail(pgerr.Internal("cache lookup failed for relation %d", oid))
		return ""
	}
	hidden := !p.ctx.Catalog.RelationVisible(oid)
	for _, n := range p.ctx.Namespaces {
		for _, c := range n.ctes {
			hidden = hidden || c.Name == rel.Name
		}
	}
	if hidden {
		return p.schemaPrefix(rel.Namespace) + p.quote(rel.Name)
	}
	return p.quote(rel.Name)
}

// qualifiedName is a relation's name with its schema.
func (p *printer) qualifiedName(rel *catalog.Relation) string {
	return p.schemaPrefix(rel.Namespace) + p.quote(rel.Name)
}

// quoteString writes a string literal with doubled quotes.
func quoteString(s string) string {
	if strings.Contains(s, `\`) {
		return "E'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// within prints a sub-query or expression with another context.
func (p *printer) within(ctx *Context, f func()) {
	save := p.ctx
	p.ctx = ctx
	f()
	p.ctx = save
}

func (p *printer) exprs(list []query.Expr, showImplicit bool) {
	for i, e := range list {
		if i > 0 {
			p.write(", ")
		}
		p.expr(e, showImplicit)
	}
}
