-- Only the alternate with the number 3 fits.
select 3 as three;
