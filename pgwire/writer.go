package pgwire

import (
	"encoding/binary"
	"io"

	"github.com/calfdb/calf/sql/pgerr"
)

const (
	writeFlushBytes  = 64 << 10 // output leaves when this much has gathered
	writeRetainBytes = 256 << 10
	messageBytesMax  = 1<<30 - 1 // PostgreSQL's MaxAllocSize
)

// Writer appends protocol messages to the connection's output buffer. It belongs to the connection's goroutine.
//
// Methods that end a message may flush. After a failed write everything is dropped, and EndRow, CopyData and Flush return the error
// (FATAL 08006), so that a running statement stops.
type Writer struct {
	out   io.Writer
	buf   []byte
	msg   int // start of the message being built; -1 = none
	cell  int // start of the cell being built
	enc   *codec
	err   *pgerr.Error
	inRow bool

	beforeWrite func() // arms the write deadline when the connection is being terminated
}

// NewWriter makes a Writer on out. Connections have their own; this is for tests and tools.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out, msg: -1} }

// begin opens a message of type t.
func (w *Writer) begin(t byte) {
	w.msg = len(w.buf)
	w.buf = append(w.buf, t, 0, 0, 0, 0)
}

// end closes the open message and writes it out when enough has gathered.
func (w *Writer) end() {
	binary.BigEndian.PutUint32(w.buf[w.msg+1:], uint32(len(w.buf)-w.msg-1))
	w.msg = -1
	if len(w.buf) >= writeFlushBytes {
		w.flush()
	}
}

// drop forgets a message that an error left half built.
func (w *Writer) drop() {
	if w.msg >= 0 {
		w.buf = w.buf[:w.msg]
		w.msg = -1
	}
	w.inRow = false
}

func (w *Writer) flush() {
	if w.err == nil && len(w.buf) > 0 {
		if w.beforeWrite != nil {
			w.beforeWrite()
		}
		if _, err := w.out.Write(w.buf); err != nil {
			w.err = pgerr.Fatal(pgerr.ConnectionFailure, "connection to client lost")
			w.err.Cause = err
		}
	}
	if cap(w.buf) > writeRetainBytes {
		w.buf = nil
	}
	w.buf = w.buf[:0]
}

// Flush writes out what has gathered, and reports a lost connection.
func (w *Writer) Flush() error {
	w.flush()
	return w.Err()
}

// Err is the error of the first failed write (FATAL 08006), or nil.
func (w *Writer) Err() error {
	if w.err != nil {
		return w.err
	}
	return nil
}

func (w *Writer) int16(v int16)    { w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(v)) }
func (w *Writer) int32(v int32)    { w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(v)) }
func (w *Writer) uint32(v uint32)  { w.buf = binary.BigEndian.AppendUint32(w.buf, v) }
func (w *Writer) cstring(s string) { w.buf = append(w.enc.appendString(w.buf, s), 0) }

func (w *Writer) empty(t byte) {
	w.buf = append(w.buf, t, 0, 0, 0, 4)
}

// CommandComplete ends a statement with its tag, like "INSERT 0 1".
func (w *Writer) CommandComplete(tag string) {
	w.begin('C')
	w.cstring(tag)
	w.end()
}

// CommandCompleteBytes is CommandComplete for a tag that was built in a scratch buffer.
func (w *Writer) CommandCompleteBytes(tag []byte) {
	w.begin('C')
	w.buf = append(append(w.buf, tag...), 0)
	w.end()
}

// EmptyQuery answers an empty query string.
func (w *Writer) EmptyQuery() { w.empty('I') }

// NoData answers Describe of something that returns no rows.
func (w *Writer) NoData() { w.empty('n') }

// PortalSuspended ends an Execute that stopped at its row limit.
func (w *Writer) PortalSuspended() { w.empty('s') }

func (w *Writer) parseComplete() { w.empty('1') }
func (w *Writer) bindComplete()  { w.empty('2') }
func (w *Writer) closeComplete() { w.empty('3') }

func (w *Writer) readyForQuery(status byte) {
	w.buf = append(w.buf, 'Z', 0, 0, 0, 5, status)
	w.flush()
}

// ParameterDescription tells the parameter types of a statement.
func (w *Writer) ParameterDescription(oids []uint32) {
	w.begin('t')
	w.int16(int16(len(oids)))
	for _, o := range oids {
		w.uint32(o)
	}
	w.end()
}

// ParameterStatus reports the value of a setting.
func (w *Writer) ParameterStatus(name, value string) {
	w.begin('S')
	w.cstring(name)
	w.cstring(value)
	w.end()
}

// Notification delivers a NOTIFY.
func (w *Writer) Notification(pid int32, channel, payload string) {
	w.begin('A')
	w.int32(pid)
	w.cstring(channel)
	w.cstring(payload)
	w.end()
}

// Notice sends n at its severity (default NOTICE) and flushes, so that the client sees it while the statement still runs. Filtering by
// client_min_messages is the caller's.
func (w *Writer) Notice(n *pgerr.Error) {
	if w.msg >= 0 {
		w.spliceNotice(n)
		return
	}
	w.fields('N', n, "NOTICE")
	w.flush()
}

// spliceNotice sends a notice while a row is being built: the half row steps aside.
func (w *Writer) spliceNotice(n *pgerr.Error) {
	half := append([]byte(nil), w.buf[w.msg:]...)
	cell := w.cell - w.msg
	inRow := w.inRow
	w.drop()
	w.fields('N', n, "NOTICE")
	w.msg, w.cell, w.inRow = len(w.buf), len(w.buf)+cell, inRow
	w.buf = append(w.buf, half...)
}
