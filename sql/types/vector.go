package types

import "encoding/binary"

// oidvector and int2vector, the vectors of system catalogs: arrays of one dimension with lower bound 0, which they keep when empty.

// MakeOidVector makes an oidvector.
func MakeOidVector(oids []OID) Datum {
	b := vectorHead(OidOID, len(oids), 4)
	for _, o := range oids {
		b = binary.LittleEndian.AppendUint32(b, uint32(o))
	}
	return Bytes(b)
}

// MakeInt2Vector makes an int2vector.
func MakeInt2Vector(nums []int16) Datum {
	b := vectorHead(Int2OID, len(nums), 2)
	for _, n := range nums {
		b = binary.LittleEndian.AppendUint16(b, uint16(n))
	}
	return Bytes(b)
}

func vectorHead(elem OID, n, size int) []byte {
	b := make([]byte, arrayHeader+8, arrayHeader+8+n*size)
	binary.LittleEndian.PutUint32(b, 1)
	binary.LittleEndian.PutUint32(b[8:], uint32(elem))
	binary.LittleEndian.PutUint32(b[arrayHeader:], uint32(n))
	return b
}

// OidVector reads an oidvector or oid[].
func OidVector(d Datum) []OID {
	_, n, _, data := arrayHead(d.Bytes())
	oids := make([]OID, n)
	for i := range oids {
		oids[i] = OID(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return oids
}

// Int2Vector reads an int2vector or int2[].
func Int2Vector(d Datum) []int16 {
	_, n, _, data := arrayHead(d.Bytes())
	nums := make([]int16, n)
	for i := range nums {
		nums[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	return nums
}
