-- CREATE TABLE: names, defaults, errors
CREATE TABLE ct (a int, b text DEFAULT 'x' || 'y', c date DEFAULT '2024-02-29', d numeric(5,2) NOT NULL DEFAULT 1.5);
CREATE TABLE ct (a int);
CREATE TABLE IF NOT EXISTS ct (zz int);
INSERT INTO ct DEFAULT VALUES RETURNING *;
INSERT INTO ct (d) VALUES (NULL);
CREATE TABLE bad (a int, a text);
CREATE TABLE bad (a nosuchtype);
CREATE TABLE bad (a int DEFAULT 'x');
CREATE TABLE bad (a int DEFAULT b);
CREATE TABLE bad (a int DEFAULT (SELECT 1));
CREATE TABLE bad (a int DEFAULT sum(1));
CREATE TABLE bad (a int NOT NULL NULL);
CREATE TABLE bad (a int PRIMARY KEY, b int PRIMARY KEY);
CREATE TABLE bad (a int DEFAULT 1 DEFAULT 2);
CREATE TABLE bad (xmin int);
CREATE TABLE bad (a "unknown");
CREATE TABLE nosuch.bad (a int);
CREATE TABLE empty_t ();
SELECT * FROM empty_t;
INSERT INTO empty_t DEFAULT VALUES;
SELECT count(*) FROM empty_t;
SELECT FROM empty_t;
CREATE TABLE like_t (LIKE ct INCLUDING DEFAULTS, extra int);
\d like_t
CREATE TABLE like2 (LIKE ct);
\d like2
CREATE TABLE as_t AS SELECT a, b AS renamed, d * 2 AS twice FROM ct;
\d as_t
SELECT * FROM as_t;
CREATE TABLE as_n (x, y) AS SELECT 1, 'a'::text WITH NO DATA;
SELECT * FROM as_n;
CREATE TABLE as_bad (x, y, z) AS SELECT 1, 2;
CREATE TABLE IF NOT EXISTS as_t AS SELECT 1;
SELECT 1 AS one, 'two' AS two INTO into_t;
SELECT * FROM into_t;
CREATE UNLOGGED TABLE unl (a int);
\d unl
CREATE TABLE "Mixed Case" ("Column One" int, "select" text);
INSERT INTO "Mixed Case" VALUES (1, 'kw');
SELECT "Column One", "select" FROM "Mixed Case";
SELECT * FROM mixed;
COMMENT ON TABLE ct IS 'a table';
COMMENT ON COLUMN ct.a IS 'a column';
SELECT obj_description('ct'::regclass), col_description('ct'::regclass, 1);
DROP TABLE ct, like_t, like2, as_t, as_n, into_t, unl, empty_t, "Mixed Case";
DROP TABLE ct;
DROP TABLE IF EXISTS ct, ct2;
