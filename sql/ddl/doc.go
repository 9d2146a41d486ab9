// Package ddl implements utility commands: CREATE, ALTER, DROP, GRANT, TRUNCATE, VACUUM, ANALYZE, COMMENT and their kin, and the triggers of
// foreign keys. One file is one command family; each registers its commands with the executor by parse node type, in its init.
//
// A command changes catalog rows through catalog.View, storage through View.NewStorage and DropStorage, and records what depends on what, so
// that DROP works by one algorithm (catalog.Dropper). Everything is transactional: rows by MVCC, storage by callbacks of the transaction.
//
//	ctx.go        what a command works with: view, locks, names, notices
//	relation.go   making relations: pg_class, pg_attribute, pg_type, storage
//	create.go     CREATE TABLE          columns.go  column definitions        constraint.go  constraints
//	index.go      CREATE INDEX          build.go    filling indexes           alter*.go      ALTER TABLE
//	drop.go       DROP                  truncate.go vacuum.go analyze.go cluster.go rewrite.go
//	fkey.go       FOREIGN KEY           ri*.go      its triggers at run time
//
// It stands above executor and analyze; only executor/session imports it.
package ddl
