// Package plancache keeps analysed and planned statements: what PREPARE, protocol Parse and PL/pgSQL expressions execute again and again.
//
// A Source is one statement: its parse tree, its analysed and rewritten queries, and at most one generic plan. Get answers a plan to run now:
// a custom plan, made for the given parameter values, for the first five executions; then the generic one as long as its cost is not above
// the average of the custom ones, planning included (PostgreSQL's policy; plan_cache_mode overrides it).
//
// Validity. A Source remembers the descriptors of everything its queries and its plan depend on. Descriptors are immutable and replaced when
// the object changes, so a Source is valid when looking each up again gives the same one, and the search path and role are the same. The
// check is skipped while the catalog's invalidation counter has not moved. Order matters, as in PostgreSQL: first the locks that the plan
// needs are taken, then the check is made (taking a lock drains invalidations), and if it fails the locks are given back and the statement is
// analysed or planned again. What is valid then stays valid until the locks go.
//
// The statement cache. Statements finds a simple query's Source by its text with the literals cut out (parse.Shape); Lift makes parameters of
// those literals that may differ between two uses of it. The rule is an allow-list on the analysed tree, told at Lift. A number's size is in the
// key, as its type depends on it; what is not on the list stays a constant and in the key. Who uses a cached statement reads the literals
// with the types' input functions, computes the casts that planning would have folded, and has the text parsed in full when anything goes wrong, so
// that errors and their places are the same with and without the cache (regress/stmtcache_test.go compares random statements).
//
// A Source belongs to one session and is not for concurrent use; the plans that it gives are immutable.
//
// May import sql/* (not ddl, not plpgsql) and lock.
package plancache
