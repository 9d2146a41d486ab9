#!/usr/bin/env python3
"""facts.py SRCDIR [psql arguments]: writes ../pg15.tsv, the facts of PostgreSQL 15's settings.

Values, limits, units and texts come from pg_settings of a running PostgreSQL 15 (reached with the psql arguments); flags, the settings that
pg_settings hides, and the spellings that an enum accepts but does not list come from guc.c below SRCDIR. One line a setting, tab separated:
name, type, context, unit, boot value, min, max, enum values, enum aliases (alias=value), flags, category, short text, long text.
"""
import os, re, subprocess, sys

src = sys.argv[1]
psql = ['psql', '-XAtq', '-F', '\x01', '-R', '\x02'] + sys.argv[2:]
guc = open(os.path.join(src, 'src/backend/utils/misc/guc.c')).read()


def enum_tables():
    """Tables of enum spellings by C name: [(name, symbol, hidden)]."""
    tables = {}
    text = guc
    for f in ['src/backend/access/transam/xlog.c', 'src/backend/access/rmgrdesc/xlogdesc.c', 'src/backend/storage/ipc/dsm_impl.c',
              'src/backend/storage/ipc/dsm.c']:
        path = os.path.join(src, f)
        if os.path.exists(path):
            text += open(path).read()
    for m in re.finditer(r'config_enum_entry (\w+)\[\]\s*=\s*\{(.*?)\n\};', text, re.S):
        tables[m.group(1)] = re.findall(r'\{"([^"]*)",\s*(\w+),\s*(true|false)\}', m.group(2))
    return tables


def entries():
    """(name, context, flags, C text of the entry) of every setting in guc.c."""
    body = guc[guc.index('config_bool ConfigureNamesBool[]'):guc.index('map_old_guc_names[]')]
    heads = list(re.finditer(r'\{\s*(?:/\*.*?\*/\s*)?\{"(\w+)", (PGC_\w+), (\w+),', body, re.S))
    for m, nxt in zip(heads, heads[1:] + [None]):
        text = body[m.start():nxt.start() if nxt else len(body)]
        yield m.group(1), m.group(2), sorted(set(re.findall(r'GUC_(?!UNIT)[A-Z_]+', text))), text


tables = enum_tables()
aliases, flags, hidden = {}, {}, []
for name, context, fl, text in entries():
    flags[name] = [f[4:] for f in fl]
    m = re.search(r'(\w+_(?:options|info)|stats_fetch_consistency),', text)
    if m and m.group(1) in tables:
        tab = tables[m.group(1)]
        shown = {}
        for n, sym, h in tab:
            shown.setdefault(sym, n)
        aliases[name] = [f'{n}={shown[sym]}' for n, sym, h in tab if h == 'true' or shown[sym] != n]
        aliases[name] += ['hidden:' + n for n, sym, h in tab if h == 'true' and shown[sym] == n]

sql = """SELECT name, vartype, context, coalesce(unit,''), coalesce(boot_val,''), coalesce(min_val,''), coalesce(max_val,''),
  coalesce(array_to_string(enumvals, ','),''), category, short_desc, coalesce(extra_desc,'') FROM pg_settings
  WHERE source <> 'extension' AND name NOT LIKE '%.%' ORDER BY lower(name) COLLATE "C" """
rows = [r.split('\x01') for r in subprocess.run(psql + ['-c', sql], capture_output=True, text=True, check=True).stdout.rstrip('\n').split('\x02')]
rows += [
    ['is_superuser', 'bool', 'internal', '', 'off', '', '', '', 'Ungrouped', 'Shows whether the current user is a superuser.', ''],
    ['role', 'string', 'user', '', 'none', '', '', '', 'Ungrouped', 'Sets the current role.', ''],
    ['session_authorization', 'string', 'user', '', '', '', '', '', 'Ungrouped', 'Sets the session user name.', ''],
    ['seed', 'real', 'user', '', '0', '-1', '1', '', 'Ungrouped', 'Sets the seed for random-number generation.', ''],
    ['default_with_oids', 'bool', 'user', '', 'off', '', '', '', 'Version and Platform Compatibility / Previous PostgreSQL Versions',
     'WITH OIDS is no longer supported; this can only be false.', ''],
    ['ssl_renegotiation_limit', 'integer', 'user', 'kB', '0', '0', '0', '', 'Version and Platform Compatibility / Previous PostgreSQL Versions',
     'SSL renegotiation is no longer supported; this can only be 0.', ''],
]
rows.sort(key=lambda r: r[0].lower())
out = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'pg15.tsv')
with open(out, 'w') as f:
    seen = set()
    for name, typ, ctx, unit, boot, lo, hi, enum, cat, short, extra in rows:
        if name in seen:
            continue
        seen.add(name)
        al = [a for a in aliases.get(name, [])] if typ == 'enum' else []
        f.write('\t'.join([name, typ, ctx, unit, boot, lo, hi, enum, ','.join(al), ','.join(flags.get(name, [])), cat, short, extra]).replace('\n', ' ') + '\n')
