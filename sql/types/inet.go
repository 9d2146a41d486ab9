package types

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// inet and cidr: a byte for the family (2 = IPv4, 3 = IPv6), a byte for the length of the netmask in bits, then 4 or 16 bytes of address. A
// cidr has no bits set to the right of its mask.

const (
	familyIPv4 = 2
	familyIPv6 = 3
)

func init() {
	registerIO("inet_in", inetIn, "inet_out", inetOut, "inet_recv", inetRecv, "inet_send", inetSend)
	registerIO("cidr_in", cidrIn, "cidr_out", cidrOut, "cidr_recv", cidrRecv, "cidr_send", cidrSend)
	registerOrder("network_", compareNetworks)
	registerCompare("network_cmp", compareNetworks)
	registerLarger("network_larger", "network_smaller", compareNetworks)
	registerHash("hashinet", hashDatumBytes, "hashinetextended", hashDatumBytesExt)
}

// network is an inet or cidr taken apart.
type network struct {
	family byte
	bits   int
	addr   []byte
}

func (d Datum) network() network {
	b := d.Bytes()
	return network{b[0], int(b[1]), b[2:]}
}

func (n network) datum() Datum {
	b := make([]byte, 0, 2+len(n.addr))
	return Bytes(append(append(b, n.family, byte(n.bits)), n.addr...))
}

func (n network) maxBits() int { return len(n.addr) * 8 }

// masked clears the address to the right of a mask of bits and makes it the value's mask.
func (n network) masked(bits int) network {
	addr := make([]byte, len(n.addr))
	copy(addr, n.addr[:(bits+7)/8])
	if bits%8 != 0 {
		addr[bits/8] &= 0xff << (8 - bits%8)
	}
	return network{n.family, bits, addr}
}

// hasHostBits says whether there are bits to the right of the mask.
func (n network) hasHostBits() bool { return !bytes.Equal(n.addr, n.masked(n.bits).addr) }

// compareAddr compares the first bits of two addresses.
func compareAddr(a, b []byte, bits int) int {
	if c := bytes.Compare(a[:bits/8], b[:bits/8]); c != 0 || bits%8 == 0 {
		return c
	}
	shift := 8 - bits%8
	return int(a[bits/8]>>shift) - int(b[bits/8]>>shift)
}

// compareNetworks orders by family, the common part of the network, the mask's length, then the whole address.
func compareNetworks(x, y Datum) int {
	a, b := x.network(), y.network()
	if a.family != b.family {
		return int(a.family) - int(b.family)
	}
	if c := compareAddr(a.addr, b.addr, min(a.bits, b.bits)); c != 0 {
		return c
	}
	if a.bits != b.bits {
		return a.bits - b.bits
	}
	return compareAddr(a.addr, b.addr, a.maxBits())
}

func parseNetwork(s string, isCIDR bool) (network, error) {
	name := "inet"
	if isCIDR {
		name = "cidr"
	}
	var n network
	ok := false
	switch {
	case strings.Contains(s, ":"):
		n, ok = parseIPv6(s)
	case isCIDR:
		n, ok = parseCIDRv4(s)
	default:
		n, ok = parseIPv4(s)
	}
	if !ok {
		return n, badSyntax(name, s)
	}
	if isCIDR && n.hasHostBits() {
		return n, pgerr.New(pgerr.InvalidTextRepresentation, "invalid cidr value: \"%s\"", s).
			WithDetail("Value has bits set to right of mask.")
	}
	return n, nil
}

// octets reads numbers up to 255 with points between them; rest begins with a slash or is empty. trailingPoint allows one at the end.
func octets(s string, trailingPoint bool) (addr []byte, rest string, ok bool) {
	for {
		end := skipDigits(s, 0)
		if end == 0 {
			return addr, s, trailingPoint && len(addr) > 0 && s == ""
		}
		v, err := strconv.Atoi(s[:end])
		if err != nil || v > 255 || len(addr) == 4 {
			return nil, "", false
		}
		addr, s = append(addr, byte(v)), s[end:]
		if s == "" || s[0] == '/' {
			return addr, s, true
		}
		if s[0] != '.' {
			return nil, "", false
		}
		if s = s[1:]; trailingPoint && strings.HasPrefix(s, "/") {
			return addr, s, true
		}
	}
}

// maskBits reads "/n"; -1 when s is empty.
func maskBits(s string, most int) (int, bool) {
	if s == "" {
		return -1, true
	}
	v, err := strconv.Atoi(s[1:])
	if err != nil || skipDigits(s, 1) != len(s) || v > most {
		return 0, false
	}
	return v, true
}

// parseIPv4 reads four octets, or fewer with a mask that covers no more than these.
func parseIPv4(s string) (network, bool) {
	addr, rest, ok := octets(s, true)
	if !ok {
		return network{}, false
	}
	bits, ok := maskBits(rest, 32)
	if !ok {
		return network{}, false
	}
	if bits < 0 {
		if len(addr) != 4 {
			return network{}, false
		}
		bits = 32
	}
	if bits/8 > len(addr) {
		return network{}, false
	}
	return network{familyIPv4, bits, append(addr, make([]byte, 4-len(addr))...)}, true
}

// parseCIDRv4 also reads hexadecimal, and finds a missing mask by the classes of networks.
func parseCIDRv4(s string) (network, bool) {
	var addr []byte
	var rest string
	var ok bool
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && digitValue(s[2]) < 16 {
		if addr, rest, ok = hexOctets(s[2:]); !ok {
			return network{}, false
		}
	} else if addr, rest, ok = octets(s, false); !ok {
		return network{}, false
	}
	bits, ok := maskBits(rest, 32)
	if !ok {
		return network{}, false
	}
	if bits < 0 {
		bits = classBits(addr)
	}
	for len(addr) < 4 {
		addr = append(addr, 0)
	}
	return network{familyIPv4, bits, addr}, true
}

func hexOctets(s string) (addr []byte, rest string, ok bool) {
	end := 0
	for end < len(s) && digitValue(s[end]) < 16 {
		end++
	}
	if end > 8 {
		return nil, "", false
	}
	for i := 0; i < end; i += 2 {
		v := digitValue(s[i]) << 4
		if i+1 < end {
			v |= digitValue(s[i+1])
		}
		addr = append(addr, byte(v))
	}
	return addr, s[end:], end == len(s) || s[end] == '/'
}

func classBits(addr []byte) int {
	bits := 8
	switch a := addr[0]; {
	case a >= 240:
		bits = 32
	case a >= 224:
	case a >= 192:
		bits = 24
	case a >= 128:
		bits = 16
	}
	bits = max(bits, len(addr)*8)
	if bits == 8 && addr[0] == 224 {
		bits = 4
	}
	return bits
}

// strictBits reads a mask of IPv6: no leading zeros, at most 128.
func strictBits(s string) (int, bool) {
	v, err := strconv.Atoi(s)
	return v, err == nil && skipDigits(s, 0) == len(s) && v <= 128 && !(len(s) > 1 && s[0] == '0')
}

// parseIPv6 reads groups of four hexadecimal digits, one :: for zeros, the last two groups as IPv4, and a mask.
func parseIPv6(s string) (network, bool) {
	body, mask, hasMask := strings.Cut(s, "/")
	bits := 128
	if hasMask {
		v, ok := strictBits(mask)
		if !ok {
			return network{}, false
		}
		bits = v
	}
	head, tail, hasGap := strings.Cut(body, "::")
	front, ok := hexGroups(head, !hasGap)
	if !ok {
		return network{}, false
	}
	if !hasGap {
		return network{familyIPv6, bits, front}, len(front) == 16
	}
	back, ok := hexGroups(tail, true)
	if !ok || len(front)+len(back) >= 16 {
		return network{}, false
	}
	addr := make([]byte, 16)
	copy(addr, front)
	copy(addr[16-len(back):], back)
	return network{familyIPv6, bits, addr}, true
}

func hexGroups(s string, v4AtEnd bool) ([]byte, bool) {
	if s == "" {
		return nil, true
	}
	var out []byte
	groups := strings.Split(s, ":")
	for i, g := range groups {
		if v4AtEnd && i == len(groups)-1 && strings.Contains(g, ".") {
			v4, ok := strictIPv4(g)
			out = append(out, v4...)
			return out, ok && len(out) <= 16
		}
		v, err := strconv.ParseUint(g, 16, 16)
		if err != nil || len(g) > 4 || len(out) == 16 {
			return nil, false
		}
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out, true
}

// strictIPv4 reads up to four octets without leading zeros.
func strictIPv4(s string) ([]byte, bool) {
	addr := make([]byte, 0, 4)
	for _, p := range strings.Split(s, ".") {
		v, err := strconv.Atoi(p)
		if err != nil || skipDigits(p, 0) != len(p) || v > 255 || len(p) > 1 && p[0] == '0' || len(addr) == 4 {
			return nil, false
		}
		addr = append(addr, byte(v))
	}
	return append(addr, make([]byte, 4-len(addr))...), true
}

func inetIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) { return networkIn(s, false) }
func cidrIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) { return networkIn(s, true) }

func networkIn(s string, isCIDR bool) (Datum, error) {
	n, err := parseNetwork(s, isCIDR)
	if err != nil {
		return Null, err
	}
	return n.datum(), nil
}

func inetOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return d.network().append(dst, false), nil
}
func cidrOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return d.network().append(dst, true), nil
}

// append writes the address and its mask, which is left out when it covers the whole address unless always.
func (n network) append(dst []byte, always bool) []byte {
	dst = n.appendAddr(dst)
	if always || n.bits != n.maxBits() {
		dst = strconv.AppendInt(append(dst, '/'), int64(n.bits), 10)
	}
	return dst
}

func (n network) appendAddr(dst []byte) []byte {
	if n.family == familyIPv4 {
		return appendOctets(dst, n.addr)
	}
	return appendIPv6(dst, n.addr)
}

func appendOctets(dst, addr []byte) []byte {
	for i, x := range addr {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(x), 10)
	}
	return dst
}

// longestZeros finds the longest run of zero groups, the first of equal ones; none shorter than two.
func longestZeros(words []uint16) (base, length int) {
	for i := 0; i < len(words); {
		j := i
		for j < len(words) && words[j] == 0 {
			j++
		}
		if j-i > length {
			base, length = i, j-i
		}
		i = max(j, i+1)
	}
	if length < 2 {
		return -1, 0
	}
	return base, length
}

func appendIPv6(dst, addr []byte) []byte {
	var words [8]uint16
	for i := range words {
		words[i] = binary.BigEndian.Uint16(addr[2*i:])
	}
	base, length := longestZeros(words[:])
	isV4 := base == 0 && (length == 6 || length == 7 && words[7] != 1 || length == 5 && words[5] == 0xffff)
	for i, w := range words {
		if base >= 0 && i >= base && i < base+length {
			if i == base {
				dst = append(dst, ':')
			}
			continue
		}
		if i != 0 {
			dst = append(dst, ':')
		}
		if i == 6 && isV4 {
			return appendOctets(dst, addr[12:])
		}
		dst = strconv.AppendUint(dst, uint64(w), 16)
	}
	if base >= 0 && base+length == 8 {
		dst = append(dst, ':')
	}
	return dst
}

func inetRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) { return recvNetwork(b, "inet") }
func cidrRecv(_ *Env, _ *IO, b []byte, _ int32) (Datum, error) { return recvNetwork(b, "cidr") }

// recvNetwork reads family, bits, whether it is a cidr (which the type decides), the address' length, the address.
func recvNetwork(b []byte, name string) (Datum, error) {
	bad := func(what string) error {
		return pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid %s in external \"%s\" value", what, name)
	}
	r := reader{b: b}
	n := network{family: r.uint8(), bits: int(r.uint8())}
	r.uint8()
	length := int(r.uint8())
	switch {
	case r.short:
		return Null, badBinary()
	case n.family != familyIPv4 && n.family != familyIPv6:
		return Null, bad("address family")
	}
	size := 4
	if n.family == familyIPv6 {
		size = 16
	}
	if n.bits > size*8 {
		return Null, bad("bits")
	}
	if length != size {
		return Null, bad("length")
	}
	n.addr = r.bytes(size)
	if r.short {
		return Null, badBinary()
	}
	if len(r.b) > 0 {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	if name == "cidr" && n.hasHostBits() {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid external \"cidr\" value").
			WithDetail("Value has bits set to right of mask.")
	}
	return n.datum(), nil
}

func inetSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) { return sendNetwork(dst, d, 0), nil }
func cidrSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) { return sendNetwork(dst, d, 1), nil }

func sendNetwork(dst []byte, d Datum, isCIDR byte) []byte {
	n := d.network()
	return append(append(dst, n.family, byte(n.bits), isCIDR, byte(len(n.addr))), n.addr...)
}
