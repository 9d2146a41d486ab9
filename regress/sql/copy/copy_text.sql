-- COPY in text format
CREATE TABLE cp (a int, b text, c numeric);
COPY cp FROM stdin;
1	one	1.5
2	two\twith tab	\N
3	back\\slash and\nnewline	-0.01
4	\N	7
\.
COPY cp (b, a) FROM stdin WITH (DELIMITER ',', NULL 'nil');
x,5
nil,6
\.
SELECT * FROM cp ORDER BY a;
COPY cp TO stdout;
COPY cp (a, b) TO stdout WITH (DELIMITER '|', NULL '<null>');
COPY (SELECT a, upper(b) FROM cp WHERE a < 3 ORDER BY a) TO stdout;
COPY (VALUES (1, 'x'), (2, NULL)) TO stdout (HEADER);
COPY cp FROM stdin;
x	y	1
\.
COPY cp FROM stdin;
1	y
\.
COPY cp FROM stdin;
1	y	2	extra
\.
COPY cp (a) FROM stdin;
99999999999
\.
COPY cp (nosuch) FROM stdin;
COPY cp (a, a) FROM stdin;
COPY nosuch FROM stdin;
COPY nosuch TO stdout;
COPY cp FROM stdin (FORMAT nosuch);
COPY cp FROM stdin (NOSUCH);
COPY cp FROM stdin (DELIMITER 'ab');
COPY cp FROM stdin (QUOTE 'x');
COPY cp TO stdout (FORMAT csv, FORMAT text);
COPY cp FROM stdin WHERE a > 100;
99	low	1
101	high	2
\.
SELECT * FROM cp WHERE a > 50;
CREATE TABLE cpd (id serial, v int DEFAULT 7, t text NOT NULL CHECK (t <> 'bad'));
COPY cpd (t) FROM stdin;
ok
fine
\.
COPY cpd (t) FROM stdin;
good
bad
\.
COPY cpd (t) FROM stdin;
\N
\.
SELECT v, t FROM cpd ORDER BY id;
COPY cpd (t) FROM stdin;
\x41\102\v
\.
SELECT t FROM cpd WHERE t LIKE 'AB%';
COPY cp FROM stdin (HEADER MATCH);
a	b	c
500	hm	1
\.
COPY cp FROM stdin (HEADER MATCH);
a	x	c
500	hm	1
\.
SELECT * FROM cp WHERE a = 500;
CREATE VIEW cpv AS SELECT a FROM cp;
COPY cpv TO stdout;
COPY (SELECT * FROM cpv ORDER BY a LIMIT 1) TO stdout;
COPY cpv FROM stdin;
BEGIN;
COPY cp (a) FROM stdin;
700
\.
ROLLBACK;
SELECT count(*) FROM cp WHERE a = 700;
COPY (INSERT INTO cp VALUES (800) RETURNING a) TO stdout;
COPY (DELETE FROM cp WHERE a = 800) TO stdout;
COPY (SELECT nosuch) TO stdout;
DROP VIEW cpv;
DROP TABLE cp, cpd;
