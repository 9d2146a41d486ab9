package expr

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Hooks are what the compiler asks of the layers above. A nil hook means that such an expression can't occur.
type Hooks struct {
	SubPlan      func(e *query.SubPlan) (Eval, error)
	Aggref       func(e *query.Aggref) (Eval, error)
	WindowFunc   func(e *query.WindowFunc) (Eval, error)
	GroupingFunc func(e *query.GroupingFunc) (Eval, error)
	// Function makes the callable of a function that is not in language internal.
	Function func(p *catalog.Proc, call *types.Call) (types.Func, error)
	// WholeRow gives the row type of the relation that a whole-row Var reads.
	WholeRow func(v *query.Var) (*types.TupleDesc, error)
	// CurrentOf gives the test of WHERE CURRENT OF.
	CurrentOf func(e *query.CurrentOfExpr) (Eval, error)
	// CheckExecute says whether the user may call the function; nil = no check.
	CheckExecute func(p *catalog.Proc) error
}

// Compiler turns expressions into Evals. Vars whose VarNo is neither OuterVar nor InnerVar read Context.Scan.
type Compiler struct {
	Catalog catalog.Lookup
	Env     *types.Env
	Session any
	Hooks   Hooks

	depth int
}

// depthMax bounds the nesting of compiled expressions: a Go stack overflow would end the process.
const depthMax = 10000

// Compile makes the Eval of e.
func (c *Compiler) Compile(e query.Expr) (Eval, error) {
	c.depth++
	defer func() { c.depth-- }()
	if c.depth > depthMax {
		return nil, tooDeep()
	}
	switch e := e.(type) {
	case *query.Var:
		return c.compileVar(e)
	case *query.Const:
		v := e.Value
		return func(*Context) (types.Datum, error) { return v, nil }, nil
	case *query.Param:
		return compileParam(e)
	case *query.FuncExpr:
		return c.compileFunc(e.FuncOID, e.Args, e.TypeOID, e.InputColl, e.Variadic, e)
	case *query.OpExpr:
		return c.compileOp(e)
	case *query.DistinctExpr:
		return c.compileDistinct(e)
	case *query.NullIfExpr:
		return c.compileNullIf(e)
	case *query.ScalarArrayOpExpr:
		return c.compileScalarArrayOp(e)
	case *query.BoolExpr:
		return c.compileBool(e)
	case *query.NullTest:
		return c.compileNullTest(e)
	case *query.BooleanTest:
		return c.compileBooleanTest(e)
	case *query.CaseExpr:
		return c.compileCase(e)
	case *query.CaseTestExpr:
		return func(ctx *Context) (types.Datum, error) { return ctx.Case, nil }, nil
	case *query.CoalesceExpr:
		return c.compileCoalesce(e)
	case *query.MinMaxExpr:
		return c.compileMinMax(e)
	case *query.RelabelType:
		return c.Compile(e.Arg)
	case *query.CollateExpr:
		return c.Compile(e.Arg)
	case *query.NamedArg:
		return c.Compile(e.Arg)
	case *query.CoerceViaIO:
		return c.compileCoerceViaIO(e)
	case *query.CoerceToDomain:
		return c.compileCoerceToDomain(e)
	case *query.CoerceToDomainValue:
		return func(ctx *Context) (types.Datum, error) { return ctx.Domain, nil }, nil
	case *query.ArrayCoerceExpr:
		return c.compileArrayCoerce(e)
	case *query.ArrayExpr:
		return c.compileArray(e)
	case *query.SubscriptingRef:
		return c.compileSubscript(e)
	case *query.RowExpr:
		return c.compileRow(e)
	case *query.RowCompareExpr:
		return c.compileRowCompare(e)
	case *query.FieldSelect:
		return c.compileFieldSelect(e)
	case *query.FieldStore:
		return c.compileFieldStore(e)
	case *query.ConvertRowtypeExpr:
		return c.compileConvertRowtype(e)
	case *query.SQLValueFunction:
		return c.compileSQLValue(e)
	case *query.NextValueExpr:
		return c.compileNextValue(e)
	default:
		return c.compileHooked(e)
	}
}

// compileHooked compiles what the layers above know.
func (c *Compiler) compileHooked(e query.Expr) (Eval, error) {
	switch e := e.(type) {
	case *query.SubPlan:
		if c.Hooks.SubPlan != nil {
			return c.Hooks.SubPlan(e)
		}
	case *query.AlternativeSubPlan:
		return c.Compile(e.Subplans[0])
	case *query.Aggref:
		if c.Hooks.Aggref != nil {
			return c.Hooks.Aggref(e)
		}
	case *query.WindowFunc:
		if c.Hooks.WindowFunc != nil {
			return c.Hooks.WindowFunc(e)
		}
	case *query.GroupingFunc:
		if c.Hooks.GroupingFunc != nil {
			return c.Hooks.GroupingFunc(e)
		}
	case *query.CurrentOfExpr:
		if c.Hooks.CurrentOf != nil {
			return c.Hooks.CurrentOf(e)
		}
	}
	return nil, pgerr.Internal("expression node %T can't be evaluated here", e)
}

// CompileList compiles each expression.
func (c *Compiler) CompileList(list []query.Expr) ([]Eval, error) {
	evals := make([]Eval, len(list))
	for i, e := range list {
		var err error
		if evals[i], err = c.Compile(e); err != nil {
			return nil, err
		}
	}
	return evals, nil
}

// CompileQual compiles implicitly ANDed conditions; nil means that there is none.
func (c *Compiler) CompileQual(list []query.Expr) (Qual, error) {
	if len(list) == 0 {
		return nil, nil
	}
	evals, err := c.CompileList(list)
	if err != nil {
		return nil, err
	}
	if len(evals) == 1 {
		one := evals[0]
		return func(ctx *Context) (bool, error) {
			d, err := one(ctx)
			return err == nil && !d.IsNull() && d.Bool(), err
		}, nil
	}
	return func(ctx *Context) (bool, error) {
		for _, eval := range evals {
			d, err := eval(ctx)
			if err != nil || d.IsNull() || !d.Bool() {
				return false, err
			}
		}
		return true, nil
	}, nil
}

// EvalConst computes an expression that reads no row and no parameter, for constant folding.
func EvalConst(c *Compiler, e query.Expr) (types.Datum, error) {
	eval, err := c.Compile(e)
	if err != nil {
		return types.Null, err
	}
	return eval(&Context{Env: c.Env, Session: c.Session, Arena: &types.Arena{}})
}

func tooDeep() error {
	return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate.")
}
