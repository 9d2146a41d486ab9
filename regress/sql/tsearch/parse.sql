-- the default parser
SELECT * FROM ts_token_type('default');
SELECT * FROM ts_parse('default', 'Hello world, it''s 12 -3 +4.5 1e10 1.2.3 1.2.3.4 v2 x86-64 foo-bar foo-bar2 3com-x un-Ärmel é');
SELECT * FROM ts_parse('default', 'mail a.b-c@example.com or http://www.example.com:80/a/b.html?x=1&y=2#z www.x.org/p ftp://f.org /usr/lib/x.so ~/y ../z ./q 5aew.werc.ewr:8100/?xx');
SELECT * FROM ts_parse('default', '<a href="x>y" b=''c''>t</a> <br/> <!-- no --> &amp; &#160; &#xA0; <script>hidden</script> < b <1> &x a_b a/b/c a:b 1/2 2-3 -x -- .5 5. a. a.b 1a a1 1.a');
SELECT * FROM ts_parse(3722, 'x') ;
SELECT ts_parse('default', 'a b');
SELECT * FROM ts_parse('nosuch', 'x');
-- configurations and dictionaries
SELECT to_tsvector('english', 'The quick brown foxes jumped over the lazy dogs; jumping foxes are quick.');
SELECT to_tsvector('simple', 'The Quick');
SELECT to_tsvector('The default'), get_current_ts_config();
SELECT to_tsvector('german', 'Die Häuser der Straßen'), to_tsvector('french', 'les maisons mangées'), to_tsvector('russian', 'книги читали дома foxes');
SELECT ts_lexize('english_stem', 'stars'), ts_lexize('english_stem', 'a'), ts_lexize('simple', 'Stars');
SELECT to_tsquery('english', 'The & fat <-> rats & !(of | the) & sup:*A');
SELECT to_tsquery('english', 'a <-> the <-> b <-> (of <-> x)'), to_tsquery('english', '''big foxes'' & cat'), to_tsquery('english', 'foo-bar & http://a.org/x');
SELECT to_tsquery('english', 'the'), plainto_tsquery('english', 'The Fat & Rats:C'), phraseto_tsquery('english', 'The cats of a rat in foxes');
SELECT websearch_to_tsquery('english', '"sad cat" or "fat rat" -dog'), websearch_to_tsquery('english', 'a or b "" (c & d) -"the cat" or'),
  websearch_to_tsquery('simple', 'orange or -or or-x "unclosed a b');
SELECT 'fat cats ate rats' @@ 'cat & rat', to_tsvector('fat cats') @@ to_tsquery('cat'), 'fat cats'::text @@ 'cats'::text;
SELECT ts_headline('english', 'The most common type of search is to find all documents containing given query terms and return them in order of their similarity to the query.',
  to_tsquery('english', 'query & similarity'));
SELECT ts_headline('english', 'Search terms may occur many times in a document, requiring ranking of the search matches to decide which occurrences to display in the result.',
  to_tsquery('english', 'search & term'), 'MaxFragments=10, MaxWords=7, MinWords=3, StartSel=<<, StopSel=>>');
SELECT ts_headline('english', 'a <b>fat</b> foo-bar rat http://x.org/y', 'bar | rat | x.org', 'HighlightAll=on'), ts_headline('one two', 'zzz'::tsquery, 'MinWords=1,MaxWords=2');
SELECT ts_headline('x', 'x'::tsquery, 'MaxWords=1');
SELECT ts_headline('x', 'x'::tsquery, 'Nosuch=1');
SELECT ts_headline('x', 'x'::tsquery, 'Nosuch');
SELECT ts_headline('english', '{"a": "fat rats", "b": [1, "the cat"], "c": {"rat": null}}'::json, 'rat | cat'),
  ts_headline('english', '{"b": [1, "the cat"], "a": "fat rats"}'::jsonb, 'rat | cat', 'StartSel=*, StopSel=*');
SELECT to_tsvector('english', '{"a": "aaa in bbb ddd ccc", "b": ["eee fff", 12, true]}'::jsonb), json_to_tsvector('english', '{"a": "aaa", "b": [12, true]}', '["all"]'),
  jsonb_to_tsvector('english', '{"a": "aaa", "b": [12, true]}', '["numeric", "boolean", "key"]'), json_to_tsvector('"x y"', '"string"');
SELECT json_to_tsvector('english', '"a"', '{}');
SELECT json_to_tsvector('english', '"a"', '[1]');
SELECT json_to_tsvector('english', '"a"', '["nope"]');
SET default_text_search_config = simple;
SELECT to_tsvector('The cats'), get_current_ts_config();
SELECT to_tsvector('nosuch', 'x');
