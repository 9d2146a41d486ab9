-- PL/pgSQL: statements
create schema plpgsql_statements;
set search_path = plpgsql_statements;
set client_min_messages = notice;
create table t(a int primary key, b text);
insert into t select i, 'row '||i from generate_series(1,10) i;
select * from nofunc();
create function q1() returns int language plpgsql as $$ declare n int; begin select count(*) into n from nosuch; return n; end $$;
select q1();
create table nosuch(a int);
select q1();
drop table nosuch; create table nosuch(a text, b int); insert into nosuch values('a',1);
select q1();
create function vol(n int) returns int language plpgsql volatile as $$ begin insert into t values (100+n, 'v'); return (select count(*) from t); end $$;
select vol(1), vol(2);
create function stab() returns int language plpgsql stable as $$ begin insert into t values(200,'x'); return 1; end $$;
select stab();
create function cnt() returns bigint language plpgsql stable as $$ begin return (select count(*) from t); end $$;
select cnt(), vol(3), cnt();
create function dyn(tab text) returns bigint language plpgsql as $$ declare n bigint; begin execute format('select count(*) from %I', tab) into n; return n; end $$;
select dyn('t'); select dyn('none');
create function ctas() returns int language plpgsql as $$ declare lim int := 3; n int; begin create temp table tmpx as select * from t where a <= lim; get diagnostics n = row_count; return n; end $$;
select ctas();
create function multi(x int) returns int language plpgsql as $$ begin create table if not exists mm(a int); insert into mm values (x); return (select sum(a) from mm); end $$;
select multi(1); select multi(2);
explain (costs off) select addd(a) from t where a = addd(1,2);
create function amb(a int) returns int language plpgsql as $$ begin return (select a from t where a = 1); end $$;
select amb(1);
create function amb2(a int) returns int language plpgsql as $$ #variable_conflict use_column
begin return (select a from t where a = 1); end $$;
select amb2(7);
\set VERBOSITY terse
drop schema plpgsql_statements cascade;
