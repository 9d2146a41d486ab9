package btree

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// uniqueResult is what the unique check found.
type uniqueResult struct {
	isUnique bool
	wait     uint64 // a transaction to wait for, then look again
	token    uint32
}

// checkUnique looks for live entries equal to the key w.key, which has no TID, from the leaf b on, which is latched exclusively and stays so. As the
// first page where an equal entry can be stays latched, nobody else can insert one meanwhile. On an error it is let go.
func (ix *Index) checkUnique(a *index.InsertArgs, b buffer.Buf, w *work) (uniqueResult, error) {
	cur, keep := b, false
	defer func() {
		if cur != b {
			cur.UnlockUnpin()
		}
		if !keep {
			b.UnlockUnpin()
		}
	}()
	r, err := ix.checkEqual(a, b, &cur, w)
	keep = err == nil
	return r, err
}

// checkEqual is the loop of checkUnique; *cur is the page that it looks at.
func (ix *Index) checkEqual(a *index.InsertArgs, b buffer.Buf, cur *buffer.Buf, w *work) (uniqueResult, error) {
	found := false // the entry itself, for CheckExisting
	for {
		p := cur.Page()
		for off, n := ix.search(&w.key, p), page.MaxOffset(p); off <= n; off++ {
			t := item(p, off)
			if ix.compareTuple(&w.key, t) != 0 {
				return ix.finishUnique(a, found)
			}
			if isDead(p, off) {
				continue
			}
			tid := t.TID()
			if a.Check == index.CheckExisting && tid == a.TID {
				found = true
				continue
			}
			r, done, err := ix.checkEntry(a, *cur, off, tid)
			if done || err != nil {
				return r, err
			}
		}
		if isRightmost(p) || ix.compareTuple(&w.key, item(p, highKeyOffset)) < 0 {
			return ix.finishUnique(a, found)
		}
		next, err := ix.pinRight(*cur, w)
		if err != nil {
			return uniqueResult{}, err
		}
		if *cur != b {
			cur.UnlockUnpin()
		}
		*cur = next
	}
}

func (ix *Index) finishUnique(a *index.InsertArgs, found bool) (uniqueResult, error) {
	if a.Check == index.CheckExisting && !found {
		return uniqueResult{}, pgerr.Internal("failed to re-find tuple within index %q", ix.def.Name).
			WithHint("This may be because of a non-immutable index expression.")
	}
	return uniqueResult{isUnique: true}, nil
}

// checkEntry asks the heap about an equal entry. done: the check is decided.
func (ix *Index) checkEntry(a *index.InsertArgs, b buffer.Buf, off uint16, tid types.TID) (r uniqueResult, done bool, err error) {
	s, err := a.Heap.Dirty(tid)
	switch {
	case err != nil:
		return r, true, err
	case !s.Found:
		if s.AllDead {
			kill(b, off)
		}
		return r, false, nil
	case a.Check == index.CheckPartial:
		return r, true, nil
	case s.Wait != 0:
		return uniqueResult{wait: s.Wait, token: s.Token}, true, nil
	}
	// A duplicate, unless our own row is gone already: its transaction deleted it before a deferred check.
	live, err := a.Heap.IsLive(a.TID)
	if err != nil {
		return r, true, err
	}
	if !live {
		return uniqueResult{isUnique: true}, true, nil
	}
	return r, true, ix.duplicate(a.Values, tid, false)
}

func (ix *Index) duplicate(values types.Row, tid types.TID, building bool) error {
	e := &index.DuplicateKey{Index: ix.def, TID: tid, Building: building, Values: make(types.Row, ix.nkeys)}
	for i := range e.Values {
		e.Values[i] = values[i].Clone()
	}
	return e
}

// pinRight pins and latches the right neighbour of b exclusively, past deleted pages. b stays latched.
func (ix *Index) pinRight(b buffer.Buf, w *work) (buffer.Buf, error) {
	prev := b
	for {
		next, err := ix.pin(rightOf(prev.Page()))
		if err == nil {
			if err = next.LockExclusive(w.cancel); err != nil {
				next.Unpin()
			}
		}
		if prev != b {
			prev.UnlockUnpin()
		}
		if err != nil {
			return buffer.Buf{}, err
		}
		if !isDeleted(next.Page()) {
			return next, nil
		}
		if isRightmost(next.Page()) {
			next.UnlockUnpin()
			return buffer.Buf{}, ix.fellOff()
		}
		prev = next
	}
}

// kill marks an item as dead to everybody: a hint, not logged.
func kill(b buffer.Buf, off uint16) {
	b.SetHint(page.ItemOffset(off), page.DeadHint)
	if p := b.Page(); flags(p)&flagHasGarbage == 0 {
		b.SetHint(offFlags, flagHasGarbage) // flags are the low half of an aligned word
	}
}
