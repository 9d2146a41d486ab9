package lock

// Mode is one of the eight lock modes.
type Mode uint8

// The modes, weakest first, with PostgreSQL's numbers.
const (
	NoLock               Mode = iota
	AccessShare               // SELECT
	RowShare                  // SELECT FOR UPDATE and its kin
	RowExclusive              // INSERT, UPDATE, DELETE
	ShareUpdateExclusive      // VACUUM, ANALYZE, CREATE INDEX CONCURRENTLY
	Share                     // CREATE INDEX
	ShareRowExclusive         // CREATE TRIGGER, foreign keys
	Exclusive                 // REFRESH MATERIALIZED VIEW CONCURRENTLY
	AccessExclusive           // DROP, TRUNCATE, most of ALTER

	modeCount = int(AccessExclusive) + 1
)

// modeSet is a set of modes: bit 1<<mode.
type modeSet uint16

func (m Mode) bit() modeSet { return 1 << m }

func modes(list ...Mode) (s modeSet) {
	for _, m := range list {
		s |= m.bit()
	}
	return s
}

// conflicts lists, for each mode, those that it excludes. The relation is symmetric.
var conflicts = [modeCount]modeSet{
	AccessShare:          modes(AccessExclusive),
	RowShare:             modes(Exclusive, AccessExclusive),
	RowExclusive:         modes(Share, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareUpdateExclusive: modes(ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive),
	Share:                modes(RowExclusive, ShareUpdateExclusive, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareRowExclusive:    modes(RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive),
	Exclusive: modes(RowShare, RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive,
		AccessExclusive),
	AccessExclusive: modes(AccessShare, RowShare, RowExclusive, ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive,
		AccessExclusive),
}

// Conflicts says whether two sessions can't hold m and o on one thing at a time.
func (m Mode) Conflicts(o Mode) bool { return conflicts[m]&o.bit() != 0 }

var modeNames = [modeCount]string{
	"INVALID", "AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock",
	"ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock",
}

// String gives the name that messages and pg_locks use.
func (m Mode) String() string {
	if int(m) < modeCount {
		return modeNames[m]
	}
	return modeNames[0]
}
