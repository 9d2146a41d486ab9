package pgwire

import (
	"io"

	"github.com/calfdb/calf/sql/pgerr"
)

func (w *Writer) copyResponse(t byte, format int8, columns int) {
	w.begin(t)
	w.buf = append(w.buf, byte(format))
	w.int16(int16(columns))
	for i := 0; i < columns; i++ {
		w.int16(int16(format))
	}
	w.end()
}

// CopyOutResponse starts COPY TO STDOUT; format is 0 (text, csv) or 1 (binary), the same for all columns.
func (w *Writer) CopyOutResponse(format int8, columns int) { w.copyResponse('H', format, columns) }

// CopyData sends one row (or any piece) of COPY TO STDOUT.
func (w *Writer) CopyData(b []byte) error { return w.EndCopyData(append(w.BeginCopyData(), b...)) }

// BeginCopyData opens a CopyData message that the caller appends in place; EndCopyData closes it and reports a lost connection.
func (w *Writer) BeginCopyData() []byte {
	w.begin('d')
	return w.buf
}

func (w *Writer) EndCopyData(b []byte) error {
	w.buf = b
	w.end()
	return w.Err()
}

// CopyDone ends COPY TO STDOUT; CommandComplete follows.
func (w *Writer) CopyDone() { w.empty('c') }

// CopyReader gives what a client sends in COPY FROM STDIN.
type CopyReader struct {
	c     *Conn
	check func() error
	rest  []byte // of the CopyData message in hand
	err   error  // sticky: io.EOF after CopyDone
}

// CopyIn sends CopyInResponse and returns the reader of the data. check is called when the connection is woken (Conn.Wake) while it
// waits for the client; an error of it ends the copy, nil goes on waiting.
//
// The strings and slices that the running Session method was given stay valid.
func (c *Conn) CopyIn(format int8, columns int, check func() error) (*CopyReader, error) {
	c.w.copyResponse('G', format, columns)
	if err := c.w.Flush(); err != nil {
		return nil, err
	}
	c.in.detach()
	return &CopyReader{c: c, check: check}, nil
}

// Next gives the payload of the next CopyData message, valid until the next call. The end is io.EOF; CopyFail is an error 57014.
func (r *CopyReader) Next() ([]byte, error) {
	if r.err == nil && len(r.rest) == 0 {
		r.advance()
	}
	if r.err != nil {
		return nil, r.err
	}
	b := r.rest
	r.rest = nil
	return b, nil
}

// Read is io.Reader over the payloads.
func (r *CopyReader) Read(p []byte) (int, error) {
	for r.err == nil && len(r.rest) == 0 {
		r.advance()
	}
	if r.err != nil {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// advance reads messages up to the next CopyData, or sets err.
func (r *CopyReader) advance() {
	for {
		t, body, err := r.c.readMessage(r.check)
		if err != nil {
			r.err = err
			return
		}
		switch t {
		case 'd':
			r.rest = body
			return
		case 'c':
			r.err = io.EOF
			return
		case 'f':
			d := decoder{b: body}
			reason := d.cstring()
			r.err = pgerr.New(pgerr.QueryCanceled, "COPY from stdin failed: %s", r.c.lenientText(reason))
			return
		case 'H', 'S':
			// Clients may send these before they notice that the command was COPY.
		default:
			r.err = pgerr.New(pgerr.ProtocolViolation, "unexpected message type 0x%02X during COPY from stdin", t)
			return
		}
	}
}
