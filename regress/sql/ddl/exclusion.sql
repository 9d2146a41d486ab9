-- EXCLUDE constraints, on the index methods that there are.
create table e (a int, b text, c int,
  exclude (a with =),
  constraint same_b exclude using hash (b with =) where (c > 0));
\d e
insert into e values (1, 'x', 1), (2, 'y', 1);
insert into e values (1, 'z', 1);
insert into e values (3, 'x', 1);
insert into e values (3, 'x', 0);
insert into e values (null, null, 1), (null, null, 1);
update e set c = 1 where a = 3;
update e set b = 'w', c = 1 where a = 3;
insert into e values (1, 'new', 1) on conflict do nothing;
insert into e values (1, 'new', 1) on conflict on constraint e_a_excl do nothing;
insert into e values (1, 'new', 1) on conflict on constraint e_a_excl do update set b = 'q';
select * from e order by a nulls last;
select conname, contype, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'e'::regclass order by conname;
alter table e add constraint late exclude (c with =);
alter table e add constraint on_expr exclude ((lower(b)) with =) deferrable initially deferred;
begin;
insert into e values (4, 'X', 1);
commit;
set constraints all immediate;
begin;
insert into e values (4, 'X', 2);
update e set b = 'other' where a = 4;
commit;
alter table e add exclude (a with <>);
alter table e add exclude (a with <);
alter table e add exclude (a with +);
alter table e add exclude (nothing with =);
alter table e drop constraint same_b;
insert into e values (9, 'x', 1);
drop table e;
