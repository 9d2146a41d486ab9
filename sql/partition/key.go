package partition

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Strategies.
const (
	List  byte = 'l'
	Range byte = 'r'
	Hash  byte = 'h'
)

// Key is a partition key.
type Key struct {
	Strategy byte
	Cols     []Column
}

// Column is one column of a key.
type Column struct {
	Attr    int16      // 0 = Expr
	Expr    query.Expr // over the table's columns as VarNo 1
	Type    OID
	TypMod  int32
	TypColl OID // the column's own collation
	Coll    OID // that the key compares by
	Class   OID
	Family  OID
	InType  OID
	Compare types.CompareFunc // list and range
	HashExt types.HashExtFunc // hash
}

// Value is the column or expression as an expression over VarNo 1.
func (c *Column) Value() query.Expr {
	if c.Attr != 0 {
		return &query.Var{VarNo: 1, AttNo: c.Attr, TypeOID: c.Type, Mod: c.TypMod, Coll: c.TypColl, Loc: -1, SynNo: 1, SynAttNo: c.Attr}
	}
	return c.Expr
}

// NewKey reads a partitioned table's key.
func NewKey(cat catalog.Lookup, env *types.Env, rel *catalog.Relation) (*Key, error) {
	pk := rel.PartKey
	if pk == nil {
		return nil, pgerr.Internal("cache lookup failed for partition key of %d", rel.OID)
	}
	k := &Key{Strategy: pk.Strategy}
	next := 0
	for i, att := range pk.Attrs {
		c := Column{Attr: att, Class: pk.OpClasses[i], Coll: pk.Collations[i]}
		if att != 0 {
			a := &rel.Desc.Attrs[att-1]
			c.Type, c.TypMod, c.TypColl = a.TypeOID, a.TypMod, a.Collation
		} else {
			c.Expr = pk.Exprs[next]
			c.Type, c.TypMod, c.TypColl = c.Expr.Type(), c.Expr.TypMod(), c.Expr.Collation()
			next++
		}
		if err := c.functions(cat, env, k.Strategy); err != nil {
			return nil, err
		}
		k.Cols = append(k.Cols, c)
	}
	return k, nil
}

// functions finds the column's comparison or hash function.
func (c *Column) functions(cat catalog.Lookup, env *types.Env, strategy byte) error {
	opc, err := cat.OpClass(c.Class)
	if err != nil {
		return err
	}
	if opc == nil {
		return pgerr.Internal("cache lookup failed for opclass %d", c.Class)
	}
	c.Family, c.InType = opc.Family, opc.InType
	num := int16(1)
	if strategy == Hash {
		num = 2
	}
	fn, err := cat.AmProc(c.Family, c.InType, c.InType, num)
	if err != nil {
		return err
	}
	p, err := cat.Proc(fn)
	if err != nil {
		return err
	}
	if p == nil {
		am := "btree"
		if strategy == Hash {
			am = "hash"
		}
		return pgerr.New(pgerr.InvalidObjectDefinition, "operator class \"%s\" of access method %s is missing support function %d for type %s", opc.Name, am,
			num, types.FormatType(env, c.InType))
	}
	if strategy == Hash {
		_, c.HashExt, err = types.LookupHash(env, p.Src, c.Type, c.Coll)
		return err
	}
	c.Compare, err = types.LookupCompare(env, p.Src, c.Type, c.Coll)
	return err
}

// HashSeed is what hash partitioning starts each column's hash with.
const HashSeed = 0x7A5B22367996DCFD

// HashOf combines the hashes of a row's key values, those that are null left out.
func (k *Key) HashOf(values []types.Datum) uint64 {
	var h uint64
	for i := range k.Cols {
		if v := values[i]; !v.IsNull() {
			h = Combine(h, k.Cols[i].HashExt(v, HashSeed))
		}
	}
	return h
}

// Combine adds a column's hash to those before it.
func Combine(a, b uint64) uint64 { return a ^ (b + 0x49a0f4dd15e5a8e3 + a<<54 + a>>7) }
