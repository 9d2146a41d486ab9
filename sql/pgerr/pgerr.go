// Package pgerr holds the errors that reach a client: SQLSTATE, message, detail, hint, position and the object fields,
// as PostgreSQL's ErrorResponse carries them. It is a leaf: everything may import it, and it imports nothing of calf.
//
// Make one with New and add fields with the With methods:
//
//	return pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint %q", name).
//		WithDetail("Key (%s)=(%s) already exists.", cols, vals).WithTable(schema, table).WithConstraint(name)
package pgerr

import (
	"errors"
	"fmt"
)

// Error is an error as a client sees it. The zero values of the optional fields mean "absent".
type Error struct {
	Severity string // "" means ERROR; FATAL ends the connection, PANIC the server
	Code     Code
	Message  string
	Detail   string
	Hint     string

	// Position is the cursor position in the statement text, 1-based, in characters; 0 = none.
	// Location is a byte offset as the parser gives it, plus 1 (0 = none); the session turns it into Position.
	Position int
	Location int

	InternalPosition int
	InternalQuery    string
	Context          string // the CONTEXT lines, innermost first, joined by newlines

	Schema, Table, Column, DataType, Constraint string

	Cause error // an inner error, for the log only
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the inner error that the log shows.
func (e *Error) Unwrap() error { return e.Cause }

// New makes an error of severity ERROR.
func New(code Code, format string, args ...any) *Error {
	if len(args) == 0 {
		return &Error{Code: code, Message: format}
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Fatal makes an error that ends the connection.
func Fatal(code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.Severity = "FATAL"
	return e
}

// NotSupported is the answer of everything that is not built: SQLSTATE 0A000, naming the feature.
func NotSupported(feature string, args ...any) *Error {
	return &Error{Code: FeatureNotSupported, Message: sprintf(feature, args) + " is not supported yet"}
}

// Internal is SQLSTATE XX000, for a broken expectation that a client should report.
func Internal(format string, args ...any) *Error { return New(InternalError, format, args...) }

func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = sprintf(format, args)
	return e
}

func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = sprintf(format, args)
	return e
}

// WithLocation sets the byte offset (0-based, -1 = unknown) of the token that the error is about, unless one is set.
func (e *Error) WithLocation(byteOffset int) *Error {
	if byteOffset >= 0 && e.Location == 0 {
		e.Location = byteOffset + 1
	}
	return e
}

// WithContext appends a CONTEXT line.
func (e *Error) WithContext(format string, args ...any) *Error {
	line := sprintf(format, args)
	if e.Context != "" {
		line = e.Context + "\n" + line
	}
	e.Context = line
	return e
}

func (e *Error) WithTable(schema, table string) *Error {
	e.Schema, e.Table = schema, table
	return e
}

func (e *Error) WithColumn(column string) *Error {
	e.Column = column
	return e
}

func (e *Error) WithConstraint(name string) *Error {
	e.Constraint = name
	return e
}

func (e *Error) WithDataType(schema, name string) *Error {
	e.Schema, e.DataType = schema, name
	return e
}

// From finds the *Error in err's chain; an error that has none becomes XX000.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: InternalError, Message: err.Error(), Cause: err}
}

// CodeOf is the SQLSTATE of err, or "" when err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

func sprintf(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
