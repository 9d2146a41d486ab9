package funcs

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// to_char of numbers. Each type makes a string of digits that fits the template's counts; numberWriter lays it out.

func init() {
	types.RegisterFunc("int4_to_char", func(c *types.Call) (types.Datum, error) {
		return numberToChar(c, func(t *numberTemplate) (string, error) {
			v := int64(c.Args[0].Int4())
			switch {
			case t.roman:
				return roman(v), nil
			case t.scientific:
				return spacePlus(fmt.Sprintf("%+.*e", t.post, float64(v))), nil
			case t.multiplied:
				v = int64(int32(v) * int32(math.Pow10(t.multi)))
				t.pre += t.multi
			}
			return intDigits(v, t), nil
		})
	})
	types.RegisterFunc("int8_to_char", func(c *types.Call) (types.Datum, error) {
		return numberToChar(c, func(t *numberTemplate) (string, error) { return int8Chars(c.Args[0].Int8(), t) })
	})
	types.RegisterFunc("numeric_to_char", func(c *types.Call) (types.Datum, error) {
		return numberToChar(c, func(t *numberTemplate) (string, error) { return numericChars(c.Args[0].Numeric(), t) })
	})
	types.RegisterFunc("float4_to_char", func(c *types.Call) (types.Datum, error) {
		return numberToChar(c, func(t *numberTemplate) (string, error) { return floatChars(float64(c.Args[0].Float4()), t, 6) })
	})
	types.RegisterFunc("float8_to_char", func(c *types.Call) (types.Datum, error) {
		return numberToChar(c, func(t *numberTemplate) (string, error) { return floatChars(c.Args[0].Float8(), t, 15) })
	})
}

// numberToChar prints what digits gives: for most templates an optional minus sign, digits, and a point with as many digits as the template
// has; Roman numerals and scientific notation are ready.
func numberToChar(c *types.Call, digits func(*numberTemplate) (string, error)) (types.Datum, error) {
	t, err := numberTemplateOf(c)
	if err != nil || len(t.nodes) == 0 && c.Args[1].Str() == "" {
		return types.Text(""), err
	}
	num, err := digits(&t)
	if err != nil {
		return types.Null, err
	}
	if t.scientific {
		return types.Text(num), nil
	}
	w := numberWriter{t: &t, num: num}
	if !t.roman {
		w.fit()
	}
	if err := w.write(c.Env); err != nil {
		return types.Null, err
	}
	return types.Bytes(w.out), nil
}

func spacePlus(s string) string {
	if strings.HasPrefix(s, "+") {
		return " " + s[1:]
	}
	return s
}

func intDigits(v int64, t *numberTemplate) string {
	s := strconv.FormatInt(v, 10)
	if t.post > 0 {
		s += "." + strings.Repeat("0", t.post)
	}
	return s
}

func int8Chars(v int64, t *numberTemplate) (string, error) {
	switch {
	case t.roman:
		if v != int64(int32(v)) {
			return "", pgerr.New(pgerr.NumericValueOutOfRange, "integer out of range")
		}
		return roman(v), nil
	case t.scientific:
		return signColumn(types.NumericFromInt64(v).Scientific(t.post)), nil
	case t.multiplied:
		m := math.Pow10(t.multi)
		if m >= math.MaxInt64 {
			return "", pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
		}
		p := v * int64(m)
		if v != 0 && p/v != int64(m) {
			return "", pgerr.New(pgerr.NumericValueOutOfRange, "bigint out of range")
		}
		v = p
		t.pre += t.multi
	}
	return intDigits(v, t), nil
}

// signColumn leaves a column for the sign of a number that has none.
func signColumn(s string) string {
	if strings.HasPrefix(s, "-") {
		return s
	}
	return " " + s
}

// noScientific fills the place of a value without digits.
func noScientific(t *numberTemplate) string {
	b := []byte(strings.Repeat("#", t.pre+t.post+6))
	b[0], b[t.pre+1] = ' ', '.'
	return string(b)
}

func numericChars(v types.Numeric, t *numberTemplate) (string, error) {
	special := v.IsNaN() || v.IsInf()
	switch {
	case t.roman:
		n, err := types.NumericToInt4(v.Round(0))
		if err != nil {
			return "", err
		}
		return roman(int64(n)), nil
	case t.scientific && special:
		return noScientific(t), nil
	case t.scientific:
		return signColumn(v.Scientific(t.post)), nil
	case t.multiplied:
		v = v.TimesPow10(t.multi)
		t.pre += t.multi
	}
	return v.Round(t.post).String(), nil
}

func floatChars(v float64, t *numberTemplate, digits int) (string, error) {
	special := math.IsNaN(v) || math.IsInf(v, 0)
	switch {
	case t.roman:
		if r := math.RoundToEven(v); r >= 1 && r <= 3999 {
			return roman(int64(r)), nil
		}
		return roman(0), nil
	case t.scientific && special:
		return noScientific(t), nil
	case t.scientific:
		return spacePlus(fmt.Sprintf("%+.*e", t.post, v)), nil
	case t.multiplied:
		v *= math.Pow10(t.multi)
		if digits == 6 {
			v = float64(float32(v))
		}
		t.pre += t.multi
	}
	whole := len(cFloat(math.Abs(v), 0))
	if whole >= digits {
		t.post = 0
	} else if whole+t.post > digits {
		t.post = digits - whole
	}
	return cFloat(v, t.post), nil
}

// cFloat is C's %.*f, with PostgreSQL's names of the specials.
func cFloat(v float64, decimals int) string {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// roman writes 1 to 3999 in Roman numerals; fifteen # stand for others.
func roman(v int64) string {
	if v < 1 || v > 3999 {
		return strings.Repeat("#", 15)
	}
	var b strings.Builder
	for _, p := range []struct {
		value  int64
		letter string
	}{{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"},
		{4, "IV"}, {1, "I"}} {
		for ; v >= p.value; v -= p.value {
			b.WriteString(p.letter)
		}
	}
	return b.String()
}

// numberWriter prints a string of digits by a template. Positions in num count from its first digit; lastRelevant is -1 when all digits
// are printed.
type numberWriter struct {
	t            *numberTemplate
	num          string
	sign         byte // '+', '-', or 0 with Roman numerals
	preSpaces    int  // digits of the template before the number's first
	lastRelevant int
	at           int // next byte of num
	current      int // digit patterns done
	count        int // digit patterns that print something
	signWritten  bool
	inNumber     bool
	out          []byte
}

// fit takes the sign off and compares the digits with the template's: padding, or # when there are too many.
func (w *numberWriter) fit() {
	t := w.t
	w.sign = '+'
	if strings.HasPrefix(w.num, "-") {
		w.sign, w.num = '-', w.num[1:]
	}
	whole := strings.IndexByte(w.num, '.')
	if whole < 0 {
		whole = len(w.num)
	}
	switch {
	case whole < t.pre:
		w.preSpaces = t.pre - whole
	case whole > t.pre:
		w.num = strings.Repeat("#", t.pre) + "." + strings.Repeat("#", t.post)
	}
}

func (w *numberWriter) prepare() {
	t := w.t
	if t.zeroStart > 0 {
		t.zeroStart--
	}
	w.lastRelevant = -1
	if t.roman {
		nodes, fill := t.nodes, t.fill
		*t = numberTemplate{nodes: nodes, fill: fill, roman: true}
	}
	switch {
	case t.plus || t.minus:
		w.signWritten = !t.plus || t.minus
	default:
		if w.sign != '-' && t.bracket && t.fill {
			t.bracket = false
		}
		w.signWritten = w.sign == '+' && t.fill && !t.localeSign
		if t.signAt == signBefore && t.pre == t.signPre {
			t.signAt = signAfter
		}
	}
	w.count = t.post + t.pre - 1
	if t.fill && t.decimal {
		w.findRelevant()
	}
	if !w.signWritten && w.preSpaces == 0 {
		w.count++
	}
}

// findRelevant finds the last digit that FM keeps: the last that is not 0, or the last that a 0 pattern asks for.
func (w *numberWriter) findRelevant() {
	w.lastRelevant = strings.IndexByte(w.num, '.')
	if w.lastRelevant < 0 {
		return
	}
	for i := w.lastRelevant + 1; i < len(w.num); i++ {
		if w.num[i] != '0' {
			w.lastRelevant = i
		}
	}
	if w.t.zeroEnd > w.preSpaces {
		w.lastRelevant = max(w.lastRelevant, min(len(w.num)-1, w.t.zeroEnd-w.preSpaces))
	}
}

// relevantIsPoint: all decimals are cut off.
func (w *numberWriter) relevantIsPoint() bool {
	return w.lastRelevant >= 0 && w.num[w.lastRelevant] == '.'
}

func (w *numberWriter) put(s ...byte) { w.out = append(w.out, s...) }

func (w *numberWriter) write(env *types.Env) error {
	w.prepare()
	for i := range w.t.nodes {
		if i&0xfff == 0 {
			if err := env.Poll(); err != nil {
				return err
			}
		}
		n := &w.t.nodes[i]
		if n.kind != nodeKey {
			w.out = append(w.out, n.text...)
			continue
		}
		if err := w.pattern(n.key); err != nil {
			return err
		}
	}
	return nil
}

func (w *numberWriter) pattern(k *keyword) error {
	t := w.t
	blankOr := func(show bool, c byte) {
		if show {
			w.put(c)
		} else if !t.fill {
			w.put(' ')
		}
	}
	switch k.id {
	case "9", "0", ".", "D":
		if !t.roman {
			w.digit(k.id)
		}
	case ",", "G":
		blankOr(w.inNumber, ',')
	case "L":
		w.put(' ')
	case "RN":
		s := cased(w.num[w.at:], k.name)
		if !t.fill {
			s = fmt.Sprintf("%15s", s)
		}
		w.out = append(w.out, s...)
	case "TH":
		if t.roman || strings.HasPrefix(w.num, "#") || w.sign == '-' || t.decimal {
			return nil
		}
		th, err := ordinal([]byte(w.num), k.name[0])
		w.out = append(w.out, th...)
		return err
	case "MI":
		blankOr(w.sign == '-', '-')
	case "PL":
		blankOr(w.sign == '+', '+')
	case "SG":
		w.put(w.sign)
	}
	return nil
}

// blankBeforePoint: 0.1 by 9.9 has a blank for its zero.
func (w *numberWriter) blankBeforePoint() bool {
	return !w.t.zero && w.at == 0 && strings.HasPrefix(w.num, "0") && w.t.post != 0
}

func (w *numberWriter) signChar() byte {
	if w.sign == '-' {
		return '-'
	}
	return '+'
}

// writeSign writes the sign before the first digit that is printed.
func (w *numberWriter) writeSign() {
	t := w.t
	if w.signWritten || !(w.current >= w.preSpaces || t.zero && t.zeroStart == w.current) || w.blankBeforePoint() && !w.relevantIsPoint() {
		return
	}
	switch {
	case t.localeSign:
		if t.signAt == signBefore {
			w.put(w.signChar())
			w.signWritten = true
		}
		return
	case t.bracket && w.sign == '+':
		w.put(' ')
	case t.bracket:
		w.put('<')
	case w.sign == '-':
		w.put('-')
	case w.sign == '+' && !t.fill:
		w.put(' ')
	}
	w.signWritten = true
}

// digit writes what a digit or the decimal point stands for.
func (w *numberWriter) digit(id string) {
	t := w.t
	w.inNumber = false
	w.writeSign()
	switch {
	case w.current < w.preSpaces && (!t.zero || t.zeroStart > w.current):
		if !t.fill {
			w.put(' ')
		}
	case w.current < w.preSpaces && t.zero:
		w.put('0')
		w.inNumber = true
	default:
		w.nextDigit(id)
	}
	end := w.count
	if w.preSpaces > 0 {
		end++
	}
	if t.decimal {
		end++
	}
	if w.lastRelevant >= 0 && w.lastRelevant == w.at {
		end = w.current
	}
	if w.current+1 == end {
		switch {
		case w.signWritten && t.bracket && w.sign == '+':
			w.put(' ')
		case w.signWritten && t.bracket:
			w.put('>')
		case t.localeSign && t.signAt == signAfter:
			w.put(w.signChar())
		}
	}
	w.current++
}

// nextDigit copies one byte of the number, or what stands for it.
func (w *numberWriter) nextDigit(id string) {
	t := w.t
	if w.at >= len(w.num) {
		return
	}
	c := w.num[w.at]
	switch {
	case c == '.':
		if !w.relevantIsPoint() || t.fill {
			w.put('.')
		}
	case w.lastRelevant >= 0 && w.at > w.lastRelevant && id != "0":
	case w.blankBeforePoint():
		if !t.fill {
			w.put(' ')
		} else if w.relevantIsPoint() {
			w.put('0')
		}
	default:
		w.put(c)
		w.inNumber = true
	}
	w.at++
}
