// Package funcs holds the pure built-in functions that are no part of a type's own input, output, comparison and operators: strings,
// regular expressions, to_char, dates, mathematics, json, aggregates' transition functions. One file a family; each file registers its
// functions with types.RegisterFunc in its init, under the source name (prosrc) of the pg_proc row. A program that evaluates
// expressions imports the package for that effect. It imports types and pgerr only; a function that needs state of the session or of
// the storage is registered by the package that owns the state.
package funcs
