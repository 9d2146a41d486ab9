package pgwire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/rs/zerolog"
)

// Conn is one client connection. Except where noted its methods belong to the connection's goroutine.
type Conn struct {
	srv  *Server
	raw  net.Conn // as accepted
	net  net.Conn // raw, or TLS on it
	in   *reader
	w    *Writer
	enc  *codec // client_encoding
	log  zerolog.Logger
	ctx  context.Context
	stop context.CancelFunc

	pid, key   int32
	local      bool // Unix socket
	tlsState   *tls.ConnectionState
	serverCert []byte // DER of the certificate the client saw, for channel binding

	session Session
	// handle publishes the session to other goroutines (cancel, shutdown).
	handle atomic.Pointer[sessionHandle]

	woken    atomic.Bool // Wake was called
	draining atomic.Bool // the server shuts down: end when no transaction is open
	killed   atomic.Bool // writes get a short deadline

	asyncFn      func() error // c.async, bound once
	status       byte         // of the last ReadyForQuery
	skipToSync   bool         // an error in the extended protocol
	bind         bindMessage
	parse        parseMessage
	idleDeadline time.Time
}

type sessionHandle struct{ s Session }

// Writer is the output of the connection.
func (c *Conn) Writer() *Writer { return c.w }

// PID identifies the connection to clients: pg_backend_pid(). Any goroutine.
func (c *Conn) PID() int32 { return c.pid }

// RemoteAddr is the client's address; for a Unix socket IsLocal is true and the address says nothing. Any goroutine.
func (c *Conn) RemoteAddr() net.Addr { return c.raw.RemoteAddr() }

// LocalAddr is the server's address of the connection. Any goroutine.
func (c *Conn) LocalAddr() net.Addr { return c.raw.LocalAddr() }

// IsLocal says whether the client came through the Unix socket. Any goroutine.
func (c *Conn) IsLocal() bool { return c.local }

// TLS is the state of the encrypted connection, or nil. Any goroutine.
func (c *Conn) TLS() *tls.ConnectionState { return c.tlsState }

// Log is the connection's logger. Any goroutine.
func (c *Conn) Log() *zerolog.Logger { return &c.log }

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// Wake makes the connection call Session.Async when it next waits for a command, or the check of a CopyReader now. Any goroutine.
func (c *Conn) Wake() {
	c.woken.Store(true)
	_ = c.net.SetReadDeadline(longAgo)
}

// killGrace is how long a connection that is being terminated may block in a write.
const killGrace = 200 * time.Millisecond

// kill makes blocked and later writes fail soon, so that a client that does not read cannot hold up the end of its session.
func (c *Conn) kill() {
	c.killed.Store(true)
	_ = c.net.SetWriteDeadline(time.Now().Add(killGrace))
}

// Terminate ends the connection with err (FATAL): pg_terminate_backend. Any goroutine; does not wait.
func (c *Conn) Terminate(err *pgerr.Error) {
	if h := c.handle.Load(); h != nil {
		h.s.Terminate(err)
		c.kill()
		c.Wake()
		return
	}
	_ = c.raw.Close()
}

// errIdle says that the client was silent for the session's idle timeout.
var errIdle = errors.New("idle timeout")

// readMessage takes the next message. A wake-up calls onWake first, whose error ends the wait.
func (c *Conn) readMessage(onWake func() error) (t byte, body []byte, err error) {
	for {
		t, body, err = c.in.message(commandLimit)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return t, body, err
		}
		if err := c.deadlinePassed(onWake); err != nil {
			return 0, nil, err
		}
	}
}

// deadlinePassed sorts out why a read was interrupted: a wake-up, the idle timeout, or a wake-up that was handled already.
func (c *Conn) deadlinePassed(onWake func() error) error {
	if !c.idleDeadline.IsZero() && !time.Now().Before(c.idleDeadline) && !c.woken.Load() {
		c.idleDeadline = time.Time{}
		_ = c.net.SetReadDeadline(time.Time{})
		return errIdle
	}
	// The order matters: Wake sets the flag, then the deadline. Whatever comes after this reset interrupts the read again.
	_ = c.net.SetReadDeadline(c.idleDeadline)
	if onWake == nil {
		return nil
	}
	return onWake()
}

// nextCommand waits for the next message of the main loop.
func (c *Conn) nextCommand() (t byte, body []byte, err error) {
	if c.woken.Load() {
		if err := c.async(); err != nil {
			return 0, nil, err
		}
	}
	armed := false
	if c.in.buffered() == 0 {
		if d := c.session.IdleTimeout(); d > 0 {
			armed = true
			c.idleDeadline = time.Now().Add(d)
			_ = c.net.SetReadDeadline(c.idleDeadline)
			if c.woken.Load() { // the wake-up's deadline may have been overwritten
				_ = c.net.SetReadDeadline(longAgo)
			}
		}
	}
	t, body, err = c.readMessage(c.asyncFn)
	if armed {
		c.idleDeadline = time.Time{}
		_ = c.net.SetReadDeadline(time.Time{})
		if c.woken.Load() {
			_ = c.net.SetReadDeadline(longAgo)
		}
	}
	if err == errIdle {
		return 0, nil, c.session.IdleTimedOut()
	}
	return t, body, err
}

// async lets the session write what came up while the client was idle.
func (c *Conn) async() error {
	if !c.woken.Swap(false) {
		return nil
	}
	if c.draining.Load() && c.status == 'I' {
		return errShutdown()
	}
	if err := c.session.Async(); err != nil {
		return err
	}
	return c.w.Flush()
}
