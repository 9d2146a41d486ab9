// Package analyze turns parse trees into typed query trees: names to catalog objects, expressions to typed nodes with coercions and collations,
// clauses checked. It follows PostgreSQL's parser/parse_*.c rule by rule, so that the same statement gives the same tree, or the same error with
// the same SQLSTATE, wording, hint and place.
//
//	statement.go  entry points           select.go setop.go insert.go update.go delete.go cte.go   one statement kind each
//	from.go       FROM, joins            namespace.go relation.go column.go                        what names mean
//	target.go     target lists           expr*.go                                                  expressions
//	func*.go      function calls         oper.go                                                   operators
//	coerce*.go    coercion rules         collate.go                                                collations
//	group.go      GROUP BY, HAVING       sort.go window.go agg.go                                  clauses
//
// Relations are locked before they are read: every relation comes through Env.OpenRelation.
//
// Inside the package an error travels as a panic with a *pgerr.Error in a bailout value, recovered at each entry point (as encoding/json does):
// analysis is deep recursion whose every step can fail, and none of its steps needs cleaning up. No panic of this kind leaves the package.
//
// It may import pgerr, types, query, catalog and parse.
package analyze
