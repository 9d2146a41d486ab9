// Package xact gives out transaction ids, knows which transactions run and what became of the others, and takes snapshots.
//
// # The life of a transaction
//
//	p := manager.NewProc(locker)        a session's slot
//	tx := p.Begin(xact.ReadCommitted, false)
//	tx.TakeSnapshot(&s)                 which transactions' effects a statement sees
//	xid, err := tx.XID()                an id, at the first change only: readers never get one
//	tx.UseCID()                         the command that a change belongs to
//	tx.CommandCounterIncrement()        what was changed becomes visible to the transaction's next command
//	tx.BeginSub() ... tx.CommitSub() or tx.AbortSub()
//	tx.Commit() or tx.Abort()
//
// Ids are 64 bits and never wrap. They come from a lease in the store: 8,192 ahead, so that none is used twice after a crash.
//
// # What became of a transaction
//
// In memory, two bits for each id, read without locks: committed, aborted; neither = in progress, if this run gave the id out, else a
// crash aborted it. In the store, one bit: committed. Abort writes nothing.
//
// A commit goes through these steps, in this order:
//
//  1. Apply: the status bits of the transaction and its subtransactions, and what OnCommitWrite added, as one
//  2. wait for the log, unless synchronous_commit is off
//  3. under the manager's mutex: clear the shared snapshot; leave the running set; set the status bits in memory
//  4. OnCommit: publish invalidations
//  5. release locks (the session does that)
//
// Nobody sees a commit before step 3, so nobody can depend on one that a crash loses (with synchronous_commit off one may, and then the
// log's order loses both or none). Whoever sees a status bit of step 3 finds the shared snapshot cleared and builds one that agrees.
//
// # Snapshots
//
// A Snapshot is xmin, xmax and the list of top-level transactions between them that run. It is immutable; all who take one between two
// ends of transactions share it. A subtransaction is looked up by its top, in a map that forgets what no snapshot can ask for.
//
// A slot shows the xmin of the oldest snapshot that it uses. Horizon is the smallest of these and of a snapshot taken now: what a
// transaction below it deleted and committed is dead to all. See Proc.hold for why a horizon never passes a snapshot that is being taken.
//
// The package imports pagestore and pgerr. It knows no pages, no tuples, no lock table: a Locker is handed in.
package xact
