package types

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
)

// Operators and functions of inet and cidr.

func init() {
	contains := func(name string, test func(outer, inner network) bool) {
		RegisterFunc("network_"+name, func(c *Call) (Datum, error) {
			a, b := c.Args[0].network(), c.Args[1].network()
			return Bool(a.family == b.family && test(a, b)), nil
		})
	}
	within := func(a, b network) bool { return compareAddr(a.addr, b.addr, b.bits) == 0 }
	contains("sub", func(a, b network) bool { return a.bits > b.bits && within(a, b) })
	contains("subeq", func(a, b network) bool { return a.bits >= b.bits && within(a, b) })
	contains("sup", func(a, b network) bool { return a.bits < b.bits && within(b, a) })
	contains("supeq", func(a, b network) bool { return a.bits <= b.bits && within(b, a) })
	contains("overlap", func(a, b network) bool { return compareAddr(a.addr, b.addr, min(a.bits, b.bits)) == 0 })
	part := func(name string, f func(n network) Datum) {
		RegisterFunc(name, func(c *Call) (Datum, error) { return f(c.Args[0].network()), nil })
	}
	part("network_host", func(n network) Datum { return Bytes(n.appendAddr(nil)) })
	part("network_show", func(n network) Datum { return Bytes(n.append(nil, true)) })
	part("inet_abbrev", func(n network) Datum { return Bytes(n.append(nil, false)) })
	part("cidr_abbrev", func(n network) Datum { return Bytes(n.appendAbbrev(nil)) })
	part("network_masklen", func(n network) Datum { return Int4(int32(n.bits)) })
	part("network_family", func(n network) Datum {
		if n.family == familyIPv4 {
			return Int4(4)
		}
		return Int4(6)
	})
	part("network_network", func(n network) Datum { return n.masked(n.bits).datum() })
	part("inet_to_cidr", func(n network) Datum { return n.masked(n.bits).datum() })
	part("network_netmask", func(n network) Datum { return n.mask(false).datum() })
	part("network_hostmask", func(n network) Datum { return n.mask(true).datum() })
	part("network_broadcast", func(n network) Datum {
		b := n.masked(n.bits)
		for i, x := range n.mask(true).addr {
			b.addr[i] |= x
		}
		return b.datum()
	})
	RegisterFunc("inet_same_family", func(c *Call) (Datum, error) {
		return Bool(c.Args[0].network().family == c.Args[1].network().family), nil
	})
	RegisterFunc("inet_set_masklen", func(c *Call) (Datum, error) {
		n, bits, err := newMask(c)
		n.bits = bits
		return n.datum(), err
	})
	RegisterFunc("cidr_set_masklen", func(c *Call) (Datum, error) {
		n, bits, err := newMask(c)
		if err != nil {
			return Null, err
		}
		return n.masked(bits).datum(), nil
	})
	RegisterFunc("inet_merge", inetMerge)
	registerInetArithmetic()
}

func registerInetArithmetic() {
	RegisterFunc("inetnot", func(c *Call) (Datum, error) {
		n := c.Args[0].network()
		out := network{n.family, n.bits, make([]byte, len(n.addr))}
		for i, x := range n.addr {
			out.addr[i] = ^x
		}
		return out.datum(), nil
	})
	bitwiseInet("inetand", "AND", func(a, b byte) byte { return a & b })
	bitwiseInet("inetor", "OR", func(a, b byte) byte { return a | b })
	RegisterFunc("inetpl", func(c *Call) (Datum, error) { return inetAdd(c.Args[0].network(), c.Args[1].Int8(), false) })
	RegisterFunc("inetmi_int8", func(c *Call) (Datum, error) { return inetAdd(c.Args[0].network(), c.Args[1].Int8(), true) })
	RegisterFunc("inetmi", func(c *Call) (Datum, error) { return inetSubtract(c.Args[0].network(), c.Args[1].network()) })
}

// mask is the netmask, or its complement.
func (n network) mask(host bool) network {
	all := network{n.family, n.maxBits(), make([]byte, len(n.addr))}
	for i := range all.addr {
		all.addr[i] = 0xff
	}
	m := all.masked(n.bits)
	m.bits = n.maxBits()
	if host {
		for i := range m.addr {
			m.addr[i] = ^m.addr[i]
		}
	}
	return m
}

func newMask(c *Call) (network, int, error) {
	n, bits := c.Args[0].network(), int(c.Args[1].Int4())
	if bits == -1 {
		bits = n.maxBits()
	}
	if bits < 0 || bits > n.maxBits() {
		return n, 0, pgerr.New(pgerr.InvalidParameterValue, "invalid mask length: %d", bits)
	}
	return n, bits, nil
}

func inetMerge(c *Call) (Datum, error) {
	a, b := c.Args[0].network(), c.Args[1].network()
	if a.family != b.family {
		return Null, pgerr.New(pgerr.InvalidParameterValue, "cannot merge addresses from different families")
	}
	common := 0
	for i, x := range a.addr {
		same := bits.LeadingZeros8(x ^ b.addr[i])
		if common += same; same < 8 {
			break
		}
	}
	return a.masked(min(common, a.bits, b.bits)).datum(), nil
}

func bitwiseInet(name, op string, f func(a, b byte) byte) {
	RegisterFunc(name, func(c *Call) (Datum, error) {
		a, b := c.Args[0].network(), c.Args[1].network()
		if a.family != b.family {
			return Null, pgerr.New(pgerr.InvalidParameterValue, "cannot %s inet values of different sizes", op)
		}
		out := network{a.family, max(a.bits, b.bits), make([]byte, len(a.addr))}
		for i := range out.addr {
			out.addr[i] = f(a.addr[i], b.addr[i])
		}
		return out.datum(), nil
	})
}

// wide is an address as 128 bits.
func (n network) wide() (hi, lo uint64) {
	if len(n.addr) == 4 {
		return 0, uint64(binary.BigEndian.Uint32(n.addr))
	}
	return binary.BigEndian.Uint64(n.addr), binary.BigEndian.Uint64(n.addr[8:])
}

func errInetRange() error { return pgerr.New(pgerr.NumericValueOutOfRange, "result is out of range") }

func inetAdd(n network, by int64, negative bool) (Datum, error) {
	hi, lo := n.wide()
	if negative {
		by = -by // the smallest number stays itself, as in PostgreSQL
	}
	abs := absU(by)
	var carry uint64
	if by < 0 {
		lo, carry = bits.Sub64(lo, abs, 0)
		hi, carry = bits.Sub64(hi, 0, carry)
	} else {
		lo, carry = bits.Add64(lo, abs, 0)
		hi, carry = bits.Add64(hi, 0, carry)
	}
	out := network{n.family, n.bits, make([]byte, len(n.addr))}
	if len(n.addr) == 4 {
		if carry != 0 || hi != 0 || lo>>32 != 0 {
			return Null, errInetRange()
		}
		binary.BigEndian.PutUint32(out.addr, uint32(lo))
		return out.datum(), nil
	}
	if carry != 0 {
		return Null, errInetRange()
	}
	binary.BigEndian.PutUint64(out.addr, hi)
	binary.BigEndian.PutUint64(out.addr[8:], lo)
	return out.datum(), nil
}

func inetSubtract(a, b network) (Datum, error) {
	if a.family != b.family {
		return Null, pgerr.New(pgerr.InvalidParameterValue, "cannot subtract inet values of different sizes")
	}
	ahi, alo := a.wide()
	bhi, blo := b.wide()
	lo, borrow := bits.Sub64(alo, blo, 0)
	hi, _ := bits.Sub64(ahi, bhi, borrow)
	if int64(hi) != int64(lo)>>63 {
		return Null, errInetRange()
	}
	return Int8(int64(lo)), nil
}

// appendAbbrev writes a cidr with only the octets or groups that its mask covers.
func (n network) appendAbbrev(dst []byte) []byte {
	switch {
	case n.family == familyIPv4 && n.bits == 0:
		dst = append(dst, '0')
	case n.family == familyIPv4:
		dst = appendOctets(dst, n.masked(n.bits).addr[:(n.bits+7)/8])
	case n.bits == 0:
		dst = append(dst, ':', ':')
	default:
		dst = n.appendAbbrevV6(dst)
	}
	return strconv.AppendInt(append(dst, '/'), int64(n.bits), 10)
}

func (n network) appendAbbrevV6(dst []byte) []byte {
	addr := n.masked(n.bits).addr
	count := max((n.bits+15)/16, 2)
	var words [8]uint16
	for i := range words {
		words[i] = binary.BigEndian.Uint16(addr[2*i:])
	}
	base, length := firstZeros(words[:count])
	isV4 := length != count && base == 0 && (length == 6 || length == 5 && words[5] == 0xffff ||
		length == 7 && addr[14] != 0 && addr[15] != 1)
	start := len(dst)
	for i := range count {
		switch {
		case length != 0 && i >= base && i < base+length:
			if i == base {
				dst = append(dst, ':')
			}
			if i == count-1 {
				dst = append(dst, ':')
			}
		case isV4 && i > 5:
			if i == 6 {
				dst = append(dst, ':')
			} else {
				dst = append(dst, '.')
			}
			dst = strconv.AppendUint(dst, uint64(addr[2*i]), 10)
			if i != 7 || n.bits > 120 {
				dst = strconv.AppendUint(append(dst, '.'), uint64(addr[2*i+1]), 10)
			}
		default:
			if len(dst) != start {
				dst = append(dst, ':')
			}
			dst = strconv.AppendUint(dst, uint64(words[i]), 16)
		}
	}
	return dst
}

// firstZeros finds the longest run of zeros, of any length; a run counts on behind a shorter one, as PostgreSQL does.
func firstZeros(words []uint16) (base, length int) {
	runBase, run := 0, 0
	for i, w := range words {
		if w == 0 {
			if run == 0 {
				runBase = i
			}
			run++
			continue
		}
		if run > length {
			base, length, run = runBase, run, 0
		}
	}
	if run > length {
		base, length = runBase, run
	}
	return base, length
}
