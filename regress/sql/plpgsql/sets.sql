-- PL/pgSQL: sets
create schema plpgsql_sets;
set search_path = plpgsql_sets;
set client_min_messages = notice;
create table t(a int primary key, b text);
insert into t select i, 'row '||i from generate_series(1,10) i;
create function rows1(lim int) returns setof t language plpgsql as $$ declare r t; begin for r in select * from t order by a loop exit when r.a > lim; return next r; end loop; return; end $$;
select * from rows1(3);
select rows1(2);
select (rows1(2)).b;
create function rows2(lim int) returns table(k int, v text) language plpgsql as $$ begin return query select a, b from t where a <= lim order by a; if not found then raise notice 'nothing'; end if; return query execute 'select a+100, b from t where a = $1' using lim; end $$;
select * from rows2(2);
select * from rows2(0);
create function rec(x int) returns record language plpgsql as $$ declare r record; begin select x as a, 'q'::text as b into r; return r; end $$;
select rec(1);
select * from rec(1) as (a int, b text);
select * from rec(1) as (a int, b int);
create function setrec() returns setof record language plpgsql as $$ begin return query select 1, 'a'::text union all select 2,'b' order by 1; end $$;
select * from setrec() as s(i int, t text);
create or replace function rets() returns setof int language plpgsql as $$ begin for i in 1..3 loop return next i; end loop; end $$;
select rets(); select * from rets() with ordinality; select array(select rets());
\set VERBOSITY terse
drop schema plpgsql_sets cascade;
