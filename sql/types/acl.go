package types

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// ACLItem is an aclitem: uint32 grantee (0 = PUBLIC), uint32 grantor, uint32 privileges, with the grant options in the upper 16 bits.
type ACLItem struct {
	Grantee, Grantor OID
	Privs            uint32
}

// ACLLetters are the letters of the privileges, from the lowest bit.
const ACLLetters = "arwdDxtXUCTcsA"

// ACLNames are the privileges' names in the same order.
var ACLNames = [...]string{"INSERT", "SELECT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "EXECUTE", "USAGE", "CREATE", "TEMPORARY",
	"CONNECT", "SET", "ALTER SYSTEM"}

func init() {
	registerIO("aclitemin", aclIn, "aclitemout", aclOut, "", nil, "", nil)
	RegisterFunc("aclitem_eq", func(c *Call) (Datum, error) { return Bool(c.Args[0].ACLItem() == c.Args[1].ACLItem()), nil })
	registerHash("hash_aclitem", func(d Datum) uint32 {
		a := d.ACLItem()
		return a.Privs + uint32(a.Grantee) + uint32(a.Grantor)
	}, "hash_aclitem_extended", func(d Datum, seed uint64) uint64 {
		a := d.ACLItem()
		sum := a.Privs + uint32(a.Grantee) + uint32(a.Grantor)
		if seed == 0 {
			return uint64(sum)
		}
		return HashUint32Ext(sum, seed)
	})
}

// ACLItem reads a datum of type aclitem.
func (d Datum) ACLItem() ACLItem {
	b := d.Bytes()
	return ACLItem{OID(binary.LittleEndian.Uint32(b)), OID(binary.LittleEndian.Uint32(b[4:])), binary.LittleEndian.Uint32(b[8:])}
}

// Datum makes a datum of type aclitem.
func (a ACLItem) Datum() Datum {
	b := make([]byte, 12)
	binary.LittleEndian.PutUint32(b, uint32(a.Grantee))
	binary.LittleEndian.PutUint32(b[4:], uint32(a.Grantor))
	binary.LittleEndian.PutUint32(b[8:], a.Privs)
	return Bytes(b)
}

func appendRole(env *Env, dst []byte, role OID) []byte {
	if env != nil && env.Catalog != nil {
		if name, ok := env.Catalog.RoleName(role); ok {
			for i := 0; i < len(name); i++ {
				if c := name[i]; !isDigit(c) && !isAlpha(c) && c != '_' {
					return append(append(append(dst, '"'), strings.ReplaceAll(name, `"`, `""`)...), '"')
				}
			}
			return append(dst, name...)
		}
	}
	return strconv.AppendUint(dst, uint64(role), 10)
}

func aclOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	a := d.ACLItem()
	if a.Grantee != 0 {
		dst = appendRole(env, dst, a.Grantee)
	}
	dst = append(dst, '=')
	for i := range len(ACLLetters) {
		if a.Privs&(1<<i) != 0 {
			dst = append(dst, ACLLetters[i])
		}
		if a.Privs&(1<<(16+i)) != 0 {
			dst = append(dst, '*')
		}
	}
	return appendRole(env, append(dst, '/'), a.Grantor), nil
}

// aclName reads a role's name, quoted or not.
func aclName(s string) (name, rest string) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	inQuotes := false
	var b []byte
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' && inQuotes && i+1 < len(s) && s[i+1] == '"':
			b = append(b, c)
			i++
		case c == '"':
			inQuotes = !inQuotes
		case inQuotes || isDigit(c) || isAlpha(c) || c == '_' || c >= 0x80:
			b = append(b, c)
		default:
			return string(b), strings.TrimLeft(s[i:], " \t\n\v\f\r")
		}
	}
	return string(b), ""
}

func aclIn(env *Env, _ *IO, s string, _ int32) (Datum, error) {
	cat, err := env.catalog("aclitem")
	if err != nil {
		return Null, err
	}
	bad := func(msg string) error { return pgerr.New(pgerr.InvalidTextRepresentation, "%s", msg) }
	name, rest := aclName(s)
	if !strings.HasPrefix(rest, "=") {
		if name != "group" && name != "user" {
			return Null, bad("unrecognized key word: \"" + name + "\"")
		}
		if name, rest = aclName(rest); name == "" {
			return Null, bad("missing name")
		}
	}
	if !strings.HasPrefix(rest, "=") {
		return Null, bad("missing \"=\" sign")
	}
	var a ACLItem
	if name != "" {
		oid, ok := cat.RoleByName(name)
		if !ok {
			return Null, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", name)
		}
		a.Grantee = oid
	}
	rest = rest[1:]
	last := uint32(0)
	for rest != "" && (isAlpha(rest[0]) || rest[0] == '*') {
		if rest[0] == '*' {
			a.Privs |= last << 16
		} else {
			i := strings.IndexByte(ACLLetters, rest[0])
			if i < 0 {
				return Null, bad("invalid mode character: must be one of \"" + ACLLetters + "\"")
			}
			last = 1 << i
			a.Privs |= last
		}
		rest = rest[1:]
	}
	a.Grantor = 10 // the bootstrap superuser
	if strings.HasPrefix(rest, "/") {
		if name, rest = aclName(rest[1:]); name == "" {
			return Null, bad("a name must follow the \"/\" sign")
		}
		oid, ok := cat.RoleByName(name)
		if !ok {
			return Null, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", name)
		}
		a.Grantor = oid
	}
	if strings.TrimSpace(rest) != "" {
		return Null, bad("extra garbage at the end of the ACL specification")
	}
	return a.Datum(), nil
}
