#!/usr/bin/env bash
# gen.sh: reads the initial contents of PostgreSQL 15's system catalogs from a running server into ../data/catalogs.gz.
#
#   PGHOST=... PGPORT=... gen.sh DATABASE      (a fresh database: createdb -T template0 DATABASE)
#
# What it takes are facts: OIDs, names, signatures, column layouts. It leaves out what SQL makes at first start (system views, information_schema and
# what hangs on them) and the operating system's collations.
#
# Format, before compression: a line "@catalog oid=N shared=t|f" a catalog, a line "#name:type ..." with its columns, then its rows as COPY writes text.
# regproc columns hold OIDs; pg_node_tree columns hold SQL text: proargdefaults the list of default values joined by U+001F, prosqlbody the body.
set -euo pipefail
cd "$(dirname "$0")"
db=${1:?database}
q() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$db" "$@"; }

# Objects that stay, as (class, oid).
kept="
create temp view keptclass as select oid from pg_class where relkind in ('r','i','t') and relnamespace in (11,99)
  and oid < 12000;
create temp view kepttype as select t.oid from pg_type t where typnamespace in (11,99)
  and (typrelid = 0 or typrelid in (select oid from keptclass))
  and (typelem = 0 or typarray <> 0 or (select e.typrelid from pg_type e where e.oid = t.typelem) in (0, -1)
       or (select e.typrelid from pg_type e where e.oid = t.typelem) in (select oid from keptclass));
create temp view keptproc as select oid from pg_proc where pronamespace = 11;
create temp view keptcoll as select oid from pg_collation where oid < 12000 or collname in ('ucs_basic', 'C.utf8');
create temp view kept as
  select 'pg_class'::regclass::oid c, oid o from keptclass union all select 'pg_type'::regclass, oid from kepttype
  union all select 'pg_proc'::regclass, oid from keptproc union all select 'pg_collation'::regclass, oid from keptcoll
  union all select 'pg_namespace'::regclass, oid from pg_namespace where oid in (11, 99, 2200)
  union all select 'pg_constraint'::regclass, oid from pg_constraint where connamespace = 11
  union all select 'pg_operator'::regclass, oid from pg_operator union all select 'pg_cast'::regclass, oid from pg_cast
  union all select 'pg_opclass'::regclass, oid from pg_opclass union all select 'pg_opfamily'::regclass, oid from pg_opfamily
  union all select 'pg_am'::regclass, oid from pg_am union all select 'pg_language'::regclass, oid from pg_language
  union all select 'pg_conversion'::regclass, oid from pg_conversion union all select 'pg_ts_config'::regclass, oid from pg_ts_config
  union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict union all select 'pg_ts_parser'::regclass, oid from pg_ts_parser
  union all select 'pg_ts_template'::regclass, oid from pg_ts_template union all select 'pg_extension'::regclass, oid from pg_extension
  union all select 'pg_database'::regclass, oid from pg_database where oid in (1,4,5)
  union all select 'pg_tablespace'::regclass, oid from pg_tablespace union all select 'pg_authid'::regclass, oid from pg_authid;
"

where() {
  case $1 in
    pg_class) echo "oid in (select oid from keptclass)" ;;
    pg_attribute) echo "attrelid in (select oid from keptclass)" ;;
    pg_index) echo "indexrelid in (select oid from keptclass)" ;;
    pg_type) echo "oid in (select oid from kepttype)" ;;
    pg_proc) echo "oid in (select oid from keptproc)" ;;
    pg_collation) echo "oid in (select oid from keptcoll)" ;;
    pg_namespace) echo "oid in (11, 99, 2200)" ;;
    pg_constraint) echo "connamespace = 11" ;;
    pg_database) echo "oid in (1, 4, 5)" ;;
    pg_description) echo "(classoid, objoid) in (select c, o from kept)" ;;
    pg_shdescription) echo "(classoid, objoid) in (select c, o from kept)" ;;
    pg_init_privs) echo "(classoid, objoid) in (select c, o from kept)" ;;
    pg_depend) echo "(classid, objid) in (select c, o from kept) and (refclassid, refobjid) in (select c, o from kept)" ;;
    pg_statistic|pg_rewrite|pg_shdepend|pg_db_role_setting) echo false ;;
    *) echo true ;;
  esac
}

sqlfile=$(mktemp)
trap 'rm -f "$sqlfile"' EXIT
echo "$kept" > "$sqlfile"
q -c "select relname, oid, relisshared from pg_class where relkind = 'r' and relnamespace = 11 order by oid" | while IFS='|' read -r rel oid shared; do
  cols=$(q -c "select string_agg(case when atttypid = 'regproc'::regtype then attname::text || '::oid'
      when attname = 'proargdefaults' then '(select string_agg(coalesce(pg_get_function_arg_default(t.oid, n), ''''), chr(31) order by n)
         from generate_series(t.pronargs - t.pronargdefaults + 1, t.pronargs) n) '
      when attname = 'prosqlbody' then 'pg_get_function_sqlbody(t.oid)' else attname::text end, ', ' order by attnum)
    from pg_attribute where attrelid = $oid and attnum > 0")
  head=$(q -c "select '#' || string_agg(attname || ':' || atttypid, ' ' order by attnum) from pg_attribute where attrelid = $oid and attnum > 0")
  key=$(q -c "select coalesce((select string_agg(attname, ', ' order by k.ord) from pg_index i, unnest(indkey) with ordinality k(a, ord)
      join pg_attribute on attrelid = $oid and attnum = k.a where indrelid = $oid and indisprimary), '1')")
  echo "\\echo '@$rel oid=$oid shared=$shared'"
  echo "\\echo '$head'"
  echo "copy (select $(echo $cols) from $rel t where $(where "$rel") order by $key) to stdout;"
done >> "$sqlfile"
mkdir -p ../data
q -f "$sqlfile" | gzip -9n > ../data/catalogs.gz
