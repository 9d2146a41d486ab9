-- Functions in FROM that are scanned again: volatile ones run once as long as their arguments stay.
create schema functions_rescan; set search_path = functions_rescan;
create sequence s1; create sequence s2;
create function f(a int, b int) returns table(i int, n bigint) language plpgsql as $$ begin for i in a..b loop return query select i, nextval('s1'); end loop; end $$;
select * from (values (1),(2),(3)) v(r) left join f(11,13) on r < 100;
select setval('s1', 1, false);
select * from (values (1),(2),(3)) v(r) left join lateral f(10 + r, 13) on true;
select setval('s1', 1, false);
select * from (values (1),(2)) v(r) left join lateral rows from (f(11,12), generate_series(r, r + 2)) on true;
select setval('s1', 1, false);
select * from (values (1),(2)) v(r), lateral (select count(*) from f(1, 3) where i > r) x;
select last_value from s1;
create table nocols();
insert into nocols default values;
insert into nocols default values;
select count(*) from nocols;
select n from nocols n;
select from nocols;
drop schema functions_rescan cascade;
