-- RETURNING
CREATE TABLE ret (id int PRIMARY KEY, v int, t text DEFAULT 'd');
INSERT INTO ret VALUES (1, 10), (2, 20) RETURNING id * 2 AS twice, t || '!' AS bang, *;
INSERT INTO ret VALUES (3, 30) RETURNING (SELECT count(*) FROM ret) AS before, ret.v;
UPDATE ret SET v = v + 1 RETURNING id, v, (v > 20) AS big;
UPDATE ret SET v = v + 1 WHERE id = 99 RETURNING *;
DELETE FROM ret WHERE id = 3 RETURNING id, v, tableoid::regclass;
INSERT INTO ret VALUES (4, 40) RETURNING nosuch;
INSERT INTO ret VALUES (4, 40) RETURNING sum(v);
INSERT INTO ret VALUES (4, 40) RETURNING generate_series(1, 2);
SELECT * FROM (UPDATE ret SET v = 0 RETURNING *) x;
WITH i AS (INSERT INTO ret VALUES (4, 40), (5, 50) RETURNING id, v) SELECT sum(v), count(*) FROM i;
WITH u AS (UPDATE ret SET v = -v RETURNING id, v), d AS (DELETE FROM ret WHERE id = 5 RETURNING id) SELECT u.id, u.v, d.id FROM u LEFT JOIN d USING (id) ORDER BY 1;
SELECT * FROM ret ORDER BY id;
WITH moved AS (DELETE FROM ret WHERE id < 3 RETURNING *) INSERT INTO ret SELECT id + 100, v, 'moved' FROM moved RETURNING *;
WITH w AS (INSERT INTO ret VALUES (7, 70)) SELECT * FROM w;
WITH w AS (INSERT INTO ret VALUES (7, 70)) SELECT count(*) FROM ret;
SELECT count(*) FROM ret;
INSERT INTO ret VALUES (8, 80), (9, 90) RETURNING v \gset last_
INSERT INTO ret VALUES (8, 80) RETURNING v \gset last_
\echo :last_v
DROP TABLE ret;
