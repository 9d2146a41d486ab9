package catalog

import "github.com/calfdb/calf/sql/types"

// Functions that calf has and PostgreSQL has not: rows of pg_proc beside PostgreSQL's own. Their OIDs are in the range that PostgreSQL keeps for
// development and leaves empty in releases.

// ownProc is a set-returning internal function with one argument and OUT columns.
type ownProc struct {
	oid      OID
	name     string
	arg      OID
	argName  string
	outTypes []OID
	outNames []string
}

var ownProcs = []ownProc{{
	oid: 8801, name: "pg_stat_get_hash_index", arg: types.OidOID, argName: "indexrelid",
	outTypes: repeated(types.Int8OID, 16),
	outNames: []string{"entries", "buckets", "inserts", "lookups", "pages_read", "overflow_added", "overflow_freed", "splits_started", "splits_finished",
		"splits_declined", "splits_refused", "splits_resumed", "vacuum_corrections", "metapage_exclusive", "metapage_share", "metapage_waits"},
}}

func repeated(t OID, n int) (list []OID) {
	for range n {
		list = append(list, t)
	}
	return list
}

// ownProcRows are the functions' rows, made of PostgreSQL's row of pg_lock_status.
func ownProcRows(all []types.Row) (rows []types.Row) {
	var model types.Row
	for _, row := range all {
		if row[ProcProname].Str() == "pg_lock_status" {
			model = row
		}
	}
	for _, p := range ownProcs {
		row := append(types.Row(nil), model...)
		row[ProcOid], row[ProcProname], row[ProcProsrc] = types.Oid(p.oid), types.Text(p.name), types.Text(p.name)
		row[ProcProrows], row[ProcProisstrict], row[ProcPronargs] = types.Float4(1), types.Bool(true), types.Int2(1)
		row[ProcProargtypes] = OIDVector([]OID{p.arg})
		modes := []byte{'i'}
		for range p.outTypes {
			modes = append(modes, 'o')
		}
		row[ProcProargmodes] = CharArray(modes)
		row[ProcProallargtypes] = OIDArray(append([]OID{p.arg}, p.outTypes...))
		row[ProcProargnames] = TextArray(append([]string{p.argName}, p.outNames...))
		rows = append(rows, row)
	}
	return rows
}
