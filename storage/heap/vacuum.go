package heap

import (
	"math"
	"slices"

	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// IndexCleaner is an index as vacuum sees it.
type IndexCleaner interface {
	// BulkDelete removes the entries for whose TID dead holds.
	BulkDelete(dead func(types.TID) bool) error
	// Cleanup ends the vacuum of the index. heapTuples is the number of rows, as far as it is known.
	Cleanup(heapTuples float64) error
}

// VacuumOptions of a vacuum.
type VacuumOptions struct {
	Indexes []IndexCleaner
	// FreezeBefore: ids below are frozen; 0 = none. It is not above the horizon.
	FreezeBefore xact.XID
	// All scans pages too that the visibility map calls all-visible, unless all is frozen on them.
	All bool
	// MaxDead is how many dead line pointers are remembered before the indexes are cleaned, 0 = 8 million.
	MaxDead int
	// OldPages and OldTuples are pg_class's estimates, for that of the rows on pages that were skipped.
	OldPages  uint32
	OldTuples float64
	// Delay is called between pages, without a latch: cancellation, vacuum_cost_delay.
	Delay func() error
	// LockToTruncate takes the relation's AccessExclusive lock if that is possible without a long wait, and gives its release; nil = the
	// empty end of the relation stays.
	LockToTruncate func() (release func(), ok bool)
	// KeepIndexes: INDEX_CLEANUP off. Dead line pointers stay.
	KeepIndexes bool
}

// VacuumStats is what a vacuum saw and did.
type VacuumStats struct {
	Pages      uint32 // of the relation, at the end
	Scanned    uint32
	Truncated  uint32
	AllVisible uint32 // pages marked so, at the end
	AllFrozen  uint32

	Live         float64 // tuples on scanned pages, those being inserted included
	RecentlyDead float64
	Removed      float64 // tuples
	DeadItems    int64   // line pointers that were freed
	Tuples       float64 // estimate for pg_class.reltuples
	IndexScans   int

	// FrozenXID is the new relfrozenxid: no older id is left. 0 = not known, because pages were skipped.
	FrozenXID xact.XID
	Horizon   xact.XID
}

const defaultMaxDead = 8 << 20

// vacuum is one in progress.
type vacuum struct {
	r       *Relation
	s       *Session
	o       VacuumOptions
	stats   VacuumStats
	horizon xact.XID
	dead    []types.TID // line pointers, ascending
	vm      VMReader
	pr      *pruner

	oldest      xact.XID // id that is left on scanned pages
	skippedLive bool     // a page was skipped that is not all frozen
	nonEmpty    uint32   // 1 + the last block with something on it
}

// Vacuum removes dead versions, their index entries, then their line pointers; freezes; sets the visibility map; rebuilds the free space
// map; gives the empty end of the relation back. The caller has the relation's ShareUpdateExclusive lock and holds no snapshot, which would
// hold the horizon back.
//
// Index entries go before line pointers, each step applied: so a crash never leaves an entry that points at another row's line pointer.
func (r *Relation) Vacuum(s *Session, o VacuumOptions) (VacuumStats, error) {
	if o.MaxDead == 0 {
		o.MaxDead = defaultMaxDead
	}
	if o.Delay == nil {
		o.Delay = func() error { return nil }
	}
	v := &vacuum{r: r, s: s, o: o, horizon: r.e.xm.Horizon(), pr: new(pruner)}
	v.stats.Horizon = v.horizon
	v.o.FreezeBefore = min(o.FreezeBefore, v.horizon)
	v.oldest = r.e.xm.NextXID()
	defer v.vm.Close()
	err := v.run()
	return v.stats, err
}

func (v *vacuum) run() error {
	blocks := v.r.main.NumBlocks()
	for b := uint32(0); b < blocks; b++ {
		// The last page is always looked at: it tells whether there is an empty end.
		skip, err := v.skips(b)
		if err != nil {
			return err
		}
		if skip && b != blocks-1 {
			continue
		}
		if err := v.o.Delay(); err != nil {
			return err
		}
		if len(v.dead) >= v.o.MaxDead-page.MaxHeapTuples {
			if err := v.cleanDead(); err != nil {
				return err
			}
		}
		if err := v.scanPage(b); err != nil {
			return err
		}
	}
	v.estimate(blocks)
	if err := v.cleanDead(); err != nil {
		return err
	}
	for _, x := range v.o.Indexes {
		if v.o.KeepIndexes {
			break
		}
		if err := x.Cleanup(v.stats.Tuples); err != nil {
			return err
		}
	}
	if err := v.toast(); err != nil {
		return err
	}
	if err := v.truncate(blocks); err != nil {
		return err
	}
	v.stats.Pages = v.r.main.NumBlocks()
	if !v.skippedLive {
		v.stats.FrozenXID = v.oldest
	}
	return v.countVisible()
}

// skips says whether block can be left out by what the visibility map says.
func (v *vacuum) skips(block uint32) (bool, error) {
	visible, frozen, err := v.vm.Bits(v.r, block)
	if err != nil || !visible || v.o.All && !frozen {
		return false, err
	}
	v.skippedLive = v.skippedLive || !frozen
	return true, nil
}

// scanPage prunes, freezes and marks a page, and remembers its dead line pointers.
func (v *vacuum) scanPage(block uint32) error {
	buf, err := v.r.main.Pin(block)
	if err != nil {
		return err
	}
	defer buf.Unpin()
	v.vm.Close() // a cleanup lock may have to wait: hold no other pin
	if err := buf.CleanupLock(v.s.Cancel); err != nil {
		return err
	}
	defer buf.Unlock()
	v.stats.Scanned++
	if page.IsNew(buf.Page()) {
		v.r.free.set(block, page.Size-page.HeaderSize-page.ItemIDSize)
		return nil
	}
	*v.pr = pruner{}
	if _, err := v.pr.prune(v.r, buf, v.horizon); err != nil {
		return err
	}
	v.stats.Removed += float64(v.pr.removed)
	sum := v.freeze(buf, v.r.e.xm)
	v.stats.Live += sum.live
	v.stats.RecentlyDead += sum.recentlyDead
	if sum.tuples > 0 { // dead line pointers will have gone when the end is looked at
		v.nonEmpty = block + 1
	}
	if n := len(sum.dead); n > 0 {
		if len(v.o.Indexes) == 0 {
			v.freeItems(buf, sum.dead)
			sum.dead = nil
		} else {
			for _, off := range sum.dead {
				v.dead = append(v.dead, types.TID{Block: block, Off: off})
			}
		}
	}
	if err := v.markAndApply(buf, sum); err != nil {
		return err
	}
	v.r.free.set(block, page.HeapFreeSpace(buf.Page()))
	return nil
}

// pageSummary is what is left on a page.
type pageSummary struct {
	tuples             int
	live, recentlyDead float64
	dead               []uint16 // line pointers
	allVisible         bool     // but for the dead line pointers
	allFrozen          bool
}

// freeze freezes what is old enough on a page with the exclusive latch, and counts.
func (v *vacuum) freeze(buf buffer.Buf, m *xact.Manager) (sum pageSummary) {
	p := buf.Page()
	sum.allVisible, sum.allFrozen = true, true
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		id := page.Item(p, off)
		switch id.State() {
		case page.Unused, page.Redirect:
			continue
		case page.Dead:
			sum.dead = append(sum.dead, off)
			continue
		}
		sum.tuples++
		t := tupleAt(p, id)
		state, _ := t.vacuumStateXmax(m)
		switch state {
		case vacLive:
			sum.live++
		case vacInserting, vacDeleting:
			sum.live++
			sum.allVisible = false
		default:
			sum.recentlyDead++
			sum.allVisible = false
		}
		v.freezeTuple(buf, id, &t)
		mask := t.infomask()
		if mask&xminFrozen != xminFrozen {
			sum.allFrozen = false
			v.oldest = min(v.oldest, t.xmin())
			if t.xmin() >= v.horizon {
				sum.allVisible = false
			}
		}
		if t.h.rawXmax() != 0 {
			sum.allFrozen = false
			v.oldest = min(v.oldest, t.xmax())
		}
	}
	return sum
}

// freezeTuple edits the ids of a tuple that are below FreezeBefore: an inserter that committed becomes frozen, a deleter that aborted goes.
func (v *vacuum) freezeTuple(buf buffer.Buf, id page.ItemID, t *tup) {
	m := v.r.e.xm
	mask := t.infomask()
	if mask&xminFrozen != xminFrozen && t.xmin() < v.o.FreezeBefore && t.xminStatus(m, mask) == xact.Committed {
		buf.Edit().Put16(id.Off()+offInfomask, t.infomask()|xminFrozen)
	}
	if t.h.rawXmax() != 0 && t.xmax() < v.o.FreezeBefore && t.xmaxStatus(m, t.infomask()) == xact.Aborted {
		e := buf.Edit()
		e.Put32(id.Off()+offXmax, 0)
		e.Put16(id.Off()+offInfomask, t.infomask()&^xmaxBits|xmaxInvalid)
	}
}

// markAndApply sets the page's bits in the visibility map right, and applies what was edited.
func (v *vacuum) markAndApply(buf buffer.Buf, sum pageSummary) error {
	bits := byte(0)
	if sum.allVisible && len(sum.dead) == 0 {
		bits = vmVisible
		if sum.allFrozen {
			bits |= vmFrozen
		}
	}
	r, p := v.r, buf.Page()
	c := v.s.change(r.e)
	defer c.Reset()
	if bits != 0 || page.Flags(p)&page.AllVisible != 0 {
		vm, err := r.lockVM(buf.Block())
		if err != nil {
			return err
		}
		defer vm.UnlockUnpin()
		setVM(vm, buf.Block(), bits)
		c.Add(vm)
		if bits != 0 {
			page.SetFlags(buf.Edit(), page.Flags(p)|page.AllVisible)
		} else {
			page.SetFlags(buf.Edit(), page.Flags(p)&^page.AllVisible)
		}
	}
	c.Add(buf)
	r.e.pool.Apply(c)
	return nil
}

// freeItems makes dead line pointers of a latched page unused.
func (v *vacuum) freeItems(buf buffer.Buf, dead []uint16) {
	e := buf.Edit()
	for _, off := range dead {
		e.PutItem(off, 0)
	}
	page.TruncateLinePointers(e)
	v.stats.DeadItems += int64(len(dead))
}

// cleanDead removes the index entries of the dead line pointers, then frees these.
func (v *vacuum) cleanDead() error {
	if len(v.dead) == 0 || v.o.KeepIndexes {
		v.dead = v.dead[:0]
		return nil
	}
	isDead := func(tid types.TID) bool {
		_, found := slices.BinarySearchFunc(v.dead, tid, compareTID)
		return found
	}
	for _, x := range v.o.Indexes {
		if err := x.BulkDelete(isDead); err != nil {
			return err
		}
	}
	v.stats.IndexScans++
	for i := 0; i < len(v.dead); {
		j := i
		for j < len(v.dead) && v.dead[j].Block == v.dead[i].Block {
			j++
		}
		if err := v.o.Delay(); err != nil {
			return err
		}
		if err := v.secondPass(v.dead[i:j]); err != nil {
			return err
		}
		i = j
	}
	v.dead = v.dead[:0]
	return nil
}

func compareTID(a, b types.TID) int {
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	return 0
}

// secondPass frees the dead line pointers of one page. Nothing moves, so the exclusive latch suffices.
func (v *vacuum) secondPass(dead []types.TID) error {
	buf, err := v.r.main.Pin(dead[0].Block)
	if err != nil {
		return err
	}
	defer buf.Unpin()
	if err := buf.LockExclusive(v.s.Cancel); err != nil {
		return err
	}
	defer buf.Unlock()
	offs := make([]uint16, len(dead))
	for i, tid := range dead {
		offs[i] = tid.Off
	}
	v.freeItems(buf, offs)
	sum := v.freeze(buf, v.r.e.xm)
	if err := v.markAndApply(buf, sum); err != nil {
		return err
	}
	v.r.free.set(buf.Block(), page.HeapFreeSpace(buf.Page()))
	return nil
}

// estimate works out reltuples: what was counted, and the old density for what was skipped.
func (v *vacuum) estimate(blocks uint32) {
	skipped := blocks - v.stats.Scanned
	switch {
	case skipped == 0:
		v.stats.Tuples = v.stats.Live
	case v.stats.Scanned == 0:
		v.stats.Tuples = v.o.OldTuples
	case v.o.OldPages == 0 || v.o.OldTuples < 0:
		v.stats.Tuples = math.Floor(v.stats.Live/float64(v.stats.Scanned)*float64(blocks) + 0.5)
	default:
		density := v.o.OldTuples / float64(v.o.OldPages)
		v.stats.Tuples = math.Floor(density*float64(skipped) + v.stats.Live + 0.5)
	}
}

// countVisible counts the bits of the visibility map.
func (v *vacuum) countVisible() (err error) {
	v.stats.AllVisible, v.stats.AllFrozen, err = v.r.CountVisible()
	return err
}

// CountVisible counts the pages that the visibility map calls all-visible, and all-frozen.
func (r *Relation) CountVisible() (visible, frozen uint32, err error) {
	var vm VMReader
	defer vm.Close()
	for b := uint32(0); b < r.main.NumBlocks(); b++ {
		isVisible, isFrozen, err := vm.Bits(r, b)
		if err != nil {
			return 0, 0, err
		}
		if isVisible {
			visible++
		}
		if isFrozen {
			frozen++
		}
	}
	return visible, frozen, nil
}

// The empty end of a relation is given back when it is that many pages, or that part of the whole: PostgreSQL's limits.
const (
	truncateMinPages = 1000
	truncateFraction = 16
)

// truncate gives the empty end back, if there is enough of it and the lock is to be had.
func (v *vacuum) truncate(scanned uint32) error {
	blocks := v.r.main.NumBlocks()
	empty := blocks - min(v.nonEmpty, blocks)
	if blocks != scanned || v.o.LockToTruncate == nil || empty == 0 || empty < truncateMinPages && empty < blocks/truncateFraction {
		return nil
	}
	release, ok := v.o.LockToTruncate()
	if !ok {
		return nil
	}
	defer release()
	n, err := v.firstEmptyTail(v.r.main.NumBlocks())
	if err != nil || n >= v.r.main.NumBlocks() {
		return err
	}
	v.stats.Truncated = v.r.main.NumBlocks() - n
	return v.r.truncateTo(v.s, n)
}

// firstEmptyTail is the first block from which on every page is empty, now that nobody can add anything.
func (v *vacuum) firstEmptyTail(n uint32) (uint32, error) {
	for n > v.nonEmpty {
		buf, err := v.r.main.Pin(n - 1)
		if err != nil {
			return n, err
		}
		buf.LockShared()
		empty := true
		for off := uint16(1); off <= page.MaxOffset(buf.Page()) && empty; off++ {
			empty = !page.Item(buf.Page(), off).Used()
		}
		buf.UnlockUnpin()
		if !empty {
			return n, nil
		}
		n--
	}
	return n, nil
}

// truncateTo shortens the relation to n blocks and takes the others' bits off the visibility map, in one Apply. The caller has the
// AccessExclusive lock.
func (r *Relation) truncateTo(s *Session, n uint32) error {
	c := s.change(r.e)
	defer c.Reset()
	var held []buffer.Buf
	defer func() {
		for _, b := range held {
			b.UnlockUnpin()
		}
	}()
	for b := n; b < r.main.NumBlocks(); b++ {
		vmBlock, _, _ := vmPlace(b)
		if vmBlock >= r.vm.NumBlocks() {
			break
		}
		if len(held) == 0 || held[len(held)-1].Block() != vmBlock {
			vm, err := r.lockVM(b)
			if err != nil {
				return err
			}
			held = append(held, vm)
			c.Add(vm)
		}
		setVM(held[len(held)-1], b, 0)
	}
	r.main.Truncate(c, n)
	r.free.truncate(n)
	return nil
}
