package isolation

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// resultStatus says what a result is.
type resultStatus string

const (
	statusEmpty   resultStatus = "PGRES_EMPTY_QUERY"
	statusCommand resultStatus = "PGRES_COMMAND_OK"
	statusTuples  resultStatus = "PGRES_TUPLES_OK"
	statusCopyOut resultStatus = "PGRES_COPY_OUT"
	statusCopyIn  resultStatus = "PGRES_COPY_IN"
	statusError   resultStatus = "PGRES_FATAL_ERROR"
)

// result is what one statement of a query gave. A null is an empty string: the printed form does not tell them apart.
type result struct {
	status resultStatus
	names  []string
	rows   [][]string
	err    *message
}

// notification is what NOTIFY sent.
type notification struct {
	pid              uint32
	channel, payload string
}

// event is what the receiving goroutine hands over: at most one of result, notice and notification is set, or nothing, for a read that completed
// none. more says that bytes which arrived in the same read are still being decoded.
type event struct {
	result       *result
	notice       *message
	notification *notification
	ready, lost  bool
	more         bool
}

// connState is libpq's view of a connection.
type connState uint8

const (
	connIdle  connState = iota // no query
	connBusy                   // waiting for a result
	connReady                  // a result is there to be fetched
)

// conn shows a connection as libpq does. A goroutine receives all the time, but what it received is looked at only in consume, and understood only
// as far as the next result: a notice behind a result that arrived with it is printed before that result's step, and one that arrives later
// after it. The order of the output depends on this.
type conn struct {
	pg     *pgconn.PgConn
	name   string
	events chan event
	closed chan struct{}
	output io.Writer // of notices; nil hides them

	state      connState
	ready      *result
	queue      []event // consumed, not yet understood
	lost       bool
	query      string
	notices    int
	newNotice  *bool // set when a notice comes
	notifies   []notification
	activeStep *PermutationStep
}

// start begins to receive. The connection is used only through conn from here on.
func (c *conn) start() {
	c.events, c.closed = make(chan event, 64), make(chan struct{})
	go c.receive()
}

// close says goodbye to the server; the goroutine ends with the connection.
func (c *conn) close() {
	if c.closed != nil {
		close(c.closed)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.pg.Conn().SetDeadline(time.Now().Add(time.Second))
	c.pg.Frontend().Send(&pgproto3.Terminate{})
	_ = c.pg.Frontend().Flush()
	_ = c.pg.Conn().Close()
	_ = c.pg.Close(ctx)
}

// receive decodes what the server sends until the connection ends.
func (c *conn) receive() {
	var building *result
	for {
		msg, err := c.pg.Frontend().Receive()
		ev := event{lost: err != nil}
		if err == nil {
			ev = decode(msg, &building)
			ev.more = c.pg.Frontend().ReadBufferLen() > 0
		}
		select {
		case c.events <- ev:
		case <-c.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// decode makes an event of a message; building is the result whose rows are arriving. Messages are the decoder's and are copied.
func decode(msg pgproto3.BackendMessage, building **result) (ev event) {
	switch m := msg.(type) {
	case *pgproto3.RowDescription:
		*building = &result{status: statusTuples}
		for _, f := range m.Fields {
			(*building).names = append((*building).names, string(f.Name))
		}
	case *pgproto3.DataRow:
		row := make([]string, len(m.Values))
		for i, v := range m.Values {
			row[i] = string(v)
		}
		if *building == nil { // a prepared statement's rows have no description
			*building = &result{status: statusTuples}
		}
		(*building).rows = append((*building).rows, row)
	case *pgproto3.CommandComplete:
		if ev.result = *building; ev.result == nil {
			ev.result = &result{status: statusCommand}
		}
		*building = nil
	case *pgproto3.EmptyQueryResponse:
		ev.result = &result{status: statusEmpty}
	case *pgproto3.CopyInResponse:
		ev.result = &result{status: statusCopyIn}
	case *pgproto3.CopyOutResponse:
		ev.result = &result{status: statusCopyOut}
	case *pgproto3.ErrorResponse:
		ev.result, *building = &result{status: statusError, err: &message{fields: *m}}, nil
	case *pgproto3.NoticeResponse:
		ev.notice = &message{fields: pgproto3.ErrorResponse(*m)}
	case *pgproto3.NotificationResponse:
		ev.notification = &notification{m.PID, m.Channel, m.Payload}
	case *pgproto3.ReadyForQuery:
		ev.ready = true
	}
	return ev
}

// send sends a query. That the connection is broken shows when its answer is looked for.
func (c *conn) send(sql string) {
	c.pg.Frontend().SendQuery(&pgproto3.Query{String: sql})
	_ = c.pg.Frontend().Flush()
	c.state, c.query = connBusy, sql
}

// sendPrepared executes a prepared statement with text parameters.
func (c *conn) sendPrepared(name string, args ...string) {
	params := make([][]byte, len(args))
	for i, a := range args {
		params[i] = []byte(a)
	}
	f := c.pg.Frontend()
	f.SendBind(&pgproto3.Bind{PreparedStatement: name, Parameters: params})
	f.SendExecute(&pgproto3.Execute{})
	f.SendSync(&pgproto3.Sync{})
	_ = f.Flush()
	c.state, c.query = connBusy, ""
}

var errLost = errors.New("server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\n" +
	"\tbefore or while processing the request.\n")

// consume takes what arrives in one read, waiting for it up to a limit; arrived is false when nothing came. The connection's end is an error.
func (c *conn) consume(limit time.Duration) (arrived bool, err error) {
	if c.lost {
		return false, errLost
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for more := true; more; {
		var ev event
		if arrived {
			ev = <-c.events
		} else {
			select {
			case ev = <-c.events:
				arrived = true
			default:
				select {
				case ev = <-c.events:
					arrived = true
				case <-timer.C:
					return false, nil
				}
			}
		}
		if ev.lost {
			c.lost = true
			return true, errLost
		}
		c.queue = append(c.queue, ev)
		more = ev.more
	}
	return true, nil
}

// parse understands what was consumed, as far as the next result, with the notices behind it.
func (c *conn) parse() {
	for len(c.queue) > 0 {
		ev := c.queue[0]
		switch {
		case ev.notice != nil:
			ev.notice.query = c.query
			c.notice(ev.notice)
		case ev.notification != nil:
			c.notifies = append(c.notifies, *ev.notification)
		case c.state == connReady && (ev.result != nil || ev.ready):
			return
		case ev.result != nil && c.state == connIdle:
			if ev.result.err != nil {
				c.notice(ev.result.err)
			}
		case ev.result != nil:
			if ev.result.err != nil {
				ev.result.err.query = c.query
			}
			c.ready, c.state = ev.result, connReady
		case ev.ready:
			c.state = connIdle
		}
		c.queue = c.queue[1:]
	}
}

func (c *conn) notice(m *message) {
	if c.output == nil {
		return
	}
	io.WriteString(c.output, c.name+": "+m.full(false))
	c.notices++
	*c.newNotice = true
}

// busy says whether fetching a result would wait.
func (c *conn) busy() bool {
	c.parse()
	return c.state == connBusy
}

var errHung = errors.New("no answer")

// fetch waits for the next result of the query; nil when there is none. A lost connection is a result too.
func (c *conn) fetch(limit time.Duration) (*result, error) {
	for c.busy() {
		arrived, err := c.consume(limit)
		if err != nil {
			c.state = connIdle
			return &result{status: statusError, err: &message{text: err.Error()}}, nil
		}
		if !arrived {
			return nil, errHung
		}
	}
	if c.state == connIdle {
		return nil, nil
	}
	r := c.ready
	c.ready, c.state = nil, connBusy
	if r.status == statusCopyIn {
		c.pg.Frontend().Send(&pgproto3.CopyFail{Message: "an isolation test has no data"})
		_ = c.pg.Frontend().Flush()
	}
	return r, nil
}

// finish waits for the last result of the query that was sent; consecutive errors become one.
func (c *conn) finish(limit time.Duration) (*result, error) {
	var last *result
	for {
		r, err := c.fetch(limit)
		if err != nil || r == nil {
			return last, err
		}
		if last != nil && last.err != nil && r.err != nil {
			r.err = &message{text: last.err.full(true) + r.err.full(true)}
		}
		last = r
	}
}

// exec runs SQL and prints the last result if it has rows; failure is the server's words, "" when all went well.
func (c *conn) exec(sql string, out io.Writer, limit time.Duration) (failure string, err error) {
	c.send(sql)
	r, err := c.finish(limit)
	switch {
	case err != nil:
		return "", err
	case r == nil:
		return "\n", nil
	case r.status == statusTuples:
		printTable(out, r)
	case r.err != nil:
		return r.err.full(true), nil
	case r.status != statusCommand:
		return strings.ToLower(string(r.status)) + "\n", nil
	}
	return "", nil
}
