create schema inh_inherit;
set search_path = inh_inherit;
create table a (aa text);
create table b (bb text) inherits (a);
create table c (cc text) inherits (a);
create table d (dd text) inherits (b,c,a);
insert into a values ('aaa'),('aaaa');
insert into b values ('bbb','x'),('bbbb','y');
insert into c values ('ccc','x');
insert into d(aa) values ('ddd');
select relname, a.* from a, pg_class where a.tableoid = pg_class.oid order by 1,2;
select relname, b.* from b, pg_class where b.tableoid = pg_class.oid order by 1,2;
select relname, a.* from only a, pg_class where a.tableoid = pg_class.oid order by 1,2;
update a set aa = 'zz' where aa = 'ddd';
update only a set aa = 'zzz' where aa='aaa';
update b set aa='new' returning *, tableoid::regclass;
select tableoid::regclass, * from a order by 1,2;
delete from a where aa = 'ccc' returning a.*;
select tableoid::regclass, * from a order by 1,2;
explain (costs off, verbose) select * from a where aa = 'x';
explain (costs off) select * from a x where aa = 'x' order by aa;
explain (costs off, verbose) update a set aa = 'y' where aa = 'x';
explain (costs off) delete from a using b where a.aa = b.aa;
\d a
\d+ d
select attname, attislocal, attinhcount from pg_attribute where attrelid='d'::regclass and attnum>0;
alter table a add column n int default 3;
select * from d;
\d d
alter table only a add column nn int;
alter table a drop column n;
\d d
alter table b rename column aa to x;
alter table a rename column aa to x;
\d d
alter table a add constraint ck check (x <> 'bad');
insert into d values ('bad');
\d d
alter table d drop constraint ck;
alter table only a drop constraint ck;
\d d
drop table a;
drop table a cascade;
create table p(a int, b text default 'q', constraint pos check (a > 0));
create table ch(b text, a int);
alter table ch inherit p;
alter table ch add constraint pos check (a > 0);
alter table ch inherit p;
insert into ch values ('x', 1);
insert into p values (2, 'y');
select *, tableoid::regclass from p;
select p from p;
update p set a = a + 10 returning *, p;
alter table ch inherit p;
alter table p inherit ch;
alter table ch no inherit p;
\d ch
select * from p;
create table ch2 (like p) inherits (p);
create table ch3 (a int default 5, z int) inherits (p);
create table ch4 (z int, b text not null, a int) inherits (p);
\d ch3
\d ch4
create table bad (a text) inherits (p);
create table bad (a int) inherits (p, p);
create index on p (a); create index on ch3(a); create index on ch4(a); create index on ch2(a);
insert into ch3 select i, 'x', i from generate_series(1,1000) i;
insert into ch4 (a,b,z) select i, 'x', i from generate_series(1,1000) i;
analyze p; analyze ch3; analyze ch4; analyze ch2;
explain (costs off) select * from p order by a limit 5;
explain (costs off) select max(a) from p;
select max(a), min(a), count(*) from p;
explain (costs off) select * from p where a = 5;
explain select * from p;
explain select * from p where a < 50;
set enable_seqscan = off;
explain (costs off) select * from p, ch2 where p.a = ch2.a;
begin; select * from p where a < 3 for update; rollback;
explain (costs off, verbose) select * from p where a < 3 for update;
truncate p;
select count(*) from p;
set client_min_messages = warning;
drop schema inh_inherit cascade;
