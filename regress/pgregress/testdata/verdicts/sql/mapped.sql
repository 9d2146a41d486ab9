-- resultmap names another expected file.
select 1 as one;
