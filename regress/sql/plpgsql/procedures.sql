-- PL/pgSQL: procedures
create schema plpgsql_procedures;
set search_path = plpgsql_procedures;
set client_min_messages = notice;
create table t(a int primary key, b text);
insert into t select i, 'row '||i from generate_series(1,10) i;
create procedure p1(inout x int, y int) language plpgsql as $$ begin x := x + y; end $$;
call p1(1,2);
create procedure p2() language plpgsql as $$ begin for i in 300..303 loop insert into t values(i,'p'); if i % 2 = 0 then commit; else rollback; end if; end loop; end $$;
call p2();
select a from t where a >= 300 order by 1;
begin; call p2(); rollback;
\set VERBOSITY terse
drop schema plpgsql_procedures cascade;
