package plan_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	_ "github.com/calfdb/calf/sql/funcs"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// The plans of testdata/*.sql are compared with what PostgreSQL 15 chooses over the same tables, sizes and statistics. The recordings are made by
//
//	createdb calf_plan; psql calf_plan -f testdata/schema.sql
//	go test ./sql/plan -run Oracle -rewrite -oracle 'host=... dbname=calf_plan'
var (
	rewrite = flag.Bool("rewrite", false, "record what the oracle says")
	oracle  = flag.String("oracle", "", "connection string of a PostgreSQL 15 with testdata/schema.sql loaded")
)

type recordedStat struct {
	Rel                       types.OID
	Attr                      int16
	NullFrac, Width, Distinct float64
	Slots                     []recordedSlot
}

type recordedSlot struct {
	Kind      int16
	Op, Coll  types.OID
	Numbers   []float32
	Values    []string
	ValueType types.OID
}

type recordedExpr struct {
	Index types.OID
	Text  string
	Pred  string
}

// indexEnds are the least and greatest value of the integer indexes.
var indexEnds = map[string][2]int32{"tenk_unique1": {0, 9999}, "tenk_unique2": {0, 9999}, "tenk_hundred": {0, 99}, "tenk_thous": {0, 999},
	"pgbench_accounts_pkey": {1, 50000}, "small_pkey": {1, 200}, "child_pkey": {1, 5000}, "child_small": {1, 200}}

type recorded struct {
	Relations []*catalog.Relation
	Stats     []recordedStat
	Sizes     map[string]int32
	Heights   map[string]int
	Exprs     []recordedExpr
}

// fakeCatalog is the built-in catalog and the recorded tables with their statistics.
type fakeCatalog struct {
	*catalog.View
	rels    map[types.OID]*catalog.Relation
	stats   map[statKey]*catalog.Statistic
	sizes   map[types.OID]int32
	heights map[types.OID]int
	ends    map[types.OID][2]int32
	env     *types.Env
}

type statKey struct {
	rel types.OID
	att int16
}

func (f *fakeCatalog) Relation(oid types.OID) (*catalog.Relation, error) {
	if r := f.rels[oid]; r != nil {
		return r, nil
	}
	return f.View.Relation(oid)
}

func (f *fakeCatalog) RelationByName(schema, name string) (types.OID, error) {
	if schema == "" || schema == "public" {
		for _, r := range f.rels {
			if r.Name == name {
				return r.OID, nil
			}
		}
	}
	return f.View.RelationByName(schema, name)
}

func (f *fakeCatalog) Statistic(rel types.OID, att int16, inh bool) (*catalog.Statistic, error) {
	return f.stats[statKey{rel, att}], nil
}

func loadFake(t testing.TB) *fakeCatalog {
	data, err := os.ReadFile("testdata/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var rec recorded
	if err := json.Unmarshal(data, &rec); err != nil {
		t.Fatal(err)
	}
	f := &fakeCatalog{View: catalog.Builtin(), rels: map[types.OID]*catalog.Relation{}, stats: map[statKey]*catalog.Statistic{},
		sizes: map[types.OID]int32{}, heights: map[types.OID]int{}, ends: map[types.OID][2]int32{}}
	f.env = &types.Env{Catalog: f.View.TypeCatalog()}
	f.View.SetEnv(f.env)
	for _, r := range rec.Relations {
		f.rels[r.OID] = r
		for _, ix := range r.Indexes {
			ix.TableOID = r.OID
			f.rels[ix.OID] = &catalog.Relation{OID: ix.OID, Name: ix.Name, Kind: 'i', Desc: &types.TupleDesc{}}
			f.sizes[ix.OID] = ix.Pages
			f.heights[ix.OID] = rec.Heights[ix.Name]
			if e, ok := indexEnds[ix.Name]; ok {
				f.ends[ix.OID] = e
			}
			f.addExprs(t, r, ix, rec.Exprs)
		}
		f.sizes[r.OID] = rec.Sizes[r.Name]
	}
	for _, s := range rec.Stats {
		f.stats[statKey{s.Rel, s.Attr}] = f.statistic(t, s)
	}
	return f
}

// addExprs analyses an index's expressions and predicate.
func (f *fakeCatalog) addExprs(t testing.TB, r *catalog.Relation, ix *catalog.Index, exprs []recordedExpr) {
	for _, e := range exprs {
		if e.Index != ix.OID {
			continue
		}
		sel := "select 1"
		if e.Text != "" {
			sel = "select " + e.Text
		}
		sel += " from " + r.Name
		if e.Pred != "" {
			sel += " where " + e.Pred
		}
		q := f.analyze(t, sel)
		if e.Text != "" {
			ix.Exprs = []query.Expr{q.Targets[0].Expr}
		}
		ix.Pred = q.JoinTree.Quals
	}
}

func (f *fakeCatalog) statistic(t testing.TB, s recordedStat) *catalog.Statistic {
	st := &catalog.Statistic{NullFrac: s.NullFrac, Width: s.Width, Distinct: s.Distinct}
	for i, x := range s.Slots {
		slot := catalog.StatSlot{Kind: x.Kind, Op: x.Op, Coll: x.Coll, Numbers: x.Numbers, ValueType: x.ValueType}
		for _, v := range x.Values {
			d, err := types.Input(f.env, x.ValueType, -1, v)
			if err != nil {
				t.Fatal(err)
			}
			slot.Values = append(slot.Values, d)
		}
		st.Slots[i] = slot
	}
	return st
}

func (f *fakeCatalog) analyze(t testing.TB, sql string) *query.Query {
	q, err := f.tryAnalyze(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return q
}

func (f *fakeCatalog) tryAnalyze(sql string) (*query.Query, error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	env := &analyze.Env{Catalog: f, Types: f.env, Database: "calf_plan", Params: &analyze.Params{Variable: true},
		OpenRelation: func(schema, name string, mode int) (*catalog.Relation, error) {
			oid, err := f.RelationByName(schema, name)
			if err != nil || oid == 0 {
				return nil, err
			}
			return f.Relation(oid)
		}}
	return analyze.Statement(env, stmts[0])
}

func (f *fakeCatalog) planEnv() *plan.Env {
	set := plan.DefaultSettings()
	c := &expr.Compiler{Catalog: f, Env: f.env}
	return &plan.Env{Catalog: f, Types: f.env, Settings: &set,
		RelPages: func(oid types.OID) int32 { return f.sizes[oid] },
		IndexEnd: func(ix types.OID, last bool) (types.Datum, bool, error) {
			e, ok := f.ends[ix]
			if last {
				return types.Int4(e[1]), ok, nil
			}
			return types.Int4(e[0]), ok, nil
		},
		IndexHeight: func(oid types.OID) int { return f.heights[oid] },
		EvalConst:   func(e query.Expr) (types.Datum, error) { return expr.EvalConst(c, e) }}
}

func (f *fakeCatalog) plan(sql string, params []types.Datum) (p *plan.Planned, err error) {
	q, err := f.tryAnalyze(sql)
	if err != nil {
		return nil, err
	}
	return plan.Build(f.planEnv(), q, params, plan.CursorOptions{})
}

// recordSchema writes schema.json: descriptors, sizes and statistics of the tables in schema public.
func recordSchema(t *testing.T, conn *pgx.Conn) {
	var out string
	err := conn.QueryRow(context.Background(), `
with rel as (select * from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
select jsonb_pretty(jsonb_build_object(
 'Relations', (select jsonb_agg(jsonb_build_object('OID', c.oid::bigint, 'Name', relname, 'Namespace', 2200, 'RowType', reltype::bigint, 'Kind', ascii(relkind),
   'Pages', relpages, 'Tuples', reltuples, 'AllVisible', relallvisible,
   'Desc', jsonb_build_object('TypeOID', reltype::bigint, 'TypMod', -1, 'Attrs', (select jsonb_agg(jsonb_build_object('Name', attname, 'TypeOID', atttypid::bigint,
      'TypMod', atttypmod, 'Collation', attcollation::bigint, 'Num', attnum, 'NotNull', attnotnull) order by attnum)
      from pg_attribute where attrelid = c.oid and attnum > 0)),
   'FKs', (select jsonb_agg(jsonb_build_object('RefRel', confrelid::bigint, 'Keys', conkey, 'RefKeys', confkey)) from pg_constraint
      where conrelid = c.oid and contype = 'f'),
   'Indexes', (select jsonb_agg(jsonb_build_object('OID', indexrelid::bigint, 'Name', ic.relname, 'AM', ic.relam::bigint, 'Pages', ic.relpages, 'Tuples', ic.reltuples,
      'Primary', indisprimary, 'Unique', indisunique, 'Immediate', indimmediate, 'Valid', indisvalid, 'Keys', indkey::int2[], 'NumKeys', indnkeyatts,
      'OpClasses', string_to_array(indclass::text, ' ')::bigint[],
      'OpFamilies', (select jsonb_agg(opcfamily::bigint order by o.n) from unnest(indclass) with ordinality o(c, n) join pg_opclass k on k.oid = o.c),
      'OpcInTypes', (select jsonb_agg(opcintype::bigint order by o.n) from unnest(indclass) with ordinality o(c, n) join pg_opclass k on k.oid = o.c),
      'Collations', string_to_array(indcollation::text, ' ')::bigint[],
      'Desc', (select jsonb_agg(o & 1 = 1) from unnest(indoption) o), 'NullsFirst', (select jsonb_agg(o & 2 = 2) from unnest(indoption) o))
      order by indexrelid) from pg_index join pg_class ic on ic.oid = indexrelid where indrelid = c.oid)) order by relname) from rel c),
 'Sizes', (select jsonb_object_agg(relname, pg_relation_size(oid) / 8192) from rel),
 'Heights', (select jsonb_object_agg(i.relname, case when i.relpages <= 2 then 0 else 1 end) from rel c join pg_index x on indrelid = c.oid
    join pg_class i on i.oid = indexrelid),
 'Exprs', (select jsonb_agg(jsonb_build_object('Index', indexrelid::bigint, 'Text', coalesce(pg_get_expr(indexprs, indrelid), ''),
    'Pred', coalesce(pg_get_expr(indpred, indrelid), ''))) from pg_index join rel c on c.oid = indrelid where indexprs is not null or indpred is not null),
 'Stats', (select jsonb_agg(jsonb_build_object('Rel', starelid::bigint, 'Attr', staattnum, 'NullFrac', stanullfrac, 'Width', stawidth, 'Distinct', stadistinct,
    'Slots', jsonb_build_array(
      jsonb_build_object('Kind', stakind1, 'Op', staop1::bigint, 'Coll', stacoll1::bigint, 'Numbers', stanumbers1, 'Values', stavalues1::text::text[], 'ValueType', atttypid::bigint),
      jsonb_build_object('Kind', stakind2, 'Op', staop2::bigint, 'Coll', stacoll2::bigint, 'Numbers', stanumbers2, 'Values', stavalues2::text::text[], 'ValueType', atttypid::bigint),
      jsonb_build_object('Kind', stakind3, 'Op', staop3::bigint, 'Coll', stacoll3::bigint, 'Numbers', stanumbers3, 'Values', stavalues3::text::text[], 'ValueType', atttypid::bigint),
      jsonb_build_object('Kind', stakind4, 'Op', staop4::bigint, 'Coll', stacoll4::bigint, 'Numbers', stanumbers4, 'Values', stavalues4::text::text[], 'ValueType', atttypid::bigint))))
    from pg_statistic join pg_attribute on attrelid = starelid and attnum = staattnum join pg_class c on c.oid = starelid
    where c.relnamespace = 'public'::regnamespace)))`).Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/schema.json", []byte(out+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func code(err error) string { return string(pgerr.CodeOf(err)) }
