package hba

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/pgerr"
)

const sample = `# TYPE  DATABASE        USER            ADDRESS                 METHOD
local   all             all                                     trust
host    replication     all             127.0.0.1/32            reject
host    "all"           all             127.0.0.1/32            password
hostssl secret,other    ann, "bob b"    10.0.0.0/8              scram-sha-256
hostnossl secret        all             10.0.0.0  255.0.0.0     reject
host    sameuser        +staff          all                     md5
host    all             @users          2001:db8::/32           \
   trust
`

func TestMatch(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "users"), []byte("carl # comment\ndora,emil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := Parse(filepath.Join(dir, FileName), sample)
	if err != nil {
		t.Fatal(err)
	}
	member := func(user, role string) bool { return user == "zoe" && role == "staff" }
	for _, c := range []struct{ user, db, addr, want string }{
		{"x", "y", "local", "trust"},
		{"x", "all", "127.0.0.1", "password"},
		{"x", "y", "127.0.0.1", `no pg_hba.conf entry for host "127.0.0.1", user "x", database "y", no encryption`},
		{"ann", "secret", "tls 10.1.2.3", "scram-sha-256"},
		{"bob b", "other", "tls 10.1.2.3", "scram-sha-256"},
		{"ann", "secret", "10.1.2.3", `pg_hba.conf rejects connection for host "10.1.2.3", user "ann", database "secret", no encryption`},
		{"zoe", "zoe", "192.168.0.1", "md5"},
		{"zoe", "y", "tls 192.168.0.1", `no pg_hba.conf entry for host "192.168.0.1", user "zoe", database "y", SSL encryption`},
		{"emil", "y", "2001:db8::1", "trust"},
		{"fred", "y", "2001:db8::1", `no pg_hba.conf entry for host "2001:db8::1", user "fred", database "y", no encryption`},
	} {
		q := &pgwire.AuthRequest{User: c.user, Database: c.db, Local: c.addr == "local", TLS: strings.HasPrefix(c.addr, "tls ")}
		q.Addr = &net.TCPAddr{IP: net.ParseIP(strings.TrimPrefix(c.addr, "tls ")), Port: 1}
		m, err := rules.Method(q, member)
		got := string(m)
		if err != nil {
			got = pgerr.From(err).Message
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if open := rules.Open(); open == nil || open.Line != 8 {
		t.Errorf("open rule: %+v", open)
	}
}

func TestBadLines(t *testing.T) {
	for line, want := range map[string]string{
		"remote all all trust":                "invalid connection type \"remote\"",
		"host all":                            "end-of-line before role specification",
		"host all all trust":                  "end-of-line before authentication method",
		"host all all 10.0.0.0 trust":         "invalid IP mask \"trust\"",
		"host all all 10.0.0.0/99 trust":      "invalid CIDR mask",
		"local all all ident":                 "\"ident\" is not supported",
		"local all all magic":                 "invalid authentication method \"magic\"",
		"local all \"x trust":                 "unterminated quoted string",
		"local all all trust clientcert":      "not in name=value format",
		"local all @nofile trust":             "could not open secondary authentication file",
		"host all all 10.0.0.0 ff::1 trust":   "IP address and mask do not match",
		"host all all 10.0.0.0 255.0.1.0 md5": "invalid IP mask",
	} {
		_, err := Parse("f", line)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "@") || strings.Contains(text, "same") {
			return // files and interfaces of this machine
		}
		_, _ = Parse("f", text)
	})
}
