package pgwire

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"github.com/calfdb/calf/sql/pgerr"
)

// decoder reads the body of one message in place. After the first error every read gives zero values and err stays.
type decoder struct {
	b   []byte
	err *pgerr.Error
}

func (d *decoder) fail() {
	if d.err == nil {
		d.err = pgerr.New(pgerr.ProtocolViolation, "insufficient data left in message")
	}
	d.b = nil
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b) {
		d.fail()
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) byte() byte {
	if v := d.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (d *decoder) int16() int16 {
	if v := d.take(2); v != nil {
		return int16(binary.BigEndian.Uint16(v))
	}
	return 0
}

func (d *decoder) int32() int32 {
	if v := d.take(4); v != nil {
		return int32(binary.BigEndian.Uint32(v))
	}
	return 0
}

// cstring reads up to the next NUL. The string shares the message's memory.
func (d *decoder) cstring() string {
	i := bytes.IndexByte(d.b, 0)
	if i < 0 {
		if d.err == nil {
			d.err = pgerr.New(pgerr.ProtocolViolation, "invalid string in message")
		}
		d.b = nil
		return ""
	}
	s := viewString(d.b[:i])
	d.b = d.b[i+1:]
	return s
}

// end checks that nothing is left.
func (d *decoder) end() *pgerr.Error {
	if d.err == nil && len(d.b) > 0 {
		d.err = pgerr.New(pgerr.ProtocolViolation, "invalid message format")
	}
	return d.err
}

// viewString is b as a string without a copy; it is valid as long as b is not changed.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bindMessage is a decoded Bind; its slices are reused from message to message.
type bindMessage struct {
	portal, stmt  string
	paramFormats  []int16
	params        [][]byte
	resultFormats []int16
}

// decode fills m from body. Counts are bounded by the bytes that are there, so a lying count allocates nothing.
func (m *bindMessage) decode(body []byte) *pgerr.Error {
	d := decoder{b: body}
	m.portal = d.cstring()
	m.stmt = d.cstring()
	m.paramFormats = d.formats(m.paramFormats)
	m.params = m.params[:0]
	for n := int(uint16(d.int16())); n > 0 && d.err == nil; n-- {
		m.params = append(m.params, d.param())
	}
	m.resultFormats = d.formats(m.resultFormats)
	return d.end()
}

// param reads one parameter: nil for NULL (any negative length but -1 is broken), never nil for an empty value.
func (d *decoder) param() []byte {
	n := d.int32()
	if n == -1 {
		return nil
	}
	v := d.take(int(n))
	if v == nil && d.err == nil {
		v = emptyParam
	}
	return v
}

var emptyParam = make([]byte, 0, 1)

func (d *decoder) formats(into []int16) []int16 {
	into = into[:0]
	for n := int(uint16(d.int16())); n > 0 && d.err == nil; n-- {
		into = append(into, d.int16())
	}
	return into
}

// parseMessage is a decoded Parse; its slice is reused.
type parseMessage struct {
	name, sql string
	paramOIDs []uint32
}

func (m *parseMessage) decode(body []byte) *pgerr.Error {
	d := decoder{b: body}
	m.name = d.cstring()
	m.sql = d.cstring()
	m.paramOIDs = m.paramOIDs[:0]
	for n := int(uint16(d.int16())); n > 0 && d.err == nil; n-- {
		m.paramOIDs = append(m.paramOIDs, uint32(d.int32()))
	}
	return d.end()
}
