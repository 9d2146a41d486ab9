// Package explain prints plans as PostgreSQL's EXPLAIN does: text, JSON, YAML and XML from one walk over the plan tree.
//
// Print walks the nodes and calls an emitter, which knows the format. What a node's expressions read of its inputs (Vars of the outer or inner
// input, of an index, parameters of nested loops and sub-plans) is first put back into terms of the tables; the expression is then printed by
// package deparse through Env.Expr.
//
// Meter measures an execution for EXPLAIN ANALYZE: it wraps each running node.
package explain
