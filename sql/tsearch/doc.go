// Package tsearch is text search: the types tsvector and tsquery with their operators, the default parser, the dictionary templates, ranking and
// headlines. A document becomes a Vector: words are cut out by a parser, normalized by dictionaries, and kept sorted with their positions; a Query is a
// tree of operators over words that is matched against a Vector.
//
//	vector*.go   tsvector: text, bytes, operators         query*.go  tsquery          match.go  the operator @@
//	parser*.go   the default parser: text to tokens       lexize.go  tokens through dictionaries to words
//	dict*.go     templates simple, synonym, ispell, thesaurus, snowball
//	rank*.go     ts_rank, ts_rank_cd                      headline.go  ts_headline
//
// What needs no catalog is registered as functions here; configurations are catalog rows, so whoever has the catalogs makes a Config of them and registers
// the functions that use one. Imports: sql/types, sql/pgerr.
package tsearch
