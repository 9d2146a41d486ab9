-- uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid, 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'::uuid, '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'::uuid;
SELECT 'a0eebc99'::uuid;
SELECT '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
SELECT 'g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid;
CREATE TABLE uu (id uuid PRIMARY KEY, n int);
INSERT INTO uu VALUES ('22222222-2222-2222-2222-222222222222', 2), ('11111111-1111-1111-1111-111111111111', 1), ('ffffffff-ffff-ffff-ffff-ffffffffffff', 3);
INSERT INTO uu VALUES ('11111111-1111-1111-1111-111111111111', 4);
SELECT * FROM uu ORDER BY id;
SELECT * FROM uu WHERE id = '22222222222222222222222222222222';
SELECT n FROM uu WHERE id > '11111111-1111-1111-1111-111111111111' ORDER BY id DESC;
SELECT count(DISTINCT id) FROM uu;
SELECT min(id::text), max(id::text) FROM uu;
SELECT length(gen_random_uuid()::text), gen_random_uuid() <> gen_random_uuid();
SELECT id::text || '!' FROM uu WHERE n = 1;
SELECT 1::uuid;
SELECT a.n, b.n FROM uu a JOIN uu b USING (id) ORDER BY 1;
DROP TABLE uu;
