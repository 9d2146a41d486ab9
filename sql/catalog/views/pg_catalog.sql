-- The system views of pg_catalog, run in template1 at first start. One statement ends at a line that ends in a semicolon.

CREATE VIEW pg_catalog.pg_roles AS
    SELECT a.rolname, a.rolsuper, a.rolinherit, a.rolcreaterole, a.rolcreatedb, a.rolcanlogin, a.rolreplication, a.rolconnlimit,
           '********'::text AS rolpassword, a.rolvaliduntil, a.rolbypassrls, s.setconfig AS rolconfig, a.oid
    FROM pg_catalog.pg_authid a LEFT JOIN pg_catalog.pg_db_role_setting s ON a.oid = s.setrole AND s.setdatabase = 0;

CREATE VIEW pg_catalog.pg_shadow AS
    SELECT a.rolname AS usename, a.oid AS usesysid, a.rolcreatedb AS usecreatedb, a.rolsuper AS usesuper, a.rolreplication AS userepl,
           a.rolbypassrls AS usebypassrls, a.rolpassword AS passwd, a.rolvaliduntil AS valuntil, s.setconfig AS useconfig
    FROM pg_catalog.pg_authid a LEFT JOIN pg_catalog.pg_db_role_setting s ON a.oid = s.setrole AND s.setdatabase = 0
    WHERE a.rolcanlogin;

REVOKE ALL ON pg_catalog.pg_shadow FROM public;

CREATE VIEW pg_catalog.pg_group AS
    SELECT a.rolname AS groname, a.oid AS grosysid,
           ARRAY(SELECT m.member FROM pg_catalog.pg_auth_members m WHERE m.roleid = a.oid) AS grolist
    FROM pg_catalog.pg_authid a WHERE NOT a.rolcanlogin;

CREATE VIEW pg_catalog.pg_user AS
    SELECT s.usename, s.usesysid, s.usecreatedb, s.usesuper, s.userepl, s.usebypassrls, '********'::text AS passwd, s.valuntil, s.useconfig
    FROM pg_catalog.pg_shadow s;

CREATE VIEW pg_catalog.pg_views AS
    SELECT n.nspname AS schemaname, c.relname AS viewname, pg_catalog.pg_get_userbyid(c.relowner) AS viewowner,
           pg_catalog.pg_get_viewdef(c.oid) AS definition
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'v';

CREATE VIEW pg_catalog.pg_tables AS
    SELECT n.nspname AS schemaname, c.relname AS tablename, pg_catalog.pg_get_userbyid(c.relowner) AS tableowner, t.spcname AS tablespace,
           c.relhasindex AS hasindexes, c.relhasrules AS hasrules, c.relhastriggers AS hastriggers, c.relrowsecurity AS rowsecurity
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = c.reltablespace
    WHERE c.relkind IN ('r', 'p');

CREATE VIEW pg_catalog.pg_matviews AS
    SELECT n.nspname AS schemaname, c.relname AS matviewname, pg_catalog.pg_get_userbyid(c.relowner) AS matviewowner, t.spcname AS tablespace,
           c.relhasindex AS hasindexes, c.relispopulated AS ispopulated, pg_catalog.pg_get_viewdef(c.oid) AS definition
    FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = c.reltablespace
    WHERE c.relkind = 'm';

CREATE VIEW pg_catalog.pg_indexes AS
    SELECT n.nspname AS schemaname, c.relname AS tablename, i.relname AS indexname, t.spcname AS tablespace,
           pg_catalog.pg_get_indexdef(i.oid) AS indexdef
    FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_catalog.pg_tablespace t ON t.oid = i.reltablespace
    WHERE c.relkind IN ('r', 'm', 'p') AND i.relkind IN ('i', 'I');

CREATE VIEW pg_catalog.pg_sequences AS
    SELECT n.nspname AS schemaname, c.relname AS sequencename, pg_catalog.pg_get_userbyid(c.relowner) AS sequenceowner,
           s.seqtypid::pg_catalog.regtype AS data_type, s.seqstart AS start_value, s.seqmin AS min_value, s.seqmax AS max_value,
           s.seqincrement AS increment_by, s.seqcycle AS cycle, s.seqcache AS cache_size,
           CASE WHEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT,USAGE'::text) THEN pg_catalog.pg_sequence_last_value(c.oid::pg_catalog.regclass)
                ELSE NULL END AS last_value
    FROM pg_catalog.pg_sequence s JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE NOT pg_catalog.pg_is_other_temp_schema(n.oid) AND c.relkind = 'S';

CREATE VIEW pg_catalog.pg_rules AS
    SELECT n.nspname AS schemaname, c.relname AS tablename, r.rulename, pg_catalog.pg_get_ruledef(r.oid) AS definition
    FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE r.rulename <> '_RETURN';

CREATE VIEW pg_catalog.pg_settings AS SELECT * FROM pg_catalog.pg_show_all_settings() a;

CREATE VIEW pg_catalog.pg_file_settings AS SELECT * FROM pg_catalog.pg_show_all_file_settings() a;

CREATE VIEW pg_catalog.pg_locks AS SELECT * FROM pg_catalog.pg_lock_status() l;

CREATE VIEW pg_catalog.pg_stat_hash_index AS
    SELECT c.oid AS relid, i.oid AS indexrelid, n.nspname AS schemaname, c.relname AS relname, i.relname AS indexrelname, s.*,
           s.pages_read::float8 / NULLIF(s.lookups, 0) AS pages_per_lookup
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index x ON c.oid = x.indrelid JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace,
         LATERAL pg_catalog.pg_stat_get_hash_index(i.oid) s
    WHERE i.relam = 405 AND i.relkind = 'i';

CREATE VIEW pg_catalog.pg_cursors AS SELECT * FROM pg_catalog.pg_cursor() c;

CREATE VIEW pg_catalog.pg_prepared_statements AS SELECT * FROM pg_catalog.pg_prepared_statement() p;

CREATE VIEW pg_catalog.pg_prepared_xacts AS
    SELECT p.transaction, p.gid, p.prepared, u.rolname AS owner, d.datname AS database
    FROM pg_catalog.pg_prepared_xact() p LEFT JOIN pg_catalog.pg_authid u ON p.ownerid = u.oid
         LEFT JOIN pg_catalog.pg_database d ON p.dbid = d.oid;

CREATE VIEW pg_catalog.pg_timezone_names AS SELECT * FROM pg_catalog.pg_timezone_names();

CREATE VIEW pg_catalog.pg_timezone_abbrevs AS SELECT * FROM pg_catalog.pg_timezone_abbrevs();

CREATE VIEW pg_catalog.pg_available_extensions AS
    SELECT e.name, e.default_version, x.extversion AS installed_version, e.comment
    FROM pg_catalog.pg_available_extensions() e LEFT JOIN pg_catalog.pg_extension x ON e.name = x.extname;

CREATE VIEW pg_catalog.pg_stats AS
    SELECT n.nspname AS schemaname, c.relname AS tablename, a.attname, s.stainherit AS inherited, s.stanullfrac AS null_frac,
           s.stawidth AS avg_width, s.stadistinct AS n_distinct,
           CASE 1 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                  WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_vals,
           CASE 1 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                  WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_freqs,
           CASE 2 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                  WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS histogram_bounds,
           CASE 3 WHEN s.stakind1 THEN s.stanumbers1[1] WHEN s.stakind2 THEN s.stanumbers2[1] WHEN s.stakind3 THEN s.stanumbers3[1]
                  WHEN s.stakind4 THEN s.stanumbers4[1] WHEN s.stakind5 THEN s.stanumbers5[1] END AS correlation,
           CASE 4 WHEN s.stakind1 THEN s.stavalues1 WHEN s.stakind2 THEN s.stavalues2 WHEN s.stakind3 THEN s.stavalues3
                  WHEN s.stakind4 THEN s.stavalues4 WHEN s.stakind5 THEN s.stavalues5 END AS most_common_elems,
           CASE 4 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                  WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS most_common_elem_freqs,
           CASE 5 WHEN s.stakind1 THEN s.stanumbers1 WHEN s.stakind2 THEN s.stanumbers2 WHEN s.stakind3 THEN s.stanumbers3
                  WHEN s.stakind4 THEN s.stanumbers4 WHEN s.stakind5 THEN s.stanumbers5 END AS elem_count_histogram
    FROM pg_catalog.pg_statistic s JOIN pg_catalog.pg_class c ON c.oid = s.starelid
         JOIN pg_catalog.pg_attribute a ON c.oid = a.attrelid AND a.attnum = s.staattnum
         LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE NOT a.attisdropped AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'select'::text);

REVOKE ALL ON pg_catalog.pg_statistic FROM public;

GRANT SELECT ON pg_catalog.pg_roles, pg_catalog.pg_group, pg_catalog.pg_user, pg_catalog.pg_views, pg_catalog.pg_tables, pg_catalog.pg_matviews,
    pg_catalog.pg_indexes, pg_catalog.pg_sequences, pg_catalog.pg_rules, pg_catalog.pg_settings, pg_catalog.pg_locks, pg_catalog.pg_stat_hash_index, pg_catalog.pg_cursors,
    pg_catalog.pg_prepared_statements, pg_catalog.pg_prepared_xacts, pg_catalog.pg_timezone_names, pg_catalog.pg_timezone_abbrevs,
    pg_catalog.pg_available_extensions, pg_catalog.pg_stats TO public;
