package funcs

import (
	"math"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("byteaoverlay", func(c *types.Call) (types.Datum, error) {
		return byteaOverlay(c, int64(c.Args[3].Int4()))
	})
	types.RegisterFunc("byteaoverlay_no_len", func(c *types.Call) (types.Datum, error) {
		return byteaOverlay(c, int64(len(c.Args[1].Bytes())))
	})
}

// byteaOverlay replaces length bytes from start on by the second argument.
func byteaOverlay(c *types.Call, length int64) (types.Datum, error) {
	b, with, start := c.Args[0].Bytes(), c.Args[1].Bytes(), int64(c.Args[2].Int4())
	if start <= 0 {
		return types.Null, pgerr.New(pgerr.SubstringError, "negative substring length not allowed")
	}
	after := start + length
	if after > math.MaxInt32 || after < math.MinInt32 {
		return types.Null, pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
	}
	n := int64(len(b))
	out := append([]byte(nil), b[:min(start-1, n)]...)
	out = append(out, with...)
	return types.Bytes(append(out, b[min(max(after-1, 0), n):]...)), nil
}
