\set VERBOSITY verbose
\pset format unaligned
set client_min_messages=warning;
create role alice login; create role bob login; create role grp nologin; create role carol login in role grp; create role noinh noinherit in role grp;
create role rd in role pg_read_all_data; create role wr in role pg_write_all_data;
create table t(a int primary key, b text, c int); insert into t values (1,'x',10),(2,'y',20);
create table u(a int references t on delete cascade on update cascade, d int); insert into u values (1,1);
create sequence s; create schema sec; create table sec.z(i int); grant select on sec.z to public;
create view v as select a,b from t; create view vv as select * from v where a>0; create view vc as select count(*) from t;
create view vi with (security_invoker=true) as select a from t;
grant select on v to alice; grant update(b) on v to alice; grant select on vi to alice;
create table own(i int); alter table own owner to bob;
revoke execute on function ascii(text) from public;
\echo --- alice nothing
set role alice;
select * from t; select 1 from t; select count(*) from t; insert into t values (3,'z',1); update t set b='q'; delete from t; truncate t;
select * from t for update; lock table t; lock table t in access share mode; copy t to stdout; copy t from stdin;
1	2	3
\.
select * from v; select a from v where a=1; select * from vv; select * from vi; select * from vc;
update v set b='vv' where a=1; update v set a=5; delete from v; insert into v values (9,'n'); select * from v for update;
update v set b='w' where a=1 returning a,b;
explain (costs off) select * from t; explain (costs off) update t set b='1'; 
prepare p as select * from t; execute p; explain (costs off) execute p; deallocate p;
begin; declare c cursor for select * from t; rollback;
select nextval('s'); select currval('s'); select setval('s',3); select last_value from s; select lastval();
select * from sec.z; select 'sec.z'::regclass; select to_regclass('sec.z'); create table sec.q(i int); drop table sec.z; select sec.nofunc(1);
select ascii('a'); select * from ascii('b'); select a from own where ascii('a')=2;
insert into own select a from t;
with x as (select a from t) select * from x; with x as (select a from t) select 1; select exists(select 1 from t); select (select max(a) from t);
select a from t union select 1; select 1 where exists (select * from t where false); select 1 where false and exists (select * from t);
delete from u using t where t.a=u.a; update u set d=t.a from t; insert into u select a,1 from t;
insert into pg_class(relname) values ('x'); delete from pg_proc; update pg_class set relname='x'; select count(*)>0 from pg_class; select * from pg_authid; select rolpassword from pg_authid; select count(*)>0 from pg_roles;
select has_table_privilege('t','select'), has_table_privilege('v','select'), has_table_privilege('bob','own','select'), has_column_privilege('v','b','update'), has_column_privilege('v','a','update'), has_any_column_privilege('t','select'), has_schema_privilege('sec','usage'), has_sequence_privilege('s','usage'), has_function_privilege('ascii(text)','execute'), has_table_privilege('pg_class','update'), has_database_privilege(current_database(),'create'), has_table_privilege('pg_proc','select');
reset role;
\echo --- alice columns
grant select(a), insert(a,b), update(c) on t to alice;
set role alice;
select a from t order by 1; select b from t; select * from t; select t from t; select count(*) from t; select 1 from t; select ctid from t; select a from t where b='x'; select a from t order by b;
insert into t(a,b) values (3,'z'); insert into t(a,b,c) values (4,'z',1); insert into t values (4,'z'); insert into t default values; insert into t(a) values (5) returning a; insert into t(a) values (6) returning *;
insert into t(a) values (1) on conflict do nothing; insert into t(a) values (1) on conflict (a) do nothing; insert into t(a,b) values (1,'k') on conflict (a) do update set c=5; insert into t(a,b) values (1,'k') on conflict (a) do update set b=excluded.b; insert into t(a,b) values (1,'k') on conflict (a) do update set c=5 returning a;insert into t(a,b) values (1,'k') on conflict (a) do update set c=t.c+1;  insert into t(a,b) values (1,'k') on conflict on constraint t_pkey do update set c=5;
update t set c=7; update t set c=c+1; update t set c=7 where a=1; update t set c=a; update t set b='x'; update t set (c,b)=(1,'x'); delete from t where a=3;
select a from t for update; select a from t for share; select 1 from t for no key update;
copy t(a) to stdout; copy t(a,b) to stdout; copy t(b) from stdin;
q
\.
copy t(a,b) from stdin;
20	q
\.
select t1.a from t t1 join t t2 using(a) order by 1; select * from t t1 natural join (select a from t) q; select sum(c) from t; 
select has_table_privilege('t','select'), has_any_column_privilege('t','select'), has_column_privilege('t','a','select'), has_column_privilege('t','b','select'), has_column_privilege('t',3::smallint,'update'), has_any_column_privilege('t','select,delete');
reset role; revoke all on t from alice; revoke select(a), insert(a,b), update(c) on t from alice;
set role alice; select a from t; reset role;
\echo --- delete, fk cascade as owner
grant select, delete, update on t to alice; set role alice; delete from t where a=1; update t set a=100 where a=2; select * from u; reset role; select * from u; revoke all on t from alice;
\echo --- groups
grant select on t to grp; set role carol; select count(*) from t; reset role; set role noinh; select count(*) from t; set role grp; select count(*) from t; reset role;
revoke grp from carol; set role carol; select count(*) from t; reset role;
\echo --- public, predefined
grant insert on t to public; set role carol; insert into t values (50,'p',1); select 1 from t; reset role; revoke insert on t from public;
set role rd; select count(*) from t; select count(*) from sec.z; insert into t values (51); select last_value from s; select nextval('s'); select rolname from pg_authid where false; reset role;
set role wr; insert into t values (52,'w',1); select 1 from t; insert into sec.z values (1); delete from sec.z; delete from t; update t set a=1; update t set b='9'; truncate t; reset role;
\echo --- grant flips under prepared
set role alice; prepare q as select count(*) from t; execute q; reset role; grant select on t to alice; set role alice; execute q; execute q; reset role; revoke select on t from alice; set role alice; execute q; reset role; execute q; set role alice; execute q; reset role; 
begin; grant select on t to alice; set local role alice; execute q; reset role; revoke select on t from alice; set local role alice; execute q; rollback;
grant execute on function ascii(text) to alice; set role alice; prepare fq as select ascii('a'); execute fq; execute fq;execute fq;execute fq;execute fq;execute fq;execute fq; reset role; revoke execute on function ascii(text) from alice; set role alice; execute fq; reset role; deallocate all;
\echo --- owner loses
set role bob; select * from own; revoke all on own from bob; select * from own; insert into own values (1); truncate own; grant select on own to alice; select * from own; grant all on own to bob; select * from own; set role alice; select * from own; reset role; set role bob; drop table own; reset role;
\echo --- view owner without right
create table base(x int); insert into base values (1); create view bv as select * from base; alter view bv owner to bob; grant select on bv to alice; set role alice; select * from bv; reset role; select * from bv; grant select on base to bob; select * from bv; set role alice; select * from bv; select * from base; reset role;
\echo --- materialized, schema usage, sequences
grant usage on sequence s to alice; set role alice; select nextval('s') is not null; select currval('s') is not null; select setval('s',9); select last_value from s; reset role; grant select on s to alice; set role alice; select last_value>0 from s; select currval('s')>0; reset role; revoke all on s from alice; grant update on s to alice; set role alice; select nextval('s')>0, setval('s',4); select lastval(); reset role;
grant usage on schema sec to alice; set role alice; select * from sec.z; create table sec.n(i int); set search_path=sec,public; select * from z; reset search_path; reset role; grant create on schema sec to alice; set role alice; create table sec.n(i int); reset role;
\echo --- database owner
create role dbo; set role dbo; create table public.dbo_t(i int); reset role; grant pg_database_owner to alice;
select pg_has_role('postgres','pg_database_owner','member');
\echo --- references, truncate, trigger
grant truncate on t to alice; set role alice; truncate t; truncate t cascade; create table r(a int references t); reset role; grant references(a) on t to alice; set role alice; create temp table r(a int references t); create schema x; reset role;
create schema al authorization alice; set role alice; create table al.r(a int references t); create table al.r2(b text references t(b)); select * from al.r; reset role;
select has_table_privilege('nobody','t','select'); select has_table_privilege('alice','nope','select'); select has_table_privilege('alice','t','selec'); select has_table_privilege(0::oid,'select'); select has_table_privilege(999999::oid,'select'); select has_table_privilege('public','t','select'); select has_table_privilege('alice','t','SELECT WITH GRANT OPTION'), has_table_privilege('alice','t','references');
\echo --- leaks
create table lk(a int primary key, b int unique, c text check (c <> 'bad')); insert into lk values (1,1,'s'); create table lf(a int references lk); insert into lf values (1);
grant insert, update(b) on lk to bob; grant insert, delete on lf to bob; set role bob; insert into lk values (1,5,'k'); insert into lk(a,b) values (2,1); insert into lk values (3,3,'bad'); insert into lf values (77); reset role; grant select(a) on lk to bob; set role bob; insert into lk values (1,5,'k');insert into lk(a,b) values (2,1); update lk set b=null, a=null; insert into lk(b) values (5); reset role; grant delete on lk to bob; set role bob; delete from lk where a=1; reset role; grant select on lf to bob; grant select on lk to bob; set role bob;  delete from lk where a=1;insert into lf values (77);insert into lk values (3,3,'bad');  reset role;
