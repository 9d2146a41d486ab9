// Package types holds values: the Datum, row descriptors, and for each SQL type its text and binary input and output,
// comparison, hashing and casts. It imports only pgerr; what a type needs to know of the world (enum labels, names of relations, the
// session's DateStyle, the clock) comes through the small interfaces declared here.
package types
