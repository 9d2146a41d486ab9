package funcs

import (
	"math/big"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// pg_size_pretty and pg_size_bytes.

// sizeUnit: sizes below limit are printed in it; round halves away from zero, for the size is kept in half units.
type sizeUnit struct {
	name  string
	limit int64
	round bool
	bits  uint
}

var sizeUnits = []sizeUnit{{"bytes", 10 * 1024, false, 0}, {"kB", 20*1024 - 1, true, 10}, {"MB", 20*1024 - 1, true, 20}, {"GB", 20*1024 - 1, true, 30},
	{"TB", 20*1024 - 1, true, 40}, {"PB", 20*1024 - 1, true, 50}}

func init() {
	types.RegisterFunc("pg_size_pretty", func(c *types.Call) (types.Datum, error) {
		return types.Text(sizePretty(big.NewInt(c.Args[0].Int8()), "")), nil
	})
	types.RegisterFunc("pg_size_pretty_numeric", func(c *types.Call) (types.Datum, error) {
		n := c.Args[0].Numeric()
		if n.IsNaN() || n.IsInf() {
			return types.Text(n.String() + " bytes"), nil
		}
		v, scale := n.Unscaled()
		whole := new(big.Int).Quo(v, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
		return types.Text(sizePretty(whole, n.String())), nil
	})
	types.RegisterFunc("pg_size_bytes", sizeBytes)
}

// sizePretty prints a size; exact is how a size in bytes is printed when it is not whole.
func sizePretty(size *big.Int, exact string) string {
	for i, u := range sizeUnits {
		last := i == len(sizeUnits)-1
		if last || new(big.Int).Abs(size).Cmp(big.NewInt(u.limit)) < 0 {
			if i == 0 && exact != "" {
				return exact + " bytes"
			}
			if u.round {
				size = halfRounded(size)
			}
			return size.String() + " " + u.name
		}
		shift := sizeUnits[i+1].bits - u.bits - 1
		if u.round {
			shift++
		}
		size = new(big.Int).Quo(size, new(big.Int).Lsh(big.NewInt(1), shift))
	}
	return ""
}

func halfRounded(v *big.Int) *big.Int {
	one := int64(1)
	if v.Sign() < 0 {
		one = -1
	}
	v = new(big.Int).Add(v, big.NewInt(one))
	return v.Quo(v, big.NewInt(2))
}

// sizeNumber gives the length of the number that s begins with, after spaces.
func sizeNumber(s string) int {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := 0
	run := func() {
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			digits++
		}
	}
	run()
	if i < len(s) && s[i] == '.' {
		i++
		run()
	}
	if digits == 0 {
		return 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		if _, n, _ := leadingNumber(s[i+1:]); n > 0 {
			i += 1 + n
		}
	}
	return i
}

func sizeBytes(c *types.Call) (types.Datum, error) {
	orig := c.Args[0].Str()
	s := strings.TrimLeft(orig, " \t\n\v\f\r")
	bad := func() *pgerr.Error { return pgerr.New(pgerr.InvalidParameterValue, "invalid size: \"%s\"", orig) }
	n := sizeNumber(s)
	if n == 0 {
		return types.Null, bad()
	}
	num, err := types.ParseNumeric(s[:n])
	if err != nil {
		return types.Null, err
	}
	unit := strings.Trim(s[n:], " \t\n\v\f\r")
	bits, known := uint(0), unit == ""
	for _, u := range sizeUnits {
		if strings.EqualFold(u.name, unit) {
			bits, known = u.bits, true
		}
	}
	if !known {
		return types.Null, bad().WithDetail("Invalid size unit: \"%s\".", unit).
			WithHint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
	}
	v, scale := num.Unscaled()
	d, err := types.NumericFromBig(v.Lsh(v, bits), scale).Datum(nil)
	if err != nil {
		return types.Null, err
	}
	return types.CallFunc(c.Env, "numeric_int8", d)
}
