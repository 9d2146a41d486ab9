-- psql's commands that look objects up.
create schema look;
set search_path = look;
create role calf_look_owner;
create role calf_look_user in role calf_look_owner;
alter role calf_look_user with login createdb connection limit 3;
create table parent (a int primary key, b text not null default 'x', c numeric(8, 2) check (c > 0), d int generated always as identity);
create table child (e timestamptz, f int[] references parent on delete cascade) inherits (parent);
create table child (e timestamptz, f int references parent on delete cascade deferrable) inherits (parent);
create unique index child_e on child (e desc nulls last) include (b) where e is not null;
create index child_hash on child using hash (b);
create view both_of as select p.a, c.e from parent p join child c on c.f = p.a;
create materialized view kept as select a from parent with no data;
create sequence counter start 10 increment 5 maxvalue 100 cycle;
create table parts (k int, v text) partition by range (k);
create table parts_1 partition of parts for values from (0) to (10);
create table parts_d partition of parts default;
create type mood as enum ('sad', 'glad');
create type pair as (x int, y text);
create domain small as int default 3 not null check (value < 10);
create function add(a int, b int default 1) returns int language sql immutable strict as 'select a + b';
create function rows_of(out n int, out m text) returns setof record language plpgsql as 'begin end';
create procedure act(inout x int) language plpgsql as 'begin end';
create function on_change() returns trigger language plpgsql as 'begin return new; end';
create trigger before_all before insert or update of b on parent for each row when (new.b <> '') execute function on_change();
create rule no_delete as on delete to both_of do instead nothing;
create aggregate total (int) (sfunc = int4pl, stype = int, initcond = '0');
grant select, insert on parent to calf_look_user;
grant select (a) on child to public;
grant usage on schema look to calf_look_user with grant option;
grant execute on function add to calf_look_user;
alter table child owner to calf_look_owner;
\d
\d parent
\d+ parent
\d child
\d+ child
\d child_e
\d both_of
\d+ both_of
\d kept
\d counter
\d parts
\d+ parts
\d parts_1
\d pair
\d nothing
\dt
\dt pa*
\di
\di+ child_hash
\dv
\dm
\ds
\dT
\dT+ mood
\dD
\df
\df add
\df+ add
\da total
\dn look
\dn+ look
\du calf_look*
\dg calf_look_user
\dp
\dp parent
\z child
\ddp
\dC look.*
\dx nothing
\do look.*
\dRp
\des
\l nothing_like_this
\dconfig work_mem
\dP
\dPt
\dy
\dL plpgsql
\drds calf_look*
\sf add
\sf+ on_change
\sv both_of
\dd
select a, b from parent \gdesc
select 'parent' as name \gset
\d :name
reset search_path;
\d look.parent
\dt look.*
\dt *.child
drop schema look cascade;
drop role calf_look_user, calf_look_owner;
