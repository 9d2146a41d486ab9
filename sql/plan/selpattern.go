package plan

import (
	"strings"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// patternSel estimates LIKE and regular-expression matches of a constant pattern.
func (r *root) patternSel(op OID, args []query.Expr, coll OID, varRel int, negate bool) float64 {
	def := defaultMatchSel
	if negate {
		def = 1 - defaultMatchSel
	}
	v, other, left, ok := r.restrictionVar(args, varRel)
	if !ok || !left {
		return def
	}
	c, isC := other.(*query.Const)
	if !isC {
		return def
	}
	if c.Value.IsNull() {
		return 0
	}
	match := op
	if negate {
		if match = r.g.oper(op).Negator; match == 0 {
			return def
		}
	}
	s := r.patternMatchSel(&v, match, coll, c.Value)
	if negate {
		s = 1 - s - v.nullFrac()
	}
	return clampProb(s)
}

func (r *root) patternMatchSel(v *variable, op, coll OID, pattern types.Datum) float64 {
	name := r.g.restName(op)
	if name == "likesel" && !strings.ContainsAny(pattern.Str(), `%_\`) {
		n, _ := v.distinct()
		if v.stats == nil {
			return clampProb(1 / n)
		}
		if eq := r.g.defaultEquality(v.typ); eq != 0 {
			return r.eqConst(v, eq, coll, pattern, true, false)
		}
	}
	heuristic := patternHeuristic(name, pattern.Str())
	if v.stats == nil {
		return heuristic
	}
	call := r.g.operatorCaller(op, coll)
	if call == nil {
		return heuristic
	}
	return r.sampleSel(v, call, pattern, heuristic, 10, 1)
}

// Weights of PostgreSQL's like_selectivity and regex_selectivity.
const (
	fixedCharSel = 0.20
	charRangeSel = 0.25
	anyCharSel   = 0.9
	fullWildSel  = 5.0
)

// patternHeuristic guesses from the pattern alone: each fixed character after the first wildcard cuts, each wildcard widens.
func patternHeuristic(kind, p string) float64 {
	s := 1.0
	if kind == "regexeqsel" || kind == "icregexeqsel" {
		for i := 0; i < len(p); i++ {
			switch p[i] {
			case '^', '$', '(', ')', '|':
			case '.':
				s *= anyCharSel
			case '*', '?', '+':
				s *= 2
			case '[':
				for i < len(p) && p[i] != ']' {
					i++
				}
				s *= charRangeSel
			default:
				s *= fixedCharSel
			}
		}
		if !strings.HasSuffix(p, "$") {
			s *= fullWildSel
		}
		return min(s, 1)
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '%':
			s *= fullWildSel
		case '_':
			s *= anyCharSel
		case '\\':
			i++
			s *= fixedCharSel
		default:
			s *= fixedCharSel
		}
	}
	return min(s, 1)
}

// scalars puts a value and two bounds on one numeric scale, for interpolation within a histogram's bin.
func (g *glob) scalars(val types.Datum, valType OID, low, high types.Datum, typ OID) (x, l, h float64, ok bool) {
	if stringType(valType) && stringType(typ) {
		x, l, h = stringScalars(val.Str(), low.Str(), high.Str())
		return x, l, h, true
	}
	x, ok1 := g.scalar(val, valType)
	l, ok2 := g.scalar(low, typ)
	h, ok3 := g.scalar(high, typ)
	return x, l, h, ok1 && ok2 && ok3
}

func stringType(t OID) bool {
	switch t {
	case types.TextOID, types.VarcharOID, types.BpcharOID, types.NameOID, types.ByteaOID:
		return true
	}
	return false
}

func (g *glob) scalar(d types.Datum, typ OID) (float64, bool) {
	switch typ {
	case types.BoolOID, types.CharOID:
		return float64(d.Raw()), true
	case types.Int2OID:
		return float64(d.Int2()), true
	case types.Int4OID:
		return float64(d.Int4()), true
	case types.Int8OID:
		return float64(d.Int8()), true
	case types.OidOID, types.RegclassOID, types.RegprocOID, types.RegtypeOID:
		return float64(d.Oid()), true
	case types.Float4OID:
		return float64(d.Float4()), true
	case types.Float8OID:
		return d.Float8(), true
	case types.NumericOID:
		f, ok := types.LookupFunc("numeric_float8_no_overflow")
		if !ok {
			f, ok = types.LookupFunc("numeric_float8")
		}
		if !ok {
			return 0, false
		}
		v, err := f(&types.Call{Env: g.env.Types, Args: []types.Datum{d}, RetType: types.Float8OID})
		if err != nil {
			return 0, false
		}
		return v.Float8(), true
	case types.DateOID:
		return float64(d.Int4()) * 86400e6, true
	case types.TimestampOID, types.TimestamptzOID, types.TimeOID:
		return float64(d.Int8()), true
	}
	return 0, false
}

// stringScalars reads strings as fractions in a base taken from the range of bytes that the bounds use.
func stringScalars(val, low, high string) (x, l, h float64) {
	lo, hi := byte(' '), byte(127)
	if len(high) > 0 {
		lo, hi = high[0], high[0]
		for _, s := range []string{low, high} {
			for i := 0; i < len(s); i++ {
				lo, hi = min(lo, s[i]), max(hi, s[i])
			}
		}
	}
	widen := func(a, b byte) {
		if lo <= b && hi >= a {
			lo, hi = min(lo, a), max(hi, b)
		}
	}
	widen('A', 'Z')
	widen('a', 'z')
	widen('0', '9')
	if hi-lo < 9 {
		lo, hi = ' ', 127
	}
	for len(low) > 0 && len(high) > 0 && len(val) > 0 && low[0] == high[0] && low[0] == val[0] {
		low, high, val = low[1:], high[1:], val[1:]
	}
	return stringScalar(val, lo, hi), stringScalar(low, lo, hi), stringScalar(high, lo, hi)
}

func stringScalar(s string, lo, hi byte) float64 {
	base := float64(hi-lo) + 1
	num, denom := 0.0, base
	for i := 0; i < len(s) && i < 12; i++ {
		ch := int(s[i])
		ch = min(max(ch, int(lo)-1), int(hi)+1)
		num += float64(ch-int(lo)) / denom
		denom *= base
	}
	return num
}
