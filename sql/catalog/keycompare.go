package catalog

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/calfdb/calf/sql/types"
)

// keyCompare orders the values of a catalog's index column as the default operator class of its type does. It is kept here, because opening the
// catalogs' own indexes must not depend on a look-up in them.
func keyCompare(typ OID) (types.CompareFunc, error) {
	switch typ {
	case types.OidOID, types.RegprocOID, types.CharOID, types.BoolOID, types.XidOID:
		return func(a, b types.Datum) int { return cmp.Compare(uint32(a.Raw()), uint32(b.Raw())) }, nil
	case types.Int2OID, types.Int4OID, types.Int8OID:
		return func(a, b types.Datum) int { return cmp.Compare(a.Int8(), b.Int8()) }, nil
	case types.Float4OID:
		return func(a, b types.Datum) int { return cmp.Compare(a.Float4(), b.Float4()) }, nil
	case types.NameOID, types.TextOID:
		return func(a, b types.Datum) int { return bytes.Compare(a.Bytes(), b.Bytes()) }, nil
	case types.OidvectorOID:
		return compareOIDVectors, nil
	}
	return nil, fmt.Errorf("no order for type %d", typ)
}

// compareOIDVectors orders by length, then by element.
func compareOIDVectors(a, b types.Datum) int {
	x, y := a.Bytes(), b.Bytes()
	le := binary.LittleEndian
	if c := cmp.Compare(le.Uint32(x[arrayHeader:]), le.Uint32(y[arrayHeader:])); c != 0 {
		return c
	}
	for at := arrayHeader + 8; at+4 <= len(x) && at+4 <= len(y); at += 4 {
		if c := cmp.Compare(le.Uint32(x[at:]), le.Uint32(y[at:])); c != 0 {
			return c
		}
	}
	return 0
}
