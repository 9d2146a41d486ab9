package executor

import (
	"encoding/binary"
	"io"

	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register(newHashJoin)
	register(newHash)
}

// hashNode passes its input on; the join above builds the table from it.
type hashNode struct{ child Node }

func newHash(s *State, p *plan.Hash) (Node, error) {
	child, err := s.build(p.Left)
	return &hashNode{child}, err
}

func (n *hashNode) Next() (types.Row, error) { return n.child.Next() }
func (n *hashNode) Rescan() error            { return n.child.Rescan() }
func (n *hashNode) Close()                   { n.child.Close() }

// joinKey is one side of a hash join's keys.
type joinKey struct {
	evals []expr.Eval
	funcs []types.HashFunc
}

// hash gives the hash code of a row's keys; ok is false when one is null, so that the row matches nothing.
func (k *joinKey) hash(ctx *expr.Context) (h uint32, ok bool, err error) {
	for i, eval := range k.evals {
		d, err := eval(ctx)
		if err != nil {
			return 0, false, err
		}
		if d.IsNull() {
			return 0, false, nil
		}
		h = combineHash(h, d, k.funcs[i])
	}
	return mixHash(h), true, nil
}

// hashJoin is a hybrid hash join. The table holds batch 0 of the inner input; when it outgrows work_mem the number of batches doubles and what
// does not belong to the current batch goes to files, by the upper bits of the hash code; outer rows of later batches wait in files too.
type hashJoin struct {
	joinCore
	s            *State
	outer, inner Node
	outerKey     joinKey
	innerKey     joinKey
	innerCtx     *expr.Context
	hashQual     expr.Qual
	params       plan.ParamSet // of the inner input: while they stay, the table can be used again

	table    hashTable
	batches  int
	batch    int
	files    []batchFiles
	built    bool
	gen      uint64
	limit    int64
	innerRow types.Row
	buf      []byte

	reader    *recordReader // outer rows of the current batch, nil for batch 0
	outerBuf  types.Row
	row       types.Row // current outer row
	hash      uint32
	probe     int // entry to look at next, -1 = end
	matched   bool
	unmatched int // next entry to look at when giving unmatched inner rows, -1 = not yet
	done      bool
}

type batchFiles struct{ inner, outer *tempFile }

func newHashJoin(s *State, p *plan.HashJoin) (Node, error) {
	c := s.compiler()
	n := &hashJoin{s: s, innerCtx: s.context(), params: p.Right.Base().AllParam}
	var err error
	if n.joinCore, err = newJoinCore(s, &p.Join, c); err != nil {
		return nil, err
	}
	if n.outer, err = s.build(p.Left); err != nil {
		return nil, err
	}
	if n.inner, err = s.build(p.Right); err != nil {
		return nil, err
	}
	if n.hashQual, err = c.CompileQual(p.HashClauses); err != nil {
		return nil, err
	}
	hash := p.Right.(*plan.Hash)
	if n.outerKey, err = s.newJoinKey(c, p.HashKeys, p.HashOps, p.Collations, true); err != nil {
		return nil, err
	}
	if n.innerKey, err = s.newJoinKey(c, hash.Keys, p.HashOps, p.Collations, false); err != nil {
		return nil, err
	}
	n.innerRow = make(types.Row, len(n.nullInner))
	n.outerBuf = make(types.Row, len(n.nullOuter))
	return n, nil
}

func (s *State) newJoinKey(c *expr.Compiler, keys []query.Expr, ops, colls []types.OID, left bool) (joinKey, error) {
	k := joinKey{funcs: make([]types.HashFunc, len(keys))}
	var err error
	if k.evals, err = c.CompileList(keys); err != nil {
		return k, err
	}
	for i, e := range keys {
		if k.funcs[i], err = s.hashFuncOf(ops[i], e.Type(), colls[i], left); err != nil {
			return k, err
		}
	}
	return k, nil
}

// buildTable reads the inner input.
func (n *hashJoin) buildTable() error {
	n.reset()
	n.limit = n.s.Backend.HashMem()
	n.gen = n.s.gen(n.params)
	for i := 0; ; i++ {
		row, err := n.inner.Next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		n.innerCtx.Outer = row
		h, ok, err := n.innerKey.hash(n.innerCtx)
		if err != nil {
			return err
		}
		if !ok && !n.fillsInner() {
			continue
		}
		n.buf = appendRow(n.buf[:0], row)
		if err := n.addInner(h, n.buf); err != nil {
			return err
		}
	}
	n.built = true
	return n.flushFiles()
}

// batchOf gives the batch of a hash code: its upper bits, since the lower ones choose the bucket.
func (n *hashJoin) batchOf(h uint32) int { return int(h>>12) & (n.batches - 1) }

func (n *hashJoin) addInner(h uint32, b []byte) error {
	if to := n.batchOf(h); to != n.batch {
		return n.writeTo(&n.files[to].inner, h, b)
	}
	n.table.insert(h, b)
	if n.table.used > n.limit && n.batches < 1<<18 {
		return n.split()
	}
	return nil
}

// split doubles the number of batches and moves rows that now belong to a later one out of the table. When all rows have one hash code
// nothing moves, and the table grows over its limit, as in PostgreSQL.
func (n *hashJoin) split() error {
	old := n.table
	n.batches *= 2
	n.files = append(n.files, make([]batchFiles, n.batches-len(n.files))...)
	n.table = hashTable{}
	for i := range old.entries {
		e := &old.entries[i]
		b := old.bytes(i)
		if to := n.batchOf(e.hash); to != n.batch {
			if err := n.writeTo(&n.files[to].inner, e.hash, b); err != nil {
				return err
			}
			continue
		}
		n.table.insert(e.hash, b)
	}
	if len(n.table.entries) == len(old.entries) {
		n.limit *= 2
	}
	return nil
}

func (n *hashJoin) writeTo(f **tempFile, h uint32, b []byte) error {
	if *f == nil {
		var err error
		if *f, err = n.s.Backend.Temp.create(); err != nil {
			return err
		}
	}
	rec := binary.LittleEndian.AppendUint32(make([]byte, 0, len(b)+4), h)
	return (*f).writeRecord(append(rec, b...))
}

func (n *hashJoin) flushFiles() error {
	for _, f := range n.files {
		for _, t := range []*tempFile{f.inner, f.outer} {
			if t != nil {
				if err := t.flush(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (n *hashJoin) Next() (types.Row, error) {
	if !n.built {
		if err := n.buildTable(); err != nil {
			return nil, err
		}
	}
	for !n.done {
		row, err := n.step()
		if row != nil || err != nil {
			return row, err
		}
	}
	return nil, nil
}

// step makes one step of the join; nil means nothing to give yet.
func (n *hashJoin) step() (types.Row, error) {
	switch {
	case n.unmatched >= 0:
		return n.giveUnmatched()
	case n.row == nil:
		return n.nextOuter()
	}
	return n.probeNext()
}

// nextOuter reads the next outer row of the batch and starts its probe.
func (n *hashJoin) nextOuter() (types.Row, error) {
	row, h, ok, err := n.readOuter()
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, n.endOfOuter()
	}
	if !ok {
		if n.fillsOuter() {
			return n.emit(row, n.nullInner)
		}
		return nil, nil
	}
	if to := n.batchOf(h); to != n.batch {
		n.buf = appendRow(n.buf[:0], row)
		return nil, n.writeTo(&n.files[to].outer, h, n.buf)
	}
	n.row, n.hash, n.matched = row, h, false
	n.probe = n.table.first(h)
	return nil, nil
}

// readOuter gives the next outer row with its hash code: from the input for batch 0, else from the batch's file.
func (n *hashJoin) readOuter() (row types.Row, h uint32, ok bool, err error) {
	if n.batch == 0 {
		if row, err = n.outer.Next(); row == nil || err != nil {
			return nil, 0, false, err
		}
		n.ctx.Outer = row
		h, ok, err = n.outerKey.hash(n.ctx)
		return row, h, ok, err
	}
	if n.reader == nil {
		return nil, 0, false, nil
	}
	b, err := n.reader.next()
	if err == io.EOF {
		return nil, 0, false, nil
	}
	if err != nil {
		return nil, 0, false, err
	}
	_, err = decodeRow(b[4:], n.outerBuf)
	return n.outerBuf, binary.LittleEndian.Uint32(b), true, err
}

// probeNext looks at the next candidate of the current outer row.
func (n *hashJoin) probeNext() (types.Row, error) {
	for n.probe >= 0 {
		i := n.probe
		e := &n.table.entries[i]
		n.probe = n.table.next(i)
		if e.hash != n.hash {
			continue
		}
		if err := n.table.decode(i, n.innerRow); err != nil {
			return nil, err
		}
		n.ctx.Outer, n.ctx.Inner = n.row, n.innerRow
		ok, err := passes(n.hashQual, n.ctx)
		if err == nil && ok {
			if ok, err = passes(n.joinQual, n.ctx); !ok {
				n.JoinFilter++
			}
		}
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		e.matched, n.matched = true, true
		outer := n.row
		if n.kind == query.JoinAnti {
			n.row = nil
			return nil, nil
		}
		if n.single {
			n.row = nil
		}
		return n.emit(outer, n.innerRow)
	}
	outer := n.row
	n.row = nil
	if !n.matched && n.fillsOuter() {
		return n.emit(outer, n.nullInner)
	}
	return nil, nil
}

// endOfOuter goes on to the unmatched inner rows, or to the next batch.
func (n *hashJoin) endOfOuter() error {
	if n.fillsInner() {
		n.unmatched = 0
		return nil
	}
	return n.nextBatch()
}

func (n *hashJoin) giveUnmatched() (types.Row, error) {
	for n.unmatched < len(n.table.entries) {
		i := n.unmatched
		n.unmatched++
		if n.table.entries[i].matched {
			continue
		}
		if err := n.table.decode(i, n.innerRow); err != nil {
			return nil, err
		}
		return n.emit(n.nullOuter, n.innerRow)
	}
	n.unmatched = -1
	return nil, n.nextBatch()
}

// nextBatch loads the next batch's inner rows; it may split further.
func (n *hashJoin) nextBatch() error {
	if err := n.s.poll(); err != nil {
		return err
	}
	n.row = nil
	if n.batch+1 >= n.batches {
		n.done = true // the last table stays: a rescan of a join of one batch uses it again
		return nil
	}
	n.batch++
	n.table.clear()
	f := n.files[n.batch]
	if err := n.loadInner(f.inner); err != nil {
		return err
	}
	n.files[n.batch].inner = nil
	// Splitting wrote into other batches' files.
	if err := n.flushFiles(); err != nil {
		return err
	}
	n.reader = nil
	if f.outer != nil {
		n.reader = f.outer.reader(0, 32<<10)
	}
	return nil
}

func (n *hashJoin) loadInner(f *tempFile) error {
	if f == nil {
		return nil
	}
	defer f.close()
	if err := f.flush(); err != nil {
		return err
	}
	r := f.reader(0, 32<<10)
	for {
		b, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := n.addInner(binary.LittleEndian.Uint32(b), b[4:]); err != nil {
			return err
		}
	}
}

// reset empties the table and the files.
func (n *hashJoin) reset() {
	for _, f := range n.files {
		f.inner.close()
		f.outer.close()
	}
	n.table.clear()
	n.batches, n.batch, n.files = 1, 0, make([]batchFiles, 1)
	n.reader, n.row, n.unmatched, n.done, n.built = nil, nil, -1, false, false
}

func (n *hashJoin) Rescan() error {
	if n.built && n.batches == 1 && n.gen == n.s.gen(n.params) {
		n.row, n.unmatched, n.done, n.batch = nil, -1, false, 0
		if n.fillsInner() {
			for i := range n.table.entries {
				n.table.entries[i].matched = false
			}
		}
		return n.outer.Rescan()
	}
	n.reset()
	if err := n.inner.Rescan(); err != nil {
		return err
	}
	return n.outer.Rescan()
}

func (n *hashJoin) Close() {
	n.reset()
	n.outer.Close()
	n.inner.Close()
}
