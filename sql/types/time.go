package types

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
)

// time is microseconds since midnight, up to and including 24:00; timetz adds the zone, and orders by the moment, then the zone.

func init() {
	registerIO("time_in", timeIn, "time_out", timeOut, "time_recv", timeRecv, "time_send", int8Send)
	registerIO("timetz_in", timetzIn, "timetz_out", timetzOut, "timetz_recv", timetzRecv, "timetz_send", timetzSend)
	timeTypMods("time", "TIME", " without time zone")
	timeTypMods("timetz", "TIME", " with time zone")
	registerSigned(six("time_"))
	registerCompare("time_cmp", compareSigned)
	registerLarger("time_larger", "time_smaller", compareSigned)
	registerOrder("timetz_", compareTimeTZ)
	registerCompare("timetz_cmp", compareTimeTZ)
	registerLarger("timetz_larger", "timetz_smaller", compareTimeTZ)
	registerHash("timetz_hash", func(d Datum) uint32 {
		t, z := d.TimeTZ()
		return HashUint32(foldInt8(t)) ^ HashUint32(uint32(z))
	}, "timetz_hash_extended", func(d Datum, seed uint64) uint64 {
		t, z := d.TimeTZ()
		return HashUint32Ext(foldInt8(t), seed) ^ HashUint32Ext(uint32(z), seed)
	})
	RegisterFunc("time_scale", func(c *Call) (Datum, error) { return Int8(roundUsec(c.Args[0].Int8(), c.Args[1].Int4())), nil })
	RegisterFunc("timetz_scale", func(c *Call) (Datum, error) {
		t, z := c.Args[0].TimeTZ()
		return MakeTimeTZ(c.Arena, roundUsec(t, c.Args[1].Int4()), z), nil
	})
	RegisterFunc("timetz_time", func(c *Call) (Datum, error) { t, _ := c.Args[0].TimeTZ(); return Int8(t), nil })
	RegisterFunc("time_timetz", func(c *Call) (Datum, error) {
		z := c.Env.settings().TimeZone
		d := &dateDecoder{env: c.Env}
		now := d.now(z)
		dt := now
		dt.setTime(c.Args[0].Int8())
		local, _ := dt.timestamp()
		return MakeTimeTZ(c.Arena, c.Args[0].Int8(), int32((LocalToUTC(z, local)-local)/usecPerSec)), nil
	})
	RegisterFunc("time_mi_time", func(c *Call) (Datum, error) {
		return Interval{Usec: c.Args[0].Int8() - c.Args[1].Int8()}.Datum(c.Arena), nil
	})
	RegisterFunc("time_interval", func(c *Call) (Datum, error) { return Interval{Usec: c.Args[0].Int8()}.Datum(c.Arena), nil })
	RegisterFunc("interval_time", func(c *Call) (Datum, error) {
		t := c.Args[0].Interval().Usec
		return Int8(t - floorDiv(t, usecPerDay)*usecPerDay), nil
	})
	shift := func(t, by int64) int64 { t += by; return t - floorDiv(t, usecPerDay)*usecPerDay }
	RegisterFunc("time_pl_interval", func(c *Call) (Datum, error) { return Int8(shift(c.Args[0].Int8(), c.Args[1].Interval().Usec)), nil })
	RegisterFunc("time_mi_interval", func(c *Call) (Datum, error) { return Int8(shift(c.Args[0].Int8(), -c.Args[1].Interval().Usec)), nil })
	RegisterFunc("timetz_pl_interval", func(c *Call) (Datum, error) {
		t, z := c.Args[0].TimeTZ()
		return MakeTimeTZ(c.Arena, shift(t, c.Args[1].Interval().Usec), z), nil
	})
	RegisterFunc("timetz_mi_interval", func(c *Call) (Datum, error) {
		t, z := c.Args[0].TimeTZ()
		return MakeTimeTZ(c.Arena, shift(t, -c.Args[1].Interval().Usec), z), nil
	})
	RegisterFunc("datetime_timestamp", func(c *Call) (Datum, error) {
		t, err := DateToTimestamp(c.Args[0].Int4())
		if err == nil && !isInfinite(t) {
			if t += c.Args[1].Int8(); !tsIsValid(t) {
				err = errTimestampRange()
			}
		}
		return Int8(t), err
	})
	RegisterFunc("datetimetz_timestamptz", func(c *Call) (Datum, error) {
		t, err := DateToTimestamp(c.Args[0].Int4())
		if err != nil {
			return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range for timestamp")
		}
		if !isInfinite(t) {
			usec, west := c.Args[1].TimeTZ()
			if t += usec + int64(west)*usecPerSec; !tsIsValid(t) {
				return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range for timestamp")
			}
		}
		return Int8(t), nil
	})
}

func compareTimeTZ(a, b Datum) int {
	at, az := a.TimeTZ()
	bt, bz := b.TimeTZ()
	if c := compareSigned(Int8(at+int64(az)*usecPerSec), Int8(bt+int64(bz)*usecPerSec)); c != 0 {
		return c
	}
	return compareSigned(Int4(az), Int4(bz))
}

func timeIn(env *Env, _ *IO, s string, typmod int32) (Datum, error) {
	d, err := decodeDateTime(env, s, "time", true)
	if err != nil {
		return Null, err
	}
	return Int8(roundUsec(d.dt.timeUsec(), typmod)), nil
}

func timeOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	var dt DateTime
	dt.setTime(d.Int8())
	return appendClock(dst, &dt), nil
}

func timeRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := wantLen(b, 8); err != nil {
		return Null, err
	}
	t := int64(binary.BigEndian.Uint64(b))
	if t < 0 || t > usecPerDay {
		return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "time out of range")
	}
	return Int8(roundUsec(t, typmod)), nil
}

func timetzIn(env *Env, _ *IO, s string, typmod int32) (Datum, error) {
	d, err := decodeDateTime(env, s, "time with time zone", true)
	if err != nil {
		return Null, err
	}
	return MakeTimeTZ(nil, roundUsec(d.dt.timeUsec(), typmod), int32(d.dt.West)), nil
}

func timetzOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t, west := d.TimeTZ()
	var dt DateTime
	dt.setTime(t)
	return appendZone(appendClock(dst, &dt), int(west), false), nil
}

func timetzRecv(_ *Env, _ *IO, b []byte, typmod int32) (Datum, error) {
	if err := wantLen(b, 12); err != nil {
		return Null, err
	}
	t, west := int64(binary.BigEndian.Uint64(b)), int32(binary.BigEndian.Uint32(b[8:]))
	if t < 0 || t > usecPerDay {
		return Null, pgerr.New(pgerr.DatetimeValueOutOfRange, "time out of range")
	}
	if west <= -16*3600 || west >= 16*3600 {
		return Null, pgerr.New(pgerr.InvalidTimeZoneDisplacementValue, "time zone displacement out of range")
	}
	return MakeTimeTZ(nil, roundUsec(t, typmod), west), nil
}

func timetzSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	t, west := d.TimeTZ()
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, uint64(t)), uint32(west)), nil
}
