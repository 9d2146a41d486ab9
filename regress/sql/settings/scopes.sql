-- Where a setting's value comes from: from weakest to strongest database, role, role in a database, start-up, session, transaction, function.
create role calf_scope login superuser;
select current_database() as db, current_user as me \gset
alter database :"db" set work_mem = '5MB';
\c :db calf_scope
show work_mem;
select setting, source, reset_val, context from pg_settings where name = 'work_mem';
alter role calf_scope set work_mem = '6MB';
\c -
select setting, source from pg_settings where name = 'work_mem';
alter role calf_scope in database :"db" set work_mem = '7MB';
\c -
select setting, source from pg_settings where name = 'work_mem';
\setenv PGOPTIONS '-c work_mem=8MB'
\c -
select setting, source from pg_settings where name = 'work_mem';
set work_mem = '9MB';
select setting, source, reset_val from pg_settings where name = 'work_mem';
begin;
set local work_mem = '10MB';
show work_mem;
savepoint s;
set work_mem = '11MB';
show work_mem;
rollback to s;
show work_mem;
commit;
show work_mem;
create function inside() returns text language sql set work_mem = '12MB' as $$ select current_setting('work_mem') $$;
select inside(), current_setting('work_mem');
select set_config('work_mem', '13MB', true), current_setting('work_mem');
show work_mem;
select set_config('work_mem', '14MB', false);
show work_mem;
reset work_mem;
show work_mem;
set work_mem to default;
show work_mem;
set work_mem = '1kB';
set work_mem = 'much';
set nothing_like_this = 1;
set mine.own = 'free text';
show mine.own;
select current_setting('mine.none', true) is null as missing;
select current_setting('mine.none');
set port = 5;
set session authorization default;
show server_version_num;
alter system set work_mem = 'much';
begin;
alter system set work_mem = '4MB';
rollback;
\setenv PGOPTIONS ''
\c :db :me
drop function inside;
alter database :"db" reset work_mem;
alter role calf_scope in database :"db" reset all;
drop role calf_scope;
select count(*) from pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database()) and array_to_string(setconfig, ' ') like '%work_mem%';
show work_mem;
