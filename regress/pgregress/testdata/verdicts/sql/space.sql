-- The expected output has a blank more at the end of a line.
select 1 as one;
