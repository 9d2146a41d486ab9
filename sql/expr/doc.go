// Package expr compiles expression trees into closures and evaluates them. It lies below the planner, which folds constants with it, and
// the executor, whose nodes keep compiled expressions.
//
// A compiled expression (Eval) belongs to one execution state of one session: call sites keep their argument arrays and caches in it, so an
// evaluation allocates nothing but the bytes of by-reference results, which come from Context.Arena. It may be run any number of times, by
// one goroutine at a time.
//
// Where values come from: Context.Scan, Outer and Inner hold the current input rows, Params the parameters. What needs an executor
// (sub-plans, aggregates, window functions, functions in other languages) is compiled through Compiler's hooks.
//
// Results by reference may point into the input rows: a caller that keeps one past the next row copies it.
package expr
