package analyze

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// coercion is the context of a cast: implicit casts may be used in any expression, assignment casts when storing into a column, explicit
// casts when asked for.
type coercion uint8

const (
	coercionImplicit coercion = iota
	coercionAssignment
	coercionExplicit
)

// pathKind is how one type becomes another.
type pathKind uint8

const (
	pathNone pathKind = iota
	pathFunc
	pathRelabel
	pathArray
	pathIO
)

// coerceTo coerces an expression to a type and typmod; nil when there is no cast in this context.
func (p *state) coerceTo(e query.Expr, from, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	if !p.canCoerce([]OID{from}, []OID{to}, ctx) {
		return nil
	}
	// A COLLATE stays on top of a coercion, so that it is not lost.
	orig := e
	for {
		c, ok := e.(*query.CollateExpr)
		if !ok {
			break
		}
		e = c.Arg
	}
	result := p.coerceType(e, from, to, mod, ctx, form, location)
	result = p.coerceTypMod(result, to, mod, ctx, form, location, result != e && !isConst(result))
	if c, ok := orig.(*query.CollateExpr); ok && p.typeCollation(to) != 0 {
		return &query.CollateExpr{Arg: result, Coll: c.Coll, Loc: c.Loc}
	}
	return result
}

func isConst(e query.Expr) bool {
	_, ok := e.(*query.Const)
	return ok
}

// coerceType makes the coercion to a type; the caller has checked that there is one.
func (p *state) coerceType(e query.Expr, from, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	if to == from {
		return e
	}
	switch to {
	case types.AnyOID, types.AnyelementOID, types.AnynonarrayOID, types.AnycompatibleOID, types.AnycompatiblenonarrayOID:
		return e
	case types.AnyarrayOID, types.AnyenumOID, types.AnyrangeOID, types.AnymultirangeOID, types.AnycompatiblearrayOID,
		types.AnycompatiblerangeOID, types.AnycompatiblemultirangeOID:
		if from != types.UnknownOID {
			base := p.baseType(from)
			if base == from {
				return e
			}
			return &query.RelabelType{Arg: e, TypeOID: base, Mod: -1, Form: query.CoerceImplicitCast, Loc: location}
		}
	}
	if from == types.UnknownOID {
		if c, ok := e.(*query.Const); ok {
			return p.coerceUnknown(c, to, mod, ctx, form, location)
		}
		if pr, ok := e.(*query.Param); ok && pr.Kind == query.ParamExtern {
			if out := p.coerceParam(pr, to, location); out != nil {
				return out
			}
		}
	}
	if c, ok := e.(*query.CollateExpr); ok {
		inner := p.coerceType(c.Arg, from, to, mod, ctx, form, location)
		if p.typeCollation(to) == 0 {
			return inner
		}
		return &query.CollateExpr{Arg: inner, Coll: c.Coll, Loc: c.Loc}
	}
	kind, fn := p.pathway(to, from, ctx)
	if kind != pathNone {
		return p.coerceByPath(e, kind, fn, from, to, mod, ctx, form, location)
	}
	if from == types.RecordOID && p.isComplex(to) {
		return p.coerceRecord(e, to, ctx, form, location)
	}
	if from == types.RecordArrayOID && p.isComplexArray(to) {
		return e
	}
	if p.inheritsFrom(from, to) || p.typedTableOf(from, to) {
		base, _ := p.baseTypeMod(from, -1)
		if base != from {
			e = &query.RelabelType{Arg: e, TypeOID: base, Mod: -1, Form: form, Loc: location}
		}
		return &query.ConvertRowtypeExpr{Arg: e, TypeOID: to, Form: form, Loc: location}
	}
	if to == types.RecordOID && p.isComplex(from) || to == types.RecordArrayOID && p.isComplexArray(from) {
		return e
	}
	throw(pgerr.Internal("failed to find conversion function from %s to %s", p.formatType(from), p.formatType(to)))
	return nil
}

// coerceUnknown reads a literal of unknown type as a value of the target type.
func (p *state) coerceUnknown(c *query.Const, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	base, baseMod := p.baseTypeMod(to, mod)
	// interval keeps its typmod even when reading: fields left out of "interval hour" change what the text means.
	inputMod := int32(-1)
	if base == types.IntervalOID {
		inputMod = baseMod
	}
	t := p.typ(base)
	nc := &query.Const{TypeOID: base, Mod: inputMod, Coll: t.Collation, Value: types.Null, Loc: c.Loc}
	if c.Loc >= 0 && location >= 0 && location < c.Loc {
		nc.Loc = location
	}
	if !c.Value.IsNull() {
		if notice := p.env.Types.Notice; notice != nil {
			p.env.Types.Notice = func(n *pgerr.Error) { notice(n.WithLocation(c.Loc)) }
			defer func() { p.env.Types.Notice = notice }()
		}
		v, err := types.Input(p.env.Types, base, inputMod, c.Value.Str())
		if err != nil {
			throw(pgerr.From(err).WithLocation(c.Loc))
		}
		nc.Value = v.Clone()
	}
	if base != to {
		return p.coerceToDomain(nc, base, baseMod, to, ctx, form, location, false)
	}
	return nc
}

// coerceParam gives a parameter of unknown type the type that its use asks for; nil when parameters are fixed.
func (p *state) coerceParam(pr *query.Param, to OID, location int) query.Expr {
	ps := p.env.Params
	if ps == nil || !ps.Variable || ps.Hook != nil {
		return nil
	}
	t := &ps.Types[pr.ID-1]
	switch {
	case *t == types.UnknownOID || *t == 0:
		*t = to
	case *t != to:
		throw(pgerr.New(pgerr.AmbiguousParameter, "inconsistent types deduced for parameter $%d", pr.ID).
			WithDetail("%s versus %s", p.formatType(*t), p.formatType(to)).WithLocation(pr.Loc))
	}
	out := *pr
	out.TypeOID = to
	out.Coll = p.typeCollation(to)
	out.Mod = -1
	if location >= 0 && (pr.Loc < 0 || location < pr.Loc) {
		out.Loc = location
	}
	return &out
}

func (p *state) coerceByPath(e query.Expr, kind pathKind, fn, from, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	if kind == pathRelabel {
		// A domain over the same base needs its constraints checked; else the value is as it is.
		result := p.coerceToDomain(e, 0, -1, to, ctx, form, location, false)
		if result == e {
			return &query.RelabelType{Arg: e, TypeOID: to, Mod: -1, Form: form, Loc: location}
		}
		return result
	}
	base, baseMod := p.baseTypeMod(to, mod)
	result := p.coercionNode(e, kind, fn, from, base, baseMod, ctx, form, location)
	if to != base {
		result = p.coerceToDomain(result, base, baseMod, to, ctx, form, location, true)
	}
	return result
}

// coercionNode makes the node of a cast by function, element by element, or through text.
func (p *state) coercionNode(e query.Expr, kind pathKind, fn, from, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	switch kind {
	case pathFunc:
		f := p.proc(fn)
		args := []query.Expr{e}
		if len(f.ArgTypes) >= 2 {
			args = append(args, &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Int4(mod), Loc: -1})
		}
		if len(f.ArgTypes) == 3 {
			args = append(args, &query.Const{TypeOID: types.BoolOID, Mod: -1, Value: types.Bool(ctx == coercionExplicit), Loc: -1})
		}
		return &query.FuncExpr{FuncOID: fn, TypeOID: to, Form: form, Args: args, Loc: location}
	case pathArray:
		return p.arrayCoercion(e, to, mod, ctx, form, location)
	}
	return &query.CoerceViaIO{Arg: e, TypeOID: to, Form: form, Loc: location}
}

func (p *state) arrayCoercion(e query.Expr, to OID, mod int32, ctx coercion, form query.CoercionForm, location int) query.Expr {
	src, srcMod := p.baseTypeMod(e.Type(), e.TypMod())
	elem := p.elementType(src)
	toElem := p.elementType(to)
	test := &query.CaseTestExpr{TypeOID: elem, Mod: srcMod, Coll: p.typeCollation(elem)}
	el := p.coerceTo(test, elem, toElem, mod, ctx, form, location)
	if el == nil {
		throw(pgerr.Internal("failed to coerce array element type as expected"))
	}
	return &query.ArrayCoerceExpr{Arg: e, ElemExpr: el, TypeOID: to, Mod: el.TypMod(), Form: form, Loc: location}
}

// coerceToDomain adds the checking of a domain's constraints; the expression itself when the target is no domain.
func (p *state) coerceToDomain(e query.Expr, base OID, mod int32, to OID, ctx coercion, form query.CoercionForm, location int, hideInput bool) query.Expr {
	if base == 0 {
		base, mod = p.baseTypeMod(to, mod)
	}
	if base == to {
		return e
	}
	if hideInput {
		e = hideCoercion(e)
	}
	e = p.coerceTypMod(e, base, mod, ctx, query.CoerceImplicitCast, location, false)
	return &query.CoerceToDomain{Arg: e, TypeOID: to, Mod: -1, Form: form, Loc: location}
}

// hideCoercion marks the topmost coercion as implicit, so that it is not shown.
func hideCoercion(e query.Expr) query.Expr {
	switch x := e.(type) {
	case *query.FuncExpr:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.RelabelType:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.CoerceViaIO:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.ArrayCoerceExpr:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.ConvertRowtypeExpr:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.RowExpr:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	case *query.CoerceToDomain:
		c := *x
		c.Form = query.CoerceImplicitCast
		return &c
	}
	return e
}

// coerceTypMod applies a length or precision.
func (p *state) coerceTypMod(e query.Expr, to OID, mod int32, ctx coercion, form query.CoercionForm, location int, hideInput bool) query.Expr {
	if mod == e.TypMod() {
		return e
	}
	kind, fn := pathNone, OID(0)
	if mod >= 0 {
		kind, fn = p.typModPath(to)
	}
	if kind != pathNone {
		if hideInput {
			e = hideCoercion(e)
		}
		return p.coercionNode(e, kind, fn, e.Type(), to, mod, ctx, form, location)
	}
	// No length function: only the label changes. A constant can carry the new label itself.
	return applyRelabel(e, to, mod, form, location)
}

func applyRelabel(e query.Expr, to OID, mod int32, form query.CoercionForm, location int) query.Expr {
	if r, ok := e.(*query.RelabelType); ok {
		e = r.Arg
	}
	if c, ok := e.(*query.Const); ok {
		k := *c
		k.TypeOID, k.Mod = to, mod
		return &k
	}
	return &query.RelabelType{Arg: e, TypeOID: to, Mod: mod, Coll: e.Collation(), Form: form, Loc: location}
}

// typModPath finds the function that applies a typmod: the cast from the type to itself.
func (p *state) typModPath(typ OID) (pathKind, OID) {
	kind := pathFunc
	if elem := p.elementType(typ); elem != 0 {
		kind, typ = pathArray, elem
	}
	c := must(p.env.Catalog.Cast(typ, typ))
	if c == nil || c.Func == 0 {
		return pathNone, 0
	}
	if kind == pathArray {
		return pathArray, 0
	}
	return kind, c.Func
}

// pathway finds how a type is cast to another in a context.
func (p *state) pathway(to, from OID, ctx coercion) (pathKind, OID) {
	if from != 0 {
		from = p.baseType(from)
	}
	if to != 0 {
		to = p.baseType(to)
	}
	if from == to {
		return pathRelabel, 0
	}
	if c := must(p.env.Catalog.Cast(from, to)); c != nil {
		allowed := map[byte]coercion{'i': coercionImplicit, 'a': coercionAssignment, 'e': coercionExplicit}[c.Context]
		if ctx < allowed {
			return pathNone, 0
		}
		switch c.Method {
		case 'f':
			return pathFunc, c.Func
		case 'i':
			return pathIO, 0
		}
		return pathRelabel, 0
	}
	// Arrays are cast when their elements are; not to or from oidvector and int2vector.
	if to != types.OidvectorOID && to != types.Int2vectorOID {
		toElem, fromElem := p.elementType(to), p.elementType(from)
		if toElem != 0 && fromElem != 0 {
			kind, _ := p.pathway(toElem, fromElem, ctx)
			if kind == pathNone {
				return pathNone, 0
			}
			return pathArray, 0
		}
	}
	// Any type is cast to text on assignment, and text to any type when asked, through the text form.
	if c, _ := p.category(to); ctx >= coercionAssignment && c == 'S' {
		return pathIO, 0
	}
	if c, _ := p.category(from); ctx >= coercionExplicit && c == 'S' {
		return pathIO, 0
	}
	return pathNone, 0
}

// canCoerce says whether each input type can become its target type in this context, polymorphic targets together.
func (p *state) canCoerce(from, to []OID, ctx coercion) bool {
	generic := false
	for i, in := range from {
		target := to[i]
		if in == target || target == types.AnyOID {
			continue
		}
		if isPolymorphic(target) {
			generic = true
			continue
		}
		if in == types.UnknownOID {
			continue
		}
		if kind, _ := p.pathway(target, in, ctx); kind != pathNone {
			continue
		}
		if in == types.RecordOID && p.isComplex(target) || target == types.RecordOID && p.isComplex(in) {
			continue
		}
		if in == types.RecordArrayOID && p.isComplexArray(target) || target == types.RecordArrayOID && p.isComplexArray(in) {
			continue
		}
		if p.inheritsFrom(in, target) || p.typedTableOf(in, target) {
			continue
		}
		return false
	}
	return !generic || p.checkGeneric(from, to)
}

func (p *state) isComplexArray(oid OID) bool {
	elem := p.elementType(oid)
	return elem != 0 && p.isComplex(elem)
}

// inheritsFrom says whether a composite type's relation is the other's relation or inherits from it.
func (p *state) inheritsFrom(sub, super OID) bool {
	s, t := p.relOfType(sub), p.typ(super).RelID
	if s == 0 || t == 0 {
		return false
	}
	if s == t {
		return true
	}
	seen := map[OID]bool{}
	for todo := []OID{s}; len(todo) > 0; todo = todo[1:] {
		for _, parent := range p.relation(todo[0]).Parents {
			if parent == t {
				return true
			}
			if !seen[parent] {
				seen[parent] = true
				todo = append(todo, parent)
			}
		}
	}
	return false
}

// typedTableOf says whether a composite type belongs to a table of the other type.
func (p *state) typedTableOf(rowType, of OID) bool {
	rel := p.relOfType(rowType)
	return rel != 0 && p.relation(rel).OfType != 0 && p.relation(rel).OfType == of
}

// coerceRecord coerces ROW(...) or a whole-row reference to a composite type, field by field.
func (p *state) coerceRecord(e query.Expr, to OID, ctx coercion, form query.CoercionForm, location int) query.Expr {
	cannot := func(detail string, args ...any) {
		throw(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", p.formatType(types.RecordOID), p.formatType(to)).
			WithDetail(detail, args...).WithLocation(orLocation(location, e)))
	}
	var args []query.Expr
	switch x := e.(type) {
	case *query.RowExpr:
		args = x.Args
	case *query.Var:
		if x.AttNo != 0 {
			break
		}
		for _, v := range p.expandRowVar(x) {
			args = append(args, v)
		}
	}
	if args == nil {
		if _, ok := e.(*query.RowExpr); !ok {
			throw(pgerr.New(pgerr.CannotCoerce, "cannot cast type %s to %s", p.formatType(types.RecordOID), p.formatType(to)).
				WithLocation(orLocation(location, e)))
		}
	}
	base, baseMod := p.baseTypeMod(to, -1)
	desc := p.rowDesc(base, -1)
	var out []query.Expr
	next := 0
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			out = append(out, &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Null, Loc: -1})
			continue
		}
		if next >= len(args) {
			cannot("Input has too few columns.")
		}
		arg := args[next]
		typ := arg.Type()
		c := p.coerceTo(arg, typ, a.TypeOID, a.TypMod, ctx, query.CoerceImplicitCast, -1)
		if c == nil {
			cannot("Cannot cast type %s to %s in column %d.", p.formatType(typ), p.formatType(a.TypeOID), next+1)
		}
		out = append(out, c)
		next++
	}
	if next < len(args) {
		cannot("Input has too many columns.")
	}
	rowForm := form
	if base != to {
		rowForm = query.CoerceImplicitCast
	}
	row := query.Expr(&query.RowExpr{Args: out, TypeOID: base, Form: rowForm, Loc: location})
	if base != to {
		return p.coerceToDomain(row, base, baseMod, to, ctx, form, location, false)
	}
	return row
}

func orLocation(location int, e query.Expr) int {
	if location >= 0 {
		return location
	}
	return exprLocation(e)
}

// coerceToBoolean coerces a condition; what names the construct in messages.
func (p *state) coerceToBoolean(e query.Expr, what string) query.Expr {
	return p.coerceCondition(e, types.BoolOID, -1, what)
}

// coerceToSpecific coerces to a type that a construct asks for.
func (p *state) coerceToSpecific(e query.Expr, to OID, what string) query.Expr {
	return p.coerceCondition(e, to, -1, what)
}

func (p *state) coerceCondition(e query.Expr, to OID, mod int32, what string) query.Expr {
	typ := e.Type()
	if typ != to {
		c := p.coerceTo(e, typ, to, mod, coercionAssignment, query.CoerceImplicitCast, -1)
		if c == nil {
			fail(exprLocation(e), pgerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", what, p.formatType(to), p.formatType(typ))
		}
		e = c
	}
	if p.returnsSet(e) {
		fail(exprLocation(e), pgerr.DatatypeMismatch, "argument of %s must not return a set", what)
	}
	return e
}

func (p *state) returnsSet(e query.Expr) bool { return ReturnsSet(e) }

// ReturnsSet says whether an expression returns a set: a set-returning call anywhere in it.
func ReturnsSet(e query.Expr) bool {
	found := false
	query.Walk(e, func(x query.Expr) bool {
		switch x := x.(type) {
		case *query.FuncExpr:
			found = found || x.RetSet
		case *query.OpExpr:
			found = found || x.RetSet
		case *query.Aggref, *query.GroupingFunc, *query.WindowFunc:
			return false
		}
		return !found
	})
	return found
}

// coerceToCommon coerces to the type that a list of expressions agreed on.
func (p *state) coerceToCommon(e query.Expr, to OID, what string) query.Expr {
	in := e.Type()
	if in == to {
		return e
	}
	if !p.canCoerce([]OID{in}, []OID{to}, coercionImplicit) {
		fail(exprLocation(e), pgerr.CannotCoerce, "%s could not convert type %s to %s", what, p.formatType(in), p.formatType(to))
	}
	return p.coerceType(e, in, to, -1, coercionImplicit, query.CoerceImplicitCast, -1)
}

// commonType resolves the type of UNION, CASE, ARRAY[...] and the like. what "" asks not to raise an error: 0 then. which, when not nil,
// receives the expression that decided.
func (p *state) commonType(list []query.Expr, what string, which *query.Expr) OID {
	pexpr := list[0]
	ptyp := pexpr.Type()
	same := ptyp != types.UnknownOID
	for _, e := range list[1:] {
		same = same && e.Type() == ptyp
	}
	if which != nil {
		*which = pexpr
	}
	if same {
		return ptyp
	}
	ptyp = p.baseType(ptyp)
	pcat, ppref := p.category(ptyp)
	for _, e := range list[1:] {
		n := p.baseType(e.Type())
		if n == types.UnknownOID || n == ptyp {
			continue
		}
		ncat, npref := p.category(n)
		switch {
		case ptyp == types.UnknownOID:
			pexpr, ptyp, pcat, ppref = e, n, ncat, npref
		case ncat != pcat:
			if what == "" {
				return 0
			}
			fail(exprLocation(e), pgerr.DatatypeMismatch, "%s types %s and %s cannot be matched", what, p.formatType(ptyp), p.formatType(n))
		case !ppref && p.canCoerce([]OID{ptyp}, []OID{n}, coercionImplicit) && !p.canCoerce([]OID{n}, []OID{ptyp}, coercionImplicit):
			pexpr, ptyp, pcat, ppref = e, n, ncat, npref
		}
	}
	if ptyp == types.UnknownOID {
		ptyp = types.TextOID
	}
	if which != nil {
		*which = pexpr
	}
	return ptyp
}

// commonTypMod is the typmod that all expressions share, -1 when they do not.
func commonTypMod(list []query.Expr, common OID) int32 {
	mod := int32(-1)
	for i, e := range list {
		if e.Type() != common {
			return -1
		}
		if i == 0 {
			mod = e.TypMod()
		} else if e.TypMod() != mod {
			return -1
		}
	}
	return mod
}

// verifyCommon checks that all expressions can be coerced to the type.
func (p *state) verifyCommon(typ OID, list []query.Expr) bool {
	for _, e := range list {
		if !p.canCoerce([]OID{e.Type()}, []OID{typ}, coercionImplicit) {
			return false
		}
	}
	return true
}

// binaryCoercible says whether a value of one type serves as the other unchanged.
func (p *state) binaryCoercible(src, target OID) bool {
	if src == target {
		return true
	}
	if target == types.AnyOID || target == types.AnyelementOID || target == types.AnycompatibleOID {
		return true
	}
	if src != 0 {
		src = p.baseType(src)
	}
	if src == target {
		return true
	}
	switch target {
	case types.AnyarrayOID, types.AnycompatiblearrayOID:
		if p.elementType(src) != 0 {
			return true
		}
	case types.AnynonarrayOID, types.AnycompatiblenonarrayOID:
		if p.elementType(src) == 0 {
			return true
		}
	case types.AnyenumOID:
		if p.typ(src).Kind == 'e' {
			return true
		}
	case types.AnyrangeOID, types.AnycompatiblerangeOID:
		if p.typ(src).Kind == 'r' {
			return true
		}
	case types.AnymultirangeOID, types.AnycompatiblemultirangeOID:
		if p.typ(src).Kind == 'm' {
			return true
		}
	case types.RecordOID:
		if p.isComplex(src) {
			return true
		}
	case types.RecordArrayOID:
		if p.isComplexArray(src) {
			return true
		}
	}
	c := must(p.env.Catalog.Cast(src, target))
	return c != nil && c.Method == 'b' && c.Context == 'i'
}
