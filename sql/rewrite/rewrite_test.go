package rewrite

import (
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/internal/fakecatalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

type fixture struct {
	*fakecatalog.Catalog
	t *testing.T
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{fakecatalog.Load(), t}
	f.SetView("v1", f.analyze("select a, b from t1 where a > 0"))
	return f
}

func (f *fixture) env() *analyze.Env {
	return &analyze.Env{Catalog: f, Types: f.Env(), OpenRelation: f.OpenRelation}
}

// Dependents says that every identity column's sequence is a fake one.
func (f *fixture) Dependents(ref catalog.Object, each func(o catalog.Object, refSub int32, kind byte) (bool, error)) error {
	_, err := each(catalog.Object{Class: 1259, OID: 99}, ref.Sub, 'i')
	return err
}

func (f *fixture) Relation(oid OID) (*catalog.Relation, error) {
	if oid == 99 {
		return &catalog.Relation{OID: 99, Kind: 'S'}, nil
	}
	return f.Catalog.Relation(oid)
}

func (f *fixture) analyze(sql string) *query.Query {
	f.t.Helper()
	stmts, err := parse.Parse(sql)
	if err != nil {
		f.t.Fatal(sql, err)
	}
	q, err := analyze.Statement(f.env(), stmts[0])
	if err != nil {
		f.t.Fatal(sql, err)
	}
	return q
}

func (f *fixture) rewrite(sql string) (*query.Query, error) {
	f.t.Helper()
	q := f.analyze(sql)
	before, _ := query.EncodeQuery(q)
	out, err := Rewrite(f.env(), q)
	if after, _ := query.EncodeQuery(q); after != before {
		f.t.Errorf("%s: the analysed query changed", sql)
	}
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (f *fixture) must(sql string) *query.Query {
	f.t.Helper()
	q, err := f.rewrite(sql)
	if err != nil {
		f.t.Fatal(sql, err)
	}
	return q
}

func TestView(t *testing.T) {
	f := newFixture(t)
	for _, sql := range []string{"select * from v1", "select (select max(a) from v1)", "with c as (select * from v1) select * from c",
		"select * from (select * from v1) x", "select * from t1 where a in (select a from v1)"} {
		q := f.must(sql)
		found := 0
		var visit func(q *query.Query)
		visit = func(q *query.Query) {
			for _, rte := range q.RangeTable {
				if rte.Kind == query.RTERelation && rte.RelKind == 'v' {
					t.Errorf("%s: a view is left", sql)
				}
				if rte.Kind == query.RTESubquery && rte.RelOID != 0 {
					found++
				}
			}
			query.WalkQuery(q, func(query.Expr) bool { return true }, visit)
		}
		visit(q)
		if found != 1 {
			t.Errorf("%s: %d views were expanded", sql, found)
		}
	}
}

func TestInsertDefaults(t *testing.T) {
	f := newFixture(t)
	q := f.must("insert into people (name) values ('x')")
	if len(q.Targets) != 5 {
		t.Fatalf("%d targets, not one for each column", len(q.Targets))
	}
	if n, ok := q.Targets[2].Expr.(*query.NextValueExpr); !ok || n.SeqOID != 99 {
		t.Errorf("the identity column is filled by %T", q.Targets[2].Expr)
	}
	q = f.must("insert into t1 (a, b) values (1, default), (2, 'x')")
	rows := q.RangeTable[valuesEntry(q)-1].Values
	if c, ok := rows[0][1].(*query.Const); !ok || !c.Value.IsNull() || c.TypeOID != types.TextOID {
		t.Errorf("DEFAULT became %#v", rows[0][1])
	}
	q = f.must("insert into arr (id, ia[1], ia[2]) values (1, 2, 3)")
	outer := q.Targets[1].Expr.(*query.SubscriptingRef)
	if _, ok := outer.Container.(*query.SubscriptingRef); !ok {
		t.Error("two assignments to one array were not merged")
	}
	if c := f.must("select defs(1, c => 'z')").Targets[0].Expr.(*query.FuncExpr); len(c.Args) != 3 {
		t.Errorf("a call has %d arguments, not 3", len(c.Args))
	}
}

func TestUpdatableView(t *testing.T) {
	f := newFixture(t)
	t1, _ := f.RelationByName("", "t1")
	for _, sql := range []string{"insert into v1 values (1, 'x')", "update v1 set b = 'y' where a = 3 returning a, v1", "delete from v1 where b = 'x'"} {
		q := f.must(sql)
		rte := q.RangeTable[q.ResultRelation-1]
		if rte.RelOID != t1 || rte.RequiredPerms == 0 {
			t.Errorf("%s: the target is %d", sql, rte.RelOID)
		}
		hasQual := strings.Contains(query.Encode(q.JoinTree.Quals), "OpExpr")
		if hasQual != (q.Command != query.CmdInsert) {
			t.Errorf("%s: the view's condition is misplaced", sql)
		}
	}
	f.SetView("v1", f.analyze("select a, upper(b) from t1"))
	f.wantError("update v1 set b = 'x'", "0A000", `cannot update column "upper" of view "v1"`)
	f.SetView("v1", f.analyze("select distinct a, b from t1"))
	f.wantError("insert into v1 values (1, 'x')", "55000", `cannot insert into view "v1"`)
	f.SetView("v1", f.analyze("select a, b from v1"))
	f.wantError("select * from v1", "42P17", `infinite recursion detected in rules for relation "v1"`)
}

func TestGenerated(t *testing.T) {
	f := newFixture(t)
	f.wantError("insert into people (ident) values (1)", "428C9", `cannot insert a non-DEFAULT value into column "ident"`)
	f.wantError("insert into people (twice) values (1)", "428C9", `cannot insert a non-DEFAULT value into column "twice"`)
	f.wantError("update people set ident = 1", "428C9", `column "ident" can only be updated to DEFAULT`)
	f.must("insert into people (ident) overriding system value values (1)")
	f.must("insert into people (ident) values (default), (default)")
	f.must("update people set twice = default")
}

func (f *fixture) wantError(sql, code, message string) {
	f.t.Helper()
	_, err := f.rewrite(sql)
	if e := pgerr.From(orNil(err)); string(e.Code) != code || e.Message != message {
		f.t.Errorf("%s: %s %q", sql, e.Code, e.Message)
	}
}

func orNil(err error) error {
	if err == nil {
		return pgerr.New("", "no error")
	}
	return err
}
