#!/usr/bin/env bash
# verdicts.sh [--postgres] [test...]: runs PostgreSQL's regression files through the stock pg_regress and through `calf regress`, on servers started
# for it (calf, or with --postgres a PostgreSQL 15), and compares the verdicts. Without tests it takes the suite's parallel schedule, one file after
# the other. SUITE_SRC=PostgreSQL's sources, else they are fetched as for `make suite`. Exit status 0: all verdicts are equal.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
src=$("$root/regress/suite-src.sh")/src/test/regress
bin=/usr/lib/postgresql/15/bin
pg_regress=/usr/lib/postgresql/15/lib/pgxs/src/test/regress/pg_regress
[ -x "$pg_regress" ] || { echo "the stock pg_regress is missing: install postgresql-server-dev-15" >&2; exit 2; }
calf=$root/bin/calf
[ -x "$calf" ] || (cd "$root" && go build -o bin/calf ./cmd/calf)
kind=calf
if [ "${1:-}" = --postgres ]; then
  kind=postgres
  shift
fi
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
  mapfile -t tests < <(sed -n 's/^test: //p' "$src/parallel_schedule" | tr ' ' '\n' | grep -v tablespace)
fi
tmp=$(mktemp -d)
chmod 755 "$tmp"
pid=
stop() {
  if [ $kind = calf ] && [ -n "$pid" ]; then
    kill "$pid" && wait "$pid" || true
  elif [ -d "$tmp/data" ]; then
    as_postgres "$bin/pg_ctl" -D "$tmp/data" -m immediate stop >/dev/null 2>&1 || true
  fi
  pid=
  rm -rf "$tmp/data"
}
trap 'stop; rm -rf "$tmp"' EXIT
as_postgres() { if [ "$(id -u)" = 0 ]; then su postgres -c "$(printf '%q ' "$@")"; else "$@"; fi; }

start() {
  if [ $kind = calf ]; then
    "$calf" serve --data "$tmp/data" --port 5432 --listen '' --socket-dir "$tmp" >"$tmp/log" 2>&1 &
    pid=$!
  else
    chmod 777 "$tmp"
    as_postgres "$bin/initdb" -D "$tmp/data" -U postgres --no-locale -E UTF8 >/dev/null 2>&1
    as_postgres "$bin/pg_ctl" -D "$tmp/data" -l "$tmp/log" -o "-p 5432 -k $tmp -c listen_addresses= -c fsync=off" -w start >/dev/null
  fi
  for _ in $(seq 100); do "$bin/psql" -h "$tmp" -U postgres -Atc 'select 1' >/dev/null 2>&1 && return; sleep 0.1; done
  echo "the server does not answer" >&2
  cat "$tmp/log" >&2
  exit 2
}

# A line a test: its name and ok or FAILED.
verdict_lines() { sed -nE 's/^test ([^ ]+) +\.\.\. +(ok|FAILED).*/\1 \2/p'; }

mkdir "$tmp/stock" "$tmp/ours"
flags=(--host="$tmp" --port=5432 --user=postgres --inputdir="$src" --bindir="$bin" --dlpath="$src" --no-locale --encoding=UTF8)
start
"$pg_regress" --dbname=regression "${flags[@]}" --outputdir="$tmp/stock" "${tests[@]}" 2>/dev/null >"$tmp/stock.txt" || true
stop
start
"$calf" regress --dbname regression "${flags[@]}" --outputdir="$tmp/ours" "${tests[@]}" >"$tmp/ours.txt" 2>&1 || true
stop
verdict_lines <"$tmp/stock.txt" >"$tmp/stock.verdicts"
verdict_lines <"$tmp/ours.txt" >"$tmp/ours.verdicts"
n=$(wc -l <"$tmp/stock.verdicts")
[ "$n" -gt 0 ] || { echo "pg_regress gave no verdict:"; cat "$tmp/stock.txt"; exit 2; }
if diff "$tmp/stock.verdicts" "$tmp/ours.verdicts"; then
  echo "$n files, all verdicts equal ($(grep -c ' ok$' "$tmp/ours.verdicts" || true) ok)"
else
  echo "the verdicts differ (< pg_regress, > calf regress)"
  exit 1
fi
