package lock

// LockXID takes the lock that stands for the (sub)transaction xid: Exclusive, to its end, on the account of the transaction's owner. It is
// taken before anybody can meet the id, so it never waits.
func (s *Session) LockXID(o *Owner, xid uint64) error {
	return s.Acquire(o, Transaction(xid), Exclusive)
}

// WaitForXID waits until the (sub)transaction xid is over: committed, aborted, or rolled back to a savepoint before it. A subtransaction that
// committed into its parent is over when the parent is. It returns at once when nobody holds the lock of xid.
func (s *Session) WaitForXID(o *Owner, xid uint64) error {
	tag := Transaction(xid)
	if err := s.Acquire(o, tag, Share); err != nil {
		return err
	}
	s.Release(o, tag, Share)
	return nil
}

// TryWaitForXID is WaitForXID without waiting: false when xid still runs.
func (s *Session) TryWaitForXID(o *Owner, xid uint64) (bool, error) {
	tag := Transaction(xid)
	ok, err := s.TryAcquire(o, tag, Share)
	if ok {
		s.Release(o, tag, Share)
	}
	return ok, err
}
