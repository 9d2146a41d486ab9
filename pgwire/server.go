package pgwire

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/rs/zerolog"
)

// Server accepts clients on any number of listeners. Set the fields, then call Serve for each listener.
type Server struct {
	Backend Backend
	Log     zerolog.Logger

	// TLS gives the configuration for the next connection, nil while ssl is off. The function may be nil.
	TLS func() *tls.Config
	// AuthTimeout is how long a client may take from connect to authenticated; nil means 60 s.
	AuthTimeout func() time.Duration
	// AuthFailureDelay holds back the answer to a wrong password.
	AuthFailureDelay time.Duration
	// ConnsMax bounds all connections, those that have not authenticated yet included; nil means no bound. (max_connections itself, with
	// its reserved slots, is the Backend's to keep: it knows who is a superuser.)
	ConnsMax func() int

	once     sync.Once
	mockKey  [32]byte
	mu       sync.Mutex
	conns    map[int32]*Conn
	nextPID  int32
	listener map[net.Listener]struct{}
	stopping bool
	wg       sync.WaitGroup
}

func (s *Server) init() {
	s.once.Do(func() {
		s.conns = map[int32]*Conn{}
		s.listener = map[net.Listener]struct{}{}
		s.nextPID = int32(os.Getpid())
		if _, err := rand.Read(s.mockKey[:]); err != nil {
			panic("pgwire: no random numbers: " + err.Error())
		}
	})
}

// ErrServerClosed is what Serve returns after Shutdown.
var ErrServerClosed = errors.New("pgwire: server closed")

// Serve accepts connections on l until Shutdown. It closes l.
func (s *Server) Serve(l net.Listener) error {
	s.init()
	s.mu.Lock()
	if s.stopping {
		s.mu.Unlock()
		_ = l.Close()
		return ErrServerClosed
	}
	s.listener[l] = struct{}{}
	s.mu.Unlock()
	for {
		nc, err := l.Accept()
		if err != nil {
			if s.isStopping() {
				return ErrServerClosed
			}
			var ne net.Error
			if errors.As(err, &ne) && !errors.Is(err, net.ErrClosed) {
				// Out of file descriptors, most likely: it passes when a client leaves.
				s.Log.Error().Err(err).Msg("accept failed")
				time.Sleep(50 * time.Millisecond)
				continue
			}
			return fmt.Errorf("accepting connections: %w", err)
		}
		if c := s.newConn(nc); c != nil {
			go s.run(c)
		}
	}
}

func (s *Server) isStopping() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopping
}

// newConn registers a connection under a fresh process id; nil when the server is stopping.
func (s *Server) newConn(nc net.Conn) *Conn {
	ctx, stop := context.WithCancel(context.Background())
	_, local := nc.(*net.UnixConn)
	c := &Conn{srv: s, raw: nc, net: nc, in: newReader(nc), w: NewWriter(nc), ctx: ctx, stop: stop, local: local, key: randomInt32()}
	c.w.beforeWrite = func() {
		if c.killed.Load() {
			_ = c.net.SetWriteDeadline(time.Now().Add(killGrace))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		stop()
		_ = nc.Close()
		return nil
	}
	c.pid = s.newPID()
	s.conns[c.pid] = c
	s.wg.Add(1)
	c.log = s.Log.With().Int32("pid", c.pid).Logger()
	return c
}

// newPID gives a process id that no connection has. The caller holds mu.
func (s *Server) newPID() int32 {
	for {
		s.nextPID++
		if s.nextPID <= 0 {
			s.nextPID = 1
		}
		if s.conns[s.nextPID] == nil {
			return s.nextPID
		}
	}
}

// NewPID gives a process id to something that is not a connection and shows beside them.
func (s *Server) NewPID() int32 {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newPID()
}

func (s *Server) forget(c *Conn) {
	s.mu.Lock()
	delete(s.conns, c.pid)
	s.mu.Unlock()
	s.wg.Done()
}

// refuse turns away a client when too many are connected.
func (s *Server) refuse(*Conn) error {
	if s.ConnsMax == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if limit := s.ConnsMax(); limit > 0 && len(s.conns) > limit {
		return pgerr.Fatal(pgerr.TooManyConnections, "sorry, too many clients already")
	}
	return nil
}

func (s *Server) authTimeout() time.Duration {
	if s.AuthTimeout != nil {
		if d := s.AuthTimeout(); d > 0 {
			return d
		}
	}
	return time.Minute
}

// run is the life of a connection.
func (s *Server) run(c *Conn) {
	defer s.forget(c)
	defer c.stop()
	defer c.raw.Close()
	err := c.serve()
	c.goodbye(err)
	c.closeSession(err)
	if c.tlsState != nil {
		_ = c.net.SetWriteDeadline(time.Now().Add(killGrace))
		_ = c.net.Close()
	}
}

// serve starts the session and handles its messages; a panic becomes FATAL XX000.
func (c *Conn) serve() (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Error().Str("stack", string(debug.Stack())).Msgf("panic in a session: %v", r)
			err = pgerr.Fatal(pgerr.InternalError, "internal error: %v", r)
		}
	}()
	if err := c.startup(); err != nil {
		return err
	}
	return c.loop()
}

// goodbye tells the client why the connection ends, when there is something to tell and somebody to hear it.
func (c *Conn) goodbye(err error) {
	var e *pgerr.Error
	switch {
	case err == errTerminate, err == errDone:
		return
	case errors.As(err, &e):
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.log.Info().Msg("authentication timed out")
		return
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		if c.session != nil {
			c.log.Debug().Msg("unexpected EOF on client connection")
		}
		return
	default:
		c.log.Info().Err(err).Msg("connection lost")
		return
	}
	if c.w.Err() != nil {
		return
	}
	if !isFatal(e) {
		fatal := *e
		fatal.Severity = "FATAL"
		e = &fatal
	}
	c.log.Info().Str("code", string(e.Code)).Msg(e.Message)
	_ = c.net.SetWriteDeadline(time.Now().Add(5 * time.Second))
	c.w.Error(e)
	c.w.flush()
}

// closeSession ends the session on every path; even a panic in it does not reach the server.
func (c *Conn) closeSession(reason error) {
	if c.session == nil {
		return
	}
	c.handle.Store(nil)
	if reason == errTerminate {
		reason = nil
	}
	defer func() {
		if r := recover(); r != nil {
			c.log.Error().Str("stack", string(debug.Stack())).Msgf("panic while closing a session: %v", r)
		}
	}()
	c.session.Close(reason)
}

// cancel passes a cancel request on to the session with this id and key.
func (s *Server) cancel(pid, key int32) bool {
	s.mu.Lock()
	c := s.conns[pid]
	s.mu.Unlock()
	if c == nil || c.key != key {
		return false
	}
	if h := c.handle.Load(); h != nil {
		h.s.Cancel()
	}
	return true
}

// Lookup finds a connection by its process id, for pg_cancel_backend and pg_terminate_backend; nil when there is none.
func (s *Server) Lookup(pid int32) *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns[pid]
}

// Cancel asks the running statement to stop. Any goroutine.
func (c *Conn) Cancel() {
	if h := c.handle.Load(); h != nil {
		h.s.Cancel()
	}
}

// Shutdown stops the server: no new connections, sessions end at their next moment without an open transaction, and when ctx is over
// the rest is terminated. It returns when all connections are gone, or with an error when some did not end within the abort grace.
func (s *Server) Shutdown(ctx context.Context) error {
	s.init()
	s.mu.Lock()
	s.stopping = true
	for l := range s.listener {
		_ = l.Close()
	}
	for _, c := range s.conns {
		c.draining.Store(true)
		if c.handle.Load() != nil {
			c.Wake()
		} else {
			_ = c.raw.SetDeadline(time.Now().Add(killGrace))
		}
	}
	s.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
	}
	s.each(func(c *Conn) { c.Terminate(errShutdown()) })
	select {
	case <-gone:
		return nil
	case <-time.After(abortGrace):
	}
	s.each(func(c *Conn) { _ = c.raw.Close() })
	select {
	case <-gone:
		return nil
	case <-time.After(abortGrace):
		return errors.New("some sessions did not end")
	}
}

// abortGrace is how long terminated sessions may take to roll back.
const abortGrace = 5 * time.Second

func (s *Server) each(f func(*Conn)) {
	s.mu.Lock()
	conns := make([]*Conn, 0, len(s.conns))
	for _, c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}
