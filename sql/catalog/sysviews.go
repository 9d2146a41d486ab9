package catalog

import (
	_ "embed"
	"strings"
)

//go:embed views/pg_catalog.sql
var pgCatalogViews string

//go:embed views/pg_stat.sql
var pgStatViews string

//go:embed views/information_schema.sql
var informationSchema string

// SystemViews lists the SQL statements that make the system views. They run in template1 between Bootstrap and Finish, each in its turn: a
// later one may use what an earlier one made.
func SystemViews() []string {
	var list []string
	var cur strings.Builder
	for line := range strings.Lines(pgCatalogViews + pgStatViews + informationSchema) {
		if strings.HasPrefix(line, "--") {
			continue
		}
		cur.WriteString(line)
		if strings.HasSuffix(strings.TrimSpace(line), ";") {
			list = append(list, strings.TrimSpace(cur.String()))
			cur.Reset()
		}
	}
	return list
}
