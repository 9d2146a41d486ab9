create schema part_indexes;
set search_path = part_indexes;
create table t (a int, b int, c text) partition by range (a);
create table t1 partition of t for values from (0) to (10);
create index on t (b);
create unique index on t (b);
create unique index on t (a, b);
create index tc on only t (c);
create table t2 partition of t for values from (10) to (20) partition by list (b);
create table t21 partition of t2 for values in (1, 2);
\d t
\d t1
\d t2
\d t21
\d t_b_idx
\d+ tc
select indexrelid::regclass, indisvalid, relispartition, relkind from pg_index join pg_class on oid = indexrelid where relname ~ '^t' and relnamespace = current_schema()::regnamespace order by indexrelid::regclass::text;
create index t1c on t1 (c);
alter index tc attach partition t1c;
alter index tc attach partition t1c;
select indisvalid from pg_index where indexrelid = 'tc'::regclass;
select inhrelid::regclass, inhparent::regclass from pg_inherits where inhparent::regclass::text like 't%' order by inhrelid::regclass::text;
alter index tc attach partition t1_b_idx;
alter index t_b_idx attach partition t1c;
alter index tc attach partition t1;
alter index t1c attach partition t1_b_idx;
drop index t1_b_idx;
drop index t_b_idx;
\d t1
alter table t add primary key (b);
alter table t add primary key (a);
\d t
alter table t add unique (b, a);
alter table t1 add primary key (b);
insert into t values (1, 1, 'x'), (2, 1, 'x'), (11, 1, 'y');
insert into t values (1, 1, 'x');
insert into t values (1, 1, 'x') on conflict do nothing;
insert into t values (1, 1, 'x') on conflict (a) do nothing;
insert into t values (1, 1, 'x'), (3, 4, 'n') on conflict (a) do update set c = excluded.c || t.c returning *;
insert into t values (1, 1, 'x') on conflict (b) do nothing;
insert into t values (11, 1, 'z') on conflict (a) do update set a = 15 where t.a = 11 returning *, tableoid::regclass;
insert into t values (15, 1, 'z') on conflict (a) do update set a = 5;
insert into t values (11, 1, 'z') on conflict on constraint t_pkey do update set c = 'upd';
select tableoid::regclass, * from t order by a;
select conname, contype, conrelid::regclass, conislocal, coninhcount, connoinherit, conparentid <> 0 as child from pg_constraint where conrelid::regclass::text ~ '^t\d*$' order by 3, 1;
alter table t1 drop constraint t1_pkey;
alter table t drop constraint t_pkey;
\d t1
-- attach and detach
create table a1 (c text, b int, a int not null, z int);
alter table t attach partition a1 for values from (30) to (40);
alter table a1 drop column z;
alter table t attach partition a1 for values from (5) to (40);
alter table a1 add unique (b, a);
insert into a1 values ('q', 1, 30), ('r', 2, 50);
alter table t attach partition a1 for values from (30) to (40);
delete from a1 where a = 50;
alter table t attach partition a1 for values from (30) to (40);
alter table t attach partition a1 for values from (30) to (40);
\d a1
select * from t where a = 30;
insert into t values (31, 5, 'conv') returning *;
insert into t values (31, 5, 'conv');
insert into t values (31, 5, 'again') on conflict (a, b) do update set c = excluded.c || '/' || t.c returning *;
update t set a = 1, b = 77 where a = 31 returning *, tableoid::regclass;
update t set a = 32 where a = 1 and b = 77 returning *, tableoid::regclass;
alter table a1 add constraint pos check (b > 0);
insert into t values (33, -5, 'conv');
update t set b = -1 where a = 32;
alter table t detach partition a1;
\d a1
alter table t detach partition a1;
create table d partition of t default;
insert into t values (100, 1, 'dflt'), (null, 3, 'nul');
create table t9 partition of t for values from (100) to (110);
alter table t attach partition a1 for values from (100) to (110);
alter table t detach partition d concurrently;
alter table t detach partition d;
alter table d add check (a > 10);
alter table t attach partition d default;
drop table d;
select partdefid from pg_partitioned_table where partrelid = 't'::regclass;
create table par () inherits (a1);
alter table t attach partition par for values from (1000) to (1001);
alter table t attach partition t2 for values from (1000) to (1001);
alter table a1 attach partition par for values from (1000) to (1001);
alter table t attach partition a1 for values from (1000) to (1001);
create view v as select 1 as a;
alter table t attach partition v default;
alter table t2 attach partition t for values in (7);
drop table par;
alter table t detach partition t1 concurrently;
\d t1
alter table t detach partition t2 finalize;
alter table t add constraint ck check (b < 1000);
alter table t add constraint ck2 check (b < 1000) no inherit;
alter table only t add constraint ck3 check (b < 1000);
alter table t21 drop constraint ck;
alter table t alter column c set not null;
alter table t21 alter column c drop not null;
alter table only t alter column c drop not null;
alter table t alter column c set default 'dd';
insert into t (a, b) values (11, 2) returning *;
alter table t rename column c to cc;
\d t21
create index concurrently on t (cc);
alter table t set (fillfactor = 50);
create table lk (like t including defaults);
\d lk
drop table t1, t;
set client_min_messages = warning;
drop schema part_indexes cascade;
