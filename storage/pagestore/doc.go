// Package pagestore keeps pages and small key/values in one Pebble store: the log is the database.
//
// There is no write-ahead log beside Pebble's, no checkpointer and no double write. A page is a key; its value is an IMAGE, written with
// Set, on which DELTAs (programs recorded by page.Edit) are laid with Merge:
//
//	key    'p' DB Rel Fork Block, big endian            Set   IMAGE v7
//	                                                    Merge DELTA v8
//	                                                    Merge DELTA v9      Read = IMAGE v7 with v8 and v9 replayed on it
//
// A small key has the prefix 'k'; its values are plain bytes (Set), a bit map that is ORed (Or: missing base = zero, commutative), or a
// counter that is added to (Add).
//
// A relation may have a count (AddCount) among its pages' keys: it goes where they go.
//
// What is promised:
//
//   - Apply is atomic: after a crash all of a Change is there or nothing.
//   - The order of Applies is their order in the log, and a crash loses a suffix of those that no Sync that returned covers.
//   - Sync returns after an fsync that began after the caller's Apply returned. Many waiters share one. The log's file is kept
//     longer than the log, so that the fsync has no new length to write (walfile.go).
//   - Read sees every Apply that returned before.
//   - A value that can't be rebuilt (gap in versions, delta without image, bad program) reads as an error with SQLSTATE XX001; it never
//     stops a flush or a compaction.
//   - Open refuses a store that lacks a file, a log included (logledger.go), or whose log is damaged before its end.
//   - An error of Apply or Sync ends the process (Options.Fatal), because afterwards memory may be ahead of the log.
//
// Before it takes its first latch, a writer calls Admit, which waits out write stalls and refuses when the disk is nearly full, so that
// Pebble itself never meets a full disk.
//
// The package imports page and pgerr.
package pagestore
