select a, b from t1
select a, b as bee from t1 where a > 0
select * from t1
select t1.a, t2.x from t1, t2 where t1.a = t2.a
select t1.a, t2.x from t1 join t2 on t1.a = t2.a
select t1.a, x.x from t1 left join t2 x on t1.a = x.a and x.b = 'q'
select a, t1.b from t1 full join t2 using (a)
select * from t1 natural join t2
select t1.a from t1 cross join t2 cross join pgbench_tellers
select x.a from (t1 join t2 using (a)) as x(a, b, c, d, e, f, g, h)
select t1.a from t1 join (t2 join pgbench_tellers on tid = t2.a) on t1.a = tid
select count(*), sum(a), avg(c), string_agg(b, ',' order by a desc) as s from t1 group by b having count(*) > 1
select b, count(distinct a) filter (where a > 1) as c from t1 group by b order by b desc nulls last, 2
select distinct b from t1
select distinct on (b) b, a from t1 order by b, a limit 5 offset 2
select a from t1 order by a limit all
select a from t1 order by a fetch first 3 rows with ties
select a + 1 as x, a * (2 + a) as y, (a * 2) + a as z, a - (a - 1) as w, -a as v, a - 1 - 2 as u from t1
select a = 1 or a = 2 and not (b = 'x' or b = 'y') as cond from t1
select a between 1 and 10 as x, b like 'x%' as y, b not ilike '_q' as z, a in (1, 2, 3) as i, b in ('x', 'y') as j from t1
select a is null as x, b is not null as y, (a > 1) is true as z, (a > 1) is not unknown as w, a is distinct from 2 as v from t1
select case when a > 1 then 'big' when a = 1 then 'one' else b end as c, case a when 1 then 'x' end as d from t1
select coalesce(b, 'none') as x, nullif(a, 1) as y, greatest(a, 5) as z, least(a, 2, 3) as w from t1
select a::text as x, a::bigint as y, b::varchar(5) as z, '12'::int as w, b::char(3) as v, 'x'::text as u, null::int as t from t1
select 'it''s' as x, e'back\\slash' as y, true as t, null as n, 42 as i, -42 as j, 10000000000 as k
select array[1, 2, 3] as x, array['a', 'b'] as y, '{1,2}'::int[] as z, array[]::text[] as e
select ia[1] as x, ia[1:2] as y, nested[1][2] as z, ia[:2] as w from arr
select (p).x as px, (p).y, p, ps[1] as q, (ps[1]).y as r from comp
select row(a, b)::text as r from t1
select t1 as whole from t1
select (select max(a) from t2) as m, exists (select 1 from t2 where t2.a = t1.a) as e, array(select b from t2) as r from t1
select a from t1 where a in (select a from t2) and b not in (select b from t2) and a > all (select a from t2) and a = any (array[1, 2])
select a from t1 where (a, b) in (select a, b from t2) and (a, b) < (1, 'x') and (a, b) = (2, 'y')
select a, rank() over (partition by b order by a desc) as r, sum(a) over w as s from t1 window w as (order by a rows between 1 preceding and current row)
select sum(a) over (order by a range between unbounded preceding and 1 following exclude ties) as s, row_number() over () as n from t1
select a from t1 union select a from t2
select a from t1 union all select a from t2 union all select 1 order by 1
(select a from t1 except select a from t2) intersect all select 3
select a from t1 union (select a from t2 order by a limit 1)
values (1, 'a'), (2, 'b')
select * from (values (1, 'a'), (2, 'b')) as v(x, y)
with c as (select a from t1), d(z) as (select 1) select c.a, d.z from c, d
with recursive r(n) as (select 1 union all select r.n + 1 from r where r.n < 10) select n from r
with c as materialized (select a from t1) select * from c
select * from (select a, b from t1 where a > 1) s where s.b = 'x'
select s.a, s2.a as a2 from (select a from t1) s, lateral (select a from t2 where t2.a = s.a) s2
select g from generate_series(1, 10) g
select g.g, g.ordinality from generate_series(1, 10) with ordinality as g
select * from unnest(array[1, 2], array['a', 'b']) as u(x, y)
select * from rows from (generate_series(1, 2), generate_series(3, 5)) as r(a, b)
select * from json_to_record('{"a":1}') as x(a int, b text)
select t1.a from t1 t1, t1 t1b where t1.a = t1b.a
select a from public.t1 as "T" where "T".b = 'q'
select extract(year from d) as y, d at time zone 'UTC' as z, substring(b from 2 for 3) as s, trim(both 'x' from b) as t, position('a' in b) as p, overlay(b placing 'x' from 1) as o from t1
select current_date as d, current_timestamp as t, current_timestamp(3) as t3, current_user as u, localtime as l
select b collate "C" as c, b || 'x' as d, b collate "C" < 'y' as e from t1
select percentile_cont(0.5) within group (order by a) as p, mode() within group (order by b) as m from t1
select b, count(*) as n from t1 group by rollup (b)
select a, b, count(*) as n, grouping(a, b) as g from t1 group by grouping sets ((a, b), (a), ())
select defs(1) as x, defs(a => 1, c => 'q') as y, vari(1, 2, 3) as z, vari(variadic array[1, 2]) as w
select m, m = 'ok' as o, p, p + 1 as q from people, dom
select pg_catalog.lower(b) as l, upper(b) as u, abs(a) as x, pg_typeof(a) as t from t1
select a from t1 for update
select t1.a from t1 join t2 using (a) for share of t1 skip locked
select '2020-01-01'::date as d, '1 day'::interval as i, 1.5 as n, 1.5::numeric(5,2) as m, 2.5::float8 as f
select a from only t1
select * from t1 tablesample system (10) repeatable (1)
select a.a as "A b", a.b as "select" from t1 a
select a, a as b from t1 order by a using >
