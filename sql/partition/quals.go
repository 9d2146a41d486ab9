package partition

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// B-tree strategies.
const (
	less         = 1
	lessEqual    = 2
	equal        = 3
	greaterEqual = 4
	greater      = 5
)

// Builder makes partitions' constraints of one partitioned table.
type Builder struct {
	Catalog catalog.Lookup
	Key     *Key
	Parent  OID
	Desc    *Desc // needed for the default partition's
}

// Quals gives what holds for a partition's rows, implicitly ANDed, over the parent's columns as VarNo 1; nil = everything.
func (b *Builder) Quals(s *query.PartitionBoundSpec) ([]query.Expr, error) {
	switch b.Key.Strategy {
	case Hash:
		return b.hashQuals(s), nil
	case List:
		return b.listQuals(s)
	}
	if s.IsDefault {
		return b.rangeDefault()
	}
	return b.rangeQuals(s, false)
}

// satisfiesHash is the function satisfies_hash_partition.
const satisfiesHash OID = 5028

func int4(n int32) query.Expr {
	return &query.Const{TypeOID: types.Int4OID, Mod: -1, Value: types.Int4(n), Loc: -1}
}

func (b *Builder) hashQuals(s *query.PartitionBoundSpec) []query.Expr {
	args := []query.Expr{&query.Const{TypeOID: types.OidOID, Mod: -1, Value: types.Oid(b.Parent), Loc: -1}, int4(s.Modulus), int4(s.Remainder)}
	for i := range b.Key.Cols {
		args = append(args, b.Key.Cols[i].Value())
	}
	return []query.Expr{&query.FuncExpr{FuncOID: satisfiesHash, TypeOID: types.BoolOID, Form: query.CoerceExplicitCall, Args: args, Loc: -1}}
}

func isNull(e query.Expr, not bool) query.Expr { return &query.NullTest{Arg: e, IsNot: not, Loc: -1} }

func (b *Builder) listQuals(s *query.PartitionBoundSpec) ([]query.Expr, error) {
	c := &b.Key.Cols[0]
	var values []query.Expr
	hasNull := false
	if s.IsDefault {
		hasNull = b.Desc.Null >= 0
		if len(b.Desc.Values) == 0 && !hasNull {
			return nil, nil
		}
		for _, v := range b.Desc.Values {
			values = append(values, &query.Const{TypeOID: c.Type, Mod: c.TypMod, Coll: c.TypColl, Value: v, Loc: -1})
		}
	} else {
		for _, e := range s.List {
			if e.(*query.Const).Value.IsNull() {
				hasNull = true
				continue
			}
			values = append(values, e)
		}
	}
	var out []query.Expr
	var op query.Expr
	if len(values) > 0 {
		var err error
		if op, err = b.anyOf(values); err != nil {
			return nil, err
		}
	}
	switch {
	case !hasNull && op != nil:
		out = []query.Expr{isNull(c.Value(), true), op}
	case !hasNull:
		out = []query.Expr{isNull(c.Value(), true)}
	case op != nil:
		out = []query.Expr{&query.BoolExpr{Op: query.Or, Args: []query.Expr{isNull(c.Value(), false), op}, Loc: -1}}
	default:
		out = []query.Expr{isNull(c.Value(), false)}
	}
	if s.IsDefault {
		out = []query.Expr{&query.BoolExpr{Op: query.Not, Args: []query.Expr{and(out)}, Loc: -1}}
	}
	return out, nil
}

func and(list []query.Expr) query.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return &query.BoolExpr{Op: query.And, Args: list, Loc: -1}
}

func or(list []query.Expr) query.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return &query.BoolExpr{Op: query.Or, Args: list, Loc: -1}
}

// anyOf is key = ANY (values); for a key that is an array, an OR of equalities.
func (b *Builder) anyOf(values []query.Expr) (query.Expr, error) {
	c := &b.Key.Cols[0]
	op, relabel, err := b.operator(0, equal)
	if err != nil {
		return nil, err
	}
	t, err := b.Catalog.Type(c.Type)
	if err != nil {
		return nil, err
	}
	if len(values) > 1 && t.Array != 0 {
		arr := &query.ArrayExpr{TypeOID: t.Array, ElemType: c.Type, Coll: c.TypColl, Elems: values, Loc: -1}
		return &query.ScalarArrayOpExpr{OpOID: op.OID, FuncOID: op.Func, UseOr: true, InputColl: c.Coll, Left: b.keyFor(c, relabel), Right: arr, Loc: -1}, nil
	}
	var arms []query.Expr
	for _, v := range values {
		arms = append(arms, b.compare(op, c, relabel, c.Value(), v))
	}
	return or(arms), nil
}

// operator finds a column's operator of its family; relabel: the key is of a type that the operator takes in another guise.
func (b *Builder) operator(col int, strategy int16) (*catalog.Operator, bool, error) {
	c := &b.Key.Cols[col]
	oid, err := b.Catalog.AmOp(c.Family, c.InType, c.InType, strategy)
	if err != nil {
		return nil, false, err
	}
	if oid == 0 {
		return nil, false, pgerr.Internal("missing operator %d(%d,%d) in partition opfamily %d", strategy, c.InType, c.InType, c.Family)
	}
	op, err := b.Catalog.Operator(oid)
	return op, c.Type != c.InType && c.InType != types.AnyarrayOID && c.InType != types.AnyenumOID && c.InType != types.AnyrangeOID && c.InType != types.RecordOID &&
		c.InType != types.AnymultirangeOID, err
}

func (b *Builder) keyFor(c *Column, relabel bool) query.Expr {
	e := c.Value()
	if relabel || c.Coll != c.TypColl {
		return &query.RelabelType{Arg: e, TypeOID: c.InType, Mod: -1, Coll: c.Coll, Form: query.CoerceExplicitCast, Loc: -1}
	}
	return e
}

func (b *Builder) compare(op *catalog.Operator, c *Column, relabel bool, left, right query.Expr) query.Expr {
	return &query.OpExpr{OpOID: op.OID, FuncOID: op.Func, TypeOID: types.BoolOID, InputColl: c.Coll, Args: []query.Expr{b.keyFor(c, relabel), right}, Loc: -1}
}

func (b *Builder) opExpr(col int, strategy int16, value query.Expr) (query.Expr, error) {
	op, relabel, err := b.operator(col, strategy)
	if err != nil {
		return nil, err
	}
	c := &b.Key.Cols[col]
	return b.compare(op, c, relabel, c.Value(), value), nil
}

// rangeDefault: everything that is in no other partition.
func (b *Builder) rangeDefault() ([]query.Expr, error) {
	var arms []query.Expr
	for i := range b.Desc.Parts {
		s := b.Desc.Parts[i].Bound
		if s.IsDefault {
			continue
		}
		q, err := b.rangeQuals(s, true)
		if err != nil {
			return nil, err
		}
		arms = append(arms, and(q))
	}
	if len(arms) == 0 {
		return nil, nil
	}
	others := and(append(b.notNulls(), or(arms)))
	return []query.Expr{&query.BoolExpr{Op: query.Not, Args: []query.Expr{others}, Loc: -1}}, nil
}

func (b *Builder) notNulls() (out []query.Expr) {
	for i := range b.Key.Cols {
		out = append(out, isNull(b.Key.Cols[i].Value(), true))
	}
	return out
}

func datum(list []query.Expr, i int) *query.PartitionRangeDatum {
	return list[i].(*query.PartitionRangeDatum)
}

// rangeQuals: the columns in which both bounds are equal are equalities; from the first that differs, each bound is an OR with one more column in each arm.
func (b *Builder) rangeQuals(s *query.PartitionBoundSpec, forDefault bool) (out []query.Expr, err error) {
	if !forDefault {
		out = b.notNulls()
	}
	n := len(b.Key.Cols)
	first := 0
	for ; first < n; first++ {
		l, u := datum(s.Lower, first), datum(s.Upper, first)
		if l.Kind != 0 || u.Kind != 0 || b.Key.Cols[first].Compare(l.Value.(*query.Const).Value, u.Value.(*query.Const).Value) != 0 {
			break
		}
		e, err := b.opExpr(first, equal, l.Value)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	lower, err := b.rangeArms(s.Lower, first, -1)
	if err != nil {
		return nil, err
	}
	upper, err := b.rangeArms(s.Upper, first, 1)
	if err != nil {
		return nil, err
	}
	for _, arms := range [][]query.Expr{lower, upper} {
		if len(arms) > 0 {
			out = append(out, or(arms))
		}
	}
	if len(out) == 0 {
		if forDefault {
			return b.notNulls(), nil
		}
		return []query.Expr{&query.Const{TypeOID: types.BoolOID, Mod: -1, Value: types.Bool(true), Loc: -1}}, nil
	}
	return out, nil
}

// rangeArms gives one bound's alternatives: the first compares column `first`, the next that as equal and one more, and so on. side is -1 for a lower
// bound, 1 for an upper one: an infinite column of that kind behind the last one compared makes it inclusive.
func (b *Builder) rangeArms(list []query.Expr, first, side int) (arms []query.Expr, err error) {
	n := len(b.Key.Cols)
	for last := first; last < n; last++ {
		if datum(list, last).Kind != 0 {
			break
		}
		var terms []query.Expr
		for i := first; i <= last; i++ {
			strategy := int16(equal)
			if i == last {
				inclusive := i+1 < n && datum(list, i+1).Kind == side
				switch {
				case side < 0 && (inclusive || i == n-1):
					strategy = greaterEqual
				case side < 0:
					strategy = greater
				case inclusive:
					strategy = lessEqual
				default:
					strategy = less
				}
			}
			e, err := b.opExpr(i, strategy, datum(list, i).Value)
			if err != nil {
				return nil, err
			}
			terms = append(terms, e)
		}
		arms = append(arms, and(terms))
		if last+1 < n && datum(list, last+1).Kind != 0 {
			break
		}
	}
	return arms, nil
}
