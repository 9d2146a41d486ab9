--
-- Window functions: every frame mode and exclusion, offsets of each type with an in_range function, moving aggregates, run conditions.
--
create table w (id int primary key, g text, n int, f float8, m numeric, d date, t timestamp, i interval);
insert into w select x, chr(97 + x % 3), x * x % 7, x / 3.0, (x * 1.5)::numeric(8,1), date '2020-01-01' + x, timestamp '2020-01-01' + x * interval '7 hours',
  x * interval '1 hour' from generate_series(1, 12) x;
insert into w (id, g) values (13, null), (14, 'a');

select id, g, n, row_number() over p, rank() over p, dense_rank() over p, percent_rank() over p, cume_dist() over p, ntile(3) over p
  from w window p as (partition by g order by n, id) order by g, n, id;
select id, lag(n) over o, lead(n, 2) over o, lag(n, 1, -1) over o, first_value(n) over o, last_value(n) over o, nth_value(n, 2) over o
  from w window o as (order by id) order by id;
select id, array_agg(id) over (order by n, id rows between 1 preceding and 2 following),
  array_agg(id) over (order by n, id rows between 1 preceding and 2 following exclude current row),
  array_agg(id) over (order by n groups between 1 preceding and current row exclude ties),
  array_agg(id) over (order by n groups between current row and 1 following exclude group)
  from w where n is not null order by n, id;
select id, count(*) over (order by n range between 1 preceding and 1 following), count(*) over (order by f range between 0.5 preceding and 0.5 following),
  count(*) over (order by m desc range between 2.0 preceding and 1.0 following), count(*) over (order by d range between '2 days' preceding and current row),
  count(*) over (order by t range between current row and '8 hours' following), count(*) over (order by i nulls first range between '1 hour' preceding and '2 hours' following)
  from w order by id;
select id, sum(n) over r, avg(m) over r, stddev_pop(f) over r, bool_and(n > 1) over r, sum(m) filter (where n > 2) over r, max(n) over r
  from w window r as (order by id rows between 2 preceding and current row) order by id;
select sum(x) over (order by x rows between 1 preceding and current row) from (values (1.1::numeric), (1.25), (1), ('NaN'), (2)) v(x);
select id, sum(n) over (order by id rows between 9223372036854775807 following and unbounded following) from w where id < 3;

-- errors
select sum(n) over (order by id rows between -1 preceding and current row) from w;
select sum(n) over (order by id range between -1 preceding and current row) from w;
select sum(n) over (order by g range between 1 preceding and current row) from w;
select ntile(0) over () from w;
select nth_value(n, 0) over () from w;
select rank() over (order by n), count(*) from w group by 1;

-- run conditions
explain (costs off) select * from (select id, row_number() over (order by id) rn from w) s where rn < 3;
select * from (select id, row_number() over (order by id) rn from w) s where rn < 3;
explain (costs off) select * from (select id, count(*) over (order by id desc) c from w) s where c <= 2;
select * from (select id, count(*) over (order by id desc) c from w) s where c <= 2;
select * from (select id, g, rank() over (partition by g order by n) r from w) s where r = 2;

-- a partition larger than work_mem
set work_mem = '64kB';
select sum(s), max(c) from (select sum(x) over (order by x rows between 100 preceding and 100 following) s, count(*) over () c from generate_series(1, 20000) x) q;
select count(*) from (select x, row_number() over (order by x) r, sum(x) over (order by x) from generate_series(1, 20000) x) q where x <> r;
reset work_mem;

create view wv as select id, sum(n) over (partition by g order by id range between 1 preceding and unbounded following exclude ties) from w;
select pg_get_viewdef('wv'::regclass);
drop view wv;
drop table w;
