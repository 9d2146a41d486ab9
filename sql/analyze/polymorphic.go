package analyze

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// isPolymorphic says whether a declared type is resolved at each call.
func isPolymorphic(t OID) bool { return isFamily1(t) || isFamily2(t) }

// isFamily1: anyelement and kin, all of one element type.
func isFamily1(t OID) bool {
	switch t {
	case types.AnyelementOID, types.AnyarrayOID, types.AnynonarrayOID, types.AnyenumOID, types.AnyrangeOID, types.AnymultirangeOID:
		return true
	}
	return false
}

// isFamily2: anycompatible and kin, coerced to a common type.
func isFamily2(t OID) bool {
	switch t {
	case types.AnycompatibleOID, types.AnycompatiblearrayOID, types.AnycompatiblenonarrayOID, types.AnycompatiblerangeOID,
		types.AnycompatiblemultirangeOID:
		return true
	}
	return false
}

// rangeSubtype gives the subtype of a range type, 0 of others; multirangeRange the range of a multirange.
func (p *state) rangeSubtype(t OID) OID {
	if ty := p.typ(t); ty.Kind == 'r' && ty.Range != nil {
		return ty.Range.Subtype
	}
	return 0
}

func (p *state) multirangeRange(t OID) OID {
	if ty := p.typ(t); ty.Kind == 'm' && ty.Range != nil {
		return ty.Range.RangeOID
	}
	return 0
}

func (p *state) rangeMultirange(t OID) OID {
	if ty := p.typ(t); ty.Kind == 'r' && ty.Range != nil {
		return ty.Range.Multirange
	}
	return 0
}

// generic collects what the actual types say about the polymorphic types of a signature.
type generic struct {
	p    *state
	fail func(code pgerr.Code, format string, args ...any) // nil result = quiet

	elem, array, rng, multi        OID // family 1
	haveElem, haveEnum, nonArray   bool
	family1, family2               bool
	compArray, compRange, compMult OID
	compNonArray                   bool
	compTypes                      []OID // actual types that take part in the common type
	unknowns                       int
	ok                             bool
}

func (g *generic) bad(code pgerr.Code, format string, args ...any) {
	g.ok = false
	if g.fail != nil {
		g.fail(code, format, args...)
	}
}

// same notes one argument's type under a slot and complains when an earlier one differs.
func (g *generic) same(slot *OID, actual OID, name string) {
	if *slot != 0 && *slot != actual {
		g.bad(pgerr.DatatypeMismatch, "arguments declared \"%s\" are not all alike", name)
		if g.fail == nil {
			return
		}
	}
	*slot = actual
}

// collect reads the pairs of declared and actual types.
func (g *generic) collect(actual, declared []OID) {
	p := g.p
	for i, d := range declared {
		a := actual[i]
		if isFamily1(d) {
			g.family1 = true
		} else if isFamily2(d) {
			g.family2 = true
		} else {
			continue
		}
		switch d {
		case types.AnynonarrayOID:
			g.nonArray = true
		case types.AnyenumOID:
			g.haveEnum = true
		case types.AnycompatiblenonarrayOID:
			g.compNonArray = true
		}
		if a == types.UnknownOID {
			g.unknowns++
			continue
		}
		switch d {
		case types.AnyelementOID, types.AnynonarrayOID, types.AnyenumOID:
			if g.elem != 0 && g.elem != a {
				g.bad(pgerr.DatatypeMismatch, "arguments declared \"%s\" are not all alike", "anyelement")
				if g.fail != nil {
					g.detail(g.elem, a)
				}
			}
			g.elem = a
		case types.AnyarrayOID:
			g.checked(&g.array, p.baseType(a), "anyarray")
		case types.AnyrangeOID:
			g.checked(&g.rng, p.baseType(a), "anyrange")
		case types.AnymultirangeOID:
			g.checked(&g.multi, p.baseType(a), "anymultirange")
		case types.AnycompatibleOID, types.AnycompatiblenonarrayOID:
			g.compTypes = append(g.compTypes, a)
		case types.AnycompatiblearrayOID:
			b := p.baseType(a)
			if e := p.elementType(b); e != 0 {
				g.compTypes = append(g.compTypes, e)
			} else {
				g.notOf("anycompatiblearray", "an array", b)
			}
			g.compArray = b
		case types.AnycompatiblerangeOID:
			b := p.baseType(a)
			if s := p.rangeSubtype(b); s != 0 {
				g.checked(&g.compRange, b, "anycompatiblerange")
				g.compTypes = append(g.compTypes, s)
			} else {
				g.notOf("anycompatiblerange", "a range type", b)
			}
		case types.AnycompatiblemultirangeOID:
			b := p.baseType(a)
			if r := p.multirangeRange(b); r != 0 {
				g.checked(&g.compMult, b, "anycompatiblemultirange")
				g.compTypes = append(g.compTypes, p.rangeSubtype(r))
			} else {
				g.notOf("anycompatiblemultirange", "a multirange type", b)
			}
		}
	}
}

func (g *generic) notOf(name, what string, actual OID) {
	g.ok = false
	if g.fail != nil {
		g.fail(pgerr.DatatypeMismatch, "argument declared %s is not %s but type %s", name, what, g.p.formatType(actual))
	}
}

func (g *generic) detail(a, b OID) {
	throw(pgerr.New(pgerr.DatatypeMismatch, "arguments declared \"%s\" are not all alike", "anyelement").
		WithDetail("%s versus %s", g.p.formatType(a), g.p.formatType(b)))
}

func (g *generic) checked(slot *OID, actual OID, name string) {
	if *slot != 0 && *slot != actual {
		g.ok = false
		if g.fail != nil {
			throw(pgerr.New(pgerr.DatatypeMismatch, "arguments declared \"%s\" are not all alike", name).
				WithDetail("%s versus %s", g.p.formatType(*slot), g.p.formatType(actual)))
		}
	}
	*slot = actual
}

// resolve1 makes the family-1 types agree.
func (g *generic) resolve1() {
	p := g.p
	if g.array != 0 {
		e := types.AnyelementOID
		if g.array != types.AnyarrayOID {
			e = p.elementType(g.array)
			if e == 0 {
				g.notOf("anyarray", "an array", g.array)
				return
			}
			g.agree(e, "anyarray", "anyelement", g.array)
		} else if g.elem != 0 && g.elem != types.AnyelementOID {
			g.ok = false
		}
	}
	if g.multi != 0 {
		r := p.multirangeRange(g.multi)
		if r == 0 {
			g.notOf("anymultirange", "a multirange type", g.multi)
			return
		}
		if g.rng == 0 {
			g.rng = r
		} else if g.rng != r {
			g.inconsistent("anymultirange", "anyrange", g.multi, g.rng)
			return
		}
	} else if g.rng != 0 {
		g.multi = p.rangeMultirange(g.rng)
	}
	if g.rng != 0 {
		s := p.rangeSubtype(g.rng)
		if s == 0 {
			g.notOf("anyrange", "a range type", g.rng)
			return
		}
		g.agree(s, "anyrange", "anyelement", g.rng)
	}
	if g.elem == 0 {
		return
	}
	if g.nonArray && p.baseElementType(g.elem) != 0 {
		g.bad(pgerr.DatatypeMismatch, "type matched to anynonarray is an array type: %s", p.formatType(g.elem))
	}
	if g.haveEnum && p.typ(p.baseType(g.elem)).Kind != 'e' {
		g.bad(pgerr.DatatypeMismatch, "type matched to anyenum is not an enum type: %s", p.formatType(g.elem))
	}
}

// agree sets the element type from a container, or checks that they fit.
func (g *generic) agree(e OID, containerName, elemName string, container OID) {
	switch {
	case g.elem == 0:
		g.elem = e
	case g.elem != e:
		g.inconsistent(containerName, elemName, container, g.elem)
	}
}

func (g *generic) inconsistent(a, b string, at, bt OID) {
	g.ok = false
	if g.fail != nil {
		throw(pgerr.New(pgerr.DatatypeMismatch, "argument declared %s is not consistent with argument declared %s", a, b).
			WithDetail("%s versus %s", g.p.formatType(at), g.p.formatType(bt)))
	}
}

// checkGeneric says whether actual types fit the polymorphic ones of a signature.
func (p *state) checkGeneric(actual, declared []OID) bool {
	g := &generic{p: p, ok: true}
	g.collect(actual, declared)
	if g.ok && g.family1 {
		g.resolve1()
	}
	if g.ok && g.family2 {
		p.commonCompatible(g)
	}
	return g.ok
}

// commonCompatible resolves the common type of the anycompatible family, 0 when nothing is known.
func (p *state) commonCompatible(g *generic) OID {
	if len(g.compTypes) == 0 {
		return 0
	}
	common := p.commonTypeOf(g.compTypes, g.fail == nil)
	if common == 0 {
		g.ok = false
		return 0
	}
	for _, t := range g.compTypes {
		if !p.canCoerce([]OID{t}, []OID{common}, coercionImplicit) {
			g.bad(pgerr.DatatypeMismatch, "argument types do not match")
			return 0
		}
	}
	if g.compNonArray && p.baseElementType(common) != 0 {
		g.bad(pgerr.DatatypeMismatch, "type matched to anycompatiblenonarray is an array type: %s", p.formatType(common))
	}
	if g.compRange != 0 && p.rangeSubtype(g.compRange) != common {
		g.bad(pgerr.DatatypeMismatch, "anycompatiblerange type %s does not match anycompatible type %s", p.formatType(g.compRange), p.formatType(common))
	}
	if g.compMult != 0 && p.rangeSubtype(p.multirangeRange(g.compMult)) != common {
		g.bad(pgerr.DatatypeMismatch, "anycompatiblemultirange type %s does not match anycompatible type %s", p.formatType(g.compMult),
			p.formatType(common))
	}
	return common
}

// commonTypeOf is commonType over types.
func (p *state) commonTypeOf(typs []OID, quiet bool) OID {
	list := make([]query.Expr, len(typs))
	for i, t := range typs {
		list[i] = &query.CaseTestExpr{TypeOID: t, Mod: -1}
	}
	what := "argument"
	if quiet {
		what = ""
	}
	return p.commonType(list, what, nil)
}

// resolveGeneric replaces the polymorphic types of a signature by actual ones, in declared, and gives the result type.
func (p *state) resolveGeneric(actual, declared []OID, ret OID) OID {
	// A polymorphic result without polymorphic arguments stays as declared: anyarray's own input function.
	needed := false
	for _, d := range declared {
		needed = needed || isPolymorphic(d)
	}
	if !needed {
		return ret
	}
	g := &generic{p: p, ok: true, fail: func(code pgerr.Code, format string, args ...any) { throw(pgerr.New(code, format, args...)) }}
	g.collect(actual, declared)
	if g.family1 {
		g.resolve1()
		if g.elem == 0 && g.array == 0 && g.rng == 0 {
			if g.unknowns > 0 {
				throw(pgerr.New(pgerr.DatatypeMismatch, "could not determine polymorphic type because input has type %s", "unknown"))
			}
		}
	}
	common := OID(0)
	if g.family2 {
		common = p.commonCompatible(g)
		if common == 0 {
			common = types.TextOID // all unknown: as UNION does
		}
	}
	for i, d := range declared {
		if actual[i] == types.UnknownOID || isFamily2(d) {
			if r := g.replace(d, common); r != 0 {
				declared[i] = r
			}
		}
	}
	if !isPolymorphic(ret) {
		return ret
	}
	r := g.replace(ret, common)
	if r == 0 {
		throw(pgerr.New(pgerr.UndefinedObject, "could not find type for polymorphic result"))
	}
	return r
}

// replace gives the actual type of a polymorphic one.
func (g *generic) replace(t, common OID) OID {
	p := g.p
	switch t {
	case types.AnyelementOID, types.AnynonarrayOID, types.AnyenumOID:
		return g.elem
	case types.AnyarrayOID:
		if g.array == 0 && g.elem != 0 {
			g.array = p.needArray(g.elem)
		}
		return g.array
	case types.AnyrangeOID:
		if g.rng == 0 {
			throw(pgerr.New(pgerr.UndefinedObject, "could not find range type for data type %s", p.formatType(g.elem)))
		}
		return g.rng
	case types.AnymultirangeOID:
		if g.multi == 0 {
			throw(pgerr.New(pgerr.UndefinedObject, "could not find multirange type for data type %s", p.formatType(g.elem)))
		}
		return g.multi
	case types.AnycompatibleOID, types.AnycompatiblenonarrayOID:
		return common
	case types.AnycompatiblearrayOID:
		return p.needArray(common)
	case types.AnycompatiblerangeOID:
		if g.compRange == 0 && g.compMult != 0 {
			return p.multirangeRange(g.compMult)
		}
		if g.compRange == 0 {
			throw(pgerr.New(pgerr.UndefinedObject, "could not find range type for data type %s", p.formatType(common)))
		}
		return g.compRange
	case types.AnycompatiblemultirangeOID:
		if g.compMult == 0 && g.compRange != 0 {
			return p.rangeMultirange(g.compRange)
		}
		if g.compMult == 0 {
			throw(pgerr.New(pgerr.UndefinedObject, "could not find multirange type for data type %s", p.formatType(common)))
		}
		return g.compMult
	}
	return 0
}

func (p *state) needArray(elem OID) OID {
	if elem == types.AnyelementOID {
		return types.AnyarrayOID
	}
	a := p.arrayType(elem)
	if a == 0 {
		throw(pgerr.New(pgerr.UndefinedObject, "could not find array type for data type %s", p.formatType(elem)))
	}
	return a
}

// BadPolymorphicResult says why arguments of the given types can't determine a polymorphic result type; "" when they can.
func BadPolymorphicResult(ret OID, args []OID) string {
	needs := func(ok func(OID) bool, list string) string {
		for _, a := range args {
			if ok(a) {
				return ""
			}
		}
		return "A result of type " + types.FormatType(nil, ret) + " requires at least one input of type " + list + "."
	}
	switch {
	case ret == types.AnyrangeOID || ret == types.AnymultirangeOID:
		return needs(func(a OID) bool { return a == types.AnyrangeOID || a == types.AnymultirangeOID }, "anyrange or anymultirange")
	case ret == types.AnycompatiblerangeOID || ret == types.AnycompatiblemultirangeOID:
		return needs(func(a OID) bool { return a == types.AnycompatiblerangeOID || a == types.AnycompatiblemultirangeOID },
			"anycompatiblerange or anycompatiblemultirange")
	case isFamily1(ret):
		return needs(isFamily1, "anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange")
	case isFamily2(ret):
		return needs(isFamily2, "anycompatible, anycompatiblearray, anycompatiblenonarray, anycompatiblerange, or anycompatiblemultirange")
	}
	return ""
}

// IsPolymorphic says whether a type stands for others.
func IsPolymorphic(t OID) bool { return isPolymorphic(t) }

// ResolveGeneric gives the type that a declared one stands for in a call whose arguments have the actual types.
func ResolveGeneric(env *Env, actual, declared []OID, t OID) (out OID, err error) {
	defer catch(&err)
	if !isPolymorphic(t) {
		return t, nil
	}
	return newState(env, nil).resolveGeneric(actual, append([]OID(nil), declared...), t), nil
}
