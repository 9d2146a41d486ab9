package types

import (
	"bytes"
	"encoding/hex"

	"github.com/calfdb/calf/sql/pgerr"
)

// macaddr and macaddr8: the 6 or 8 bytes of the address.

func init() {
	registerIO("macaddr_in", macIn, "macaddr_out", macOut, "macaddr_recv", macRecv, "macaddr_send", textOut)
	registerIO("macaddr8_in", mac8In, "macaddr8_out", macOut, "macaddr8_recv", mac8Recv, "macaddr8_send", textOut)
	for _, p := range []string{"macaddr_", "macaddr8_"} {
		registerOrder(p, compareBytes)
		registerCompare(p+"cmp", compareBytes)
		bitwiseMac(p+"and", func(a, b byte) byte { return a & b })
		bitwiseMac(p+"or", func(a, b byte) byte { return a | b })
		changeMac(p+"not", func(b []byte) {
			for i := range b {
				b[i] = ^b[i]
			}
		})
		changeMac(p+"trunc", func(b []byte) { clear(b[3:]) })
	}
	changeMac("macaddr8_set7bit", func(b []byte) { b[0] |= 2 })
	RegisterFunc("macaddrtomacaddr8", func(c *Call) (Datum, error) { return Bytes(widenMac(c.Args[0].Bytes())), nil })
	RegisterFunc("macaddr8tomacaddr", func(c *Call) (Datum, error) {
		b := c.Args[0].Bytes()
		if b[3] != 0xff || b[4] != 0xfe {
			return Null, pgerr.New(pgerr.NumericValueOutOfRange, "macaddr8 data out of range to convert to macaddr").
				WithHint("Only addresses that have FF and FE as values in the 4th and 5th bytes from the left, for example " +
					"xx:xx:xx:ff:fe:xx:xx:xx, are eligible to be converted from macaddr8 to macaddr.")
		}
		return Bytes(append(bytes.Clone(b[:3]), b[5:]...)), nil
	})
}

func bitwiseMac(name string, f func(a, b byte) byte) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		out := bytes.Clone(c.Args[0].Bytes())
		for i, x := range c.Args[1].Bytes() {
			out[i] = f(out[i], x)
		}
		return Bytes(out), nil
	})
}

func changeMac(name string, f func(b []byte)) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		out := bytes.Clone(c.Args[0].Bytes())
		f(out)
		return Bytes(out), nil
	})
}

// widenMac puts FF and FE into the middle.
func widenMac(b []byte) []byte {
	return append(append(bytes.Clone(b[:3]), 0xff, 0xfe), b[3:]...)
}

// macLayouts are the forms of a macaddr: x a hexadecimal number, h one of at most two digits, others themselves.
var macLayouts = []string{"x:x:x:x:x:x", "x-x-x-x-x-x", "hhh:hhh", "hhh-hhh", "hh.hh.hh", "hh-hh-hh", "hhhhhh"}

// scanMac reads s by a layout.
func scanMac(s, layout string) (nums []int, ok bool) {
	for i := 0; i < len(layout); i++ {
		if layout[i] != 'x' && layout[i] != 'h' {
			if s == "" || s[0] != layout[i] {
				return nil, false
			}
			s = s[1:]
			continue
		}
		s = trimLeftSpace(s)
		most := len(s)
		if layout[i] == 'h' {
			most = min(most, 2)
		}
		v, n := 0, 0
		for n < most && digitValue(s[n]) < 16 {
			if v = v<<4 | digitValue(s[n]); v > 1<<24 {
				v = 1 << 24
			}
			n++
		}
		if n == 0 {
			return nil, false
		}
		nums, s = append(nums, v), s[n:]
	}
	return nums, trimLeftSpace(s) == ""
}

func trimLeftSpace(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}

func macIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	for _, layout := range macLayouts {
		nums, ok := scanMac(s, layout)
		if !ok {
			continue
		}
		b := make([]byte, 6)
		for i, v := range nums {
			if v > 255 {
				return Null, pgerr.New(pgerr.NumericValueOutOfRange, "invalid octet value in \"macaddr\" value: \"%s\"", s)
			}
			b[i] = byte(v)
		}
		return Bytes(b), nil
	}
	return Null, badSyntax("macaddr", s)
}

// mac8In reads pairs of digits with one kind of separator anywhere between them: 8 of them, or 6, which are widened.
func mac8In(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	var b []byte
	spacer := byte(0)
	rest := trimLeftSpace(s)
	for len(rest) > 1 {
		if len(b) == 8 || digitValue(rest[0]) > 15 || digitValue(rest[1]) > 15 {
			return Null, badSyntax("macaddr8", s)
		}
		b, rest = append(b, byte(digitValue(rest[0])<<4|digitValue(rest[1]))), rest[2:]
		if rest != "" && (rest[0] == ':' || rest[0] == '-' || rest[0] == '.') {
			if spacer != 0 && spacer != rest[0] {
				return Null, badSyntax("macaddr8", s)
			}
			spacer, rest = rest[0], rest[1:]
		}
		if (len(b) == 6 || len(b) == 8) && rest != "" && isSpace(rest[0]) {
			if rest = trimLeftSpace(rest); rest != "" {
				return Null, badSyntax("macaddr8", s)
			}
		}
	}
	if len(b) == 6 {
		b = widenMac(b)
	}
	if len(b) != 8 {
		return Null, badSyntax("macaddr8", s)
	}
	return Bytes(b), nil
}

func macOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	for i, x := range d.Bytes() {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = hex.AppendEncode(dst, []byte{x})
	}
	return dst, nil
}

func macRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) { return Bytes(b), wantLen(b, 6) }

func mac8Recv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) {
	if len(b) == 6 {
		return Bytes(widenMac(b)), nil
	}
	return Bytes(b), wantLen(b, 8)
}
