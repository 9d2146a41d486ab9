package types

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// CompareFunc orders two values that are not null: negative, zero or positive.
type CompareFunc func(a, b Datum) int

// HashFunc gives PostgreSQL's 32-bit hash of a value that is not null, HashExtFunc the 64-bit one with a seed.
type (
	HashFunc    func(d Datum) uint32
	HashExtFunc func(d Datum, seed uint64) uint64
)

type compareMaker func(env *Env, typ, collation OID) (CompareFunc, error)
type hashMaker func(env *Env, typ, collation OID) (HashFunc, HashExtFunc, error)

var (
	compareTable = map[string]compareMaker{}
	hashTable    = map[string]hashMaker{}
)

// registerCompare adds a btree support function 1 by source name, as a handle and as an SQL function.
func registerCompare(prosrc string, f CompareFunc) {
	compareTable[prosrc] = func(*Env, OID, OID) (CompareFunc, error) { return f, nil }
	RegisterFunc(prosrc, func(c *Call) (Datum, error) { return Int4(int32(f(c.Args[0], c.Args[1]))), nil })
}

// registerCompareFor adds one that depends on the type or the collation.
func registerCompareFor(prosrc string, mk compareMaker) {
	compareTable[prosrc] = mk
	RegisterFunc(prosrc, func(c *Call) (Datum, error) {
		f, err := cachedCompare(c, mk)
		if err != nil {
			return Null, err
		}
		return Int4(int32(f(c.Args[0], c.Args[1]))), nil
	})
}

// cachedCompare keeps a resolved comparison in the call site.
func cachedCompare(c *Call, mk compareMaker) (CompareFunc, error) {
	if f, ok := c.Cache.(CompareFunc); ok {
		return f, nil
	}
	typ := OID(0)
	if len(c.ArgTypes) > 0 {
		typ = c.ArgTypes[0]
	}
	f, err := mk(c.Env, typ, c.Collation)
	if err == nil {
		c.Cache = f
	}
	return f, err
}

// registerHash adds a hash support function and its extended form, as handles and as SQL functions; ext may have no name.
func registerHash(prosrc string, h HashFunc, extName string, x HashExtFunc) {
	registerHashFor(prosrc, extName, func(*Env, OID, OID) (HashFunc, HashExtFunc, error) { return h, x, nil })
}

type hashPair struct {
	h HashFunc
	x HashExtFunc
}

func registerHashFor(prosrc, extName string, mk hashMaker) {
	hashTable[prosrc] = mk
	RegisterFunc(prosrc, func(c *Call) (Datum, error) {
		p, err := cachedHash(c, mk)
		if err != nil {
			return Null, err
		}
		return Int4(int32(p.h(c.Args[0]))), nil
	})
	if extName == "" {
		return
	}
	hashTable[extName] = mk
	RegisterFunc(extName, func(c *Call) (Datum, error) {
		p, err := cachedHash(c, mk)
		if err != nil {
			return Null, extendedHashError(err)
		}
		return Int8(int64(p.x(c.Args[0], uint64(c.Args[1].Int8())))), nil
	})
}

// extendedHashError names the extended function where a type has no hash function.
func extendedHashError(err error) error {
	if e, ok := err.(*pgerr.Error); ok && strings.HasPrefix(e.Message, "could not identify a hash function") {
		return pgerr.New(e.Code, "%s", strings.Replace(e.Message, "a hash", "an extended hash", 1))
	}
	return err
}

func cachedHash(c *Call, mk hashMaker) (*hashPair, error) {
	if p, ok := c.Cache.(*hashPair); ok {
		return p, nil
	}
	typ := OID(0)
	if len(c.ArgTypes) > 0 {
		typ = c.ArgTypes[0]
	}
	h, x, err := mk(c.Env, typ, c.Collation)
	if err != nil {
		return nil, err
	}
	p := &hashPair{h, x}
	c.Cache = p
	return p, nil
}

func init() {
	// Whether equal values have equal images: the only collations here are deterministic.
	RegisterFunc("btequalimage", func(*Call) (Datum, error) { return Bool(true), nil })
	RegisterFunc("btvarstrequalimage", func(c *Call) (Datum, error) {
		if c.Collation == 0 {
			return Null, pgerr.New(pgerr.IndeterminateCollation, "could not determine which collation to use for string comparison").
				WithHint("Use the COLLATE clause to set the collation explicitly.")
		}
		return Bool(true), nil
	})
}

// LookupCompare resolves a btree support function 1 by source name for an argument type and a collation. A source name that has only
// a Func (a user's) is called through it; its errors panic with *CompareError, which index code recovers.
func LookupCompare(env *Env, prosrc string, typ, collation OID) (CompareFunc, error) {
	if mk, ok := compareTable[prosrc]; ok {
		return mk(env, typ, collation)
	}
	return nil, MissingFunc(prosrc)
}

// LookupHash resolves a hash support function (1 or its extended form 2) by source name.
func LookupHash(env *Env, prosrc string, typ, collation OID) (HashFunc, HashExtFunc, error) {
	if mk, ok := hashTable[prosrc]; ok {
		return mk(env, typ, collation)
	}
	return nil, nil, MissingFunc(prosrc)
}

// defaultSupport are the default btree and hash support functions of built-in types, by OID.
type defaultSupport struct{ cmp, hash string }

// CompareFor resolves the comparison of a type's default btree operator class.
func CompareFor(env *Env, typ, collation OID) (CompareFunc, error) {
	s, err := env.defaultSupport(typ)
	if err != nil {
		return nil, err
	}
	if s.cmp == "" {
		return nil, pgerr.New(pgerr.UndefinedFunction, "could not identify a comparison function for type %s", FormatType(env, typ))
	}
	return LookupCompare(env, s.cmp, typ, collation)
}

// HashFor resolves the hashing of a type's default hash operator class.
func HashFor(env *Env, typ, collation OID) (HashFunc, HashExtFunc, error) {
	s, err := env.defaultSupport(typ)
	if err != nil {
		return nil, nil, err
	}
	if s.hash == "" {
		return nil, nil, pgerr.New(pgerr.UndefinedFunction, "could not identify a hash function for type %s", FormatType(env, typ))
	}
	return LookupHash(env, s.hash, typ, collation)
}

func (e *Env) defaultSupport(typ OID) (defaultSupport, error) {
	if s, ok := builtinSupport[typ]; ok {
		return s, nil
	}
	info, err := e.TypeByOID(typ)
	if err != nil {
		return defaultSupport{}, err
	}
	switch {
	case info.Kind == 'd':
		return e.defaultSupport(info.BaseType)
	case info.Kind == 'e':
		return defaultSupport{"enum_cmp", "hashenum"}, nil
	case info.Kind == 'c' || typ == RecordOID:
		return defaultSupport{"btrecordcmp", "hash_record"}, nil
	case info.Kind == 'r':
		return defaultSupport{"range_cmp", "hash_range"}, nil
	case info.Kind == 'm':
		return defaultSupport{"multirange_cmp", "hash_multirange"}, nil
	case info.IsTrueArray():
		return defaultSupport{"btarraycmp", "hash_array"}, nil
	case e != nil && e.Catalog != nil:
		return defaultSupport{e.Catalog.DefaultBtreeCompare(typ), e.Catalog.DefaultHash(typ)}, nil
	}
	return defaultSupport{}, nil
}
