package analyze

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// binaryOperator resolves a binary operator for argument types; quiet gives nil instead of an error.
func (p *state) binaryOperator(name []string, left, right OID, quiet bool, location int) *catalog.Operator {
	schema, op := p.qualified(name)
	list := p.operatorCandidates(schema, op, 'b')
	if o := p.exactBinary(list, left, right); o != nil {
		return o
	}
	if left == 0 {
		left = right
	} else if right == 0 {
		right = left
	}
	o, ambiguous := p.selectOperator([]OID{left, right}, list)
	if o == nil && !quiet {
		p.errOperator(name, 'b', left, right, ambiguous, location)
	}
	return o
}

// exactBinary looks for an operator of just these types, an unknown side taking the other's type, domains looked through.
func (p *state) exactBinary(list []*candidate, left, right OID) *catalog.Operator {
	wasUnknown := false
	if left == types.UnknownOID && right != 0 {
		left, wasUnknown = right, true
	} else if right == types.UnknownOID && left != 0 {
		right, wasUnknown = left, true
	}
	if o := findExact(list, left, right); o != nil {
		return o
	}
	if wasUnknown {
		if b := p.baseType(left); b != left {
			return findExact(list, b, b)
		}
	}
	return nil
}

func findExact(list []*candidate, left, right OID) *catalog.Operator {
	for _, c := range list {
		if c.oper.Left == left && c.oper.Right == right {
			return c.oper
		}
	}
	return nil
}

func (p *state) operatorCandidates(schema, op string, kind byte) []*candidate {
	var out []*candidate
	for _, o := range must(p.env.Catalog.OperatorsByName(schema, op)) {
		if o.Kind != kind {
			continue
		}
		args := []OID{o.Left, o.Right}
		if kind == 'l' {
			args = []OID{o.Right}
		}
		out = append(out, &candidate{oid: o.OID, args: args, oper: o})
	}
	return out
}

func (p *state) selectOperator(in []OID, list []*candidate) (o *catalog.Operator, ambiguous bool) {
	fits := p.matchArgs(in, list)
	switch len(fits) {
	case 0:
		return nil, false
	case 1:
		return fits[0].oper, false
	}
	if c := p.choose(in, fits); c != nil {
		return c.oper, false
	}
	return nil, true
}

// prefixOperator resolves a prefix operator.
func (p *state) prefixOperator(name []string, arg OID, location int) *catalog.Operator {
	schema, op := p.qualified(name)
	list := p.operatorCandidates(schema, op, 'l')
	for _, c := range list {
		if c.oper.Right == arg {
			return c.oper
		}
	}
	o, ambiguous := p.selectOperator([]OID{arg}, list)
	if o == nil {
		p.errOperator(name, 'l', 0, arg, ambiguous, location)
	}
	return o
}

func (p *state) errOperator(name []string, kind byte, left, right OID, ambiguous bool, location int) {
	sig := nameList(name) + " " + p.formatType(right)
	if kind == 'b' {
		sig = p.formatType(left) + " " + sig
	}
	if ambiguous {
		throw(pgerr.New(pgerr.AmbiguousFunction, "operator is not unique: %s", sig).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.").WithLocation(location))
	}
	e := pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", sig).WithLocation(location)
	if kind == 'l' {
		throw(e.WithHint("No operator matches the given name and argument type. You might need to add an explicit type cast."))
	}
	throw(e.WithHint("No operator matches the given name and argument types. You might need to add explicit type casts."))
}

// operatorCall makes an operator expression; left is nil for a prefix operator.
func (p *state) operatorCall(name []string, left, right query.Expr, location int) query.Expr {
	before := p.lastSRF
	return p.operatorCallSRF(name, left, right, before, location)
}

func (p *state) operatorCallSRF(name []string, left, right, before query.Expr, location int) query.Expr {
	var o *catalog.Operator
	var args []query.Expr
	var actual, declared []OID
	if left == nil {
		o = p.prefixOperator(name, right.Type(), location)
		args, actual, declared = []query.Expr{right}, []OID{right.Type()}, []OID{o.Right}
	} else {
		o = p.binaryOperator(name, left.Type(), right.Type(), false, location)
		args, actual, declared = []query.Expr{left, right}, []OID{left.Type(), right.Type()}, []OID{o.Left, o.Right}
	}
	if o.Func == 0 {
		sig := nameList(name) + " " + p.formatType(o.Right)
		if o.Kind == 'b' {
			sig = p.formatType(o.Left) + " " + sig
		}
		fail(location, pgerr.UndefinedFunction, "operator is only a shell: %s", sig)
	}
	ret := p.resolveGeneric(actual, declared, o.Result)
	for i := range args {
		if declared[i] != actual[i] {
			args[i] = p.coerceType(args[i], actual[i], declared[i], -1, coercionImplicit, query.CoerceImplicitCast, -1)
		}
	}
	e := &query.OpExpr{OpOID: o.OID, FuncOID: o.Func, TypeOID: ret, RetSet: p.proc(o.Func).RetSet, Args: args, Loc: location}
	if e.RetSet {
		p.checkSRF(before, location)
		p.lastSRF = e
	}
	return e
}

// scalarArrayOp makes x op ANY/ALL (array).
func (p *state) scalarArrayOp(name []string, useOr bool, left, right query.Expr, location int) query.Expr {
	lt, at := left.Type(), right.Type()
	rt := OID(types.UnknownOID)
	if at != types.UnknownOID {
		if rt = p.baseElementType(at); rt == 0 {
			fail(location, pgerr.WrongObjectType, "op ANY/ALL (array) requires array on right side")
		}
	}
	o := p.binaryOperator(name, lt, rt, false, location)
	if o.Func == 0 {
		fail(location, pgerr.UndefinedFunction, "operator is only a shell: %s", nameList(name))
	}
	actual, declared := []OID{lt, rt}, []OID{o.Left, o.Right}
	ret := p.resolveGeneric(actual, declared, o.Result)
	if ret != types.BoolOID {
		fail(location, pgerr.WrongObjectType, "op ANY/ALL (array) requires operator to yield boolean")
	}
	if p.proc(o.Func).RetSet {
		fail(location, pgerr.WrongObjectType, "op ANY/ALL (array) requires operator not to return a set")
	}
	arr := declared[1]
	if !isPolymorphic(arr) {
		if arr = p.arrayType(declared[1]); arr == 0 {
			fail(location, pgerr.UndefinedObject, "could not find array type for data type %s", p.formatType(declared[1]))
		}
	} else {
		arr = at
	}
	if declared[0] != lt {
		left = p.coerceType(left, lt, declared[0], -1, coercionImplicit, query.CoerceImplicitCast, -1)
	}
	if arr != at {
		right = p.coerceType(right, at, arr, -1, coercionImplicit, query.CoerceImplicitCast, -1)
	}
	return &query.ScalarArrayOpExpr{OpOID: o.OID, FuncOID: o.Func, UseOr: useOr, Left: left, Right: right, Loc: location}
}

const btreeAM = catalog.BTreeAM

// Strategy numbers of btree operators.
const (
	btLess = 1 + iota
	btLessEqual
	btEqual
	btGreaterEqual
	btGreater
)

// sortOperators are a type's default ordering and equality.
type sortOperators struct {
	lt, eq, gt OID
	hashable   bool
}

// typeOperators finds the default btree (or, for equality alone, hash) operators of a type, as the type cache does.
func (p *state) typeOperators(typ OID) sortOperators {
	base := p.baseType(typ)
	s := sortOperators{}
	if opc := p.defaultOpClass(btreeAM, base); opc != nil {
		at := func(strategy int16) OID {
			return must(p.env.Catalog.AmOp(opc.Family, opc.InType, opc.InType, strategy))
		}
		s.lt, s.eq, s.gt = at(btLess), at(btEqual), at(btGreater)
	}
	hash := p.defaultOpClass(catalog.HashAM, base)
	if hash != nil {
		eq := must(p.env.Catalog.AmOp(hash.Family, hash.InType, hash.InType, 1))
		if s.eq == 0 {
			s.eq = eq
		}
		s.hashable = eq != 0 && eq == s.eq
	}
	p.checkContainerOperators(base, &s)
	return s
}

// checkContainerOperators takes operators of arrays, records and ranges away when their contents do not have them.
func (p *state) checkContainerOperators(base OID, s *sortOperators) {
	within := func(inner OID) {
		in := p.typeOperators(inner)
		if in.eq == 0 {
			s.eq = 0
		}
		if in.lt == 0 {
			s.lt, s.gt = 0, 0
		}
		s.hashable = s.hashable && in.hashable
	}
	switch {
	case s.eq == 1070: // array_eq: any array
		if e := p.elementType(base); e != 0 {
			within(e)
		}
	case s.eq == 2988: // record_eq
		if desc := p.rowDesc(base, -1); desc != nil {
			for i := range desc.Attrs {
				if !desc.Attrs[i].Dropped {
					within(desc.Attrs[i].TypeOID)
				}
			}
		} else {
			s.hashable = false
		}
	case s.eq == 3882 && p.rangeSubtype(base) != 0: // range_eq
		s.hashable = s.hashable && p.typeOperators(p.rangeSubtype(base)).hashable
	}
}

// defaultOpClass finds the default operator class that serves a type, itself or a type that it is binary coercible to.
func (p *state) defaultOpClass(am, typ OID) *catalog.OpClass {
	oid := must(p.env.Catalog.DefaultOpClass(am, typ))
	if oid == 0 {
		return nil
	}
	return must(p.env.Catalog.OpClass(oid))
}

// sortGroupOperators gives the operators for ORDER BY, GROUP BY and DISTINCT of a type, or ends the analysis for those that are needed.
func (p *state) sortGroupOperators(typ OID, needLT, needEQ, needGT bool, location int) sortOperators {
	s := p.typeOperators(typ)
	if needLT && s.lt == 0 || needGT && s.gt == 0 {
		throw(pgerr.New(pgerr.UndefinedFunction, "could not identify an ordering operator for type %s", p.formatType(typ)).
			WithHint("Use an explicit ordering operator or modify the query.").WithLocation(location))
	}
	if needEQ && s.eq == 0 {
		fail(location, pgerr.UndefinedFunction, "could not identify an equality operator for type %s", p.formatType(typ))
	}
	return s
}

// orderingFamilies lists the btree families in which an operator is less-than or greater-than.
func (p *state) orderingFamilies(op OID) []*catalog.AmOp {
	var out []*catalog.AmOp
	for _, a := range must(p.env.Catalog.AmOpsOf(op)) {
		if a.AM == btreeAM && a.Left == a.Right && (a.Strategy == btLess || a.Strategy == btGreater) {
			out = append(out, a)
		}
	}
	return out
}

// btreeMembers maps the btree families of an operator to its strategies there.
func (p *state) btreeMembers(op OID) map[OID]int16 {
	m := map[OID]int16{}
	for _, a := range must(p.env.Catalog.AmOpsOf(op)) {
		if a.AM == btreeAM && a.Purpose == 's' {
			m[a.Family] = a.Strategy
		}
	}
	if len(m) > 0 {
		return m
	}
	// <> is known by its negator.
	if o := p.operator(op); o.Negator != 0 {
		for _, a := range must(p.env.Catalog.AmOpsOf(o.Negator)) {
			if a.AM == btreeAM && a.Strategy == btEqual {
				m[a.Family] = rowNotEqual
			}
		}
	}
	return m
}

const rowNotEqual = int16(query.RowCompareNE)

// isEquality and friends by name, for the special cases of rows.
var comparisonNames = []string{"=", "<>", "<", "<=", ">", ">="}

func isComparison(name []string) bool { return slices.Contains(comparisonNames, name[len(name)-1]) }
