package plan

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// inlineSQL replaces a call of a SQL function that is a single expression by that expression, when nothing shows the difference; nil when the call
// stays. args are the call's arguments, folded.
func (f *folder) inlineSQL(e *query.FuncExpr, args []query.Expr) query.Expr {
	g := f.g
	if g.env.FunctionBody == nil || e.RetSet {
		return nil
	}
	p := g.proc(e.FuncOID)
	if p.Lang != catalog.SQLLanguage || p.Kind != 'f' || p.RetType == types.RecordOID || p.SecDef || p.RetSet || len(p.Config) > 0 || len(p.ArgTypes) != len(args) || f.inlining(p) {
		return nil
	}
	body := must(g.env.FunctionBody(p, e.TypeOID, args))
	if body == nil || body.Type() != e.TypeOID || returnsSet(body) || hasSubplan(body) {
		return nil
	}
	if slices.ContainsFunc(args, readsContext) {
		return nil // the body may have a CASE of its own around its parameter
	}
	switch {
	case p.Volatile == 'i' && g.mutable(body), p.Volatile == 's' && g.volatile(body), p.Strict && !f.strictInAll(body, len(args)):
		return nil
	}
	if !f.mayRepeat(body, args) {
		return nil
	}
	if p.ACL != nil {
		g.dependsOnRole = true
	}
	out := mutate(body, func(x query.Expr) query.Expr {
		if v, ok := x.(*query.Param); ok && v.Kind == query.ParamExtern {
			return args[v.ID-1]
		}
		return nil
	})
	if e.Coll != 0 && out.Collation() != e.Coll {
		out = &query.CollateExpr{Arg: out, Coll: e.Coll, Loc: -1}
	}
	f.inlined = append(f.inlined, p)
	defer func() {
		f.inlined = f.inlined[:len(f.inlined)-1]
		if r := recover(); r != nil {
			if a, ok := r.(abort); ok {
				a.err = pgerr.From(a.err).WithContext("SQL function \"%s\" during inlining", p.Name)
				r = a
			}
			panic(r)
		}
	}()
	return f.expr(out)
}

// Simplify gives an expression as planning would have it: constants folded, SQL functions looked into.
func Simplify(env *Env, e query.Expr) (out query.Expr, err error) {
	defer recoverAbort(&err)
	return newGlob(env).fold(e), nil
}

// inlining says whether the function's body is being simplified: recursion stays a call.
func (f *folder) inlining(p *catalog.Proc) bool {
	for _, q := range f.inlined {
		if q.OID == p.OID {
			return true
		}
	}
	return false
}

// readsContext says whether an expression reads the value that a CASE, an array coercion or a domain's check around it tests.
func readsContext(e query.Expr) (found bool) {
	query.Walk(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.CaseTestExpr, *query.CoerceToDomainValue:
			found = true
		case *query.CaseExpr:
			if x.Arg != nil { // what reads a CaseTestExpr in there reads this one's
				found = found || readsContext(x.Arg)
				return false
			}
		case *query.ArrayCoerceExpr:
			found = found || readsContext(x.Arg)
			return false
		}
		return !found
	})
	return found
}

// strictInAll says whether a body gives null when any of its n arguments is null, as a strict function does.
func (f *folder) strictInAll(body query.Expr, n int) bool {
	if f.g.nonstrict(body) {
		return false
	}
	used := map[int]bool{}
	query.Walk(body, func(x query.Expr) bool {
		if v, ok := x.(*query.Param); ok && v.Kind == query.ParamExtern {
			used[v.ID] = true
		}
		return true
	})
	return len(used) == n
}

// mayRepeat says whether the arguments may stand where the body uses its parameters: not when one that is used otherwise than once is volatile, or
// one that is used several times is dear.
func (f *folder) mayRepeat(body query.Expr, args []query.Expr) bool {
	uses := make([]int, len(args))
	query.Walk(body, func(x query.Expr) bool {
		if v, ok := x.(*query.Param); ok && v.Kind == query.ParamExtern {
			uses[v.ID-1]++
		}
		return true
	})
	for i, n := range uses {
		if n == 1 {
			continue
		}
		if f.g.volatile(args[i]) {
			return false
		}
		if n > 1 {
			if hasSubplan(args[i]) {
				return false
			}
			if c := f.g.exprCost(args[i]); c.startup+c.tuple > 10*f.g.set.CPUOperatorCost {
				return false
			}
		}
	}
	return true
}
