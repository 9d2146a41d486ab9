// Package isolation runs isolation specs: files in the syntax of PostgreSQL's isolationtester, which say what several sessions do and in which
// orders ("permutations") their steps are interleaved. What it prints is, byte for byte, what the stock isolationtester prints, so that
// PostgreSQL's own specs and expected files serve calf and calf's serve PostgreSQL:
//
//	setup       { CREATE TABLE t (a int); }     the control session, before each permutation
//	session s1  setup { BEGIN; }                a connection of its own
//	step ins    { INSERT INTO t VALUES (1); }
//	step c1     { COMMIT; }
//	session s2  step trunc { TRUNCATE t; }
//	permutation ins trunc c1                    prints "step trunc: TRUNCATE t; <waiting ...>" and later "<... completed>"
//
// A step that waits for a lock of another session of the spec is seen by asking the server, every 10 ms, in a session of its own:
// pg_isolation_test_session_is_blocked. Nothing else about the server is special, and no output depends on time.
//
//	lex.go parse.go       text to Spec
//	check.go permute.go   names resolved, blockers linked; the interleavings when a spec names none
//	tester.go             connections, and one permutation after the other
//	permutation.go        one permutation: setup, steps, teardown
//	step.go               one step: done, waiting, or held back by a blocker
//	conn.go message.go    a connection as libpq shows it: what has arrived is looked at only when somebody asks
//	table.go caret.go     results and errors as libpq prints them
//	suite.go              many specs: expected files, verdicts, the report
//
// Two things cannot be equal: what libpq words itself when a connection cannot be made, and a COPY to or from the client in a step, on which the
// stock program loops for ever.
//
// It imports a client library and regress's own packages, nothing of the server.
package isolation
