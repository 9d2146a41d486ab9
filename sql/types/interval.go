package types

import "encoding/binary"

// Interval is a span of time: months and days are kept apart from microseconds, for their length varies.
type Interval struct {
	Usec   int64
	Days   int32
	Months int32
}

// Datum lays an interval out in the arena.
func (v Interval) Datum(a *Arena) Datum {
	b := a.Alloc(16)
	binary.LittleEndian.PutUint64(b, uint64(v.Usec))
	binary.LittleEndian.PutUint32(b[8:], uint32(v.Days))
	binary.LittleEndian.PutUint32(b[12:], uint32(v.Months))
	return Bytes(b)
}

// Interval reads a datum of type interval.
func (d Datum) Interval() Interval {
	b := d.Bytes()
	return Interval{int64(binary.LittleEndian.Uint64(b)), int32(binary.LittleEndian.Uint32(b[8:])), int32(binary.LittleEndian.Uint32(b[12:]))}
}

// MakeTimeTZ lays a time with time zone out: microseconds of the day and seconds west of Greenwich.
func MakeTimeTZ(a *Arena, usec int64, west int32) Datum {
	b := a.Alloc(12)
	binary.LittleEndian.PutUint64(b, uint64(usec))
	binary.LittleEndian.PutUint32(b[8:], uint32(west))
	return Bytes(b)
}

// TimeTZ reads a datum of type timetz.
func (d Datum) TimeTZ() (usec int64, west int32) {
	b := d.Bytes()
	return int64(binary.LittleEndian.Uint64(b)), int32(binary.LittleEndian.Uint32(b[8:]))
}
