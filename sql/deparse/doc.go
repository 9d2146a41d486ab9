// Package deparse prints query trees and catalog objects as SQL text, just as PostgreSQL's ruleutils.c does: the pg_get_*def functions and the expressions
// of EXPLAIN.
//
//	context.go     what names mean: Context, Namespace          printer.go  the buffer, indentation
//	expr.go const.go call.go sublink.go                         expressions
//	query.go from.go dml.go                                     queries
//	view.go constraint.go index.go function.go                  definitions of catalog objects
//	sqlfuncs.go                                                 their SQL functions
//
// Printing for plans: give Context a ResolveVar, which maps the special variables of a plan (OuterVar, InnerVar, IndexVar) to an expression and the context
// in which that expression has its names.
//
// It may import analyze, query, catalog, types and pgerr.
package deparse
