package page

import "github.com/calfdb/calf/sql/pgerr"

// checkItem validates line pointer off of an index page.
func checkItem(p []byte, off uint16) (ItemID, error) {
	if off < 1 || off > MaxOffset(p) {
		return 0, pgerr.Internal("invalid index offnum: %d", off)
	}
	id := Item(p, off)
	if !id.HasStorage() || id.Off() < Upper(p) || id.Off()+id.Len() > SpecialStart(p) || id.Off() != Align(id.Off()) {
		return 0, pgerr.New(pgerr.DataCorrupted, "corrupted line pointer: offset = %d, size = %d", id.Off(), id.Len())
	}
	return id, nil
}

// IndexDelete removes item off of an index page; the line pointers behind it move down by one.
func IndexDelete(e *Edit, off uint16) error {
	id, err := checkedItem(e.p, off)
	if err != nil {
		return err
	}
	at := ItemOffset(off)
	e.Move(at, at+ItemIDSize, Lower(e.p)-at-ItemIDSize)
	setBounds(e, Lower(e.p)-ItemIDSize, Upper(e.p))
	closeGap(e, id.Off(), Align(id.Len()))
	return nil
}

// IndexDeleteNoCompact is IndexDelete without moving line pointers: the item's becomes unused, or goes when it is the last.
func IndexDeleteNoCompact(e *Edit, off uint16) error {
	id, err := checkedItem(e.p, off)
	if err != nil {
		return err
	}
	if off < MaxOffset(e.p) {
		e.PutItem(off, 0)
	} else {
		setBounds(e, Lower(e.p)-ItemIDSize, Upper(e.p))
	}
	closeGap(e, id.Off(), Align(id.Len()))
	return nil
}

func checkedItem(p []byte, off uint16) (ItemID, error) {
	if err := checkPointers(p); err != nil {
		return 0, err
	}
	return checkItem(p, off)
}

// closeGap moves the items below a removed one up by size and fixes the line pointers.
func closeGap(e *Edit, off, size int) {
	upper := Upper(e.p)
	e.Move(upper+size, upper, off-upper)
	shiftItems(e, off, size)
	setBounds(e, Lower(e.p), upper+size)
}

// shiftItems adds size to the offset of each line pointer whose item lies at or below off.
func shiftItems(e *Edit, off, size int) {
	var ids [MaxIndexTuples + 1]ItemID
	first, last := uint16(0), uint16(0)
	for i, n := uint16(1), min(MaxOffset(e.p), MaxIndexTuples); i <= n; i++ {
		id := Item(e.p, i)
		if !id.HasStorage() || id.Off() > off {
			continue
		}
		ids[i] = MakeItemID(id.Off()+size, id.State(), id.Len())
		if first == 0 {
			first = i
		}
		last = i
	}
	putItems(e, ids[:], first, last)
}

// IndexMultiDelete removes the items with the given offsets, ascending, from an index page.
func IndexMultiDelete(e *Edit, offs []uint16) error {
	if len(offs) <= 2 {
		for i := len(offs) - 1; i >= 0; i-- {
			if err := IndexDelete(e, offs[i]); err != nil {
				return err
			}
		}
		return nil
	}
	p := e.p
	if err := checkPointers(p); err != nil {
		return err
	}
	n := MaxOffset(p)
	if int(n) > MaxIndexTuples {
		return pgerr.New(pgerr.DataCorrupted, "corrupted page: %d line pointers", n)
	}
	var buf [MaxIndexTuples]kept
	var ids [MaxIndexTuples * ItemIDSize]byte
	items, total := buf[:0], 0
	next := 0
	for off := uint16(1); off <= n; off++ {
		id, err := checkItem(p, off)
		if err != nil {
			return err
		}
		if next < len(offs) && offs[next] == off {
			next++
			continue
		}
		le.PutUint32(ids[len(items)*ItemIDSize:], uint32(id))
		items = append(items, kept{uint16(len(items) + 1), int16(id.Off()), int16(Align(id.Len()))})
		total += Align(id.Len())
	}
	if next != len(offs) {
		return pgerr.Internal("incorrect index offsets supplied")
	}
	if total > SpecialStart(p)-Lower(p) {
		return pgerr.New(pgerr.DataCorrupted, "corrupted item lengths: total %d, available space %d", total, SpecialStart(p)-Lower(p))
	}
	first := int(offs[0]) - 1 // those before the first removed one stay where they are
	if len(items) > first {
		e.Patch(HeaderSize+first*ItemIDSize, ids[first*ItemIDSize:len(items)*ItemIDSize])
	}
	setBounds(e, HeaderSize+len(items)*ItemIDSize, Upper(p))
	compact(e, items)
	return nil
}

// IndexOverwrite replaces item off by one of another length, keeping its line pointer. False when it does not fit.
func IndexOverwrite(e *Edit, off uint16, item []byte) (bool, error) {
	id, err := checkedItem(e.p, off)
	if err != nil {
		return false, err
	}
	upper := Upper(e.p)
	oldSize, newSize := Align(id.Len()), Align(len(item))
	if newSize > oldSize+upper-Lower(e.p) {
		return false, nil
	}
	diff := oldSize - newSize
	if diff != 0 {
		e.Move(upper+diff, upper, id.Off()-upper)
		shiftItems(e, id.Off(), diff)
		setBounds(e, Lower(e.p), upper+diff)
	}
	at := id.Off() + diff
	e.PutItem(off, MakeItemID(at, id.State(), len(item)))
	e.Patch(at, item)
	return true, nil
}
