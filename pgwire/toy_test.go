package pgwire

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/rs/zerolog"
)

// toyBackend speaks a language of its own, so that the protocol is tested without SQL. Users: "trusty" needs no password, "out" is
// rejected, everybody else needs the secret that secrets has.
type toyBackend struct {
	secrets map[string]string
	method  AuthMethod
	mu      sync.Mutex
	closed  []string // reasons of Close
	opened  int
}

func (b *toyBackend) Method(r *AuthRequest) (AuthMethod, error) {
	switch r.User {
	case "trusty":
		return AuthTrust, nil
	case "out":
		return AuthReject, pgerr.Fatal(pgerr.InvalidAuthorizationSpecification, "rejected")
	}
	return b.method, nil
}

func (b *toyBackend) Secret(_ context.Context, user string) (string, bool) {
	s, ok := b.secrets[user]
	return s, ok
}

func (b *toyBackend) Startup(_ context.Context, c *Conn, p *StartupParams) (Session, error) {
	if p.Database == "missing" {
		return nil, pgerr.New(pgerr.InvalidCatalogName, "database \"%s\" does not exist", p.Database)
	}
	if p.Database == "panic" {
		panic("in startup")
	}
	for _, s := range append(p.Options, p.Settings...) {
		if s.Name == "client_encoding" && !c.SetClientEncoding(s.Value) {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid value for parameter \"client_encoding\": \"%s\"", s.Value)
		}
		c.Writer().ParameterStatus(s.Name, s.Value)
	}
	b.mu.Lock()
	b.opened++
	b.mu.Unlock()
	return &toySession{b: b, c: c, w: c.Writer(), tx: 'I', stmts: map[string]string{}, portals: map[string]*toyPortal{}, cancel: make(chan struct{}, 1)}, nil
}

type toyPortal struct {
	words []string
	sent  int
}

// toySession: each statement is a word with arguments; statements end with ';'.
type toySession struct {
	b       *toyBackend
	c       *Conn
	w       *Writer
	tx      byte
	idle    time.Duration
	stmts   map[string]string
	portals map[string]*toyPortal
	cancel  chan struct{}
	mu      sync.Mutex
	term    *pgerr.Error
	notes   []string
}

func (s *toySession) Query(sql string) error {
	if strings.TrimSpace(sql) == "" {
		s.w.EmptyQuery()
		return nil
	}
	for _, stmt := range strings.Split(sql, ";") {
		if err := s.run(strings.Fields(stmt)); err != nil {
			return s.fail(err)
		}
	}
	return nil
}

func (s *toySession) fail(err error) error {
	if s.tx == 'T' {
		s.tx = 'E'
	}
	return err
}

func (s *toySession) run(words []string) error {
	if len(words) == 0 {
		return nil
	}
	arg := ""
	if len(words) > 1 {
		arg = words[1]
	}
	switch words[0] {
	case "begin":
		s.tx = 'T'
	case "end":
		s.tx = 'I'
	case "echo":
		s.describe(words[1:])
		if err := s.row(words[1:]); err != nil {
			return err
		}
	case "fail":
		return pgerr.New(pgerr.Code(arg), "%s", strings.Join(words[2:], " ")).WithDetail("d").WithHint("h").WithTable("s", "t").WithColumn("c")
	case "fatal":
		return pgerr.Fatal(pgerr.AdminShutdown, "the end")
	case "halfrow":
		s.w.BeginRow(2)
		s.w.CellString("x")
		return pgerr.New(pgerr.DivisionByZero, "in the second cell")
	case "noticerow":
		s.describe(words[:1])
		s.w.BeginRow(1)
		b := append(s.w.CellBegin(), "va"...)
		s.w.CellEnd(b)
		s.w.Notice(pgerr.New(pgerr.SuccessfulCompletion, "between cells"))
		if err := s.w.EndRow(); err != nil {
			return err
		}
	case "panic":
		panic("as asked")
	case "notice":
		s.w.Notice(pgerr.New(pgerr.SuccessfulCompletion, "%s", arg))
	case "status":
		s.w.ParameterStatus(arg, words[2])
	case "idle":
		ms, _ := strconv.Atoi(arg)
		s.idle = time.Duration(ms) * time.Millisecond
	case "rows", "big":
		n, _ := strconv.Atoi(arg)
		s.describe([]string{"n"})
		cell := "x"
		if words[0] == "big" {
			cell = strings.Repeat("x", 1000)
		}
		for i := 0; i < n; i++ {
			if err := s.row([]string{cell}); err != nil {
				return err
			}
		}
	case "sleep":
		select {
		case <-s.cancel:
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.term != nil {
				return s.term
			}
			return pgerr.New(pgerr.QueryCanceled, "canceling statement due to user request")
		case <-time.After(10 * time.Second):
		}
	case "copyin":
		return s.copyIn()
	case "copyout":
		n, _ := strconv.Atoi(arg)
		s.w.CopyOutResponse(0, 1)
		for i := 0; i < n; i++ {
			if err := s.w.CopyData([]byte(fmt.Sprintf("row %d\n", i))); err != nil {
				return err
			}
		}
		s.w.CopyDone()
	default:
		return pgerr.New(pgerr.SyntaxError, "syntax error at or near \"%s\"", words[0])
	}
	s.w.CommandComplete(strings.ToUpper(words[0]))
	return nil
}

func (s *toySession) copyIn() error {
	r, err := s.c.CopyIn(0, 1, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.term != nil {
			return s.term
		}
		return nil
	})
	if err != nil {
		return err
	}
	n := 0
	buf := make([]byte, 3)
	for {
		k, err := r.Read(buf)
		n += k
		if err != nil {
			if err.Error() == "EOF" {
				s.w.CommandComplete("COPY " + strconv.Itoa(n))
				return nil
			}
			return err
		}
	}
}

func (s *toySession) describe(names []string) {
	fields := make([]Field, len(names))
	for i, n := range names {
		fields[i] = Field{Name: n, TypeOID: 25, TypLen: -1, TypMod: -1}
	}
	s.w.RowDescription(fields, nil)
}

func (s *toySession) row(cells []string) error {
	s.w.BeginRow(len(cells))
	for _, c := range cells {
		if c == "null" {
			s.w.CellNull()
		} else {
			s.w.CellString(c)
		}
	}
	return s.w.EndRow()
}

func (s *toySession) Parse(name, sql string, _ []uint32) error {
	if strings.HasPrefix(sql, "bad") {
		return s.fail(pgerr.New(pgerr.SyntaxError, "syntax error at or near \"bad\""))
	}
	s.stmts[strings.Clone(name)] = strings.Clone(sql)
	return nil
}

func (s *toySession) Bind(portal, stmt string, _ []int16, params [][]byte, _ []int16) error {
	sql, ok := s.stmts[stmt]
	if !ok {
		return s.fail(pgerr.New(pgerr.InvalidSqlStatementName, "prepared statement \"%s\" does not exist", stmt))
	}
	p := &toyPortal{words: strings.Fields(sql)}
	for _, v := range params {
		if v == nil {
			p.words = append(p.words, "null")
		} else {
			p.words = append(p.words, string(v))
		}
	}
	s.portals[strings.Clone(portal)] = p
	return nil
}

func (s *toySession) Describe(kind byte, name string) error {
	if kind == 'S' {
		s.w.ParameterDescription([]uint32{25})
	}
	s.w.NoData()
	return nil
}

func (s *toySession) Execute(portal string, maxRows int32) error {
	p := s.portals[portal]
	if p == nil {
		return s.fail(pgerr.New(pgerr.InvalidCursorName, "portal \"%s\" does not exist", portal))
	}
	if len(p.words) == 0 {
		s.w.EmptyQuery()
		return nil
	}
	if p.words[0] != "each" {
		return s.fail2(s.run(p.words))
	}
	for n := int32(0); p.sent < len(p.words)-1; n++ {
		if maxRows > 0 && n == maxRows {
			s.w.PortalSuspended()
			return nil
		}
		p.sent++
		if err := s.row(p.words[p.sent : p.sent+1]); err != nil {
			return err
		}
	}
	s.w.CommandComplete("EACH")
	return nil
}

func (s *toySession) fail2(err error) error {
	if err != nil {
		return s.fail(err)
	}
	return nil
}

func (s *toySession) CloseObject(kind byte, name string) error {
	if kind == 'S' {
		delete(s.stmts, name)
	} else {
		delete(s.portals, name)
	}
	return nil
}

func (s *toySession) Sync() error                { return nil }
func (s *toySession) TxStatus() byte             { return s.tx }
func (s *toySession) Fail(err *pgerr.Error)      { _ = s.fail(err) }
func (s *toySession) IdleTimeout() time.Duration { return s.idle }
func (s *toySession) IdleTimedOut() error {
	return pgerr.Fatal(pgerr.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout")
}

func (s *toySession) Async() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.term != nil {
		return s.term
	}
	for _, n := range s.notes {
		s.w.Notification(7, "ch", n)
	}
	s.notes = nil
	return nil
}

func (s *toySession) Cancel() {
	select {
	case s.cancel <- struct{}{}:
	default:
	}
}

func (s *toySession) Terminate(err *pgerr.Error) {
	s.mu.Lock()
	s.term = err
	s.mu.Unlock()
	s.Cancel()
}

func (s *toySession) Close(reason error) {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	text := "terminate"
	if reason != nil {
		text = reason.Error()
	}
	s.b.closed = append(s.b.closed, text)
}

// startToy serves a toy backend on a loopback port; the server is shut down with the test.
func startToy(t testing.TB, b *toyBackend, change func(*Server)) (srv *Server, addr string) {
	t.Helper()
	srv = &Server{Backend: b, Log: zerolog.Nop()}
	if change != nil {
		change(srv)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		if err := srv.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-done; err != ErrServerClosed {
			t.Errorf("Serve returned %v", err)
		}
	})
	return srv, l.Addr().String()
}
