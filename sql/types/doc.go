// Package types holds values: the Datum, row descriptors, and for each SQL type its text and binary input and output,
// comparison, hashing, casts and operators' functions. What a type needs to know of the world (enum labels, names of relations, the
// session's DateStyle, the clock) comes through Env: the small interfaces Catalog and Clock, and the plain values of Settings.
//
// A type's four forms are resolved once to an IO handle (IOFor); comparison and hashing to functions (CompareFor, HashFor, or
// LookupCompare and LookupHash by the source name of an operator class's support function). Functions register under the source name
// (prosrc) of their pg_proc row and are called with a Call; strictness is the caller's. Input and Receive may alias what they are given.
//
// It imports pgerr, apd (arithmetic of numeric's roots and logarithms) and its leaf libm (the C library's mathematics).
package types
