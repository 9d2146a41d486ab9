package types

import (
	"math/big"

	"github.com/calfdb/calf/sql/pgerr"
)

// Arithmetic of pg_lsn: a place in the log is a number of bytes.

func init() {
	for _, n := range []string{"pg_lsn_mi", "pg_wal_lsn_diff"} {
		RegisterFunc(n, func(c *Call) (Datum, error) {
			diff := new(big.Int).Sub(lsnBig(c.Args[0]), lsnBig(c.Args[1]))
			return numericFromBig(diff, 0).Datum(c.Arena)
		})
	}
	RegisterFunc("numeric_pg_lsn", func(c *Call) (Datum, error) { return lsnFromNumeric(c.Args[0].Numeric()) })
	RegisterFunc("pg_lsn_pli", func(c *Call) (Datum, error) { return lsnMove(c, "cannot add NaN to pg_lsn", false) })
	RegisterFunc("pg_lsn_mii", func(c *Call) (Datum, error) { return lsnMove(c, "cannot subtract NaN from pg_lsn", true) })
}

func lsnBig(d Datum) *big.Int { return new(big.Int).SetUint64(d.n) }

func lsnFromNumeric(n Numeric) (Datum, error) {
	switch {
	case n.IsNaN():
		return Null, pgerr.New(pgerr.FeatureNotSupported, "cannot convert NaN to pg_lsn")
	case n.IsInf():
		return Null, pgerr.New(pgerr.FeatureNotSupported, "cannot convert infinity to pg_lsn")
	}
	v, _ := n.Round(0).Unscaled()
	if !v.IsUint64() {
		return Null, pgerr.New(pgerr.InvalidParameterValue, "pg_lsn out of range")
	}
	return FromRaw(v.Uint64()), nil
}

func lsnMove(c *Call, nan string, back bool) (Datum, error) {
	by := c.Args[1].Numeric()
	if by.IsNaN() {
		return Null, pgerr.New(pgerr.FeatureNotSupported, "%s", nan)
	}
	if back {
		by = negNumeric(by)
	}
	return lsnFromNumeric(addNumeric(numericFromBig(lsnBig(c.Args[0]), 0), by))
}
