-- COPY to and from files of the server.
select '/tmp/calf_regress_' || pg_backend_pid() as file \gset
\setenv FILE :file
create table f (a int, b text, c date);
insert into f values (1, 'one', '2020-01-01'), (2, E'tab\there', null), (3, 'quote " and , comma', '1999-12-31');
copy f to :'file';
\! cat "$FILE"
truncate f;
copy f from :'file';
select * from f order by a;
copy f to :'file' with (format csv, header, force_quote (b));
\! cat "$FILE"
copy f (b, a) from :'file' csv header;
create table g (a int, b text, c date);
copy g from :'file' with (format csv, header match);
select * from g order by a;
copy (select a, upper(b) from g order by a desc) to :'file' with (delimiter '|', null 'NULL');
\! cat "$FILE"
copy f to :'file' with (format binary);
truncate f;
copy f from :'file' with (format binary);
select * from f order by a;
copy g from :'file' where a > 1;
copy f from '/tmp/there/is/no/such/file';
copy f to 'relative';
copy f from 'relative';
copy f to '/';
\! rm -f "$FILE"
create role calf_copy;
grant all on f to calf_copy;
set role calf_copy;
copy f to '/tmp/not_allowed';
copy f from '/tmp/not_allowed';
reset role;
drop table f, g;
drop role calf_copy;
