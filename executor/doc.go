// Package executor runs plans over storage. One node a file, each registering itself; State is the running form of a plan, Backend what a
// session gives to it.
//
// # The idea
//
// PostgreSQL's pull model: Node.Next gives one row, its parent asks for the next. Expressions are closures over a node's own Context
// (sql/expr). A State is built once per plan and session and started again for each execution, so that executing a prepared statement
// builds nothing; Rescan starts a node again, and nodes that hold a result (Material, Sort, Hash, Agg, CTE) keep it when no parameter below
// them changed, which they see by the parameters' generations.
//
// Rows that nodes hold are bytes without pointers (rowcodec.go). Tuplestore, sorter, hashJoin and hashAgg charge work_mem and spill to
// temporary files that are unlinked as soon as they are open.
//
// ModifyTable writes through heap and index handles; rows are checked again in their newest version after a wait at READ COMMITTED
// (epq.go); AFTER triggers, foreign keys among them, wait in Backend.After.
//
// # Promises
//
//   - A row is valid until the next call on the node that gave it.
//   - Every loop that may run long polls Backend.Interrupted.
//   - After Close no pin, file or latch is left; State.Suspend lets go of pins between two runs of a portal.
//
// May import sql/plan, sql/expr, storage and index; not sql/ddl, pgwire or analyze.
package executor
