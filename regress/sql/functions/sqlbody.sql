-- SQL-standard bodies, printed
CREATE TABLE sb (a int, b text);
CREATE FUNCTION sb1(x int, y int) RETURNS int RETURN x + y;
CREATE FUNCTION sb2(x int) RETURNS SETOF text BEGIN ATOMIC INSERT INTO sb VALUES (x, 'n'); SELECT b FROM sb WHERE a > x ORDER BY a; END;
CREATE FUNCTION sb3(int) RETURNS bool IMMUTABLE BEGIN ATOMIC SELECT 1; RETURN $1 > 2; END;
CREATE FUNCTION sb4(x int) RETURNS int RETURN (SELECT count(*)::int FROM sb WHERE a = x);
CREATE PROCEDURE sb5(INOUT x int) BEGIN ATOMIC UPDATE sb SET a = a + x; DELETE FROM sb WHERE sb.a > x; SELECT 7; END;
SELECT pg_get_functiondef('sb1'::regproc), pg_get_functiondef('sb2'::regproc);
SELECT pg_get_functiondef('sb3'::regproc), pg_get_functiondef('sb4'::regproc), pg_get_functiondef('sb5'::regproc);
SELECT pg_get_function_sqlbody('sb1'::regproc), pg_get_function_sqlbody('sb2'::regproc), pg_get_function_sqlbody('bit_length(text)'::regprocedure);
\df+ sb1
SELECT sb1(1, 2), sb2(0), sb3(3), sb4(0);
CALL sb5(1);
SELECT col_description(1, 1), pg_get_function_sqlbody('lpad(text,int)'::regprocedure);
DROP TABLE sb CASCADE;
DROP FUNCTION sb1, sb3;
