package plancache

import (
	"testing"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// bench is a session over the built-in catalog: statements over one catalog table, analysed by hand.
type bench struct {
	catalog.Lookup
	rel      *catalog.Relation // what a look-up of the table gives now
	path     []OID
	locks    int
	unlocks  int
	analyses int
	columns  int
	inval    uint64
	env      Env
}

const classOID OID = 1259

func newBench(t *testing.T) *bench {
	b := &bench{Lookup: catalog.Builtin(), path: []OID{11}, columns: 1}
	rel, err := b.Lookup.Relation(classOID)
	if err != nil || rel == nil {
		t.Fatal(err)
	}
	b.rel = rel
	set := plan.DefaultSettings()
	b.env = Env{Plan: &plan.Env{Catalog: b, Types: &types.Env{}, Settings: &set, RelPages: func(OID) int32 { return 1000 }},
		Analyze:        b.analyze,
		LockRelation:   func(OID, int) error { b.locks++; return nil },
		UnlockRelation: func(OID, int) { b.unlocks++ },
		InvalCount:     func() uint64 { return b.inval },
	}
	return b
}

func (b *bench) Relation(oid OID) (*catalog.Relation, error) {
	if oid == classOID {
		return b.rel, nil
	}
	return b.Lookup.Relation(oid)
}

func (b *bench) SearchPath() []OID { return b.path }

// analyze makes SELECT oid, ... FROM pg_class WHERE oid = $1.
func (b *bench) analyze(any, string, []OID) (Analyzed, error) {
	b.analyses++
	v := &query.Var{VarNo: 1, AttNo: 1, TypeOID: types.OidOID, Mod: -1, Loc: -1}
	eq := &query.OpExpr{OpOID: 607, FuncOID: 184, TypeOID: types.BoolOID, Loc: -1,
		Args: []query.Expr{v, &query.Param{ID: 1, TypeOID: types.OidOID, Mod: -1, Loc: -1}}}
	q := &query.Query{Command: query.CmdSelect, CanSetTag: true,
		RangeTable: []*query.RTE{{Kind: query.RTERelation, RelOID: classOID, RelKind: 'r', LockMode: 1, Eref: &query.Alias{Name: "pg_class"}, InFrom: true}},
		JoinTree:   &query.FromExpr{Items: []query.FromItem{&query.RangeTblRef{Index: 1}}, Quals: eq}}
	for i := 0; i < b.columns; i++ {
		q.Targets = append(q.Targets, &query.TargetEntry{Expr: v, ResNo: i + 1, Name: "oid"})
	}
	return Analyzed{Queries: []*query.Query{q}, ParamTypes: []OID{types.OidOID}, Result: q.Targets}, nil
}

// alter is DDL on the table: a new descriptor, and an invalidation.
func (b *bench) alter() {
	r := b.rel
	b.rel = &catalog.Relation{OID: r.OID, Name: r.Name, Kind: r.Kind, Namespace: r.Namespace, RowType: r.RowType, Tuples: r.Tuples, Pages: r.Pages, Desc: r.Desc,
		Indexes: r.Indexes, Version: r.Version + 1}
	b.inval++
}

func (b *bench) get(t *testing.T, s *Source) *Plans {
	t.Helper()
	p, err := s.Get(&b.env, []types.Datum{types.Oid(1259)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFiveCustomThenGeneric(t *testing.T) {
	b := newBench(t)
	s := New(nil, "", "SELECT", nil)
	for i := 1; i <= 8; i++ {
		if p := b.get(t, s); p.Generic != (i > 5) {
			t.Errorf("execution %d: generic %v", i, p.Generic)
		}
	}
	if g, c := s.Counts(); g != 3 || c != 5 {
		t.Errorf("%d generic, %d custom plans", g, c)
	}
	if b.analyses != 1 {
		t.Errorf("analysed %d times", b.analyses)
	}
}

func TestPlanCacheMode(t *testing.T) {
	b := newBench(t)
	s := New(nil, "", "SELECT", nil)
	b.env.Plan.Settings.PlanCacheMode = plan.PlanCacheForceGeneric
	if !b.get(t, s).Generic {
		t.Error("force_generic_plan gave a custom plan")
	}
	b.env.Plan.Settings.PlanCacheMode = plan.PlanCacheForceCustom
	for i := 0; i < 7; i++ {
		if b.get(t, s).Generic {
			t.Error("force_custom_plan gave a generic plan")
		}
	}
}

func TestInvalidation(t *testing.T) {
	b := newBench(t)
	s := New(nil, "", "SELECT", nil)
	b.env.Plan.Settings.PlanCacheMode = plan.PlanCacheForceGeneric
	first := b.get(t, s)
	if b.get(t, s) != first {
		t.Error("a valid plan was not used again")
	}
	b.inval++ // something else changed: the check finds the same descriptors
	if b.get(t, s) != first || b.analyses != 1 {
		t.Error("a foreign invalidation threw the plan away")
	}
	b.alter()
	if b.get(t, s) == first || b.analyses != 2 {
		t.Error("a plan over a changed table was used")
	}
	if b.unlocks == 0 {
		t.Error("the stale plan's locks were kept")
	}
	b.path = []OID{11, 2200}
	b.get(t, s)
	if b.analyses != 3 {
		t.Error("a changed search path was ignored")
	}
}

func TestFixedResult(t *testing.T) {
	b := newBench(t)
	s := New(nil, "", "SELECT", nil)
	b.get(t, s)
	s.SetFixedResult()
	b.columns = 2
	b.alter()
	_, err := s.Get(&b.env, nil)
	if pgerr.CodeOf(err) != pgerr.FeatureNotSupported || err.Error() != "cached plan must not change result type" {
		t.Errorf("got %v", err)
	}
}
