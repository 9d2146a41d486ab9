create schema part_foreign_keys;
set search_path = part_foreign_keys;
create table pk (id int primary key, v text);
insert into pk values (1, 'a'), (2, 'b'), (3, 'c');
create table f (a int, k int references pk on delete cascade on update cascade) partition by range (a);
create table f1 partition of f for values from (0) to (10);
create table f2 (k int, a int);
insert into f2 values (9, 11);
alter table f attach partition f2 for values from (10) to (20);
update f2 set k = 2;
alter table f attach partition f2 for values from (10) to (20);
create table f3 partition of f for values from (20) to (30) partition by list (k);
create table f31 partition of f3 for values in (1, 2, 3, 4);
insert into f values (1, 1), (12, 3), (21, 1), (2, null);
insert into f values (1, 7);
insert into f values (25, 4);
update f set k = 8 where a = 1;
update f set a = 13 where a = 1;
select tableoid::regclass, * from f order by a;
update pk set id = 4 where id = 1;
select tableoid::regclass, * from f order by a;
delete from pk where id = 3;
select tableoid::regclass, * from f order by a;
\d f
\d f2
\d pk
select conname, conrelid::regclass, conislocal, coninhcount, connoinherit, conparentid <> 0 as child from pg_constraint where contype = 'f' and conrelid in ('f'::regclass, 'f1'::regclass, 'f2'::regclass, 'f3'::regclass, 'f31'::regclass) order by 2, 1;
alter table f1 drop constraint f_k_fkey;
alter table f detach partition f2;
\d f2
insert into f2 values (77, 11);
alter table f drop constraint f_k_fkey;
insert into f values (1, 7);
alter table f add foreign key (k) references pk (id);
delete from f where k = 7;
alter table f add foreign key (k) references pk (id);
delete from pk where id = 4;
\d f31
drop table pk;
drop table pk cascade;
set client_min_messages = warning;
drop schema part_foreign_keys cascade;
