package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Functions of aclitem.

func init() {
	types.RegisterFunc("makeaclitem", func(c *types.Call) (types.Datum, error) {
		privs, err := privilegeBits(c.Args[2].Str())
		if err != nil {
			return types.Null, err
		}
		if c.Args[3].Bool() {
			privs |= privs << 16
		}
		return types.ACLItem{Grantee: c.Args[0].Oid(), Grantor: c.Args[1].Oid(), Privs: privs}.Datum(), nil
	})
	types.RegisterFunc("aclcontains", func(c *types.Call) (types.Datum, error) {
		items, err := aclItems(c.Args[0])
		want := c.Args[1].ACLItem()
		for _, a := range items {
			if a.Grantee == want.Grantee && a.Grantor == want.Grantor && a.Privs&want.Privs == want.Privs {
				return types.Bool(true), nil
			}
		}
		return types.Bool(false), err
	})
	for _, n := range []string{"aclinsert", "aclremove"} {
		types.RegisterFunc(n, func(*types.Call) (types.Datum, error) {
			return types.Null, pgerr.New(pgerr.FeatureNotSupported, "%s is no longer supported", n)
		})
	}
	types.RegisterSRF("aclexplode", func(c *types.Call) (types.Iterator, error) {
		items, err := aclItems(c.Args[0])
		if err != nil {
			return nil, err
		}
		desc, err := types.NewRecordDesc(c.Env, []types.RecordColumn{{Name: "grantor", Type: types.OidOID, TypMod: -1},
			{Name: "grantee", Type: types.OidOID, TypMod: -1}, {Name: "privilege_type", Type: types.TextOID, TypMod: -1, Collation: 100},
			{Name: "is_grantable", Type: types.BoolOID, TypMod: -1}})
		return &aclRows{items: items, desc: desc}, err
	})
}

// aclItems opens an aclitem array as an access control list: one dimension, no nulls.
func aclItems(arr types.Datum) ([]types.ACLItem, error) {
	if types.ArrayNDims(arr) > 1 {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "ACL arrays must be one-dimensional")
	}
	info, _ := types.BuiltinType(types.AclitemOID)
	elems, err := types.ArrayElements(info, arr, nil)
	if err != nil {
		return nil, err
	}
	items := make([]types.ACLItem, len(elems))
	for i, e := range elems {
		if e.IsNull() {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "ACL arrays must not contain null values")
		}
		items[i] = e.ACLItem()
	}
	return items, nil
}

// privilegeBits reads the name of a privilege.
func privilegeBits(s string) (uint32, error) {
	for i, n := range types.ACLNames {
		if strings.EqualFold(n, s) || n == "TEMPORARY" && strings.EqualFold(s, "TEMP") {
			return 1 << i, nil
		}
	}
	if strings.EqualFold(s, "RULE") { // has no effect any more
		return 0, nil
	}
	return 0, pgerr.New(pgerr.InvalidParameterValue, "unrecognized privilege type: \"%s\"", s)
}

// aclRows gives one row for each privilege of each item.
type aclRows struct {
	items []types.ACLItem
	bit   int
	desc  *types.TupleDesc
}

func (a *aclRows) Desc() *types.TupleDesc { return a.desc }

func (a *aclRows) Next(row []types.Datum) (bool, error) {
	for len(a.items) > 0 {
		item := a.items[0]
		for ; a.bit < len(types.ACLNames); a.bit++ {
			if item.Privs&(1<<a.bit) == 0 {
				continue
			}
			row[0], row[1] = types.Oid(item.Grantor), types.Oid(item.Grantee)
			row[2], row[3] = types.Text(types.ACLNames[a.bit]), types.Bool(item.Privs&(1<<(16+a.bit)) != 0)
			a.bit++
			return true, nil
		}
		a.items, a.bit = a.items[1:], 0
	}
	return false, nil
}
