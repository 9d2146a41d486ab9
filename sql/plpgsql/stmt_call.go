package plpgsql

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// callStmt is CALL procedure(args) or DO inside a function. The values of OUT arguments go into the variables that were given for them.
type callStmt struct {
	stmtBase
	query *expression
	args  []*target // of CALL, by position as written; nil where the argument is no variable
	names []string  // of named arguments, "" of others
}

func parseCall(p *parser, start token) statement {
	s := &callStmt{stmtBase: stmtBase{p.line(start), upper(start.word)}}
	_, end := p.capture("statement", ";")
	p.expect(";")
	s.query = p.newStatement(p.src[start.start:end], start.start)
	call := s.query.stmt.Node.GetCallStmt()
	if call == nil {
		return s
	}
	for _, a := range call.Funccall.Args {
		name := ""
		if n := a.GetNamedArgExpr(); n != nil {
			name, a = n.Name, n.Arg
		}
		s.names = append(s.names, name)
		s.args = append(s.args, p.argumentTarget(a))
	}
	return s
}

// argumentTarget gives the variable that an argument is, nil when it is something else.
func (p *parser) argumentTarget(n *pg_query.Node) *target {
	c := n.GetColumnRef()
	if c == nil {
		return nil
	}
	var names []string
	for _, f := range c.Fields {
		if f.GetString_() == nil {
			return nil
		}
		names = append(names, f.GetString_().Sval)
	}
	d, used := p.scope.lookup(names)
	switch {
	case d == nil || d.constant:
		return nil
	case used == len(names):
		return &target{d: d}
	case used == len(names)-1 && d.kind == recordDatum:
		return &target{d: d, field: names[used]}
	}
	return nil
}

func (s *callStmt) exec(f *frame) (flow, error) {
	e := s.query
	if f.fn.readOnly {
		return flowNext, e.sqlError(notAllowed(e.node()))
	}
	if err := e.readyStatement(f); err != nil {
		return flowNext, err
	}
	var row types.Row
	f.rt.host.SetNonAtomic(!f.atomic)
	_, err := e.runCounted(f, 0, func(r types.Row) error {
		row = cloneRow(r)
		return nil
	})
	f.rt.host.SetNonAtomic(false)
	if err != nil || row == nil {
		return flowNext, err
	}
	return flowNext, s.storeOut(f, row)
}

// storeOut assigns the OUT values to the arguments in their places.
func (s *callStmt) storeOut(f *frame, row types.Row) error {
	outs, err := s.query.query.CallOut()
	if err != nil {
		return err
	}
	for i, o := range outs {
		at := -1
		for j := range s.args {
			if s.names[j] != "" && s.names[j] == o.Name || s.names[j] == "" && j == o.Position {
				at = j
			}
		}
		if at < 0 {
			continue // an argument left to its default
		}
		if s.args[at] == nil {
			return pgerr.New(pgerr.SyntaxError, "procedure parameter \"%s\" is an output parameter but corresponding argument is not writable", o.label())
		}
		col := s.query.analyzed.Result[i]
		if err := f.assign(*s.args[at], row[i], col.Expr.Type(), col.Expr.TypMod()); err != nil {
			return err
		}
	}
	return nil
}

// OutParam is an OUT or INOUT parameter of a procedure that is called.
type OutParam struct {
	Name     string // "" = none
	Position int    // among all parameters, from 0
}

func (o OutParam) label() string {
	if o.Name != "" {
		return o.Name
	}
	return itoa(o.Position + 1)
}
