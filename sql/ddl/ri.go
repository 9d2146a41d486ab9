package ddl

import (
	"strings"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pgstat"
)

// The triggers of foreign keys. Those on the referencing table look the key up in the referenced table's index, without SQL, and lock the row
// they find FOR KEY SHARE, so that nobody takes its key away before this transaction ends.

func init() {
	executor.RegisterTrigger("RI_FKey_check_ins", riCheck)
	executor.RegisterTrigger("RI_FKey_check_upd", riCheck)
}

// riCheck is RI_FKey_check_ins and RI_FKey_check_upd: the new row's key must be there.
func riCheck(t *executor.TriggerCall) (types.Row, error) {
	if t.New == nil {
		return nil, nil
	}
	b := t.Backend
	fk, err := foreignKey(b, t.Trigger.Constraint)
	if err != nil {
		return nil, err
	}
	if t.Old != nil && !fk.Deferrable && sameKey(b, t.Table.Rel, fk.Keys, t.Old, t.New) {
		return nil, nil
	}
	if fk.Deferrable {
		// The row may have been changed or deleted since the event was queued; its own event, or none, counts then.
		live, err := isLive(b, t.Table.Heap, t.NewTID)
		if err != nil || !live {
			return nil, err
		}
	}
	switch n := nullKeys(t.New, fk.Keys); {
	case n == len(fk.Keys) || n > 0 && fk.MatchType == 's':
		return nil, nil
	case n > 0:
		return nil, mixedNulls(b, t.Table.Rel, fk)
	}
	look, err := newKeyLookup(b, t.Table.Rel, fk)
	if err != nil {
		return nil, err
	}
	defer look.scan.End()
	found, err := look.find(t.New, t.Snapshot, true)
	if err == nil && !found {
		err = look.missing(t.Table.Rel, fk, t.New)
	}
	return nil, err
}

func foreignKey(b *executor.Backend, oid OID) (*catalog.Constraint, error) {
	fk, err := b.Catalog.Constraint(oid)
	if err == nil && fk == nil {
		err = pgerr.Internal("cache lookup failed for constraint %d", oid)
	}
	return fk, err
}

// isLive says whether the version at tid is the row as the transaction's own next command would see it.
func isLive(b *executor.Backend, h *heap.Relation, tid types.TID) (bool, error) {
	self := heap.SelfSnapshot(b.Heap.Tx)
	var slot heap.Slot
	slot.Init(h)
	defer slot.Clear()
	return h.FetchVersion(b.Heap, tid, &self, &slot)
}

func nullKeys(row types.Row, keys []int16) (n int) {
	for _, k := range keys {
		if row[k-1].IsNull() {
			n++
		}
	}
	return n
}

// sameKey says whether two versions of a row have equal keys, byte for byte. Values that are equal and not the same count as changed, which costs
// a look-up and is right.
func sameKey(b *executor.Backend, rel *catalog.Relation, keys []int16, old, new types.Row) bool {
	for _, k := range keys {
		x, y := old[k-1], new[k-1]
		switch {
		case x.IsNull() || y.IsNull():
			if x.IsNull() != y.IsNull() {
				return false
			}
		case x.IsByRef():
			if x.Str() != y.Str() {
				return false
			}
		case x.Raw() != y.Raw():
			return false
		}
	}
	return true
}

func mixedNulls(b *executor.Backend, rel *catalog.Relation, fk *catalog.Constraint) error {
	return pgerr.New(pgerr.ForeignKeyViolation, "insert or update on table \"%s\" violates foreign key constraint \"%s\"", rel.Name, fk.Name).
		WithDetail("MATCH FULL does not allow mixing of null and nonnull key values.").
		WithTable(nsName(b.Catalog, rel.Namespace), rel.Name).WithConstraint(fk.Name)
}

func nsName(v *catalog.View, oid OID) string {
	n, err := v.Namespace(oid)
	if err != nil || n == nil {
		return ""
	}
	return n.Name
}

// keyLookup finds rows of the referenced table by the values of a referencing row.
type keyLookup struct {
	b       *executor.Backend
	pk      *catalog.Relation
	heap    *heap.Relation
	scan    index.Scan
	keys    []index.ScanKey
	source  []int       // places in the referencing row, by index column
	casts   []expr.Eval // of values that are not comparable as they are; nil = none
	x       *expr.Context
	columns []int16 // of the referenced table's key
	slot    heap.Slot
	stats   *pgstat.Table // of the index
}

func newKeyLookup(b *executor.Backend, rel *catalog.Relation, fk *catalog.Constraint) (*keyLookup, error) {
	v := b.Catalog
	pk, err := v.Relation(fk.RefRel)
	if err != nil {
		return nil, err
	}
	if pk == nil {
		return nil, pgerr.Internal("cache lookup failed for relation %d", fk.RefRel)
	}
	l := &keyLookup{b: b, pk: pk, x: executor.EvalContext(b)}
	if l.heap, err = v.OpenHeap(pk); err != nil {
		return nil, err
	}
	ix := indexByOID(pk, fk.Index)
	if ix == nil {
		return nil, pgerr.Internal("foreign key \"%s\" has no index on \"%s\"", fk.Name, pk.Name)
	}
	l.stats = b.Heap.Stats.Table(pgstat.OID(ix.OID), false)
	am, err := v.OpenIndex(b.Env, pk, ix)
	if err != nil {
		return nil, err
	}
	l.keys = make([]index.ScanKey, ix.NumKeys)
	l.columns = ix.Keys[:ix.NumKeys]
	l.source, l.casts = make([]int, ix.NumKeys), make([]expr.Eval, ix.NumKeys)
	for at, col := range ix.Keys[:ix.NumKeys] {
		for i, ref := range fk.RefKeys {
			if ref == col {
				if err := l.column(rel, fk, ix, at, i); err != nil {
					return nil, err
				}
			}
		}
	}
	l.slot.Init(l.heap)
	l.scan = am.NewScan(index.ScanOptions{Cancel: b.Heap.Cancel})
	return l, nil
}

// column sets up index column at from the i'th pair of the key.
func (l *keyLookup) column(rel *catalog.Relation, fk *catalog.Constraint, ix *catalog.Index, at, i int) error {
	v := l.b.Catalog
	op, err := v.Operator(fk.PFEqOps[i])
	if err != nil {
		return err
	}
	if op == nil {
		return pgerr.Internal("cache lookup failed for operator %d", fk.PFEqOps[i])
	}
	a := &rel.Desc.Attrs[fk.Keys[i]-1]
	l.source[at] = int(fk.Keys[i]) - 1
	l.keys[at] = index.ScanKey{Attr: at + 1, Kind: index.KeyOperator, Strategy: index.Equal}
	right := op.Right
	ok, err := v.IsBinaryCoercible(a.TypeOID, right)
	if err != nil {
		return err
	}
	if !ok {
		if l.casts[at], err = l.cast(a, right); err != nil {
			return err
		}
	}
	if op.Left == right {
		return nil
	}
	proc, err := v.AmProc(ix.OpFamilies[at], op.Left, right, 1)
	if err != nil {
		return err
	}
	p, err := v.Proc(proc)
	if err != nil {
		return err
	}
	if p == nil {
		return pgerr.Internal("missing support function %d(%d,%d) in opfamily %d", 1, op.Left, right, ix.OpFamilies[at])
	}
	l.keys[at].Compare, err = types.LookupCompare(l.b.Env, p.Src, ix.Attrs[at].TypeOID, ix.Collations[at])
	return err
}

// cast makes the implicit cast of a referencing column to the type that it is compared as.
func (l *keyLookup) cast(a *types.Attr, to OID) (expr.Eval, error) {
	v := l.b.Catalog
	base, err := v.BaseType(a.TypeOID)
	if err != nil {
		return nil, err
	}
	c, err := v.Cast(base, to)
	if err != nil {
		return nil, err
	}
	if c == nil || c.Func == 0 {
		return nil, pgerr.Internal("no conversion function from %d to %d", base, to)
	}
	e := &query.FuncExpr{FuncOID: c.Func, TypeOID: to, Form: query.CoerceImplicitCast, Loc: -1,
		Args: []query.Expr{&query.Var{VarNo: 1, AttNo: a.Num, TypeOID: a.TypeOID, Mod: a.TypMod, Coll: a.Collation, Loc: -1}}}
	k := &expr.Compiler{Catalog: v, Env: l.b.Env, Session: l.b}
	k.Hooks.Function = l.b.FunctionInLanguage
	return k.Compile(e)
}

// find says whether the key of a referencing row is in the referenced table, as snap sees it; lock takes FOR KEY SHARE on it.
func (l *keyLookup) find(row types.Row, snap *heap.Snapshot, lock bool) (bool, error) {
	for i := range l.keys {
		l.keys[i].Arg = row[l.source[i]]
		if l.casts[i] != nil {
			l.x.Scan = row
			d, err := l.casts[i](l.x)
			if err != nil {
				return false, err
			}
			l.keys[i].Arg = d
		}
	}
	l.stats.Scan()
	if err := l.scan.Rescan(l.keys); err != nil {
		return false, err
	}
	defer l.slot.Clear()
	for {
		ok, err := l.scan.Next(index.Forward)
		if err != nil || !ok {
			return false, err
		}
		found, _, err := l.heap.FetchHOT(l.b.Heap, l.scan.TID(), snap, &l.slot)
		if err != nil {
			return false, err
		}
		l.stats.Returned(1)
		if !found {
			continue
		}
		l.stats.Fetched(1)
		if !lock {
			return true, nil
		}
		if got, err := l.lockRow(); got || err != nil {
			return got, err
		}
	}
}

// lockRow locks the row in the slot; false when it is gone or has another key by now.
func (l *keyLookup) lockRow() (bool, error) {
	tid := l.slot.TID
	before, err := l.keyOf()
	if err != nil {
		return false, err
	}
	readCommitted := !l.b.Heap.Tx.Isolation.UsesTransactionSnapshot()
	res, _, traversed, err := l.heap.LockTuple(l.b.Heap, tid, &l.slot,
		heap.LockOpts{Mode: heap.LockKeyShare, Wait: heap.WaitBlock, FollowUpdates: readCommitted})
	if err != nil {
		return false, err
	}
	switch res {
	case heap.OK:
		if !traversed {
			return true, nil
		}
		after, err := l.keyOf()
		return after == before, err
	case heap.Updated, heap.Deleted:
		if !readCommitted {
			what := "update"
			if res == heap.Deleted {
				what = "delete"
			}
			return false, pgerr.New(pgerr.TRSerializationFailure, "could not serialize access due to concurrent %s", what)
		}
	case heap.SelfModified:
		return true, nil // by this transaction's present command: it was there
	}
	return false, nil
}

// keyOf gives the key of the row in the slot, as bytes to compare.
func (l *keyLookup) keyOf() (string, error) {
	if err := l.slot.DeformAll(); err != nil {
		return "", err
	}
	var b []byte
	for _, num := range l.columns {
		var err error
		if b, err = types.AppendOutput(l.b.Env, l.pk.Desc.Attrs[num-1].TypeOID, b, l.slot.Row[num-1]); err != nil {
			return "", err
		}
		b = append(b, 0)
	}
	return string(b), nil
}

// missing words the violation.
func (l *keyLookup) missing(rel *catalog.Relation, fk *catalog.Constraint, row types.Row) error {
	return pgerr.New(pgerr.ForeignKeyViolation, "insert or update on table \"%s\" violates foreign key constraint \"%s\"", rel.Name, fk.Name).
		WithDetail("%s is not present in table \"%s\".", keyWords(l.b, rel, fk.Keys, row), l.pk.Name).
		WithTable(nsName(l.b.Catalog, rel.Namespace), rel.Name).WithConstraint(fk.Name)
}

// keyWords is "Key (names)=(values)", or "Key" for who may not read them.
func keyWords(b *executor.Backend, rel *catalog.Relation, keys []int16, row types.Row) string {
	if !executor.MayReadColumns(b.Catalog, rel, keys) {
		return "Key"
	}
	cols, vals := keyTexts(b, rel, keys, row)
	return "Key (" + cols + ")=(" + vals + ")"
}

// keyTexts gives the names and values of columns.
func keyTexts(b *executor.Backend, rel *catalog.Relation, keys []int16, row types.Row) (cols, vals string) {
	var names, texts []string
	for _, k := range keys {
		a := &rel.Desc.Attrs[k-1]
		names = append(names, a.Name)
		text := "null"
		if d := row[k-1]; !d.IsNull() {
			var err error
			if text, err = types.Output(b.Env, a.TypeOID, d); err != nil {
				text = "?"
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(names, ", "), strings.Join(texts, ", ")
}

// validateForeignKey checks all rows of a table. The referenced table is locked against changes, so no row locks are needed.
func (c *ctx) validateForeignKey(rel, pk *catalog.Relation, fk *catalog.Constraint) error {
	if pk.OID == rel.OID {
		pk = rel
	}
	look, err := newKeyLookup(c.Backend, rel, fk)
	if err != nil {
		return err
	}
	defer look.scan.End()
	var snap heap.Snapshot
	tx := c.heapSession().Tx
	tx.TakeLatestSnapshot(&snap.Snapshot)
	defer tx.ReleaseSnapshot(&snap.Snapshot)
	var last types.Row // the key found last: tables are often in its order
	return c.eachRow(rel, func(slot *heap.Slot) error {
		row := slot.Row
		switch n := nullKeys(row, fk.Keys); {
		case n == len(fk.Keys) || n > 0 && fk.MatchType == 's':
			return nil
		case n > 0:
			return mixedNulls(c.Backend, rel, fk)
		}
		if last != nil && sameKey(c.Backend, rel, fk.Keys, last, row) {
			return nil
		}
		found, err := look.find(row, &snap, false)
		if err != nil {
			return err
		}
		if !found {
			return look.missing(rel, fk, row)
		}
		if last == nil {
			last = make(types.Row, len(row))
		}
		for _, k := range fk.Keys {
			last[k-1] = row[k-1].Clone()
		}
		return nil
	})
}
