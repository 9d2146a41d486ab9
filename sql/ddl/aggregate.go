package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// aggregateState is how an aggregate collects its rows: plainly, or over a moving window.
type aggregateState struct {
	trans, final, inverse []*pg_query.Node
	typeName              *pg_query.TypeName
	typ                   OID
	space                 int32
	finalExtra            bool
	finalModify           byte // 0 = not said
	initial               *string

	transFn, inverseFn, finalFn OID
	strict                      bool
	result                      OID
}

// aggregateDef is CREATE AGGREGATE made ready.
type aggregateDef struct {
	f             functionDef
	kind          byte // 'n' normal, 'o' ordered-set, 'h' hypothetical-set
	direct        int
	plain, moving aggregateState
	combine       []*pg_query.Node
	serial        []*pg_query.Node
	deserial      []*pg_query.Node
	sortOp        []*pg_query.Node

	combineFn, serialFn, deserialFn, sortOpOID OID
}

// createAggregate is CREATE [OR REPLACE] AGGREGATE.
func (c *ctx) createAggregate(n *pg_query.DefineStmt) error {
	a := &aggregateDef{kind: 'n'}
	a.f = functionDef{owner: c.v.User(), kind: 'a', replace: n.Replace, bin: types.Null, body: types.Null, src: "aggregate_dummy", language: "internal",
		lang: catalog.InternalLanguage}
	a.f.attrs.volatile, a.f.attrs.cost = 'i', 1
	var err error
	if a.f.ns, a.f.name, err = c.creationName(n.Defnames); err != nil {
		return err
	}
	if !n.Oldstyle {
		if err := c.aggregateDirect(a, n.Args); err != nil {
			return err
		}
	}
	base, err := c.aggregateClauses(a, n.Definition)
	if err != nil {
		return err
	}
	if err := a.checkClauses(); err != nil {
		return err
	}
	if err := c.aggregateParams(a, n, base); err != nil {
		return err
	}
	if err := c.aggregateTypes(a); err != nil {
		return err
	}
	if err := c.aggregateFunctions(a); err != nil {
		return err
	}
	return c.storeAggregate(a)
}

// aggregateDirect reads the number of direct arguments.
func (c *ctx) aggregateDirect(a *aggregateDef, args []*pg_query.Node) error {
	if len(args) > 1 {
		if n := args[1].GetInteger(); n != nil && n.Ival >= 0 {
			a.kind, a.direct = 'o', int(n.Ival)
		}
	}
	return nil
}

// aggregateClauses reads the definition. base is the old style's input type.
func (c *ctx) aggregateClauses(a *aggregateDef, list []*pg_query.Node) (base *pg_query.TypeName, err error) {
	for _, x := range list {
		d := x.GetDefElem()
		switch d.Defname {
		case "sfunc", "sfunc1":
			a.plain.trans, err = defNames(d)
		case "finalfunc":
			a.plain.final, err = defNames(d)
		case "combinefunc":
			a.combine, err = defNames(d)
		case "serialfunc":
			a.serial, err = defNames(d)
		case "deserialfunc":
			a.deserial, err = defNames(d)
		case "msfunc":
			a.moving.trans, err = defNames(d)
		case "minvfunc":
			a.moving.inverse, err = defNames(d)
		case "mfinalfunc":
			a.moving.final, err = defNames(d)
		case "finalfunc_extra":
			a.plain.finalExtra, err = defBool(d)
		case "mfinalfunc_extra":
			a.moving.finalExtra, err = defBool(d)
		case "finalfunc_modify":
			a.plain.finalModify, err = modifies(d)
		case "mfinalfunc_modify":
			a.moving.finalModify, err = modifies(d)
		case "sortop":
			a.sortOp, err = defNames(d)
		case "basetype":
			base, err = defTypeName(d)
		case "hypothetical":
			var is bool
			if is, err = defBool(d); is {
				if a.kind == 'n' {
					return nil, pgerr.New(pgerr.InvalidFunctionDefinition, "only ordered-set aggregates can be hypothetical")
				}
				a.kind = 'h'
			}
		case "stype", "stype1":
			a.plain.typeName, err = defTypeName(d)
		case "sspace":
			a.plain.space, err = defInt32(d)
		case "mstype":
			a.moving.typeName, err = defTypeName(d)
		case "msspace":
			a.moving.space, err = defInt32(d)
		case "initcond", "initcond1":
			a.plain.initial, err = defString(d)
		case "minitcond":
			a.moving.initial, err = defString(d)
		case "parallel":
			a.f.attrs.parallel, err = parallelSafety(d)
		default:
			c.warnCode(pgerr.SyntaxError, "aggregate attribute \"%s\" not recognized", d.Defname)
		}
		if err != nil {
			return nil, err
		}
	}
	return base, nil
}

func modifies(d *pg_query.DefElem) (byte, error) {
	if d.Arg != nil {
		switch strings.ToLower(defText(d.Arg)) {
		case "read_only":
			return 'r', nil
		case "shareable":
			return 's', nil
		case "read_write":
			return 'w', nil
		}
	}
	return 0, pgerr.New(pgerr.SyntaxError, "parameter \"%s\" must be READ_ONLY, SHAREABLE, or READ_WRITE", d.Defname)
}

func parallelSafety(d *pg_query.DefElem) (byte, error) {
	if d.Arg != nil {
		switch s := strings.ToLower(defText(d.Arg)); s {
		case "safe", "restricted", "unsafe":
			return s[0], nil
		}
	}
	return 0, pgerr.New(pgerr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
}

func defInt32(d *pg_query.DefElem) (int32, error) {
	v, err := defInt(d)
	return int32(v), err
}

func defString(d *pg_query.DefElem) (*string, error) {
	if d.Arg == nil {
		return nil, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", d.Defname)
	}
	s := defText(d.Arg)
	return &s, nil
}

// checkClauses refuses definitions that lack something, or say something of a state that is not there.
func (a *aggregateDef) checkClauses() error {
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidFunctionDefinition, format, args...)
	}
	if a.plain.typeName == nil {
		return bad("aggregate stype must be specified")
	}
	if a.plain.trans == nil {
		return bad("aggregate sfunc must be specified")
	}
	m := &a.moving
	if m.typeName != nil {
		switch {
		case m.trans == nil:
			return bad("aggregate msfunc must be specified when mstype is specified")
		case m.inverse == nil:
			return bad("aggregate minvfunc must be specified when mstype is specified")
		}
	} else {
		for _, x := range []struct {
			said bool
			name string
		}{{m.trans != nil, "msfunc"}, {m.inverse != nil, "minvfunc"}, {m.final != nil, "mfinalfunc"}, {m.space != 0, "msspace"},
			{m.initial != nil, "minitcond"}} {
			if x.said {
				return bad("aggregate %s must not be specified without mstype", x.name)
			}
		}
	}
	for _, s := range []*aggregateState{&a.plain, &a.moving} {
		if s.finalModify == 0 {
			s.finalModify = 'r'
			if a.kind != 'n' {
				s.finalModify = 'w'
			}
		}
	}
	return nil
}

// aggregateParams reads the input types.
func (c *ctx) aggregateParams(a *aggregateDef, n *pg_query.DefineStmt, base *pg_query.TypeName) error {
	p := &a.f.params
	if !n.Oldstyle {
		if base != nil {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "basetype is redundant with aggregate input type specification")
		}
		var list []*pg_query.Node
		if len(n.Args) > 0 {
			list = n.Args[0].GetList().GetItems()
		}
		return c.functionParams(p, list, catalog.InternalLanguage, "aggregate")
	}
	if base == nil {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "aggregate input type must be specified")
	}
	p.allPlain = true
	if strings.EqualFold(typeNameText(base), "any") {
		return nil
	}
	oid, _, err := c.typeName(unplaced(base))
	p.in, p.inNames, p.all, p.modes, p.names = []OID{oid}, []string{""}, []OID{oid}, []byte{'i'}, []string{""}
	return err
}

// aggregateTypes finds the types of the states, and checks their initial values.
func (c *ctx) aggregateTypes(a *aggregateDef) error {
	for _, s := range []*aggregateState{&a.plain, &a.moving} {
		if s.typeName == nil {
			continue
		}
		oid, _, err := c.typeName(unplaced(s.typeName))
		if err != nil {
			return err
		}
		t, err := c.v.Type(oid)
		if err != nil {
			return err
		}
		s.typ = oid
		pseudo := t.Kind == 'p' && !analyze.IsPolymorphic(oid)
		if pseudo && !(oid == types.InternalOID && c.isSuperuser()) {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "aggregate transition data type cannot be %s", types.FormatType(c.Backend.Env, oid))
		}
		if s.initial != nil && t.Kind != 'p' {
			if _, err := types.Input(c.Backend.Env, oid, -1, *s.initial); err != nil {
				return err
			}
		}
	}
	switch {
	case (a.serial == nil) != (a.deserial == nil):
		return pgerr.New(pgerr.InvalidFunctionDefinition, "must specify both or neither of serialization and deserialization functions")
	case a.serial != nil && a.plain.typ != types.InternalOID:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "serialization functions may be specified only when the aggregate transition data type is %s", "internal")
	}
	return nil
}

const aggregateParamsMax = 99

// aggregateFunctions finds the functions of the aggregate, and checks that they fit together.
func (c *ctx) aggregateFunctions(a *aggregateDef) error {
	p := &a.f.params
	if len(p.in) > aggregateParamsMax {
		return pgerr.New(pgerr.TooManyArguments, "aggregates cannot have more than %d arguments", aggregateParamsMax)
	}
	for _, s := range []*aggregateState{&a.plain, &a.moving} {
		if s.typ == 0 {
			continue
		}
		if detail := analyze.BadPolymorphicResult(s.typ, p.in); detail != "" {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "cannot determine transition data type").WithDetail("%s", detail)
		}
	}
	if a.kind != 'n' && p.variadic != 0 && p.variadic != types.AnyOID {
		return pgerr.New(pgerr.FeatureNotSupported, "a variadic ordered-set aggregate must use VARIADIC type ANY")
	}
	if a.kind == 'h' && a.direct < len(p.in) {
		aggregated := len(p.in) - a.direct
		if a.direct < aggregated || !equalOIDs(p.in[a.direct-aggregated:a.direct], p.in[a.direct:]) {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "a hypothetical-set aggregate must have direct arguments matching its aggregated arguments")
		}
	}
	if err := c.stateFunctions(a, &a.plain); err != nil {
		return err
	}
	if a.moving.typ != 0 {
		if err := c.movingFunctions(a); err != nil {
			return err
		}
	}
	if err := c.finalFunction(a, &a.plain); err != nil {
		return err
	}
	if err := c.partialFunctions(a); err != nil {
		return err
	}
	return c.aggregateResult(a)
}

func equalOIDs(a, b []OID) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// transArgs are the types that a transition function is called with.
func (a *aggregateDef) transArgs(s *aggregateState) []OID {
	in := a.f.params.in
	if a.kind != 'n' {
		if a.direct < len(in) {
			in = in[a.direct:]
		} else {
			in = in[len(in)-1:] // VARIADIC "any", aggregated and direct at once
		}
	}
	return append([]OID{s.typ}, in...)
}

// support finds a support function that must give want.
func (c *ctx) support(names []*pg_query.Node, args []OID, variadic OID, what string, want OID) (*catalog.Proc, error) {
	p, ret, err := analyze.SupportFunc(c.analyzeEnv(), strs(names), args, variadic)
	if err != nil {
		return nil, err
	}
	if ret != want {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "return type of %s function %s is not %s", what, joinName(strs(names)), types.FormatType(c.Backend.Env, want))
	}
	return p, c.requireExecute(p, p.Name)
}

// stateFunctions finds the transition function of a state.
func (c *ctx) stateFunctions(a *aggregateDef, s *aggregateState) error {
	fn, err := c.support(s.trans, a.transArgs(s), a.f.params.variadic, "transition", s.typ)
	if err != nil {
		return err
	}
	s.transFn, s.strict = fn.OID, fn.Strict
	if !fn.Strict || s.initial != nil {
		return nil
	}
	in := a.f.params.in
	fits := len(in) > 0
	if fits {
		if fits, err = c.v.IsBinaryCoercible(in[0], s.typ); err != nil {
			return err
		}
		fits = fits || in[0] == s.typ
	}
	if !fits {
		return pgerr.New(pgerr.InvalidFunctionDefinition,
			"must not omit initial value when transition function is strict and transition type is not compatible with input type")
	}
	return nil
}

// movingFunctions finds the functions of the moving-aggregate mode.
func (c *ctx) movingFunctions(a *aggregateDef) error {
	m := &a.moving
	if err := c.stateFunctions(a, m); err != nil {
		return err
	}
	inverse, err := c.support(m.inverse, a.transArgs(m), a.f.params.variadic, "inverse transition", m.typ)
	if err != nil {
		return err
	}
	m.inverseFn = inverse.OID
	if inverse.Strict != m.strict {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "strictness of aggregate's forward and inverse transition functions must match")
	}
	return nil
}

// finalFunction finds a state's final function, if it has one, and the result type.
func (c *ctx) finalFunction(a *aggregateDef, s *aggregateState) error {
	if s.final == nil {
		s.result = s.typ
		return nil
	}
	in := a.f.params.in
	args := []OID{s.typ}
	variadic := OID(0)
	switch {
	case s.finalExtra:
		args, variadic = append(args, in...), a.f.params.variadic
	case a.kind != 'n':
		args = append(args, in[:a.direct]...)
	}
	fn, ret, err := analyze.SupportFunc(c.analyzeEnv(), strs(s.final), args, variadic)
	if err != nil {
		return err
	}
	if err := c.requireExecute(fn, fn.Name); err != nil {
		return err
	}
	if s.finalExtra && fn.Strict {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "final function with extra arguments must not be declared STRICT")
	}
	s.finalFn, s.result = fn.OID, ret
	return nil
}

// partialFunctions finds the functions that combine states, and carry them from one process to another.
func (c *ctx) partialFunctions(a *aggregateDef) error {
	t := a.plain.typ
	if a.combine != nil {
		fn, err := c.support(a.combine, []OID{t, t}, 0, "combine", t)
		if err != nil {
			return err
		}
		if t == types.InternalOID && fn.Strict {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "combine function with transition type %s must not be declared STRICT", "internal")
		}
		a.combineFn = fn.OID
	}
	if a.serial == nil {
		return nil
	}
	fn, err := c.support(a.serial, []OID{types.InternalOID}, 0, "serialization", types.ByteaOID)
	if err != nil {
		return err
	}
	a.serialFn = fn.OID
	if fn, err = c.support(a.deserial, []OID{types.ByteaOID, types.InternalOID}, 0, "deserialization", types.InternalOID); err != nil {
		return err
	}
	a.deserialFn = fn.OID
	return nil
}

// aggregateResult checks the result type, that of both modes, and finds the sort operator.
func (c *ctx) aggregateResult(a *aggregateDef) error {
	a.f.ret = a.plain.result
	if err := c.checkSignature(&a.f); err != nil {
		return err
	}
	if a.moving.typ != 0 {
		if err := c.finalFunction(a, &a.moving); err != nil {
			return err
		}
		if a.moving.result != a.plain.result {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "moving-aggregate implementation returns type %s, but plain implementation returns type %s",
				types.FormatType(c.Backend.Env, a.moving.result), types.FormatType(c.Backend.Env, a.plain.result))
		}
	}
	if a.sortOp != nil {
		in := a.f.params.in
		if len(in) != 1 {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "sort operator can only be specified for single-argument aggregates")
		}
		o, err := c.operatorNamed(a.sortOp, in[0], in[0])
		if err != nil {
			return err
		}
		if o == nil {
			t := types.FormatType(c.Backend.Env, in[0])
			return pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s %s", t, joinName(strs(a.sortOp)), t)
		}
		a.sortOpOID = o.OID
	}
	for _, oid := range append([]OID{a.plain.typ, a.moving.typ, a.f.ret}, a.f.params.in...) {
		if oid == 0 {
			continue
		}
		t, err := c.v.Type(oid)
		if err != nil {
			return err
		}
		if err := c.requireTypeUsage(t); err != nil {
			return err
		}
	}
	return nil
}

// storeAggregate makes the rows.
func (c *ctx) storeAggregate(a *aggregateDef) error {
	oid, err := c.storeFunction(&a.f)
	if err != nil {
		return err
	}
	row := catalog.NewRow(catalog.PgAggregateOID)
	set := func(col int, d types.Datum) { row[col] = d }
	text := func(s *string) types.Datum {
		if s == nil {
			return types.Null
		}
		return types.Text(*s)
	}
	set(catalog.AggregateAggfnoid, types.Oid(oid))
	set(catalog.AggregateAggkind, types.Char(a.kind))
	set(catalog.AggregateAggnumdirectargs, types.Int2(int16(a.direct)))
	set(catalog.AggregateAggtransfn, types.Oid(a.plain.transFn))
	set(catalog.AggregateAggfinalfn, types.Oid(a.plain.finalFn))
	set(catalog.AggregateAggcombinefn, types.Oid(a.combineFn))
	set(catalog.AggregateAggserialfn, types.Oid(a.serialFn))
	set(catalog.AggregateAggdeserialfn, types.Oid(a.deserialFn))
	set(catalog.AggregateAggmtransfn, types.Oid(a.moving.transFn))
	set(catalog.AggregateAggminvtransfn, types.Oid(a.moving.inverseFn))
	set(catalog.AggregateAggmfinalfn, types.Oid(a.moving.finalFn))
	set(catalog.AggregateAggfinalextra, types.Bool(a.plain.finalExtra))
	set(catalog.AggregateAggmfinalextra, types.Bool(a.moving.finalExtra))
	set(catalog.AggregateAggfinalmodify, types.Char(a.plain.finalModify))
	set(catalog.AggregateAggmfinalmodify, types.Char(a.moving.finalModify))
	set(catalog.AggregateAggsortop, types.Oid(a.sortOpOID))
	set(catalog.AggregateAggtranstype, types.Oid(a.plain.typ))
	set(catalog.AggregateAggtransspace, types.Int4(a.plain.space))
	set(catalog.AggregateAggmtranstype, types.Oid(a.moving.typ))
	set(catalog.AggregateAggmtransspace, types.Int4(a.moving.space))
	set(catalog.AggregateAgginitval, text(a.plain.initial))
	set(catalog.AggregateAggminitval, text(a.moving.initial))
	tid, old, err := c.v.Find(catalog.PgAggregateFnoidIndexOID, types.Oid(oid))
	if err != nil {
		return err
	}
	if old == nil {
		err = c.v.Insert(catalog.PgAggregateOID, row)
	} else {
		if err := c.sameAggregateKind(a, old); err != nil {
			return err
		}
		err = c.v.Update(catalog.PgAggregateOID, tid, old, row)
	}
	if err != nil {
		return err
	}
	return c.aggregateDepends(oid, a)
}

// sameAggregateKind refuses to replace an aggregate by one that is called otherwise.
func (c *ctx) sameAggregateKind(a *aggregateDef, old types.Row) error {
	if kind := old[catalog.AggregateAggkind].Char(); kind != a.kind {
		word := map[byte]string{'n': "an ordinary aggregate function", 'o': "an ordered-set aggregate", 'h': "a hypothetical-set aggregate"}[kind]
		return pgerr.New(pgerr.WrongObjectType, "cannot change routine kind").WithDetail("\"%s\" is %s.", a.f.name, word)
	}
	if int(old[catalog.AggregateAggnumdirectargs].Int2()) != a.direct {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change number of direct arguments of an aggregate function")
	}
	return nil
}

// aggregateDepends records the functions and the operator that an aggregate needs beyond its signature.
func (c *ctx) aggregateDepends(oid OID, a *aggregateDef) error {
	self := object(catalog.PgProcOID, oid)
	seen := map[OID]bool{}
	for _, fn := range []OID{a.plain.transFn, a.plain.finalFn, a.combineFn, a.serialFn, a.deserialFn, a.moving.transFn, a.moving.inverseFn, a.moving.finalFn} {
		if seen[fn] {
			continue
		}
		seen[fn] = true
		if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgProcOID, fn)); err != nil {
			return err
		}
	}
	return c.v.Depend(self, catalog.DepNormal, object(catalog.PgOperatorOID, a.sortOpOID))
}
