-- The rows that a statement writes belong to the statement's command, however many commands its functions and triggers run meanwhile.
create table t (a int primary key, b int, c text);
create table log (n int);
create function rows_seen() returns int language plpgsql as $$
declare n int;
begin
  insert into log values (1);
  select count(*) into n from t;
  return n;
end $$;
-- a function sees the rows that were written before it was called
insert into t select i, rows_seen(), 'z' from generate_series(1, 5) i;
select *, cmin from t order by a;
update t set b = rows_seen() where a > 1;
select a, b, cmin from t order by a;
insert into t values (6, 6, 'x') returning rows_seen(), cmin, cmax, a;
merge into t using (select 1 as a, rows_seen() as n) s on s.a = t.a when matched then update set b = s.n when not matched then do nothing;
delete from t where a > 3 and rows_seen() > 0;
select *, cmin from t order by a;
begin;
insert into t values (7, 7, 'first command'), (8, rows_seen(), 'first command');
select a, b, cmin from t where a > 6 order by a;
rollback;
-- a row that the statement's own function or trigger changed first is not changed again
create function change(k int) returns int language plpgsql as $$
begin
  update t set c = 'by the function' where a = k;
  return 0;
end $$;
update t set b = change(a) where a = 1;
delete from t where a = 1 and change(a) = 0;
merge into t using (select 1 as a) s on s.a = t.a when matched then update set b = change(1);
insert into t values (1, 1, 'x') on conflict (a) do update set b = change(1);
create function touch() returns trigger language plpgsql as $$
begin
  update t set c = 'by the trigger' where a = old.a and c is distinct from 'by the trigger';
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $$;
create trigger touch before update or delete on t for each row when (pg_trigger_depth() = 0) execute function touch();
update t set b = 100 where a = 2;
begin;
update t set b = 100 where a = 2;
rollback;
delete from t where a = 2;
select * from t order by a;
-- with a join that gives the row twice, the second time is passed over
update t set b = x.n from (values (1), (1)) x(n) where t.a = 3 and t.c = 'by the trigger';
drop trigger touch on t;
update t set b = b + x.n from (values (1), (1)) x(n) where t.a = 3;
select * from t order by a;
drop table t, log;
drop function rows_seen, change, touch;
