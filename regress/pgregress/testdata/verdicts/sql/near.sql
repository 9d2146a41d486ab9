-- None fits; the alternate with the number 1 is the nearest.
select 1 as one;
select 2 as two;
select 3 as three;
