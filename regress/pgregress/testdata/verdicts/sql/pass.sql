-- A test that passes.
select 1 as one;
select now() is not null as later;
\pset null nothing
select null as n;
