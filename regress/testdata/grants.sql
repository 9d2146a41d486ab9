set client_min_messages=warning;
\set VERBOSITY verbose
\pset format unaligned
create role alice login; create role bob login; create role grp nologin; create role carol login in role grp; create role noinh noinherit in role grp;
create table gc(a int, b int);
grant select, insert on gc to alice with grant option; set role alice; grant select on gc to bob with grant option; set role bob; grant select on gc to carol with grant option; reset role;
select relacl from pg_class where relname='gc';
set role alice; revoke select on gc from bob; revoke grant option for select on gc from bob; revoke grant option for select on gc from bob cascade; reset role; select relacl from pg_class where relname='gc';
set role carol; select count(*) from gc; grant select on gc to noinh; reset role;
revoke all on gc from alice; revoke all on gc from alice cascade; select relacl from pg_class where relname='gc';
set role alice; grant select on gc to bob; grant all on gc to bob; reset role; grant select on gc to alice; set role alice; grant select on gc to bob; revoke select on gc from bob; grant select(a) on gc to bob; grant all on gc to bob;  reset role;
grant select(a) on gc to alice with grant option; set role alice; grant select(a) on gc to bob; grant select(a,b) on gc to bob; grant select on gc to bob; grant all(a) on gc to bob; reset role; revoke select(a) on gc from alice; revoke select on gc from alice; revoke select on gc from alice cascade; select attname,attacl from pg_attribute where attrelid='gc'::regclass and attnum>0;
grant select on gc to public with grant option; grant usage on gc to bob; grant foo on gc to bob; grant select on gc to gc; grant select on nope to bob; revoke insert on gc from public; grant execute on gc to bob; grant select(zz) on gc to bob; grant delete(a) on gc to bob; grant all privileges on gc to alice, bob; select relacl from pg_class where relname='gc'; revoke all on gc from alice, bob, postgres; select relacl from pg_class where relname='gc'; grant select on gc to postgres; grant alice to bob; grant bob to alice; grant alice to alice;
