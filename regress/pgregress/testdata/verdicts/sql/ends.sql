-- The session ends itself in the middle; the output is as expected.
select 1 as one;
select pg_terminate_backend(pg_backend_pid());
select 2 as two;
