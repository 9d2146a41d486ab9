package lock

import (
	"fmt"
	"math/bits"
)

// TagKind is the kind of thing that is locked.
type TagKind uint8

// Kinds, with PostgreSQL's numbers.
const (
	RelationKind      TagKind = iota // whole relation
	ExtendKind                       // the right to extend a relation
	FrozenIDsKind                    // pg_database.datfrozenxid
	PageKind                         // one page
	TupleKind                        // one tuple
	TransactionKind                  // a transaction, by its id, to wait for its end
	VirtualXIDKind                   // a virtual transaction
	SpeculativeKind                  // a speculative insertion
	ObjectKind                       // any other database object
	userKind                         // unused
	AdvisoryKind                     // advisory locks
	tagKindCount      = int(AdvisoryKind) + 1
	advisoryBigintSub = 1 // fourth field of an advisory tag: one bigint key
	advisoryPairSub   = 2 // two int4 keys
)

// Tag names a lockable thing. Make one with the functions below.
type Tag struct {
	f1, f2, f3 uint32
	f4         uint16
	kind       TagKind
	_          uint8
}

// Kind gives the kind of thing.
func (t Tag) Kind() TagKind { return t.kind }

// Relation names a relation by OID; db is 0 for a shared one.
func Relation(db, rel uint32) Tag { return Tag{f1: db, f2: rel, kind: RelationKind} }

// Extend names the right to extend a relation.
func Extend(db, rel uint32) Tag { return Tag{f1: db, f2: rel, kind: ExtendKind} }

// FrozenIDs names pg_database.datfrozenxid of a database.
func FrozenIDs(db uint32) Tag { return Tag{f1: db, kind: FrozenIDsKind} }

// Page names a page of a relation.
func Page(db, rel, block uint32) Tag { return Tag{f1: db, f2: rel, f3: block, kind: PageKind} }

// Tuple names a tuple of a relation: sessions that wait for a row queue up on it.
func Tuple(db, rel, block uint32, off uint16) Tag {
	return Tag{f1: db, f2: rel, f3: block, f4: off, kind: TupleKind}
}

// Transaction names a running (sub)transaction, which holds Exclusive on it until its end.
func Transaction(xid uint64) Tag {
	return Tag{f1: uint32(xid), f2: uint32(xid >> 32), kind: TransactionKind}
}

// VirtualXID names a session's current transaction whether it has an id or not.
func VirtualXID(backend int32, lxid uint32) Tag {
	return Tag{f1: uint32(backend), f2: lxid, kind: VirtualXIDKind}
}

// SpeculativeToken names one speculative insertion (INSERT ... ON CONFLICT) of a transaction.
func SpeculativeToken(xid uint64, token uint32) Tag {
	return Tag{f1: uint32(xid), f2: token, f3: uint32(xid >> 32), kind: SpeculativeKind}
}

// Object names an object of a catalog; db is 0 for a shared one.
func Object(db, class, obj uint32, sub int16) Tag {
	return Tag{f1: db, f2: class, f3: obj, f4: uint16(sub), kind: ObjectKind}
}

// AdvisoryKey names an advisory lock by one bigint.
func AdvisoryKey(db uint32, key int64) Tag {
	return Tag{f1: db, f2: uint32(uint64(key) >> 32), f3: uint32(key), f4: advisoryBigintSub, kind: AdvisoryKind}
}

// AdvisoryPair names an advisory lock by two integers.
func AdvisoryPair(db uint32, a, b int32) Tag {
	return Tag{f1: db, f2: uint32(a), f3: uint32(b), f4: advisoryPairSub, kind: AdvisoryKind}
}

// XID gives the id of a Transaction tag.
func (t Tag) XID() uint64 { return uint64(t.f1) | uint64(t.f2)<<32 }

// String describes the thing in the words of PostgreSQL's messages.
func (t Tag) String() string {
	switch t.kind {
	case RelationKind:
		return fmt.Sprintf("relation %d of database %d", t.f2, t.f1)
	case ExtendKind:
		return fmt.Sprintf("extension of relation %d of database %d", t.f2, t.f1)
	case FrozenIDsKind:
		return fmt.Sprintf("pg_database.datfrozenxid of database %d", t.f1)
	case PageKind:
		return fmt.Sprintf("page %d of relation %d of database %d", t.f3, t.f2, t.f1)
	case TupleKind:
		return fmt.Sprintf("tuple (%d,%d) of relation %d of database %d", t.f3, t.f4, t.f2, t.f1)
	case TransactionKind:
		return fmt.Sprintf("transaction %d", t.f1)
	case VirtualXIDKind:
		return fmt.Sprintf("virtual transaction %d/%d", int32(t.f1), t.f2)
	case SpeculativeKind:
		return fmt.Sprintf("speculative token %d of transaction %d", t.f2, t.f1)
	case ObjectKind:
		return fmt.Sprintf("object %d of class %d of database %d", t.f3, t.f2, t.f1)
	case AdvisoryKind:
		return fmt.Sprintf("advisory lock [%d,%d,%d,%d]", t.f1, t.f2, t.f3, t.f4)
	}
	return fmt.Sprintf("unrecognized locktag type %d", t.kind)
}

var kindNames = [tagKindCount]string{
	"relation", "extend", "frozenid", "page", "tuple", "transactionid", "virtualxid", "spectoken", "object", "userlock", "advisory",
}

// String gives pg_locks.locktype.
func (k TagKind) String() string { return kindNames[k] }

// hash mixes the tag's 16 bytes; its low bits choose the partition, its high bits the bucket.
func (t Tag) hash() uint32 {
	a := uint64(t.f1)<<32 | uint64(t.f2)
	b := uint64(t.f3)<<32 | uint64(t.f4)<<16 | uint64(t.kind)
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd1b54a32d192ed03)
	x := hi ^ lo
	return uint32(x ^ x>>32)
}
