package types

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// pg_snapshot (txid_snapshot is its older name): uint32 number of transactions in progress, then as uint64 xmin, xmax and these transactions in
// order.

func init() {
	registerIO("pg_snapshot_in", snapshotIn, "pg_snapshot_out", snapshotOut, "pg_snapshot_recv", snapshotRecv, "pg_snapshot_send", snapshotSend)
	RegisterFunc("pg_snapshot_xmin", func(c *Call) (Datum, error) { return FromRaw(openSnapshot(c.Args[0]).Xmin), nil })
	RegisterFunc("pg_snapshot_xmax", func(c *Call) (Datum, error) { return FromRaw(openSnapshot(c.Args[0]).Xmax), nil })
	RegisterFunc("pg_visible_in_snapshot", func(c *Call) (Datum, error) {
		s, x := openSnapshot(c.Args[1]), c.Args[0].n
		_, running := slices.BinarySearch(s.Xip, x)
		return Bool(x < s.Xmin || x < s.Xmax && !running), nil
	})
	RegisterSRF("pg_snapshot_xip", func(c *Call) (Iterator, error) { return &xipIterator{openSnapshot(c.Args[0]).Xip}, nil })
}

type xipIterator struct{ left []uint64 }

func (x *xipIterator) Next(row []Datum) (bool, error) {
	if len(x.left) == 0 {
		return false, nil
	}
	row[0], x.left = FromRaw(x.left[0]), x.left[1:]
	return true, nil
}

// SnapshotValue is a pg_snapshot taken apart; Xip is in order without repetition.
type SnapshotValue struct {
	Xmin, Xmax uint64
	Xip        []uint64
}

// Datum lays a snapshot out.
func (s SnapshotValue) Datum() Datum {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(s.Xip)))
	for _, v := range append([]uint64{s.Xmin, s.Xmax}, s.Xip...) {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return Bytes(b)
}

func openSnapshot(d Datum) SnapshotValue {
	b := d.Bytes()
	s := SnapshotValue{Xip: make([]uint64, binary.LittleEndian.Uint32(b))}
	b = b[4:]
	s.Xmin, s.Xmax = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	for i := range s.Xip {
		s.Xip[i] = binary.LittleEndian.Uint64(b[16+8*i:])
	}
	return s
}

// leadingXid reads digits; ok is false when there are none, or too many.
func leadingXid(s string) (v uint64, rest string, ok bool) {
	n := skipDigits(s, 0)
	i, err := strconv.ParseInt(s[:n], 10, 64) // the sign bit is out of range
	return uint64(i), s[n:], err == nil
}

func snapshotIn(_ *Env, _ *IO, orig string, _ int32) (Datum, error) {
	bad := badSyntax("pg_snapshot", orig)
	var s SnapshotValue
	var ok bool
	rest := orig
	for _, into := range []*uint64{&s.Xmin, &s.Xmax} {
		if *into, rest, ok = leadingXid(rest); !ok || !strings.HasPrefix(rest, ":") {
			return Null, bad
		}
		rest = rest[1:]
	}
	if s.Xmin == 0 || s.Xmax == 0 || s.Xmax < s.Xmin {
		return Null, bad
	}
	last := uint64(0)
	for rest != "" {
		v, after, ok := leadingXid(rest)
		if !ok || v < s.Xmin || v >= s.Xmax || v < last {
			return Null, bad
		}
		if v != last {
			s.Xip = append(s.Xip, v)
		}
		last = v
		if rest = after; strings.HasPrefix(rest, ",") {
			rest = rest[1:]
		} else if rest != "" {
			return Null, bad
		}
	}
	return s.Datum(), nil
}

func snapshotOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	s := openSnapshot(d)
	dst = append(strconv.AppendUint(dst, s.Xmin, 10), ':')
	dst = append(strconv.AppendUint(dst, s.Xmax, 10), ':')
	for i, x := range s.Xip {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, x, 10)
	}
	return dst, nil
}

func snapshotRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	bad := pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid external pg_snapshot data")
	r := reader{b: b}
	n := int32(r.uint32())
	s := SnapshotValue{Xmin: r.uint64(), Xmax: r.uint64()}
	if r.short || n < 0 || int(n) > len(r.b)/8 || s.Xmin == 0 || s.Xmax == 0 || s.Xmin > s.Xmax {
		return Null, bad
	}
	last := uint64(0)
	for range n {
		v := r.uint64()
		if v < last || v < s.Xmin || v > s.Xmax {
			return Null, bad
		}
		if v != last {
			s.Xip = append(s.Xip, v)
		}
		last = v
	}
	return s.Datum(), nil
}

func snapshotSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	s := openSnapshot(d)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(s.Xip)))
	for _, v := range append([]uint64{s.Xmin, s.Xmax}, s.Xip...) {
		dst = binary.BigEndian.AppendUint64(dst, v)
	}
	return dst, nil
}
