package analyze

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// FunctionArgs are the arguments that the statements of a function in language SQL may use, by number and by name.
type FunctionArgs struct {
	Function string
	Types    []OID
	Names    []string // "" = none
}

// InFunction gives an Env in which a function's arguments can be named.
func InFunction(env *Env, f *FunctionArgs) *Env {
	e := *env
	e.Params = &Params{Types: f.Types}
	e.FuncArgs = f
	return &e
}

// functionArg resolves a name that no column has as an argument of the function: name, function.name, and their fields.
func (p *state) functionArg(names []string, at int) query.Expr {
	f := p.env.FuncArgs
	if f == nil || len(names) == 0 || len(names) > 3 {
		return nil
	}
	field := ""
	arg := names[0]
	switch {
	case len(names) == 3:
		if names[0] != f.Function {
			return nil
		}
		arg, field = names[1], names[2]
	case len(names) == 2 && names[0] == f.Function && f.number(names[1]) > 0:
		arg = names[1]
	case len(names) == 2:
		field = names[1]
	}
	n := f.number(arg)
	if n == 0 {
		return nil
	}
	t := f.Types[n-1]
	param := &query.Param{Kind: query.ParamExtern, ID: n, TypeOID: t, Mod: -1, Coll: p.typeCollation(t), Loc: at}
	if field == "" {
		return param
	}
	return p.project(param, field, at)
}

// number is the number of the argument called name, 0 for none.
func (f *FunctionArgs) number(name string) int {
	for i, n := range f.Names {
		if n == name && i < len(f.Types) {
			return i + 1
		}
	}
	return 0
}

// FunctionResult is what the last statement of a function in language SQL must give.
type FunctionResult struct {
	Type OID
	// Desc are the columns of a composite result, or of one made of OUT parameters; nil for a record whose columns the caller defines.
	Desc *types.TupleDesc
	// Procedure: even a single composite column is an OUT parameter, not the row of them.
	Procedure bool
}

// CoerceResult checks that q, a function's last statement, gives the result that the function declares, and makes it do so where an assignment
// would convert it. whole says that its one column is the result itself, even where that is a composite.
func CoerceResult(env *Env, q *query.Query, r FunctionResult) (out *query.Query, whole bool, err error) {
	defer catch(&err)
	if r.Type == types.VoidOID {
		return q, false, nil
	}
	p := newState(env, nil)
	mismatch := func(format string, args ...any) {
		throw(pgerr.New(pgerr.InvalidFunctionDefinition, "return type mismatch in function declared to return %s", p.formatType(r.Type)).
			WithDetail(format, args...))
	}
	if q == nil || q.Command != query.CmdSelect && len(q.Returning) == 0 {
		mismatch("Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING.")
	}
	t := p.typ(r.Type)
	composite := t.Kind == 'c' || r.Type == types.RecordOID
	if !composite && t.Kind == 'p' {
		fail(-1, pgerr.InvalidFunctionDefinition, "return type %s is not supported for SQL functions", p.formatType(r.Type))
	}
	o := &resultCoercion{p: p, q: q, list: q.Targets}
	if q.Command != query.CmdSelect {
		o.list = q.Returning
	}
	visible := visibleTargets(q)
	switch {
	case !composite:
		if len(visible) != 1 {
			mismatch("Final statement must return exactly one column.")
		}
		if !o.coerce(visible[0], r.Type, -1) {
			mismatch("Actual return type is %s.", p.formatType(visible[0].Expr.Type()))
		}
		return o.done(), true, nil
	case len(visible) == 1 && !r.Procedure && o.coerce(visible[0], r.Type, -1):
		return o.done(), true, nil
	case r.Desc == nil:
		return q, false, nil
	}
	p.coerceColumns(o, visible, r.Desc, mismatch)
	return o.done(), false, nil
}

// coerceColumns matches the columns with those of the row type, in which dropped ones become nulls.
func (p *state) coerceColumns(o *resultCoercion, visible []*query.TargetEntry, desc *types.TupleDesc, mismatch func(string, ...any)) {
	live := 0
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if live >= len(visible) {
			mismatch("Final statement returns too few columns.")
		}
		if t := visible[live]; !o.coerce(t, a.TypeOID, a.TypMod) {
			mismatch("Final statement returns %s instead of %s at column %d.", p.formatType(t.Expr.Type()), p.formatType(a.TypeOID), live+1)
		}
		live++
	}
	if live < len(visible) {
		mismatch("Final statement returns too many columns.")
	}
}

// resultCoercion converts columns of a query: in place where that changes nothing else, else in a SELECT around it.
type resultCoercion struct {
	p     *state
	q     *query.Query
	list  []*query.TargetEntry
	fresh map[*query.TargetEntry]query.Expr
}

// coerce makes a column's value one of the type; false when no assignment would.
func (o *resultCoercion) coerce(t *query.TargetEntry, typ OID, mod int32) bool {
	from := t.Expr
	if o.mustWrap() {
		from = columnVar(t)
	}
	e := o.p.coerceTo(from, from.Type(), typ, mod, coercionAssignment, query.CoerceImplicitCast, -1)
	if e == nil {
		return false
	}
	if e == from {
		return true
	}
	o.p.assignCollations(e)
	e = must(ExpandCalls(o.p.env.Catalog, e))
	if o.fresh == nil {
		o.fresh = map[*query.TargetEntry]query.Expr{}
	}
	o.fresh[t] = e
	return true
}

// columnVar reads a column of the query that is wrapped.
func columnVar(t *query.TargetEntry) *query.Var {
	n := int16(t.ResNo)
	return &query.Var{VarNo: 1, AttNo: n, TypeOID: t.Expr.Type(), Mod: t.Expr.TypMod(), Coll: t.Expr.Collation(), Loc: -1, SynNo: 1, SynAttNo: n}
}

// mustWrap says whether the columns mean more than their values: in set operations, and where they are sorted or grouped by.
func (o *resultCoercion) mustWrap() bool {
	if o.q.Command != query.CmdSelect {
		return false
	}
	if o.q.SetOp != nil {
		return true
	}
	for _, t := range o.q.Targets {
		if t.SortGroupRef != 0 {
			return true
		}
	}
	return false
}

// done gives the query with its columns converted.
func (o *resultCoercion) done() *query.Query {
	if len(o.fresh) == 0 {
		return o.q
	}
	if o.mustWrap() {
		return o.wrap()
	}
	out := *o.q
	list := make([]*query.TargetEntry, len(o.list))
	for i, t := range o.list {
		list[i] = t
		if e := o.fresh[t]; e != nil {
			c := *t
			c.Expr = e
			list[i] = &c
		}
	}
	if out.Command == query.CmdSelect {
		out.Targets = list
	} else {
		out.Returning = list
	}
	return &out
}

// wrap makes SELECT converted columns FROM (the query).
func (o *resultCoercion) wrap() *query.Query {
	sub := *o.q
	sub.CanSetTag = true
	rte := &query.RTE{Kind: query.RTESubquery, Subquery: &sub, InFrom: true, Alias: &query.Alias{Name: "*SELECT*"}}
	eref := &query.Alias{Name: "*SELECT*"}
	out := &query.Query{Command: query.CmdSelect, CanSetTag: o.q.CanSetTag, RangeTable: []*query.RTE{rte}}
	for _, t := range visibleTargets(o.q) {
		eref.Cols = append(eref.Cols, t.Name)
		e := o.fresh[t]
		if e == nil {
			e = columnVar(t)
		}
		out.Targets = append(out.Targets, &query.TargetEntry{Expr: e, ResNo: len(out.Targets) + 1, Name: t.Name})
	}
	rte.Eref = eref
	out.JoinTree = &query.FromExpr{Items: []query.FromItem{&query.RangeTblRef{Index: 1}}}
	return out
}
