package pgwire

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/jackc/pgproto3/v2"
)

// alive checks that a new connection works.
func alive(t *testing.T, addr string) {
	t.Helper()
	c := dial(t, addr)
	if got := c.start(); !strings.Contains(got, "ReadyForQuery I") {
		t.Fatalf("no new connection: %s", got)
	}
	c.put(&pgproto3.Query{String: "echo ok"})
	c.send()
	if got := c.read("Z", 5*time.Second); !strings.Contains(got, `DataRow "ok"`) {
		t.Fatalf("new connection: %s", got)
	}
	c.put(&pgproto3.Terminate{})
	c.send()
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

func waitGone(t *testing.T, srv *Server, left int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		srv.mu.Lock()
		n := len(srv.conns)
		srv.mu.Unlock()
		if n <= left {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are left", n)
		}
	}
}

// TestHostileBytes sends rubbish in every state. Each time the connection ends or goes on as it should, others work, memory comes back.
func TestHostileBytes(t *testing.T) {
	_, addr := startToy(t, &toyBackend{method: AuthScram}, nil)
	steady := dial(t, addr)
	steady.start()
	huge := func(typ string, size uint32) []byte {
		return append([]byte(typ), binary.BigEndian.AppendUint32(nil, size)...)
	}
	before := map[string][]byte{
		"http":                   []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
		"ssh":                    []byte("SSH-2.0-OpenSSH_9.0\r\n"),
		"tls hello":              {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3},
		"zeros":                  make([]byte, 4096),
		"ones":                   bytes.Repeat([]byte{0xff}, 4096),
		"half a length":          {0, 0},
		"length only":            {0, 0, 0, 100},
		"negative length":        huge("", 0xfffffff0),
		"one gigabyte announced": huge("", 1<<30),
		"cancel, short":          {0, 0, 0, 12, 4, 210, 22, 46, 0, 0, 0, 1},
		"cancel, long":           append([]byte{0, 0, 0, 20, 4, 210, 22, 46}, make([]byte, 12)...),
		"password first":         huge("p", 8),
		"sync first":             huge("S", 4),
	}
	for name, b := range before {
		t.Run("before start/"+name, func(t *testing.T) {
			c := dial(t, addr)
			_, _ = c.nc.Write(b)
			_ = c.nc.(*net.TCPConn).CloseWrite()
			if got := c.read("", 3*time.Second); !strings.HasSuffix(got, "(closed)\n") {
				t.Errorf("the connection stays open: %s", got)
			}
			alive(t, addr)
		})
	}
	auth := map[string][]byte{
		"not a password": huge("Q", 4), "too large": huge("p", 1<<20), "one gigabyte": huge("p", 1<<30), "empty": huge("p", 4),
		"unknown mechanism": append(huge("p", 4+5+4), "none\x00\xff\xff\xff\xff"...), "no mechanism": append(huge("p", 8), "abcd"...),
		"rubbish in SCRAM":  append(huge("p", 4+14+4+3), "SCRAM-SHA-256\x00\x00\x00\x00\x03xyz"...),
		"lying SASL length": append(huge("p", 4+14+4), "SCRAM-SHA-256\x00\x7f\xff\xff\xff"...),
	}
	for name, b := range auth {
		t.Run("authentication/"+name, func(t *testing.T) {
			c := dial(t, addr)
			c.put(startupMessage("user", "ann"))
			c.send()
			_, _ = c.nc.Write(b)
			_ = c.nc.(*net.TCPConn).CloseWrite()
			got := c.read("", 3*time.Second)
			if !strings.HasSuffix(got, "(closed)\n") || strings.Contains(got, "AuthenticationOk") {
				t.Errorf("%s", got)
			}
			alive(t, addr)
		})
	}
	after := map[string]struct {
		bytes []byte
		fatal bool
	}{
		"unknown type":             {huge("?", 4), true},
		"type zero":                {make([]byte, 64), true},
		"length 3":                 {huge("Q", 3), true},
		"length 0":                 {huge("Q", 0), true},
		"negative length":          {huge("Q", 0xffffffff), true},
		"above one gigabyte":       {huge("P", 1<<30+10), true},
		"large sync":               {huge("S", 20000), true},
		"large execute":            {huge("E", 1<<20), true},
		"query without end":        {append(huge("Q", 6), "ab"...), false},
		"query with two strings":   {append(huge("Q", 8), "a\x00b\x00"...), false},
		"query not UTF-8":          {append(huge("Q", 8), "\xc3\x28\xff\x00"...), false},
		"empty bind":               {append(huge("B", 4), huge("S", 4)...), false},
		"bind with lying counts":   {append(append(huge("B", 8), "\x00\x00\xff\xff"...), huge("S", 4)...), false},
		"bind, parameter too long": {append(append(huge("B", 14), "\x00\x00\x00\x00\x00\x01\x7f\xff\xff\xff"...), huge("S", 4)...), false},
		"bind, length -2":          {append(append(huge("B", 14), "\x00\x00\x00\x00\x00\x01\xff\xff\xff\xfe"...), huge("S", 4)...), false},
		"parse with lying count":   {append(append(huge("P", 8), "\x00\x00\xff\xff"...), huge("S", 4)...), false},
		"describe nothing":         {append(append(huge("D", 6), "X\x00"...), huge("S", 4)...), false},
		"close nothing":            {append(append(huge("C", 5), "S"...), huge("S", 4)...), false},
		"execute too short":        {append(append(huge("E", 6), "\x00\x00"...), huge("S", 4)...), false},
		"function call":            {append(huge("F", 8), 0, 0, 0, 1), false},
		"thousand syncs":           {bytes.Repeat(huge("S", 4), 1000), false},
	}
	for name, c := range after {
		t.Run("session/"+name, func(t *testing.T) {
			cl := dial(t, addr)
			cl.start()
			_, _ = cl.nc.Write(c.bytes)
			if c.fatal {
				got := cl.read("", 3*time.Second)
				if !strings.Contains(got, "FATAL 08P01") && !strings.Contains(got, "(closed)") {
					t.Errorf("%s", got)
				}
			} else {
				if got := cl.read("Z", 3*time.Second); !strings.Contains(got, "ReadyForQuery") {
					t.Errorf("%s", got)
				}
			}
			alive(t, addr)
		})
	}
	steady.put(&pgproto3.Query{String: "echo steady"})
	steady.send()
	if got := steady.read("Z", 5*time.Second); !strings.Contains(got, "steady") {
		t.Errorf("the steady connection: %s", got)
	}
}

// A message of an announced gigabyte of which little arrives costs little.
func TestAnnouncedLengthCostsNothing(t *testing.T) {
	srv, addr := startToy(t, &toyBackend{}, nil)
	before := heapBytes()
	var conns []*client
	for i := 0; i < 20; i++ {
		c := dial(t, addr)
		c.start()
		_, _ = c.nc.Write(append([]byte("Q\x3f\xff\xff\xff"), make([]byte, 1000)...))
		conns = append(conns, c)
	}
	time.Sleep(50 * time.Millisecond)
	if grown := heapBytes() - before; grown > 8<<20 {
		t.Errorf("20 connections grew the heap by %d", grown)
	}
	for _, c := range conns {
		_ = c.nc.Close()
	}
	waitGone(t, srv, 0)
}

// A large statement is taken, and its buffer is given back.
func TestLargeMessage(t *testing.T) {
	_, addr := startToy(t, &toyBackend{}, nil)
	c := dial(t, addr)
	c.start()
	for i := 0; i < 2; i++ {
		c.put(&pgproto3.Query{String: "echo " + strings.Repeat("x", 8<<20)})
		go c.send()
		if got := c.read("Z", 20*time.Second); !strings.Contains(got, `DataRow "xxx`) {
			t.Fatalf("%.200s", got)
		}
	}
	c.put(&pgproto3.Query{String: "echo small"})
	c.send()
	c.read("Z", 5*time.Second)
}

// A client that does not read costs no memory: the server blocks in its write, and can still be told to terminate.
func TestClientThatDoesNotRead(t *testing.T) {
	b := &toyBackend{}
	srv, addr := startToy(t, b, nil)
	c := dial(t, addr)
	c.start()
	before := heapBytes()
	c.put(&pgproto3.Query{String: "big 1000000"}) // 1 GB
	c.send()
	time.Sleep(200 * time.Millisecond)
	if grown := heapBytes() - before; grown > 8<<20 {
		t.Errorf("the heap grew by %d", grown)
	}
	alive(t, addr)
	srv.Lookup(int32(c.pid)).Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating connection due to administrator command"))
	waitGone(t, srv, 0)
}

// A client that vanishes in the middle of a result, of a COPY, of a message.
func TestClientThatVanishes(t *testing.T) {
	b := &toyBackend{}
	srv, addr := startToy(t, b, nil)
	for _, last := range [][]byte{
		encode(t, &pgproto3.Query{String: "big 100000"}),
		encode(t, &pgproto3.Query{String: "copyin"}, &pgproto3.CopyData{Data: []byte("x")}),
		[]byte("Q\x00\x00\x10\x00half"),
		encode(t, &pgproto3.Parse{Query: "echo"}),
	} {
		c := dial(t, addr)
		c.start()
		_, _ = c.nc.Write(last)
		time.Sleep(20 * time.Millisecond)
		_ = c.nc.(*net.TCPConn).SetLinger(0)
		_ = c.nc.Close()
		waitGone(t, srv, 0)
		alive(t, addr)
	}
	waitGone(t, srv, 0)
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.closed) != b.opened {
		t.Errorf("%d sessions opened, %d closed", b.opened, len(b.closed))
	}
}

// Connections that never authenticate are dropped in time, and do not keep others out for ever.
func TestHalfOpenConnections(t *testing.T) {
	srv, addr := startToy(t, &toyBackend{}, func(s *Server) {
		s.AuthTimeout = func() time.Duration { return 100 * time.Millisecond }
		s.ConnsMax = func() int { return 8 }
	})
	var conns []*client
	for i := 0; i < 8; i++ {
		conns = append(conns, dial(t, addr))
	}
	for deadline := time.Now().Add(time.Second); ; time.Sleep(2 * time.Millisecond) {
		srv.mu.Lock()
		n := len(srv.conns)
		srv.mu.Unlock()
		if n == 8 || time.Now().After(deadline) {
			break
		}
	}
	c := dial(t, addr)
	if got := c.start(); !strings.Contains(got, "FATAL 53300: sorry, too many clients already") {
		t.Errorf("ninth: %s", got)
	}
	waitGone(t, srv, 0)
	alive(t, addr)
	for _, c := range conns {
		if got := c.read("", time.Second); got != "(closed)\n" {
			t.Errorf("half-open: %s", got)
		}
	}
}

// TestAsync pushes notifications to an idle session, while it is busy, and through a COPY.
func TestAsync(t *testing.T) {
	srv, addr := startToy(t, &toyBackend{}, nil)
	c := dial(t, addr)
	c.start()
	push := func(text string) {
		conn := srv.Lookup(int32(c.pid))
		s := conn.handle.Load().s.(*toySession)
		s.mu.Lock()
		s.notes = append(s.notes, text)
		s.mu.Unlock()
		conn.Wake()
	}
	push("one")
	if got := c.read("A", 2*time.Second); !strings.Contains(got, `"Payload":"one"`) {
		t.Errorf("idle: %s", got)
	}
	c.put(&pgproto3.Query{String: "copyin"})
	c.send()
	c.read("G", 2*time.Second)
	push("two")
	if got := c.quietRead(); got != "(silence)\n" {
		t.Errorf("in COPY: %s", got)
	}
	c.put(&pgproto3.CopyDone{})
	c.send()
	if got := c.read("A", 2*time.Second); !strings.Contains(got, "CommandComplete") || !strings.Contains(got, `"Payload":"two"`) {
		t.Errorf("after COPY: %s", got)
	}
	srv.Lookup(int32(c.pid)).Terminate(pgerr.Fatal(pgerr.AdminShutdown, "bye"))
	if got := c.read("", 2*time.Second); got != "ErrorResponse FATAL 57P01: bye\n(closed)\n" {
		t.Errorf("terminated: %s", got)
	}
}

// TestWakeStorm wakes a connection all the time while it works: nothing is lost, nothing hangs.
func TestWakeStorm(t *testing.T) {
	srv, addr := startToy(t, &toyBackend{}, nil)
	c := dial(t, addr)
	c.start()
	conn := srv.Lookup(int32(c.pid))
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			select {
			case <-stop:
				return
			default:
				conn.Wake()
			}
		}
	}()
	for i := 0; i < 300; i++ {
		c.put(&pgproto3.Query{String: fmt.Sprintf("echo %d", i)})
		c.send()
		if got := c.read("Z", 5*time.Second); !strings.Contains(got, fmt.Sprintf("DataRow \"%d\"", i)) {
			t.Fatalf("%d: %s", i, got)
		}
	}
	close(stop)
	wg.Wait()
}

// TestShutdown: idle sessions end at once, a transaction is waited for, then aborted at the limit.
func TestShutdown(t *testing.T) {
	b := &toyBackend{}
	srv, addr := startToy(t, b, nil)
	idle, open, stuck := dial(t, addr), dial(t, addr), dial(t, addr)
	for _, c := range []*client{idle, open, stuck} {
		c.start()
	}
	for _, c := range []*client{open, stuck} {
		c.put(&pgproto3.Query{String: "begin"})
		c.send()
		c.read("Z", time.Second)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Shutdown(ctx) }()
	const bye = "ErrorResponse FATAL 57P01: terminating connection due to administrator command\n(closed)\n"
	if got := idle.read("", 2*time.Second); got != bye {
		t.Errorf("idle: %s", got)
	}
	if nc, err := net.Dial("tcp", addr); err == nil {
		_ = nc.Close()
		t.Error("the listener is still open")
	}
	open.put(&pgproto3.Query{String: "end"})
	open.send()
	if got := open.read("", 2*time.Second); got != "CommandComplete {\"CommandTag\":\"END\"}\n"+bye {
		t.Errorf("open: %s", got)
	}
	cancel()
	if got := stuck.read("", 2*time.Second); got != bye {
		t.Errorf("stuck: %s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Idle connections are cheap.
func TestIdleConnectionsAreCheap(t *testing.T) {
	_, addr := startToy(t, &toyBackend{}, nil)
	before := heapBytes()
	const n = 200
	for i := 0; i < n; i++ {
		c := dial(t, addr)
		c.put(startupMessage())
		c.send()
		if _, err := c.nc.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if per := (heapBytes() - before) / n; per > 64<<10 {
		t.Errorf("%d bytes a connection", per)
	}
}
