package pgwire

import (
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
)

// Error sends e as ErrorResponse; a message that the error left half built is dropped.
func (w *Writer) Error(e *pgerr.Error) {
	w.drop()
	w.fields('E', e, "ERROR")
}

// fields writes an ErrorResponse or NoticeResponse. The order is PostgreSQL's.
func (w *Writer) fields(t byte, e *pgerr.Error, severity string) {
	if e.Severity != "" {
		severity = e.Severity
	}
	w.begin(t)
	w.field('S', severity)
	w.field('V', severity)
	w.field('C', string(e.Code))
	w.field('M', e.Message)
	w.fieldIf('D', e.Detail)
	w.fieldIf('H', e.Hint)
	w.fieldInt('P', e.Position)
	w.fieldInt('p', e.InternalPosition)
	w.fieldIf('q', e.InternalQuery)
	w.fieldIf('W', e.Context)
	w.fieldIf('s', e.Schema)
	w.fieldIf('t', e.Table)
	w.fieldIf('c', e.Column)
	w.fieldIf('d', e.DataType)
	w.fieldIf('n', e.Constraint)
	w.buf = append(w.buf, 0)
	w.end()
	if w.enc != nil {
		_ = w.enc.takeErr() // a character that the client's encoding lacks was replaced
	}
}

func (w *Writer) field(code byte, v string) {
	w.buf = append(w.buf, code)
	w.cstring(v)
}

func (w *Writer) fieldIf(code byte, v string) {
	if v != "" {
		w.field(code, v)
	}
}

func (w *Writer) fieldInt(code byte, v int) {
	if v > 0 {
		w.field(code, strconv.Itoa(v))
	}
}
