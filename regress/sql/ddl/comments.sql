-- COMMENT on objects of all kinds.
create schema c;
set search_path = c;
create table t (a int constraint positive check (a > 0), b text);
create index i on t (b);
create view v as select * from t;
create materialized view m as select * from t;
create sequence s;
create type e as enum ('x');
create type r as (a int);
create domain d as int constraint small check (value < 10);
create function f(int) returns int language sql as 'select $1';
create procedure p() language sql as '';
create function trig() returns trigger language plpgsql as 'begin return new; end';
create trigger tg before insert on t for each row execute function trig();
create aggregate agg (int) (sfunc = int4pl, stype = int);
create operator === (leftarg = int, rightarg = int, function = int4eq);
create rule ru as on delete to t do instead nothing;
create role calf_comment;
comment on table t is 'a table';
comment on column t.a is 'a column';
comment on column v.b is 'a column of a view';
comment on constraint positive on t is 'a constraint';
comment on constraint small on domain d is 'a domain''s constraint';
comment on index i is 'an index';
comment on view v is 'a view';
comment on materialized view m is 'a materialized view';
comment on sequence s is 'a sequence';
comment on type e is 'an enum';
comment on type r is 'a row type';
comment on domain d is 'a domain';
comment on function f(int) is 'a function';
comment on procedure p() is 'a procedure';
comment on aggregate agg (int) is 'an aggregate';
comment on operator === (int, int) is 'an operator';
comment on trigger tg on t is 'a trigger';
comment on rule ru on t is 'a rule';
comment on schema c is 'a schema';
comment on role calf_comment is 'a role';
select classoid::regclass, objsubid, description from pg_description d
  where description like 'a%' and classoid in ('pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass, 'pg_constraint'::regclass,
    'pg_trigger'::regclass, 'pg_namespace'::regclass, 'pg_operator'::regclass, 'pg_rewrite'::regclass)
    and objoid >= 16384 order by 3;
select obj_description('t'::regclass), col_description('t'::regclass, 1), shobj_description('calf_comment'::regrole, 'pg_authid');
\d+ t
\dt t
comment on table t is null;
comment on column t.a is '';
select count(*) from pg_description where objoid = 't'::regclass;
comment on table nothing is 'x';
comment on column t.nothing is 'x';
comment on table v is 'x';
comment on view t is 'x';
comment on constraint nothing on t is 'x';
comment on function f(text) is 'x';
comment on table t is 'again';
drop table t cascade;
select count(*) from pg_description where description in ('again', 'a constraint', 'an index');
reset search_path;
drop schema c cascade;
drop role calf_comment;
