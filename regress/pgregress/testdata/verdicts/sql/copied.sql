-- Data in the file; a COPY that is refused.
create temp table t (a int, b text);
copy t from stdin;
1	x
2	;'
\.
copy nowhere from stdin;
select * from t;
