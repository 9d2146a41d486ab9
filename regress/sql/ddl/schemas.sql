-- Schemas and the search path.
create schema one;
create schema one;
create schema if not exists one;
create schema two
  create table inner_table (a int primary key)
  create view inner_view as select * from inner_table
  create index on inner_table (a);
create table one.t (a int default 1);
create table two.t (b text default 'two');
insert into one.t default values;
insert into two.t default values;
select * from t;
set search_path = two, one;
select * from t;
select current_schema(), current_schemas(false), current_schemas(true);
show search_path;
set search_path = nowhere, one;
select * from t;
select current_schema();
create table made_here (a int);
select relnamespace::regnamespace from pg_class where relname = 'made_here';
set search_path = nowhere;
create table nowhere_to_go (a int);
set search_path = '';
select * from one.t;
select 't'::regclass;
select 'one.t'::regclass;
reset search_path;
alter schema one rename to uno;
select * from uno.t;
alter schema uno rename to two;
create schema pg_mine;
create schema authorization current_user;
drop schema two;
drop schema if exists nowhere;
drop schema nowhere;
alter table uno.t set schema two;
alter table uno.t rename to t1;
alter table uno.t1 set schema two;
select schemaname, tablename from pg_tables where schemaname in ('uno', 'two') order by 1, 2;
create function two.f() returns int language sql as 'select 2';
select two.f();
select f();
\dn uno
\dn two
comment on schema two is 'the second';
\dn+ two
drop schema two cascade;
drop schema uno;
drop schema postgres;
