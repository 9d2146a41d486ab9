// Package lock keeps heavyweight locks, advisory locks, the locks that stand for running transactions, and row locks.
//
// # The idea
//
// A Session (one a connection) takes a lock of some Mode on the thing that a Tag names, on account of an Owner: a transaction, a
// subtransaction, a portal, or the session itself. Releasing an owner walks the owner's own list, so that it costs what the owner took and
// never what somebody took earlier; committing a subtransaction splices its list into its parent's.
//
//	Manager                 partitions of shared locks ----- sharedLock: tag, counts, masks, holders, wait queue
//	  Session               table of holds, by tag --------- hold: modes held of one sharedLock, counts
//	    Owner               list of held ------------------- held: (owner, hold, mode) with its count
//
// Who can't have a lock waits in the lock's queue; order in the queue, grants out of turn, deadlock detection after deadlock_timeout and
// what the detector may reorder are PostgreSQL's (src/backend/storage/lmgr/README tells them).
//
// Row locks (RowLocks) are in memory too, by (relation, tid, xmin). A conflict over one is waited out through the transaction lock of its
// holder, so the one deadlock detector sees everything.
//
// # What is promised
//
// An error leaves nothing taken. Release and ReleaseAll can't fail. Whoever waits can be cancelled, and answers to lock_timeout. A closed
// session holds nothing. Manager.Check verifies the whole structure and is run at the end of every test.
//
// README.md has the lock order and the rules. The package imports pgerr only.
package lock
