-- The tables of the recorded plans. Their sizes and statistics are recorded with them.
CREATE TABLE pgbench_branches (bid int NOT NULL PRIMARY KEY, bbalance int, filler char(88));
CREATE TABLE pgbench_tellers (tid int NOT NULL PRIMARY KEY, bid int, tbalance int, filler char(84));
CREATE TABLE pgbench_accounts (aid int NOT NULL PRIMARY KEY, bid int, abalance int, filler char(84));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
INSERT INTO pgbench_branches SELECT g, 0, '' FROM generate_series(1, 2) g;
INSERT INTO pgbench_tellers SELECT g, (g - 1) / 10 + 1, 0, '' FROM generate_series(1, 20) g;
INSERT INTO pgbench_accounts SELECT g, (g - 1) / 25000 + 1, 0, '' FROM generate_series(1, 50000) g;
CREATE TABLE tenk (unique1 int, unique2 int, two int, four int, ten int, hundred int, thousand int, odd int, stringu text, nullish int);
INSERT INTO tenk SELECT (g * 7919) % 10000, g, g % 2, g % 4, g % 10, g % 100, g % 1000, (g % 100) * 2 + 1, 'str' || ((g * 31) % 10000),
  CASE WHEN g % 5 = 0 THEN NULL ELSE g % 50 END FROM generate_series(0, 9999) g;
CREATE UNIQUE INDEX tenk_unique1 ON tenk (unique1);
CREATE UNIQUE INDEX tenk_unique2 ON tenk (unique2);
CREATE INDEX tenk_hundred ON tenk (hundred);
CREATE INDEX tenk_thous ON tenk (thousand, ten);
CREATE INDEX tenk_part ON tenk (ten) WHERE unique1 < 1000;
CREATE INDEX tenk_lower ON tenk (lower(stringu));
CREATE TABLE small (id int PRIMARY KEY, name varchar(20), flag boolean, amount numeric(10,2), day date);
INSERT INTO small SELECT g, 'name' || g, g % 3 = 0, g * 1.5, '2020-01-01'::date + g FROM generate_series(1, 200) g;
CREATE TABLE child (id int PRIMARY KEY, small_id int REFERENCES small, val text);
INSERT INTO child SELECT g, g % 200 + 1, 'v' || g FROM generate_series(1, 5000) g;
CREATE INDEX child_small ON child (small_id);
CREATE TABLE empty_t (a int, b text);
VACUUM ANALYZE;
CREATE TABLE fresh (a int PRIMARY KEY, b int, c text);
