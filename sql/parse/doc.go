// Package parse turns statement text into PostgreSQL's raw parse trees, through libpg_query: PostgreSQL's own grammar, never one of our own.
//
// What it adds: guards before C is called (NUL and broken UTF-8, nesting that would overflow the C stack), errors with PostgreSQL 15's wording,
// SQLSTATE and byte place, and the refusal of what the library's grammar (PostgreSQL 16) takes and 15 does not (see v16.go). Scanner is a
// token reader in Go for these guards and for the statement cache's taking out of literals.
//
// Places: the library's error cursors count characters, its tree locations count bytes; this package's errors carry bytes.
package parse
