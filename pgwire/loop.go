package pgwire

import (
	"github.com/calfdb/calf/sql/pgerr"
)

// errTerminate is the client's orderly goodbye.
var errTerminate = &pgerr.Error{Message: "terminate"}

// loop handles messages until the connection ends. The error says why; errTerminate after a Terminate message.
func (c *Conn) loop() error {
	c.asyncFn = c.async
	if err := c.ready(); err != nil {
		return err
	}
	for {
		t, body, err := c.nextCommand()
		if err != nil {
			if e, ok := err.(*pgerr.Error); ok && !isFatal(e) {
				// An idle timeout that only aborts a transaction, for example.
				c.w.Error(e)
				if err := c.w.Flush(); err != nil {
					return err
				}
				continue
			}
			return err
		}
		if err := c.dispatch(t, body); err != nil {
			return err
		}
	}
}

func isFatal(e *pgerr.Error) bool { return e.Severity == "FATAL" || e.Severity == "PANIC" }

// dispatch handles one message. Only what ends the connection is returned.
func (c *Conn) dispatch(t byte, body []byte) error {
	if c.skipToSync && t != 'S' && t != 'X' {
		return nil
	}
	switch t {
	case 'B':
		return c.extended(c.doBind(body))
	case 'E':
		return c.extended(c.doExecute(body))
	case 'S':
		return c.doSync()
	case 'Q':
		return c.doQuery(body)
	case 'P':
		return c.extended(c.doParse(body))
	case 'D':
		return c.extended(c.doDescribe(body))
	case 'C':
		return c.extended(c.doClose(body))
	case 'H':
		return c.w.Flush()
	case 'X':
		return errTerminate
	case 'F':
		return c.doFunctionCall()
	}
	// CopyData, CopyDone and CopyFail outside of COPY come from a client that has not seen the COPY fail yet.
	return nil
}

// extended ends the handling of an extended-protocol message: an error is sent at once, and messages are discarded until Sync.
func (c *Conn) extended(err error) error {
	if err == nil {
		return nil
	}
	e := pgerr.From(err)
	if isFatal(e) {
		return e
	}
	c.skipToSync = true
	c.w.Error(e)
	return c.w.Flush()
}

// fail reports an error that pgwire found to the session, and returns it.
func (c *Conn) fail(e *pgerr.Error) error {
	c.session.Fail(e)
	return e
}

func (c *Conn) doParse(body []byte) error {
	m := &c.parse
	e := m.decode(body)
	if e == nil {
		m.name, e = c.text(m.name)
	}
	if e == nil {
		m.sql, e = c.text(m.sql)
	}
	if e != nil {
		return c.fail(e)
	}
	if err := c.session.Parse(m.name, m.sql, m.paramOIDs); err != nil {
		return err
	}
	c.w.parseComplete()
	return nil
}

func (c *Conn) doBind(body []byte) error {
	m := &c.bind
	e := m.decode(body)
	if e == nil {
		e = c.decodeBindText(m)
	}
	if e != nil {
		return c.fail(e)
	}
	if err := c.session.Bind(m.portal, m.stmt, m.paramFormats, m.params, m.resultFormats); err != nil {
		return err
	}
	c.w.bindComplete()
	return nil
}

// decodeBindText converts names and text parameters to the server's encoding. A wrong number of formats is the session's to report.
func (c *Conn) decodeBindText(m *bindMessage) (e *pgerr.Error) {
	if m.portal, e = c.text(m.portal); e != nil {
		return e
	}
	if m.stmt, e = c.text(m.stmt); e != nil {
		return e
	}
	if n := len(m.paramFormats); n > 1 && n != len(m.params) {
		return nil
	}
	for i, p := range m.params {
		if p == nil || FormatOf(m.paramFormats, i) != 0 {
			continue
		}
		if m.params[i], e = c.enc.decode(p); e != nil {
			return paramContext(e, m.portal, i)
		}
	}
	return nil
}

// paramContext is the CONTEXT line of an error in one parameter.
func paramContext(e *pgerr.Error, portal string, i int) *pgerr.Error {
	if portal == "" {
		return e.WithContext("unnamed portal parameter $%d", i+1)
	}
	return e.WithContext("portal \"%s\" parameter $%d", portal, i+1)
}

func (c *Conn) doExecute(body []byte) error {
	d := decoder{b: body}
	portal := d.cstring()
	maxRows := d.int32()
	e := d.end()
	if e == nil {
		portal, e = c.text(portal)
	}
	if e != nil {
		return c.fail(e)
	}
	return c.session.Execute(portal, maxRows)
}

func (c *Conn) doDescribe(body []byte) error {
	kind, name, e := c.target(body, "DESCRIBE")
	if e != nil {
		return c.fail(e)
	}
	return c.session.Describe(kind, name)
}

func (c *Conn) doClose(body []byte) error {
	kind, name, e := c.target(body, "CLOSE")
	if e != nil {
		return c.fail(e)
	}
	if err := c.session.CloseObject(kind, name); err != nil {
		return err
	}
	c.w.closeComplete()
	return nil
}

// target reads the body of Describe and Close: what kind of object, and its name.
func (c *Conn) target(body []byte, message string) (kind byte, name string, e *pgerr.Error) {
	d := decoder{b: body}
	kind = d.byte()
	name = d.cstring()
	if e := d.end(); e != nil {
		return 0, "", e
	}
	if kind != 'S' && kind != 'P' {
		return 0, "", pgerr.New(pgerr.ProtocolViolation, "invalid %s message subtype %d", message, kind)
	}
	name, e = c.text(name)
	return kind, name, e
}

func (c *Conn) doSync() error {
	c.skipToSync = false
	return c.finish(c.session.Sync())
}

func (c *Conn) doQuery(body []byte) error {
	d := decoder{b: body}
	sql := d.cstring()
	e := d.end()
	if e == nil {
		sql, e = c.text(sql)
	}
	if e != nil {
		return c.finish(c.fail(e))
	}
	return c.finish(c.session.Query(sql))
}

func (c *Conn) doFunctionCall() error {
	return c.finish(c.fail(pgerr.New(pgerr.FeatureNotSupported, "function call messages are not supported").
		WithHint("Call the function in a query.")))
}

// finish ends a simple query or an extended run: the error, if any, then ReadyForQuery.
func (c *Conn) finish(err error) error {
	if err != nil {
		e := pgerr.From(err)
		if isFatal(e) {
			return e
		}
		c.w.Error(e)
	}
	return c.ready()
}

// ready sends ReadyForQuery and everything before it.
func (c *Conn) ready() error {
	c.status = c.session.TxStatus()
	if c.draining.Load() && c.status == 'I' {
		return errShutdown()
	}
	c.w.readyForQuery(c.status)
	return c.w.Err()
}

func errShutdown() *pgerr.Error {
	return pgerr.Fatal(pgerr.AdminShutdown, "terminating connection due to administrator command")
}
