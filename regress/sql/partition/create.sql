create schema part_create;
set search_path = part_create;
create table r (a int, b text) partition by range (a, lower(b) collate "C");
create table r1 partition of r for values from (1, minvalue) to (10, 'x');
create table r2 partition of r for values from (5, 'a') to (20, maxvalue);
create table r2 partition of r for values from (20, 'a') to (20, 'a');
create table r2 partition of r for values from (20, 'a') to (20, null);
create table r2 partition of r for values from (20) to (20, 'a');
create table r2 partition of r for values from (20, maxvalue) to ('x', 'a');
create table r2 partition of r for values from (20, maxvalue) to (30, 'a');
create table rd partition of r default;
create table rd2 partition of r default;
create table rx partition of r for values in (1);
\d+ r
\d+ r1
\d+ rd
create table l (a text, b int not null default 5) partition by list (a);
create table l1 partition of l (b default 7, constraint pos check (b > 0)) for values in ('a', 'b', 'a');
create table l2 partition of l for values in ('c', null);
create table l3 partition of l for values in ('b');
create table l3 partition of l for values in (null);
create table l3 partition of l for values in (1) partition by hash (b);
create table ld partition of l default;
create table l3h0 partition of l3 for values with (modulus 4, remainder 0);
create table l3h1 partition of l3 for values with (modulus 8, remainder 1);
create table l3h2 partition of l3 for values with (modulus 8, remainder 4);
create table l3h2 partition of l3 for values with (modulus 6, remainder 1);
create table l3h2 partition of l3 for values with (modulus 0, remainder 1);
create table l3h2 partition of l3 for values with (modulus 4, remainder 4);
create table l3h2 partition of l3 for values with (modulus 4, remainder -1);
create table l3h2 partition of l3 default;
\d+ l
\d+ l1
\d+ l2
\d+ l3
\d l3h1
\d+ ld
select * from pg_partition_tree('l');
select * from pg_partition_tree('l3h1');
select pg_partition_root('l3h1');
select * from pg_partition_ancestors('l3h1');
select pg_get_partkeydef('r'::regclass), pg_get_partkeydef('l1'::regclass);
create table bad (a int) partition by list (a, b);
create table bad (a int) partition by list (b);
create table bad (a int) partition by range (a + b);
create table bad (a int) partition by range ((1));
create table bad (a int) partition by range (random());
create table bad (a int, b int generated always as (a) stored) partition by range (b);
create table bad (a int) partition by range (ctid);
create table bad (a point) partition by range (a);
create table bad (a point) partition by hash (a);
create table bad (a int) partition by magic (a);
create table bad (a int) inherits (r1);
create table bad partition of r1 for values in (1);
create table bad (z int) inherits (r);
create table bad (like r1) partition by list (a) with (fillfactor = 70);
select relname, relkind, relispartition, relhassubclass, pg_get_expr(relpartbound, oid) from pg_class where relnamespace = current_schema()::regnamespace and relname ~ '^(r|l)\d?h?\d?d?$' order by 1;
alter table r drop column a;
alter table r drop column b;
alter table r1 drop column a;
alter table r1 add column z int;
alter table r add column z int default 3;
alter table only r drop column z;
alter table only r add column y int;
\d r1
alter table r alter column a type bigint;
alter table l1 alter column b drop not null;
alter table l alter column b drop not null;
alter table r inherit l;
alter table r1 inherit l;
alter table r1 no inherit r;
drop table l2;
drop table l;
drop table r;
\d
set client_min_messages = warning;
drop schema part_create cascade;
