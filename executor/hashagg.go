package executor

import (
	"encoding/binary"
	"io"

	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// hashAgg groups by a hash table. When it outgrows its memory no new groups are made: rows of groups that are not in the table go to
// partition files by hash code, and each file is aggregated later as an input of its own, as PostgreSQL's hash aggregation does.
type hashAgg struct {
	aggCore
	keys   *rowHash
	same   *rowEquality
	params plan.ParamSet

	table  hashTable
	groups []aggState // len(aggs) states per group, by entry number
	limit  int64
	perKey int64
	width  int // columns of the input

	pending []spillPart // partitions still to do
	spill   []*tempFile // of the pass being read, nil = nothing spilled
	shift   uint        // which bits of the hash code choose the partition

	filled bool
	give   int // next group to give
	gen    uint64
	row    types.Row
	buf    []byte
}

type spillPart struct {
	file  *tempFile
	shift uint
}

const (
	spillFan     = 32 // partitions a pass
	spillFanBits = 5
	aggStateSize = 64 // what one state is charged in bytes, besides what it refers to
)

func newHashAgg(core aggCore, p *plan.Agg, targets []*query.TargetEntry) (Node, error) {
	n := &hashAgg{aggCore: core, params: p.AllParam, width: len(targets), row: make(types.Row, len(targets))}
	n.perKey = int64(aggStateSize * (len(core.aggs) + 1))
	var err error
	if n.keys, err = newRowHash(core.s, p.Keys, targets); err != nil {
		return nil, err
	}
	n.same, err = newRowEquality(core.s, p.Keys, targets)
	return n, err
}

func (n *hashAgg) Next() (types.Row, error) {
	if !n.filled {
		if err := n.fill(); err != nil {
			return nil, err
		}
	}
	for {
		for n.give < len(n.table.entries) {
			i := n.give
			n.give++
			if err := n.table.decode(i, n.row); err != nil {
				return nil, err
			}
			row, err := n.emit(n.row, n.statesOf(i))
			if row != nil || err != nil {
				return row, err
			}
		}
		if len(n.pending) == 0 {
			return nil, nil
		}
		if err := n.fillFromSpill(); err != nil {
			return nil, err
		}
	}
}

func (n *hashAgg) statesOf(i int) []aggState {
	k := len(n.aggs)
	return n.groups[i*k : (i+1)*k]
}

// fill reads the whole input.
func (n *hashAgg) fill() error {
	n.begin(n.s.Backend.HashMem())
	for {
		row, err := n.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
		if err := n.add(row, n.keys.hash(row)); err != nil {
			return err
		}
	}
	return n.endFill()
}

// begin starts with an empty table; endFill ends the input.
func (n *hashAgg) begin(memory int64) {
	n.reset()
	n.limit = memory
	n.gen = n.s.gen(n.params)
}

func (n *hashAgg) endFill() error {
	n.filled = true
	return n.endPass()
}

// add aggregates a row into its group, or spills it.
func (n *hashAgg) add(row types.Row, h uint32) error {
	i, err := n.find(row, h)
	if err != nil {
		return err
	}
	if i < 0 {
		if n.table.used+int64(len(n.table.entries))*n.perKey > n.limit && len(n.table.entries) > 0 && n.shift < 32 {
			return n.spillRow(row, h)
		}
		n.buf = appendRow(n.buf[:0], row)
		i = n.table.insert(h, n.buf)
		for range n.aggs {
			n.groups = append(n.groups, aggState{})
		}
		n.startAll(n.statesOf(i))
	}
	n.ctx.Outer = row
	return n.advanceAll(n.statesOf(i))
}

// find gives the row's group, -1 when there is none yet.
func (n *hashAgg) find(row types.Row, h uint32) (int, error) {
	for i := n.table.first(h); i >= 0; i = n.table.next(i) {
		if n.table.entries[i].hash != h {
			continue
		}
		if err := n.table.decode(i, n.row); err != nil {
			return -1, err
		}
		same, err := n.same.equal(n.ctx, n.row, row)
		if err != nil {
			return -1, err
		}
		if same {
			return i, nil
		}
	}
	return -1, nil
}

func (n *hashAgg) spillRow(row types.Row, h uint32) error {
	if n.spill == nil {
		n.spill = make([]*tempFile, spillFan)
	}
	f := &n.spill[h>>n.shift&(spillFan-1)]
	if *f == nil {
		var err error
		if *f, err = n.s.Backend.Temp.create(); err != nil {
			return err
		}
	}
	n.buf = binary.LittleEndian.AppendUint32(n.buf[:0], h)
	n.buf = appendRow(n.buf, row)
	return (*f).writeRecord(n.buf)
}

// endPass queues the partitions that the pass spilled.
func (n *hashAgg) endPass() error {
	for _, f := range n.spill {
		if f == nil {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
		n.pending = append(n.pending, spillPart{f, n.shift + spillFanBits})
	}
	n.spill = nil
	return nil
}

// fillFromSpill aggregates the next partition.
func (n *hashAgg) fillFromSpill() error {
	part := n.pending[len(n.pending)-1]
	n.pending = n.pending[:len(n.pending)-1]
	defer part.file.close()
	n.table.clear()
	n.groups, n.give, n.shift = n.groups[:0], 0, part.shift
	r := part.file.reader(0, 32<<10)
	row := make(types.Row, n.width)
	for {
		b, err := r.next()
		if err == io.EOF {
			return n.endPass()
		}
		if err != nil {
			return err
		}
		if _, err := decodeRow(b[4:], row); err != nil {
			return err
		}
		if err := n.add(row, binary.LittleEndian.Uint32(b)); err != nil {
			return err
		}
	}
}

func (n *hashAgg) reset() {
	for i := range n.groups {
		n.groups[i].drop()
	}
	for _, f := range n.spill {
		f.close()
	}
	for _, p := range n.pending {
		p.file.close()
	}
	n.table.clear()
	n.groups, n.spill, n.pending, n.give, n.shift, n.filled = nil, nil, nil, 0, 0, false
}

func (n *hashAgg) Rescan() error {
	if n.filled && n.shift == 0 && n.gen == n.s.gen(n.params) && !n.hasSorters() {
		n.give = 0
		return nil
	}
	n.reset()
	return rescan(n.child)
}

// hasSorters: an aggregate with ORDER BY or DISTINCT inside gives its rows up when it is finished.
func (n *hashAgg) hasSorters() bool {
	for _, a := range n.aggs {
		if a != nil && a.sortKeys != nil {
			return true
		}
	}
	return false
}

func (n *hashAgg) Close() {
	n.reset()
	closeNode(n.child)
}
