package parse

import (
	"errors"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pganalyze/pg_query_go/v5/parser"
	"google.golang.org/protobuf/proto"

	"github.com/calfdb/calf/sql/pgerr"
)

// Stmt is one raw statement: its tree, and its place in the text in bytes (Len 0 = to the end of the text).
type Stmt struct {
	Node     *pg_query.Node
	Location int
	Len      int
}

// Text gives the statement's own text out of the whole.
func (s *Stmt) Text(sql string) string {
	if s.Len == 0 {
		return sql[s.Location:]
	}
	return sql[s.Location : s.Location+s.Len]
}

// decodeDepth is the nesting that the tree's decoding accepts: two messages a level, beyond what guardDepth and the grammar let through.
const decodeDepth = 100000

// Parse parses a string of statements separated by semicolons. Empty statements are left out, so the list may be empty. Errors are
// *pgerr.Error, of class 42601 mostly, with the byte place.
func Parse(sql string) ([]*Stmt, error) {
	if err := checkText(sql); err != nil {
		return nil, err
	}
	found, err := guardDepth(sql)
	if err != nil {
		return nil, err
	}
	encoded, err := parser.ParseToProtobuf(sql)
	if err != nil {
		e := translateError(sql, err)
		if found.junk >= 0 && (e.Location == 0 || e.Location > found.junk) {
			return nil, numberJunk(sql, found.junk)
		}
		return nil, e
	}
	if found.junk >= 0 {
		return nil, numberJunk(sql, found.junk)
	}
	var tree pg_query.ParseResult
	if err := (proto.UnmarshalOptions{RecursionLimit: decodeDepth}).Unmarshal([]byte(encoded), &tree); err != nil {
		return nil, pgerr.Internal("could not decode the parse tree: %v", err)
	}
	stmts := make([]*Stmt, 0, len(tree.Stmts))
	for _, raw := range tree.Stmts {
		if raw.Stmt == nil || raw.Stmt.Node == nil {
			continue
		}
		if found.checkTree {
			if err := checkV16(sql, raw.Stmt); err != nil {
				return nil, err
			}
		}
		stmts = append(stmts, &Stmt{Node: intoStatement(raw.Stmt), Location: int(raw.StmtLocation), Len: int(raw.StmtLen)})
	}
	return stmts, nil
}

// translateError makes the library's error PostgreSQL's: SQLSTATE and hint by message, the cursor from characters to bytes.
func translateError(sql string, err error) *pgerr.Error {
	var pe *parser.Error
	if !errors.As(err, &pe) {
		return pgerr.From(err)
	}
	e := pgerr.New(pgerr.SyntaxError, "%s", pe.Message)
	if pe.Cursorpos > 0 {
		e.WithLocation(byteOffset(sql, pe.Cursorpos-1))
	}
	for _, k := range knownErrors {
		if strings.HasPrefix(pe.Message, k.prefix) {
			e.Code, e.Hint, e.Detail = k.code, k.hint, k.detail
			break
		}
	}
	if pe.Message == "invalid Unicode escape" && pe.Cursorpos > 0 {
		// The library says the same of E'\u' and of U&'\'; the text at the cursor tells them apart.
		at := sql[byteOffset(sql, pe.Cursorpos-1):]
		if !strings.HasPrefix(at, `\u`) && !strings.HasPrefix(at, `\U`) {
			e.Code, e.Hint = pgerr.SyntaxError, `Unicode escapes must be \XXXX or \+XXXXXX.`
		}
	}
	return e
}

// byteOffset is where the nth character of s (0-based) begins.
func byteOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// knownErrors are the scanner's and grammar's errors that are not plain 42601; the library keeps only the message.
var knownErrors = []struct {
	prefix       string
	code         pgerr.Code
	hint, detail string
}{
	{"stack depth limit exceeded", pgerr.StatementTooComplex, "", ""},
	{"unsafe use of string constant with Unicode escapes", pgerr.FeatureNotSupported, "", "String constants with Unicode escapes cannot be used when standard_conforming_strings is off."},
	{"unsafe use of \\' in a string literal", pgerr.NonstandardUseOfEscapeCharacter, "Use '' to write quotes in strings. \\' is insecure in client-only encodings.", ""},
	{"invalid Unicode escape value", pgerr.SyntaxError, "", ""},
	{"invalid Unicode escape character", pgerr.SyntaxError, "", ""},
	{"invalid Unicode escape", pgerr.InvalidEscapeSequence, "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.", ""},
	{"invalid byte sequence for encoding", pgerr.CharacterNotInRepertoire, "", ""},
	{"current database cannot be changed", pgerr.FeatureNotSupported, "", ""},
	{"time zone interval must be HOUR or HOUR TO MINUTE", pgerr.SyntaxError, "", ""},
	{"precision for type float must be at least 1 bit", pgerr.InvalidParameterValue, "", ""},
	{"precision for type float must be less than 54 bits", pgerr.InvalidParameterValue, "", ""},
	{"frame start cannot be UNBOUNDED FOLLOWING", pgerr.WindowingError, "", ""},
	{"frame end cannot be UNBOUNDED PRECEDING", pgerr.WindowingError, "", ""},
	{"frame starting from following row cannot end with current row", pgerr.WindowingError, "", ""},
	{"frame starting from current row cannot have preceding rows", pgerr.WindowingError, "", ""},
	{"frame starting from following row cannot have preceding rows", pgerr.WindowingError, "", ""},
	{"UNIQUE predicate is not yet implemented", pgerr.FeatureNotSupported, "", ""},
	{"CREATE ASSERTION is not yet implemented", pgerr.FeatureNotSupported, "", ""},
	{"MATCH PARTIAL not yet implemented", pgerr.FeatureNotSupported, "", ""},
	{"role name \"", pgerr.ReservedName, "", ""},
	{"constraint declared INITIALLY DEFERRED must be DEFERRABLE", pgerr.SyntaxError, "", ""},
	{"LIMIT #,# syntax is not supported", pgerr.SyntaxError, "Use separate LIMIT and OFFSET clauses.", ""},
	{"CREATE EXTENSION ... FROM is no longer supported", pgerr.FeatureNotSupported, "", ""},
	{"aggregates cannot have output arguments", pgerr.FeatureNotSupported, "", ""},
}
