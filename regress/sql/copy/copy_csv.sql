-- COPY in CSV format
CREATE TABLE csv (a int, b text, c text);
COPY csv FROM stdin (FORMAT csv);
1,plain,"quoted, with comma"
2,"say ""hi""",
3,,""
4,"two
lines",x
\.
SELECT a, b, c, b IS NULL AS bnull, c IS NULL AS cnull FROM csv ORDER BY a;
COPY csv TO stdout (FORMAT csv);
COPY csv TO stdout (FORMAT csv, HEADER, FORCE_QUOTE (b));
COPY csv TO stdout (FORMAT csv, FORCE_QUOTE *);
COPY csv TO stdout (FORMAT csv, DELIMITER ';', QUOTE '''', ESCAPE '\', NULL 'NULL');
COPY csv TO stdout CSV HEADER;
TRUNCATE csv;
COPY csv FROM stdin (FORMAT csv, HEADER, FORCE_NOT_NULL (b), FORCE_NULL (c));
a,b,c
1,,""
\.
SELECT a, b = '' AS empty, c IS NULL AS cnull FROM csv;
COPY csv FROM stdin (FORMAT csv);
5,"open
\.
COPY csv FROM stdin (FORMAT csv);
6,x
\.
COPY csv FROM stdin (FORMAT csv, FORCE_NOT_NULL (nosuch));
COPY csv TO stdout (FORMAT csv, FORCE_NOT_NULL (b));
COPY csv FROM stdin (FORMAT csv, QUOTE ',');
COPY csv FROM stdin (FORMAT csv, NULL '"');
COPY csv FROM stdin (DELIMITER E'\t', FORMAT csv);
7	"a	b"	c
\.
SELECT b FROM csv WHERE a = 7;
COPY (SELECT 1 AS "A b", 'x,y' AS "c""d", NULL AS e) TO stdout (FORMAT csv, HEADER);
COPY (SELECT '\.', E'a\rb', ' lead') TO stdout (FORMAT csv);
DROP TABLE csv;
