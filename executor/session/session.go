package session

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plpgsql"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/xact"
)

// Session is one client's session. All methods but Cancel and Terminate belong to the connection's goroutine.
type Session struct {
	server *Server
	pid    int32
	conn   *pgwire.Conn // nil: a session of the server's own
	w      *pgwire.Writer

	backend *executor.Backend
	view    *catalog.View
	proc    *xact.Proc
	locks   *lock.Session
	waiter  *heap.LockWaiter
	gucs    *gucs
	clock   *clock
	db      *catalog.Database
	user    *catalog.Role // as authenticated

	admitted *catalog.Role // counts against the limits as one of this role's; guarded by the server

	// The transaction block (txn.go).
	block         blockState
	txOwner       *lock.Owner
	savepoints    []savepoint
	failedTop     bool // the failed block's transaction was undone already
	snapshotTaken bool
	atPreCommit   []func() error

	// Statements and portals.
	statements       map[string]*prepared
	unnamed          *prepared
	cache            statementCache
	notices          int    // sent or suppressed so far
	analysedText     string // text of the client that is analysed now: notices tell where in it they come from
	portals          map[string]*portal
	portalCount      uint64
	spare            *portal // the last unnamed portal that was dropped, for its memory
	holdable         bool    // there has been a cursor WITH HOLD
	env              plancache.Env
	tables           map[types.OID]*executor.Table
	triggerSQL       map[string]*prepared // of foreign keys' actions, by text
	domainChecks     map[*catalog.Constraint]*domainCheck
	inlineBodies     map[inlineKey]inlineBody
	transitionTables []transitionTable   // of the trigger function that runs
	outerTables      [][]transitionTable // of the functions around it
	triggerDepth     int
	roleOIDs         map[string]types.OID // that role and session_authorization have named
	snapshots        []*heap.Snapshot     // of the statements that run, the innermost last
	functionDepth    int

	// PL/pgSQL (plpgsql.go, call.go).
	plpgsql        *plpgsql.Runtime // nil until the first function runs
	nonAtomic      bool             // the function that is called next may end the transaction
	inFunction     int              // SQL statements of functions that are running, one inside the other
	unnamedCursors int

	pipelined         bool // the extended run has executed something since the last Sync
	severalStatements bool // the simple query that runs has more than one
	log               serverLog

	// Reused on the hot path.
	out       rowWriter
	simple    simpleReceiver
	tagBuf    []byte
	paramOIDs []uint32

	activity   activity
	ready      atomic.Bool // connected: other goroutines may look at user
	active     atomic.Bool // a statement is running
	terminated atomic.Pointer[pgerr.Error]
	done       chan struct{} // receives when a wait must end
	makesRoom  bool          // see makesRoom
	timer      *time.Timer   // statement_timeout
	ctx        context.Context
	closed     bool
}

// sessionInterrupt lets lock waits and latch waits end when the session is interrupted.
type sessionInterrupt struct{ s *Session }

func (i sessionInterrupt) Done() <-chan struct{} { return i.s.done }
func (i sessionInterrupt) Err() error            { return i.s.backend.Interrupted() }

// MakesRoom: see pagestore.RoomMaker.
func (i sessionInterrupt) MakesRoom() bool { return i.s.makesRoom }

// interrupt asks the running statement to end with err, and wakes it when it waits. Any goroutine.
func (s *Session) interrupt(err *pgerr.Error) {
	s.backend.Interrupt(err)
	select {
	case s.done <- struct{}{}:
	default:
	}
	if s.conn != nil {
		s.conn.Wake() // it may wait for COPY data
	}
}

// Cancel asks the running statement to stop. Any goroutine.
func (s *Session) Cancel() {
	if s.active.Load() {
		s.interrupt(pgerr.New(pgerr.QueryCanceled, "canceling statement due to user request"))
	}
}

// Terminate asks the session to end. Any goroutine.
func (s *Session) Terminate(err *pgerr.Error) {
	s.terminated.Store(err)
	s.interrupt(err)
}

// Async tells an idle session's client what came up.
func (s *Session) Async() error {
	if e := s.terminated.Load(); e != nil {
		return e
	}
	s.gucs.report()
	return nil
}

// TxStatus is the status byte of ReadyForQuery.
func (s *Session) TxStatus() byte {
	s.gucs.report()
	s.activity.end(s.block == blockOpen, s.block == blockFailed, s.clock.Now())
	switch s.block {
	case blockOpen:
		return 'T'
	case blockFailed:
		return 'E'
	}
	return 'I'
}

// IdleTimeout says how long the client may be silent.
func (s *Session) IdleTimeout() time.Duration {
	if s.block == blockOpen || s.block == blockFailed {
		return s.gucs.idleInTxTimeout
	}
	return s.gucs.idleTimeout
}

// IdleTimedOut ends the session.
func (s *Session) IdleTimedOut() error {
	if s.block == blockOpen || s.block == blockFailed {
		return pgerr.Fatal(pgerr.IdleInTransactionSessionTimeout, "terminating connection due to idle-in-transaction timeout")
	}
	return pgerr.Fatal(pgerr.IdleSessionTimeout, "terminating connection due to idle-session timeout")
}

// Close ends the session: everything is rolled back and released.
func (s *Session) Close(reason error) {
	if s.closed {
		return
	}
	s.closed = true
	s.disarmStatementTimeout()
	s.logDisconnection()
	if s.inTransaction() {
		if s.failedTop {
			s.endAborted()
		} else {
			s.abort()
		}
	}
	for _, p := range s.portals {
		s.dropPortal(p)
	}
	s.leaveTempTables()
	s.countEnd(reason)
	if s.view != nil {
		s.view.Detach()
	}
	s.server.sessionClosed(s)
	s.locks.Close()
	s.proc.Close()
}

// notice tells the client of a NOTICE or WARNING.
func (s *Session) notice(n *pgerr.Error) {
	s.notices++
	if n.Location > 0 && n.Position == 0 && s.analysedText != "" {
		n.Position = characterPosition(s.analysedText, n.Location-1)
	}
	if n.Severity == "WARNING" {
		s.logError(n, s.log.text)
	}
	if s.gucs.wantsMessage(n.Severity) {
		s.w.Notice(n)
	}
}

// defaultIsolation is that of new transactions.
func (s *Session) defaultIsolation() xact.Isolation { return s.gucs.defaultIsolation() }

// clock gives the session's times, as timestamptz values.
type clock struct {
	now         func() time.Time
	transaction int64
	statement   int64
}

var pgEpoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (c *clock) Now() int64              { return c.now().UnixMicro() - pgEpoch.UnixMicro() }
func (c *clock) TransactionStart() int64 { return c.transaction }
func (c *clock) StatementStart() int64   { return c.statement }
func (c *clock) startMessage()           { c.statement = c.Now() }
func (c *clock) startTransaction()       { c.transaction = c.statement }
func (c *clock) startStatement()         {}
func (c *clock) wall() time.Time         { return c.now() }

var _ types.Clock = (*clock)(nil)
var _ pgwire.Session = (*Session)(nil)

// armStatementTimeout starts statement_timeout for the message that begins.
func (s *Session) armStatementTimeout() {
	d := s.gucs.statementTimeout
	if d <= 0 {
		return
	}
	s.timer = time.AfterFunc(d, func() {
		s.interrupt(pgerr.New(pgerr.QueryCanceled, "canceling statement due to statement timeout"))
	})
}

func (s *Session) disarmStatementTimeout() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	select {
	case <-s.done:
	default:
	}
}
