package regress

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgproto3/v2"
	"github.com/rs/zerolog"

	"github.com/calfdb/calf/executor/session"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/settings"
)

// scriptConn is a client without a client's cost: it sends prepared bytes, one round trip a Read, and drops the answers.
type scriptConn struct {
	net.Conn
	steps  [][]byte // the start-up packet and what sets the stage
	script []byte   // then this, n times
	n      int
	warm   int    // round trips before begin is called
	begin  func() // the measured part begins
	done   chan struct{}
	out    []byte // of the last write
	writes int
	once   sync.Once
}

func (c *scriptConn) Read(p []byte) (int, error) {
	if len(c.steps) > 0 {
		s := c.steps[0]
		c.steps = c.steps[1:]
		return copy(p, s), nil
	}
	if c.warm > 0 {
		if c.warm--; c.warm == 0 {
			c.writes = 0
			c.begin()
		}
	} else if c.n == 0 {
		c.once.Do(func() { close(c.done) })
		return 0, io.EOF
	} else {
		c.n--
	}
	return copy(p, c.script), nil
}

func (c *scriptConn) Write(p []byte) (int, error) {
	c.writes++
	c.out = append(c.out[:0], p...)
	return len(p), nil
}

func (c *scriptConn) Close() error                     { return nil }
func (c *scriptConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptConn) SetWriteDeadline(time.Time) error { return nil }
func (c *scriptConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptConn) RemoteAddr() net.Addr             { return &net.UnixAddr{Net: "unix"} }
func (c *scriptConn) LocalAddr() net.Addr              { return &net.UnixAddr{Net: "unix"} }

// scriptListener hands out the connections that it is given.
type scriptListener chan net.Conn

func (l scriptListener) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l scriptListener) Close() error   { return nil }
func (l scriptListener) Addr() net.Addr { return &net.UnixAddr{Net: "unix"} }

func encodeMessages(tb testing.TB, messages ...pgproto3.FrontendMessage) []byte {
	var b []byte
	var err error
	for _, m := range messages {
		if b, err = m.Encode(b); err != nil {
			tb.Fatal(err)
		}
	}
	return b
}

// stage is a server with a filled table of accounts.
type stage struct {
	tb   testing.TB
	conn scriptListener
}

const stageRows = 10000

func newStage(tb testing.TB) *stage {
	srv, err := session.Open(session.Options{DataDir: filepath.Join(tb.TempDir(), "data"), Superuser: "postgres", Settings: settings.NewServer(), Log: zerolog.Nop()})
	if err != nil {
		tb.Fatal(err)
	}
	s := &stage{tb: tb, conn: make(scriptListener)}
	wire := &pgwire.Server{Backend: trustAll{srv}, Log: zerolog.Nop()}
	go wire.Serve(s.conn)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		close(s.conn)
		wire.Shutdown(ctx)
		if err := srv.Close(); err != nil {
			tb.Error(err)
		}
	})
	c := s.start([]string{
		"create table accounts (aid int primary key, bid int, abalance int, filler char(84))",
		"insert into accounts select n, 1, 0, '' from generate_series(1, 10000) n",
		"create table names (a text, b int, c int, primary key (a, b))",
		"insert into names select 'name ' || n, n, n from generate_series(1, 10000) n",
		"create index on names (a)", "vacuum analyze"}, nil, 0)
	<-c.done
	return s
}

// start runs set-up statements, then the script: some rounds to reach the steady state, then n.
func (s *stage) start(setUp []string, script []byte, n int) *scriptConn {
	c := &scriptConn{script: script, n: n, done: make(chan struct{}), begin: func() {}}
	c.steps = append(c.steps, encodeMessages(s.tb, &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "postgres", "database": "postgres"}}))
	for _, sql := range setUp {
		c.steps = append(c.steps, encodeMessages(s.tb, &pgproto3.Query{String: sql}))
	}
	if script != nil {
		c.warm = 200
	}
	if b, ok := s.tb.(*testing.B); ok {
		c.begin = b.ResetTimer
	}
	s.conn <- c
	return c
}

// roundTrip is a script that is played again and again.
type roundTrip struct {
	name     string
	setUp    []string
	messages []pgproto3.FrontendMessage
}

func bindExecute(statement string, params ...string) []pgproto3.FrontendMessage {
	b := &pgproto3.Bind{PreparedStatement: statement}
	for _, p := range params {
		b.Parameters = append(b.Parameters, []byte(p))
	}
	return []pgproto3.FrontendMessage{b, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{}}
}

var roundTrips = []roundTrip{
	{name: "point select, prepared", setUp: []string{"prepare p as select abalance from accounts where aid = $1"}, messages: bindExecute("p", "00007")},
	{name: "text key, prepared", setUp: []string{"prepare p as select c from names where a = $1"}, messages: bindExecute("p", "name 1007")},
	{name: "two-column key, prepared", setUp: []string{"prepare p as select c from names where a = $1 and b = $2"}, messages: bindExecute("p", "name 5", "5")},
	{name: "point select, unnamed", messages: append([]pgproto3.FrontendMessage{&pgproto3.Parse{Query: "select abalance from accounts where aid = $1"}},
		bindExecute("", "00007")...)},
	{name: "point select, simple", messages: []pgproto3.FrontendMessage{&pgproto3.Query{String: "select abalance from accounts where aid = 7007;"}}},
}

// run plays the script n times and gives the connection afterwards.
func (s *stage) run(r *roundTrip, n int) *scriptConn {
	script := encodeMessages(s.tb, r.messages...)
	c := s.start(r.setUp, script, n)
	<-c.done
	return c
}

// BenchmarkRoundTrip: from message bytes in to reply bytes out, with a real session.
func BenchmarkRoundTrip(b *testing.B) {
	s := newStage(b)
	for i := range roundTrips {
		b.Run(roundTrips[i].name, func(b *testing.B) {
			b.ReportAllocs()
			(&stage{b, s.conn}).run(&roundTrips[i], b.N)
		})
	}
}

// messageTypes gives the types of the messages in b, for a look at an answer.
func messageTypes(b []byte) string {
	var out []byte
	for len(b) >= 5 {
		out = append(out, b[0])
		b = b[1+binary.BigEndian.Uint32(b[1:]):]
	}
	return string(out)
}

// TestRoundTripAllocations: a point SELECT makes no allocation in the steady state, and one write.
func TestRoundTripAllocations(t *testing.T) {
	s := newStage(t)
	for i := range roundTrips {
		r := &roundTrips[i]
		const n = 3000
		var c *scriptConn
		few := testing.AllocsPerRun(2, func() { s.run(r, 100) })
		many := testing.AllocsPerRun(2, func() { c = s.run(r, 100+n) })
		if per := (many - few) / n; per > 0.05 {
			t.Errorf("%s: %.2f allocations a round trip", r.name, per)
		}
		if got := messageTypes(c.out); got != "2TDCZ" && got != "12TDCZ" && got != "TDCZ" {
			t.Errorf("%s: answered with %s", r.name, got)
		}
	}
}
