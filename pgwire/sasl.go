package pgwire

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"strings"

	"github.com/calfdb/calf/pgwire/scram"
	"github.com/calfdb/calf/sql/pgerr"
	xscram "github.com/xdg-go/scram"
)

const (
	mechScram     = "SCRAM-SHA-256"
	mechScramPlus = "SCRAM-SHA-256-PLUS"
)

// authScram runs the SCRAM-SHA-256 exchange. A user without a usable secret gets the same exchange with a made-up one, so that nobody
// learns which users exist.
func (c *Conn) authScram(user string) error {
	stored, ok := c.srv.Backend.Secret(c.ctx, user)
	secret, parsed := scram.Parse(stored)
	doomed := !ok || !parsed
	if doomed {
		secret = c.srv.mockSecret(user)
	}
	binding := c.channelBinding()
	mechs := mechScram + "\x00\x00"
	if binding.IsSupported() {
		mechs = mechScramPlus + "\x00" + mechs
	}
	c.w.auth(authSASL, []byte(mechs))
	mech, first, err := c.saslInitial()
	if err != nil {
		return err
	}
	conv, err := newConversation(secret, mech, first, binding)
	if err != nil {
		return err
	}
	challenge, err := conv.Step(first)
	if err != nil {
		return errMalformedScram(err)
	}
	c.w.auth(authSASLContinue, []byte(challenge))
	final, err := c.saslResponse()
	if err != nil {
		return err
	}
	verdict, err := conv.Step(final)
	switch {
	case err != nil && verdict != xscram.ErrInvalidProof:
		return errMalformedScram(err)
	case err != nil || doomed || !conv.Valid():
		return c.errPassword(user, "wrong password, or no such role or password")
	}
	c.w.auth(authSASLFinal, []byte(verdict))
	return nil
}

func errMalformedScram(cause error) error {
	e := pgerr.Fatal(pgerr.ProtocolViolation, "malformed SCRAM message")
	e.Detail = strings.ToUpper(cause.Error()[:1]) + cause.Error()[1:] + "."
	return e
}

// newConversation picks the conversation for the mechanism that the client chose.
func newConversation(secret *scram.Secret, mech, first string, binding xscram.ChannelBinding) (*xscram.ServerConversation, error) {
	server, err := xscram.SHA256.NewServer(func(string) (xscram.StoredCredentials, error) {
		return xscram.StoredCredentials{
			KeyFactors: xscram.KeyFactors{Salt: string(secret.Salt), Iters: secret.Iterations},
			StoredKey:  secret.StoredKey, ServerKey: secret.ServerKey,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case mech == mechScramPlus && binding.IsSupported():
		return server.NewConversationWithChannelBindingRequired(binding), nil
	case mech == mechScram && strings.HasPrefix(first, "p="):
		return nil, pgerr.Fatal(pgerr.ProtocolViolation, "malformed SCRAM message").
			WithDetail("The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.")
	case mech == mechScram && binding.IsSupported():
		return server.NewConversationWithChannelBinding(binding), nil
	case mech == mechScram:
		return server.NewConversation(), nil
	}
	return nil, pgerr.Fatal(pgerr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
}

// saslInitial waits for SASLInitialResponse.
func (c *Conn) saslInitial() (mech, first string, err error) {
	body, err := c.saslMessage()
	if err != nil {
		return "", "", err
	}
	d := decoder{b: body}
	mech = strings.Clone(d.cstring())
	if n := d.int32(); n >= 0 {
		first = string(d.take(int(n)))
	}
	if e := d.end(); e != nil {
		e.Severity = "FATAL"
		return "", "", e
	}
	if first == "" {
		// The client may keep its first message back until it is asked.
		c.w.auth(authSASLContinue, nil)
		first, err = c.saslResponse()
	}
	return mech, first, err
}

func (c *Conn) saslResponse() (string, error) {
	body, err := c.saslMessage()
	return string(body), err
}

func (c *Conn) saslMessage() ([]byte, error) {
	if err := c.w.Flush(); err != nil {
		return nil, err
	}
	_, body, err := c.in.message(saslLimit)
	return body, err
}

func saslLimit(t byte) (int, error) {
	if t != 'p' {
		return 0, pgerr.Fatal(pgerr.ProtocolViolation, "expected SASL response, got message type %d", t)
	}
	return authMessageBytesMax, nil
}

// channelBinding is tls-server-end-point (RFC 5929): the hash of the certificate that the client saw.
func (c *Conn) channelBinding() xscram.ChannelBinding {
	if len(c.serverCert) == 0 {
		return xscram.ChannelBinding{}
	}
	cert, err := x509.ParseCertificate(c.serverCert)
	if err != nil {
		return xscram.ChannelBinding{}
	}
	var sum []byte
	switch cert.SignatureAlgorithm {
	case x509.SHA384WithRSA, x509.SHA384WithRSAPSS, x509.ECDSAWithSHA384:
		h := sha512.Sum384(c.serverCert)
		sum = h[:]
	case x509.SHA512WithRSA, x509.SHA512WithRSAPSS, x509.ECDSAWithSHA512:
		h := sha512.Sum512(c.serverCert)
		sum = h[:]
	case x509.PureEd25519:
		return xscram.ChannelBinding{} // no hash is defined for it
	default:
		h := sha256.Sum256(c.serverCert)
		sum = h[:]
	}
	return xscram.ChannelBinding{Type: xscram.ChannelBindingTLSServerEndpoint, Data: sum}
}

// mockSecret is the secret of a user who has none: its salt is steady for a user name, its keys match no password.
func (s *Server) mockSecret(user string) *scram.Secret {
	derive := func(what string) []byte {
		h := hmac.New(sha256.New, s.mockKey[:])
		h.Write([]byte(what))
		h.Write([]byte(user))
		return h.Sum(nil)
	}
	return &scram.Secret{Iterations: scram.DefaultIterations, Salt: derive("salt")[:16], StoredKey: derive("stored"), ServerKey: derive("server")}
}
