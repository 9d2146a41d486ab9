-- CREATE, ALTER and DROP of text search objects
CREATE TEXT SEARCH DICTIONARY d1 (template = simple, stopwords = english, accept = false);
CREATE TEXT SEARCH DICTIONARY d1 (template = simple);
CREATE TEXT SEARCH DICTIONARY d2 (accept = true);
CREATE TEXT SEARCH DICTIONARY d2 (template = simple, nosuch = 1);
CREATE TEXT SEARCH DICTIONARY d2 (template = simple, accept = maybe);
CREATE TEXT SEARCH DICTIONARY d2 (template = snowball, language = klingon);
CREATE TEXT SEARCH DICTIONARY d2 (template = snowball, language = Italian, stopwords = 'italian');
SELECT ts_lexize('d1', 'the'), ts_lexize('d1', 'dog'), ts_lexize('d2', 'Canzoni'), ts_lexize('d2', 'della');
ALTER TEXT SEARCH DICTIONARY d1 (accept, "StopWords" = 'it''s \ here');
ALTER TEXT SEARCH DICTIONARY d1 (accept, stopwords = 'german');
SELECT dictname, dictinitoption FROM pg_ts_dict WHERE dictname IN ('d1', 'd2') ORDER BY 1;
SELECT ts_lexize('d1', 'the'), ts_lexize('d1', 'Und');
CREATE TEXT SEARCH DICTIONARY syn (template = synonym, synonyms = synonym_sample);
CREATE TEXT SEARCH DICTIONARY ths (template = thesaurus, dictfile = thesaurus_sample, dictionary = english_stem);
CREATE TEXT SEARCH DICTIONARY isp (template = ispell, dictfile = ispell_sample, afffile = ispell_sample);
SELECT ts_lexize('syn', 'Postgres'), ts_lexize('syn', 'indices'), ts_lexize('isp', 'rebookings'), ts_lexize('isp', 'footballklubber'), ts_lexize('isp', 'x');
CREATE TEXT SEARCH CONFIGURATION cfg (copy = english);
ALTER TEXT SEARCH CONFIGURATION cfg ALTER MAPPING FOR asciiword WITH ths, syn, isp, english_stem;
SELECT to_tsvector('cfg', 'one two three supernovae stars booking postgres the crab nebulae'), to_tsquery('cfg', 'supernova & star:A | footballyklubber'),
  plainto_tsquery('cfg', 'one two three four');
SELECT * FROM ts_debug('cfg', 'one two Äpfel 12');
SELECT ts_headline('cfg', 'look at supernovae stars tonight', to_tsquery('cfg', 'sn'));
ALTER TEXT SEARCH CONFIGURATION cfg DROP MAPPING FOR tag;
ALTER TEXT SEARCH CONFIGURATION cfg DROP MAPPING IF EXISTS FOR tag, word;
ALTER TEXT SEARCH CONFIGURATION cfg ADD MAPPING FOR nosuch WITH simple;
ALTER TEXT SEARCH CONFIGURATION cfg ALTER MAPPING REPLACE english_stem WITH d2;
SELECT maptokentype, mapseqno, mapdict::regdictionary FROM pg_ts_config_map WHERE mapcfg = 'cfg'::regconfig ORDER BY 1, 2;
DROP TEXT SEARCH DICTIONARY d2;
ALTER TEXT SEARCH CONFIGURATION cfg RENAME TO cfg2;
CREATE TEXT SEARCH CONFIGURATION cfg3 (parser = nosuch);
CREATE TEXT SEARCH CONFIGURATION cfg3 (parser = "default", copy = english);
CREATE TEXT SEARCH CONFIGURATION cfg3 (parser = "default");
SELECT to_tsvector('cfg3', 'a b');
CREATE TEXT SEARCH TEMPLATE tt (lexize = dsimple_lexize, init = dsimple_init);
CREATE TEXT SEARCH TEMPLATE tt2 (init = dsimple_init);
CREATE TEXT SEARCH PARSER pp (start = prsd_start, gettoken = prsd_nexttoken, end = prsd_end, lextypes = prsd_lextype);
CREATE TEXT SEARCH PARSER pp2 (start = prsd_start, nosuch = x);
CREATE TEXT SEARCH DICTIONARY d4 (template = tt, stopwords = english);
SELECT ts_lexize('d4', 'the'), ts_lexize('d4', 'X');
COMMENT ON TEXT SEARCH CONFIGURATION cfg2 IS 'a comment';
\dFd d*
\dF+ cfg2
\dFt t*
\dFp pp
-- the triggers
CREATE TABLE doc (id int, title text, body varchar, v tsvector, c regconfig DEFAULT 'english');
CREATE TRIGGER t1 BEFORE INSERT OR UPDATE ON doc FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(v, 'pg_catalog.english', title, body);
INSERT INTO doc VALUES (1, 'The fat cats', 'sat on mats'), (2, NULL, NULL);
SELECT id, v FROM doc ORDER BY id;
UPDATE doc SET v = 'kept' WHERE id = 1;
UPDATE doc SET body = 'ate rats' WHERE id = 2;
SELECT id, v FROM doc ORDER BY id;
DROP TRIGGER t1 ON doc;
CREATE TRIGGER t2 BEFORE INSERT OR UPDATE ON doc FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger_column(v, c, title);
INSERT INTO doc (id, title, c) VALUES (3, 'The cats', 'simple'), (4, 'The cats', 'english');
SELECT id, v FROM doc WHERE id > 2 ORDER BY id;
INSERT INTO doc (id, c) VALUES (5, NULL);
DROP TRIGGER t2 ON doc;
CREATE TRIGGER t3 BEFORE INSERT ON doc FOR EACH ROW EXECUTE FUNCTION tsvector_update_trigger(v, 'english', title);
INSERT INTO doc (id) VALUES (6);
DROP TABLE doc;
DROP TEXT SEARCH CONFIGURATION cfg2, cfg3;
DROP TEXT SEARCH DICTIONARY d1, d2, d4, syn, ths, isp;
DROP TEXT SEARCH TEMPLATE tt;
DROP TEXT SEARCH PARSER pp;
