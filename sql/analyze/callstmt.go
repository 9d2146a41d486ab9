package analyze

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
)

// ProcedureCall is an analysed CALL.
type ProcedureCall struct {
	Func *query.FuncExpr // with the input arguments, defaults filled in
	Proc *catalog.Proc
	Outs []int // the parameters, from 0 among all, whose values CALL gives back: OUT and INOUT
}

// Call analyses CALL procedure(arguments). What is given for an OUT parameter is never evaluated.
func Call(env *Env, n *pg_query.CallStmt) (out *ProcedureCall, err error) {
	defer catch(&err)
	p := newState(env, nil)
	p.exprKind = kindCallArgument
	c := &call{fn: n.Funccall, name: strList(n.Funccall.Funcname), at: int(n.Funccall.Location), isProc: true}
	for _, a := range n.Funccall.Args {
		c.args = append(c.args, p.expr(a, kindCallArgument))
	}
	f, ok := p.resolveCall(c).(*query.FuncExpr)
	if !ok {
		p.checkCallKind(c, c.found.proc)
	}
	proc := p.proc(f.FuncOID)
	p.assignCollations(f)
	out = &ProcedureCall{Func: withoutOutArguments(proc, f), Proc: proc}
	for i, m := range proc.ArgModes {
		if m == 'o' || m == 'b' {
			out.Outs = append(out.Outs, i)
		}
	}
	e := must(ExpandCalls(env.Catalog, out.Func))
	out.Func = e.(*query.FuncExpr)
	return out, nil
}

// withOutParameters gives a procedure's signature as CALL sees it: OUT parameters are arguments as well.
func withOutParameters(f *catalog.Proc) *catalog.Proc {
	if !slices.Contains(f.ArgModes, 'o') {
		return f
	}
	c := *f
	c.ArgTypes, c.ArgModes = f.AllArgTypes, nil
	return &c
}

// withoutOutArguments drops the arguments of OUT parameters and renumbers the named ones.
func withoutOutArguments(proc *catalog.Proc, f *query.FuncExpr) *query.FuncExpr {
	if !slices.Contains(proc.ArgModes, 'o') {
		return f
	}
	out := *f
	out.Args = nil
	for i, a := range f.Args {
		named, isNamed := a.(*query.NamedArg)
		at := i
		if isNamed {
			at = named.Num
		}
		if proc.ArgModes[at] == 'o' {
			continue
		}
		if isNamed {
			n := *named
			for _, m := range proc.ArgModes[:at] {
				if m == 'o' {
					n.Num--
				}
			}
			a = &n
		}
		out.Args = append(out.Args, a)
	}
	return &out
}
