// Package rewrite turns an analysed query into the queries to plan: views become sub-selects, the target lists of INSERT and UPDATE are completed
// with defaults, changes of simple views become changes of their tables, and call arguments are put in order. It follows PostgreSQL's
// rewriteHandler.c. The query given is not changed; what changes is copied.
//
//	rewrite.go   the entry point           targets.go   INSERT and UPDATE target lists
//	view.go      views in FROM             updatable.go views as targets
//
// A view's range table entry keeps RelOID, LockMode and its permissions beside the sub-select that it becomes (Kind RTESubquery, RelOID not 0): whoever
// locks relations and checks permissions looks at those, too. The entries inside a view carry its owner in CheckAsUser.
//
// Rules other than views' and row security answer feature_not_supported.
//
// It may import analyze, query, catalog, types and pgerr.
package rewrite
