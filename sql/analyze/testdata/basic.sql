# pgbench
UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2
SELECT abalance FROM pgbench_accounts WHERE aid = $1
UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2
UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)
insert into pgbench_branches(bid,bbalance) values(1,0)
insert into pgbench_tellers(tid,bid,tbalance) values (1,1,0)
select count(*) from pgbench_branches
insert into pgbench_accounts(aid,bid,abalance,filler) select aid, (aid - 1) / 100000 + 1, 0, '' from generate_series(1, 100000) as aid
select o.n, p.partstrat, pg_catalog.count(i.inhparent) from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on (n.oid = c.relnamespace) cross join lateral (select pg_catalog.array_position(pg_catalog.current_schemas(true), n.nspname)) as o(n) left join pg_catalog.pg_partitioned_table as p on (p.partrelid = c.oid) left join pg_catalog.pg_inherits as i on (c.oid = i.inhparent) where c.relname = 'pgbench_accounts' and o.n is not null group by 1, 2 order by 1 asc limit 1
# expressions
select 1, 'a', 1.5, true, null, 10000000000, 1e5
select 1 + 1, 1 + 1.5, 1 + 10000000000, 1.5::float8 + 1, '1' + 1
select a, b as bee, c, d, e from t1
select * from t1, t2
select t1.*, t2.x from t1 join t2 using (a)
select * from t1 natural join t2
select * from t1 join t2 on t1.a = t2.a
select * from t1 left join t2 using (a, b) right join pgbench_tellers on tid = a
select * from t1 full join t2 using (a)
select a from t1 join t2 using (a) where t1.a = t2.a
select * from (t1 join t2 using (a)) as j(p, q, r, s, u, v, w)
select j.* from t1 join t2 using (a) as j
select count(*), sum(a), avg(c), max(b), min(d) from t1
select b, count(*) from t1 group by b having count(*) > 1 order by 2 desc, b
select a, b, count(*) from t1 group by a
select b, sum(a) over (partition by b order by a) from t1
select sum(a) over w, row_number() over w from t1 window w as (partition by b order by a rows between 1 preceding and current row)
select rank() over (order by a range between 1 preceding and unbounded following) from t1
select distinct b from t1 order by b
select distinct on (b) a, b from t1 order by b, a
select a from t1 order by b limit 10 offset 5
select a from t1 order by a fetch first 3 rows with ties
select 1 union select 2.5
select 'a' union all select b from t1 order by 1
select a, b from t1 intersect select a, b from t2 except select 1, 'x'
values (1, 'a'), (2, 'b')
values (1, null), (2.5, 'b') order by 1
select * from (values (1, 'a'), (2, 'b')) as v(x, y)
with c as (select a, b from t1) select * from c
with recursive r(n) as (values (1) union all select n + 1 from r where n < 10) select n from r
with recursive r as (select 1 as n, 'x' as s union all select n + 1, s || 'y' from r) select * from r
with ins as (insert into t2 (a) values (1) returning a, b) select * from ins
select * from t1 where a in (select a from t2)
select * from t1 where exists (select 1 from t2 where t2.a = t1.a)
select * from t1 where (a, b) in (select a, b from t2)
select (select max(a) from t2), array(select b from t2)
select * from t1 where a = any ($1)
select * from t1 where a = any (array[1,2,3]) or b = all ('{a,b}')
select * from t1 where (a, b) < (1, 'x') and (a, b) = (1, 'y')
select a between 1 and 3, a not between symmetric 3 and 1, b like 'x%', b ilike 'y', b similar to 'z', a in (1, 2, 3), b not in ('x', 'y') from t1
select case when a > 1 then 'x' else b end, case a when 1 then 1.5 else 2 end from t1
select coalesce(b, 'x'), nullif(a, 1), greatest(a, 1.5), least('2020-01-01', y) from t1 join t2 using (a)
select a is null, b is not null, (a > 1) is true, a is distinct from 2, null is null from t1
select current_date, current_timestamp, current_timestamp(3), localtime, current_user, session_user, current_schema, current_catalog
select extract(year from d), d at time zone 'UTC', d::date, cast(a as text), a::varchar(3), 'x'::char(5), '12'::int from t1
select interval '1 day', date '2020-01-01', timestamp '2020-01-01 00:00:00', time '12:00', numeric(5,2) '1.23', int4 '1', interval '1' hour
select substring(b from 1 for 2), position('a' in b), overlay(b placing 'x' from 1), trim(both 'x' from b), b || 'x', b || 1, upper(b) from t1
select array[1,2,3], array['a','b'], array[[1,2],[3,4]], array[1, 2.5], array[]::int[], '{1,2}'::int[]
select ia[1], ia[1:2], ia[:2], ta[1], nested[1][2] from arr
select p, (p).x, (p).y, (p).*, ps[1].y from comp
select row(1, 'a', null), row(t1.*) from t1
select t1 from t1
select m, m = 'ok', 'sad'::mood from people
select p, s, p + 1 from dom
select * from dropped
select a, b from v1
select ctid, xmin, tableoid::regclass from t1
select * from generate_series(1, 10)
select * from generate_series(1, 10) as g
select g.i from generate_series(1, 10) as g(i)
select * from generate_series(1, 10) with ordinality
select * from unnest(array[1,2], array['a','b']) as u(x, y)
select * from rows from (generate_series(1,2), generate_series(3,5)) as r(a, b)
select * from twoouts(1)
select twoouts(1), (twoouts(1)).y
select defs(1), defs(1, c => 'z'), defs(b => 1, a => 2)
select vari(1, 2, 3), vari(variadic array[1,2])
select * from json_to_record('{"a":1}') as x(a int, b text)
select unnest(array[1,2]), generate_series(1,2)
select string_agg(b, ',' order by a), array_agg(distinct b), count(*) filter (where a > 1) from t1
select percentile_cont(0.5) within group (order by a), mode() within group (order by b) from t1
select * from t1 for update
select * from t1 join t2 using (a) for share of t1 nowait
select * from t1, lateral (select * from t2 where t2.a = t1.a) x
select grouping(b), b, count(*) from t1 group by rollup (b)
select a, b from t1 group by grouping sets ((a, b), (a), ())
select $1 + 1, $2 || 'x', $3::date, $4
select * from t1 where a = $1 and b = $2 and c > $3 limit $4
select $1::text, $1
select a = $1 or $1 is null from t1
insert into t1 values (1, 'x')
insert into t1 (a, b) values ($1, $2), ($3, $4) returning a, b
insert into t1 (a, c) select a, x from t2
insert into t1 default values
insert into t1 select 1, 'x', '1.5', 'now'
insert into people (name, n) values ('x', default)
insert into t1 (a, b) values (1, 'x') on conflict (a) do update set b = excluded.b where t1.b <> excluded.b returning *
insert into t1 (a) values (1) on conflict do nothing
insert into arr (id, ia[1], ia[2]) values (1, 2, 3)
insert into comp (id, p.x, p.y) values (1, 2, 'x')
update t1 set b = 'x', c = c + 1 where a = 1 returning a, t1.*
update t1 set (b, c) = ('x', 1), d = default where a = $1
update t1 set (b, c) = (select b, x from t2 where t2.a = t1.a)
update t1 set b = t2.b from t2 where t1.a = t2.a
update arr set ia[1] = 5, ta[1:2] = '{a,b}'
update comp set p.x = 1, ps[1].y = 'z'
delete from t1 where a = 1 returning *
delete from t1 using t2 where t1.a = t2.a
select 'x' collate "C", b collate "C" < 'y' from t1
select oid, relname from pg_class where relkind = 'r' and relname ~ '^pg_'
select 'pg_class'::regclass, 'pg_class'::regclass::oid
select pg_get_userbyid(relowner), pg_catalog.format_type(atttypid, atttypmod) from pg_class join pg_attribute on attrelid = pg_class.oid
select a.a from t1 a, t1 b where a.a = b.a
select max(a) + 1, count(distinct b) from t1
select not true, not (a > 1 and b < 'x') from t1
select b'101', x'1f', e'a\nb', u&'\0041'
select -a, +a, - 1, @ -5, 5 !~~ 'x' from t1
select 2 ^ 3, 7 % 3, 7 / 2, 7.0 / 2, |/ 25.0, 5 & 3, 1 << 3
select date '2020-01-01' + 1, date '2020-01-02' - date '2020-01-01', now() - interval '1 day', timestamp '2020-01-01' + '1 day'
select '{"a":1}'::json -> 'a', '{"a":1}'::jsonb ->> 'a', '{"a":1}'::jsonb @> '{}'
