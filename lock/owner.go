package lock

// OwnerKind says what an owner stands for.
type OwnerKind uint8

// Kinds of owners.
const (
	TransactionOwner OwnerKind = iota
	SubtransactionOwner
	PortalOwner
	SessionOwner
)

// Owner is an account on which locks are taken, and which can be settled as a whole.
type Owner struct {
	s       *Session
	parent  *Owner
	kind    OwnerKind
	held    *held
	rows    *rowHold // row locks, newest first
	lastRow *rowHold

	prevOpen, nextOpen *Owner // the session's open owners
}

// NewOwner opens an account. parent is where its locks go with MoveToParent; nil for a transaction's.
func (s *Session) NewOwner(kind OwnerKind, parent *Owner) *Owner {
	var o *Owner
	if n := len(s.free.owners); n > 0 {
		o = s.free.owners[n-1]
		s.free.owners = s.free.owners[:n-1]
	} else {
		o = &Owner{s: s}
	}
	o.kind, o.parent = kind, parent
	o.nextOpen = s.open
	if s.open != nil {
		s.open.prevOpen = o
	}
	s.open = o
	return o
}

// Close settles what is left on the account and gives the owner back: it must not be used any more.
func (o *Owner) Close() {
	o.ReleaseAll()
	if o.prevOpen != nil {
		o.prevOpen.nextOpen = o.nextOpen
	} else {
		o.s.open = o.nextOpen
	}
	if o.nextOpen != nil {
		o.nextOpen.prevOpen = o.prevOpen
	}
	o.parent, o.prevOpen, o.nextOpen = nil, nil, nil
	if len(o.s.free.owners) < maxFreeOwners {
		o.s.free.owners = append(o.s.free.owners, o)
	}
}

// maxFreeOwners is how many closed owners a session keeps.
const maxFreeOwners = 64

// Kind says what the owner stands for.
func (o *Owner) Kind() OwnerKind { return o.kind }

// Session gives the session that the owner belongs to.
func (o *Owner) Session() *Session { return o.s }

// Parent gives the owner that MoveToParent moves to.
func (o *Owner) Parent() *Owner { return o.parent }

// Empty says that nothing is on the account.
func (o *Owner) Empty() bool { return o.held == nil && o.rows == nil }

func (o *Owner) link(e *held) {
	e.prevOwned, e.nextOwned = nil, o.held
	if o.held != nil {
		o.held.prevOwned = e
	}
	o.held = e
}

func (e *held) unlinkOwned() {
	if e.prevOwned != nil {
		e.prevOwned.nextOwned = e.nextOwned
	} else {
		e.owner.held = e.nextOwned
	}
	if e.nextOwned != nil {
		e.nextOwned.prevOwned = e.prevOwned
	}
}

// ReleaseAll releases what is on the account, row locks too. It costs what the owner holds.
func (o *Owner) ReleaseAll() {
	o.releaseRows()
	for o.held != nil {
		o.s.drop(o.held, o.held.count)
	}
}

// ReleaseKind releases the owner's locks of one kind: pg_advisory_unlock_all is the session owner's advisory locks.
func (o *Owner) ReleaseKind(kind TagKind) {
	for e := o.held; e != nil; {
		next := e.nextOwned
		if e.hold.tag.kind == kind {
			o.s.drop(e, e.count)
		}
		e = next
	}
}

// MoveToParent gives all of the account to the parent: a subtransaction commits, a portal ends.
func (o *Owner) MoveToParent() { o.MoveTo(o.parent) }

// MoveTo gives all of the account to another owner of the same session.
func (o *Owner) MoveTo(to *Owner) {
	for e := o.held; e != nil; e = o.held {
		e.unlinkOwned()
		if there := e.hold.entry(to, e.mode); there != nil {
			there.count += e.count
			e.unlinkEntry()
			o.s.free.freeHeld(e)
			continue
		}
		e.owner = to
		to.link(e)
	}
	o.moveRows(to)
}
