package pgwire

import (
	"context"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// Backend is the server behind the protocol: it says who may connect, and opens sessions.
type Backend interface {
	Authenticator

	// Startup opens the session of an authenticated client. It sends nothing but ParameterStatus and notices (through c.Writer());
	// BackendKeyData and the first ReadyForQuery follow by pgwire. An error is sent as FATAL and ends the connection.
	// ctx ends with the connection.
	Startup(ctx context.Context, c *Conn, p *StartupParams) (Session, error)
}

// Session handles the messages of one connection. An error that a method returns is sent as ErrorResponse; the session has aborted
// its transaction before it returns it. Severity FATAL ends the connection. In the extended protocol an error makes pgwire discard
// messages until Sync.
//
// Strings and byte slices in arguments are valid during the call only: clone what outlives it.
type Session interface {
	// Query runs a simple query string, which may hold many statements or none, and writes everything but ReadyForQuery.
	// An empty string is answered with Writer.EmptyQuery.
	Query(sql string) error

	// Parse makes a prepared statement. pgwire answers ParseComplete.
	Parse(name, sql string, paramOIDs []uint32) error
	// Bind makes a portal. params[i] is nil for NULL. The format slices have any length the client sent: the session checks them.
	// pgwire answers BindComplete.
	Bind(portal, stmt string, paramFormats []int16, params [][]byte, resultFormats []int16) error
	// Describe writes ParameterDescription (kind 'S' only) and RowDescription or NoData.
	Describe(kind byte, name string) error
	// Execute runs a portal for at most maxRows rows (<= 0: all) and writes rows, then CommandComplete, EmptyQuery or PortalSuspended.
	Execute(portal string, maxRows int32) error
	// CloseObject drops a statement ('S') or portal ('P'); one that does not exist is no error. pgwire answers CloseComplete.
	CloseObject(kind byte, name string) error
	// Sync ends the implicit transaction of an extended-protocol run: it commits, unless an error aborted it. It is called after an
	// error too.
	Sync() error

	// TxStatus is the status byte of ReadyForQuery: 'I', 'T' or 'E'. It is called once per ReadyForQuery, right before it is written:
	// the place to report changed settings (ParameterStatus) and to deliver pending notifications.
	TxStatus() byte

	// Fail tells the session about an error that pgwire found itself (a broken message body, an encoding error), so that it aborts its
	// transaction as for an error of its own. pgwire sends the error.
	Fail(err *pgerr.Error)

	// IdleTimeout is asked before each wait for a command with nothing buffered: how long the client may stay silent (0 = for ever).
	// When the time is over, IdleTimedOut says what to do: a FATAL error ends the connection.
	IdleTimeout() time.Duration
	IdleTimedOut() error

	// Async is called between two commands after Conn.Wake: the session may write notices, notifications and ParameterStatus (flushed
	// by pgwire), or return a FATAL error.
	Async() error

	// Cancel asks the running statement to stop (a cancel request, or pg_cancel_backend). Any goroutine; must not block.
	Cancel()
	// Terminate asks the session to end with err (FATAL) as soon as it can: a running statement stops, and the method that runs
	// returns err; an idle session returns it from Async (pgwire wakes the connection itself). Any goroutine; must not block.
	Terminate(err *pgerr.Error)

	// Close ends the session: open transaction rolled back, everything released. Called exactly once, last, on every path
	// (Terminate message, lost connection, FATAL, panic). reason is nil after a Terminate message.
	Close(reason error)
}

// StartupParams are the parameters of the startup packet.
type StartupParams struct {
	User     string
	Database string // equals User when the client gave none

	// Replication is the raw value of the replication parameter, "" when absent.
	Replication string

	// Options are the settings inside the "options" parameter (`-c a=b`, `--a=b`), in order; Settings the remaining parameters of the
	// packet, in order. PostgreSQL applies Options first, then Settings.
	Options  []Setting
	Settings []Setting

	rawOptions string
}

// Setting is one name=value pair that a client sent at start-up.
type Setting struct{ Name, Value string }
