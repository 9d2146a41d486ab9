-- COPY in the binary format: the bytes that go out, rows that come in, data that is damaged.
set timezone = 'UTC';
create type color as enum ('red', 'blue');
create domain small as int check (value < 10);
create type pair as (a int, b text);
create table one (
    a bool, b int2, c int4, d int8, e numeric, f numeric(6,2), g float4, h float8, i text, j varchar(5), k char(4), l "char", m name, n bytea,
    o date, p time, q timestamp, r timestamptz, s interval, t uuid, u json, v jsonb, w oid, x regclass, y int[], z text[],
    aa timetz, ab inet, ac cidr, ad macaddr, ae bit(5), af varbit, ag point, ah int4range, ai color, aj small, ak pair, al box, am money,
    ao int4multirange, ap polygon, aq pg_lsn, ar jsonpath);
insert into one values (
    true, 1, -2, 3000000000, 12345.6789, -1.5, 1.5, -2.25, 'text', 'vc', 'ch', 'x', 'name', '\x00ff',
    '2020-02-29', '12:34:56.789', '2001-02-03 04:05:06', '2001-02-03 04:05:06+02', '1 year 2 days 03:00', '00112233-4455-6677-8899-aabbccddeeff',
    '{"a": 1}', '{"b": [1, null]}', 42, 'pg_class', '{1,NULL,3}', '{{a,b},{c,d}}',
    '01:02:03+04', '10.0.0.1/8', '10.0.0.0/8', '08:00:2b:01:02:03', '10101', '101', '(1,2)', '[1,5)', 'blue', 5, '(1,two)', '(1,1),(0,0)', '1.23',
    '{[1,2],[5,9]}', '((0,0),(1,0),(1,1))', '16/B374D848', '$.a');
insert into one default values;
\copy one to program 'od -An -v -tx1' binary
\copy (select 1, null::text, ''::text where false) to program 'od -An -v -tx1' binary
\copy (select) to program 'od -An -v -tx1' (format binary)
-- the way in
create table two (a int, b text default 'none', c small);
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\003\\000\\000\\000\\004\\000\\000\\000\\007\\377\\377\\377\\377\\000\\000\\000\\004\\000\\000\\000\\001\\377\\377"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\001\\000\\000\\000\\002xx\\000\\001\\000\\000\\000\\004\\000\\000\\000\\010"' binary
select * from two;
-- damaged headers
\copy two from program 'printf ""' binary
\copy two from program 'printf "7\\tseven\\t1\\n"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\001\\000\\000\\000\\000\\000\\000"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\002\\000\\000\\000\\000\\000\\000"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\377\\377\\377\\377"' binary
\copy two from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\005xx"' binary
-- damaged rows
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\002"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\377\\377\\377\\376"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\177\\377\\377\\377abc"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\003abc"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\005abcde"' binary
\copy two (b) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\002\\303("' binary
\copy two (c) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\004\\000\\000\\000\\012"' binary
\copy two (a) from program 'printf "PGCOPY\\n\\377\\r\\n\\000\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377x"' binary
-- types without a binary form, options that don't go with it
create table acl (a aclitem);
copy acl to stdout (format binary);
copy acl from stdin (format binary);
copy two to stdout (format binary, delimiter ',');
copy two to stdout (format binary, null 'x');
copy two to stdout (format binary, header);
copy two to '/nonexistent/file' (format binary);
select count(*) from two;
drop table one, two, acl;
drop type color, pair;
drop domain small;
