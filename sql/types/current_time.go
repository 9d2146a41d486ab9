package types

import (
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

const (
	usecPerSec  = int64(1000000)
	usecPerDay  = 86400 * usecPerSec
	pgEpochUnix = int64(946684800) // 2000-01-01 as Unix seconds
)

// CurrentTime gives CURRENT_DATE, CURRENT_TIME, CURRENT_TIMESTAMP, LOCALTIME and LOCALTIMESTAMP, told apart by their result types; typmod is the
// number of digits of seconds, -1 = all.
func CurrentTime(env *Env, typ OID, typmod int32) (Datum, error) {
	if env == nil || env.Clock == nil {
		return Null, pgerr.Internal("no clock")
	}
	now := env.Clock.TransactionStart()
	zone := env.settings().TimeZone.Location()
	t := time.Unix(pgEpochUnix+floorDiv(now, usecPerSec), 0).In(zone)
	_, offset := t.Zone()
	local := now + int64(offset)*usecPerSec
	switch typ {
	case DateOID:
		return Int4(int32(floorDiv(local, usecPerDay))), nil
	case TimestamptzOID:
		return Int8(roundUsec(now, typmod)), nil
	case TimestampOID:
		return Int8(roundUsec(local, typmod)), nil
	case TimeOID:
		return Int8(roundUsec(local-floorDiv(local, usecPerDay)*usecPerDay, typmod)), nil
	case TimetzOID:
		b := make([]byte, 12)
		putInt64(b, roundUsec(local-floorDiv(local, usecPerDay)*usecPerDay, typmod))
		putInt32(b[8:], int32(-offset))
		return Bytes(b), nil
	}
	return Null, pgerr.Internal("no current time of type %d", typ)
}

// roundUsec rounds microseconds to a number of digits of seconds, halves away from zero.
func roundUsec(v int64, digits int32) int64 {
	if digits < 0 || digits >= 6 {
		return v
	}
	unit := int64(1)
	for i := digits; i < 6; i++ {
		unit *= 10
	}
	if v < 0 {
		return -((-v + unit/2) / unit * unit)
	}
	return (v + unit/2) / unit * unit
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func putInt64(b []byte, v int64) {
	for i := 0; i < 8; i++ {
		b[i] = byte(v >> (8 * i))
	}
}

func putInt32(b []byte, v int32) {
	for i := 0; i < 4; i++ {
		b[i] = byte(v >> (8 * i))
	}
}
