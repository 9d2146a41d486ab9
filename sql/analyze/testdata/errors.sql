select x from t1
select aa from t1
select t1.aa from t1
select t3.a from t1
select nosuch.x
select * from nosuch
select * from public.nosuch
select * from nosuchschema.t1
select * from otherdb.public.t1
select a from t1, t2
select t1.a from t1 x
select * from t1 t1, t2 t1
select foo(1)
select foo(a, b) from t1
select nosuchschema.foo(1)
select lower(1)
select a + b from t1
select b + 1 from t1
select - b from t1
select a || a from t1
select 1 = 'x'
select a = 'x' from t1
select 'x'::int
select '1.5'::int4
select cast(a as date) from t1
select a::nosuch from t1
select a::int(3) from t1
select a from t1 where b
select a from t1 where a
select a from t1 having b
select b from t1 group by a + 1
select a, count(*) from t2
select a from t2 group by b
select x, sum(a) from t2 group by b
select count(*) from t1 where count(*) > 1
select sum(sum(a)) from t1
select sum(a) from t1 group by sum(a)
select a from t1 order by nosuch
select a from t1 order by 5
select a from t1 order by 1.5
select a, b as a from t1 order by a
select distinct a from t1 order by b
select distinct on (b) a from t1 order by a
select a from t1 limit a
select a from t1 limit 'x'
select 1 union select 'x'
select 1, 2 union select 1
select 'x'::text union select 1
select a from t1 union select a from t2 order by a + 1
select a from t1 union select a from t2 for update
values (1), (2, 3)
values (1), ('x')
insert into t1 (a, nosuch) values (1, 2)
insert into t1 (a, a) values (1, 2)
insert into t1 (a, b) values (1)
insert into t1 (a) values (1, 2)
insert into t1 values (1, 2, 3, 4, 5, 6)
insert into t1 (a) values ('x')
insert into t1 (a) values (now())
insert into t1 (a, b) select a from t2
insert into nosuch values (1)
insert into t1 (a) values ((1, 2))
insert into t1 (a, b) values ((1, 'x'))
insert into t1 (ctid) values ('(0,1)')
update t1 set nosuch = 1
update t1 set a = 'x'
update t1 set a = now()
update t1 set t1.a = 1
update t1 set (a, b) = (1, 2, 3)
update t1 set a = t2.a
delete from t1 where nosuch = 1
delete from nosuch
insert into t1 (a) values (1) on conflict (nosuch) do nothing
insert into t1 (a) values (1) on conflict do update set b = 'x'
insert into t1 (a) values (1) on conflict (a) do update set nosuch = 'x'
select * from t1 join t2 using (nosuch)
select * from t1 join t2 using (y)
select * from t1 a join t1 b using (a) join t2 c using (b)
select * from t1 join t2 on t1.nosuch = t2.a
select * from t1, t2 join t1 x on x.a = t1.a
select * from t1, (select t1.a) x
select * from t1 full join lateral (select t1.a) x on true
select (select a, b from t1)
select * from t1 where a in (select a, b from t2)
select * from t1 where (a, b) in (select a from t2)
select (1, 2) = (1, 2, 3)
select row() = row()
select a[1] from t1
select ia['x'] from arr
select ia.x from arr
select (a).x from t1
select (p).z from comp
select p.x from comp
select array[1, 'x']
select array[]
select array[1, array[2]]
select case when a then 1 end from t1
select case a when 'x' then 1 end from t1
select case when true then 1 else 'x' end
select coalesce(1, 'x')
select coalesce(1, now())
select not 1
select 1 and true
select 1 is true
select rank() from t1
select rank() over (order by nosuch) from t1
select sum(a) over nosuch from t1
select lower(b) over () from t1
select lower(distinct b) from t1
select lower(*) from t1
select count() from t1
select count(distinct *) from t1
select sum(a) over (order by sum(a) over ()) from t1
select a from t1 where rank() over () > 1
select generate_series(1, 2) from t1 where generate_series(1, 2) = 1
select sum(generate_series(1, 2))
select * from generate_series(1, generate_series(1, 2))
select case when true then generate_series(1, 2) end
select * from json_to_record('{"a":1}')
select * from generate_series(1, 2) as x(a int)
select * from twoouts(1) as x(a int, b text)
select proc1(1)
select defs()
select defs(nosuch => 1)
select defs(a => 1, 2)
select defs(a => 1, a => 2)
with c as (select 1) select * from c as c(a, b)
with c as (select 1), c as (select 2) select * from c
with c as (select * from d), d as (select 1) select * from c
with recursive r as (select 1 union all select * from r union all select * from r) select * from r
with recursive r as (select n + 1 from r) select * from r
with recursive r(n) as (select 1 union all select count(*) from r) select * from r
with recursive r(n) as (select 1 union all select n + 1.5 from r) select * from r
with recursive r(n) as (select 1 intersect select n from r) select * from r
with recursive r(n) as (select 1 union all (select n from r order by 1)) select * from r
with recursive r(n) as (select n from r union all select 1) select * from r
with recursive r(n) as (select 1 union all select n from t1 left join r on true) select * from r
with c as (insert into t1 (a) values (1)) select * from c
select * from (with c as (insert into t1 (a) values (1) returning a) select * from c) x
select * from t1 for update of nosuch
select count(*) from t1 for update
select distinct a from t1 for update
select a from t1 group by a for update
select * from generate_series(1, 2) g for update of g
select $1
select $1 = $2
select $0
select $1::int, $1::text
select 'x' collate nosuch
select 1 collate "C"
select ('a' collate "C") < ('b' collate "POSIX")
select b collate "C" || b collate "POSIX" from t1
select * from t1 where current of c
select
select *
select t1.* from t2
select from t1 where
select default
select a from t1 order by a using @
select '{1,2'::int[]
select 'bad'::mood
select 5::posint + 'x'
select interval '1' day to second(9)
select timestamp(8) '2020-01-01'
select numeric(0,1) '1'
select 99999999999999999999
select ''::"char", 'x'::name, 't'::bool, 'maybe'::bool
select grouping(a) from t1
select grouping(a) from t1 group by b
select a from t1 group by 5
select a from t1 tablesample system (10)
select * from v1 tablesample system (10)
select * from t1 tablesample nosuch (10)
select 1 order by 1 fetch first 2 rows with ties
select 1 fetch first 2 rows with ties
select percentile_cont(0.5) from t1
select percentile_cont(0.5, 0.6) within group (order by a) from t1
select sum(a) within group (order by a) from t1
select sum(a) filter (where b) from t1
select string_agg(distinct b, ',' order by a) from t1
select pg_catalog.sum(b) from t1
select int4(b) from t1
select xmin from v1
select oid from t1
select upper(t1) from t1
select t1.upper from t1
select * from pg_class_oid_index
select max(1, 2, 3)
select 1 from t1 group by ()
select * from t1 where a > all (select b from t2)
select * from t1 where a = any (1)
select * from t1 where a = any (b)
