package pgwire

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/pgwire/scram"
	"github.com/jackc/pgx/v5/pgconn"
)

func secret(t *testing.T, password string) string {
	t.Helper()
	s, err := scram.Build(password)
	if err != nil {
		t.Fatal(err)
	}
	if again, ok := scram.Parse(s.String()); !ok || again.String() != s.String() {
		t.Fatalf("secret does not survive: %s", s)
	}
	return s.String()
}

// TestPasswords lets a real driver in by every method, and refuses it with the same words for a wrong password, an unknown user and a
// user without a password.
func TestPasswords(t *testing.T) {
	for _, method := range []AuthMethod{AuthPassword, AuthScram, AuthMD5} {
		for _, withTLS := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s tls=%v", method, withTLS), func(t *testing.T) {
				b := &toyBackend{method: method, secrets: map[string]string{
					"ann": secret(t, "pâss wörd"), "old": scram.MD5("old", "pw"), "broken": "SCRAM-SHA-256$x",
				}}
				_, addr := startToy(t, b, func(s *Server) {
					if withTLS {
						conf := selfMade(t)
						s.TLS = func() *tls.Config { return conf }
					}
				})
				mode := "disable"
				if withTLS {
					mode = "require"
				}
				login := func(user, password string) error {
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
					defer cancel()
					conf, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s/db?sslmode=%s", addr, mode))
					if err != nil {
						t.Fatal(err)
					}
					conf.User, conf.Password = user, password
					c, err := pgconn.ConnectConfig(ctx, conf)
					if err == nil {
						_ = c.Close(ctx)
					}
					return err
				}
				if err := login("ann", "pâss wörd"); err != nil {
					t.Errorf("right password: %v", err)
				}
				if err := login("old", "pw"); (err == nil) != (method != AuthScram) {
					t.Errorf("md5 secret: %v", err)
				}
				for _, user := range []string{"ann", "nobody", "broken"} {
					err := login(user, "wrong")
					want := fmt.Sprintf("FATAL: password authentication failed for user \"%s\" (SQLSTATE 28P01)", user)
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s with a wrong password: %v", user, err)
					}
				}
			})
		}
	}
}

// A user that does not exist gets the same salt each time, as one that does.
func TestMockSecretIsSteady(t *testing.T) {
	s := &Server{}
	s.init()
	if a, b, c := s.mockSecret("x").String(), s.mockSecret("x").String(), s.mockSecret("y").String(); a != b || a == c {
		t.Errorf("%s %s %s", a, b, c)
	}
}

// Bytes sent before the answer to SSLRequest are refused: they may have been injected.
func TestInjectedBeforeTLS(t *testing.T) {
	conf := selfMade(t)
	_, addr := startToy(t, &toyBackend{}, func(s *Server) { s.TLS = func() *tls.Config { return conf } })
	c := dial(t, addr)
	c.queue(t, addr, "packet", "04d2162f")
	c.put(startupMessage())
	c.send()
	if got := c.read("Z", time.Second); !strings.Contains(got, "received unencrypted data after SSL request") {
		t.Error(got)
	}
}

func selfMade(t *testing.T) *tls.Config {
	t.Helper()
	conf, err := LoadTLS(TLSFiles{Dir: t.TempDir(), MakeOwn: true})
	if err != nil {
		t.Fatal(err)
	}
	return conf
}
