package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// money: cents as int64. The monetary locale is C, for which PostgreSQL writes dollars: $1,234.56, -$0.10.

func init() {
	registerIO("cash_in", moneyIn, "cash_out", moneyOut, "cash_recv", int8Recv, "cash_send", int8Send)
	registerSigned(six("cash_"))
	registerCompare("cash_cmp", compareSigned)
	registerLarger("cashlarger", "cashsmaller", compareSigned)
	RegisterFunc("cash_pl", func(c *Call) (Datum, error) { return moneyRange(add8(c.Args[0].Int8(), c.Args[1].Int8())) })
	RegisterFunc("cash_mi", func(c *Call) (Datum, error) { return moneyRange(sub8(c.Args[0].Int8(), c.Args[1].Int8())) })
	RegisterFunc("cash_div_cash", func(c *Call) (Datum, error) {
		if c.Args[1].Int8() == 0 {
			return Null, copyErr(errDivByZero)
		}
		return Float8(float64(c.Args[0].Int8()) / float64(c.Args[1].Int8())), nil
	})
	for _, n := range []string{"2", "4", "8"} {
		RegisterFunc("cash_mul_int"+n, func(c *Call) (Datum, error) { return moneyRange(mul8(c.Args[0].Int8(), c.Args[1].Int8())) })
		RegisterFunc("int"+n+"_mul_cash", func(c *Call) (Datum, error) { return moneyRange(mul8(c.Args[0].Int8(), c.Args[1].Int8())) })
		RegisterFunc("cash_div_int"+n, func(c *Call) (Datum, error) {
			if c.Args[1].Int8() == 0 {
				return Null, copyErr(errDivByZero)
			}
			if c.Args[1].Int8() == -1 {
				return moneyRange(sub8(0, c.Args[0].Int8()))
			}
			return Int8(c.Args[0].Int8() / c.Args[1].Int8()), nil
		})
	}
	for suffix, get := range map[string]func(Datum) float64{"flt8": Datum.Float8, "flt4": func(d Datum) float64 { return float64(d.Float4()) }} {
		RegisterFunc("cash_mul_"+suffix, func(c *Call) (Datum, error) { return moneyTimes(c.Args[0].Int8(), get(c.Args[1])) })
		RegisterFunc(suffix+"_mul_cash", func(c *Call) (Datum, error) { return moneyTimes(c.Args[1].Int8(), get(c.Args[0])) })
		RegisterFunc("cash_div_"+suffix, func(c *Call) (Datum, error) { return moneyDivided(c.Args[0].Int8(), get(c.Args[1])) })
	}
	RegisterFunc("cash_numeric", func(c *Call) (Datum, error) {
		return NumericFromInt64(c.Args[0].Int8()).TimesPow10(-2).WithScale(2).Datum(c.Arena)
	})
	RegisterFunc("numeric_cash", func(c *Call) (Datum, error) {
		d, err := c.Args[0].Numeric().TimesPow10(2).Datum(nil)
		if err != nil {
			return Null, err
		}
		return numericToInt(&Call{Args: []Datum{d}}, "bigint", errInt8Range, 64)
	})
	for _, n := range []string{"int4_cash", "int8_cash"} {
		RegisterFunc(n, func(c *Call) (Datum, error) { return mul8(c.Args[0].Int8(), 100) })
	}
	RegisterFunc("cash_words", func(c *Call) (Datum, error) { return Text(moneyWords(c.Args[0].Int8())), nil })
}

func errMoneyRange() error { return pgerr.New(pgerr.NumericValueOutOfRange, "money out of range") }

func moneyRange(d Datum, err error) (Datum, error) {
	if err != nil {
		return Null, errMoneyRange()
	}
	return d, nil
}

func moneyOfFloat(v float64) (Datum, error) {
	if v = math.RoundToEven(v); math.IsNaN(v) || v < math.MinInt64 || v >= -math.MinInt64 {
		return Null, errMoneyRange()
	}
	return Int8(int64(v)), nil
}

func moneyTimes(cents int64, f float64) (Datum, error) {
	r := float64(cents) * f
	if math.IsInf(r, 0) && !math.IsInf(f, 0) {
		return Null, FloatOverflow()
	}
	if r == 0 && cents != 0 && f != 0 {
		return Null, FloatUnderflow()
	}
	return moneyOfFloat(r)
}

func moneyDivided(cents int64, f float64) (Datum, error) {
	if f == 0 {
		return Null, copyErr(errDivByZero)
	}
	r := float64(cents) / f
	if math.IsInf(r, 0) {
		return Null, FloatOverflow()
	}
	if r == 0 && cents != 0 && !math.IsInf(f, 0) {
		return Null, FloatUnderflow()
	}
	return moneyOfFloat(r)
}

// moneyIn reads [$][-(]digits[,digits][.digits] with the sign and the currency before or after.
func moneyIn(_ *Env, _ *IO, orig string, _ int32) (Datum, error) {
	outOfRange := func() error {
		return pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", orig, "money")
	}
	s := skipCurrency(orig)
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '(') {
		negative, s = true, s[1:]
	} else if s != "" && s[0] == '+' {
		s = s[1:]
	}
	s = skipCurrency(s)
	value, s, ok := moneyDigits(s)
	if !ok {
		return Null, outOfRange()
	}
	s = s[skipDigits(s, 0):]
	for ; s != ""; s = s[1:] {
		switch c := s[0]; {
		case isSpace(c) || c == ')' || c == '+' || c == '$':
		case c == '-':
			negative = true
		default:
			return Null, badSyntax("money", orig)
		}
	}
	if negative {
		return Int8(value), nil
	}
	if value == math.MinInt64 {
		return Null, outOfRange()
	}
	return Int8(-value), nil
}

func skipCurrency(s string) string {
	return trimLeftSpace(strings.TrimPrefix(trimLeftSpace(s), "$"))
}

// moneyDigits reads an amount as a negative number of cents, whose range is the larger one; a third decimal rounds.
func moneyDigits(s string) (value int64, rest string, ok bool) {
	decimals, point := 0, false
	step := func(digit int64) bool {
		p, err := mul8(value, 10)
		if err == nil {
			p, err = sub8(p.Int8(), digit)
		}
		value = p.Int8()
		return err == nil
	}
loop:
	for ; s != ""; s = s[1:] {
		switch c := s[0]; {
		case isDigit(c) && (!point || decimals < 2):
			if !step(int64(c - '0')) {
				return 0, "", false
			}
			if point {
				decimals++
			}
		case c == '.' && !point:
			point = true
		case c != ',':
			break loop
		}
	}
	if s != "" && isDigit(s[0]) && s[0] >= '5' {
		d, err := sub8(value, 1)
		if err != nil {
			return 0, "", false
		}
		value = d.Int8()
	}
	for ; decimals < 2; decimals++ {
		if !step(0) {
			return 0, "", false
		}
	}
	return value, s, true
}

func moneyOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	v := d.Int8()
	if v < 0 {
		dst = append(dst, '-')
	}
	u := absU(v)
	whole := strconv.FormatUint(u/100, 10)
	dst = append(dst, '$')
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, whole[i])
	}
	return append(dst, '.', '0'+byte(u%100/10), '0'+byte(u%10)), nil
}

var (
	smallWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
		"seventeen eighteen nineteen twenty")
	tensWords  = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
	groupWords = []string{"quadrillion", "trillion", "billion", "million", "thousand", ""}
)

// words999 writes a number below 1000.
func words999(v uint64) string {
	rest := v % 100
	switch {
	case v <= 20:
		return smallWords[v]
	case rest == 0:
		return smallWords[v/100] + " hundred"
	}
	s := ""
	if v > 99 {
		s = smallWords[v/100] + " hundred "
	}
	switch {
	case v%10 == 0 && rest > 10:
		return s + tensWords[rest/10]
	case rest < 20 && v > 99:
		return s + "and " + smallWords[rest]
	case rest < 20:
		return s + smallWords[rest]
	}
	return s + tensWords[rest/10] + " " + smallWords[rest%10]
}

func moneyWords(v int64) string {
	u := absU(v)
	dollars := ""
	unit := uint64(1e17)
	for _, group := range groupWords {
		if n := u / unit % 1000; n != 0 {
			dollars += words999(n)
			if group != "" {
				dollars += " " + group + " "
			}
		}
		unit /= 1000
	}
	if dollars == "" {
		dollars = "zero"
	}
	if v < 0 {
		dollars = "minus " + dollars
	}
	dollars += map[bool]string{true: " dollar and ", false: " dollars and "}[u/100 == 1]
	cents := u % 100
	dollars += words999(cents) + map[bool]string{true: " cent", false: " cents"}[cents == 1]
	return strings.ToUpper(dollars[:1]) + dollars[1:]
}
