package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Options say where and how a spec is run.
type Options struct {
	Conn        string            // connection string; what it does not say comes from libpq's environment variables
	Params      map[string]string // start-up parameters; to application_name the sessions append their names
	StepTimeout time.Duration     // a step is cancelled after this, and the test ends after twice as long; 0: DefaultStepTimeout
}

// DefaultStepTimeout is the stock program's.
const DefaultStepTimeout = 300 * time.Second

// ErrStopped says that a spec was not run to its end; the output says why.
var ErrStopped = errors.New("the spec was not run to its end")

// tester runs the permutations of one spec.
type tester struct {
	spec     *Spec
	out      io.Writer
	timeout  time.Duration
	control  *conn
	sessions []*conn
	waiting  []*PermutationStep // steps that were sent and are not reported complete, in the order in which they were sent
	last     *PermutationStep   // of the permutation, that was sent; nil in its setup

	newNotice bool // a notice came since it was last reset
}

// waitQueryName is the prepared statement that asks whether a session is blocked.
const waitQueryName = "isolationtester_waiting"

// stop is the end of a run, with the message that the output gets.
type stop struct{ text string }

func (s *stop) Error() string { return s.text }

func stopf(format string, args ...any) error { return &stop{fmt.Sprintf(format, args...)} }

// Run runs a spec and writes what isolationtester prints, its messages to standard error included. ErrStopped is wrapped with the last step and why.
func Run(ctx context.Context, specText string, out io.Writer, opt Options) error {
	t := &tester{out: out, timeout: opt.StepTimeout}
	err := t.run(ctx, specText, opt)
	s := (*stop)(nil)
	if !errors.As(err, &s) {
		return err
	}
	io.WriteString(out, s.text)
	why, _, _ := strings.Cut(s.text, "\n")
	if t.last != nil {
		return fmt.Errorf("%w: after step %s of line %d: %s", ErrStopped, t.last.Name, t.last.step.Line, why)
	}
	return fmt.Errorf("%w: %s", ErrStopped, why)
}

func (t *tester) run(ctx context.Context, specText string, opt Options) error {
	out := t.out
	spec, unused, err := Parse(specText)
	if err != nil {
		return stopf("%v\n", err)
	}
	for _, name := range unused {
		fmt.Fprintf(out, "unused step name: %s\n", name)
	}
	fmt.Fprintf(out, "Parsed test spec with %d sessions\n", len(spec.Sessions))
	if t.spec = spec; t.timeout == 0 {
		t.timeout = DefaultStepTimeout
	}
	defer t.close()
	if err := t.connect(ctx, opt); err != nil {
		return err
	}
	for permutation := range spec.permutations() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.runPermutation(permutation); err != nil {
			return err
		}
	}
	return nil
}

// connect makes the control session and one for each session of the spec, and prepares the question whether a session is blocked.
func (t *tester) connect(ctx context.Context, opt Options) error {
	names := []string{"control connection"}
	for _, s := range t.spec.Sessions {
		names = append(names, s.Name)
	}
	var pids []string
	for i, name := range names {
		c, err := dial(ctx, name, opt)
		if err != nil {
			return stopf("Connection %d failed: %v\n", i, err)
		}
		c.newNotice = &t.newNotice
		if i == 0 {
			t.control = c
		} else {
			c.output = t.out
			t.sessions = append(t.sessions, c)
			pids = append(pids, strconv.Itoa(int(c.pg.PID())))
		}
		if err := c.appendAppName(ctx); err != nil {
			return stopf("setting of application name failed: %s", errorText(err))
		}
	}
	query := "SELECT pg_catalog.pg_isolation_test_session_is_blocked($1, '{" + strings.Join(pids, ",") + "}')"
	if _, err := t.control.pg.Prepare(ctx, waitQueryName, query, nil); err != nil {
		return stopf("prepare of lock wait query failed: %s", errorText(err))
	}
	t.control.start()
	for _, c := range t.sessions {
		c.start()
	}
	return nil
}

// connectLimit is how long a server may take to accept a connection.
const connectLimit = 30 * time.Second

func dial(ctx context.Context, name string, opt Options) (*conn, error) {
	config, err := pgconn.ParseConfig(opt.Conn)
	if err != nil {
		return nil, err
	}
	maps.Copy(config.RuntimeParams, opt.Params)
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	pg, err := pgconn.ConnectConfig(ctx, config)
	return &conn{pg: pg, name: name}, err
}

// appendAppName adds the session's name to application_name, so that pg_stat_activity and logs tell the sessions apart.
func (c *conn) appendAppName(ctx context.Context) error {
	const sql = "SELECT set_config('application_name',\n  current_setting('application_name') || '/' || $1,\n  false)"
	return c.pg.ExecParams(ctx, sql, [][]byte{[]byte(c.name)}, nil, nil, nil).Read().Err
}

// errorText words an error of the client library as libpq would.
func errorText(err error) string {
	if pgErr := (*pgconn.PgError)(nil); errors.As(err, &pgErr) {
		return pgErr.Severity + ":  " + pgErr.Message + "\n"
	}
	return err.Error() + "\n"
}

func (t *tester) close() {
	if t.control != nil {
		t.control.close()
	}
	for _, c := range t.sessions {
		c.close()
	}
}
