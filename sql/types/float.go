package types

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

func init() {
	registerIO("float4in", float4In, "float4out", float4Out, "float4recv", oidRecv, "float4send", int4Send)
	registerIO("float8in", float8In, "float8out", float8Out, "float8recv", int8Recv, "float8send", int8Send)
}

// cNumber finds the longest prefix of s that C's strtod reads as a finite number, in a form that ParseFloat takes.
func cNumber(s string) (number string, length int) {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if strings.HasPrefix(s[i:], "0x") || strings.HasPrefix(s[i:], "0X") {
		if number, n := cHexNumber(s, i+2); n > 0 {
			return number, n
		}
	}
	digits := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
		digits++
	}
	if i < len(s) && s[i] == '.' {
		i++
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
			digits++
		}
	}
	if digits == 0 {
		return "", 0
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := skipDigits(s, j); k > j {
			i = k
		}
	}
	return s[:i], i
}

func skipDigits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

// cHexNumber reads a hexadecimal number whose digits begin at i; the exponent may be missing.
func cHexNumber(s string, i int) (string, int) {
	digits, dot := 0, false
	for ; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
		} else if digitValue(s[i]) < 16 {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return "", 0
	}
	if i < len(s) && (s[i] == 'p' || s[i] == 'P') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if k := skipDigits(s, j); k > j {
			return s[:k], k
		}
	}
	return s[:i] + "p0", i
}

// specialFloats are the spellings that are tried when no number is found, in this order.
var specialFloats = []struct {
	word  string
	value float64
}{
	{"nan", math.Float64frombits(0x7ff8000000000000)}, {"infinity", math.Inf(1)}, {"+infinity", math.Inf(1)}, {"-infinity", math.Inf(-1)},
	{"inf", math.Inf(1)}, {"+inf", math.Inf(1)}, {"-inf", math.Inf(-1)},
}

// ParseFloat parses the text form of float8 (bits 64) or float4 (bits 32). orig is what messages quote. Without whole, it stops after the
// number and gives what follows.
func ParseFloat(s, orig, typeName string, bits int, whole bool) (v float64, rest string, err error) {
	t := strings.TrimLeft(s, " \t\n\v\f\r")
	rangeName := typeName // a number inside of another type's text is out of the number's range
	if bits == 64 {
		rangeName = "double precision"
	}
	number, n := cNumber(t)
	if n > 0 {
		v, err = strconv.ParseFloat(number, bits)
		if math.IsInf(v, 0) || v == 0 && hasNonZeroDigit(number) {
			return 0, "", pgerr.New(pgerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", t[:n], rangeName)
		}
		if err != nil {
			return 0, "", badSyntax(typeName, orig)
		}
	} else {
		for _, f := range specialFloats {
			if len(t) >= len(f.word) && strings.EqualFold(t[:len(f.word)], f.word) {
				v, n = f.value, len(f.word)
				break
			}
		}
		if n == 0 {
			return 0, "", badSyntax(typeName, orig)
		}
	}
	rest = strings.TrimLeft(t[n:], " \t\n\v\f\r")
	if whole && rest != "" {
		return 0, "", badSyntax(typeName, orig)
	}
	return v, rest, nil
}

func hasNonZeroDigit(number string) bool {
	hex := strings.ContainsAny(number, "xX")
	for i := 0; i < len(number); i++ {
		switch c := number[i]; {
		case c >= '1' && c <= '9', hex && (c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'):
			return true
		case !hex && (c == 'e' || c == 'E'), c == 'p' || c == 'P':
			return false
		}
	}
	return false
}

func float8In(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	v, _, err := ParseFloat(s, s, "double precision", 64, true)
	return Float8(v), err
}

func float4In(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	v, _, err := ParseFloat(s, s, "real", 32, true)
	return Float4(float32(v)), err
}

func float8Out(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return AppendFloat8(dst, d.Float8(), env.settings().ExtraFloatDigits), nil
}

func float4Out(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return appendFloat(dst, float64(d.Float4()), 32, env.settings().ExtraFloatDigits), nil
}

// AppendFloat8 appends the text form of a float8 under extra_float_digits.
func AppendFloat8(dst []byte, v float64, extraDigits int) []byte {
	return appendFloat(dst, v, 64, extraDigits)
}

func appendFloat(dst []byte, v float64, bits, extraDigits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...)
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...)
	}
	digits := 15
	if bits == 32 {
		digits = 6
	}
	var buf [32]byte
	if extraDigits > 0 {
		return appendG(dst, strconv.AppendFloat(buf[:0], v, 'e', -1, bits), digits)
	}
	digits = max(digits+extraDigits, 1)
	return appendG(dst, strconv.AppendFloat(buf[:0], v, 'e', digits-1, 64), digits)
}

// appendG turns Go's d.ddde±xx into C's %g form: positional when the exponent is in [-4, limit).
func appendG(dst, e []byte, limit int) []byte {
	if e[0] == '-' {
		dst = append(dst, '-')
		e = e[1:]
	}
	k := len(e) - 1
	for e[k] != 'e' {
		k--
	}
	exp, _ := strconv.Atoi(string(e[k+1:]))
	digits := append(make([]byte, 0, 24), e[0])
	if k > 2 {
		digits = append(digits, e[2:k]...)
	}
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	switch {
	case exp < -4 || exp >= limit:
		dst = append(dst, digits[0])
		if len(digits) > 1 {
			dst = append(append(dst, '.'), digits[1:]...)
		}
		return append(append(dst, 'e'), e[k+1:]...)
	case exp < 0:
		dst = append(dst, "0."...)
		for i := -1; i > exp; i-- {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	case len(digits) <= exp+1:
		dst = append(dst, digits...)
		for i := len(digits); i <= exp; i++ {
			dst = append(dst, '0')
		}
		return dst
	}
	dst = append(dst, digits[:exp+1]...)
	return append(append(dst, '.'), digits[exp+1:]...)
}

// CompareFloat orders floats with NaN equal to itself and above all else.
func CompareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	aNaN, bNaN := math.IsNaN(a), math.IsNaN(b)
	switch {
	case aNaN && bNaN:
		return 0
	case aNaN:
		return 1
	}
	return -1
}

func putFloat8(b []byte, v float64) { binary.LittleEndian.PutUint64(b, math.Float64bits(v)) }
func getFloat8(b []byte) float64    { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
