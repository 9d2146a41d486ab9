create schema part_transition_tables;
set search_path = part_transition_tables;
create table t (a int, b text) partition by list (a);
create table t1 partition of t for values in (1);
create table t2 (b text, a int);
alter table t attach partition t2 for values in (2);
create function note() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' then raise notice '% new %', tg_name, (select string_agg(n::text, ' ' order by n::text) from n);
  elsif tg_op = 'DELETE' then raise notice '% old %', tg_name, (select string_agg(o::text, ' ' order by o::text) from o);
  else raise notice '% old % new %', tg_name, (select string_agg(o::text, ' ' order by o::text) from o), (select string_agg(n::text, ' ' order by n::text) from n); end if;
  return null; end $$;
create trigger ti after insert on t referencing new table as n for each statement execute function note();
create trigger tu after update on t referencing old table as o new table as n for each statement execute function note();
create trigger td after delete on t referencing old table as o for each statement execute function note();
create trigger t1i after insert on t1 referencing new table as n for each statement execute function note();
insert into t values (1, 'x'), (2, 'y'), (2, 'z');
update t set b = b || '!' where a = 2;
update t set a = 2 where a = 1;
insert into t1 values (1, 'direct');
delete from t where b like '%!';
copy t from stdin;
1	c
2	d
\.
create table p (a int); create table c (x int) inherits (p);
create trigger pu after update on p referencing old table as o new table as n for each statement execute function note();
insert into p values (1); insert into c values (2, 3);
update p set a = a + 10;
set client_min_messages = warning;
drop schema part_transition_tables cascade;
