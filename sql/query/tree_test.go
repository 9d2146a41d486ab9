package query

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/calfdb/calf/sql/types"
)

// filler makes random trees by reflection, so that every field of every node takes part in the round trip.
type filler struct {
	rng   *rand.Rand
	exprs []reflect.Type
}

func newFiller(seed uint64) *filler {
	f := &filler{rng: rand.New(rand.NewPCG(seed, 1))}
	for _, e := range []Expr{&Var{}, &Const{}, &Param{}, &FuncExpr{}, &NamedArg{}, &OpExpr{}, &DistinctExpr{}, &NullIfExpr{}, &ScalarArrayOpExpr{},
		&BoolExpr{}, &Aggref{}, &GroupingFunc{}, &WindowFunc{}, &SubLink{}, &SubPlan{}, &AlternativeSubPlan{}, &FieldSelect{}, &FieldStore{},
		&SubscriptingRef{}, &RelabelType{}, &CoerceViaIO{}, &ArrayCoerceExpr{}, &ConvertRowtypeExpr{}, &CollateExpr{}, &CaseExpr{},
		&CaseTestExpr{}, &ArrayExpr{}, &RowExpr{}, &RowCompareExpr{}, &CoalesceExpr{}, &MinMaxExpr{}, &SQLValueFunction{}, &NullTest{},
		&BooleanTest{}, &CoerceToDomain{}, &CoerceToDomainValue{}, &SetToDefault{}, &CurrentOfExpr{}, &NextValueExpr{}, &InferenceElem{},
		&PartitionBoundSpec{}, &PartitionRangeDatum{}} {
		f.exprs = append(f.exprs, reflect.TypeOf(e).Elem())
	}
	return f
}

func (f *filler) value(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if t == reflect.TypeOf(types.Datum{}) {
		switch f.rng.IntN(3) {
		case 0:
			return reflect.ValueOf(types.Null)
		case 1:
			return reflect.ValueOf(types.Int8(int64(f.rng.Uint64())))
		}
		return reflect.ValueOf(types.Text(fmt.Sprintf("it's %c {(%d", rune(f.rng.IntN(300)), f.rng.IntN(99))))
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(f.rng.IntN(2) == 0)
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.rng.IntN(200) - 100))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.rng.IntN(200)))
	case reflect.Float64:
		v.SetFloat(f.rng.Float64())
	case reflect.String:
		v.SetString([]string{"", "a", `q"u\o`, "b c)", "ä\n"}[f.rng.IntN(5)])
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(f.value(t.Elem(), depth-1))
		}
	case reflect.Struct:
		for i := range t.NumField() {
			switch t.Field(i).Name {
			case "Loc", "Location":
				v.Field(i).SetInt(-1)
			case "StmtLocation", "StmtLen":
			default:
				v.Field(i).Set(f.value(t.Field(i).Type, depth))
			}
		}
	case reflect.Slice:
		if depth > 0 && f.rng.IntN(4) > 0 {
			v.Set(reflect.MakeSlice(t, 0, 2))
			for range f.rng.IntN(3) {
				v.Set(reflect.Append(v, f.value(t.Elem(), depth-1)))
			}
		}
	case reflect.Map:
		if f.rng.IntN(2) == 0 {
			v.Set(reflect.ValueOf(map[int]bool{f.rng.IntN(9): true, 77: true}))
		}
	case reflect.Interface:
		v.Set(f.iface(t, depth))
	}
	return v
}

func (f *filler) iface(t reflect.Type, depth int) reflect.Value {
	zero := reflect.Zero(t)
	if depth <= 0 {
		return zero
	}
	var impl reflect.Type
	switch t.Name() {
	case "Expr":
		impl = f.exprs[f.rng.IntN(len(f.exprs))]
	case "FromItem":
		impl = []reflect.Type{reflect.TypeFor[RangeTblRef](), reflect.TypeFor[JoinExpr](), reflect.TypeFor[FromExpr]()}[f.rng.IntN(3)]
	case "SetOpNode":
		impl = []reflect.Type{reflect.TypeFor[RangeTblRef](), reflect.TypeFor[SetOperation]()}[f.rng.IntN(2)]
	default:
		return zero
	}
	p := reflect.New(impl)
	p.Elem().Set(f.value(impl, depth-1))
	return p
}

func TestRoundTrip(t *testing.T) {
	const seed = 42
	f := newFiller(seed)
	for _, typ := range f.exprs {
		for range 30 {
			p := reflect.New(typ)
			p.Elem().Set(f.value(typ, 3))
			e := p.Interface().(Expr)
			text := Encode(e)
			got, err := Decode(text)
			if err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, typ.Name(), err, text)
			}
			if !Equal(e, got) || Encode(got) != text {
				t.Fatalf("seed %d: %s came back different:\n%s\n%s", seed, typ.Name(), text, Encode(got))
			}
			c := Copy(e)
			if c == e || !Equal(c, e) || Encode(c) != text {
				t.Fatalf("seed %d: %s: the copy differs", seed, typ.Name())
			}
			if same := MutateChildren(e, func(x Expr) Expr { return x }); same != e {
				if _, hasQuery := e.(*SubLink); !hasQuery {
					t.Fatalf("%s: nothing changed, but a copy was made", typ.Name())
				}
			}
		}
	}
}

func TestQueryRoundTrip(t *testing.T) {
	const seed = 7
	f := newFiller(seed)
	for range 20 {
		q := f.value(reflect.TypeFor[Query](), 4).Interface().(Query)
		text, err := EncodeQueries([]*Query{&q})
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeQueries(text)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !EqualQuery(&q, got[0]) || !EqualQuery(CopyQuery(&q), got[0]) {
			t.Fatalf("seed %d: a query came back different:\n%s", seed, text)
		}
	}
}

func TestDecodeBroken(t *testing.T) {
	good := Encode(&OpExpr{OpOID: 96, Args: []Expr{&Var{VarNo: 1, AttNo: 1, TypeOID: 23, Mod: -1}, &Const{TypeOID: 23, Value: types.Int4(1)}}})
	for n := range len(good) {
		if _, err := Decode(good[:n]); err == nil {
			t.Errorf("cut at %d was accepted", n)
		}
	}
	for _, s := range []string{"", "calf0 {Var}", "calf1 {Nothing}", "calf1 {Var Color 1}", "calf1 {Var} x", "calf1 {OpExpr Args 7}", "calf1 {Alias}"} {
		if _, err := Decode(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}

func TestMutateLevels(t *testing.T) {
	outer := func() Expr { return &Var{VarNo: 1, AttNo: 2, LevelsUp: 1} }
	sub := &Query{Command: CmdSelect, Targets: []*TargetEntry{{Expr: outer(), ResNo: 1}}, JoinTree: &FromExpr{Quals: outer()}}
	e := Expr(&BoolExpr{Args: []Expr{&Var{VarNo: 1, AttNo: 2}, &SubLink{Kind: ExistsSubLink, Subquery: sub}}})
	seen := 0
	got := MutateLevels(e, func(x Expr, level int) (Expr, bool) {
		if v, ok := x.(*Var); ok && v.LevelsUp == level {
			seen++
			c := *v
			c.VarNo = 9
			return &c, true
		}
		return nil, false
	})
	if seen != 3 {
		t.Errorf("%d variables of the outer level were seen, not 3", seen)
	}
	if sub.Targets[0].Expr.(*Var).VarNo != 1 {
		t.Error("the original changed")
	}
	left := 0
	WalkLevels(got, func(x Expr, level int) bool {
		if v, ok := x.(*Var); ok && v.VarNo == 9 && v.LevelsUp == level {
			left++
		}
		return true
	})
	if left != 3 {
		t.Errorf("%d variables were replaced, not 3", left)
	}
}

func BenchmarkDecode(b *testing.B) {
	text := Encode(&OpExpr{OpOID: 96, FuncOID: 65, TypeOID: 16, Args: []Expr{&Var{VarNo: 1, AttNo: 1, TypeOID: 23, Mod: -1},
		&Const{TypeOID: 23, Mod: -1, Value: types.Int4(1)}}})
	for b.Loop() {
		Decode(text)
	}
}

// TestMutateKeepsOtherRows: of VALUES lists one row changes, the others stay.
func TestMutateKeepsOtherRows(t *testing.T) {
	one, two := &Const{TypeOID: types.Int4OID, Value: types.Int4(1)}, &Const{TypeOID: types.Int4OID, Value: types.Int4(2)}
	q := &Query{RangeTable: []*RTE{{Kind: RTEValues, Values: [][]Expr{{two}, {one}, {two}}}}}
	p := &Param{ID: 1, TypeOID: types.Int4OID}
	got := MutateQuery(q, func(e Expr) (Expr, bool) { return p, e == Expr(one) }, nil).RangeTable[0].Values
	for i, want := range []Expr{two, p, two} {
		if len(got[i]) != 1 || got[i][0] != want {
			t.Errorf("row %d: %v", i, got[i])
		}
	}
}
