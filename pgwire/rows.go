package pgwire

import (
	"encoding/binary"

	"github.com/calfdb/calf/sql/pgerr"
)

// Field describes one result column in RowDescription.
type Field struct {
	Name     string
	TableOID uint32 // 0 when the column is not a plain table column
	AttrNum  int16
	TypeOID  uint32
	TypLen   int16
	TypMod   int32
}

// FormatOf is the format of column i under a format list as Bind carries it: none = text, one = for all, else one each.
func FormatOf(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return 0
	case 1:
		return formats[0]
	}
	return formats[i]
}

// RowDescription describes the rows to come. formats is the list that Bind carried (nil for Describe of a statement, and for simple
// queries).
func (w *Writer) RowDescription(fields []Field, formats []int16) {
	w.begin('T')
	w.int16(int16(len(fields)))
	for i := range fields {
		f := &fields[i]
		w.cstring(f.Name)
		w.uint32(f.TableOID)
		w.int16(f.AttrNum)
		w.uint32(f.TypeOID)
		w.int16(f.TypLen)
		w.int32(f.TypMod)
		w.int16(FormatOf(formats, i))
	}
	w.end()
}

// BeginRow opens a DataRow of n columns. Exactly n cells follow, then EndRow.
func (w *Writer) BeginRow(n int) {
	w.begin('D')
	w.inRow = true
	w.int16(int16(n))
}

// CellNull appends a NULL.
func (w *Writer) CellNull() { w.buf = append(w.buf, 0xff, 0xff, 0xff, 0xff) }

// CellBytes appends a cell in binary form.
func (w *Writer) CellBytes(b []byte) {
	w.int32(int32(len(b)))
	w.buf = append(w.buf, b...)
}

// CellText appends a cell of text in the server's encoding; it is converted to client_encoding.
func (w *Writer) CellText(b []byte) {
	if w.enc == nil {
		w.CellBytes(b)
		return
	}
	w.CellEndText(append(w.CellBegin(), b...))
}

// CellString is CellText of a string.
func (w *Writer) CellString(s string) {
	if w.enc == nil {
		w.int32(int32(len(s)))
		w.buf = append(w.buf, s...)
		return
	}
	w.CellEndText(append(w.CellBegin(), s...))
}

// CellBegin opens a cell that the caller appends in place:
//
//	w.CellEnd(strconv.AppendInt(w.CellBegin(), v, 10))
//
// Between the two no other method of w may be called.
func (w *Writer) CellBegin() []byte {
	w.cell = len(w.buf)
	w.buf = append(w.buf, 0, 0, 0, 0)
	return w.buf
}

// CellEnd closes a cell of binary data, or of text that is ASCII.
func (w *Writer) CellEnd(b []byte) {
	w.buf = b
	binary.BigEndian.PutUint32(b[w.cell:], uint32(len(b)-w.cell-4))
}

// CellEndText closes a cell of text in the server's encoding; it is converted to client_encoding.
func (w *Writer) CellEndText(b []byte) {
	if w.enc != nil {
		b = w.enc.convertTail(b, w.cell+4)
	}
	w.CellEnd(b)
}

// EndRow closes the row. The error is a lost connection (FATAL 08006), a row over 1 GB, or text that client_encoding lacks.
func (w *Writer) EndRow() error {
	w.inRow = false
	if len(w.buf)-w.msg > messageBytesMax {
		w.drop()
		return pgerr.New(pgerr.ProgramLimitExceeded, "row is too large to send: the limit is %d bytes", messageBytesMax)
	}
	if w.enc != nil {
		if err := w.enc.takeErr(); err != nil {
			w.drop()
			return err
		}
	}
	w.end()
	if w.err != nil {
		return w.err
	}
	return nil
}
