-- The expected output lacks its last newline.
select 1 as one;
