package catalog

import (
	"testing"

	"github.com/calfdb/calf/sql/types"
)

// TestRegLookupErrors: a qualified name in a schema that is not there is the schema's error, but for operators with arguments.
func TestRegLookupErrors(t *testing.T) {
	s := newFixture(t).session(PostgresDB)
	s.begin()
	for _, c := range []struct {
		typ        OID
		name, want string
	}{
		{types.RegclassOID, "ng.pg_class", `schema "ng" does not exist`},
		{types.RegclassOID, "pg_catalog.ng", `relation "pg_catalog.ng" does not exist`},
		{types.RegprocOID, "ng.now", `schema "ng" does not exist`},
		{types.RegoperOID, "ng.||/", `schema "ng" does not exist`},
		{types.RegcollationOID, `ng."POSIX"`, `schema "ng" does not exist`},
		{types.RegroleOID, "foo.bar", "invalid name syntax"},
		{types.RegnamespaceOID, "foo.bar", "invalid name syntax"},
	} {
		_, err := typeCatalog{s.View}.RegLookup(c.typ, c.name)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
