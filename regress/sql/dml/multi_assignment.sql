-- SET (a, b) = (SELECT ...), SELECT INTO, CREATE TABLE AS EXECUTE
create schema dml_multi; set search_path = dml_multi;
create table u(id int primary key, a int, b text);
insert into u values (1,1,'one'),(2,2,'two'),(3,3,'three');
create table o(id int, v text);
insert into o values (1,'x'),(1,'y'),(2,'z');
update u set (a,b) = (select count(*), min(v) from o where o.id = u.id) returning *;
update u set (a,b) = (select 7, 'seven') where id = 1 returning *;
update u set (a,b) = (select 7, 'seven' where false) where id = 1 returning *;
update u set (a,b) = (select id, v from o where o.id = u.id);
update u set (b,a) = (select max(v), count(*)+x from o where o.id = u.id), id = id + 10 from (values (5)) v(x) returning *;
update u set (a,b) = row(1,'r'), (id) = (select 50) where id = 11 returning *;
insert into u values (12, 0, 'new') on conflict (id) do update set (a,b) = (select excluded.a + u.a, excluded.b || u.b) returning *;
merge into u using (values (12),(99)) s(k) on u.id = s.k when matched then update set (b,a) = (select 'm' || s.k, u.a * 2) when not matched then insert values (s.k, 1, 'ins');
select * from u order by id;
explain (costs off, verbose) update u set (a,b) = (select count(*), min(v) from o where o.id = u.id);
explain (costs off, verbose) update u set (a,b) = (select count(*), min(v) from o);
update u set (a,b) = (select 1);
prepare p(int) as update u set (a,b) = (select $1, v from o where o.id = u.id limit 1) where u.id = $2 returning *;
execute p(5, 12);
select 1 as one, 'two' as two into into_t;
select * from into_t;
explain (costs off) select 1 into xx;
select 1 union select 2 into un; select * from un order by 1;
prepare q as select 5 as five; create table ctq as execute q; select * from ctq;
\set VERBOSITY terse
drop schema dml_multi cascade;
