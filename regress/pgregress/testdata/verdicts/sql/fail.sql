-- The expected output has another number.
select 1 as one;
select 2 as two;
