--
-- GROUPING SETS, ROLLUP, CUBE, GROUPING; hypothetical-set aggregates
--
create table gs (a int, b int, c text, v int);
insert into gs select x % 3, x % 2, chr(97 + x % 4), x from generate_series(1, 24) x;
analyze gs;

select a, b, grouping(a, b), count(*), sum(v), array_agg(v order by v desc) from gs group by rollup (a, b) order by a, b, 3;
select a, b, c, grouping(a, b, c), sum(v) from gs group by cube (a, b), c order by 4, a, b, c;
select a, c, sum(v) from gs group by grouping sets ((a), (c), (), (a, c)) having sum(v) > 60 order by a, c, 3;
select a, count(*) from gs group by distinct rollup (a), rollup (a) order by a;
select grouping(a), sum(v) from gs where false group by grouping sets ((a), (), ());
select sum(v) from gs where false group by a, rollup (b);
select a, rank(5) within group (order by v), dense_rank(9) within group (order by v), percent_rank(20) within group (order by v desc),
  cume_dist(12) within group (order by v) from gs group by rollup (a) order by a;

explain (costs off) select a, b, sum(v) from gs group by rollup (a, b);
explain (costs off) select a, b, c, sum(v) from gs group by cube (a, b, c);
set enable_hashagg = off;
explain (costs off) select a, b, c, sum(v) from gs group by cube (a, b, c);
select a, b, c, sum(v) from gs group by cube (a, b, c) order by a, b, c;
reset enable_hashagg;

-- errors
select grouping(v) from gs group by rollup (a);
select a, b from gs group by rollup (a);

-- spilled
set work_mem = '64kB';
select count(*), sum(s) from (select x % 5000, x % 7, sum(x) s from generate_series(1, 20000) x group by grouping sets ((x % 5000), (x % 7), ())) q;
reset work_mem;

create view gv as select a, b, grouping(a, b), sum(v) from gs group by grouping sets ((a), rollup (a, b));
select pg_get_viewdef('gv'::regclass);
drop view gv;
drop table gs;

-- min and max from an index, below other nodes
create table mm (k int primary key);
insert into mm select generate_series(1, 100);
analyze mm;
select max(k) from mm order by 1;
select max(k) from mm order by max(k) + 1;
select distinct max(k), min(k) from mm;
select max(k) from mm group by () having max(k) > 1;
select k, (select distinct min(m.k) from mm m where m.k = mm.k) from mm where k < 3;
drop table mm;
