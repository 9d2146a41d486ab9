-- what psql's \df+ asks for
create function psql_df(a int, b text default 'q') returns int language sql stable strict as 'select 1';
comment on function psql_df is 'a comment';
\df+ psql_df
select pg_get_function_sqlbody('psql_df'::regproc), pg_get_function_sqlbody(0), pg_get_function_sqlbody('now'::regproc);
drop function psql_df;
