package xact

// XID is a 64-bit transaction id: it never wraps, so ids compare as numbers.
type XID uint64

const (
	InvalidXID   XID = 0
	BootstrapXID XID = 1 // committed, visible to all
	FrozenXID    XID = 2 // committed, visible to all
	FirstXID     XID = 3 // the first that is given out
)

// IsNormal says whether x was given to a transaction.
func (x XID) IsNormal() bool { return x >= FirstXID }

// CID numbers the commands of a transaction.
type CID uint32

const (
	FirstCID   CID = 0
	InvalidCID CID = ^CID(0)
)

// Isolation is a transaction isolation level.
type Isolation uint8

const (
	ReadUncommitted Isolation = iota // behaves as ReadCommitted
	ReadCommitted
	RepeatableRead
	Serializable
)

func (i Isolation) String() string {
	return [...]string{"read uncommitted", "read committed", "repeatable read", "serializable"}[i]
}

// UsesTransactionSnapshot says whether one snapshot serves the whole transaction.
func (i Isolation) UsesTransactionSnapshot() bool { return i >= RepeatableRead }

// Status is what became of a transaction.
type Status uint8

const (
	InProgress Status = iota
	Committed
	Aborted
)

func (s Status) String() string { return [...]string{"in progress", "committed", "aborted"}[s] }
