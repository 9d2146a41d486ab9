// Package plpgsql is the procedural language: it parses a function's body, keeps the compiled form for the session, and runs it.
//
// A body is parsed by recursive descent over the tokens of sql/parse's scanner, names being resolved while it is read, as in PostgreSQL: whether
// `x = 1` is an assignment depends on whether x is a variable. The expressions and SQL statements inside are texts that go through PostgreSQL's
// grammar when they are first executed; the variables in them become parameters, found by the analysis's hooks (query.go).
//
// What a function needs of its session stands in Host: prepared statements, cursors, subtransactions. The session makes one Runtime, which
// holds the compiled functions (dropped when the function's pg_proc row changes) and the stack of the calls that run.
//
//   - lex.go, parser.go, parse_*.go: text to Function. Each family of statements has its syntax and its execution in one file, stmt_*.go.
//   - scope.go: the names that are visible at a place, and the variables ("datums") behind them.
//   - query.go: expressions and statements: preparing, evaluating. Simple expressions (no table, no subquery) run without the executor.
//   - value.go: assignment and conversion. A value is converted as an assignment would, else through its text form.
//   - call.go, trigger.go: the ways in.
//   - errors.go: the CONTEXT lines, and what EXCEPTION blocks catch.
//
// A frame (one running call) belongs to one goroutine. Compiled functions are immutable after compilation except for what their expressions
// keep between executions; an expression that is running is never entered again: a recursive call takes a second instance.
//
// May import everything below sql/ddl; only executor/session imports it.
package plpgsql
