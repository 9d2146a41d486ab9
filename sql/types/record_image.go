package types

import (
	"bytes"

	"github.com/calfdb/calf/sql/pgerr"
)

// The *= family compares records by their stored bytes, without regard to the types' own order.

func init() {
	registerCompareImages := func(name string, test func(int) bool) {
		RegisterFunc("record_image_"+name, func(c *Call) (Datum, error) {
			v, err := compareRecordImages(c)
			return Bool(err == nil && test(v)), err
		})
	}
	registerCompareImages("eq", func(v int) bool { return v == 0 })
	registerCompareImages("ne", func(v int) bool { return v != 0 })
	registerCompareImages("lt", func(v int) bool { return v < 0 })
	registerCompareImages("le", func(v int) bool { return v <= 0 })
	registerCompareImages("gt", func(v int) bool { return v > 0 })
	registerCompareImages("ge", func(v int) bool { return v >= 0 })
	RegisterFunc("btrecordimagecmp", func(c *Call) (Datum, error) { v, err := compareRecordImages(c); return Int4(int32(v)), err })
}

func compareRecordImages(c *Call) (int, error) {
	ad, a, err := RecordFields(c.Env, c.Args[0], nil)
	if err != nil {
		return 0, err
	}
	bd, b, err := RecordFields(c.Env, c.Args[1], nil)
	if err != nil {
		return 0, err
	}
	i, j := 0, 0
	for col := 1; ; col++ {
		for i < len(a) && ad.Attrs[i].Dropped {
			i++
		}
		for j < len(b) && bd.Attrs[j].Dropped {
			j++
		}
		if i >= len(a) || j >= len(b) {
			break
		}
		at, bt := &ad.Attrs[i], &bd.Attrs[j]
		if at.TypeOID != bt.TypeOID {
			return 0, pgerr.New(pgerr.DatatypeMismatch, "cannot compare dissimilar column types %s and %s at record column %d",
				FormatType(c.Env, at.TypeOID), FormatType(c.Env, bt.TypeOID), col)
		}
		if v := compareImages(a[i], b[j]); v != 0 {
			return v, nil
		}
		i, j = i+1, j+1
	}
	if i < len(a) || j < len(b) {
		return 0, pgerr.New(pgerr.DatatypeMismatch, "cannot compare record types with different numbers of columns")
	}
	return 0, nil
}

// compareImages puts nulls last.
func compareImages(a, b Datum) int {
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return 1
	case b.IsNull():
		return -1
	case !a.IsByRef() && !b.IsByRef():
		return compareUnsigned(a, b)
	}
	return bytes.Compare(a.Bytes(), b.Bytes())
}
