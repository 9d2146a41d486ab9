package page

// ItemIDSize is the size of a line pointer in bytes.
const ItemIDSize = 4

// ItemID is a line pointer: offset of the item (15 bits), state (2 bits), length (15 bits), from the lowest bit.
type ItemID uint32

// States of a line pointer.
const (
	Unused   = 0 // free for reuse
	Normal   = 1 // points at an item
	Redirect = 2 // HOT: Off is the offset number to follow
	Dead     = 3 // dead, with or without storage
)

// MakeItemID builds a line pointer.
func MakeItemID(off, state, length int) ItemID {
	return ItemID(uint32(off)&0x7fff | uint32(state)<<15 | uint32(length)<<17)
}

// Off is the item's byte offset, or the target offset number of a redirect.
func (id ItemID) Off() int { return int(id & 0x7fff) }

// State is Unused, Normal, Redirect or Dead.
func (id ItemID) State() int { return int(id >> 15 & 3) }

// Len is the item's length in bytes, unaligned.
func (id ItemID) Len() int { return int(id >> 17) }

// Used reports a state other than Unused.
func (id ItemID) Used() bool { return id.State() != Unused }

// HasStorage reports an item with bytes on the page.
func (id ItemID) HasStorage() bool { return id.Len() != 0 }

// ItemOffset returns the byte offset of line pointer off (1-based).
func ItemOffset(off uint16) int { return HeaderSize + (int(off)-1)*ItemIDSize }

// Item returns line pointer off (1-based; at most MaxOffset).
func Item(p []byte, off uint16) ItemID { return ItemID(le.Uint32(p[ItemOffset(off):])) }

// ItemHint is Item read atomically, for pages whose line pointers take hints (index pages: Dead is ORed in under a share latch).
func ItemHint(p []byte, off uint16) ItemID { return ItemID(LoadHint32(p, ItemOffset(off))) }

// ItemBytes returns the bytes of the item behind a line pointer with storage. They alias the page.
func ItemBytes(p []byte, id ItemID) []byte {
	o, e := id.Off(), id.Off()+id.Len()
	return p[o:e:e]
}

// Tuple returns the bytes of item off, nil when it has no storage.
func Tuple(p []byte, off uint16) []byte {
	id := Item(p, off)
	if !id.HasStorage() {
		return nil
	}
	return ItemBytes(p, id)
}

// DeadHint is the mask which, set with a hint, turns a Normal line pointer into a Dead one.
const DeadHint = uint32(Dead) << 15
