package isolation

import (
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// message is an error or a notice of the server, or an error of the connection, which has only text.
type message struct {
	fields pgproto3.ErrorResponse
	query  string // the text sent, for the position
	text   string // of a connection's error: complete, with its newline
}

// primary is what a step's result shows: no detail, which may hold transaction ids.
func (m *message) primary() string {
	if m.fields.Severity != "" && m.fields.Message != "" {
		return m.fields.Severity + ":  " + m.fields.Message
	}
	return m.full(true)
}

// full is the message as libpq formats it with default verbosity. Context is shown of errors only.
func (m *message) full(isError bool) string {
	if m.text != "" {
		return m.text
	}
	f := &m.fields
	var out strings.Builder
	if f.Severity != "" {
		out.WriteString(f.Severity + ":  ")
	}
	out.WriteString(f.Message + "\n")
	switch {
	case f.Position > 0:
		out.WriteString(caret(m.query, int(f.Position)))
	case f.InternalPosition > 0:
		out.WriteString(caret(f.InternalQuery, int(f.InternalPosition)))
	}
	context := f.Where
	if !isError {
		context = ""
	}
	for _, part := range [][2]string{{"DETAIL", f.Detail}, {"HINT", f.Hint}, {"QUERY", f.InternalQuery}, {"CONTEXT", context}} {
		if part[1] != "" {
			out.WriteString(part[0] + ":  " + part[1] + "\n")
		}
	}
	return out.String()
}
