// Package rewrite turns an analysed query into the queries to plan: views become sub-selects, the target lists of INSERT and UPDATE are completed
// with defaults, changes of simple views become changes of their tables, and call arguments are put in order. It follows PostgreSQL's
// rewriteHandler.c. The query given is not changed; what changes is copied.
//
//	rewrite.go   the entry point           targets.go   INSERT and UPDATE target lists
//	view.go      views in FROM             updatable.go views as targets
//	rules.go     rules on tables and views
//
// A view's range table entry keeps RelOID, LockMode and its permissions beside the sub-select that it becomes (Kind RTESubquery, RelOID not 0): whoever
// locks relations and checks permissions looks at those, too. The entries inside a view carry its owner in CheckAsUser.
//
// A statement on a relation with rules becomes several queries: the actions, rewritten in turn, and the statement itself unless a rule is INSTEAD of it;
// CanSetTag marks the one whose rows and count the client gets. INSTEAD OF triggers get the old rows of their view whole, in a junk column.
//
// Row security answers feature_not_supported.
//
// It may import analyze, query, catalog, types and pgerr.
package rewrite
