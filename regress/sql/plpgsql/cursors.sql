-- PL/pgSQL: cursors
create schema plpgsql_cursors;
set search_path = plpgsql_cursors;
set client_min_messages = notice;
create table t(a int primary key, b text);
insert into t select i, 'row '||i from generate_series(1,10) i;
create function cur(n int) returns text language plpgsql as $$ declare c cursor (k int) for select b from t where a = k; v text; begin open c(n); fetch c into v; close c; return v; end $$;
select cur(5);
create function refc() returns refcursor language plpgsql as $$ declare c refcursor := 'mycur'; begin open c for select * from t where a < 3 order by a; return c; end $$;
begin; select refc(); fetch all from mycur; commit;
\set VERBOSITY terse
drop schema plpgsql_cursors cascade;
