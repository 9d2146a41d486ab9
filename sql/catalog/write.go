package catalog

import (
	"errors"
	"fmt"
	"strings"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/xact"
)

// Changes of catalog rows. They count from the session's next command on; the entries that they touch are published at commit.

// NewRow gives a row of a catalog with all columns null.
func NewRow(catalog OID) types.Row {
	row := make(types.Row, len(bootTable(catalog).Desc.Attrs))
	for i := range row {
		row[i] = types.Null
	}
	return row
}

// Insert adds a row to a catalog.
func (v *View) Insert(catalog OID, row types.Row) error {
	t := bootTable(catalog)
	rel, err := v.heapOf(t)
	if err != nil {
		return err
	}
	tid, err := rel.Insert(v.sess, row, heap.InsertOpts{})
	if err != nil {
		return err
	}
	if err := v.insertEntries(t, rel, row, tid); err != nil {
		return err
	}
	return v.changed(t, row)
}

// Update replaces the row at tid, which was old, by row.
func (v *View) Update(catalog OID, tid types.TID, old, row types.Row) error {
	t := bootTable(catalog)
	rel, err := v.heapOf(t)
	if err != nil {
		return err
	}
	res, err := rel.Update(v.sess, tid, row, heap.UpdateOpts{Wait: true})
	if err != nil {
		return err
	}
	if res.Result != heap.OK {
		return pgerr.Internal("tuple concurrently %s", concurrent(res.Result))
	}
	if !res.HOT {
		if err := v.insertEntries(t, rel, row, res.TID); err != nil {
			return err
		}
	}
	if err := v.changed(t, old); err != nil {
		return err
	}
	return v.changed(t, row)
}

// Delete removes the row at tid, which was old.
func (v *View) Delete(catalog OID, tid types.TID, old types.Row) error {
	t := bootTable(catalog)
	rel, err := v.heapOf(t)
	if err != nil {
		return err
	}
	res, _, err := rel.Delete(v.sess, tid, heap.DeleteOpts{Wait: true})
	if err != nil {
		return err
	}
	if res != heap.OK {
		return pgerr.Internal("tuple concurrently %s", concurrent(res))
	}
	return v.changed(t, old)
}

func concurrent(r heap.Result) string {
	if r == heap.Deleted {
		return "deleted"
	}
	return "updated"
}

func (v *View) insertEntries(t *Table, rel *heap.Relation, row types.Row, tid types.TID) error {
	for _, ix := range t.Indexes {
		idx, err := v.indexOf(ix)
		if err != nil {
			return err
		}
		a := index.InsertArgs{Values: ix.values(row), TID: tid, Cancel: v.sess.Cancel, Heap: &catalogProbe{v, rel}}
		if ix.Unique {
			a.Check = index.CheckYes
		}
		if _, err := idx.Insert(&a); err != nil {
			return ix.wordError(err)
		}
	}
	return nil
}

// values takes the index's columns out of a row.
func (ix *TableIndex) values(row types.Row) types.Row {
	vals := make(types.Row, len(ix.Columns))
	for i, col := range ix.Columns {
		vals[i] = row[col]
	}
	return vals
}

// wordError makes a unique violation of a catalog's index what a client sees.
func (ix *TableIndex) wordError(err error) error {
	var dup *index.DuplicateKey
	if !errors.As(err, &dup) {
		return err
	}
	var names, vals []string
	for i, col := range ix.Columns {
		a := &ix.Table.Desc.Attrs[col]
		names = append(names, a.Name)
		text, oerr := types.Output(nil, a.TypeOID, dup.Values[i])
		if oerr != nil {
			text = "?"
		}
		vals = append(vals, text)
	}
	return pgerr.New(pgerr.UniqueViolation, "duplicate key value violates unique constraint \"%s\"", ix.Name).
		WithDetail("Key (%s)=(%s) already exists.", strings.Join(names, ", "), strings.Join(vals, ", ")).
		WithTable("pg_catalog", ix.Table.Name).WithConstraint(ix.Name)
}

// catalogProbe answers an index's questions about rows of a catalog.
type catalogProbe struct {
	v   *View
	rel *heap.Relation
}

func (p *catalogProbe) Dirty(tid types.TID) (index.RowState, error) {
	st, err := p.rel.DirtyState(p.v.sess.Tx, tid)
	return index.RowState{Found: st.Found, AllDead: st.AllDead, Wait: uint64(st.Wait)}, err
}

func (p *catalogProbe) IsLive(tid types.TID) (bool, error) { return p.rel.IsLive(p.v.sess.Tx, tid) }

func (p *catalogProbe) DeadToAll(tids []types.TID, dead []bool) error {
	return p.rel.DeadToAll(tids, dead)
}

func (p *catalogProbe) WaitXID(xid uint64, _ uint32) error {
	return p.v.sess.Waiter.WaitXID(xact.XID(xid), heap.WaitReason{Op: heap.WaitInsertIndex, Rel: p.rel})
}

// changed notes the entries that a row bears on.
func (v *View) changed(t *Table, row types.Row) error {
	keys, err := v.keysOf(t, row)
	if err != nil {
		return err
	}
	if len(keys) == 0 {
		return nil
	}
	return v.touch(v.sess.Tx, keys)
}

// Scan calls each with the rows of a catalog whose leading columns of that index equal key, as the current command sees them, in index order,
// until it answers false. each may change the row that it is given.
func (v *View) Scan(index OID, key []types.Datum, each func(tid types.TID, row types.Row) (bool, error)) error {
	r, end, err := v.read()
	if err != nil {
		return err
	}
	defer end()
	return r.scan(bootIndex(index), key, each)
}

// ScanAll calls each with all rows of a catalog.
func (v *View) ScanAll(catalog OID, each func(tid types.TID, row types.Row) (bool, error)) error {
	r, end, err := v.read()
	if err != nil {
		return err
	}
	defer end()
	return r.scanAll(bootTable(catalog), each)
}

// Find gives the first row with that key and its place; nil when there is none.
func (v *View) Find(index OID, key ...types.Datum) (tid types.TID, row types.Row, err error) {
	err = v.Scan(index, key, func(t types.TID, r types.Row) (bool, error) {
		tid, row = t, r
		return false, nil
	})
	return tid, row, err
}

// Modify changes the row of a catalog with that key through fn. It is an error when there is none.
func (v *View) Modify(catalog, index OID, key []types.Datum, fn func(row types.Row)) error {
	tid, old, err := v.Find(index, key...)
	if err != nil {
		return err
	}
	if old == nil {
		return pgerr.Internal("cache lookup failed for a row of %s", bootTable(catalog).Name)
	}
	row := append(types.Row(nil), old...)
	fn(row)
	return v.Update(catalog, tid, old, row)
}

// DeleteWhere removes all rows with that key, and says how many there were.
func (v *View) DeleteWhere(catalog, index OID, key ...types.Datum) (int, error) {
	n := 0
	err := v.Scan(index, key, func(tid types.TID, row types.Row) (bool, error) {
		n++
		return true, v.Delete(catalog, tid, row)
	})
	return n, err
}

// Session is the heap session that the view reads and writes with.
func (v *View) Session() *heap.Session { return v.sess }

// NextCommand makes the changes of the command that ends visible to the session.
func (v *View) NextCommand() error { return v.sess.Tx.CommandCounterIncrement() }

// GetNewOID gives an OID that no row of the catalog has. index is the catalog's index on its OID column.
func (v *View) GetNewOID(index OID) (OID, error) {
	for {
		oid := v.cluster.nextOID()
		_, row, err := v.Find(index, types.Oid(oid))
		if err != nil {
			return 0, err
		}
		if row == nil {
			return oid, nil
		}
	}
}

func (c *Cluster) nextOID() OID {
	if c.bootstrapping.Load() {
		if n := c.bootOID.Add(1); n < uint32(FirstUserOID) {
			return OID(n)
		}
		panic(fmt.Sprintf("catalog: more than %d objects are made at first start", FirstUserOID-firstBootOID))
	}
	return c.st.Xact.NewOID()
}
