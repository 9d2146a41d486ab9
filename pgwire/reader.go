package pgwire

import (
	"encoding/binary"
	"io"

	"github.com/calfdb/calf/sql/pgerr"
)

const (
	readBufferBytes     = 8 << 10
	readRetainBytes     = 64 << 10
	startupBytesMax     = 10000 // PostgreSQL's limits
	smallMessageBytes   = 10000
	authMessageBytesMax = 10000
)

// reader cuts the incoming bytes into messages, in one reused buffer.
//
//	buf:  [ handled | unread | free ]
//	      0         r        w      len(buf)
//
// The buffer grows to the announced length of a message only as its bytes arrive (at most doubling), and shrinks when a large
// message is done. A message stays in place until the next call.
type reader struct {
	src  io.Reader
	buf  []byte
	r, w int
}

func newReader(src io.Reader) *reader { return &reader{src: src, buf: make([]byte, readBufferBytes)} }

// buffered counts the unread bytes.
func (in *reader) buffered() int { return in.w - in.r }

// detach leaves the current buffer to those who hold slices of it and goes on in a fresh one.
func (in *reader) detach() {
	buf := make([]byte, max(readBufferBytes, in.w-in.r))
	in.w = copy(buf, in.buf[in.r:in.w])
	in.r = 0
	in.buf = buf
}

// need waits until n bytes are unread. It keeps what it has when the read fails: a read that a deadline ended can go on.
func (in *reader) need(n int) error {
	for in.w-in.r < n {
		in.makeRoom(n)
		k, err := in.src.Read(in.buf[in.w:])
		in.w += k
		if err != nil && in.w-in.r < n {
			if err == io.EOF && in.w > in.r {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// makeRoom gives at least one free byte after w, towards n unread bytes.
func (in *reader) makeRoom(n int) {
	if in.r == in.w {
		in.r, in.w = 0, 0
		if len(in.buf) > readRetainBytes && n <= readBufferBytes {
			in.buf = make([]byte, readBufferBytes)
		}
	}
	if in.r+n > len(in.buf) && in.r > 0 {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	if in.w == len(in.buf) {
		grown := make([]byte, min(2*len(in.buf), max(n, readBufferBytes)))
		in.w = copy(grown, in.buf[in.r:in.w])
		in.r = 0
		in.buf = grown
	}
}

// message waits for a whole message and takes it. The body stays valid until the next call.
func (in *reader) message(limit func(t byte) (int, error)) (t byte, body []byte, err error) {
	if err := in.need(5); err != nil {
		return 0, nil, err
	}
	t = in.buf[in.r]
	bytesMax, err := limit(t)
	if err != nil {
		return 0, nil, err
	}
	size := int64(binary.BigEndian.Uint32(in.buf[in.r+1:]))
	if size < 4 || size > int64(bytesMax) {
		return 0, nil, pgerr.Fatal(pgerr.ProtocolViolation, "invalid message length")
	}
	if err := in.need(1 + int(size)); err != nil {
		return 0, nil, err
	}
	body = in.buf[in.r+5 : in.r+1+int(size) : in.r+1+int(size)]
	in.r += 1 + int(size)
	return t, body, nil
}

// commandLimit is how large a message of type t may be after authentication; an unknown type has lost the framing.
func commandLimit(t byte) (int, error) {
	switch t {
	case 'Q', 'F', 'B', 'P', 'd':
		return messageBytesMax, nil
	case 'X', 'C', 'D', 'E', 'H', 'S', 'c', 'f':
		return smallMessageBytes, nil
	}
	return 0, pgerr.Fatal(pgerr.ProtocolViolation, "invalid frontend message type %d", t)
}

// authLimit admits password and SASL messages only.
func authLimit(t byte) (int, error) {
	if t != 'p' {
		return 0, pgerr.Fatal(pgerr.ProtocolViolation, "expected password response, got message type %d", t)
	}
	return authMessageBytesMax, nil
}
