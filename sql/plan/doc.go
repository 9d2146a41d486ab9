// Package plan turns a rewritten query tree into a plan: paths with PostgreSQL's costs, then plan nodes for the executor.
//
// The way of one query level (root, PostgreSQL's PlannerInfo):
//
//	prep_*       CTEs, sub-selects to joins, subqueries merged, expressions folded, outer joins reduced      subqueryPlanner
//	initsplan    the join tree taken apart: conditions to relations and joins, equivalence classes            queryPlanner
//	allpaths     sizes by statistics, paths of each relation, joins by dynamic programming                    makeOneRel
//	grouping     aggregation, windows, DISTINCT, ORDER BY, LIMIT, locks, changes                              groupingPlanner
//	create*      the cheapest path becomes plan nodes                                                         createPlan
//	setrefs      Vars get their place: flat range table, or a column of an input; param dependencies          finish
//
// Names follow PostgreSQL's where they are known (restrict = RestrictInfo, eclass = EquivalenceClass, specialJoin = SpecialJoinInfo, rel =
// RelOptInfo), so that what is known about those holds here. Costs, selectivities and the rules by which one path beats another are
// PostgreSQL's formulas.
//
// nodes.go is the contract with executor/: node structs are PostgreSQL's plan nodes under Go names, immutable and shared between
// executions. Query trees are never changed: each step copies what it changes.
//
// Errors travel up as a private panic (fail, must) that only Build recovers.
//
// Not built, and answered with 0A000: TABLESAMPLE, XMLTABLE. Not built,
// where PostgreSQL would find a better plan of the same result: placeholders (some subqueries under outer joins are not merged), removal of
// useless left joins, inlining of SQL functions, index scans for LIKE prefixes, parallel plans.
package plan
