// Package hba reads pg_hba.conf and finds the rule for a client, in PostgreSQL's syntax.
//
// One rule a line: type (local, host, hostssl, hostnossl, hostgssenc, hostnogssenc), databases, users, for the host types an address, then the
// method and its options. The first rule that fits decides; when none fits the client is refused. Supported methods: trust, reject, password,
// md5, scram-sha-256; another method makes the file invalid, so that nobody is let in by a rule that means something else.
//
// It imports pgwire (for the request and the methods) and pgerr.
package hba

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/pgerr"
)

// FileName is the file's name in the data directory.
const FileName = "pg_hba.conf"

// Rule is one line.
type Rule struct {
	Line    int
	Raw     string
	Type    string // local, host, hostssl, hostnossl, hostgssenc, hostnogssenc
	DBs     []Name
	Users   []Name
	Address string // as written: an address, all, samehost, samenet, or a host name
	nets    []netip.Prefix
	all     bool
	host    string // a host name, looked up when it is needed
	Method  pgwire.AuthMethod
	Options []string
}

// Name is one database or user of a rule. A quoted name is no keyword.
type Name struct {
	Text   string
	Quoted bool
}

// Rules are the lines of a file, in order.
type Rules []Rule

var methods = map[string]bool{"trust": true, "reject": true, "password": true, "md5": true, "scram-sha-256": true}

// otherMethods exist in PostgreSQL but not here.
var otherMethods = map[string]bool{"gss": true, "sspi": true, "ident": true, "peer": true, "ldap": true, "radius": true, "cert": true, "pam": true, "bsd": true}

// Load reads the file. Any wrong line makes it invalid; the error names line and reason.
func Load(path string) (Rules, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("could not open file %q: %w", path, err)
	}
	return Parse(path, string(text))
}

// Parse reads the text of a file. Names that begin with @ are files with more names, beside this one.
func Parse(path, text string) (Rules, error) {
	var rules Rules
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, number := lines[i], i+1
		for strings.HasSuffix(line, "\\") && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, "\\") + lines[i]
		}
		fields, err := tokenize(line)
		if err == nil && len(fields) == 0 {
			continue
		}
		var r Rule
		if err == nil {
			r, err = parseRule(filepath.Dir(path), fields)
		}
		if err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, number, err)
		}
		r.Line, r.Raw = number, strings.TrimRight(line, "\r")
		rules = append(rules, r)
	}
	return rules, nil
}

func parseRule(dir string, fields [][]Name) (r Rule, err error) {
	if len(fields[0]) != 1 {
		return r, fmt.Errorf("multiple values specified for connection type")
	}
	r.Type = fields[0][0].Text
	switch r.Type {
	case "local", "host", "hostssl", "hostnossl", "hostgssenc", "hostnogssenc":
	default:
		return r, fmt.Errorf("invalid connection type \"%s\"", r.Type)
	}
	if len(fields) < 2 {
		return r, fmt.Errorf("end-of-line before database specification")
	}
	if r.DBs, err = expand(dir, fields[1], 0); err != nil {
		return r, err
	}
	if len(fields) < 3 {
		return r, fmt.Errorf("end-of-line before role specification")
	}
	if r.Users, err = expand(dir, fields[2], 0); err != nil {
		return r, err
	}
	rest := fields[3:]
	if r.Type != "local" {
		if rest, err = r.takeAddress(rest); err != nil {
			return r, err
		}
	}
	return r, r.takeMethod(rest)
}

func (r *Rule) takeMethod(rest [][]Name) error {
	if len(rest) == 0 {
		return fmt.Errorf("end-of-line before authentication method")
	}
	if len(rest[0]) != 1 {
		return fmt.Errorf("multiple values specified for authentication type")
	}
	name := rest[0][0].Text
	switch {
	case methods[name]:
	case otherMethods[name]:
		return fmt.Errorf("authentication method \"%s\" is not supported", name)
	default:
		return fmt.Errorf("invalid authentication method \"%s\"", name)
	}
	r.Method = pgwire.AuthMethod(name)
	for _, f := range rest[1:] {
		for _, o := range f {
			if !strings.Contains(o.Text, "=") {
				return fmt.Errorf("authentication option not in name=value format: %s", o.Text)
			}
			return fmt.Errorf("unrecognized authentication option name: \"%s\"", o.Text[:strings.IndexByte(o.Text, '=')])
		}
	}
	return nil
}

// takeAddress reads address, or address and mask.
func (r *Rule) takeAddress(rest [][]Name) ([][]Name, error) {
	if len(rest) == 0 {
		return nil, fmt.Errorf("end-of-line before IP address specification")
	}
	if len(rest[0]) != 1 {
		return nil, fmt.Errorf("multiple values specified for host address")
	}
	tok := rest[0][0]
	rest = rest[1:]
	r.Address = tok.Text
	switch {
	case !tok.Quoted && tok.Text == "all":
		r.all = true
		return rest, nil
	case !tok.Quoted && (tok.Text == "samehost" || tok.Text == "samenet"):
		var err error
		r.nets, err = ownNets(tok.Text == "samenet")
		return rest, err
	}
	if p, err := netip.ParsePrefix(tok.Text); err == nil {
		r.nets = []netip.Prefix{p.Masked()}
		return rest, nil
	}
	if strings.Contains(tok.Text, "/") {
		return nil, fmt.Errorf("invalid CIDR mask in address \"%s\"", tok.Text)
	}
	addr, err := netip.ParseAddr(tok.Text)
	if err != nil {
		r.host = strings.ToLower(tok.Text)
		return rest, nil
	}
	if len(rest) == 0 || len(rest[0]) != 1 {
		return nil, fmt.Errorf("end-of-line before netmask specification")
	}
	bits, err := maskBits(addr, rest[0][0].Text)
	if err != nil {
		return nil, err
	}
	r.nets = []netip.Prefix{netip.PrefixFrom(addr, bits).Masked()}
	r.Address += " " + rest[0][0].Text
	return rest[1:], nil
}

func maskBits(addr netip.Addr, mask string) (int, error) {
	m, err := netip.ParseAddr(mask)
	if err != nil {
		return 0, fmt.Errorf("invalid IP mask \"%s\"", mask)
	}
	if m.BitLen() != addr.BitLen() {
		return 0, fmt.Errorf("IP address and mask do not match")
	}
	ones, size := net.IPMask(m.AsSlice()).Size()
	if size == 0 {
		return 0, fmt.Errorf("invalid IP mask \"%s\"", mask)
	}
	return ones, nil
}

// ownNets are the addresses of this host's interfaces, or the nets they are in.
func ownNets(whole bool) ([]netip.Prefix, error) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("listing network interfaces: %w", err)
	}
	var out []netip.Prefix
	for _, a := range addrs {
		p, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		if !whole {
			p = netip.PrefixFrom(p.Addr(), p.Addr().BitLen())
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// IsOpen says whether the rule lets clients from elsewhere than this machine in without proof.
func (r *Rule) IsOpen() bool {
	if r.Type == "local" || r.Method != pgwire.AuthTrust || r.Address == "samehost" {
		return false
	}
	if r.all || r.host != "" {
		return r.host != "localhost"
	}
	for _, p := range r.nets {
		if !p.Addr().IsLoopback() || p.Addr().Is4() && p.Bits() < 8 || p.Addr().Is6() && p.Bits() < 128 {
			return true
		}
	}
	return false
}

// Open finds the first rule that lets everybody from elsewhere in, or nil.
func (rs Rules) Open() *Rule {
	for i := range rs {
		if rs[i].IsOpen() {
			return &rs[i]
		}
	}
	return nil
}

// Match finds the rule for a client; nil when none fits. member says whether a role is a member of another, for +role; the error is its.
func (rs Rules) Match(q *pgwire.AuthRequest, member func(user, role string) bool) *Rule {
	for i := range rs {
		if rs[i].fits(q, member) {
			return &rs[i]
		}
	}
	return nil
}

func (r *Rule) fits(q *pgwire.AuthRequest, member func(user, role string) bool) bool {
	switch r.Type {
	case "local":
		if !q.Local {
			return false
		}
	case "hostgssenc":
		return false
	case "hostssl":
		if q.Local || !q.TLS {
			return false
		}
	case "hostnossl":
		if q.Local || q.TLS {
			return false
		}
	default:
		if q.Local {
			return false
		}
	}
	if r.Type != "local" && !r.fitsAddress(q.Addr) {
		return false
	}
	return r.fitsDatabase(q, member) && r.fitsUser(q, member)
}

func (r *Rule) fitsAddress(a net.Addr) bool {
	if r.all {
		return true
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return false
	}
	addr := ap.Addr().Unmap().WithZone("")
	if r.host != "" {
		return hostHas(r.host, addr)
	}
	for _, p := range r.nets {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// hostHas looks a host name up: forward for a name, backward and forward for a .domain.
func hostHas(host string, addr netip.Addr) bool {
	names := []string{host}
	if strings.HasPrefix(host, ".") {
		found, err := net.LookupAddr(addr.String())
		if err != nil {
			return false
		}
		names = nil
		for _, n := range found {
			if n = strings.ToLower(strings.TrimSuffix(n, ".")); strings.HasSuffix(n, host) {
				names = append(names, n)
			}
		}
	}
	for _, n := range names {
		ips, err := net.LookupIP(n)
		if err != nil {
			continue
		}
		for _, ip := range ips {
			if a, ok := netip.AddrFromSlice(ip); ok && a.Unmap() == addr {
				return true
			}
		}
	}
	return false
}

func (r *Rule) fitsDatabase(q *pgwire.AuthRequest, member func(user, role string) bool) bool {
	for _, n := range r.DBs {
		switch {
		case q.Replication:
			if !n.Quoted && n.Text == "replication" {
				return true
			}
		case !n.Quoted && n.Text == "all":
			return true
		case !n.Quoted && n.Text == "sameuser":
			if q.Database == q.User {
				return true
			}
		case !n.Quoted && (n.Text == "samerole" || n.Text == "samegroup"):
			if member(q.User, q.Database) {
				return true
			}
		case !n.Quoted && n.Text == "replication":
		case n.Text == q.Database:
			return true
		}
	}
	return false
}

func (r *Rule) fitsUser(q *pgwire.AuthRequest, member func(user, role string) bool) bool {
	for _, n := range r.Users {
		switch {
		case !n.Quoted && strings.HasPrefix(n.Text, "+"):
			if member(q.User, n.Text[1:]) {
				return true
			}
		case !n.Quoted && n.Text == "all", n.Text == q.User:
			return true
		}
	}
	return false
}

// Method is pgwire.Authenticator's answer for a client under these rules.
func (rs Rules) Method(q *pgwire.AuthRequest, member func(user, role string) bool) (pgwire.AuthMethod, error) {
	r := rs.Match(q, member)
	if r != nil && r.Method != pgwire.AuthReject {
		return r.Method, nil
	}
	host := "[local]"
	if !q.Local {
		host = q.Addr.String()
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
	}
	encryption := "no encryption"
	if q.TLS {
		encryption = "SSL encryption"
	}
	text := "no pg_hba.conf entry for"
	if r != nil {
		text = "pg_hba.conf rejects"
	}
	if q.Replication {
		if r == nil {
			text += " replication connection from"
		} else {
			text += " replication connection for"
		}
		return "", pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "%s host \"%s\", user \"%s\", %s", text, host, q.User, encryption)
	}
	if r != nil {
		text += " connection for"
	}
	return "", pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "%s host \"%s\", user \"%s\", database \"%s\", %s", text, host, q.User, q.Database, encryption)
}
