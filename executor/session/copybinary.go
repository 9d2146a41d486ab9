package session

import (
	"encoding/binary"
	"io"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// The binary format of COPY: a signature, a word of flags and the length of an extension (none is defined); then for each row the number of its
// fields, and for each field its length, or -1 for null, and its binary form; then -1 in place of a number of fields. Numbers are big-endian.

const copySignature = "PGCOPY\n\xff\r\n\x00"

// copyHeaderBytes are the signature, flags of 0 and an extension of 0 bytes.
const copyHeaderBytes = copySignature + "\x00\x00\x00\x00" + "\x00\x00\x00\x00"

// copyWithOIDs is the flag of a format that gave each row an OID; the other flags from bit 16 on are critical too: who doesn't know one may not
// read the data.
const copyWithOIDs = 1 << 16

func badCopyFormat(format string, args ...any) error {
	return pgerr.New(pgerr.BadCopyFileFormat, format, args...)
}

// need makes n bytes of the input available from c.pos on; false if the input ends before.
func (c *copyLines) need(n int) (bool, error) {
	for c.end-c.pos < n {
		if err := c.fill(); err == io.EOF {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// headerWord reads a number of the header.
func (c *copyLines) headerWord(what string) (uint32, error) {
	ok, err := c.need(4)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, badCopyFormat("invalid COPY file header (missing %s)", what)
	}
	c.pos += 4
	return binary.BigEndian.Uint32(c.buf[c.pos-4:]), nil
}

// binaryHeader reads what comes before the first row.
func (c *copyLines) binaryHeader() error {
	ok, err := c.need(len(copySignature))
	if err != nil {
		return err
	}
	if !ok || string(c.buf[c.pos:c.pos+len(copySignature)]) != copySignature {
		return badCopyFormat("COPY file signature not recognized")
	}
	c.pos += len(copySignature)
	flags, err := c.headerWord("flags")
	if err != nil {
		return err
	}
	switch {
	case flags&copyWithOIDs != 0:
		return badCopyFormat("invalid COPY file header (WITH OIDS)")
	case flags>>16 != 0:
		return badCopyFormat("unrecognized critical flags in COPY file header")
	}
	extension, err := c.headerWord("length")
	if err != nil {
		return err
	}
	if int32(extension) < 0 {
		return badCopyFormat("invalid COPY file header (missing length)")
	}
	for ; extension > 0; extension-- {
		if ok, err := c.need(1); err != nil {
			return err
		} else if !ok {
			return badCopyFormat("invalid COPY file header (wrong length)")
		}
		c.pos++
	}
	return nil
}

// nextBinary reads a row of the given number of columns into c.fields; false at the end of the data. What is wrong with the frame of a field goes
// into c.broken: it counts when the fields before it are good.
func (c *copyLines) nextBinary(columns int) (bool, error) {
	c.line++
	c.fields, c.broken = c.fields[:0], nil
	ok, err := c.need(2)
	if !ok || err != nil {
		return false, err
	}
	n := int(int16(binary.BigEndian.Uint16(c.buf[c.pos:])))
	if n == -1 {
		c.pos += 2
		if more, err := c.need(1); err != nil {
			return false, err
		} else if more {
			return false, badCopyFormat("received copy data after EOF marker")
		}
		return false, nil
	}
	if n != columns {
		return false, badCopyFormat("row field count is %d, expected %d", n, columns)
	}
	c.sizes = c.sizes[:0]
	at := 2 // from c.pos, which stays at the row's start: fill moves the bytes
	for range n {
		size, err := c.fieldFrame(at)
		if pe, is := err.(*pgerr.Error); is && (pe.Code == pgerr.BadCopyFileFormat || pe.Code == pgerr.ProgramLimitExceeded) {
			c.broken = err
			break
		} else if err != nil {
			return false, err
		}
		c.sizes = append(c.sizes, size)
		at += 4 + max(int(size), 0)
	}
	row := c.buf[c.pos+2 : c.pos+at]
	for _, size := range c.sizes {
		row = row[4:]
		if size < 0 {
			c.fields = append(c.fields, copyField{null: true})
			continue
		}
		c.fields = append(c.fields, copyField{b: row[:size:size]})
		row = row[size:]
	}
	c.pos += at
	return true, nil
}

// fieldFrame makes the field at c.pos+at available and gives its size, -1 for null.
func (c *copyLines) fieldFrame(at int) (int32, error) {
	ok, err := c.need(at + 4)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, badCopyFormat("unexpected EOF in COPY data")
	}
	size := int32(binary.BigEndian.Uint32(c.buf[c.pos+at:]))
	if size == -1 {
		return size, nil
	}
	if size < 0 {
		return 0, badCopyFormat("invalid field size")
	}
	if size >= lineBytesMax-1 {
		return 0, pgerr.New(pgerr.ProgramLimitExceeded, "out of memory").
			WithDetail("Cannot enlarge string buffer containing 0 bytes by %d more bytes.", size)
	}
	if ok, err = c.need(at + 4 + int(size)); err != nil {
		return 0, err
	}
	if !ok {
		return 0, badCopyFormat("unexpected EOF in COPY data")
	}
	return size, nil
}

// readBinaryFields decodes the fields of the row in hand.
func (l *copyLoader) readBinaryFields() error {
	env := l.s.backend.Env
	for i, col := range l.cols {
		l.col = i
		if i >= len(l.lines.fields) {
			return l.lines.broken
		}
		f := &l.lines.fields[i]
		if f.null {
			if _, err := l.ios[i].InputNull(env); err != nil {
				return err
			}
			continue
		}
		d, err := l.ios[i].Receive(env, f.b, l.rel.Desc.Attrs[col-1].TypMod)
		if err != nil {
			return err
		}
		l.row[col-1] = d
	}
	l.col = -1
	return nil
}

// receiveBinary writes a row in the binary format. The header goes out with the first one.
func (w *copyWriter) receiveBinary(row types.Row) error {
	w.buf = w.buf[:0]
	if w.count == 0 {
		w.buf = append(w.buf, copyHeaderBytes...)
	}
	w.buf = binary.BigEndian.AppendUint16(w.buf, uint16(len(w.ios)))
	for i, io := range w.ios {
		at := len(w.buf)
		w.buf = append(w.buf, 0xff, 0xff, 0xff, 0xff)
		if row[i].IsNull() {
			continue
		}
		var err error
		if w.buf, err = io.AppendBinary(w.s.backend.Env, w.buf, row[i]); err != nil {
			return err
		}
		binary.BigEndian.PutUint32(w.buf[at:], uint32(len(w.buf)-at-4))
	}
	w.count++
	return w.send()
}

// finishBinary writes the end mark.
func (w *copyWriter) finishBinary() error {
	w.buf = w.buf[:0]
	if w.count == 0 {
		w.buf = append(w.buf, copyHeaderBytes...)
	}
	w.buf = append(w.buf, 0xff, 0xff)
	return w.send()
}
