package analyze

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// call is a function call being analysed.
type call struct {
	fn       *pg_query.FuncCall // nil: attribute notation, x.f
	name     []string
	args     []query.Expr
	argTypes []OID
	argNames []string // of the named arguments, which are the last
	order    []*node
	filter   query.Expr
	isProc   bool // CALL
	at       int
	lastSRF  query.Expr

	found    *candidate
	declared []OID
	result   OID
	varadic  bool // the call's last arguments are gathered into an array, or VARIADIC was written
}

// funcExpr analyses a function call.
func (p *state) funcExpr(fn *pg_query.FuncCall) query.Expr {
	c := &call{fn: fn, name: strList(fn.Funcname), at: int(fn.Location), lastSRF: p.lastSRF}
	for _, a := range fn.Args {
		c.args = append(c.args, p.exprRec(a))
	}
	if fn.AggWithinGroup {
		c.order = fn.AggOrder
		for _, s := range fn.AggOrder {
			c.args = append(c.args, p.exprIn(s.GetSortBy().Node, kindOrderBy))
		}
	} else {
		c.order = fn.AggOrder
	}
	if fn.AggFilter != nil {
		c.filter = p.whereClause(fn.AggFilter, kindFilter, "FILTER")
	}
	return p.resolveCall(c)
}

// resolveCall finds the function of a call and makes its node. For attribute notation the result is nil when there is no such function.
func (p *state) resolveCall(c *call) query.Expr {
	const argsMax = 100
	if len(c.args) > argsMax {
		fail(c.at, pgerr.TooManyArguments, "cannot pass more than %d arguments to a function", argsMax)
	}
	p.voidArguments(c)
	p.namedArguments(c)
	for _, a := range c.args {
		c.argTypes = append(c.argTypes, a.Type())
	}
	projection := p.couldProject(c)
	if c.fn == nil && projection {
		if e := p.project(c.args[0], c.name[0], c.at); e != nil {
			return e
		}
	}
	variadicWritten := c.fn != nil && c.fn.FuncVariadic
	kind, coerced := p.lookUpCall(c, !variadicWritten, true)
	switch kind {
	case callCoercion:
		return p.coerceType(c.args[0], c.argTypes[0], coerced, -1, coercionExplicit, query.CoerceExplicitCall, c.at)
	case callAmbiguous:
		if c.fn == nil {
			return nil
		}
		p.errAmbiguousCall(c)
	case callMissing:
		if c.fn == nil {
			return nil
		}
		if projection {
			if e := p.project(c.args[0], c.name[0], c.at); e != nil {
				return e
			}
		}
		p.errMissingFunction(c)
	}
	f := c.found.proc
	p.checkCallKind(c, f)
	p.finishArguments(c, f, variadicWritten)
	switch f.Kind {
	case 'a':
		if c.fn.Over == nil {
			return p.aggregateCall(c, f)
		}
		return p.windowCall(c, f)
	case 'w':
		return p.windowCall(c, f)
	}
	e := &query.FuncExpr{FuncOID: f.OID, TypeOID: c.result, RetSet: f.RetSet, Variadic: c.varadic, Args: c.args, Loc: c.at}
	if c.fn != nil && c.fn.Funcformat == pg_query.CoercionForm_COERCE_SQL_SYNTAX {
		e.Form = query.CoerceSQLSyntax
	}
	if f.RetSet {
		p.checkSRF(c.lastSRF, c.at)
		p.lastSRF = e
	}
	return e
}

// voidArguments removes parameters of type void from the list: JDBC's way of marking OUT parameters.
func (p *state) voidArguments(c *call) {
	if c.fn == nil || len(c.argNames) > 0 {
		return
	}
	kept := c.args[:0:0]
	for _, a := range c.args {
		if pr, ok := a.(*query.Param); ok && pr.TypeOID == types.VoidOID {
			continue
		}
		kept = append(kept, a)
	}
	c.args = kept
}

// namedArguments collects the names of name => value arguments, which come last.
func (p *state) namedArguments(c *call) {
	for _, a := range c.args {
		na, ok := a.(*query.NamedArg)
		if !ok {
			if len(c.argNames) > 0 {
				fail(exprLocation(a), pgerr.SyntaxError, "positional argument cannot follow named argument")
			}
			continue
		}
		if slices.Contains(c.argNames, na.Name) {
			fail(na.Loc, pgerr.SyntaxError, "argument name \"%s\" used more than once", na.Name)
		}
		c.argNames = append(c.argNames, na.Name)
	}
}

// couldProject says whether f(x) may mean the field f of x.
func (p *state) couldProject(c *call) bool {
	if len(c.args) != 1 || len(c.argNames) > 0 || len(c.name) != 1 {
		return false
	}
	if f := c.fn; f != nil && (len(f.AggOrder) > 0 || f.AggFilter != nil || f.AggStar || f.AggDistinct || f.Over != nil || f.FuncVariadic) {
		return false
	}
	t := c.argTypes[0]
	return t == types.RecordOID || p.isComplex(t)
}

type callKind uint8

const (
	callFound callKind = iota
	callCoercion
	callAmbiguous
	callMissing
)

// lookUpCall finds the function for the argument types. For a coercion the target type is given.
func (p *state) lookUpCall(c *call, expandVariadic, expandDefaults bool) (callKind, OID) {
	list := p.funcCandidates(c.name, c.at, len(c.args), c.argNames, expandVariadic, expandDefaults, c.isProc)
	var best *candidate
	for _, k := range list {
		if len(c.args) == 0 || slices.Equal(k.args[:len(c.args)], c.argTypes) {
			best = k
			break
		}
	}
	if best == nil {
		if len(c.args) == 1 && len(c.argNames) == 0 {
			if t := p.castByName(c); t != 0 {
				return callCoercion, t
			}
		}
		fits := p.matchArgs(c.argTypes, list)
		switch {
		case len(fits) == 1:
			best = fits[0]
		case len(fits) > 1:
			if best = p.choose(c.argTypes, fits); best == nil {
				return callAmbiguous, 0
			}
		}
	}
	if best == nil {
		return callMissing, 0
	}
	if best.oid == 0 {
		return callAmbiguous, 0
	}
	if n := len(c.args); len(c.argNames) > 0 && !expandVariadic && n > 0 && best.argNums[n-1] != n-1 {
		return callMissing, 0
	}
	c.found = best
	c.declared = append([]OID(nil), best.args...)
	c.result = best.proc.RetType
	return callFound, 0
}

// castByName gives the type when a call like float8(x) is a cast that is a relabelling or goes through text.
func (p *state) castByName(c *call) OID {
	schema, name := "", c.name[len(c.name)-1]
	if len(c.name) == 2 {
		schema = c.name[0]
	} else if len(c.name) > 2 {
		return 0
	}
	target := must(p.env.Catalog.TypeByName(schema, name))
	if target == 0 {
		return 0
	}
	if t := p.typ(target); !t.Defined || t.Kind == 'p' && t.RelID != 0 || p.relOfType(target) != 0 {
		return 0
	}
	src := c.argTypes[0]
	if src == types.UnknownOID && isConst(c.args[0]) {
		return target
	}
	switch kind, _ := p.pathway(target, src, coercionExplicit); kind {
	case pathRelabel:
		return target
	case pathIO:
		if cat, _ := p.category(target); cat == 'S' && (src == types.RecordOID || p.isComplex(src)) {
			return 0
		}
		return target
	}
	return 0
}

// signature prints a call for a message.
func (p *state) signature(c *call) string {
	parts := make([]string, len(c.argTypes))
	first := len(c.argTypes) - len(c.argNames)
	for i, t := range c.argTypes {
		parts[i] = p.formatType(t)
		if i >= first {
			parts[i] = c.argNames[i-first] + " => " + parts[i]
		}
	}
	return nameList(c.name) + "(" + strings.Join(parts, ", ") + ")"
}

func (p *state) errAmbiguousCall(c *call) {
	what := "function"
	if c.isProc {
		what = "procedure"
	}
	throw(pgerr.New(pgerr.AmbiguousFunction, "%s %s is not unique", what, p.signature(c)).
		WithHint("Could not choose a best candidate %s. You might need to add explicit type casts.", what).WithLocation(c.at))
}

func (p *state) errMissingFunction(c *call) {
	if len(c.name) > 1 {
		p.checkSchema(c.name[len(c.name)-2], c.at)
	}
	what := "function"
	if c.isProc {
		what = "procedure"
	}
	e := pgerr.New(pgerr.UndefinedFunction, "%s %s does not exist", what, p.signature(c)).WithLocation(c.at)
	if len(c.order) > 1 && !c.fn.AggWithinGroup {
		throw(e.WithHint("No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY must appear " +
			"after all regular arguments of the aggregate."))
	}
	throw(e.WithHint("No %s matches the given name and argument types. You might need to add explicit type casts.", what))
}

// checkCallKind refuses clauses that the kind of function does not take.
func (p *state) checkCallKind(c *call, f *catalog.Proc) {
	name := nameList(c.name)
	wrong := func(format string, args ...any) { fail(c.at, pgerr.WrongObjectType, format, args...) }
	if c.isProc && f.Kind != 'p' {
		throw(pgerr.New(pgerr.WrongObjectType, "%s is not a procedure", p.signature(c)).WithHint("To call a function, use SELECT.").WithLocation(c.at))
	}
	if !c.isProc && f.Kind == 'p' {
		throw(pgerr.New(pgerr.WrongObjectType, "%s is a procedure", p.signature(c)).WithHint("To call a procedure, use CALL.").WithLocation(c.at))
	}
	if c.fn == nil {
		if f.Kind == 'w' {
			wrong("window function %s requires an OVER clause", name)
		}
		return
	}
	switch f.Kind {
	case 'f', 'p':
		switch {
		case c.fn.AggStar:
			wrong("%s(*) specified, but %s is not an aggregate function", name, name)
		case c.fn.AggDistinct:
			wrong("DISTINCT specified, but %s is not an aggregate function", name)
		case c.fn.AggWithinGroup:
			wrong("WITHIN GROUP specified, but %s is not an aggregate function", name)
		case len(c.order) > 0:
			wrong("ORDER BY specified, but %s is not an aggregate function", name)
		case c.filter != nil:
			wrong("FILTER specified, but %s is not an aggregate function", name)
		case c.fn.Over != nil:
			wrong("OVER specified, but %s is not a window function nor an aggregate function", name)
		}
	case 'a':
		p.checkAggregateKind(c, f, name)
	case 'w':
		if c.fn.Over == nil {
			wrong("window function %s requires an OVER clause", name)
		}
		if c.fn.AggWithinGroup {
			wrong("window function %s cannot have WITHIN GROUP", name)
		}
	}
}

// finishArguments resolves polymorphic types, coerces the arguments and gathers variadic ones into an array.
func (p *state) finishArguments(c *call, f *catalog.Proc, variadicWritten bool) {
	k := c.found
	actual := append([]OID(nil), c.argTypes...)
	var defaults []query.Expr
	if k.ndefault > 0 {
		defaults = callDefaults(k, len(c.args))
		for _, d := range defaults {
			actual = append(actual, d.Type())
		}
	}
	c.result = p.resolveGeneric(actual, c.declared, c.result)
	c.varadic = variadicWritten
	p.coerceArguments(c)
	if f.Variadic == 0 {
		c.varadic = false
	}
	if k.nvarargs > 0 && f.Variadic != types.AnyOID {
		first := len(c.args) - k.nvarargs
		elems := c.args[first:]
		elemType := elems[0].Type()
		arr := p.arrayType(elemType)
		if arr == 0 {
			fail(exprLocation(elems[0]), pgerr.UndefinedObject, "could not find array type for data type %s", p.formatType(elemType))
		}
		a := &query.ArrayExpr{TypeOID: arr, ElemType: elemType, Elems: append([]query.Expr(nil), elems...), Loc: query.LeftmostOf(elems)}
		c.args = append(append([]query.Expr(nil), c.args[:first]...), a)
		c.varadic = true
	} else if variadicWritten && f.Variadic == types.AnyOID && len(c.args) > 0 {
		last := c.args[len(c.args)-1]
		if p.baseElementType(last.Type()) == 0 {
			fail(exprLocation(last), pgerr.DatatypeMismatch, "VARIADIC argument must be an array")
		}
	}
}

// callDefaults are the default expressions of the parameters that the call leaves out, in the order of the candidate's arguments.
func callDefaults(k *candidate, nargs int) []query.Expr {
	f := k.proc
	first := len(f.ArgTypes) - len(f.Defaults)
	var out []query.Expr
	for i := nargs; i < len(k.args); i++ {
		param := i
		if k.argNums != nil {
			param = k.argNums[i]
		}
		out = append(out, f.Defaults[param-first])
	}
	return out
}

// coerceArguments coerces each argument to its declared type.
func (p *state) coerceArguments(c *call) {
	for i, a := range c.args {
		to := c.declared[i]
		from := c.argTypes[i]
		if to == from {
			if na, ok := a.(*query.NamedArg); ok {
				n := *na
				n.Num = c.found.argNums[i]
				c.args[i] = &n
			}
			continue
		}
		if na, ok := a.(*query.NamedArg); ok {
			n := *na
			n.Num = c.found.argNums[i]
			n.Arg = p.coerceType(na.Arg, from, to, -1, coercionImplicit, query.CoerceImplicitCast, -1)
			c.args[i] = &n
			continue
		}
		c.args[i] = p.coerceType(a, from, to, -1, coercionImplicit, query.CoerceImplicitCast, -1)
	}
}

// checkSRF refuses a set-returning function where it cannot be.
func (p *state) checkSRF(before query.Expr, location int) {
	msg := ""
	switch p.exprKind {
	case kindOther, kindOrderBy, kindDistinctOn, kindGroupBy, kindSelectTarget, kindInsertTarget, kindNone:
	case kindValuesSingle:
	case kindFromFunction:
		if p.lastSRF != before {
			throw(pgerr.New(pgerr.FeatureNotSupported, "set-returning functions must appear at top level of FROM").
				WithLocation(exprLocation(p.lastSRF)))
		}
		return
	case kindJoinOn, kindJoinUsing:
		msg = "set-returning functions are not allowed in JOIN conditions"
	case kindPolicy:
		msg = "set-returning functions are not allowed in policy expressions"
	case kindWindowPartition, kindWindowOrder:
		return
	case kindWindowFrameRange, kindWindowFrameRows, kindWindowFrameGroups:
		msg = "set-returning functions are not allowed in window definitions"
	case kindMergeWhen:
		msg = "set-returning functions are not allowed in MERGE WHEN conditions"
	case kindCheckConstraint, kindDomainCheck:
		msg = "set-returning functions are not allowed in check constraints"
	case kindColumnDefault, kindFunctionDefault:
		msg = "set-returning functions are not allowed in DEFAULT expressions"
	case kindIndexExpression:
		msg = "set-returning functions are not allowed in index expressions"
	case kindIndexPredicate:
		msg = "set-returning functions are not allowed in index predicates"
	case kindStatsExpression:
		msg = "set-returning functions are not allowed in statistics expressions"
	case kindAlterColTransform:
		msg = "set-returning functions are not allowed in transform expressions"
	case kindExecuteParameter:
		msg = "set-returning functions are not allowed in EXECUTE parameters"
	case kindTriggerWhen:
		msg = "set-returning functions are not allowed in trigger WHEN conditions"
	case kindPartitionBound:
		msg = "set-returning functions are not allowed in partition bound"
	case kindPartitionExpression:
		msg = "set-returning functions are not allowed in partition key expressions"
	case kindCallArgument:
		msg = "set-returning functions are not allowed in CALL arguments"
	case kindCopyWhere:
		msg = "set-returning functions are not allowed in COPY FROM WHERE conditions"
	case kindGeneratedColumn:
		msg = "set-returning functions are not allowed in column generation expressions"
	default:
		msg = "set-returning functions are not allowed in " + exprKindNames[p.exprKind]
	}
	if msg != "" {
		fail(location, pgerr.FeatureNotSupported, "%s", msg)
	}
	p.hasTargetSRFs = true
}

// project takes the field called name of a row value; nil when it has none.
func (p *state) project(e query.Expr, name string, location int) query.Expr {
	if v, ok := e.(*query.Var); ok && v.AttNo == 0 {
		if item := p.itemOf(v.VarNo, v.LevelsUp); item != nil {
			if f := p.itemColumn(item, v.LevelsUp, name, location); f != nil {
				return f
			}
		}
	}
	desc := p.exprDesc(e)
	if desc == nil {
		return nil
	}
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if !a.Dropped && a.Name == name {
			return &query.FieldSelect{Arg: e, FieldNum: int16(i + 1), TypeOID: a.TypeOID, Mod: a.TypMod, Coll: a.Collation}
		}
	}
	return nil
}

// itemOf gives the namespace item of a range table entry, where it is still known.
func (p *state) itemOf(index, levelsUp int) *nsItem {
	s := p
	for range levelsUp {
		s = s.parent
	}
	if item := s.joinNS[index]; item != nil {
		return item
	}
	if s.targetNS != nil && s.targetNS.index == index {
		return s.targetNS
	}
	return nil
}
