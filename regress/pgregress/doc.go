// Package pgregress runs SQL regression tests in PostgreSQL's layout and says what pg_regress would say of them, and more: how many statements gave
// what they should, and what was at fault in the others.
//
// A test NAME is sql/NAME.sql, fed to stock psql with pg_regress's options and environment; what psql prints (with every line that it reads) is
// results/NAME.out; it passes when that is, byte for byte, expected/NAME.out or one of its alternates expected/NAME_0.out to NAME_9.out. Schedules
// say what runs at the same time.
//
//	schedule.go, resultmap.go   pg_regress's input files
//	env.go, database.go         the environment of psql, the database
//	runner.go, runfile.go       groups of tests; one psql, with its limit of time; the server is started again when it crashed or hangs
//	compare.go                  which expected files a result is compared with (regress/verdict compares)
//	psqlscan.go, align.go       a source file cut into units as psql reads them, and an output cut at their echoes
//	score.go, causes.go         the verdict on each statement; why statements differ, the most frequent reason first
//	report.go, junit.go         tables, JUnit XML
//	record.go                   expected files, from a PostgreSQL 15 only
//
// # The score
//
// psql -a echoes what it reads, so an output is the text of the source with what each statement printed between. Cutting both the expected
// output and the result at the echoes gives each statement its own verdict: a statement that fails costs itself, and what depends on it, but no
// statement behind it. Two figures are kept: over all statements, and over those for which PostgreSQL prints something. The second is the honest
// one: half of a suite's statements print nothing when they succeed, so that a server which answered OK to everything would
// have half of the first and nearly nothing of the second.
//
// # Promises
//
// Verdicts equal those of pg_regress on the same server (regress/verdicts.sh compares them). Where pg_regress gives up (no expected file), Run gives an error too.
// A crash or hang of the server costs the rest of the file that met it, and of the files that ran at the same time, is reported with its line,
// and the run goes on with a server started again, if target started it.
//
// The package imports regress/target, regress/verdict and the standard library.
package pgregress
