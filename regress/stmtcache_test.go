package regress

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// cacheSchema has a column of each type that literals are read as.
const cacheSchema = `
create table t (a int primary key, b bigint, c text, d numeric(8,2), e date, f varchar(5), g char(4), h float8, i timestamptz, j smallint, k interval, l boolean);
create index on t (b);
create index on t (c);
create table u (x int references t, y text not null default 'none' check (y <> 'nine'));
create view v as select a, c, d + 1 as d1 from t where b > -100;
create type mood as enum ('sad', 'ok');
create table m (x text, y int[], z jsonb);
alter table m alter x type mood using x::mood;
create domain posint as int check (value > 0);
create table p (x int, y int default 7);
alter table p alter x type posint;
insert into t select n, n * 10, 'c' || n % 7, n / 3.0, date '2020-01-01' + n, n % 5, n % 3, n * 1.5, '2020-01-01 00:00Z'::timestamptz + n * interval '1 hour', n, n * interval '1 min', n % 2 = 0 from generate_series(1, 60) n;
insert into u select n, n::text from generate_series(1, 30) n;
insert into m values ('sad', '{1,2}', '{"a": 1}'), ('ok', null, '[1]');
analyze;`

// cacheLiterals are put where a template says %; some are errors at some places.
var cacheLiterals = strings.Split(`0|1|2|5|17|42|007|-1|-5|- 3|2147483647|2147483648|-2147483648|-2147483649|9223372036854775807|9223372036854775808|-9223372036854775808|`+
	`99999999999999999999|1.5|-0.25|.5|5.|1e2|-1e3|1e400|'1'|'5'|' 12 '|'-3'|'c1'|'c3'|'a''b'|''''|''|'toolong'|'toolong!'|'2020-01-15'|'2020-02-30'|`+
	`'today'|'1 hour'|'1:30'|'t'|'off'|'nine'|'{1,2}'|'[1]'|'sad'|'glad'|'é'|E'c\x31'|$$c2$$|U&'c\0031'|null|true|B'1'|'1.5'|'NaN'|'c%'|'_1'|`+
	`'2020-01-03 04:00Z'|interval '2 hours'|date '2020-01-09'|'5'::int|'c5'::text|cast('4' as int)|-'5'|(7)|(-7)|1+1`, "|")

var cacheTemplates = strings.Split(strings.TrimSpace(`
select * from t where a = %
select a, c from t where b = %
select a from t where c = %
select a from t where d < % and a > %
select a from t where e = %
select a, f from t where f = %
select a, g from t where g = %
select a from t where h > %
select a from t where i < %
select a from t where j = % or k > %
select a from t where l = %
select a from t where not a <> % and (b > % or c <> %);
select a from t where a + % > %
select a from t where a * % = b - %
select a from t where -a = %
select a from t where %-a = %
select a from t where a-% > 40
select a from t where c like %
select a from t where c || % = %
select a from t where a between % and %
select a from t where a in (%)
select a from t where a in (%, %)
select a from t where % = %
select a from t where i + % > '2020-01-02 00:00Z'
select count(*), sum(a) from t where b >= %
select a, % from t where a = %
select a + % from t where a < 5
select a from t where a < % order by a desc limit %
select distinct l from t where a > %
select l, count(*) from t where a > % group by l
select a from t where a = % union select x from u where y = %
select t.a, u.y from t join u on u.x = t.a and u.y <> % where t.b < %
select a from t where exists (select 1 from u where x = a and y > %) and a < %
select a from t where a > (select min(x) from u where y = %) and c = %
select * from v where a = %
select * from v where d1 > % and c = %
select a from t where a = % for update
with w as (select a from t where a > %) select * from w where a < %
select x, y, z from m where x = %
select x from m where y = %
select x from m where y[%] = %
select x from m where z = %
select x from m where z->>% = %
insert into t (a, b, c) values (%, %, %)
insert into t (a, d, e, f) values (%, %, %, %) returning a, d, e, f
insert into t (a, g, h, i) values (%, %, %, %)
insert into t (a, j, k, l) values (%, %, %, %)
insert into t (a, c) values (%, %), (%, %)
insert into t (a, c) values (%, % || %)
insert into t (a, c) select %, % where not exists (select 1 from t where a = %)
insert into t (a, c) values (%, %) on conflict do nothing
insert into u values (%, %)
insert into p values (%)
insert into m values (%, %, %)
update t set b = % where a = %
update t set b = b + % where a = % returning b
update t set c = %, f = % where a = %
update t set d = d * % where b < %
update t set (j, k) = (%, %) where a = %
update v set c = % where a = %
update m set y[1] = %
delete from t where a = %
delete from u where x = % and y = %
begin
commit
rollback
select 1/a from t where a = %
select a from t where 10/(a-%) > 0 and a < 9
select a from t where a = % -- %
select a /* ' */ from t where c = 'c1'
'c2' and a > %
explain (costs off) select a from t where a = %
explain (costs off) select a from t where b = % and c = %
set datestyle = 'ISO, DMY'
select date '01/02/03'
select '01/02/03'::date, a from t where a = %
select a from t where e > '03/04/05' and a < % limit 3
insert into t (a, e) values (%, '05/06/07') returning e
insert into t (a, e) select %, date '06/07/08' returning e
select '2020-01-01 12:00'::timestamptz, interval '-1 2:03', 't'::regclass, '{null}'::text[]
set timezone = 'Asia/Tokyo'
reset timezone
set intervalstyle = 'sql_standard'
reset intervalstyle
set datestyle = 'ISO, MDY'
select a from nosuch where a = %
select nosuch from t where a = %
select a from t where a = %; select %
create index if not exists tj on t (j)
drop index if exists tj
alter table u alter y type varchar(20)
alter table u alter y type text
`), "\n")

// cacheStatement makes a statement from a template.
func cacheStatement(r *rand.Rand) string {
	t := cacheTemplates[r.Intn(len(cacheTemplates))]
	var b strings.Builder
	for _, c := range t {
		if c == '%' {
			b.WriteString(cacheLiterals[r.Intn(len(cacheLiterals))])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// answer runs a statement and prints all that the client is told of it, rows sorted: a plan may give them in another order.
func answer(ctx context.Context, c *pgconn.PgConn, sql string) string {
	results, err := c.Exec(ctx, sql).ReadAll()
	var out []string
	for _, r := range results {
		for _, f := range r.FieldDescriptions {
			out = append(out, fmt.Sprintf("%s:%d:%d:%d", f.Name, min(f.DataTypeOID, 16384), f.TypeModifier, f.TableAttributeNumber))
		}
		var rows []string
		for _, row := range r.Rows {
			rows = append(rows, fmt.Sprintf("%q", row))
		}
		slices.Sort(rows)
		out = append(append(out, rows...), r.CommandTag.String())
	}
	if err != nil {
		if e, ok := err.(*pgconn.PgError); ok {
			err = fmt.Errorf("%s %s at %d, %s, %s, %s", e.Code, e.Message, e.Position, e.Detail, e.Hint, e.Where)
		}
		out = append(out, err.Error())
	}
	return strings.Join(out, "\n")
}

// TestStatementCache: random statements answer alike with the statement cache off and forced.
func TestStatementCache(t *testing.T) {
	run, socket := startServerAt(t)
	ctx := context.Background()
	var conns []*pgconn.PgConn
	for _, mode := range []string{"off", "force", "auto"} {
		run("psql", "-XAtqc", "create database "+mode+"_db")
		c, err := pgconn.Connect(ctx, fmt.Sprintf("host=%s port=5432 user=postgres dbname=%s_db options='-c calf.statement_cache=%s'", socket, mode, mode))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		for _, sql := range strings.Split(cacheSchema, ";\n") {
			var e *pgconn.PgError
			if _, err := c.Exec(ctx, sql).ReadAll(); err != nil && !(errors.As(err, &e) && (e.Code == "0A000" || e.Code == "42704")) {
				t.Fatal(err)
			}
		}
		conns = append(conns, c)
	}
	seed, n := int64(1), 3000
	if s := os.Getenv("SEED"); s != "" {
		fmt.Sscan(s, &seed, &n)
	}
	t.Logf("seed %d, %d statements", seed, n)
	r := rand.New(rand.NewSource(seed))
	wrong := 0
	for range n {
		sql := cacheStatement(r)
		want := answer(ctx, conns[0], sql)
		for i, mode := range []string{"force", "auto"} {
			if got := answer(ctx, conns[i+1], sql); got != want {
				t.Errorf("%s\n-- off:\n%s\n-- %s:\n%s", sql, want, mode, got)
				wrong++
			}
		}
		if wrong > 5 {
			t.Fatal("too many differences")
		}
	}
}
