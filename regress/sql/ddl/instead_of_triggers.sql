-- INSTEAD OF triggers of views
create table base (id int primary key, a text, b int default 7);
insert into base values (1, 'one', 1), (2, 'two', 2), (3, 'three', 3);
create view bv as select id, upper(a) as a, b * 10 as b10 from base;
create function bv_trig() returns trigger language plpgsql as $$
begin
  raise notice '% % % on %: old %, new %', tg_name, tg_when, tg_op, tg_relname, old, new;
  if tg_op = 'INSERT' then
    insert into base values (new.id, lower(new.a), new.b10 / 10);
    return new;
  elsif tg_op = 'UPDATE' then
    update base set id = new.id, a = lower(new.a), b = new.b10 / 10 where id = old.id;
    if not found then return null; end if;
    new.a := new.a || '!';
    return new;
  end if;
  delete from base where id = old.id;
  if not found then return null; end if;
  return old;
end $$;
update bv set a = 'x';
create trigger bv_instead instead of insert or update or delete on bv for each row execute function bv_trig();
create function bv_stmt() returns trigger language plpgsql as $$ begin raise notice '% % %', tg_when, tg_op, tg_level; return null; end $$;
create trigger bv_before before insert or update or delete on bv for each statement execute function bv_stmt();
create trigger bv_after after insert or update or delete on bv for each statement execute function bv_stmt();
insert into bv values (4, 'FOUR', 40), (5, 'FIVE', 50);
insert into bv (id) values (6) returning *;
update bv set b10 = b10 + 1000 where id < 3 returning *;
update bv v set a = v.a || s.x from (values (1, 'p'), (2, 'q'), (99, 'r')) s(i, x) where s.i = v.id returning v.id, v.a, s.x;
delete from bv where id = 5 returning *;
delete from bv using base where base.id = bv.id and base.b is null;
select * from base order by 1;
explain (costs off) update bv set a = 'q' where id = 1;
explain (costs off) delete from bv where id = 1;
with w as (update bv set b10 = 0 where id = 3 returning id, b10) select * from w;
create view bv2 as select id, a from bv where id < 3;
update bv2 set a = 'V2' where id = 1 returning *;
insert into bv2 values (9, 'NINE');
delete from bv2;
select * from base order by 1;
create function skip() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger aa_skip instead of insert on bv for each row execute function skip();
insert into bv values (20, 'q', 1) returning id;
\d bv
drop trigger bv_instead on bv;
delete from bv where id = 1;
create trigger bad instead of insert on bv for each statement execute function bv_trig();
create trigger bad instead of update of a on bv for each row execute function bv_trig();
create trigger bad instead of insert on base for each row execute function bv_trig();
create trigger bad before insert on bv for each row execute function bv_trig();
drop view bv cascade;
drop table base;
