package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// folder folds constants. With estimate it also evaluates what is only stable, which is good for estimates but not for execution.
type folder struct {
	g        *glob
	estimate bool
	caseVal  *query.Const    // value of CaseTestExpr where it is a constant
	inlined  []*catalog.Proc // SQL functions whose bodies are being simplified
}

// fold is PostgreSQL's eval_const_expressions.
func (g *glob) fold(e query.Expr) query.Expr {
	if e == nil {
		return nil
	}
	return (&folder{g: g}).expr(e)
}

// estimateValue folds as far as possible for use in selectivity estimates.
func (g *glob) estimateValue(e query.Expr) (v query.Expr) {
	switch e.(type) {
	case *query.Const, *query.Var:
		return e
	}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(abort); !ok {
				panic(r)
			}
			v = e // an estimate must not raise the expression's errors before execution does
		}
	}()
	return (&folder{g: g, estimate: true}).expr(e)
}

func boolConst(v bool) *query.Const {
	return &query.Const{TypeOID: types.BoolOID, Mod: -1, Value: types.Bool(v), Loc: -1}
}

func nullConst(typ OID, mod int32, coll OID) *query.Const {
	return &query.Const{TypeOID: typ, Mod: mod, Coll: coll, Value: types.Null, Loc: -1}
}

func nullBool() *query.Const { return nullConst(types.BoolOID, -1, 0) }

func isConst(e query.Expr) (*query.Const, bool) { c, ok := e.(*query.Const); return c, ok }

func isNullConst(e query.Expr) bool { c, ok := e.(*query.Const); return ok && c.Value.IsNull() }

func isTrueConst(e query.Expr) bool {
	c, ok := e.(*query.Const)
	return ok && c.TypeOID == types.BoolOID && !c.Value.IsNull() && c.Value.Bool()
}

func isFalseConst(e query.Expr) bool {
	c, ok := e.(*query.Const)
	return ok && c.TypeOID == types.BoolOID && !c.Value.IsNull() && !c.Value.Bool()
}

func (f *folder) list(es []query.Expr) []query.Expr { return mapList(es, f.expr) }

func (f *folder) expr(e query.Expr) query.Expr {
	switch e := e.(type) {
	case nil:
		return nil
	case *query.Const, *query.Var:
		return e
	case *query.Param:
		return f.param(e)
	case *query.FuncExpr:
		return f.call(e)
	case *query.OpExpr:
		return f.op(e)
	case *query.DistinctExpr:
		return f.distinct(e)
	case *query.NullIfExpr:
		n := mapChildren(e, f.expr).(*query.NullIfExpr)
		if allConst(n.Args) && f.safe(n.FuncOID) {
			return f.eval(n)
		}
		return n
	case *query.ScalarArrayOpExpr:
		n := mapChildren(e, f.expr).(*query.ScalarArrayOpExpr)
		if allConst([]query.Expr{n.Left, n.Right}) && f.safe(n.FuncOID) {
			return f.eval(n)
		}
		return n
	case *query.BoolExpr:
		return f.boolean(e)
	case *query.SubLink, *query.SubPlan, *query.AlternativeSubPlan:
		return e
	case *query.RelabelType:
		return f.relabel(f.expr(e.Arg), e.TypeOID, e.Mod, e.Coll, e.Form, e.Loc)
	case *query.CollateExpr:
		arg := f.expr(e.Arg)
		return f.relabel(arg, arg.Type(), arg.TypMod(), e.Coll, query.CoerceImplicitCast, e.Loc)
	case *query.CoerceViaIO:
		return f.viaIO(e)
	case *query.ArrayCoerceExpr:
		return f.arrayCoerce(e)
	case *query.CaseExpr:
		return f.caseExpr(e)
	case *query.CaseTestExpr:
		if f.caseVal != nil {
			return f.caseVal
		}
		return e
	case *query.CoalesceExpr:
		return f.coalesce(e)
	case *query.ArrayExpr, *query.RowExpr, *query.MinMaxExpr, *query.SubscriptingRef:
		return f.immutableNode(mapChildren(e, f.expr))
	case *query.FieldSelect:
		return f.fieldSelect(e)
	case *query.NullTest:
		return f.nullTest(e)
	case *query.BooleanTest:
		return f.boolTest(e)
	case *query.CoerceToDomain:
		return f.toDomain(e)
	case *query.ConvertRowtypeExpr:
		return f.convertRow(e)
	case *query.SQLValueFunction:
		if f.estimate {
			return f.eval(e)
		}
		return e
	}
	return mapChildren(e, f.expr)
}

func (f *folder) param(p *query.Param) query.Expr {
	if p.Kind != query.ParamExtern || !f.g.hasBound || p.ID < 1 || p.ID > len(f.g.bound) {
		return p
	}
	return &query.Const{TypeOID: p.TypeOID, Mod: p.Mod, Coll: p.Coll, Value: f.g.bound[p.ID-1], Loc: p.Loc}
}

func allConst(es []query.Expr) bool {
	for _, e := range es {
		if _, ok := e.(*query.Const); e != nil && !ok {
			return false
		}
	}
	return true
}

func anyNull(es []query.Expr) bool {
	for _, e := range es {
		if isNullConst(e) {
			return true
		}
	}
	return false
}

// safe says whether a function may be evaluated at plan time.
func (f *folder) safe(fn OID) bool {
	p := f.g.proc(fn)
	return p.Volatile == 'i' || f.estimate && p.Volatile == 's'
}

// eval evaluates an expression of constants.
func (f *folder) eval(e query.Expr) query.Expr {
	if f.g.env.EvalConst == nil {
		return e
	}
	d := must(f.g.env.EvalConst(e))
	return &query.Const{TypeOID: e.Type(), Mod: e.TypMod(), Coll: e.Collation(), Value: d.Clone(), Loc: -1}
}

func (f *folder) call(e *query.FuncExpr) query.Expr {
	args := f.list(e.Args)
	if r := f.simplifyCall(e.FuncOID, e.TypeOID, e.Coll, e.RetSet, args, e); r != nil {
		return r
	}
	if r := f.inlineSQL(e, args); r != nil {
		return r
	}
	if sameList(args, e.Args) {
		return e
	}
	c := *e
	c.Args = args
	return &c
}

// simplifyCall evaluates a call whose arguments allow it, else gives nil. whole is the call as an expression, its arguments not yet replaced.
func (f *folder) simplifyCall(fn, typ, coll OID, retSet bool, args []query.Expr, whole query.Expr) query.Expr {
	p := f.g.proc(fn)
	if retSet || p.RetSet || p.RetType == types.RecordOID {
		return nil
	}
	if p.Strict && anyNull(args) {
		return nullConst(typ, -1, coll)
	}
	if !allConst(args) || !f.safe(fn) {
		return nil
	}
	i := 0
	return f.eval(mapChildren(whole, func(query.Expr) query.Expr { i++; return args[i-1] }))
}

func (f *folder) op(e *query.OpExpr) query.Expr {
	args := f.list(e.Args)
	if r := f.simplifyCall(e.FuncOID, e.TypeOID, e.Coll, e.RetSet, args, e); r != nil {
		return r
	}
	if e.OpOID == boolEqOp || e.OpOID == boolNeOp {
		if r := f.boolEquality(e.OpOID, args); r != nil {
			return r
		}
	}
	if r := f.inlineSQL(&query.FuncExpr{FuncOID: e.FuncOID, TypeOID: e.TypeOID, Coll: e.Coll, InputColl: e.InputColl, RetSet: e.RetSet}, args); r != nil {
		return r
	}
	if sameList(args, e.Args) {
		return e
	}
	c := *e
	c.Args = args
	return &c
}

const (
	boolEqOp OID = 91
	boolNeOp OID = 85
)

// boolEquality reduces x = true to x, x = false to NOT x and the like; nil when neither side is a constant.
func (f *folder) boolEquality(op OID, args []query.Expr) query.Expr {
	for i, a := range args {
		c, ok := a.(*query.Const)
		if !ok || c.Value.IsNull() {
			continue
		}
		if c.Value.Bool() == (op == boolEqOp) {
			return args[1-i]
		}
		return f.g.negate(args[1-i])
	}
	return nil
}

func (f *folder) distinct(e *query.DistinctExpr) query.Expr {
	n := mapChildren(e, f.expr).(*query.DistinctExpr)
	if allConst(n.Args) {
		a, b := isNullConst(n.Args[0]), isNullConst(n.Args[1])
		switch {
		case a && b:
			return boolConst(false)
		case a || b:
			return boolConst(true)
		case f.safe(n.FuncOID):
			return f.eval(n)
		}
	}
	return n
}

// convertRow: of conversions one after the other only the last counts.
func (f *folder) convertRow(e *query.ConvertRowtypeExpr) query.Expr {
	n := *e
	n.Arg = f.expr(e.Arg)
	if in, ok := n.Arg.(*query.ConvertRowtypeExpr); ok {
		n.Arg = in.Arg
		if n.Form == query.CoerceImplicitCast { // it must not hide one that was written
			n.Form = in.Form
		}
	}
	if isConstExpr(n.Arg) {
		return f.eval(&n)
	}
	return &n
}

func (f *folder) relabel(arg query.Expr, typ OID, mod int32, coll OID, form query.CoercionForm, loc int) query.Expr {
	for {
		r, ok := arg.(*query.RelabelType)
		if !ok {
			break
		}
		arg = r.Arg
	}
	if c, ok := arg.(*query.Const); ok {
		n := *c
		n.TypeOID, n.Mod, n.Coll = typ, mod, coll
		return &n
	}
	if arg.Type() == typ && arg.TypMod() == mod && arg.Collation() == coll {
		return arg
	}
	return &query.RelabelType{Arg: arg, TypeOID: typ, Mod: mod, Coll: coll, Form: form, Loc: loc}
}

func (f *folder) viaIO(e *query.CoerceViaIO) query.Expr {
	n := mapChildren(e, f.expr).(*query.CoerceViaIO)
	c, ok := n.Arg.(*query.Const)
	if !ok {
		return n
	}
	in, out := f.g.typ(n.TypeOID), f.g.typ(c.TypeOID)
	if in == nil || out == nil || !f.safe(in.Input) || !f.safe(out.Output) {
		return n
	}
	return f.eval(n)
}

func (f *folder) arrayCoerce(e *query.ArrayCoerceExpr) query.Expr {
	arg := f.expr(e.Arg)
	old := f.caseVal
	f.caseVal = nil
	elem := f.expr(e.ElemExpr)
	f.caseVal = old
	c := *e
	c.Arg, c.ElemExpr = arg, elem
	if _, ok := arg.(*query.Const); ok && !f.g.mutable(elem) && !exists(elem, isDomainCoercion) {
		return f.eval(&c)
	}
	if arg == e.Arg && elem == e.ElemExpr {
		return e
	}
	return &c
}

func isDomainCoercion(e query.Expr) bool { _, ok := e.(*query.CoerceToDomain); return ok }

func (f *folder) immutableNode(e query.Expr) query.Expr {
	consts := true
	children(e, func(x query.Expr) {
		if _, ok := x.(*query.Const); !ok {
			consts = false
		}
	})
	if !consts {
		return e
	}
	if s, ok := e.(*query.SubscriptingRef); ok && s.Assign != nil {
		return e
	}
	return f.eval(e)
}

func (f *folder) coalesce(e *query.CoalesceExpr) query.Expr {
	var args []query.Expr
	for _, a := range e.Args {
		a = f.expr(a)
		if c, ok := a.(*query.Const); ok {
			if c.Value.IsNull() {
				continue
			}
			args = append(args, a)
			break
		}
		args = append(args, a)
	}
	switch {
	case len(args) == 0:
		return nullConst(e.TypeOID, -1, e.Coll)
	case len(args) == 1 && isConstExpr(args[0]):
		return args[0]
	}
	c := *e
	c.Args = args
	return &c
}

func isConstExpr(e query.Expr) bool { _, ok := e.(*query.Const); return ok }

func (f *folder) fieldSelect(e *query.FieldSelect) query.Expr {
	arg := f.expr(e.Arg)
	switch a := arg.(type) {
	case *query.Var:
		if a.AttNo == 0 && f.g.relationType(a.TypeOID) {
			return &query.Var{VarNo: a.VarNo, AttNo: e.FieldNum, TypeOID: e.TypeOID, Mod: e.Mod, Coll: e.Coll, LevelsUp: a.LevelsUp,
				Loc: a.Loc, SynNo: a.SynNo, SynAttNo: e.FieldNum}
		}
	case *query.RowExpr:
		if n := int(e.FieldNum); n >= 1 && n <= len(a.Args) && a.Args[n-1].Type() == e.TypeOID && a.Args[n-1].TypMod() == e.Mod {
			return a.Args[n-1]
		}
	}
	c := *e
	c.Arg = arg
	if _, ok := arg.(*query.Const); ok {
		return f.eval(&c)
	}
	if arg == e.Arg {
		return e
	}
	return &c
}

func (f *folder) nullTest(e *query.NullTest) query.Expr {
	arg := f.expr(e.Arg)
	if r, ok := arg.(*query.RowExpr); ok && e.ArgIsRow {
		return f.rowNullTest(e, r)
	}
	if c, ok := arg.(*query.Const); ok && !e.ArgIsRow {
		return boolConst(c.Value.IsNull() != e.IsNot)
	}
	if arg == e.Arg {
		return e
	}
	c := *e
	c.Arg = arg
	return &c
}

func (f *folder) rowNullTest(e *query.NullTest, r *query.RowExpr) query.Expr {
	var args []query.Expr
	for _, a := range r.Args {
		if c, ok := a.(*query.Const); ok {
			if c.Value.IsNull() == e.IsNot {
				return boolConst(false)
			}
			continue
		}
		args = append(args, &query.NullTest{Arg: a, IsNot: e.IsNot, Loc: e.Loc})
	}
	return makeAnd(args)
}

func (f *folder) boolTest(e *query.BooleanTest) query.Expr {
	arg := f.expr(e.Arg)
	if c, ok := arg.(*query.Const); ok {
		null, v := c.Value.IsNull(), !c.Value.IsNull() && c.Value.Bool()
		switch e.Kind {
		case query.IsTrue:
			return boolConst(!null && v)
		case query.IsNotTrue:
			return boolConst(null || !v)
		case query.IsFalse:
			return boolConst(!null && !v)
		case query.IsNotFalse:
			return boolConst(null || v)
		case query.IsUnknown:
			return boolConst(null)
		default:
			return boolConst(!null)
		}
	}
	if arg == e.Arg {
		return e
	}
	c := *e
	c.Arg = arg
	return &c
}

func (f *folder) toDomain(e *query.CoerceToDomain) query.Expr {
	arg := f.expr(e.Arg)
	if f.estimate || !f.g.domainHasConstraints(e.TypeOID) {
		return f.relabel(arg, e.TypeOID, e.Mod, e.Coll, e.Form, e.Loc)
	}
	if arg == e.Arg {
		return e
	}
	c := *e
	c.Arg = arg
	return &c
}

// domainHasConstraints looks at the domain and its base domains.
func (g *glob) domainHasConstraints(typ OID) bool {
	for t := g.typ(typ); t != nil && t.Kind == 'd'; t = g.typ(t.BaseType) {
		g.funcs[t.OID] = struct{}{}
		if t.NotNull || len(t.DomainChecks) > 0 {
			return true
		}
	}
	return false
}

// relationType says whether a composite type is a relation's row type, so that a whole-row Var of it has the relation's columns.
func (g *glob) relationType(typ OID) bool {
	t := g.typ(typ)
	return t != nil && t.Kind == 'c' && t.RelID != 0
}
