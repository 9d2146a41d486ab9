-- In the schema public only the database's owner may create, as in PostgreSQL 15; privileges are looked at each time that a statement runs.
create role calf_app login;
create role calf_reader;
set role calf_app;
create table mine (a int);
reset role;
create database calf_appdb owner calf_app;
\set old :DBNAME
\c calf_appdb
set role calf_app;
create table mine (a int);
insert into mine values (1);
create view through as select * from mine;
create function peek() returns bigint language sql as 'select count(*) from mine';
create function peek_as_owner() returns bigint language sql security definer as 'select count(*) from mine';
reset role;
set role calf_reader;
select * from mine;
select * from through;
select peek();
select peek_as_owner();
create table theirs (a int);
create temp table allowed (a int);
reset role;
set role calf_app;
grant select on through to calf_reader;
reset role;
set role calf_reader;
prepare q as select * from through;
execute q;
reset role;
revoke select on through from calf_reader;
set role calf_reader;
execute q;
reset role;
grant select (a) on mine to calf_reader;
set role calf_reader;
select a from mine;
select * from mine;
select a, ctid from mine;
insert into mine values (2);
update mine set a = 2;
delete from mine;
truncate mine;
alter table mine add b int;
drop table mine;
create index on mine (a);
grant select on mine to public;
reset role;
select has_table_privilege('calf_reader', 'mine', 'select'), has_column_privilege('calf_reader', 'mine', 'a', 'select'), has_schema_privilege('calf_reader', 'public', 'create'),
  has_schema_privilege('calf_app', 'public', 'create'), has_database_privilege('calf_reader', 'calf_appdb', 'connect'), has_function_privilege('calf_reader', 'peek()', 'execute');
\c :old
drop database calf_appdb;
drop role calf_app, calf_reader;
