package page

import (
	"cmp"
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
)

// Init makes a page empty, with a special space of at least specialSize bytes, all zero.
func Init(e *Edit, specialSize int) {
	special := Size - Align(specialSize)
	e.Fill(0, Size, 0)
	var h [8]byte
	le.PutUint16(h[0:], HeaderSize)
	le.PutUint16(h[2:], uint16(special))
	le.PutUint16(h[4:], uint16(special))
	le.PutUint16(h[6:], Size|LayoutVersion)
	e.Patch(OffLower, h[:])
}

// SetFlags overwrites pd_flags when they differ.
func SetFlags(e *Edit, flags uint16) {
	if Flags(e.p) != flags {
		e.Put16(OffFlags, flags)
	}
}

// How AddItem places an item.
const (
	AddOverwrite = 1 // an unused line pointer at the given offset is taken instead of shifting those behind it
	AddHeap      = 2 // refuse more than MaxHeapTuples line pointers
)

// AddItem puts an item on the page and returns its offset number, or 0 when it does not fit. off = 0 lets it choose (reusing an unused line
// pointer when the page says that there are some), else the item gets that offset, those behind it moving up by one.
func AddItem(e *Edit, item []byte, off uint16, how int) (uint16, error) {
	p := e.p
	if err := checkPointers(p); err != nil {
		return 0, err
	}
	limit := MaxOffset(p) + 1
	shift := false
	if off != 0 {
		switch {
		case off < limit && how&AddOverwrite != 0:
			if id := Item(p, off); id.Used() || id.HasStorage() {
				return 0, pgerr.Internal("will not overwrite a used item pointer at offset %d", off)
			}
		case off < limit:
			shift = true
		}
	} else {
		off = chooseOffset(e, limit)
	}
	if off > limit {
		return 0, pgerr.Internal("specified item offset %d is too large", off)
	}
	if how&AddHeap != 0 && off > MaxHeapTuples {
		return 0, nil
	}

	lower := Lower(p)
	if off == limit || shift {
		lower += ItemIDSize
	}
	upper := Upper(p) - Align(len(item))
	if lower > upper || len(item) == 0 {
		return 0, nil
	}

	if shift {
		at := ItemOffset(off)
		e.Move(at+ItemIDSize, at, Lower(p)-at)
	}
	e.PutItem(off, MakeItemID(upper, Normal, len(item)))
	e.Patch(upper, item)
	setBounds(e, lower, upper)
	return off, nil
}

// chooseOffset finds an unused line pointer, or limit.
func chooseOffset(e *Edit, limit uint16) uint16 {
	if Flags(e.p)&HasFreeLines == 0 {
		return limit
	}
	for off := uint16(1); off < limit; off++ {
		if id := Item(e.p, off); !id.Used() && !id.HasStorage() {
			return off
		}
	}
	SetFlags(e, Flags(e.p)&^HasFreeLines)
	return limit
}

func setBounds(e *Edit, lower, upper int) {
	oldLower, oldUpper := Lower(e.p), Upper(e.p)
	switch {
	case lower != oldLower && upper != oldUpper:
		var b [4]byte
		le.PutUint16(b[0:], uint16(lower))
		le.PutUint16(b[2:], uint16(upper))
		e.Patch(OffLower, b[:])
	case lower != oldLower:
		e.Put16(OffLower, uint16(lower))
	case upper != oldUpper:
		e.Put16(OffUpper, uint16(upper))
	}
}

// checkPointers validates the header before items are shuffled, so that damage does not spread.
func checkPointers(p []byte) error {
	l, u, s := Lower(p), Upper(p), SpecialStart(p)
	if l < HeaderSize || l > u || u > s || s > Size || s != Align(s) {
		return pgerr.New(pgerr.DataCorrupted, "corrupted page pointers: lower = %d, upper = %d, special = %d", l, u, s)
	}
	return nil
}

// kept is an item that stays on a page that is compacted.
type kept struct {
	slot uint16 // its offset number after the compaction
	off  int16
	size int16 // aligned
}

// compact moves the items together at the end of the page and fixes their line pointers, which already stand in their final slots.
// items is reordered.
func compact(e *Edit, items []kept) {
	// From the highest offset down, each item moves up, over nothing that is still to be moved. A run of neighbours is one MOVE.
	byOffset := func(a, b kept) int { return cmp.Compare(b.off, a.off) }
	if !slices.IsSortedFunc(items, byOffset) {
		slices.SortFunc(items, byOffset)
	}
	upper := SpecialStart(e.p)
	firstSlot, lastSlot := uint16(0), uint16(0)
	var ids [MaxIndexTuples + 1]ItemID
	for i := 0; i < len(items); {
		runEnd := int(items[i].off) + int(items[i].size)
		runStart := int(items[i].off)
		j := i + 1
		for j < len(items) && int(items[j].off)+int(items[j].size) == runStart {
			runStart = int(items[j].off)
			j++
		}
		shift := upper - runEnd
		if shift != 0 {
			e.Move(runStart+shift, runStart, runEnd-runStart)
			for _, it := range items[i:j] {
				old := Item(e.p, it.slot)
				ids[it.slot] = MakeItemID(old.Off()+shift, old.State(), old.Len())
				if firstSlot == 0 || it.slot < firstSlot {
					firstSlot = it.slot
				}
				lastSlot = max(lastSlot, it.slot)
			}
		}
		upper = runStart + shift
		i = j
	}
	putItems(e, ids[:], firstSlot, lastSlot)
	setBounds(e, Lower(e.p), upper)
}

// putItems writes those line pointers of [first, last] whose entry in ids is not zero; a gap is written with its present value
// when that is cheaper than a new operation.
func putItems(e *Edit, ids []ItemID, first, last uint16) {
	if first == 0 {
		return
	}
	var b [(MaxIndexTuples + 1) * ItemIDSize]byte
	start, n := first, 0
	for slot := first; slot <= last; slot++ {
		id := ids[slot]
		if id == 0 {
			if slot+1 > last || ids[slot+1] == 0 { // a gap of two or more: close this patch
				if n > 0 {
					e.Patch(ItemOffset(start), b[:n])
				}
				n = 0
				continue
			}
			if n == 0 {
				continue
			}
			id = Item(e.p, slot)
		}
		if n == 0 {
			start = slot
		}
		le.PutUint32(b[n:], uint32(id))
		n += ItemIDSize
	}
	if n > 0 {
		e.Patch(ItemOffset(start), b[:n])
	}
}

// RepairFragmentation compacts a heap page after pruning: items move together, unused line pointers at the end of the array go, the
// HasFreeLines hint is set right. The caller holds a cleanup lock.
func RepairFragmentation(e *Edit) error {
	p := e.p
	if err := checkPointers(p); err != nil {
		return err
	}
	n := MaxOffset(p)
	upper, special := Upper(p), SpecialStart(p)
	var buf [MaxIndexTuples]kept
	items, total, unused, lastUsed := buf[:0], 0, 0, uint16(0)
	if int(n) > len(buf) {
		return pgerr.New(pgerr.DataCorrupted, "corrupted page: %d line pointers", n)
	}
	for off := uint16(1); off <= n; off++ {
		id := Item(p, off)
		if !id.Used() {
			unused++
			continue
		}
		lastUsed = off
		if !id.HasStorage() {
			continue
		}
		if id.Off() < upper || id.Off()+Align(id.Len()) > special || id.Off() != Align(id.Off()) {
			return pgerr.New(pgerr.DataCorrupted, "corrupted line pointer: %d", id.Off())
		}
		items = append(items, kept{off, int16(id.Off()), int16(Align(id.Len()))})
		total += Align(id.Len())
	}
	if total > special-Lower(p) {
		return pgerr.New(pgerr.DataCorrupted, "corrupted item lengths: total %d, available space %d", total, special-Lower(p))
	}
	compact(e, items)
	if lastUsed != n {
		unused -= int(n - lastUsed)
		setBounds(e, Lower(p)-int(n-lastUsed)*ItemIDSize, Upper(p))
	}
	setFreeLines(e, unused > 0)
	return nil
}

func setFreeLines(e *Edit, any bool) {
	if any {
		SetFlags(e, Flags(e.p)|HasFreeLines)
	} else {
		SetFlags(e, Flags(e.p)&^HasFreeLines)
	}
}

// TruncateLinePointers drops unused line pointers at the end of a heap page's array, leaving at least one, and sets the HasFreeLines hint
// right. Vacuum's second pass calls it under an exclusive latch.
func TruncateLinePointers(e *Edit) {
	n := MaxOffset(e.p)
	last := n
	for last > 1 && !Item(e.p, last).Used() {
		last--
	}
	free := false
	for off := last; off >= 1 && !free; off-- {
		free = !Item(e.p, off).Used()
	}
	if last != n {
		setBounds(e, Lower(e.p)-int(n-last)*ItemIDSize, Upper(e.p))
	}
	setFreeLines(e, free)
}
