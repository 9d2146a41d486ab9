package types

import "github.com/calfdb/calf/sql/pgerr"

// Arrays order by their elements in turn (a null above all values), then by number of elements, dimensions and bounds.

func init() {
	registerCompareFor("btarraycmp", arrayCompare)
	registerCompareFor("btoidvectorcmp", func(*Env, OID, OID) (CompareFunc, error) { return compareOidVector, nil })
	registerOrder("oidvector", compareOidVector)
	registerHash("hashoidvector", func(d Datum) uint32 { return HashBytes(vectorData(d)) },
		"hashoidvectorextended", func(d Datum, seed uint64) uint64 { return HashBytesExt(vectorData(d), seed) })
	registerHashFor("hash_array", "hash_array_extended", hashArray)
	tests := map[string]func(int) bool{
		"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 }, "lt": func(c int) bool { return c < 0 },
		"le": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	}
	for op, test := range tests {
		RegisterFunc("array_"+op, func(c *Call) (Datum, error) {
			r, err := compareArrays(c)
			return Bool(test(r)), err
		})
	}
	RegisterFunc("array_larger", func(c *Call) (Datum, error) { return pickArray(c, 1) })
	RegisterFunc("array_smaller", func(c *Call) (Datum, error) { return pickArray(c, -1) })
}

func vectorData(d Datum) []byte {
	_, n, _, data := arrayHead(d.Bytes())
	return data[:4*n]
}

func compareOidVector(a, b Datum) int {
	x, y := OidVector(a), OidVector(b)
	if len(x) != len(y) {
		return len(x) - len(y)
	}
	for i := range x {
		if x[i] != y[i] {
			if x[i] < y[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

func pickArray(c *Call, sign int) (Datum, error) {
	r, err := compareArrays(c)
	if err != nil {
		return Null, err
	}
	if r*sign > 0 {
		return c.Args[0], nil
	}
	return c.Args[1], nil
}

// compareArrays compares by the element type found in the values, for a polymorphic argument's type says less.
func compareArrays(c *Call) (int, error) {
	a, b := ArrayElemType(c.Args[0]), ArrayElemType(c.Args[1])
	if a != b {
		return 0, pgerr.New(pgerr.DatatypeMismatch, "cannot compare arrays of different element types")
	}
	f, ok := c.Cache.(CompareFunc)
	if !ok {
		var err error
		if f, err = arrayCompareOf(c.Env, a, c.Collation); err != nil {
			return 0, err
		}
		c.Cache = f
	}
	return f(c.Args[0], c.Args[1]), nil
}

func arrayCompare(env *Env, typ, collation OID) (CompareFunc, error) {
	info, err := env.TypeByOID(typ)
	if err != nil {
		return nil, err
	}
	for info.Kind == 'd' {
		if info, err = env.TypeByOID(info.BaseType); err != nil {
			return nil, err
		}
	}
	return arrayCompareOf(env, info.Elem, collation)
}

func arrayCompareOf(env *Env, elemType, collation OID) (CompareFunc, error) {
	elem, err := env.TypeByOID(elemType)
	if err != nil {
		return nil, err
	}
	cmp, err := CompareFor(env, elemType, collation)
	if err != nil {
		return nil, err
	}
	return func(a, b Datum) int {
		x, errX := OpenArray(elem, a)
		y, errY := OpenArray(elem, b)
		if errX != nil || errY != nil {
			return compareBytes(a, b)
		}
		return compareOpened(x, y, cmp)
	}, nil
}

func compareOpened(x, y *Array, cmp CompareFunc) int {
	for i := 0; i < len(x.Elems) && i < len(y.Elems); i++ {
		v, w := x.Elems[i], y.Elems[i]
		if v.IsNull() || w.IsNull() {
			if v.IsNull() != w.IsNull() {
				if v.IsNull() {
					return 1
				}
				return -1
			}
			continue
		}
		if c := cmp(v, w); c != 0 {
			return c
		}
	}
	if c := len(x.Elems) - len(y.Elems); c != 0 {
		return c
	}
	if c := len(x.Dims) - len(y.Dims); c != 0 {
		return c
	}
	for i := range x.Dims {
		if c := int(x.Dims[i]) - int(y.Dims[i]); c != 0 {
			return c
		}
	}
	for i := range x.Lower {
		if c := int(x.Lower[i]) - int(y.Lower[i]); c != 0 {
			return c
		}
	}
	return 0
}

func hashArray(env *Env, typ, collation OID) (HashFunc, HashExtFunc, error) {
	info, err := env.TypeByOID(typ)
	if err != nil {
		return nil, nil, err
	}
	elem, err := env.TypeByOID(info.Elem)
	if err != nil {
		return nil, nil, err
	}
	h, x, err := HashFor(env, elem.OID, collation)
	if err != nil {
		return nil, nil, err
	}
	hash := func(d Datum) uint32 {
		r := uint32(1)
		values, _ := ArrayElements(elem, d, nil)
		for _, v := range values {
			e := uint32(0)
			if !v.IsNull() {
				e = h(v)
			}
			r = r<<5 - r + e
		}
		return r
	}
	hashExt := func(d Datum, seed uint64) uint64 {
		r := uint64(1)
		values, _ := ArrayElements(elem, d, nil)
		for _, v := range values {
			e := uint64(0)
			if !v.IsNull() {
				e = x(v, seed)
			}
			r = r<<5 - r + e
		}
		return r
	}
	return hash, hashExt, nil
}
