#!/usr/bin/env bash
# suite-src.sh: prints the directory of PostgreSQL 15's sources: $SUITE_SRC, or what it fetched into the cache earlier, or fetches Debian's source
# package now. Needs no root: apt works on lists of its own, made from the machine's sources with deb-src in the place of deb.
set -euo pipefail
if [ -n "${SUITE_SRC:-}" ]; then
  [ -d "$SUITE_SRC/src/test/regress/sql" ] || { echo "SUITE_SRC=$SUITE_SRC has no src/test/regress/sql" >&2; exit 1; }
  echo "$SUITE_SRC"
  exit
fi
cache=${XDG_CACHE_HOME:-$HOME/.cache}/calf/postgresql-15
found() { find "$cache" -maxdepth 1 -type d -name 'postgresql-15.*' 2>/dev/null | sort -V | tail -1; }
if [ -n "$(found)" ]; then
  found
  exit
fi
mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial" "$cache/apt/sources.list.d"

# The machine's own sources, of either format, as sources of source packages.
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -e "$f" ] && sed -n 's/^deb\(-src\)\?[[:space:]]/deb-src /p' "$f" >"$cache/apt/sources.list.d/$(basename "$f" .list).list"
done
for f in /etc/apt/sources.list.d/*.sources; do
  [ -e "$f" ] && sed 's/^Types:.*/Types: deb-src/' "$f" >"$cache/apt/sources.list.d/$(basename "$f")"
done
apt=(apt-get -q -o "Dir::State::Lists=$cache/apt/lists" -o "Dir::Cache=$cache/apt" -o Dir::Etc::SourceList=/dev/null
  -o "Dir::Etc::SourceParts=$cache/apt/sources.list.d" -o APT::Sandbox::User=)
cd "$cache"
"${apt[@]}" update >&2
for version in "" "=15.18-0+deb12u1"; do # the newest may be announced and not be there yet
  "${apt[@]}" source --download-only "postgresql-15$version" >&2 && break
done
orig=$(find . -maxdepth 1 -name 'postgresql-15_*.orig.tar.*' ! -name '*.asc' | sort -V | tail -1)
[ -n "$orig" ] || { echo "apt-get source postgresql-15 gave no sources" >&2; exit 1; }
mkdir -p unpack
tar -xf "$orig" -C unpack
mv unpack/postgresql-15* .
rm -rf unpack apt "$orig"
found
