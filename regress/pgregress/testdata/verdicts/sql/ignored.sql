-- Fails, and the schedule says to ignore that.
select 1 as one;
