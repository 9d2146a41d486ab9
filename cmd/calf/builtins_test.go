package main

import (
	"sort"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// implementedMin is how many of PostgreSQL's internal functions had an implementation when this was last raised.
const implementedMin = 2040

// TestBuiltinFunctions counts the internal-language functions of pg_proc that have an implementation in this binary and logs the others.
func TestBuiltinFunctions(t *testing.T) {
	const pgProc, internal = 1255, 12
	table := catalog.Catalogs(pgProc)
	column := map[string]int{}
	for i := range table.Desc.Attrs {
		column[table.Desc.Attrs[i].Name] = i
	}
	sources, done := map[string]bool{}, 0
	var missing []string
	for _, row := range table.Rows() {
		src := row[column["prosrc"]].Str()
		if row[column["prolang"]].Oid() != internal || row[column["prokind"]].Char() != 'f' || sources[src] {
			continue
		}
		sources[src] = true
		_, isFunc := types.LookupFunc(src)
		_, isSRF := types.LookupSRF(src)
		if isFunc || isSRF {
			done++
		} else {
			missing = append(missing, src)
		}
	}
	sort.Strings(missing)
	t.Logf("%d of %d internal functions are implemented; missing: %s", done, len(sources), strings.Join(missing, " "))
	if done < implementedMin {
		t.Errorf("%d functions are implemented, fewer than %d", done, implementedMin)
	}
}
