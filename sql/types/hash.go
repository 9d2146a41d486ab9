package types

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The hash functions are Bob Jenkins' lookup3 as PostgreSQL uses it (common/hashfn.c), so that hash values, and with them hash
// partitions, are the same.

const hashInit = 0x9e3779b9 + 3923095

func hashMix(a, b, c uint32) (uint32, uint32, uint32) {
	a -= c
	a ^= bits.RotateLeft32(c, 4)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 6)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 8)
	b += a
	a -= c
	a ^= bits.RotateLeft32(c, 16)
	c += b
	b -= a
	b ^= bits.RotateLeft32(a, 19)
	a += c
	c -= b
	c ^= bits.RotateLeft32(b, 4)
	b += a
	return a, b, c
}

func hashFinal(a, b, c uint32) (uint32, uint32) {
	c ^= b
	c -= bits.RotateLeft32(b, 14)
	a ^= c
	a -= bits.RotateLeft32(c, 11)
	b ^= a
	b -= bits.RotateLeft32(a, 25)
	c ^= b
	c -= bits.RotateLeft32(b, 16)
	a ^= c
	a -= bits.RotateLeft32(c, 4)
	b ^= a
	b -= bits.RotateLeft32(a, 14)
	c ^= b
	c -= bits.RotateLeft32(b, 24)
	return b, c
}

func hashWords(k []byte, seed uint64) (uint32, uint32) {
	a := uint32(hashInit) + uint32(len(k))
	b, c := a, a
	if seed != 0 {
		a += uint32(seed >> 32)
		b += uint32(seed)
		a, b, c = hashMix(a, b, c)
	}
	for len(k) >= 12 {
		a += binary.LittleEndian.Uint32(k)
		b += binary.LittleEndian.Uint32(k[4:])
		c += binary.LittleEndian.Uint32(k[8:])
		a, b, c = hashMix(a, b, c)
		k = k[12:]
	}
	for i, x := range k {
		switch v := uint32(x); {
		case i < 4:
			a += v << (8 * i)
		case i < 8:
			b += v << (8 * (i - 4))
		default: // the lowest byte of c is the length's
			c += v << (8 * (i - 7))
		}
	}
	return hashFinal(a, b, c)
}

// HashBytes is hash_any.
func HashBytes(k []byte) uint32 { _, c := hashWords(k, 0); return c }

// HashBytesExt is hash_any_extended.
func HashBytesExt(k []byte, seed uint64) uint64 {
	b, c := hashWords(k, seed)
	return uint64(b)<<32 | uint64(c)
}

// HashUint32 is hash_uint32.
func HashUint32(k uint32) uint32 {
	a := uint32(hashInit) + 4
	_, c := hashFinal(a+k, a, a)
	return c
}

// HashUint32Ext is hash_uint32_extended.
func HashUint32Ext(k uint32, seed uint64) uint64 {
	a := uint32(hashInit) + 4
	b, c := a, a
	if seed != 0 {
		a += uint32(seed >> 32)
		b += uint32(seed)
		a, b, c = hashMix(a, b, c)
	}
	b, c = hashFinal(a+k, b, c)
	return uint64(b)<<32 | uint64(c)
}

// HashCombine is hash_combine, HashCombine64 its 64-bit form.
func HashCombine(a, b uint32) uint32 { return a ^ (b + 0x9e3779b9 + (a << 6) + (a >> 2)) }

func HashCombine64(a, b uint64) uint64 {
	return a ^ (b + 0x49a0f4dd15e5a8e3 + (a << 54) + (a >> 7))
}

// foldInt8 makes the 32 bits that all integer widths share.
func foldInt8(v int64) uint32 {
	lo, hi := uint32(v), uint32(v>>32)
	if v < 0 {
		hi = ^hi
	}
	return lo ^ hi
}

func hashFloat(v float64) uint32 {
	if v == 0 {
		return 0
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], floatHashBits(v))
	return HashBytes(b[:])
}

func hashFloatExt(v float64, seed uint64) uint64 {
	if v == 0 {
		return seed
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], floatHashBits(v))
	return HashBytesExt(b[:], seed)
}

func floatHashBits(v float64) uint64 {
	if math.IsNaN(v) {
		return 0x7ff8000000000000
	}
	return math.Float64bits(v)
}

func hashDatumBytes(d Datum) uint32                 { return HashBytes(d.Bytes()) }
func hashDatumBytesExt(d Datum, seed uint64) uint64 { return HashBytesExt(d.Bytes(), seed) }
func hashDatum32(d Datum) uint32                    { return HashUint32(uint32(d.n)) }
func hashDatum32Ext(d Datum, seed uint64) uint64    { return HashUint32Ext(uint32(d.n), seed) }
func hashDatum64(d Datum) uint32                    { return HashUint32(foldInt8(int64(d.n))) }
func hashDatum64Ext(d Datum, seed uint64) uint64    { return HashUint32Ext(foldInt8(int64(d.n)), seed) }

func init() {
	for _, n := range []string{"hashint2", "hashint4", "hashoid", "hashenum"} {
		registerHash(n, hashDatum32, n+"extended", hashDatum32Ext)
	}
	signed := func(d Datum) uint32 { return uint32(int32(int8(d.n))) }
	registerHash("hashchar", func(d Datum) uint32 { return HashUint32(signed(d)) },
		"hashcharextended", func(d Datum, seed uint64) uint64 { return HashUint32Ext(signed(d), seed) })
	registerHash("hashint8", hashDatum64, "hashint8extended", hashDatum64Ext)
	registerHash("time_hash", hashDatum64, "time_hash_extended", hashDatum64Ext)
	registerHash("timestamp_hash", hashDatum64, "timestamp_hash_extended", hashDatum64Ext)
	registerHash("pg_lsn_hash", hashDatum64, "pg_lsn_hash_extended", hashDatum64Ext)
	for _, n := range []string{"hashname", "hashtext", "hashvarlena"} {
		registerHash(n, hashDatumBytes, n+"extended", hashDatumBytesExt)
	}
	registerHash("uuid_hash", hashDatumBytes, "uuid_hash_extended", hashDatumBytesExt)
	registerHash("hashmacaddr", hashDatumBytes, "hashmacaddrextended", hashDatumBytesExt)
	registerHash("hashmacaddr8", hashDatumBytes, "hashmacaddr8extended", hashDatumBytesExt)
	registerHash("hashbpchar", func(d Datum) uint32 { return HashBytes(bpcharTrim(d.Bytes())) },
		"hashbpcharextended", func(d Datum, seed uint64) uint64 { return HashBytesExt(bpcharTrim(d.Bytes()), seed) })
	registerHash("hashfloat4", func(d Datum) uint32 { return hashFloat(float64(d.Float4())) },
		"hashfloat4extended", func(d Datum, seed uint64) uint64 { return hashFloatExt(float64(d.Float4()), seed) })
	registerHash("hashfloat8", func(d Datum) uint32 { return hashFloat(d.Float8()) },
		"hashfloat8extended", func(d Datum, seed uint64) uint64 { return hashFloatExt(d.Float8(), seed) })
	registerHash("hashtid", func(d Datum) uint32 { b := tidBytes(d); return HashBytes(b[:]) },
		"hashtidextended", func(d Datum, seed uint64) uint64 { b := tidBytes(d); return HashBytesExt(b[:], seed) })
}
