package catalog

import (
	"slices"

	"github.com/calfdb/calf/storage/xact"
)

// ownChanges are the catalog changes of the session's transaction that others don't see yet: which entries they touch, and the descriptors made
// with them in sight. A change counts from the next command on.
type ownChanges struct {
	records    []*changeRecord
	overlay    map[Key]any
	generation uint64 // moves whenever what the session sees changes
	cid        xact.CID
}

// changeRecord is what one subtransaction touched.
type changeRecord struct {
	xid     xact.XID
	visible map[Key]bool
	pending []Key // of the current command
}

func (o *ownChanges) isDirty(k Key) bool {
	if len(o.records) == 0 {
		return false
	}
	for _, r := range o.records {
		if r.visible[k] {
			return true
		}
	}
	return false
}

// touch notes changed entries in the current subtransaction's record. v publishes them at commit.
func (v *View) touch(tx *xact.Tx, keys []Key) error {
	xid, err := tx.XID()
	if err != nil {
		return err
	}
	o := &v.own
	o.advance(tx)
	o.cid = tx.CID()
	at := slices.IndexFunc(o.records, func(r *changeRecord) bool { return r.xid == xid })
	if at < 0 {
		r := &changeRecord{xid: xid, visible: map[Key]bool{}}
		at = len(o.records)
		o.records = append(o.records, r)
		tx.OnCommit(func() { v.publish(r) })
		tx.OnAbort(func() { o.remove(r) })
	}
	o.records[at].pending = append(o.records[at].pending, keys...)
	return nil
}

// advance makes changes count when the command that made them has ended.
func (o *ownChanges) advance(tx *xact.Tx) {
	if len(o.records) == 0 || tx.CID() == o.cid {
		return
	}
	o.cid = tx.CID()
	for _, r := range o.records {
		if len(r.pending) == 0 {
			continue
		}
		o.generation++
		for _, k := range r.pending {
			r.visible[k] = true
			delete(o.overlay, k)
		}
		r.pending = r.pending[:0]
	}
}

// publish drops what the record touched from the shared caches: its changes are committed and visible. Runs before the locks go.
func (v *View) publish(r *changeRecord) {
	var own, shared []Key
	add := func(k Key) {
		if k.Kind.isShared() {
			shared = append(shared, k)
		} else {
			own = append(own, k)
		}
	}
	for k := range r.visible {
		add(k)
	}
	for _, k := range r.pending {
		add(k)
	}
	v.own.remove(r)
	v.db.invalidate(own)
	v.cluster.invalidateShared(shared)
}

// remove forgets a record, with all descriptors that were made with it in sight.
func (o *ownChanges) remove(r *changeRecord) {
	o.records = slices.DeleteFunc(o.records, func(x *changeRecord) bool { return x == r })
	clear(o.overlay)
	o.generation++
}
