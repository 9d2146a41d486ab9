package heap

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// What a unique check asks about the row behind an index entry.

// RowState is how a row stands at this moment, uncommitted changes included.
type RowState struct {
	Found   bool     // a version is there, or may come to be
	AllDead bool     // nobody sees any version, now or later
	Wait    xact.XID // the running inserter or deleter of the version, of another transaction; 0 = none
	TID     types.TID
}

// DirtyState looks at the row whose chain begins at tid. It takes a share latch of the row's page only.
func (r *Relation) DirtyState(tx *xact.Tx, tid types.TID) (st RowState, err error) {
	if tid.Block >= r.main.NumBlocks() {
		return st, nil
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return st, err
	}
	snap := DirtySnapshot(tx)
	buf.LockShared()
	off, allDead := r.searchChain(buf.Page(), tid, &snap)
	buf.UnlockUnpin()
	st = RowState{Found: off != 0, AllDead: allDead, Wait: snap.Xmin, TID: types.TID{Block: tid.Block, Off: off}}
	if st.Wait == 0 {
		st.Wait = snap.Xmax
	}
	if off == 0 {
		st.Wait = 0
	}
	return st, nil
}

// IsLive says whether the row whose chain begins at tid is there for tx, its current command included.
func (r *Relation) IsLive(tx *xact.Tx, tid types.TID) (bool, error) {
	if tid.Block >= r.main.NumBlocks() {
		return false, nil
	}
	buf, err := r.main.Pin(tid.Block)
	if err != nil {
		return false, err
	}
	snap := SelfSnapshot(tx)
	buf.LockShared()
	off, _ := r.searchChain(buf.Page(), tid, &snap)
	buf.UnlockUnpin()
	return off != 0, nil
}

// DeadToAll sets dead[i] when nobody sees any version of the row whose chain begins at tids[i], now or later. Neighbours of one page cost one
// latch.
func (r *Relation) DeadToAll(tids []types.TID, dead []bool) error {
	snap := NonVacuumableSnapshot(r.e.xm.Horizon())
	blocks := r.main.NumBlocks()
	for i := 0; i < len(tids); {
		block := tids[i].Block
		j := i
		for j < len(tids) && tids[j].Block == block {
			j++
		}
		if block < blocks {
			buf, err := r.main.Pin(block)
			if err != nil {
				return err
			}
			buf.LockShared()
			for k := i; k < j; k++ {
				off, _ := r.searchChain(buf.Page(), tids[k], &snap)
				dead[k] = off == 0
			}
			buf.UnlockUnpin()
		}
		i = j
	}
	return nil
}
