#!/usr/bin/env bash
# record.sh [test...]: writes expected/NAME.out of our own regression files from a PostgreSQL 15 that it starts and stops again.
# Without arguments it records all of them. The files are those of regress/sql; DIR=another directory with sql/ for others.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(cd "${DIR:-$root/regress}" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
chmod 755 "$out"
calf=$root/bin/calf
[ -x "$calf" ] || (cd "$root" && go build -o bin/calf ./cmd/calf)
"$calf" regress --temp-instance --postgres --update --no-locale --encoding UTF8 --inputdir "$dir" --outputdir "$out" "$@"
