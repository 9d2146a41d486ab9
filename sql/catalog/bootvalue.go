package catalog

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/types"
)

// bootValue makes a value of the text that COPY wrote for a column of a catalog, for the few types that catalogs have. It asks nothing of package
// types' input functions, which may ask the catalogs.
func bootValue(typ OID, s string) types.Datum {
	switch typ {
	case types.BoolOID:
		return types.Bool(s == "t")
	case types.CharOID:
		if s == "" {
			return types.Char(0)
		}
		return types.Char(s[0])
	case types.Int2OID:
		return types.Int2(int16(bootInt(s)))
	case types.Int4OID:
		return types.Int4(int32(bootInt(s)))
	case types.Int8OID:
		return types.Int8(bootInt(s))
	case types.OidOID, types.RegprocOID, types.XidOID:
		return types.FromRaw(uint64(bootInt(s)))
	case types.Float4OID:
		f, err := strconv.ParseFloat(s, 32)
		bootMust(err)
		return types.FromRaw(uint64(math.Float32bits(float32(f))))
	case types.NameOID, types.TextOID, types.PgNodeTreeOID:
		return types.Text(s)
	case types.OidvectorOID, types.Int2vectorOID:
		elem := OID(types.OidOID)
		if typ == types.Int2vectorOID {
			elem = types.Int2OID
		}
		return bootArray(elem, strings.Fields(s), 0)
	case types.TextArrayOID:
		return bootArray(types.TextOID, splitArray(s), 1)
	case types.OidArrayOID:
		return bootArray(types.OidOID, splitArray(s), 1)
	case types.Int2ArrayOID:
		return bootArray(types.Int2OID, splitArray(s), 1)
	case types.CharArrayOID:
		return bootArray(types.CharOID, splitArray(s), 1)
	case types.AclitemArrayOID:
		return bootACL(splitArray(s))
	}
	panic(fmt.Sprintf("catalog: the initial contents have a value of type %d: %q", typ, s))
}

func bootMust(err error) {
	if err != nil {
		panic(fmt.Sprintf("catalog: initial contents: %v", err))
	}
}

func bootInt(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	bootMust(err)
	return n
}

func bootArray(elem OID, items []string, lower int32) types.Datum {
	ds := make([]types.Datum, len(items))
	for i, s := range items {
		ds[i] = bootValue(elem, s)
	}
	return makeArray(elem, ds, lower)
}

// splitArray takes the text form of a one-dimensional array apart.
func splitArray(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	if s == "" {
		return nil
	}
	var list []string
	var cur strings.Builder
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
			cur.WriteByte(s[i])
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			list = append(list, cur.String())
			cur.Reset()
		default:
			cur.WriteByte(c)
		}
	}
	return append(list, cur.String())
}

// bootACL reads aclitems in text form. Roles are those of the initial pg_authid.
func bootACL(items []string) types.Datum {
	var list []ACLItem
	for _, s := range items {
		grantee, rest, _ := strings.Cut(s, "=")
		privs, grantor, _ := strings.Cut(rest, "/")
		it := ACLItem{Grantee: bootRole(grantee), Grantor: bootRole(grantor)}
		for i := 0; i < len(privs); i++ {
			bit := uint32(1) << strings.IndexByte(aclLetters, privs[i])
			it.Privs |= bit
			if i+1 < len(privs) && privs[i+1] == '*' {
				it.GrantOpts |= bit
				i++
			}
		}
		list = append(list, it)
	}
	return ACLArray(list)
}

// aclLetters are the privileges as aclitem prints them, in the order of their bits (query.AclInsert and on).
const aclLetters = "arwdDxtXUCTcsA"

func bootRole(name string) OID {
	if name == "" {
		return 0
	}
	for _, row := range boot.byOID[PgAuthidOID].Rows() { // runs inside loadBoot
		if row[AuthidRolname].Str() == name {
			return row[AuthidOid].Oid()
		}
	}
	panic("catalog: initial contents name an unknown role " + name)
}

// appendSortable appends an encoding of a catalog key value under which equal values are equal bytes.
func appendSortable(dst []byte, d types.Datum) []byte {
	if d.IsByRef() {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(d.Bytes())))
		return append(dst, d.Bytes()...)
	}
	return binary.BigEndian.AppendUint64(dst, d.Raw())
}
