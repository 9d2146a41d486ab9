-- psql stops with status 3; the output is as expected.
\set ON_ERROR_STOP on
select 1/0;
select 2 as two;
