package pgwire

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgproto3/v2"
	"github.com/rs/zerolog"
)

// scriptConn feeds a connection the same bytes again and again and drops the output: one Read gives one round trip's input.
type scriptConn struct {
	net.Conn
	script   []byte
	left     int
	writes   int
	outBytes int
}

func (c *scriptConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	c.left--
	return copy(p, c.script), nil
}

func (c *scriptConn) Write(p []byte) (int, error) {
	c.writes++
	c.outBytes += len(p)
	return len(p), nil
}

func (c *scriptConn) Close() error                     { return nil }
func (c *scriptConn) SetReadDeadline(time.Time) error  { return nil }
func (c *scriptConn) SetWriteDeadline(time.Time) error { return nil }
func (c *scriptConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }

// cannedSession answers everything with the same row.
type cannedSession struct {
	toySession
	fields []Field
}

func (s *cannedSession) Query(string) error { return s.Execute("", 0) }
func (s *cannedSession) Parse(string, string, []uint32) error {
	return nil
}
func (s *cannedSession) Bind(_, _ string, _ []int16, params [][]byte, _ []int16) error { return nil }
func (s *cannedSession) Describe(byte, string) error {
	s.w.RowDescription(s.fields, nil)
	return nil
}
func (s *cannedSession) Execute(string, int32) error {
	s.w.BeginRow(2)
	s.w.CellEnd(append(s.w.CellBegin(), "12345"...))
	s.w.CellNull()
	if err := s.w.EndRow(); err != nil {
		return err
	}
	s.w.CommandComplete("SELECT 1")
	return nil
}

func encode(t testing.TB, messages ...pgproto3.FrontendMessage) []byte {
	var b []byte
	var err error
	for _, m := range messages {
		if b, err = m.Encode(b); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// roundTrips runs n round trips of the script through the real loop, without the start-up.
func roundTrips(script []byte, n int) *scriptConn {
	nc := &scriptConn{script: script, left: n}
	srv := &Server{Log: zerolog.Nop()}
	srv.init()
	c := srv.newConn(nc)
	defer srv.forget(c)
	s := &cannedSession{fields: []Field{{Name: "abalance", TypeOID: 23}, {Name: "filler", TypeOID: 25}}}
	s.w, s.tx = c.w, 'I'
	c.session = s
	_ = c.loop()
	return nc
}

var scripts = map[string][]pgproto3.FrontendMessage{
	"BindExecuteSync": {&pgproto3.Bind{PreparedStatement: "P0_1", ParameterFormatCodes: []int16{0}, Parameters: [][]byte{[]byte("4711")}, ResultFormatCodes: []int16{0}},
		&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{}},
	"ParseBindExecuteSync": {&pgproto3.Parse{Query: "SELECT abalance FROM pgbench_accounts WHERE aid = $1", ParameterOIDs: []uint32{23}},
		&pgproto3.Bind{Parameters: [][]byte{[]byte("4711")}}, &pgproto3.Execute{}, &pgproto3.Sync{}},
	"Query": {&pgproto3.Query{String: "SELECT abalance FROM pgbench_accounts WHERE aid = 4711"}},
}

// BenchmarkRoundTrip: from message bytes in to reply bytes out, with a session that answers at once. 0 allocs/op.
func BenchmarkRoundTrip(b *testing.B) {
	for name, messages := range scripts {
		b.Run(name, func(b *testing.B) {
			script := encode(b, messages...)
			b.ReportAllocs()
			b.ResetTimer()
			roundTrips(script, b.N)
		})
	}
}

// TestRoundTripCost: in the steady state no allocation, one read and one write a round trip.
func TestRoundTripCost(t *testing.T) {
	for name, messages := range scripts {
		script := encode(t, messages...)
		const n = 2000
		setUp := testing.AllocsPerRun(5, func() { roundTrips(script, 0) })
		all := testing.AllocsPerRun(5, func() { roundTrips(script, n) })
		if perTrip := (all - setUp) / n; perTrip > 0.01 {
			t.Errorf("%s: %.3f allocations a round trip", name, perTrip)
		}
		if nc := roundTrips(script, n); nc.writes != n+1 {
			t.Errorf("%s: %d writes for %d round trips", name, nc.writes, n)
		}
	}
}

// FuzzSession throws bytes at a connection that is past its start-up: it must end or wait, never panic, and keep its memory bounded.
func FuzzSession(f *testing.F) {
	for _, messages := range scripts {
		f.Add(encode(f, messages...))
	}
	f.Add([]byte("Q\x00\x00\x00\x08\xff\xfe\x00\x00"))
	f.Add(append([]byte("Q\x00\x00\x00\x0bcopyin\x00"), "d\x00\x00\x00\x05xc\x00\x00\x00\x04"...))
	f.Fuzz(func(t *testing.T, input []byte) {
		nc := &scriptConn{script: input, left: 1}
		srv := &Server{Log: zerolog.Nop()}
		srv.init()
		c := srv.newConn(nc)
		defer srv.forget(c)
		c.in.src = bytes.NewReader(input)
		c.session = &toySession{b: &toyBackend{}, c: c, w: c.w, tx: 'I', stmts: map[string]string{}, portals: map[string]*toyPortal{}, cancel: make(chan struct{}, 1)}
		c.session.Cancel()
		if bytes.Contains(input, []byte("panic")) || bytes.Contains(input, []byte("rows")) || bytes.Contains(input, []byte("big")) || bytes.Contains(input, []byte("copyout")) || bytes.Contains(input, []byte("status")) {
			return // the toy language's own ways to panic or to be slow
		}
		_ = c.loop()
		if len(c.in.buf) > 2*len(input)+readBufferBytes {
			t.Errorf("%d bytes of input made a buffer of %d", len(input), len(c.in.buf))
		}
	})
}

// FuzzStartup does the same before authentication.
func FuzzStartup(f *testing.F) {
	f.Add(encode(f, startupMessage("options", "-c a=b")))
	f.Add([]byte{0, 0, 0, 8, 4, 210, 22, 47, 0, 0, 0, 8, 4, 210, 22, 48})
	f.Fuzz(func(t *testing.T, input []byte) {
		nc := &scriptConn{script: input, left: 1}
		srv := &Server{Log: zerolog.Nop(), Backend: &toyBackend{method: AuthScram}}
		srv.init()
		c := srv.newConn(nc)
		defer srv.forget(c)
		c.in.src = bytes.NewReader(input)
		_ = c.startup()
		if len(c.in.buf) > 2*startupBytesMax {
			t.Errorf("the buffer grew to %d before authentication", len(c.in.buf))
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, messages := range scripts {
		for _, m := range messages {
			f.Add(encode(f, m)[5:])
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var bind bindMessage
		if bind.decode(body) == nil {
			// What we accept, pgproto3 reads the same way.
			var ref pgproto3.Bind
			if err := ref.Decode(body); err != nil || ref.PreparedStatement != bind.stmt || ref.DestinationPortal != bind.portal || len(ref.Parameters) != len(bind.params) {
				t.Fatalf("pgproto3: %v %+v, ours %+v", err, ref, bind)
			}
			for i, p := range ref.Parameters {
				if !bytes.Equal(p, bind.params[i]) || (p == nil) != (bind.params[i] == nil) {
					t.Fatalf("parameter %d: %q and %q", i, p, bind.params[i])
				}
			}
		}
		var parse parseMessage
		_ = parse.decode(body)
		_, _ = ParseOptions(string(body))
		_ = checkUTF8(body)
	})
}
