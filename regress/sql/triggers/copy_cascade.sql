-- Triggers: with COPY, cascades, errors, generated columns
create schema triggers_b; set search_path = triggers_b;
create table c(a int, b text); create table clog(id serial, m text);
create function cf() returns trigger language plpgsql as $$ begin insert into clog(m) values (tg_name || ' ' || tg_when || ' ' || tg_level); if tg_level = 'ROW' then if new.a = 2 then return null; end if; new.b := upper(new.b); return new; end if; return null; end $$;
create trigger c1 before insert on c for each row execute function cf();
create trigger c2 before insert on c execute function cf();
create trigger c3 after insert on c execute function cf();
copy c from stdin;
1	x
2	y
3	z
\.
table c; select m from clog order by id; drop trigger c1 on c;
create function cn() returns trigger language plpgsql as $$ begin raise notice 'n = %', (select string_agg(a || b, ',') from nn); return null; end $$;
create trigger c4 after insert on c referencing new table as nn for each statement execute function cn();
copy c from stdin;
4	p
5	q
\.
create table par(a int primary key); create table chi(a int references par on delete cascade);
create function cd() returns trigger language plpgsql as $$ begin raise notice 'deleting %', old.a; return old; end $$;
create trigger cd before delete on chi for each row execute function cd();
insert into par values (1),(2); insert into chi values (1),(1),(2);
delete from par where a = 1; select * from chi;
create function fail() returns trigger language plpgsql as $$ begin raise exception 'no %', new.a; end $$;
create trigger fl after insert on chi for each row execute function fail();
insert into chi values (2);
begin; savepoint s; insert into chi values (2); rollback to s; select * from chi; commit;
alter table chi disable trigger fl; insert into chi values (2);
alter table chi disable trigger all; insert into chi values (77); alter table chi enable trigger user;
create table gcol(a int, g int generated always as (a * 2) stored);
create function gf() returns trigger language plpgsql as $$ begin raise notice '% g=%', tg_when, new.g; if tg_when = 'BEFORE' then new.a := new.a + 1; end if; return new; end $$;
create trigger g1 before insert or update on gcol for each row execute function gf();
create trigger g2 after insert or update on gcol for each row execute function gf();
insert into gcol values (1) returning *; update gcol set a = 5 returning *;
create function badret() returns trigger language plpgsql as $$ begin return row(1,2,3); end $$;
create trigger br before insert on gcol for each row execute function badret();
insert into gcol values (1);
create trigger sr before update on c for each row execute function suppress_redundant_updates_trigger();
update c set a = a; update c set a = a + 1 where a = 4;
\set VERBOSITY terse
set client_min_messages = error;
drop schema triggers_b cascade;
