package pgwire

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/binary"
	"net"
	"time"

	"github.com/calfdb/calf/pgwire/scram"
	"github.com/calfdb/calf/sql/pgerr"
)

// AuthMethod is how a client proves who it is, by its name in pg_hba.conf.
type AuthMethod string

const (
	AuthTrust    AuthMethod = "trust"
	AuthReject   AuthMethod = "reject"
	AuthPassword AuthMethod = "password"
	AuthMD5      AuthMethod = "md5" // SCRAM when the stored secret is one, as in PostgreSQL
	AuthScram    AuthMethod = "scram-sha-256"
)

// AuthRequest is who wants in, and from where.
type AuthRequest struct {
	User, Database string
	Replication    bool
	Local          bool // Unix socket; Addr says nothing then
	Addr           net.Addr
	TLS            bool
}

// Authenticator decides about clients.
type Authenticator interface {
	// Method finds the rule for a client. An error is sent as FATAL; rejection by rule is such an error too.
	Method(r *AuthRequest) (AuthMethod, error)
	// Secret gives the stored password of a role that may log in with it now. ok is false for an unknown role, one without a password,
	// and one whose password has expired: the client cannot tell these from a wrong password.
	Secret(ctx context.Context, user string) (stored string, ok bool)
}

const (
	authOk                = 0
	authCleartextPassword = 3
	authMD5Password       = 5
	authSASL              = 10
	authSASLContinue      = 11
	authSASLFinal         = 12
)

func (w *Writer) auth(code int32, data []byte) {
	w.begin('R')
	w.int32(code)
	w.buf = append(w.buf, data...)
	w.end()
}

// authenticate runs the method that the rules give for this client, and answers AuthenticationOk.
func (c *Conn) authenticate(p *StartupParams) error {
	method, err := c.srv.Backend.Method(&AuthRequest{
		User: p.User, Database: p.Database, Replication: p.Replication != "" && p.Replication != "false",
		Local: c.local, Addr: c.raw.RemoteAddr(), TLS: c.tlsState != nil,
	})
	if err != nil {
		return err
	}
	switch method {
	case AuthTrust:
	case AuthPassword:
		err = c.authCleartext(p.User)
	case AuthScram:
		err = c.authScram(p.User)
	case AuthMD5:
		err = c.authMD5(p.User)
	default:
		err = pgerr.Fatal(pgerr.FeatureNotSupported, "authentication method %q is not supported", string(method))
	}
	if err != nil {
		return err
	}
	c.w.auth(authOk, nil)
	return nil
}

// errPassword is the answer to every failed password exchange, after a delay that makes guessing slow.
func (c *Conn) errPassword(user, why string) error {
	c.log.Info().Str("user", user).Str("reason", why).Msg("password authentication failed")
	select {
	case <-time.After(c.srv.AuthFailureDelay):
	case <-c.ctx.Done():
	}
	return pgerr.Fatal(pgerr.InvalidPassword, "password authentication failed for user \"%s\"", user)
}

// password asks for a password message and waits for it.
func (c *Conn) password(code int32, data []byte) (string, error) {
	c.w.auth(code, data)
	if err := c.w.Flush(); err != nil {
		return "", err
	}
	_, body, err := c.in.message(authLimit)
	if err != nil {
		return "", err
	}
	d := decoder{b: body}
	s := d.cstring()
	if d.end() != nil {
		return "", pgerr.Fatal(pgerr.ProtocolViolation, "invalid password packet size")
	}
	if s == "" {
		return "", pgerr.Fatal(pgerr.InvalidPassword, "empty password returned by client")
	}
	return s, nil
}

func (c *Conn) authCleartext(user string) error {
	password, err := c.password(authCleartextPassword, nil)
	if err != nil {
		return err
	}
	stored, ok := c.srv.Backend.Secret(c.ctx, user)
	if !ok {
		stored = c.srv.mockSecret(user).String() // the same work as for a known user
	}
	if !scram.Verify(user, password, stored) || !ok {
		return c.errPassword(user, "wrong password, or no such role or password")
	}
	return nil
}

func (c *Conn) authMD5(user string) error {
	stored, ok := c.srv.Backend.Secret(c.ctx, user)
	if !ok || !scram.IsMD5(stored) {
		return c.authScram(user)
	}
	var salt [4]byte
	if _, err := rand.Read(salt[:]); err != nil {
		return pgerr.Internal("could not generate random salt")
	}
	answer, err := c.password(authMD5Password, salt[:])
	if err != nil {
		return err
	}
	want := scram.MD5Salted([]byte(stored[len("md5"):]), string(salt[:]))
	if subtle.ConstantTimeCompare([]byte(answer), []byte(want)) != 1 {
		return c.errPassword(user, "wrong password")
	}
	return nil
}

// randomInt32 makes a cancel key.
func randomInt32() int32 {
	var b [4]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic("pgwire: no random numbers: " + err.Error())
	}
	return int32(binary.BigEndian.Uint32(b[:]))
}
