package lock

import "math/bits"

// Strength is the strength of a row lock, with the numbers of query.LockStrength.
type Strength uint8

// Strengths, weakest first.
const (
	NoRowLock      Strength = iota
	ForKeyShare             // FOR KEY SHARE; foreign key checks
	ForShare                // FOR SHARE
	ForNoKeyUpdate          // FOR NO KEY UPDATE; UPDATE that leaves keys alone
	ForUpdate               // FOR UPDATE; DELETE, UPDATE of a key
)

// Conflicts says whether two transactions can't have a and b on one row at a time.
func (a Strength) Conflicts(b Strength) bool {
	switch a {
	case ForKeyShare:
		return b == ForUpdate
	case ForShare:
		return b >= ForNoKeyUpdate
	case ForNoKeyUpdate:
		return b >= ForShare
	case ForUpdate:
		return b >= ForKeyShare
	}
	return false
}

// QueueMode is the mode of the tuple lock under which a session waits for a row lock of this strength, so that waiters go in order.
func (a Strength) QueueMode() Mode {
	return [...]Mode{NoLock, AccessShare, RowShare, Exclusive, AccessExclusive}[a]
}

// RowKey names a version of a row: its place, and the transaction that made it, because a place can be used again while a lock of the old
// version lives. Freezing keeps xmin, or leaves locked rows alone (RowLocks.Locked).
type RowKey struct {
	DB, Rel uint32 // the relation's storage, as in pagestore.RelID
	Block   uint32
	Off     uint16
	Xmin    uint64
}

func (k *RowKey) hash() uint32 {
	a := uint64(k.DB)<<48 ^ uint64(k.Rel)<<16 ^ uint64(k.Off)
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, (uint64(k.Block)<<32^k.Xmin)^0xd1b54a32d192ed03)
	x := hi ^ lo
	return uint32(x ^ x>>32)
}
