package heap

import (
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/xact"
)

// Pruning takes versions that nobody sees off a page. Index entries point at the first version of a chain, so its line pointer stays: as a
// redirect to the first version that is left, or dead until vacuum has removed the entries. The others' line pointers become unused.
//
//	before   1 dead -> 2 dead -> 3 live         1 is what the index knows; 2 and 3 are heap-only
//	after    1 = redirect to 3, 2 = unused      one Apply, under the cleanup lock: tuples move

// pruneMinFree is the free space under which a page is worth pruning, in bytes, unless fillfactor asks for more.
const pruneMinFree = page.Size / 10

// worthPruning says whether a latched page probably has something to prune and needs the room.
func (r *Relation) worthPruning(p []byte) bool {
	raw := page.PruneXid(p)
	if raw == 0 {
		return false
	}
	if page.Flags(p)&page.Full == 0 && page.HeapFreeSpace(p) >= max(pruneMinFree, r.reserve()) {
		return false
	}
	xid := fullXID(page.XidBase(p), raw)
	return xid < r.e.xm.RecentHorizon() || xid < r.e.xm.Horizon()
}

// pruneIfFree prunes a pinned, unlatched page if nobody else has it pinned. On return it is pinned and unlatched.
func (r *Relation) pruneIfFree(s *Session, buf buffer.Buf) error {
	if !buf.TryCleanupLock() {
		return nil
	}
	defer buf.Unlock()
	if !r.worthPruning(buf.Page()) {
		return nil
	}
	var p pruner
	changed, err := p.prune(r, buf, r.e.xm.Horizon())
	if err == nil && changed {
		r.e.pool.ApplyPages(buf)
		r.stats(s).Pruned(int64(p.removed - p.dead))
	}
	return err
}

// pruner is the plan of one page's pruning.
type pruner struct {
	r       *Relation
	p       []byte
	horizon xact.XID

	states [page.MaxHeapTuples + 1]vacState
	xmaxes [page.MaxHeapTuples + 1]xact.XID // of recently dead ones
	marked [page.MaxHeapTuples + 1]bool     // a chain was walked over it
	next   [page.MaxHeapTuples + 1]page.ItemID
	edited [page.MaxHeapTuples + 1]bool // next holds the new line pointer

	oldestPrunable xact.XID // of what is left
	removed        int      // tuples
	dead           int      // line pointers that became dead
}

// prune edits the page, which the caller holds the cleanup lock of, and leaves the Apply to it. Nothing is changed when there is nothing
// to prune and the hint is right.
func (pr *pruner) prune(r *Relation, buf buffer.Buf, horizon xact.XID) (changed bool, err error) {
	pr.r, pr.p, pr.horizon = r, buf.Page(), horizon
	max := min(page.MaxOffset(pr.p), page.MaxHeapTuples)
	for off := uint16(1); off <= max; off++ {
		if id := page.Item(pr.p, off); id.State() == page.Normal {
			t := tupleAt(pr.p, id)
			pr.states[off], pr.xmaxes[off] = t.vacuumStateXmax(r.e.xm)
			if pr.states[off] == vacRecentlyDead && pr.xmaxes[off] < horizon {
				pr.states[off] = vacDead
			}
		}
	}
	for off := uint16(1); off <= max; off++ {
		if id := page.Item(pr.p, off); !pr.marked[off] && (id.State() == page.Normal || id.State() == page.Redirect) {
			pr.chain(off, max)
		}
	}
	return pr.apply(buf, max)
}

// chain plans the chain that begins at root.
func (pr *pruner) chain(root, max uint16) {
	rootID := page.Item(pr.p, root)
	if rootID.State() == page.Normal {
		if t := tupleAt(pr.p, rootID); t.h.isHeapOnly() {
			// Reached from its root when that comes; without a root (its update aborted) it goes alone.
			if pr.states[root] == vacDead && !t.h.isHotUpdated() {
				pr.set(root, 0)
				pr.removed++
			}
			return
		}
	}
	var items [page.MaxHeapTuples]uint16
	n, lastDead := pr.walk(root, max, &items)
	switch {
	case lastDead >= 0:
		pr.cut(root, rootID, items[:n], lastDead)
	case n < 2 && rootID.State() == page.Redirect:
		// The chain behind the redirect has gone: an update of an aborted transaction.
		pr.set(root, page.MakeItemID(0, page.Dead, 0))
		pr.dead++
	}
}

// walk lists the members of the chain, and gives the index of the last one that is dead, -1 = none.
func (pr *pruner) walk(root, max uint16, items *[page.MaxHeapTuples]uint16) (n, lastDead int) {
	lastDead = -1
	prevXmax := xact.InvalidXID
	for off := root; off >= 1 && off <= max; {
		id := page.Item(pr.p, off)
		if id.State() == page.Redirect && n == 0 {
			items[n] = off
			n++
			off = uint16(id.Off())
			continue
		}
		if id.State() != page.Normal || pr.marked[off] || n == len(items) {
			break
		}
		t := tupleAt(pr.p, id)
		if prevXmax != 0 && t.xmin() != prevXmax {
			break
		}
		items[n] = off
		n++
		pr.marked[off] = true
		switch pr.states[off] {
		case vacDead:
			lastDead = n - 1
		case vacRecentlyDead:
			pr.prunable(pr.xmaxes[off])
		case vacDeleting:
			pr.prunable(t.xmax())
			return n, lastDead
		default:
			return n, lastDead
		}
		if !t.h.isHotUpdated() {
			break
		}
		prevXmax = t.xmax()
		off = t.h.ctid().Off
	}
	return n, lastDead
}

// cut removes the chain's members up to lastDead: the root's line pointer becomes a redirect to what is left, or dead.
func (pr *pruner) cut(root uint16, rootID page.ItemID, items []uint16, lastDead int) {
	if rootID.State() == page.Normal {
		pr.removed++
	}
	for i := 1; i <= lastDead; i++ {
		pr.set(items[i], 0)
		pr.removed++
	}
	if lastDead+1 < len(items) {
		pr.set(root, page.MakeItemID(int(items[lastDead+1]), page.Redirect, 0))
		return
	}
	pr.set(root, page.MakeItemID(0, page.Dead, 0))
	pr.dead++
}

func (pr *pruner) set(off uint16, id page.ItemID) { pr.next[off], pr.edited[off] = id, true }

func (pr *pruner) prunable(xid xact.XID) {
	if pr.oldestPrunable == 0 || xid < pr.oldestPrunable {
		pr.oldestPrunable = xid
	}
}

func (pr *pruner) apply(buf buffer.Buf, max uint16) (changed bool, err error) {
	hint := uint32(0)
	if pr.oldestPrunable != 0 {
		hint = rawXID(page.XidBase(pr.p), pr.oldestPrunable)
	}
	items := pr.removed > 0 || pr.dead > 0
	if !items && hint == page.PruneXid(pr.p) && page.Flags(pr.p)&page.Full == 0 {
		return false, nil
	}
	e := buf.Edit()
	for off := uint16(1); off <= max; off++ {
		if pr.edited[off] {
			e.PutItem(off, pr.next[off])
		}
	}
	if items {
		if err := page.RepairFragmentation(e); err != nil {
			return false, err
		}
	}
	if hint != page.PruneXid(pr.p) {
		e.Put32(page.OffPruneXid, hint)
	}
	page.SetFlags(e, page.Flags(pr.p)&^page.Full)
	return true, nil
}
