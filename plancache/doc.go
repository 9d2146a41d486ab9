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
// A Source belongs to one session and is not for concurrent use; the plans that it gives are immutable.
//
// May import sql/* (not ddl, not plpgsql) and lock.
package plancache
