-- PL/pgSQL: errors
create schema plpgsql_errors;
set search_path = plpgsql_errors;
set client_min_messages = notice;
create table t(a int primary key, b text);
insert into t select i, 'row '||i from generate_series(1,10) i;
create function bad() returns int language plpgsql as $$ begin retrun 1; end $$;
create function bad() returns int language plpgsql as $$ begin return 1 end $$;
create function bad() returns int language plpgsql as $$ declare x int begin return 1; end $$;
create function bad() returns int language plpgsql as $$ begin x := 1; end $$;
create function noret() returns int language plpgsql as $$ begin perform 1; end $$;
select noret();
create function div(a int, b int) returns int language plpgsql as $$
begin
  return a / b;
exception when division_by_zero then
  raise notice 'caught % %', sqlstate, sqlerrm;
  return null;
end $$;
select div(4,2), div(1,0);
create function err() returns void language plpgsql as $$ begin insert into t values (1,'dup'); end $$;
select err();
create function err2() returns void language plpgsql as $$ begin perform err(); end $$;
select err2();
create function err3() returns void language plpgsql as $$ begin raise exception 'boo %', 1 using errcode='22012', detail='d', hint='h', column='c', table='tt'; end $$;
create function dia() returns text language plpgsql as $$ declare s text; m text; begin begin perform 1/0; exception when others then get stacked diagnostics s = returned_sqlstate, m = pg_exception_context; end; return s || ' ' || m; end $$;
select dia();
create function gc() returns text language plpgsql as $$ declare s text; begin get diagnostics s = pg_context; return s; end $$;
select gc();
create function asr(x int) returns void language plpgsql as $$ begin assert x > 0, 'not positive'; end $$;
select asr(1); select asr(-1);
\set VERBOSITY terse
drop schema plpgsql_errors cascade;
