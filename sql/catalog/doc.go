// Package catalog gives the system catalogs: heap tables with btree indexes in the same store and under the same MVCC as user tables, so that
// psql's and drivers' introspection runs as ordinary SQL and DDL is transactional.
//
// Two levels. Cluster (one a process) holds the bootstrap data, the shared catalogs, and a cache of immutable descriptors a database, kept
// right by invalidation messages. View (one a session) is what everybody above uses: it looks descriptors up for the session's current
// transaction (own uncommitted DDL seen through an overlay), resolves names through search_path, and changes catalog rows.
//
// # Transactions
//
// A View is told nothing of transactions: it uses the running one of its heap session (Session.Tx), and hangs itself onto its callbacks.
// A change of a catalog row counts from the session's next command on (Tx.CommandCounterIncrement); at commit the cache entries that it
// touches are dropped (before the locks go), at rollback of its subtransaction the session's own descriptors are.
//
// # First start
//
// Bootstrap writes the initial contents (data/catalogs.gz, made by gen/gen.sh from a PostgreSQL 15) into template1 and the shared catalogs,
// the caller runs SQL for the system views, Finish copies template1 to the other databases.
//
// Descriptors (Relation, Index, Type, Proc, ...) are immutable: holding a pointer is safe, it only grows stale. Whoever analyses or plans takes
// the relation's heavyweight lock first, then looks the descriptor up.
//
// Imports: sql/types, sql/query, sql/pgerr, storage/*, index.
package catalog
