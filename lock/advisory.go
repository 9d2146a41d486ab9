package lock

// Advisory locks are locks like others on tags of their own; level, mode and waiting are the caller's choice:
//
//	pg_advisory_lock              s.Acquire(s.Owner(), tag, Exclusive)
//	pg_advisory_xact_lock_shared  s.Acquire(transaction's owner, tag, Share)
//	pg_try_advisory_lock          s.TryAcquire(s.Owner(), tag, Exclusive)
//	pg_advisory_unlock            s.Release(s.Owner(), tag, Exclusive); false: the warning "you don't own a lock of type ExclusiveLock"
//
// with tag = AdvisoryKey(db, key) or AdvisoryPair(db, a, b).

// ReleaseAdvisory is pg_advisory_unlock_all: the session's own advisory locks, however often taken; those of transactions stay.
func (s *Session) ReleaseAdvisory() { s.owner.ReleaseKind(AdvisoryKind) }
