package catalog

import "github.com/calfdb/calf/storage/xact"

// What the session tells its view of transactions. Invalidation needs none of it (see doc.go); temporary tables do.

// BeginTransaction is called when the session's transaction has begun.
func (v *View) BeginTransaction(_ *xact.Tx) { v.onCommitDone = false }

// CommandEnd is called after each command counter increment.
func (v *View) CommandEnd() error {
	v.own.advance(v.sess.Tx)
	return nil
}

// OnCommitAction is what happens to a temporary table at the end of a transaction.
type OnCommitAction byte

const (
	OnCommitPreserve OnCommitAction = iota
	OnCommitDeleteRows
	OnCommitDrop
)

// onCommitTable is a temporary table with an ON COMMIT clause.
type onCommitTable struct {
	rel    OID
	action OnCommitAction
}

// SetOnCommit notes the ON COMMIT clause of a temporary table made in this transaction.
func (v *View) SetOnCommit(rel OID, action OnCommitAction) {
	v.onCommit = append(v.onCommit, onCommitTable{rel, action})
	v.sess.Tx.OnAbort(func() { v.forgetOnCommit(rel) })
}

func (v *View) forgetOnCommit(rel OID) {
	for i, t := range v.onCommit {
		if t.rel == rel {
			v.onCommit = append(v.onCommit[:i:i], v.onCommit[i+1:]...)
			return
		}
	}
}

// SetRelationLocker gives the view the means to take a relation's heavyweight lock: sequence functions find their sequence while they run.
func (v *View) SetRelationLocker(f func(rel OID, mode int) error) { v.lockRelation = f }

// SetOnCommitRunner says how ON COMMIT clauses are carried out: DDL has the means.
func (v *View) SetOnCommitRunner(f func(rel OID, action OnCommitAction) error) { v.runOnCommit = f }

// PreCommit carries out the ON COMMIT clauses. It may be called again when something was done since.
func (v *View) PreCommit() error {
	if len(v.onCommit) == 0 || v.onCommitDone || v.sess.Tx.TopXID() == 0 {
		return nil
	}
	v.onCommitDone = true
	for _, t := range append([]onCommitTable(nil), v.onCommit...) {
		rel, err := v.Relation(t.rel)
		if err != nil {
			return err
		}
		if rel == nil { // dropped
			gone := t.rel
			v.sess.Tx.OnCommit(func() { v.forgetOnCommit(gone) })
			continue
		}
		if err := v.runOnCommit(t.rel, t.action); err != nil {
			return err
		}
		if t.action == OnCommitDrop {
			gone := t.rel
			v.sess.Tx.OnCommit(func() { v.forgetOnCommit(gone) })
		}
	}
	return nil
}

// EndTransaction is called when the session's transaction has ended.
func (v *View) EndTransaction(_ bool) {
	v.onCommitDone = false
	clear(v.newStorage)
}

// IsSharedRelation says whether a relation is a shared catalog or an index of one.
func IsSharedRelation(oid OID) bool {
	if oid >= FirstUserOID {
		return false
	}
	loadBoot()
	return boot.shared[oid]
}
