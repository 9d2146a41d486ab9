package xact

// A tuple that one transaction both inserts and deletes needs two command ids in the place of one: it stores the number of a pair that
// only this transaction can look up. Nobody else needs it: to others the whole transaction is one event.
type comboPair struct{ cmin, cmax CID }

type comboCIDs struct {
	pairs []comboPair
	index map[comboPair]CID
}

// Combo gives the number of the pair (cmin, cmax).
func (tx *Tx) Combo(cmin, cmax CID) CID {
	p := comboPair{cmin, cmax}
	if n, ok := tx.combos.index[p]; ok {
		return n
	}
	if tx.combos.index == nil {
		tx.combos.index = make(map[comboPair]CID)
	}
	n := CID(len(tx.combos.pairs))
	tx.combos.pairs = append(tx.combos.pairs, p)
	tx.combos.index[p] = n
	return n
}

// ComboCmin is the inserting command of combo number n.
func (tx *Tx) ComboCmin(n CID) CID { return tx.combos.pairs[n].cmin }

// ComboCmax is the deleting command of combo number n.
func (tx *Tx) ComboCmax(n CID) CID { return tx.combos.pairs[n].cmax }
