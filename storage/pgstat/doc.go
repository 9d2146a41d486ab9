// Package pgstat counts what happens to relations and databases: for the pg_stat views, and for autovacuum, which goes by them.
//
// # The idea
//
//	a node or the heap ──▶ Table (one session's own, no lock) ── end of transaction ──▶ Collector (all sessions', a lock per shard)
//
// A Session keeps one Table a relation; whoever counts holds the pointer or finds it by OID, and adds to plain integers. What a transaction
// inserted, updated and deleted is held back by subtransaction until its end, since only then is known which rows live: a commit makes
// inserted rows live and replaced ones dead, an abort makes the inserted ones dead. Flush then adds everything to the Collector, as often as a
// transaction ends; a relation costs one short lock.
//
// The Collector's figures survive a clean stop (Save, Load) and start at zero after a crash, as PostgreSQL's do: autovacuum sees tables again
// when they are changed again.
//
// # Promises
//
//   - Counting takes no lock and allocates nothing once a session knows the relation.
//   - A nil *Session and a nil *Table count nothing: code without statistics (bootstrap, tests) needs no case of its own.
//
// A leaf: imports nothing of calf.
package pgstat
