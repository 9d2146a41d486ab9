-- Databases.
create database calf_one;
create database calf_one;
create database calf_two with template = calf_one connection limit = 5 is_template = true allow_connections = true;
select datname, datconnlimit, datistemplate, datallowconn, datdba::regrole from pg_database
  where datname like 'calf%' order by 1;
create database calf_bad template nothing;
create database calf_bad owner nobody_here;
create database calf_bad lc_collate 'xx_YY';
create database calf_bad nonsense = 1;
\set old :DBNAME
alter database calf_one set work_mem = '5MB';
alter database calf_one set datestyle = 'German';
alter database calf_one set nonsense = 1;
\c calf_one
select current_database();
show work_mem;
select date '2020-12-31';
create table only_here (a int);
insert into only_here values (1);
drop database calf_one;
alter database calf_one rename to calf_three;
\c :old
select * from only_here;
alter database calf_one reset work_mem;
alter database calf_one rename to calf_three;
alter database calf_three connection limit 7;
alter database calf_three allow_connections false;
select datname, datconnlimit, datallowconn from pg_database where datname like 'calf%' order by 1;
select setconfig from pg_db_role_setting where setdatabase = (select oid from pg_database where datname = 'calf_three') and setrole = 0;
alter database calf_three allow_connections true;
\c calf_three
show work_mem;
select * from only_here;
\c :old
comment on database calf_three is 'the third';
select description from pg_shdescription where objoid = (select oid from pg_database where datname = 'calf_three');
begin;
create database calf_bad;
rollback;
begin;
drop database calf_three;
rollback;
drop database calf_two;
alter database calf_two is_template false;
drop database calf_two;
drop database calf_three with (force);
drop database calf_three;
drop database if exists calf_three;
select count(*) from pg_database where datname like 'calf%';
