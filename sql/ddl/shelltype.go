package ddl

import (
	"github.com/calfdb/calf/sql/catalog"
)

// Input and output of types that are only a shell.
const shellIn, shellOut = 2398, 2399

// makeShellType makes a type that has a name and nothing else yet: the input functions of a new type name it before it is there.
func (c *ctx) makeShellType(ns OID, name string) (OID, error) {
	oid, err := c.v.GetNewOID(catalog.PgTypeOidIndexOID)
	if err != nil {
		return 0, err
	}
	t := &newType{oid: oid, name: name, ns: ns, owner: c.v.User(), length: 4, byVal: true, kind: 'p', category: 'P', delim: ',', input: shellIn,
		output: shellOut, align: 'i', storage: 'p', typmod: -1, shell: true}
	return oid, c.insertType(t)
}
