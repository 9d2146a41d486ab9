#!/bin/sh
# record.sh has a PostgreSQL 15 server match each of patterns.txt with each of texts.txt, plainly and with the flags i and n.
# Usage: PGHOST=... PGPORT=... PGUSER=... PGDATABASE=... testdata/record.sh > testdata/matches.txt
set -eu
cd "$(dirname "$0")"
{ cat <<'SQL'
set client_min_messages = error;
create temp table p(i serial, p text);
create temp table t(i serial, t text);
create function pg_temp.rec(t text, p text, f text) returns text language plpgsql as $$
declare r text; n int; e int; c text[]; i int;
begin
  n := regexp_instr(t, p, 1, 1, 0, f);
  if n = 0 then return 'no'; end if;
  r := n || '-' || regexp_instr(t, p, 1, 1, 1, f);
  c := regexp_match(t, p, f);
  if p ~ '\((?!\?)' then
    for i in 1 .. array_length(c, 1) loop r := r || coalesce(' <' || c[i] || '>', ' -'); end loop;
  end if;
  return r;
exception when invalid_regular_expression then return 'ERROR ' || sqlstate || ': ' || sqlerrm;
end $$;
SQL
sed 's/\\/\\\\/g' patterns.txt | { printf '%s\n' '\copy p(p) from stdin'; cat; printf '%s\n' '\.'; }
printf '%s\n' '\copy t(t) from stdin'; cat texts.txt; printf '%s\n' '\.'
printf '%s\n' "\\copy (select t, p, f, pg_temp.rec(t, p, f) from p, t, (values (''), ('i'), ('n')) v(f) where f = '' or length(p) + p.i % 7 < 9 order by p.i, f, t.i) to stdout"
} | psql -Xq -v ON_ERROR_STOP=1
