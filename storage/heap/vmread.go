package heap

// AllVisible says whether the visibility map promises that all tuples of a heap block are visible to everybody.
func (r *Relation) AllVisible(block uint32) bool {
	vmBlock, at, shift := vmPlace(block)
	if r.vm.NumBlocks() <= vmBlock {
		return false
	}
	buf, err := r.vm.Pin(vmBlock)
	if err != nil {
		return false
	}
	buf.LockShared()
	bits := buf.Page()[at] >> shift
	buf.UnlockUnpin()
	return bits&vmVisible != 0
}
