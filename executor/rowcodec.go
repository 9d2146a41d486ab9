package executor

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Rows that a node holds or spills are kept as bytes without pointers, so that the garbage collector does not walk them: a datum is a tag,
// then 8 bytes of a by-value datum, or length and bytes.
const (
	tagNull byte = iota
	tagValue
	tagBytes
)

// appendRow appends the encoding of row.
func appendRow(dst []byte, row types.Row) []byte {
	for _, d := range row {
		dst = appendDatum(dst, d)
	}
	return dst
}

func appendDatum(dst []byte, d types.Datum) []byte {
	switch {
	case d.IsNull():
		return append(dst, tagNull)
	case d.IsByRef():
		b := d.Bytes()
		dst = append(dst, tagBytes)
		dst = binary.AppendUvarint(dst, uint64(len(b)))
		return append(dst, b...)
	}
	dst = append(dst, tagValue)
	return binary.LittleEndian.AppendUint64(dst, d.Raw())
}

// decodeRow fills into from an encoding; by-reference datums point into b. It returns the bytes that follow.
func decodeRow(b []byte, into types.Row) ([]byte, error) {
	for i := range into {
		if len(b) == 0 {
			return nil, errShortRow()
		}
		tag := b[0]
		b = b[1:]
		switch tag {
		case tagNull:
			into[i] = types.Null
		case tagValue:
			if len(b) < 8 {
				return nil, errShortRow()
			}
			into[i] = types.FromRaw(binary.LittleEndian.Uint64(b))
			b = b[8:]
		case tagBytes:
			n, w := binary.Uvarint(b)
			if w <= 0 || uint64(len(b)-w) < n {
				return nil, errShortRow()
			}
			into[i] = types.Bytes(b[w : w+int(n) : w+int(n)])
			b = b[w+int(n):]
		default:
			return nil, errShortRow()
		}
	}
	return b, nil
}

func errShortRow() error {
	return pgerr.New(pgerr.DataCorrupted, "could not read a row of a temporary file")
}
