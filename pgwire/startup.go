package pgwire

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

const (
	codeCancel = 80877102
	codeSSL    = 80877103
	codeGSS    = 80877104

	protocolMajor = 3
	protocolMinor = 0

	nameBytesMax = 63 // NAMEDATALEN - 1
)

// errDone ends a connection that needs no answer: a cancel request, or a client that went away before it said anything.
var errDone = errors.New("done")

// negotiate handles everything before authentication: SSLRequest, GSSENCRequest, cancel requests, the start-up packet.
func (c *Conn) negotiate() (*StartupParams, error) {
	sslDone, gssDone := false, false
	for {
		packet, err := c.startupPacket()
		if err != nil {
			return nil, err
		}
		code := binary.BigEndian.Uint32(packet)
		switch {
		case code == codeCancel:
			c.cancelRequest(packet[4:])
			return nil, errDone
		case code == codeSSL && !sslDone:
			if err := c.answerSSL(); err != nil {
				return nil, err
			}
			sslDone = true
			gssDone = gssDone || c.tlsState != nil
		case code == codeGSS && !gssDone:
			if err := c.answerByte('N', "received unencrypted data after GSSAPI encryption request"); err != nil {
				return nil, err
			}
			gssDone = true
		default:
			return c.startupParams(code, packet[4:])
		}
	}
}

// startupPacket waits for one packet without type byte; it has at least 4 bytes.
func (c *Conn) startupPacket() ([]byte, error) {
	in := c.in
	if err := in.need(4); err != nil {
		if err == io.EOF {
			return nil, errDone
		}
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(in.buf[in.r:])) - 4
	if size < 4 || size > startupBytesMax {
		return nil, pgerr.Fatal(pgerr.ProtocolViolation, "invalid length of startup packet")
	}
	if err := in.need(4 + int(size)); err != nil {
		return nil, err
	}
	packet := in.buf[in.r+4 : in.r+4+int(size)]
	in.r += 4 + int(size)
	return packet, nil
}

// answerByte answers an encryption request. Bytes that were sent before the answer could have been slipped in by somebody else.
func (c *Conn) answerByte(b byte, injected string) error {
	if c.in.buffered() > 0 {
		return pgerr.Fatal(pgerr.ProtocolViolation, "%s", injected).
			WithDetail("This could be either a client-software bug or evidence of an attempted man-in-the-middle attack.")
	}
	_, err := c.net.Write([]byte{b})
	return err
}

func (c *Conn) answerSSL() error {
	const injected = "received unencrypted data after SSL request"
	var conf *tls.Config
	if c.srv.TLS != nil && !c.local {
		conf = c.srv.TLS()
	}
	if conf == nil {
		return c.answerByte('N', injected)
	}
	if err := c.answerByte('S', injected); err != nil {
		return err
	}
	t := tls.Server(c.raw, conf)
	if err := t.HandshakeContext(c.ctx); err != nil {
		c.log.Info().Err(err).Msg("could not accept SSL connection")
		return errDone
	}
	st := t.ConnectionState()
	c.tlsState = &st
	if len(conf.Certificates) > 0 {
		c.serverCert = conf.Certificates[0].Certificate[0]
	}
	c.net = t
	c.in.src = t
	c.w.out = t
	return nil
}

// cancelRequest cancels what the connection (pid, key) runs. The client gets no answer either way.
func (c *Conn) cancelRequest(body []byte) {
	if len(body) != 8 {
		return
	}
	pid := int32(binary.BigEndian.Uint32(body))
	key := int32(binary.BigEndian.Uint32(body[4:]))
	if !c.srv.cancel(pid, key) {
		c.log.Info().Int32("target", pid).Msg("cancel request: wrong key or no such process")
	}
}

// startupParams reads the start-up packet of protocol 3.
func (c *Conn) startupParams(version uint32, body []byte) (*StartupParams, error) {
	major, minor := version>>16, version&0xffff
	if major != protocolMajor {
		return nil, pgerr.Fatal(pgerr.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports %d.0 to %d.%d",
			major, minor, protocolMajor, protocolMajor, protocolMinor)
	}
	p := &StartupParams{}
	options, unknown, err := p.read(body)
	if err != nil {
		return nil, err
	}
	if minor > protocolMinor || len(unknown) > 0 {
		c.w.negotiateVersion(unknown)
	}
	if p.User == "" {
		return nil, pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "no PostgreSQL user name specified in startup packet")
	}
	if p.Database == "" {
		p.Database = p.User
	}
	p.User, p.Database = truncateName(p.User), truncateName(p.Database)
	p.rawOptions = options
	return p, nil
}

// read takes the name/value pairs; the result are the raw options and the protocol options that we do not know.
func (p *StartupParams) read(body []byte) (options string, unknown []string, err error) {
	d := decoder{b: body}
	for {
		name := strings.Clone(d.cstring())
		if name == "" {
			break
		}
		value := strings.Clone(d.cstring())
		switch {
		case name == "user":
			p.User = value
		case name == "database":
			p.Database = value
		case name == "options":
			options = value
		case name == "replication":
			p.Replication = value
		case strings.HasPrefix(name, "_pq_."):
			unknown = append(unknown, name)
		default:
			p.Settings = append(p.Settings, Setting{name, value})
		}
	}
	if d.err != nil || len(d.b) != 0 {
		return "", nil, pgerr.Fatal(pgerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
	}
	return options, unknown, nil
}

// truncateName cuts a name to what a catalog can hold, at a character boundary.
func truncateName(s string) string {
	if len(s) <= nameBytesMax {
		return s
	}
	return strings.ToValidUTF8(s[:nameBytesMax], "")
}

// negotiateVersion tells a client that asked for more which version and options we have.
func (w *Writer) negotiateVersion(unknown []string) {
	w.begin('v')
	w.int32(protocolMajor<<16 | protocolMinor)
	w.int32(int32(len(unknown)))
	for _, name := range unknown {
		w.cstring(name)
	}
	w.end()
	w.flush()
}

// startup brings the connection up to its first ReadyForQuery. errDone means that there is nobody to answer.
func (c *Conn) startup() error {
	_ = c.raw.SetDeadline(time.Now().Add(c.srv.authTimeout()))
	p, err := c.negotiate()
	if err != nil {
		return err
	}
	if err := c.srv.refuse(c); err != nil {
		return err
	}
	c.log = c.log.With().Str("user", p.User).Str("database", p.Database).Logger()
	if err := c.authenticate(p); err != nil {
		return err
	}
	if p.Options, err = ParseOptions(p.rawOptions); err != nil {
		return err
	}
	s, err := c.srv.Backend.Startup(c.ctx, c, p)
	if err != nil {
		return err
	}
	c.session = s
	_ = c.raw.SetDeadline(time.Time{})
	c.handle.Store(&sessionHandle{s})
	c.w.backendKeyData(c.pid, c.key)
	return nil
}

func (w *Writer) backendKeyData(pid, key int32) {
	w.begin('K')
	w.int32(pid)
	w.int32(key)
	w.end()
}
