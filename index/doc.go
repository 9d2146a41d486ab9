// Package index is what access methods have in common: the interface that the executor, vacuum and DDL use, and that btree and hash
// implement.
//
//	am.Build(def)            sorted or hashed from rows that the caller adds
//	am.Open(def)             an Index: cheap, immutable, shared by sessions
//	  Insert                 one entry, with the unique check that is asked for
//	  NewScan                a Scan: Rescan(keys), then Next, or Bitmap
//	  BulkDelete, Cleanup    vacuum
//	  Stats, Check           for the planner, for tests
//
// An entry is an index tuple in PostgreSQL's layout (Tuple in tuple.go): 8 bytes of header with the TID of the row that it points at, a null
// bitmap, aligned values.
//
// An access method knows no transactions' fates and no rows. Where it must know whether a row is alive (unique checks, removing what is
// dead) it asks the Heap that it is given; where it must wait for a transaction it lets go of all latches and pins and asks that too.
// Nothing that a scan returned stays pinned: entries are copied under the page's latch.
//
// Imports: sql/types, sql/pgerr, storage/{page,pagestore,buffer,tuple,xact}.
package index
