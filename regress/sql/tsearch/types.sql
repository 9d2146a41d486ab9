-- tsvector and tsquery: text, order, operators
SELECT 'fat cat:3A,1 ate fat:2B "''q''"\:x :5'::tsvector;
SELECT 'a:1,1A,2C b:20000 c:3*'::tsvector;
SELECT ''' a b'':4 c\\d'::tsvector;
SELECT 'a:0'::tsvector;
SELECT 'a:1x'::tsvector;
SELECT '''a'::tsvector;
SELECT repeat('x', 3000)::tsvector;
SELECT 'fat & (rat | !cat) <-> dog <5> (a <-> b)'::tsquery;
SELECT '!(a & b) | !!c:*AB & ''d e'':*'::tsquery;
SELECT 'a & '::tsquery;
SELECT 'a b'::tsquery;
SELECT '(a'::tsquery;
SELECT 'a <16385> b'::tsquery;
SELECT ''::tsquery;
SELECT 'a:1,2 b:3'::tsvector || 'c:1 a:2A d'::tsvector;
SELECT setweight('a:1,2 b:3B'::tsvector, 'A'), setweight('a:1,2 b:3B'::tsvector, 'C', '{b,x,NULL}');
SELECT ts_delete('a:1 b:2 c:3'::tsvector, 'b'), ts_delete('a:1 b:2 c:3'::tsvector, ARRAY['c', 'a', 'zz', NULL]);
SELECT ts_filter('a:1A,2B b:3C c'::tsvector, '{a,c}'), strip('a:1 b:2'::tsvector), length('a b c'::tsvector);
SELECT ts_filter('a:1A'::tsvector, '{x}');
SELECT * FROM unnest('a:1A,2 b c:3'::tsvector);
SELECT unnest('a:1A,2 b'::tsvector);
SELECT tsvector_to_array('c b a'::tsvector), array_to_tsvector('{z,a,z}');
SELECT array_to_tsvector('{a,NULL}');
SELECT array_to_tsvector('{a,""}');
SELECT q, 'a:1 b:2 c:3A d:10 dd:11'::tsvector @@ q::tsquery
FROM unnest(ARRAY['a', 'x', 'a & x', 'a | x', '!x', 'a <-> b', 'b <-> a', 'a <2> c', 'a <-> (b <-> c)', '(a <-> b) <-> c', 'c:A', 'c:B', 'd:*', 'a <-> d:*',
  'c <8> d:*', 'a <-> !b', 'a <-> !x', '!a <-> b', '!x <-> b', '!(a <-> b)', 'a <-> (x | b)', 'a <-> (b & !c)', '!a <-> !b', '(a | x) <-> (b | x)']) q;
SELECT 'a b'::tsvector @@ 'a <-> b', 'a b'::tsvector @@ 'a:A & !(b <-> a)';
SELECT 'a'::tsquery && 'b | c', 'a'::tsquery || 'b & c', !!'a & b'::tsquery, 'a'::tsquery <-> 'b', tsquery_phrase('a', 'b & c', 7);
SELECT numnode('a & !b | c'), querytree('a & !b | c'), querytree('!a'), querytree('a & !b'), 'a & b & a'::tsquery @> 'b', 'b' <@ 'a'::tsquery;
SELECT v FROM unnest(ARRAY['a', 'b:1', 'a:1', 'a:2', 'a:1A', 'a b', 'aa']::tsvector[]) v ORDER BY v;
SELECT q FROM unnest(ARRAY['a', 'b', 'a & b', 'b & a', 'a | b', '!a', 'a <-> b', 'a <2> b', 'abc', 'a:*']::tsquery[]) q ORDER BY q;
SELECT ts_rewrite('a & b & c', 'b & c', 'x | y'), ts_rewrite('a & (b | c)', 'c', ''), ts_rewrite('a | b', 'b | a', 'z <-> y'), ts_rewrite('!a', 'a', '');
SELECT ts_rewrite('a & b', 'SELECT ''b''::tsquery, ''c | d''::tsquery UNION ALL SELECT NULL, ''x''');
SELECT ts_rewrite('a & b', 'SELECT 1');
SELECT m, ts_rank('a:1,5A b:3 c:9B'::tsvector, 'a & b', m), ts_rank('a:1,5A b:3 c:9B'::tsvector, 'a | c:* | x', m),
  ts_rank_cd('a:1,5A b:3 c:9B'::tsvector, 'a & b | c', m), ts_rank('{0.1,0.2,0.3,0.9}', 'a:1,5A b:3 c'::tsvector, 'a & c', m)
FROM generate_series(0, 32) m WHERE m IN (0, 1, 2, 4, 8, 16, 32, 31);
SELECT ts_rank('{0.1,0.2}', 'a:1', 'a');
SELECT ts_rank('{0.1,0.2,2,3}', 'a:1', 'a');
SELECT tsvectorsend('a:1A b'::tsvector), tsquerysend('a:*B & !b <3> c'::tsquery);
CREATE TEMP TABLE ts (v tsvector, q tsquery);
INSERT INTO ts VALUES ('a:1,2 b:3', 'a & b'), ('c', NULL), ('', '');
SELECT v, q, v @@ q, q @@ v FROM ts;
SELECT * FROM ts_stat('SELECT v FROM ts') ORDER BY word;
SELECT * FROM ts_stat('SELECT v || ''a:1A,2B''::tsvector FROM ts', 'ab') ORDER BY word;
SELECT ts_stat('SELECT 1');
