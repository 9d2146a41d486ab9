package catalog

// AddedEnumLabel notes a label that ALTER TYPE ADD VALUE has added. It must not be used before the transaction commits: a value of it in an
// index would outlive the label after a rollback.
func (v *View) AddedEnumLabel(label OID) {
	if v.newLabels == nil {
		v.newLabels = map[OID]bool{}
	}
	v.newLabels[label] = true
	forget := func() { delete(v.newLabels, label) }
	v.sess.Tx.OnCommit(forget)
	v.sess.Tx.OnAbort(forget)
}
