// Package session runs a client's statements: it implements pgwire.Session over the analyser, the plan cache, the executor and the utility
// commands, and keeps transactions, savepoints, prepared statements and portals.
//
// # The way of a statement
//
//	Query / Parse+Bind+Execute ─▶ parse ─▶ plancache.Source (analyse, rewrite, plan, locks) ─▶ executor.State ─▶ pgwire.Writer
//	                                         └─▶ utility: transaction control, SET, PREPARE, cursors, COPY here; the rest in sql/ddl
//
// # States of a transaction block (txn.go)
//
//	none ── BEGIN ──▶ open ── error ──▶ failed
//	  │                │ COMMIT/ROLLBACK   │ ROLLBACK (TO)
//	  └─ several statements in one message: implicit
//
// Every path out of a statement ends in finishStatement or failStatement; both leave no pin, no latch and no lock behind that the
// block's state does not call for. A panic is an error of the session (pgwire turns it into FATAL and calls Close, which aborts).
//
// # Without a client
//
// Server also runs autovacuum (autovacuum.go): a launcher goroutine, and workers that are Sessions without a connection. What sessions do is
// counted in storage/pgstat and shown by activity.go.
//
// It is the only importer of sql/ddl and sql/plpgsql.
package session
