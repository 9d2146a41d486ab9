create schema part_triggers;
set search_path = part_triggers;
create table t (a int, b text) partition by list (a);
create function note() returns trigger language plpgsql as $$ begin raise notice '% % % % on %: % / %', tg_name, tg_when, tg_op, tg_level, tg_table_name, old, new; if tg_op = 'DELETE' then return old; end if; return new; end $$;
create table t1 partition of t for values in (1);
create trigger bi before insert or update or delete on t for each row execute function note();
create trigger ai after insert or update or delete on t for each row when (pg_trigger_depth() = 0) execute function note();
create trigger st after insert or update on t for each statement execute function note();
create table t2 partition of t for values in (2) partition by list (b);
create table t2a partition of t2 for values in ('a');
create table t3 (b text, a int);
alter table t attach partition t3 for values in (3);
create trigger cond before update of b on t for each row when (new.b = 'trig') execute function note('x');
create table t4 (b text, a int);
alter table t attach partition t4 for values in (4);
insert into t values (1, 'x'), (2, 'a'), (3, 'c');
update t set b = 'trig' where a = 3;
update t set a = 3 where a = 1;
delete from t where a = 2;
insert into t4 values ('q', 4);
update t set b = 'trig' where a = 4;
select tgrelid::regclass, tgname, tgparentid <> 0 as child from pg_trigger where tgrelid in ('t'::regclass,'t1'::regclass,'t2'::regclass,'t2a'::regclass,'t3'::regclass,'t4'::regclass) order by 1, 2;
\d t4
drop trigger bi on t1;
drop trigger cond on t;
alter table t detach partition t4;
\d t4
\d t
copy t from stdin;
1	c
3	d
\.
set client_min_messages = warning;
drop schema part_triggers cascade;
