-- The information schema, from the columns that the SQL standard and PostgreSQL's manual list, run after pg_stat.sql. One statement ends at a line that ends in a
-- semicolon.

CREATE SCHEMA information_schema;

GRANT USAGE ON SCHEMA information_schema TO public;

CREATE DOMAIN information_schema.cardinal_number AS integer CONSTRAINT cardinal_number_domain_check CHECK (VALUE >= 0);

CREATE DOMAIN information_schema.character_data AS character varying COLLATE "C";

CREATE DOMAIN information_schema.sql_identifier AS name;

CREATE DOMAIN information_schema.time_stamp AS timestamp(2) with time zone DEFAULT current_timestamp(2);

CREATE DOMAIN information_schema.yes_or_no AS character varying(3) COLLATE "C" CONSTRAINT yes_or_no_check CHECK (VALUE IN ('YES', 'NO'));

-- Functions that the views, and drivers, use.

CREATE FUNCTION information_schema._pg_expandarray(IN anyarray, OUT x anyelement, OUT n integer) RETURNS SETOF record LANGUAGE sql STRICT IMMUTABLE PARALLEL SAFE
    AS $$ SELECT $1[i], i - array_lower($1, 1) + 1 FROM generate_series(array_lower($1, 1), array_upper($1, 1)) AS g(i) $$;

CREATE FUNCTION information_schema._pg_index_position(oid, smallint) RETURNS integer LANGUAGE sql STRICT STABLE
    AS $$ SELECT k.n::integer FROM pg_catalog.pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(att, n) WHERE i.indexrelid = $1 AND k.att = $2 LIMIT 1 $$;

CREATE FUNCTION information_schema._pg_truetypid(pg_catalog.pg_attribute, pg_catalog.pg_type) RETURNS oid LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE $2.typtype WHEN 'd' THEN $2.typbasetype ELSE $1.atttypid END $$;

CREATE FUNCTION information_schema._pg_truetypmod(pg_catalog.pg_attribute, pg_catalog.pg_type) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE $2.typtype WHEN 'd' THEN $2.typtypmod ELSE $1.atttypmod END $$;

CREATE FUNCTION information_schema._pg_char_max_length(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $2 = -1 THEN NULL WHEN $1 IN (1042, 1043) THEN $2 - 4 WHEN $1 IN (1560, 1562) THEN $2 END $$;

CREATE FUNCTION information_schema._pg_char_octet_length(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $1 NOT IN (25, 1042, 1043) THEN NULL WHEN $2 = -1 THEN 1073741824
          ELSE information_schema._pg_char_max_length($1, $2)
               * pg_catalog.pg_encoding_max_length((SELECT encoding FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) END $$;

CREATE FUNCTION information_schema._pg_numeric_precision(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE $1 WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53
          WHEN 1700 THEN CASE WHEN $2 <> -1 THEN (($2 - 4) >> 16) & 65535 END END $$;

CREATE FUNCTION information_schema._pg_numeric_precision_radix(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $1 IN (20, 21, 23, 700, 701) THEN 2 WHEN $1 = 1700 THEN 10 END $$;

CREATE FUNCTION information_schema._pg_numeric_scale(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $1 IN (20, 21, 23) THEN 0 WHEN $1 = 1700 AND $2 <> -1 THEN ($2 - 4) & 65535 END $$;

CREATE FUNCTION information_schema._pg_datetime_precision(typid oid, typmod integer) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $1 = 1082 THEN 0 WHEN $1 IN (1083, 1114, 1184, 1266) THEN CASE WHEN $2 < 0 THEN 6 ELSE $2 END
          WHEN $1 = 1186 THEN CASE WHEN $2 < 0 OR $2 & 65535 = 65535 THEN 6 ELSE $2 & 65535 END END $$;

CREATE FUNCTION information_schema._pg_interval_type(typid oid, mod integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN $1 = 1186 THEN pg_catalog.upper(pg_catalog.substring(pg_catalog.format_type($1, $2), '^interval[()0-9]* (.*)$')) END $$;

-- How the standard names a type: given the type, the schema that it is in, and whether it stands as it is.
CREATE FUNCTION information_schema._calf_data_type(typ oid) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE STRICT
    AS $$ SELECT CASE WHEN t.typelem <> 0 AND t.typlen = -1 THEN 'ARRAY' WHEN t.typnamespace = 11 THEN pg_catalog.format_type(t.oid, NULL)
          ELSE 'USER-DEFINED' END FROM pg_catalog.pg_type t WHERE t.oid = $1 $$;

CREATE VIEW information_schema.information_schema_catalog_name AS
    SELECT current_database()::information_schema.sql_identifier AS catalog_name;

-- Roles.

CREATE VIEW information_schema.applicable_roles AS
    SELECT m.rolname::information_schema.sql_identifier AS grantee, g.rolname::information_schema.sql_identifier AS role_name,
           (CASE WHEN am.admin_option THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
    FROM (SELECT member, roleid, admin_option FROM pg_catalog.pg_auth_members
          UNION SELECT a.oid, d.datdba, false FROM pg_catalog.pg_database d, pg_catalog.pg_authid a
          WHERE d.datname = current_database() AND a.rolname = 'pg_database_owner' AND false) am
         JOIN pg_catalog.pg_authid m ON am.member = m.oid JOIN pg_catalog.pg_authid g ON am.roleid = g.oid
    WHERE pg_has_role(m.oid, 'USAGE');

CREATE VIEW information_schema.administrable_role_authorizations AS
    SELECT * FROM information_schema.applicable_roles WHERE is_grantable = 'YES';

CREATE VIEW information_schema.enabled_roles AS
    SELECT a.rolname::information_schema.sql_identifier AS role_name FROM pg_catalog.pg_authid a WHERE pg_has_role(a.oid, 'USAGE');

-- Schemas, character sets, collations.

CREATE VIEW information_schema.schemata AS
    SELECT current_database()::information_schema.sql_identifier AS catalog_name, n.nspname::information_schema.sql_identifier AS schema_name,
           u.rolname::information_schema.sql_identifier AS schema_owner,
           NULL::information_schema.sql_identifier AS default_character_set_catalog, NULL::information_schema.sql_identifier AS default_character_set_schema,
           NULL::information_schema.sql_identifier AS default_character_set_name, NULL::information_schema.character_data AS sql_path
    FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_authid u ON n.nspowner = u.oid
    WHERE pg_has_role(n.nspowner, 'USAGE') OR has_schema_privilege(n.oid, 'CREATE, USAGE');

CREATE VIEW information_schema.character_sets AS
    SELECT NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           getdatabaseencoding()::information_schema.sql_identifier AS character_set_name,
           (CASE WHEN getdatabaseencoding() = 'UTF8' THEN 'UCS' ELSE getdatabaseencoding() END)::information_schema.sql_identifier AS character_repertoire,
           getdatabaseencoding()::information_schema.sql_identifier AS form_of_use,
           current_database()::information_schema.sql_identifier AS default_collate_catalog,
           nc.nspname::information_schema.sql_identifier AS default_collate_schema, c.collname::information_schema.sql_identifier AS default_collate_name
    FROM pg_catalog.pg_database d
         LEFT JOIN (pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace nc ON c.collnamespace = nc.oid) ON d.datcollate = c.collcollate AND d.datctype = c.collctype
    WHERE d.datname = current_database()
    ORDER BY char_length(c.collname) DESC, c.collname
    LIMIT 1;

CREATE VIEW information_schema.collations AS
    SELECT current_database()::information_schema.sql_identifier AS collation_catalog, n.nspname::information_schema.sql_identifier AS collation_schema,
           c.collname::information_schema.sql_identifier AS collation_name, 'NO PAD'::information_schema.character_data AS pad_attribute
    FROM pg_catalog.pg_collation c JOIN pg_catalog.pg_namespace n ON c.collnamespace = n.oid
    WHERE c.collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database WHERE datname = current_database()));

CREATE VIEW information_schema.collation_character_set_applicability AS
    SELECT collation_catalog, collation_schema, collation_name, NULL::information_schema.sql_identifier AS character_set_catalog,
           NULL::information_schema.sql_identifier AS character_set_schema, getdatabaseencoding()::information_schema.sql_identifier AS character_set_name
    FROM information_schema.collations;

-- Tables, columns, views.

CREATE VIEW information_schema.tables AS
    SELECT current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name,
           (CASE WHEN c.relpersistence = 't' THEN 'LOCAL TEMPORARY' WHEN c.relkind IN ('r', 'p') THEN 'BASE TABLE' WHEN c.relkind = 'v' THEN 'VIEW'
                 WHEN c.relkind = 'f' THEN 'FOREIGN' END)::information_schema.character_data AS table_type,
           NULL::information_schema.sql_identifier AS self_referencing_column_name, NULL::information_schema.character_data AS reference_generation,
           (CASE WHEN t.oid IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS user_defined_type_catalog,
           nt.nspname::information_schema.sql_identifier AS user_defined_type_schema, t.typname::information_schema.sql_identifier AS user_defined_type_name,
           (CASE WHEN c.relkind IN ('r', 'p') OR c.relkind IN ('v', 'f') AND pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO'
            END)::information_schema.yes_or_no AS is_insertable_into,
           (CASE WHEN t.oid IS NOT NULL THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_typed,
           NULL::information_schema.character_data AS commit_action
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid
         LEFT JOIN (pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid) ON c.reloftype = t.oid
    WHERE c.relkind IN ('r', 'v', 'f', 'p') AND NOT pg_is_other_temp_schema(n.oid)
      AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.columns AS
    SELECT current_database()::information_schema.sql_identifier AS table_catalog, nc.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name, a.attname::information_schema.sql_identifier AS column_name,
           a.attnum::information_schema.cardinal_number AS ordinal_position,
           (CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END)::information_schema.character_data AS column_default,
           (CASE WHEN a.attnotnull OR t.typtype = 'd' AND t.typnotnull THEN 'NO' ELSE 'YES' END)::information_schema.yes_or_no AS is_nullable,
           information_schema._calf_data_type(information_schema._pg_truetypid(a, t))::information_schema.character_data AS data_type,
           information_schema._pg_char_max_length(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS character_maximum_length,
           information_schema._pg_char_octet_length(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS character_octet_length,
           information_schema._pg_numeric_precision(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS numeric_precision,
           information_schema._pg_numeric_precision_radix(information_schema._pg_truetypid(a, t),
               information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number AS numeric_precision_radix,
           information_schema._pg_numeric_scale(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS numeric_scale,
           information_schema._pg_datetime_precision(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS datetime_precision,
           information_schema._pg_interval_type(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.character_data
               AS interval_type,
           NULL::information_schema.cardinal_number AS interval_precision, NULL::information_schema.sql_identifier AS character_set_catalog,
           NULL::information_schema.sql_identifier AS character_set_schema, NULL::information_schema.sql_identifier AS character_set_name,
           (CASE WHEN nco.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
           nco.nspname::information_schema.sql_identifier AS collation_schema, co.collname::information_schema.sql_identifier AS collation_name,
           (CASE WHEN t.typtype = 'd' THEN current_database() END)::information_schema.sql_identifier AS domain_catalog,
           (CASE WHEN t.typtype = 'd' THEN nt.nspname END)::information_schema.sql_identifier AS domain_schema,
           (CASE WHEN t.typtype = 'd' THEN t.typname END)::information_schema.sql_identifier AS domain_name,
           current_database()::information_schema.sql_identifier AS udt_catalog,
           coalesce(nbt.nspname, nt.nspname)::information_schema.sql_identifier AS udt_schema,
           coalesce(bt.typname, t.typname)::information_schema.sql_identifier AS udt_name,
           NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
           NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
           a.attnum::information_schema.sql_identifier AS dtd_identifier, 'NO'::information_schema.yes_or_no AS is_self_referencing,
           (CASE WHEN a.attidentity IN ('a', 'd') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_identity,
           (CASE a.attidentity WHEN 'a' THEN 'ALWAYS' WHEN 'd' THEN 'BY DEFAULT' END)::information_schema.character_data AS identity_generation,
           seq.seqstart::information_schema.character_data AS identity_start, seq.seqincrement::information_schema.character_data AS identity_increment,
           seq.seqmax::information_schema.character_data AS identity_maximum, seq.seqmin::information_schema.character_data AS identity_minimum,
           (CASE WHEN seq.seqcycle THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS identity_cycle,
           (CASE WHEN a.attgenerated <> '' THEN 'ALWAYS' ELSE 'NEVER' END)::information_schema.character_data AS is_generated,
           (CASE WHEN a.attgenerated <> '' THEN pg_get_expr(d.adbin, d.adrelid) END)::information_schema.character_data AS generation_expression,
           (CASE WHEN c.relkind IN ('r', 'p') OR c.relkind IN ('v', 'f') AND pg_column_is_updatable(c.oid, a.attnum, false) THEN 'YES' ELSE 'NO'
            END)::information_schema.yes_or_no AS is_updatable
    FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum
         JOIN pg_catalog.pg_class c ON a.attrelid = c.oid JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
         JOIN pg_catalog.pg_type t ON a.atttypid = t.oid JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
         LEFT JOIN (pg_catalog.pg_type bt JOIN pg_catalog.pg_namespace nbt ON bt.typnamespace = nbt.oid) ON t.typtype = 'd' AND t.typbasetype = bt.oid
         LEFT JOIN (pg_catalog.pg_collation co JOIN pg_catalog.pg_namespace nco ON co.collnamespace = nco.oid)
             ON a.attcollation = co.oid AND (nco.nspname, co.collname) <> ('pg_catalog', 'default')
         LEFT JOIN (pg_catalog.pg_depend dep JOIN pg_catalog.pg_sequence seq ON dep.classid = 1259 AND dep.objid = seq.seqrelid AND dep.deptype = 'i')
             ON dep.refclassid = 1259 AND dep.refobjid = c.oid AND dep.refobjsubid = a.attnum
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'f', 'p') AND NOT pg_is_other_temp_schema(nc.oid)
      AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.column_column_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name, ac.attname::information_schema.sql_identifier AS column_name,
           ad.attname::information_schema.sql_identifier AS dependent_column
    FROM pg_catalog.pg_namespace n, pg_catalog.pg_class c, pg_catalog.pg_depend d, pg_catalog.pg_attribute ac, pg_catalog.pg_attribute ad, pg_catalog.pg_attrdef atd
    WHERE n.oid = c.relnamespace AND c.oid = ac.attrelid AND c.oid = ad.attrelid AND ac.attnum <> ad.attnum AND ad.attgenerated <> ''
      AND atd.adrelid = c.oid AND atd.adnum = ad.attnum AND d.classid = 2604 AND d.objid = atd.oid AND d.refclassid = 1259 AND d.refobjid = c.oid
      AND d.refobjsubid = ac.attnum AND pg_has_role(c.relowner, 'USAGE');

CREATE VIEW information_schema.column_domain_usage AS
    SELECT current_database()::information_schema.sql_identifier AS domain_catalog, nt.nspname::information_schema.sql_identifier AS domain_schema,
           t.typname::information_schema.sql_identifier AS domain_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nc.nspname::information_schema.sql_identifier AS table_schema, c.relname::information_schema.sql_identifier AS table_name,
           a.attname::information_schema.sql_identifier AS column_name
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid JOIN pg_catalog.pg_attribute a ON a.atttypid = t.oid
         JOIN pg_catalog.pg_class c ON a.attrelid = c.oid JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
    WHERE t.typtype = 'd' AND c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND pg_has_role(t.typowner, 'USAGE');

CREATE VIEW information_schema.column_udt_usage AS
    SELECT current_database()::information_schema.sql_identifier AS udt_catalog, coalesce(nbt.nspname, nt.nspname)::information_schema.sql_identifier AS udt_schema,
           coalesce(bt.typname, t.typname)::information_schema.sql_identifier AS udt_name,
           current_database()::information_schema.sql_identifier AS table_catalog, nc.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name, a.attname::information_schema.sql_identifier AS column_name
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON a.attrelid = c.oid JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
         JOIN pg_catalog.pg_type t ON a.atttypid = t.oid JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
         LEFT JOIN (pg_catalog.pg_type bt JOIN pg_catalog.pg_namespace nbt ON bt.typnamespace = nbt.oid) ON t.typtype = 'd' AND t.typbasetype = bt.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(coalesce(bt.typowner, t.typowner), 'USAGE');

CREATE VIEW information_schema.views AS
    SELECT current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name,
           (CASE WHEN pg_has_role(c.relowner, 'USAGE') THEN pg_get_viewdef(c.oid) END)::information_schema.character_data AS view_definition,
           (CASE WHEN 'check_option=cascaded' = ANY (c.reloptions) THEN 'CASCADED' WHEN 'check_option=local' = ANY (c.reloptions) THEN 'LOCAL' ELSE 'NONE'
            END)::information_schema.character_data AS check_option,
           (CASE WHEN pg_relation_is_updatable(c.oid, false) & 20 = 20 THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_updatable,
           (CASE WHEN pg_relation_is_updatable(c.oid, false) & 8 = 8 THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_insertable_into,
           (CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 81 = 81) THEN 'YES' ELSE 'NO'
            END)::information_schema.yes_or_no AS is_trigger_updatable,
           (CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 73 = 73) THEN 'YES' ELSE 'NO'
            END)::information_schema.yes_or_no AS is_trigger_deletable,
           (CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND t.tgtype & 69 = 69) THEN 'YES' ELSE 'NO'
            END)::information_schema.yes_or_no AS is_trigger_insertable_into
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid
    WHERE c.relkind = 'v' AND NOT pg_is_other_temp_schema(n.oid)
      AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.view_table_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS view_catalog, nv.nspname::information_schema.sql_identifier AS view_schema,
           v.relname::information_schema.sql_identifier AS view_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nt.nspname::information_schema.sql_identifier AS table_schema, t.relname::information_schema.sql_identifier AS table_name
    FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace nv ON v.relnamespace = nv.oid
         JOIN pg_catalog.pg_depend dv ON dv.refclassid = 1259 AND dv.refobjid = v.oid AND dv.classid = 2618 AND dv.deptype = 'i'
         JOIN pg_catalog.pg_depend dt ON dt.classid = 2618 AND dt.objid = dv.objid AND dt.refclassid = 1259 AND dt.refobjid <> dv.refobjid
         JOIN pg_catalog.pg_class t ON dt.refobjid = t.oid JOIN pg_catalog.pg_namespace nt ON t.relnamespace = nt.oid
    WHERE v.relkind = 'v' AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.view_column_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS view_catalog, nv.nspname::information_schema.sql_identifier AS view_schema,
           v.relname::information_schema.sql_identifier AS view_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nt.nspname::information_schema.sql_identifier AS table_schema, t.relname::information_schema.sql_identifier AS table_name,
           a.attname::information_schema.sql_identifier AS column_name
    FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace nv ON v.relnamespace = nv.oid
         JOIN pg_catalog.pg_depend dv ON dv.refclassid = 1259 AND dv.refobjid = v.oid AND dv.classid = 2618 AND dv.deptype = 'i'
         JOIN pg_catalog.pg_depend dt ON dt.classid = 2618 AND dt.objid = dv.objid AND dt.refclassid = 1259 AND dt.refobjid <> dv.refobjid
         JOIN pg_catalog.pg_class t ON dt.refobjid = t.oid JOIN pg_catalog.pg_namespace nt ON t.relnamespace = nt.oid
         JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = dt.refobjsubid
    WHERE v.relkind = 'v' AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.view_routine_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS table_catalog, nv.nspname::information_schema.sql_identifier AS table_schema,
           v.relname::information_schema.sql_identifier AS table_name, current_database()::information_schema.sql_identifier AS specific_catalog,
           np.nspname::information_schema.sql_identifier AS specific_schema, nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name
    FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace nv ON v.relnamespace = nv.oid
         JOIN pg_catalog.pg_depend dv ON dv.refclassid = 1259 AND dv.refobjid = v.oid AND dv.classid = 2618 AND dv.deptype = 'i'
         JOIN pg_catalog.pg_depend dp ON dp.classid = 2618 AND dp.objid = dv.objid AND dp.refclassid = 1255
         JOIN pg_catalog.pg_proc p ON dp.refobjid = p.oid JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
    WHERE v.relkind = 'v' AND pg_has_role(p.proowner, 'USAGE');

CREATE VIEW information_schema.sequences AS
    SELECT current_database()::information_schema.sql_identifier AS sequence_catalog, n.nspname::information_schema.sql_identifier AS sequence_schema,
           c.relname::information_schema.sql_identifier AS sequence_name, format_type(s.seqtypid, NULL)::information_schema.character_data AS data_type,
           information_schema._pg_numeric_precision(s.seqtypid, -1)::information_schema.cardinal_number AS numeric_precision,
           2::information_schema.cardinal_number AS numeric_precision_radix, 0::information_schema.cardinal_number AS numeric_scale,
           s.seqstart::information_schema.character_data AS start_value, s.seqmin::information_schema.character_data AS minimum_value,
           s.seqmax::information_schema.character_data AS maximum_value, s.seqincrement::information_schema.character_data AS increment,
           (CASE WHEN s.seqcycle THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS cycle_option
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid JOIN pg_catalog.pg_sequence s ON c.oid = s.seqrelid
    WHERE c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 1259 AND d.objid = c.oid AND d.deptype = 'i')
      AND NOT pg_is_other_temp_schema(n.oid) AND (pg_has_role(c.relowner, 'USAGE') OR has_sequence_privilege(c.oid, 'SELECT, UPDATE, USAGE'));

-- Constraints.

CREATE VIEW information_schema.table_constraints AS
    SELECT current_database()::information_schema.sql_identifier AS constraint_catalog, nc.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nr.nspname::information_schema.sql_identifier AS table_schema, r.relname::information_schema.sql_identifier AS table_name,
           (CASE c.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY' WHEN 'u' THEN 'UNIQUE'
            END)::information_schema.character_data AS constraint_type,
           (CASE WHEN c.condeferrable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deferrable,
           (CASE WHEN c.condeferred THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS initially_deferred, 'YES'::information_schema.yes_or_no AS enforced,
           (CASE WHEN c.contype = 'u' THEN CASE WHEN (SELECT NOT i.indnullsnotdistinct FROM pg_catalog.pg_index i WHERE i.indexrelid = c.conindid) THEN 'YES' ELSE 'NO' END
            END)::information_schema.yes_or_no AS nulls_distinct
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
         JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid
    WHERE c.contype NOT IN ('t', 'x') AND r.relkind IN ('r', 'p') AND NOT pg_is_other_temp_schema(nr.oid)
      AND (pg_has_role(r.relowner, 'USAGE') OR has_table_privilege(r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(r.oid, 'INSERT, UPDATE, REFERENCES'))
    UNION ALL
    SELECT current_database()::information_schema.sql_identifier, nr.nspname::information_schema.sql_identifier,
           (nr.oid::text || '_' || r.oid::text || '_' || a.attnum::text || '_not_null')::information_schema.sql_identifier,
           current_database()::information_schema.sql_identifier, nr.nspname::information_schema.sql_identifier, r.relname::information_schema.sql_identifier,
           'CHECK'::information_schema.character_data, 'NO'::information_schema.yes_or_no, 'NO'::information_schema.yes_or_no, 'YES'::information_schema.yes_or_no,
           NULL::information_schema.yes_or_no
    FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
    WHERE a.attnotnull AND a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p') AND NOT pg_is_other_temp_schema(nr.oid)
      AND (pg_has_role(r.relowner, 'USAGE') OR has_table_privilege(r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(r.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.check_constraints AS
    SELECT current_database()::information_schema.sql_identifier AS constraint_catalog, n.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name,
           substring(pg_get_constraintdef(c.oid), 7)::information_schema.character_data AS check_clause
    FROM pg_catalog.pg_constraint c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.connamespace LEFT JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
         LEFT JOIN pg_catalog.pg_type t ON c.contypid = t.oid
    WHERE c.contype = 'c' AND pg_has_role(coalesce(r.relowner, t.typowner), 'USAGE')
    UNION
    SELECT current_database()::information_schema.sql_identifier, n.nspname::information_schema.sql_identifier,
           (n.oid::text || '_' || r.oid::text || '_' || a.attnum::text || '_not_null')::information_schema.sql_identifier,
           (a.attname || ' IS NOT NULL')::information_schema.character_data
    FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class r ON n.oid = r.relnamespace JOIN pg_catalog.pg_attribute a ON r.oid = a.attrelid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND r.relkind IN ('r', 'p') AND pg_has_role(r.relowner, 'USAGE');

CREATE VIEW information_schema.check_constraint_routine_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS constraint_catalog, nc.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name, current_database()::information_schema.sql_identifier AS specific_catalog,
           np.nspname::information_schema.sql_identifier AS specific_schema, nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 2606 AND d.objid = c.oid AND d.refclassid = 1255
         JOIN pg_catalog.pg_proc p ON d.refobjid = p.oid JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
    WHERE c.contype = 'c' AND pg_has_role(p.proowner, 'USAGE');

CREATE VIEW information_schema.key_column_usage AS
    SELECT current_database()::information_schema.sql_identifier AS constraint_catalog, nc.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nr.nspname::information_schema.sql_identifier AS table_schema, r.relname::information_schema.sql_identifier AS table_name,
           a.attname::information_schema.sql_identifier AS column_name, k.n::information_schema.cardinal_number AS ordinal_position,
           (CASE WHEN c.contype = 'f' THEN information_schema._pg_index_position(c.conindid, c.confkey[k.n]) END)::information_schema.cardinal_number
               AS position_in_unique_constraint
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
         JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid CROSS JOIN LATERAL unnest(c.conkey) WITH ORDINALITY AS k(att, n)
         JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = k.att
    WHERE c.contype IN ('p', 'u', 'f') AND r.relkind IN ('r', 'p') AND NOT a.attisdropped AND NOT pg_is_other_temp_schema(nr.oid)
      AND (pg_has_role(r.relowner, 'USAGE') OR has_column_privilege(r.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.referential_constraints AS
    SELECT current_database()::information_schema.sql_identifier AS constraint_catalog, nc.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name,
           (CASE WHEN nk.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS unique_constraint_catalog,
           nk.nspname::information_schema.sql_identifier AS unique_constraint_schema, k.conname::information_schema.sql_identifier AS unique_constraint_name,
           (CASE c.confmatchtype WHEN 'f' THEN 'FULL' WHEN 'p' THEN 'PARTIAL' WHEN 's' THEN 'NONE' END)::information_schema.character_data AS match_option,
           (CASE c.confupdtype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION'
            END)::information_schema.character_data AS update_rule,
           (CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' WHEN 'r' THEN 'RESTRICT' WHEN 'a' THEN 'NO ACTION'
            END)::information_schema.character_data AS delete_rule
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid JOIN pg_catalog.pg_class r ON c.conrelid = r.oid
         LEFT JOIN (pg_catalog.pg_constraint k JOIN pg_catalog.pg_namespace nk ON k.connamespace = nk.oid)
             ON k.conindid = c.conindid AND k.contype IN ('p', 'u') AND k.conrelid = c.confrelid
    WHERE c.contype = 'f' AND r.relkind IN ('r', 'p')
      AND (pg_has_role(r.relowner, 'USAGE') OR has_table_privilege(r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(r.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.constraint_column_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS table_catalog, x.tblschema::information_schema.sql_identifier AS table_schema,
           x.tblname::information_schema.sql_identifier AS table_name, x.colname::information_schema.sql_identifier AS column_name,
           current_database()::information_schema.sql_identifier AS constraint_catalog, x.cstrschema::information_schema.sql_identifier AS constraint_schema,
           x.cstrname::information_schema.sql_identifier AS constraint_name
    FROM (SELECT nr.nspname, r.relname, r.relowner, a.attname, nc.nspname, c.conname
          FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid
               JOIN pg_catalog.pg_depend d ON d.classid = 2606 AND d.objid = c.oid AND d.refclassid = 1259
               JOIN pg_catalog.pg_class r ON d.refobjid = r.oid JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid
               JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = d.refobjsubid
          WHERE c.contype = 'c' AND r.relkind IN ('r', 'p') AND NOT a.attisdropped
          UNION ALL
          SELECT nr.nspname, r.relname, r.relowner, a.attname, nc.nspname, c.conname
          FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid
               JOIN pg_catalog.pg_class r ON r.oid = CASE c.contype WHEN 'f' THEN c.confrelid ELSE c.conrelid END
               JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid
               JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid AND a.attnum = ANY (CASE c.contype WHEN 'f' THEN c.confkey ELSE c.conkey END)
          WHERE c.contype IN ('p', 'u', 'f') AND r.relkind IN ('r', 'p') AND NOT a.attisdropped) AS x(tblschema, tblname, tblowner, colname, cstrschema, cstrname)
    WHERE pg_has_role(x.tblowner, 'USAGE');

CREATE VIEW information_schema.constraint_table_usage AS
    SELECT current_database()::information_schema.sql_identifier AS table_catalog, nr.nspname::information_schema.sql_identifier AS table_schema,
           r.relname::information_schema.sql_identifier AS table_name, current_database()::information_schema.sql_identifier AS constraint_catalog,
           nc.nspname::information_schema.sql_identifier AS constraint_schema, c.conname::information_schema.sql_identifier AS constraint_name
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON c.connamespace = nc.oid
         JOIN pg_catalog.pg_class r ON r.oid = CASE c.contype WHEN 'f' THEN c.confrelid ELSE c.conrelid END
         JOIN pg_catalog.pg_namespace nr ON r.relnamespace = nr.oid
    WHERE c.contype IN ('f', 'p', 'u') AND r.relkind IN ('r', 'p') AND pg_has_role(r.relowner, 'USAGE');

-- Domains and user-defined types.

CREATE VIEW information_schema.domains AS
    SELECT current_database()::information_schema.sql_identifier AS domain_catalog, nt.nspname::information_schema.sql_identifier AS domain_schema,
           t.typname::information_schema.sql_identifier AS domain_name,
           information_schema._calf_data_type(t.typbasetype)::information_schema.character_data AS data_type,
           information_schema._pg_char_max_length(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS character_maximum_length,
           information_schema._pg_char_octet_length(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name,
           (CASE WHEN nco.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
           nco.nspname::information_schema.sql_identifier AS collation_schema, co.collname::information_schema.sql_identifier AS collation_name,
           information_schema._pg_numeric_precision(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS numeric_precision,
           information_schema._pg_numeric_precision_radix(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS numeric_precision_radix,
           information_schema._pg_numeric_scale(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS numeric_scale,
           information_schema._pg_datetime_precision(t.typbasetype, t.typtypmod)::information_schema.cardinal_number AS datetime_precision,
           information_schema._pg_interval_type(t.typbasetype, t.typtypmod)::information_schema.character_data AS interval_type,
           NULL::information_schema.cardinal_number AS interval_precision, t.typdefault::information_schema.character_data AS domain_default,
           current_database()::information_schema.sql_identifier AS udt_catalog, nbt.nspname::information_schema.sql_identifier AS udt_schema,
           bt.typname::information_schema.sql_identifier AS udt_name, NULL::information_schema.sql_identifier AS scope_catalog,
           NULL::information_schema.sql_identifier AS scope_schema, NULL::information_schema.sql_identifier AS scope_name,
           NULL::information_schema.cardinal_number AS maximum_cardinality, 1::information_schema.sql_identifier AS dtd_identifier
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid JOIN pg_catalog.pg_type bt ON t.typbasetype = bt.oid
         JOIN pg_catalog.pg_namespace nbt ON bt.typnamespace = nbt.oid
         LEFT JOIN (pg_catalog.pg_collation co JOIN pg_catalog.pg_namespace nco ON co.collnamespace = nco.oid)
             ON t.typcollation = co.oid AND (nco.nspname, co.collname) <> ('pg_catalog', 'default')
    WHERE t.typtype = 'd' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.domain_constraints AS
    SELECT current_database()::information_schema.sql_identifier AS constraint_catalog, nc.nspname::information_schema.sql_identifier AS constraint_schema,
           c.conname::information_schema.sql_identifier AS constraint_name, current_database()::information_schema.sql_identifier AS domain_catalog,
           nt.nspname::information_schema.sql_identifier AS domain_schema, t.typname::information_schema.sql_identifier AS domain_name,
           (CASE WHEN c.condeferrable THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deferrable,
           (CASE WHEN c.condeferred THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS initially_deferred
    FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace nc ON nc.oid = c.connamespace JOIN pg_catalog.pg_type t ON t.oid = c.contypid
         JOIN pg_catalog.pg_namespace nt ON nt.oid = t.typnamespace
    WHERE t.typtype = 'd' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

CREATE VIEW information_schema.domain_udt_usage AS
    SELECT current_database()::information_schema.sql_identifier AS udt_catalog, nbt.nspname::information_schema.sql_identifier AS udt_schema,
           bt.typname::information_schema.sql_identifier AS udt_name, current_database()::information_schema.sql_identifier AS domain_catalog,
           nt.nspname::information_schema.sql_identifier AS domain_schema, t.typname::information_schema.sql_identifier AS domain_name
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON nt.oid = t.typnamespace JOIN pg_catalog.pg_type bt ON t.typbasetype = bt.oid
         JOIN pg_catalog.pg_namespace nbt ON nbt.oid = bt.typnamespace
    WHERE t.typtype = 'd' AND pg_has_role(bt.typowner, 'USAGE');

CREATE VIEW information_schema.attributes AS
    SELECT current_database()::information_schema.sql_identifier AS udt_catalog, nc.nspname::information_schema.sql_identifier AS udt_schema,
           c.relname::information_schema.sql_identifier AS udt_name, a.attname::information_schema.sql_identifier AS attribute_name,
           a.attnum::information_schema.cardinal_number AS ordinal_position, pg_get_expr(d.adbin, d.adrelid)::information_schema.character_data AS attribute_default,
           (CASE WHEN a.attnotnull OR t.typtype = 'd' AND t.typnotnull THEN 'NO' ELSE 'YES' END)::information_schema.yes_or_no AS is_nullable,
           information_schema._calf_data_type(a.atttypid)::information_schema.character_data AS data_type,
           information_schema._pg_char_max_length(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS character_maximum_length,
           information_schema._pg_char_octet_length(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name,
           (CASE WHEN nco.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
           nco.nspname::information_schema.sql_identifier AS collation_schema, co.collname::information_schema.sql_identifier AS collation_name,
           information_schema._pg_numeric_precision(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS numeric_precision,
           information_schema._pg_numeric_precision_radix(information_schema._pg_truetypid(a, t),
               information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number AS numeric_precision_radix,
           information_schema._pg_numeric_scale(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS numeric_scale,
           information_schema._pg_datetime_precision(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.cardinal_number
               AS datetime_precision,
           information_schema._pg_interval_type(information_schema._pg_truetypid(a, t), information_schema._pg_truetypmod(a, t))::information_schema.character_data
               AS interval_type,
           NULL::information_schema.cardinal_number AS interval_precision, current_database()::information_schema.sql_identifier AS attribute_udt_catalog,
           nt.nspname::information_schema.sql_identifier AS attribute_udt_schema, t.typname::information_schema.sql_identifier AS attribute_udt_name,
           NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
           NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
           a.attnum::information_schema.sql_identifier AS dtd_identifier, 'NO'::information_schema.yes_or_no AS is_derived_reference_attribute
    FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum
         JOIN pg_catalog.pg_class c ON a.attrelid = c.oid JOIN pg_catalog.pg_namespace nc ON c.relnamespace = nc.oid
         JOIN pg_catalog.pg_type t ON a.atttypid = t.oid JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
         LEFT JOIN (pg_catalog.pg_collation co JOIN pg_catalog.pg_namespace nco ON co.collnamespace = nco.oid)
             ON a.attcollation = co.oid AND (nco.nspname, co.collname) <> ('pg_catalog', 'default')
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind = 'c' AND (pg_has_role(c.relowner, 'USAGE') OR has_type_privilege(c.reltype, 'USAGE'));

CREATE VIEW information_schema.user_defined_types AS
    SELECT current_database()::information_schema.sql_identifier AS user_defined_type_catalog,
           n.nspname::information_schema.sql_identifier AS user_defined_type_schema, c.relname::information_schema.sql_identifier AS user_defined_type_name,
           'STRUCTURED'::information_schema.character_data AS user_defined_type_category, 'YES'::information_schema.yes_or_no AS is_instantiable,
           NULL::information_schema.yes_or_no AS is_final, NULL::information_schema.character_data AS ordering_form,
           NULL::information_schema.character_data AS ordering_category, NULL::information_schema.sql_identifier AS ordering_routine_catalog,
           NULL::information_schema.sql_identifier AS ordering_routine_schema, NULL::information_schema.sql_identifier AS ordering_routine_name,
           NULL::information_schema.character_data AS reference_type, NULL::information_schema.character_data AS data_type,
           NULL::information_schema.cardinal_number AS character_maximum_length, NULL::information_schema.cardinal_number AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name, NULL::information_schema.sql_identifier AS collation_catalog,
           NULL::information_schema.sql_identifier AS collation_schema, NULL::information_schema.sql_identifier AS collation_name,
           NULL::information_schema.cardinal_number AS numeric_precision, NULL::information_schema.cardinal_number AS numeric_precision_radix,
           NULL::information_schema.cardinal_number AS numeric_scale, NULL::information_schema.cardinal_number AS datetime_precision,
           NULL::information_schema.character_data AS interval_type, NULL::information_schema.cardinal_number AS interval_precision,
           NULL::information_schema.sql_identifier AS source_dtd_identifier, NULL::information_schema.sql_identifier AS ref_dtd_identifier
    FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class c ON n.oid = c.relnamespace JOIN pg_catalog.pg_type t ON c.reltype = t.oid
    WHERE c.relkind = 'c' AND (pg_has_role(t.typowner, 'USAGE') OR has_type_privilege(t.oid, 'USAGE'));

-- Routines.

CREATE VIEW information_schema.routines AS
    SELECT current_database()::information_schema.sql_identifier AS specific_catalog, n.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, n.nspname::information_schema.sql_identifier AS routine_schema,
           p.proname::information_schema.sql_identifier AS routine_name,
           (CASE p.prokind WHEN 'f' THEN 'FUNCTION' WHEN 'p' THEN 'PROCEDURE' END)::information_schema.character_data AS routine_type,
           NULL::information_schema.sql_identifier AS module_catalog, NULL::information_schema.sql_identifier AS module_schema,
           NULL::information_schema.sql_identifier AS module_name, NULL::information_schema.sql_identifier AS udt_catalog,
           NULL::information_schema.sql_identifier AS udt_schema, NULL::information_schema.sql_identifier AS udt_name,
           (CASE WHEN p.prokind <> 'p' THEN information_schema._calf_data_type(t.oid) END)::information_schema.character_data AS data_type,
           NULL::information_schema.cardinal_number AS character_maximum_length, NULL::information_schema.cardinal_number AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name, NULL::information_schema.sql_identifier AS collation_catalog,
           NULL::information_schema.sql_identifier AS collation_schema, NULL::information_schema.sql_identifier AS collation_name,
           NULL::information_schema.cardinal_number AS numeric_precision, NULL::information_schema.cardinal_number AS numeric_precision_radix,
           NULL::information_schema.cardinal_number AS numeric_scale, NULL::information_schema.cardinal_number AS datetime_precision,
           NULL::information_schema.character_data AS interval_type, NULL::information_schema.cardinal_number AS interval_precision,
           (CASE WHEN nt.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS type_udt_catalog,
           nt.nspname::information_schema.sql_identifier AS type_udt_schema, t.typname::information_schema.sql_identifier AS type_udt_name,
           NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
           NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
           (CASE WHEN p.prokind <> 'p' THEN 0 END)::information_schema.sql_identifier AS dtd_identifier,
           (CASE WHEN l.lanname = 'sql' THEN 'SQL' ELSE 'EXTERNAL' END)::information_schema.character_data AS routine_body,
           (CASE WHEN pg_has_role(p.proowner, 'USAGE') THEN p.prosrc END)::information_schema.character_data AS routine_definition,
           (CASE WHEN l.lanname = 'c' THEN p.prosrc END)::information_schema.character_data AS external_name,
           upper(l.lanname)::information_schema.character_data AS external_language, 'GENERAL'::information_schema.character_data AS parameter_style,
           (CASE WHEN p.provolatile = 'i' THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_deterministic,
           'MODIFIES'::information_schema.character_data AS sql_data_access,
           (CASE WHEN p.prokind <> 'p' THEN CASE WHEN p.proisstrict THEN 'YES' ELSE 'NO' END END)::information_schema.yes_or_no AS is_null_call,
           NULL::information_schema.character_data AS sql_path, 'YES'::information_schema.yes_or_no AS schema_level_routine,
           0::information_schema.cardinal_number AS max_dynamic_result_sets, NULL::information_schema.yes_or_no AS is_user_defined_cast,
           NULL::information_schema.yes_or_no AS is_implicitly_invocable,
           (CASE WHEN p.prosecdef THEN 'DEFINER' ELSE 'INVOKER' END)::information_schema.character_data AS security_type,
           NULL::information_schema.sql_identifier AS to_sql_specific_catalog, NULL::information_schema.sql_identifier AS to_sql_specific_schema,
           NULL::information_schema.sql_identifier AS to_sql_specific_name, 'NO'::information_schema.yes_or_no AS as_locator,
           NULL::information_schema.time_stamp AS created, NULL::information_schema.time_stamp AS last_altered,
           NULL::information_schema.yes_or_no AS new_savepoint_level, 'NO'::information_schema.yes_or_no AS is_udt_dependent,
           NULL::information_schema.character_data AS result_cast_from_data_type, NULL::information_schema.yes_or_no AS result_cast_as_locator,
           NULL::information_schema.cardinal_number AS result_cast_char_max_length, NULL::information_schema.cardinal_number AS result_cast_char_octet_length,
           NULL::information_schema.sql_identifier AS result_cast_char_set_catalog, NULL::information_schema.sql_identifier AS result_cast_char_set_schema,
           NULL::information_schema.sql_identifier AS result_cast_char_set_name, NULL::information_schema.sql_identifier AS result_cast_collation_catalog,
           NULL::information_schema.sql_identifier AS result_cast_collation_schema, NULL::information_schema.sql_identifier AS result_cast_collation_name,
           NULL::information_schema.cardinal_number AS result_cast_numeric_precision,
           NULL::information_schema.cardinal_number AS result_cast_numeric_precision_radix, NULL::information_schema.cardinal_number AS result_cast_numeric_scale,
           NULL::information_schema.cardinal_number AS result_cast_datetime_precision, NULL::information_schema.character_data AS result_cast_interval_type,
           NULL::information_schema.cardinal_number AS result_cast_interval_precision, NULL::information_schema.sql_identifier AS result_cast_type_udt_catalog,
           NULL::information_schema.sql_identifier AS result_cast_type_udt_schema, NULL::information_schema.sql_identifier AS result_cast_type_udt_name,
           NULL::information_schema.sql_identifier AS result_cast_scope_catalog, NULL::information_schema.sql_identifier AS result_cast_scope_schema,
           NULL::information_schema.sql_identifier AS result_cast_scope_name, NULL::information_schema.cardinal_number AS result_cast_maximum_cardinality,
           NULL::information_schema.sql_identifier AS result_cast_dtd_identifier
    FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_proc p ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON p.prolang = l.oid
         LEFT JOIN (pg_catalog.pg_type t JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid) ON p.prorettype = t.oid AND p.prokind <> 'p'
    WHERE pg_has_role(p.proowner, 'USAGE') OR has_function_privilege(p.oid, 'EXECUTE');

CREATE VIEW information_schema.parameters AS
    SELECT current_database()::information_schema.sql_identifier AS specific_catalog, n.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name, a.n::information_schema.cardinal_number AS ordinal_position,
           (CASE coalesce(p.proargmodes[a.n], 'i') WHEN 'i' THEN 'IN' WHEN 'o' THEN 'OUT' WHEN 'b' THEN 'INOUT' WHEN 'v' THEN 'IN' WHEN 't' THEN 'OUT'
            END)::information_schema.character_data AS parameter_mode,
           'NO'::information_schema.yes_or_no AS is_result, 'NO'::information_schema.yes_or_no AS as_locator,
           nullif(p.proargnames[a.n], '')::information_schema.sql_identifier AS parameter_name,
           information_schema._calf_data_type(t.oid)::information_schema.character_data AS data_type,
           NULL::information_schema.cardinal_number AS character_maximum_length, NULL::information_schema.cardinal_number AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name, NULL::information_schema.sql_identifier AS collation_catalog,
           NULL::information_schema.sql_identifier AS collation_schema, NULL::information_schema.sql_identifier AS collation_name,
           NULL::information_schema.cardinal_number AS numeric_precision, NULL::information_schema.cardinal_number AS numeric_precision_radix,
           NULL::information_schema.cardinal_number AS numeric_scale, NULL::information_schema.cardinal_number AS datetime_precision,
           NULL::information_schema.character_data AS interval_type, NULL::information_schema.cardinal_number AS interval_precision,
           current_database()::information_schema.sql_identifier AS udt_catalog, nt.nspname::information_schema.sql_identifier AS udt_schema,
           t.typname::information_schema.sql_identifier AS udt_name, NULL::information_schema.sql_identifier AS scope_catalog,
           NULL::information_schema.sql_identifier AS scope_schema, NULL::information_schema.sql_identifier AS scope_name,
           NULL::information_schema.cardinal_number AS maximum_cardinality, a.n::information_schema.sql_identifier AS dtd_identifier,
           (CASE WHEN pg_has_role(p.proowner, 'USAGE') THEN pg_get_function_arg_default(p.oid, a.n::integer) END)::information_schema.character_data
               AS parameter_default
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
         CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS a(typ, n)
         JOIN pg_catalog.pg_type t ON t.oid = a.typ JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
    WHERE pg_has_role(p.proowner, 'USAGE') OR has_function_privilege(p.oid, 'EXECUTE');

CREATE VIEW information_schema.routine_routine_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS specific_catalog, np.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, np1.nspname::information_schema.sql_identifier AS routine_schema,
           nameconcatoid(p1.proname, p1.oid)::information_schema.sql_identifier AS routine_name
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 1255 AND d.objid = p.oid AND d.refclassid = 1255
         JOIN pg_catalog.pg_proc p1 ON d.refobjid = p1.oid JOIN pg_catalog.pg_namespace np1 ON p1.pronamespace = np1.oid
    WHERE p.prokind IN ('f', 'p') AND p1.prokind IN ('f', 'p') AND pg_has_role(p1.proowner, 'USAGE');

CREATE VIEW information_schema.routine_table_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS specific_catalog, np.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, np.nspname::information_schema.sql_identifier AS routine_schema,
           p.proname::information_schema.sql_identifier AS routine_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nt.nspname::information_schema.sql_identifier AS table_schema, t.relname::information_schema.sql_identifier AS table_name
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 1255 AND d.objid = p.oid AND d.refclassid = 1259
         JOIN pg_catalog.pg_class t ON d.refobjid = t.oid JOIN pg_catalog.pg_namespace nt ON t.relnamespace = nt.oid
    WHERE p.prokind IN ('f', 'p') AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.routine_column_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS specific_catalog, np.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, np.nspname::information_schema.sql_identifier AS routine_schema,
           p.proname::information_schema.sql_identifier AS routine_name, current_database()::information_schema.sql_identifier AS table_catalog,
           nt.nspname::information_schema.sql_identifier AS table_schema, t.relname::information_schema.sql_identifier AS table_name,
           a.attname::information_schema.sql_identifier AS column_name
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 1255 AND d.objid = p.oid AND d.refclassid = 1259
         JOIN pg_catalog.pg_class t ON d.refobjid = t.oid JOIN pg_catalog.pg_namespace nt ON t.relnamespace = nt.oid
         JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
    WHERE p.prokind IN ('f', 'p') AND t.relkind IN ('r', 'v', 'f', 'p') AND pg_has_role(t.relowner, 'USAGE');

CREATE VIEW information_schema.routine_sequence_usage AS
    SELECT DISTINCT current_database()::information_schema.sql_identifier AS specific_catalog, np.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, np.nspname::information_schema.sql_identifier AS routine_schema,
           p.proname::information_schema.sql_identifier AS routine_name, current_database()::information_schema.sql_identifier AS sequence_catalog,
           ns.nspname::information_schema.sql_identifier AS sequence_schema, s.relname::information_schema.sql_identifier AS sequence_name
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
         JOIN pg_catalog.pg_depend d ON d.classid = 1255 AND d.objid = p.oid AND d.refclassid = 1259
         JOIN pg_catalog.pg_class s ON d.refobjid = s.oid JOIN pg_catalog.pg_namespace ns ON s.relnamespace = ns.oid
    WHERE p.prokind IN ('f', 'p') AND s.relkind = 'S' AND pg_has_role(s.relowner, 'USAGE');

CREATE VIEW information_schema.transforms AS
    SELECT current_database()::information_schema.sql_identifier AS udt_catalog, nt.nspname::information_schema.sql_identifier AS udt_schema,
           t.typname::information_schema.sql_identifier AS udt_name, current_database()::information_schema.sql_identifier AS specific_catalog,
           np.nspname::information_schema.sql_identifier AS specific_schema, nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           l.lanname::information_schema.sql_identifier AS group_name, k.kind::information_schema.character_data AS transform_type
    FROM pg_catalog.pg_transform x JOIN pg_catalog.pg_type t ON x.trftype = t.oid JOIN pg_catalog.pg_namespace nt ON t.typnamespace = nt.oid
         JOIN pg_catalog.pg_language l ON x.trflang = l.oid CROSS JOIN (VALUES ('FROM SQL'), ('TO SQL')) AS k(kind)
         JOIN pg_catalog.pg_proc p ON p.oid = CASE k.kind WHEN 'FROM SQL' THEN x.trffromsql::oid ELSE x.trftosql::oid END
         JOIN pg_catalog.pg_namespace np ON p.pronamespace = np.oid
    ORDER BY 2, 3, 7, 8;

-- Triggers.

CREATE VIEW information_schema.triggers AS
    SELECT current_database()::information_schema.sql_identifier AS trigger_catalog, n.nspname::information_schema.sql_identifier AS trigger_schema,
           t.tgname::information_schema.sql_identifier AS trigger_name, em.event::information_schema.character_data AS event_manipulation,
           current_database()::information_schema.sql_identifier AS event_object_catalog, n.nspname::information_schema.sql_identifier AS event_object_schema,
           c.relname::information_schema.sql_identifier AS event_object_table,
           rank() OVER (PARTITION BY n.nspname, c.relname, em.bit, t.tgtype & 1, t.tgtype & 66 ORDER BY t.tgname)::information_schema.cardinal_number AS action_order,
           (CASE WHEN pg_has_role(c.relowner, 'USAGE') THEN (regexp_match(pg_get_triggerdef(t.oid), '.{35,} WHEN \((.+)\) EXECUTE FUNCTION'))[1]
            END)::information_schema.character_data AS action_condition,
           substring(pg_get_triggerdef(t.oid), position('EXECUTE FUNCTION' IN substring(pg_get_triggerdef(t.oid), 48)) + 47)::information_schema.character_data
               AS action_statement,
           (CASE t.tgtype & 1 WHEN 1 THEN 'ROW' ELSE 'STATEMENT' END)::information_schema.character_data AS action_orientation,
           (CASE t.tgtype & 66 WHEN 2 THEN 'BEFORE' WHEN 64 THEN 'INSTEAD OF' ELSE 'AFTER' END)::information_schema.character_data AS action_timing,
           t.tgoldtable::information_schema.sql_identifier AS action_reference_old_table,
           t.tgnewtable::information_schema.sql_identifier AS action_reference_new_table, NULL::information_schema.sql_identifier AS action_reference_old_row,
           NULL::information_schema.sql_identifier AS action_reference_new_row, NULL::information_schema.time_stamp AS created
    FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON t.tgrelid = c.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN (VALUES (4, 'INSERT'), (8, 'DELETE'), (16, 'UPDATE')) AS em(bit, event) ON t.tgtype & em.bit <> 0
    WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid)
      AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.triggered_update_columns AS
    SELECT current_database()::information_schema.sql_identifier AS trigger_catalog, n.nspname::information_schema.sql_identifier AS trigger_schema,
           t.tgname::information_schema.sql_identifier AS trigger_name, current_database()::information_schema.sql_identifier AS event_object_catalog,
           n.nspname::information_schema.sql_identifier AS event_object_schema, c.relname::information_schema.sql_identifier AS event_object_table,
           a.attname::information_schema.sql_identifier AS event_object_column
    FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON t.tgrelid = c.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         CROSS JOIN LATERAL unnest(t.tgattr) AS ta(att) JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ta.att
    WHERE NOT t.tgisinternal AND NOT pg_is_other_temp_schema(n.oid) AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'INSERT, UPDATE, REFERENCES'));

-- Privileges.

CREATE VIEW information_schema.table_privileges AS
    SELECT g.rolname::information_schema.sql_identifier AS grantor, e.rolname::information_schema.sql_identifier AS grantee,
           current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name, x.privilege_type::information_schema.character_data AS privilege_type,
           (CASE WHEN x.is_grantable OR pg_has_role(e.oid, c.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable,
           (CASE WHEN x.privilege_type = 'SELECT' THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS with_hierarchy
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid
         CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS x JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
         JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') AS e(oid, rolname) ON e.oid = x.grantee
    WHERE c.relkind IN ('r', 'v', 'f', 'p') AND x.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER')
      AND (pg_has_role(g.oid, 'USAGE') OR pg_has_role(e.oid, 'USAGE') OR e.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_table_grants AS
    SELECT * FROM information_schema.table_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.column_privileges AS
    SELECT g.rolname::information_schema.sql_identifier AS grantor, e.rolname::information_schema.sql_identifier AS grantee,
           current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           x.relname::information_schema.sql_identifier AS table_name, x.attname::information_schema.sql_identifier AS column_name,
           x.privilege_type::information_schema.character_data AS privilege_type,
           (CASE WHEN x.is_grantable OR pg_has_role(x.grantee, x.relowner, 'USAGE') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
    FROM (SELECT ta.grantor, ta.grantee, a.attname, c.relname, c.relnamespace, ta.privilege_type, ta.is_grantable, c.relowner
          FROM pg_catalog.pg_class c CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS ta
               JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
          WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped
          UNION
          SELECT ca.grantor, ca.grantee, a.attname, c.relname, c.relnamespace, ca.privilege_type, ca.is_grantable, c.relowner
          FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON a.attrelid = c.oid
               CROSS JOIN LATERAL aclexplode(coalesce(a.attacl, acldefault('c', c.relowner))) AS ca
          WHERE c.relkind IN ('r', 'v', 'f', 'p') AND a.attnum > 0 AND NOT a.attisdropped) AS x
         JOIN pg_catalog.pg_namespace n ON x.relnamespace = n.oid JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
         JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') AS e(oid, rolname) ON e.oid = x.grantee
    WHERE x.privilege_type IN ('INSERT', 'SELECT', 'UPDATE', 'REFERENCES') AND (pg_has_role(g.oid, 'USAGE') OR pg_has_role(e.oid, 'USAGE') OR e.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_column_grants AS
    SELECT * FROM information_schema.column_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.routine_privileges AS
    SELECT g.rolname::information_schema.sql_identifier AS grantor, e.rolname::information_schema.sql_identifier AS grantee,
           current_database()::information_schema.sql_identifier AS specific_catalog, n.nspname::information_schema.sql_identifier AS specific_schema,
           nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier AS specific_name,
           current_database()::information_schema.sql_identifier AS routine_catalog, n.nspname::information_schema.sql_identifier AS routine_schema,
           p.proname::information_schema.sql_identifier AS routine_name, 'EXECUTE'::information_schema.character_data AS privilege_type,
           (CASE WHEN x.is_grantable OR pg_has_role(e.oid, p.proowner, 'USAGE') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON p.pronamespace = n.oid
         CROSS JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS x JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
         JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') AS e(oid, rolname) ON e.oid = x.grantee
    WHERE x.privilege_type = 'EXECUTE' AND (pg_has_role(g.oid, 'USAGE') OR pg_has_role(e.oid, 'USAGE') OR e.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_routine_grants AS
    SELECT * FROM information_schema.routine_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.udt_privileges AS
    SELECT g.rolname::information_schema.sql_identifier AS grantor, e.rolname::information_schema.sql_identifier AS grantee,
           current_database()::information_schema.sql_identifier AS udt_catalog, n.nspname::information_schema.sql_identifier AS udt_schema,
           t.typname::information_schema.sql_identifier AS udt_name, 'TYPE USAGE'::information_schema.character_data AS privilege_type,
           (CASE WHEN x.is_grantable OR pg_has_role(e.oid, t.typowner, 'USAGE') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no AS is_grantable
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
         CROSS JOIN LATERAL aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) AS x JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
         JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') AS e(oid, rolname) ON e.oid = x.grantee
    WHERE t.typtype = 'c' AND x.privilege_type = 'USAGE' AND (pg_has_role(g.oid, 'USAGE') OR pg_has_role(e.oid, 'USAGE') OR e.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_udt_grants AS
    SELECT * FROM information_schema.udt_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

CREATE VIEW information_schema.usage_privileges AS
    SELECT u.rolname::information_schema.sql_identifier AS grantor, 'PUBLIC'::information_schema.sql_identifier AS grantee,
           current_database()::information_schema.sql_identifier AS object_catalog, n.nspname::information_schema.sql_identifier AS object_schema,
           c.collname::information_schema.sql_identifier AS object_name, 'COLLATION'::information_schema.character_data AS object_type,
           'USAGE'::information_schema.character_data AS privilege_type, 'NO'::information_schema.yes_or_no AS is_grantable
    FROM pg_catalog.pg_authid u JOIN pg_catalog.pg_collation c ON u.oid = c.collowner JOIN pg_catalog.pg_namespace n ON n.oid = c.collnamespace
    WHERE c.collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database WHERE datname = current_database()))
    UNION ALL
    SELECT g.rolname::information_schema.sql_identifier, e.rolname::information_schema.sql_identifier, current_database()::information_schema.sql_identifier,
           x.nspname::information_schema.sql_identifier, x.name::information_schema.sql_identifier, x.kind::information_schema.character_data,
           'USAGE'::information_schema.character_data,
           (CASE WHEN x.is_grantable OR pg_has_role(e.oid, x.owner, 'USAGE') THEN 'YES' ELSE 'NO' END)::information_schema.yes_or_no
    FROM (SELECT n.nspname, t.typname, 'DOMAIN', t.typowner, a.grantor, a.grantee, a.privilege_type, a.is_grantable
          FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
               CROSS JOIN LATERAL aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) AS a WHERE t.typtype = 'd'
          UNION ALL
          SELECT '', f.fdwname, 'FOREIGN DATA WRAPPER', f.fdwowner, a.grantor, a.grantee, a.privilege_type, a.is_grantable
          FROM pg_catalog.pg_foreign_data_wrapper f CROSS JOIN LATERAL aclexplode(coalesce(f.fdwacl, acldefault('F', f.fdwowner))) AS a
          UNION ALL
          SELECT '', s.srvname, 'FOREIGN SERVER', s.srvowner, a.grantor, a.grantee, a.privilege_type, a.is_grantable
          FROM pg_catalog.pg_foreign_server s CROSS JOIN LATERAL aclexplode(coalesce(s.srvacl, acldefault('S', s.srvowner))) AS a
          UNION ALL
          SELECT n.nspname, c.relname, 'SEQUENCE', c.relowner, a.grantor, a.grantee, a.privilege_type, a.is_grantable
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid
               CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) AS a WHERE c.relkind = 'S')
             AS x(nspname, name, kind, owner, grantor, grantee, privilege_type, is_grantable)
         JOIN pg_catalog.pg_authid g ON g.oid = x.grantor
         JOIN (SELECT oid, rolname FROM pg_catalog.pg_authid UNION ALL SELECT 0::oid, 'PUBLIC') AS e(oid, rolname) ON e.oid = x.grantee
    WHERE x.privilege_type = 'USAGE' AND (pg_has_role(g.oid, 'USAGE') OR pg_has_role(e.oid, 'USAGE') OR e.rolname = 'PUBLIC');

CREATE VIEW information_schema.role_usage_grants AS
    SELECT * FROM information_schema.usage_privileges
    WHERE grantor IN (SELECT role_name FROM information_schema.enabled_roles) OR grantee IN (SELECT role_name FROM information_schema.enabled_roles);

-- Elements of arrays.

CREATE VIEW information_schema.data_type_privileges AS
    SELECT current_database()::information_schema.sql_identifier AS object_catalog, x.objschema AS object_schema, x.objname AS object_name,
           x.objtype::information_schema.character_data AS object_type, x.objdtdid AS dtd_identifier
    FROM (SELECT udt_schema, udt_name, 'USER-DEFINED TYPE'::text, dtd_identifier FROM information_schema.attributes
          UNION ALL SELECT table_schema, table_name, 'TABLE'::text, dtd_identifier FROM information_schema.columns
          UNION ALL SELECT domain_schema, domain_name, 'DOMAIN'::text, dtd_identifier FROM information_schema.domains
          UNION ALL SELECT specific_schema, specific_name, 'ROUTINE'::text, dtd_identifier FROM information_schema.parameters
          UNION ALL SELECT specific_schema, specific_name, 'ROUTINE'::text, dtd_identifier FROM information_schema.routines)
             AS x(objschema, objname, objtype, objdtdid);

CREATE VIEW information_schema.element_types AS
    SELECT current_database()::information_schema.sql_identifier AS object_catalog, n.nspname::information_schema.sql_identifier AS object_schema,
           x.object_name, x.object_type::information_schema.character_data AS object_type,
           x.dtdid::information_schema.sql_identifier AS collection_type_identifier,
           information_schema._calf_data_type(et.oid)::information_schema.character_data AS data_type,
           NULL::information_schema.cardinal_number AS character_maximum_length, NULL::information_schema.cardinal_number AS character_octet_length,
           NULL::information_schema.sql_identifier AS character_set_catalog, NULL::information_schema.sql_identifier AS character_set_schema,
           NULL::information_schema.sql_identifier AS character_set_name,
           (CASE WHEN nco.nspname IS NOT NULL THEN current_database() END)::information_schema.sql_identifier AS collation_catalog,
           nco.nspname::information_schema.sql_identifier AS collation_schema, co.collname::information_schema.sql_identifier AS collation_name,
           NULL::information_schema.cardinal_number AS numeric_precision, NULL::information_schema.cardinal_number AS numeric_precision_radix,
           NULL::information_schema.cardinal_number AS numeric_scale, NULL::information_schema.cardinal_number AS datetime_precision,
           NULL::information_schema.character_data AS interval_type, NULL::information_schema.cardinal_number AS interval_precision,
           NULL::information_schema.character_data AS domain_default, current_database()::information_schema.sql_identifier AS udt_catalog,
           net.nspname::information_schema.sql_identifier AS udt_schema, et.typname::information_schema.sql_identifier AS udt_name,
           NULL::information_schema.sql_identifier AS scope_catalog, NULL::information_schema.sql_identifier AS scope_schema,
           NULL::information_schema.sql_identifier AS scope_name, NULL::information_schema.cardinal_number AS maximum_cardinality,
           ('a' || x.dtdid)::information_schema.sql_identifier AS dtd_identifier
    FROM pg_catalog.pg_namespace n
         JOIN (SELECT c.relnamespace, c.relname::information_schema.sql_identifier, CASE c.relkind WHEN 'c' THEN 'USER-DEFINED TYPE' ELSE 'TABLE' END, a.attnum::text,
                      a.atttypid, a.attcollation
               FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON c.oid = a.attrelid
               WHERE c.relkind IN ('r', 'v', 'f', 'c', 'p') AND a.attnum > 0 AND NOT a.attisdropped
               UNION ALL
               SELECT t.typnamespace, t.typname::information_schema.sql_identifier, 'DOMAIN', '1', t.typbasetype, t.typcollation
               FROM pg_catalog.pg_type t WHERE t.typtype = 'd'
               UNION ALL
               SELECT p.pronamespace, nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier, 'ROUTINE', a.n::text, a.typ, 0::oid
               FROM pg_catalog.pg_proc p CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS a(typ, n)
               UNION ALL
               SELECT p.pronamespace, nameconcatoid(p.proname, p.oid)::information_schema.sql_identifier, 'ROUTINE', '0', p.prorettype, 0::oid
               FROM pg_catalog.pg_proc p) AS x(nsp, object_name, object_type, dtdid, typ, coll) ON n.oid = x.nsp
         JOIN pg_catalog.pg_type at ON x.typ = at.oid AND at.typelem <> 0 AND at.typlen = -1 JOIN pg_catalog.pg_type et ON at.typelem = et.oid
         JOIN pg_catalog.pg_namespace net ON et.typnamespace = net.oid
         LEFT JOIN (pg_catalog.pg_collation co JOIN pg_catalog.pg_namespace nco ON co.collnamespace = nco.oid)
             ON x.coll = co.oid AND (nco.nspname, co.collname) <> ('pg_catalog', 'default')
    WHERE (n.nspname, x.object_name, x.object_type, x.dtdid::information_schema.sql_identifier) IN
          (SELECT object_schema, object_name, object_type, dtd_identifier FROM information_schema.data_type_privileges);

-- Foreign data.

CREATE VIEW information_schema.foreign_data_wrappers AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
           w.fdwname::information_schema.sql_identifier AS foreign_data_wrapper_name, u.rolname::information_schema.sql_identifier AS authorization_identifier,
           NULL::information_schema.character_data AS library_name, 'c'::information_schema.character_data AS foreign_data_wrapper_language
    FROM pg_catalog.pg_foreign_data_wrapper w JOIN pg_catalog.pg_authid u ON u.oid = w.fdwowner
    WHERE pg_has_role(w.fdwowner, 'USAGE') OR has_foreign_data_wrapper_privilege(w.oid, 'USAGE');

CREATE VIEW information_schema.foreign_data_wrapper_options AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
           w.fdwname::information_schema.sql_identifier AS foreign_data_wrapper_name, o.option_name::information_schema.sql_identifier AS option_name,
           o.option_value::information_schema.character_data AS option_value
    FROM pg_catalog.pg_foreign_data_wrapper w CROSS JOIN LATERAL pg_options_to_table(w.fdwoptions) AS o
    WHERE pg_has_role(w.fdwowner, 'USAGE') OR has_foreign_data_wrapper_privilege(w.oid, 'USAGE');

CREATE VIEW information_schema.foreign_servers AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_server_catalog, s.srvname::information_schema.sql_identifier AS foreign_server_name,
           current_database()::information_schema.sql_identifier AS foreign_data_wrapper_catalog,
           w.fdwname::information_schema.sql_identifier AS foreign_data_wrapper_name, s.srvtype::information_schema.character_data AS foreign_server_type,
           s.srvversion::information_schema.character_data AS foreign_server_version, u.rolname::information_schema.sql_identifier AS authorization_identifier
    FROM pg_catalog.pg_foreign_server s JOIN pg_catalog.pg_foreign_data_wrapper w ON w.oid = s.srvfdw JOIN pg_catalog.pg_authid u ON u.oid = s.srvowner
    WHERE pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE');

CREATE VIEW information_schema.foreign_server_options AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_server_catalog, s.srvname::information_schema.sql_identifier AS foreign_server_name,
           o.option_name::information_schema.sql_identifier AS option_name, o.option_value::information_schema.character_data AS option_value
    FROM pg_catalog.pg_foreign_server s CROSS JOIN LATERAL pg_options_to_table(s.srvoptions) AS o
    WHERE pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE');

CREATE VIEW information_schema.foreign_tables AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_table_catalog, n.nspname::information_schema.sql_identifier AS foreign_table_schema,
           c.relname::information_schema.sql_identifier AS foreign_table_name, current_database()::information_schema.sql_identifier AS foreign_server_catalog,
           s.srvname::information_schema.sql_identifier AS foreign_server_name
    FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_foreign_server s ON t.ftserver = s.oid JOIN pg_catalog.pg_class c ON t.ftrelid = c.oid
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'f' AND (pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                               OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.foreign_table_options AS
    SELECT current_database()::information_schema.sql_identifier AS foreign_table_catalog, n.nspname::information_schema.sql_identifier AS foreign_table_schema,
           c.relname::information_schema.sql_identifier AS foreign_table_name, o.option_name::information_schema.sql_identifier AS option_name,
           o.option_value::information_schema.character_data AS option_value
    FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_class c ON t.ftrelid = c.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         CROSS JOIN LATERAL pg_options_to_table(t.ftoptions) AS o
    WHERE pg_has_role(c.relowner, 'USAGE') OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
       OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES');

CREATE VIEW information_schema.column_options AS
    SELECT current_database()::information_schema.sql_identifier AS table_catalog, n.nspname::information_schema.sql_identifier AS table_schema,
           c.relname::information_schema.sql_identifier AS table_name, a.attname::information_schema.sql_identifier AS column_name,
           o.option_name::information_schema.sql_identifier AS option_name, o.option_value::information_schema.character_data AS option_value
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_attribute a ON c.oid = a.attrelid
         CROSS JOIN LATERAL pg_options_to_table(a.attfdwoptions) AS o
    WHERE c.relkind = 'f' AND a.attnum > 0 AND (pg_has_role(c.relowner, 'USAGE') OR has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE, REFERENCES'));

CREATE VIEW information_schema.user_mappings AS
    SELECT coalesce(u.rolname, 'PUBLIC')::information_schema.sql_identifier AS authorization_identifier,
           current_database()::information_schema.sql_identifier AS foreign_server_catalog, s.srvname::information_schema.sql_identifier AS foreign_server_name
    FROM pg_catalog.pg_user_mapping m LEFT JOIN pg_catalog.pg_authid u ON u.oid = m.umuser JOIN pg_catalog.pg_foreign_server s ON m.umserver = s.oid
    WHERE pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE');

CREATE VIEW information_schema.user_mapping_options AS
    SELECT coalesce(u.rolname, 'PUBLIC')::information_schema.sql_identifier AS authorization_identifier,
           current_database()::information_schema.sql_identifier AS foreign_server_catalog, s.srvname::information_schema.sql_identifier AS foreign_server_name,
           o.option_name::information_schema.sql_identifier AS option_name,
           (CASE WHEN m.umuser <> 0 AND u.rolname = current_user OR m.umuser = 0 AND pg_has_role(s.srvowner, 'USAGE')
                      OR (SELECT rolsuper FROM pg_catalog.pg_authid WHERE rolname = current_user) THEN o.option_value
            END)::information_schema.character_data AS option_value
    FROM pg_catalog.pg_user_mapping m LEFT JOIN pg_catalog.pg_authid u ON u.oid = m.umuser JOIN pg_catalog.pg_foreign_server s ON m.umserver = s.oid
         CROSS JOIN LATERAL pg_options_to_table(m.umoptions) AS o
    WHERE pg_has_role(s.srvowner, 'USAGE') OR has_server_privilege(s.oid, 'USAGE');

GRANT SELECT ON ALL TABLES IN SCHEMA information_schema TO public;
