package types

// Hashing of records: the columns' hashes, combined as those of an array's elements are.

func init() {
	hashTable["hash_record"] = recordHash
	hashTable["hash_record_extended"] = recordHash
	RegisterFunc("hash_record", func(c *Call) (Datum, error) {
		v, err := hashRecord(c.Env, c.Args[0])
		return Int4(int32(v)), err
	})
	RegisterFunc("hash_record_extended", func(c *Call) (Datum, error) {
		v, err := hashRecordExt(c.Env, c.Args[0], uint64(c.Args[1].Int8()))
		return Int8(int64(v)), extendedHashError(err)
	})
}

// recordHash is for callers that know that the columns' types hash; a column that does not counts as null.
func recordHash(env *Env, _, _ OID) (HashFunc, HashExtFunc, error) {
	return func(d Datum) uint32 { v, _ := hashRecord(env, d); return v },
		func(d Datum, seed uint64) uint64 { v, _ := hashRecordExt(env, d, seed); return v }, nil
}

func hashRecord(env *Env, d Datum) (uint32, error) {
	v := uint32(0)
	err := eachColumnHash(env, d, func(h HashFunc, _ HashExtFunc, col Datum) {
		v = v<<5 - v
		if h != nil {
			v += h(col)
		}
	})
	return v, err
}

func hashRecordExt(env *Env, d Datum, seed uint64) (uint64, error) {
	v := uint64(0)
	err := eachColumnHash(env, d, func(_ HashFunc, x HashExtFunc, col Datum) {
		v = v<<5 - v
		if x != nil {
			v += x(col, seed)
		}
	})
	return v, err
}

// eachColumnHash calls fn for each column with its hash functions, which are nil for a null.
func eachColumnHash(env *Env, d Datum, fn func(h HashFunc, x HashExtFunc, col Datum)) error {
	desc, row, err := RecordFields(env, d, nil)
	if err != nil {
		return err
	}
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		h, x, err := HashFor(env, a.TypeOID, a.Collation)
		if err != nil {
			return err
		}
		if row[i].IsNull() {
			h, x = nil, nil
		}
		fn(h, x, row[i])
	}
	return nil
}
