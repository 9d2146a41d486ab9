package pgwire

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgproto3/v2"
)

// client is one side of a transcript.
type client struct {
	nc       net.Conn
	fe       *pgproto3.Frontend
	out      []byte
	pid, key uint32
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return &client{nc: nc, fe: pgproto3.NewFrontend(pgproto3.NewChunkReader(nc), nc)}
}

func (c *client) put(m pgproto3.FrontendMessage) {
	var err error
	if c.out, err = m.Encode(c.out); err != nil {
		panic(err)
	}
}

func (c *client) send() {
	_, _ = c.nc.Write(c.out)
	c.out = c.out[:0]
}

func startupMessage(params ...string) *pgproto3.StartupMessage {
	m := &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "trusty", "database": "db"}}
	for i := 0; i+1 < len(params); i += 2 {
		m.Parameters[params[i]] = params[i+1]
	}
	return m
}

// start sends the start-up packet and reads to the first ReadyForQuery.
func (c *client) start(params ...string) string {
	c.put(startupMessage(params...))
	c.send()
	return c.read("Z", 5*time.Second)
}

// read prints messages up to one of the types in until, the end of the connection, or the timeout.
func (c *client) read(until string, timeout time.Duration) string {
	var b strings.Builder
	_ = c.nc.SetReadDeadline(time.Now().Add(timeout))
	for {
		m, err := c.fe.Receive()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			b.WriteString("(silence)\n")
			return b.String()
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), err != nil && strings.Contains(err.Error(), "reset by peer"):
			b.WriteString("(closed)\n")
			return b.String()
		case err != nil:
			fmt.Fprintf(&b, "(%v)\n", err)
			return b.String()
		}
		b.WriteString(c.print(m))
		if strings.Contains(until, typeByte(m)) {
			return b.String()
		}
	}
}

func typeByte(m pgproto3.BackendMessage) string {
	b, err := m.Encode(nil)
	if err != nil {
		panic(err)
	}
	return string(b[:1])
}

// print shows a message on one line.
func (c *client) print(m pgproto3.BackendMessage) string {
	switch m := m.(type) {
	case *pgproto3.BackendKeyData:
		c.pid, c.key = m.ProcessID, m.SecretKey
		return "BackendKeyData\n"
	case *pgproto3.ReadyForQuery:
		return fmt.Sprintf("ReadyForQuery %c\n", m.TxStatus)
	case *pgproto3.ErrorResponse:
		return "ErrorResponse" + printFields(m) + "\n"
	case *pgproto3.NoticeResponse:
		e := pgproto3.ErrorResponse(*m)
		return "NoticeResponse" + printFields(&e) + "\n"
	case *pgproto3.DataRow:
		b := "DataRow"
		for _, v := range m.Values {
			if v == nil {
				b += " NULL"
			} else {
				b += fmt.Sprintf(" %.60q", v)
			}
		}
		return b + "\n"
	case *pgproto3.RowDescription:
		b := "RowDescription"
		for _, f := range m.Fields {
			b += fmt.Sprintf(" %s:%d", f.Name, f.DataTypeOID)
		}
		return b + "\n"
	case *pgproto3.CopyData:
		return fmt.Sprintf("CopyData %q\n", m.Data)
	}
	j, err := json.Marshal(m)
	if err != nil {
		return err.Error() + "\n"
	}
	var fields map[string]any
	_ = json.Unmarshal(j, &fields)
	delete(fields, "Type")
	j, _ = json.Marshal(fields)
	name := strings.TrimPrefix(fmt.Sprintf("%T", m), "*pgproto3.")
	if string(j) == "{}" {
		return name + "\n"
	}
	return name + " " + string(j) + "\n"
}

func printFields(e *pgproto3.ErrorResponse) string {
	b := fmt.Sprintf(" %s %s: %s", e.Severity, e.Code, e.Message)
	for _, f := range []struct{ k, v string }{{"D", e.Detail}, {"H", e.Hint}, {"W", e.Where}, {"s", e.SchemaName}, {"t", e.TableName}, {"c", e.ColumnName}} {
		if f.v != "" {
			b += " " + f.k + "=" + f.v
		}
	}
	if e.Position != 0 {
		b += fmt.Sprintf(" P=%d", e.Position)
	}
	return b
}

// TestTranscripts runs whole conversations. Each line of a `talk` is one client action:
//
//	start k=v ...      start-up packet, read to ReadyForQuery     Q text        simple query, read to ReadyForQuery
//	P name|text        B portal|stmt|p1|p2 (\N is NULL)            E portal n    D S name    C P name    F (function call)
//	S  Sync, read      H  Flush, read until silence                 d text / c / f text   COPY messages, the last two read
//	& before a line    send, do not read                           read          to ReadyForQuery
//	hex bytes          raw bytes; packet and msg T add the length
//	                                                               cancel [bad]  cancel request for this connection
//	quiet              nothing may arrive                          X             Terminate
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		b := &toyBackend{method: AuthTrust}
		_, addr := startToy(t, b, nil)
		clients := map[string]*client{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			name := "a"
			for _, arg := range d.CmdArgs {
				name = arg.Key
			}
			c := clients[name]
			if c == nil || d.Cmd == "new" {
				c = dial(t, addr)
				clients[name] = c
			}
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				out.WriteString(talk(t, c, addr, line))
			}
			return out.String()
		})
	})
}

func talk(t *testing.T, c *client, addr, line string) string {
	wait := !strings.HasPrefix(line, "&")
	op, arg, _ := strings.Cut(strings.TrimPrefix(line, "&"), " ")
	until := c.queue(t, addr, op, arg)
	c.send()
	if until == "flush" {
		return strings.TrimSuffix(c.quietRead(), "(silence)\n")
	}
	if !wait || until == "" {
		return ""
	}
	return c.read(until, 2*time.Second)
}

// queue appends the message of one action and says what to wait for.
func (c *client) queue(t *testing.T, addr, op, arg string) (until string) {
	parts := strings.Split(arg, "|")
	switch op {
	case "start":
		var params []string
		for _, kv := range strings.Fields(arg) {
			k, v, _ := strings.Cut(kv, "=")
			params = append(params, k, strings.ReplaceAll(v, "%20", " "))
		}
		c.put(startupMessage(params...))
		return "Z"
	case "Q":
		c.put(&pgproto3.Query{String: arg})
		return "ZG"
	case "P":
		c.put(&pgproto3.Parse{Name: parts[0], Query: parts[1]})
	case "B":
		m := &pgproto3.Bind{DestinationPortal: parts[0], PreparedStatement: parts[1]}
		for _, p := range parts[2:] {
			if p == `\N` {
				m.Parameters = append(m.Parameters, nil)
			} else {
				m.Parameters = append(m.Parameters, []byte(p))
			}
		}
		c.put(m)
	case "E":
		portal, max, _ := strings.Cut(arg, " ")
		n, _ := strconv.Atoi(max)
		c.put(&pgproto3.Execute{Portal: portal, MaxRows: uint32(n)})
	case "D", "C":
		kind, name, _ := strings.Cut(arg, " ")
		if op == "D" {
			c.put(&pgproto3.Describe{ObjectType: kind[0], Name: name})
		} else {
			c.put(&pgproto3.Close{ObjectType: kind[0], Name: name})
		}
	case "S":
		c.put(&pgproto3.Sync{})
		return "Z"
	case "H":
		c.put(&pgproto3.Flush{})
		c.send()
		time.Sleep(50 * time.Millisecond)
		return "flush"
	case "d":
		c.put(&pgproto3.CopyData{Data: []byte(arg)})
	case "c":
		c.put(&pgproto3.CopyDone{})
		return "Z"
	case "f":
		c.put(&pgproto3.CopyFail{Message: arg})
		return "Z"
	case "F":
		c.out = append(c.out, 'F', 0, 0, 0, 4)
		return "Z"
	case "X":
		c.put(&pgproto3.Terminate{})
		return "Z"
	case "read":
		return "Z"
	case "hex", "msg", "packet":
		typ := ""
		if op == "msg" {
			typ, arg, _ = strings.Cut(arg, " ")
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(arg, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		c.out = append(c.out, typ...)
		if op != "hex" {
			c.out = binary.BigEndian.AppendUint32(c.out, uint32(len(raw)+4))
		}
		c.out = append(c.out, raw...)
	case "byte":
		var one [1]byte
		_ = c.nc.SetReadDeadline(time.Now().Add(2 * time.Second))
		_, err := io.ReadFull(c.nc, one[:])
		if err != nil || string(one[:]) != arg {
			t.Fatalf("byte %q, %v", one, err)
		}
	case "quiet":
		if got := c.quietRead(); got != "(silence)\n" {
			t.Fatalf("not quiet: %s", got)
		}
	case "cancel":
		key := c.key
		if arg == "bad" {
			key ^= 1
		}
		other := dial(t, addr)
		other.put(&pgproto3.CancelRequest{ProcessID: c.pid, SecretKey: key})
		other.send()
		if got := other.read("", time.Second); got != "(closed)\n" {
			t.Fatalf("cancel request was answered: %s", got)
		}
	case "":
	default:
		t.Fatalf("unknown action %q", op)
	}
	return ""
}

func (c *client) quietRead() string { return c.read("", 60*time.Millisecond) }
