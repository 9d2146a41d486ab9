package analyze

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/calfdb/calf/sql/internal/fakecatalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// The statements of testdata/*.sql are analysed, and what a client's Parse and Describe would be told is compared with what PostgreSQL 15 said:
// parameter types, columns with their types and origins, or the error. The recordings (*.out, fakecatalog/schema.json) are made by
//
//	createdb calf_analyze; psql calf_analyze -f sql/internal/fakecatalog/schema.sql
//	go test ./sql/analyze -run Oracle -rewrite -oracle 'host=... dbname=calf_analyze'
var (
	rewrite = flag.Bool("rewrite", false, "record what the oracle says")
	oracle  = flag.String("oracle", "", "connection string of a PostgreSQL 15 with schema.sql loaded")
)

// fakeCatalog is the catalog of these tests.
type fakeCatalog struct{ *fakecatalog.Catalog }

func loadFake() *fakeCatalog { return &fakeCatalog{fakecatalog.Load()} }

func (f *fakeCatalog) env() *Env {
	return &Env{Catalog: f, Types: f.Env(), Database: "calf_analyze", Params: &Params{Variable: true}, OpenRelation: f.OpenRelation}
}

// describe gives the answer as the recordings have it.
func (f *fakeCatalog) describe(sql string) string {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return describeError(pgerr.From(err))
	}
	env := f.env()
	q, err := Statement(env, stmts[0])
	if err != nil {
		return describeError(pgerr.From(err))
	}
	for i, t := range env.Params.Types {
		if t == 0 || t == types.UnknownOID {
			return describeError(pgerr.New(pgerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1))
		}
	}
	var b strings.Builder
	if len(env.Params.Types) > 0 {
		fmt.Fprintf(&b, "params %v\n", env.Params.Types)
	}
	for _, t := range visibleTargets(q) {
		typ, mod := newState(env, nil).baseTypeMod(t.Expr.Type(), t.Expr.TypMod()) // clients are told a domain's base type
		fmt.Fprintf(&b, "column %s type %d mod %d", t.Name, typ, mod)
		if t.OrigTable != 0 {
			rel, _ := f.Relation(t.OrigTable)
			fmt.Fprintf(&b, " of %s.%d", rel.Name, t.OrigCol)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func describeError(e *pgerr.Error) string {
	s := fmt.Sprintf("ERROR %s at %d: %s\n", e.Code, e.Location, e.Message)
	if e.Detail != "" {
		s += "DETAIL: " + e.Detail + "\n"
	}
	if e.Hint != "" {
		s += "HINT: " + e.Hint + "\n"
	}
	return s
}

// readStatements reads one statement a line; # begins a comment line.
func readStatements(t testing.TB, file string) (out []string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

func TestOracle(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.sql")
	if *rewrite {
		record(t, files)
	}
	f := loadFake()
	failures, skipped := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(strings.TrimSuffix(file, ".sql") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range strings.Split(strings.TrimSuffix(string(data), "\n\n"), "\n\n") {
			sql, want, _ := strings.Cut(rec, "\n----\n")
			got := strings.TrimSuffix(f.describe(sql), "\n")
			switch {
			case got == strings.TrimSuffix(want, "\n"):
			case pending(got):
				skipped++
			default:
				failures++
				t.Errorf("%s: %s\n got: %s\nwant: %s", filepath.Base(file), sql, got, want)
			}
		}
	}
	t.Logf("%d statements differ, %d need functions of types that are not there yet", failures, skipped)
}

// pending says whether analysis ended at a type's missing input function, which is not this package's.
func pending(got string) bool {
	return strings.HasPrefix(got, "ERROR 0A000") && strings.Contains(got, "function ") && strings.Contains(got, " is not supported yet") ||
		strings.Contains(got, "type modifier is not allowed for type")
}

// record asks the oracle.
func record(t *testing.T, files []string) {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, *oracle)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	recordSchema(t, conn)
	names := map[uint32]string{}
	rows, _ := conn.Query(ctx, "select oid, relname from pg_class")
	for rows.Next() {
		var oid uint32
		var name string
		rows.Scan(&oid, &name)
		names[oid] = name
	}
	for _, file := range files {
		var b strings.Builder
		for _, sql := range readStatements(t, file) {
			fmt.Fprintf(&b, "%s\n----\n%s\n", sql, oracleSays(ctx, conn, sql, names))
		}
		if err := os.WriteFile(strings.TrimSuffix(file, ".sql")+".out", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func oracleSays(ctx context.Context, conn *pgx.Conn, sql string, names map[uint32]string) string {
	d, err := conn.Prepare(ctx, "", sql)
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		at := 0
		if pe.Position > 0 {
			at = len(string([]rune(sql)[:pe.Position-1])) + 1
		}
		return describeError(&pgerr.Error{Code: pgerr.Code(pe.Code), Message: pe.Message, Detail: pe.Detail, Hint: pe.Hint, Location: at})
	}
	var b strings.Builder
	if len(d.ParamOIDs) > 0 {
		fmt.Fprintf(&b, "params %v\n", d.ParamOIDs)
	}
	for _, f := range d.Fields {
		fmt.Fprintf(&b, "column %s type %d mod %d", f.Name, f.DataTypeOID, f.TypeModifier)
		if f.TableOID != 0 {
			fmt.Fprintf(&b, " of %s.%d", names[f.TableOID], int16(f.TableAttributeNumber))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// recordSchema writes schema.json: the descriptors of everything in schema public.
func recordSchema(t *testing.T, conn *pgx.Conn) {
	ctx := context.Background()
	var out string
	err := conn.QueryRow(ctx, `
with ns as (select 'public'::regnamespace::oid as oid)
select jsonb_pretty(jsonb_build_object(
 'Relations', (select jsonb_agg(jsonb_build_object('OID', c.oid::bigint, 'Name', relname, 'Namespace', 2200, 'RowType', reltype::bigint, 'Kind', ascii(relkind),
   'Desc', jsonb_build_object('TypeOID', reltype::bigint, 'TypMod', -1, 'Attrs', (select jsonb_agg(jsonb_build_object('Name', attname, 'TypeOID', atttypid::bigint,
      'TypMod', atttypmod, 'Collation', attcollation::bigint, 'Num', attnum, 'NotNull', attnotnull, 'HasDefault', atthasdef, 'Identity', ascii(attidentity),
      'Generated', ascii(attgenerated), 'Dropped', attisdropped) order by attnum) from pg_attribute where attrelid = c.oid and attnum > 0)),
   'Indexes', (select jsonb_agg(jsonb_build_object('OID', indexrelid::bigint, 'Primary', indisprimary, 'Unique', indisunique, 'Immediate', indimmediate,
      'Keys', indkey::int2[], 'NumKeys', indnkeyatts, 'Constraint', (select oid::bigint from pg_constraint where conindid = indexrelid)))
      from pg_index where indrelid = c.oid)) order by relname)
   from pg_class c, ns where relnamespace = ns.oid and relkind in ('r', 'v', 'c')),
 'Types', (select jsonb_agg(jsonb_build_object('OID', t.oid::bigint, 'Name', typname, 'Namespace', 2200, 'Len', typlen, 'ByVal', typbyval, 'Kind', ascii(typtype),
   'Category', ascii(typcategory), 'Preferred', typispreferred, 'Defined', typisdefined, 'Delim', ascii(typdelim), 'RelID', typrelid::bigint,
   'Subscript', typsubscript::oid::bigint, 'Elem', typelem::bigint, 'Array', typarray::bigint, 'Input', typinput::oid::bigint,
   'Output', typoutput::oid::bigint, 'Align', ascii(typalign), 'Storage', ascii(typstorage), 'BaseType', typbasetype::bigint, 'TypMod', typtypmod,
   'Collation', typcollation::bigint, 'EnumLabels', (select jsonb_agg(jsonb_build_object('OID', e.oid::bigint, 'Sort', enumsortorder, 'Label', enumlabel)
     order by enumsortorder) from pg_enum e where enumtypid = t.oid)) order by typname)
   from pg_type t, ns where typnamespace = ns.oid),
 'Procs', (select jsonb_agg(jsonb_build_object('OID', p.oid::bigint, 'Name', proname, 'Namespace', 2200, 'Variadic', provariadic::bigint,
   'Kind', ascii(prokind), 'RetSet', proretset, 'NArgDefaults', pronargdefaults, 'RetType', prorettype::bigint,
   'ArgTypes', string_to_array(proargtypes::text, ' ')::bigint[], 'AllArgTypes', proallargtypes::bigint[], 'ArgNames', proargnames,
   'ArgModes', translate(encode(array_to_string(proargmodes, '')::bytea, 'base64'), E'\n', '')) order by proname) from pg_proc p, ns where pronamespace = ns.oid)))`).Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../internal/fakecatalog/schema.json", []byte(out+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
