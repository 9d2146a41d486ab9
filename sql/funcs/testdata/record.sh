#!/bin/sh
# record.sh writes calls.txt: calls of PostgreSQL's internal functions with sample arguments and what a real server answered.
# Usage: PGHOST=... PGPORT=... PGUSER=... PGDATABASE=... [PER=12] testdata/record.sh > testdata/calls.txt
# A line is, in COPY's text format: source name, argument types, result type, arguments, result or "ERROR state: message".
set -eu
PER=${PER:-12}
psql -Xq -v ON_ERROR_STOP=1 <<SQL
set client_min_messages = error;
set timezone = 'America/New_York';
create temp table samples(typ regtype, v text);
\copy samples from '$(dirname "$0")/samples.txt'
create function pg_temp.rec(call text, args text[]) returns text language plpgsql as \$\$
declare r text;
begin
  execute call into r using args;
  return r;
exception when others then return 'ERROR ' || sqlstate || ': ' || sqlerrm;
end \$\$;
create temp table procs as
  select p.oid, prosrc, prorettype, proname, (select array_agg(t order by i) from unnest(p.proargtypes::oid[]) with ordinality u(t, i)) types
  from pg_proc p where prolang = 12 and prokind = 'f' and not proretset and provariadic = 0
   and provolatile in ('i', 's') and prosrc !~ '(^pg_stat|^has_|^pg_ls|^pg_read|_sel\$|sel\$|support\$|^binary_upgrade|^RI_|^brin|^gin|^gist|^spg|^pg_get|^txid|^inet_server|^inet_client|current|^session_user|^show_|hashsel|^lo|^be_|^pg_size|_transfn\$|_xml|^xml|timeofday|^pg_table|^pg_relation|^pg_total|^pg_index|^pg_database|^pg_tablespace|is_visible\$|^row_security|^array_subscript|^get_|^pg_options|^query_to|^ts_|tsvector|tsquery|pg_collation|^pg_describe|^pg_identify|^pg_my|^pg_is|^pg_last|^pg_cont|^pg_event|^pg_export|^pg_conf|^pg_current|^col_desc|^obj_desc|^pg_sleep|^pg_func|^pg_oper|^pg_xact|^pg_opc|^pg_opf|^pg_conv|^pg_ts|^pg_stati|^row_to|_statefunc_?)'
   and not exists (select from unnest(p.proargtypes::oid[]) t where t not in (select typ::oid from samples))
   and pronargs > 0;
create temp table calls as
with recursive combos as (
  select oid, prosrc, types, prorettype, proname, 0 n, '{}'::text[] args from procs
  union all
  select c.oid, c.prosrc, c.types, c.prorettype, c.proname, n + 1, args || s.v
  from combos c cross join lateral (select v from samples s where s.typ = c.types[n + 1]
     order by md5(v || c.oid::text || c.args::text) limit case when array_length(c.types, 1) >= 3 then 4 when array_length(c.types, 1) = 2 then 9 else 100 end) s
  where n < array_length(c.types, 1)
), ranked as (
  select *, row_number() over (partition by oid order by md5(args::text || oid::text)) rn from combos where n = array_length(types, 1)
)
select * from ranked where rn <= $PER;
copy (
 select * from (select distinct prosrc, (select string_agg(t::oid::text, ',' order by i) from unnest(types) with ordinality u(t, i)) at, prorettype::oid::text, args::text,
  pg_temp.rec('select pg_catalog.' || quote_ident(proname) || '(' || (select string_agg('\$1[' || i || ']::' || format_type(t, -1), ', ' order by i) from unnest(types) with ordinality u(t, i)) || ')::text', args)
 r from calls) x where length(r) < 500 or r is null order by 1, 2, 3, 4
) to stdout;
SQL
