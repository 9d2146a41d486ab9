// Package catalog gives the system catalogs: heap tables with btree indexes in the same store and under the same MVCC as user tables, so that
// psql's and drivers' introspection runs as ordinary SQL and DDL is transactional.
//
// Two levels. Cluster (one a process) holds the bootstrap data, the shared catalogs, and a cache of immutable descriptors a database, kept
// right by invalidation messages. View (one a session) is what everybody above uses: it looks descriptors up for the session's current
// transaction (own uncommitted DDL seen through an overlay), resolves names through search_path, and changes catalog rows.
//
// Descriptors (Relation, Index, Type, Proc, ...) are immutable: holding a pointer is safe, it only grows stale. Whoever analyses or plans takes
// the relation's heavyweight lock first, then looks the descriptor up.
package catalog
