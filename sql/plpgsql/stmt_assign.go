package plpgsql

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// assignStmt is target := value. A target that is part of a variable beyond a record's field (subscripts, fields of fields) is stored into by
// the expression itself, which then gives the variable's new value.
type assignStmt struct {
	stmtBase
	target target
	value  *expression
}

// assignment reads a whole assignment.
func (p *parser) assignment() statement {
	first := p.peek()
	s := &assignStmt{stmtBase: stmtBase{p.line(first), "assignment"}}
	var names []string
	if first.kind == parse.ParamRef {
		p.next()
		names = []string{p.text(first)}
	} else {
		names = p.dottedNames()
	}
	d, used := p.scope.lookup(names)
	p.checkAssignable(d, first.start)
	s.target.d = d
	rest := names[used:]
	if len(rest) > 0 && d.kind == recordDatum {
		s.target.field, rest = rest[0], rest[1:]
	}
	targetStart, targetEnd := p.peek().start, p.toks[p.pos-1].end
	if p.at("[") || p.at(".") || len(rest) > 0 {
		_, targetEnd = p.capture("expression", ":=", "=")
	}
	if !p.accept(":=") {
		p.expect("=")
	}
	valueStart, end := p.capture("expression", ";")
	if valueStart == end {
		p.failAt(p.peek(), "missing expression")
	}
	p.expect(";")
	e := p.bare(p.src[first.start:end], formAssignment)
	e.skip = valueStart - first.start
	s.value = e
	p.checkSyntaxOf(e, e.prefix+e.text[e.skip:], valueStart)
	e.assign = &analyze.AssignTarget{Name: d.name, Indirection: p.indirection(rest, targetStart, targetEnd)}
	field := s.target.field
	e.assign.Base = func() (query.Expr, error) { return e.assignBase(d, field) }
	return s
}

// assignBase stands for the target in the value's analysis: a parameter when its present value is needed, else only its type.
func (e *expression) assignBase(d *datum, field string) (query.Expr, error) {
	if len(e.assign.Indirection) > 0 {
		return e.paramFor(d, field, -1)
	}
	f := e.rt.top()
	if d.kind == recordDatum && field != "" {
		if err := f.checkField(d, field); err != nil {
			return nil, err
		}
	}
	typ, mod := f.paramType(&param{d: d, field: field})
	return &query.Param{Kind: query.ParamExtern, TypeOID: typ, Mod: mod, Loc: -1}, nil
}

// indirection parses the subscripts and fields of a target; rest are fields whose names were read already.
func (p *parser) indirection(rest []string, start, end int) []*pg_query.Node {
	list := stringNodes(rest)
	if end <= start {
		return list
	}
	stmts, err := parse.Parse("SELECT x" + p.src[start:end])
	if err != nil {
		e := *pgerr.From(err)
		if e.Location > 0 {
			e.Location = max(e.Location-len("SELECT x"), 1) + start
		}
		panic(bailout{&e})
	}
	val := stmts[0].Node.GetSelectStmt().GetTargetList()[0].GetResTarget().GetVal()
	if ind := val.GetAIndirection(); ind != nil {
		if c := ind.Arg.GetColumnRef(); c != nil && len(c.Fields) > 1 {
			list = append(list, c.Fields[1:]...)
		}
		return append(list, ind.Indirection...)
	}
	if c := val.GetColumnRef(); c != nil {
		return append(list, c.Fields[1:]...)
	}
	p.fail(start, pgerr.SyntaxError, "syntax error at or near \"%s\"", p.src[start:end])
	return nil
}

func (s *assignStmt) exec(f *frame) (flow, error) {
	return flowNext, s.value.assignTo(f, s.target)
}
