package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// BulkInsert adds many rows to a table, for COPY FROM and CREATE TABLE AS: rows are gathered, pages filled and applied one at a time, then the
// index entries added. With row triggers each row goes by itself.
type BulkInsert struct {
	s     *State
	ctx   *expr.Context
	t     *resultRelation
	rows  []types.Row
	tids  []types.TID
	chunk []byte // bytes of the gathered rows' by-reference values
	held  int
	opts  heap.InsertOpts
	count int64
	// loader, when not nil, takes the rows instead: the table's storage is new in this transaction, and nothing but its rows is to be written.
	loader *heap.Loader
	// at is how many rows before the last one added the row is whose entries are being written.
	at int

	route   *bulkRouter // of a partitioned table
	added   int64       // rows that Add was called with
	numbers []int64     // of a partition: which of all rows added the gathered ones are
}

const (
	bulkRowsMax  = 1000
	bulkBytesMax = 64 << 10
)

// NewBulkInsert opens the insertion. The caller brackets it with Backend.After's Begin and End, and calls Finish at the end, or Abort.
func NewBulkInsert(b *Backend, table *Table, opts heap.InsertOpts) (*BulkInsert, error) {
	rte := &query.RTE{Kind: query.RTERelation, RelOID: table.Rel.OID, RelKind: table.Rel.Kind}
	s := &State{Backend: b, Plan: &plan.Planned{Command: query.CmdInsert, RangeTable: []*query.RTE{rte}, ResultRels: []int{1}}}
	s.rels = []*openRelation{{Table: table}}
	t, err := s.newResultRelation(&plan.ModifyTable{Command: query.CmdInsert, ResultRels: []int{1}}, 0)
	if err != nil {
		return nil, err
	}
	ins := &BulkInsert{s: s, ctx: s.context(), t: t, opts: opts, tids: make([]types.TID, bulkRowsMax)}
	if table.Rel.Kind == 'p' {
		r, err := newRouter(s, t, nil)
		if err != nil {
			return nil, err
		}
		ins.route = &bulkRouter{router: r, parts: map[*routedLeaf]*BulkInsert{}}
	}
	return ins, nil
}

// Columns names the columns that the caller gives values for.
func (b *BulkInsert) Columns(nums []int16) {
	set := map[int]bool{}
	for _, n := range nums {
		set[int(n)] = true
	}
	b.s.Plan.RangeTable[0].InsertedCols = set
}

// LoadPrivately makes the rows go past the pool and the log, when the table has neither indexes nor triggers that see its rows. Its storage is new
// in this transaction. The caller ends with Finish, or with Abort.
func (b *BulkInsert) LoadPrivately() (err error) {
	if b.route != nil || len(b.t.Indexes) > 0 || b.t.triggers.kinds&TriggerInsert != 0 {
		return nil
	}
	b.loader, err = b.t.Heap.NewLoader(b.s.Backend.Heap, b.opts)
	return err
}

// Finish writes what is left.
func (b *BulkInsert) Finish() error {
	if b.loader != nil {
		return b.loader.Finish()
	}
	if b.route != nil {
		return b.flushParts()
	}
	return b.Flush()
}

// Abort ends an insertion that failed.
func (b *BulkInsert) Abort() {
	if b.loader != nil {
		b.loader.Abort()
	}
}

// Context is the evaluation context that expressions of the caller (column defaults) may use.
func (b *BulkInsert) Context() *expr.Context { return b.ctx }

// Compiler makes expressions of the caller.
func (b *BulkInsert) Compiler() *expr.Compiler { return b.s.compiler() }

// BeforeStatement fires the BEFORE INSERT triggers of the statement.
func (b *BulkInsert) BeforeStatement() error {
	return b.t.triggers.beforeStatement(b.s, query.CmdInsert, b.t)
}

// AfterStatement queues the AFTER INSERT triggers of the statement.
func (b *BulkInsert) AfterStatement() error {
	return b.t.triggers.afterStatement(b.s, query.CmdInsert, b.t)
}

// Count is the number of rows that were added.
func (b *BulkInsert) Count() int64 { return b.count }

// Add takes a copy of a row of all columns, checks it, and writes it with the next flush.
func (b *BulkInsert) Add(row types.Row) error {
	if b.added++; b.route != nil {
		return b.routeRow(row)
	}
	t := b.t
	copy(t.row, row)
	if b.t.triggers.hasBefore(triggerInsert) {
		return b.addOne()
	}
	if err := t.complete(b.ctx); err != nil {
		return err
	}
	if b.loader != nil {
		return b.load()
	}
	kept := make(types.Row, len(t.row))
	for i, d := range t.row {
		kept[i] = b.keep(d)
	}
	b.rows = append(b.rows, kept)
	b.count++
	if len(b.rows) >= bulkRowsMax || b.held >= bulkBytesMax {
		return b.Flush()
	}
	return nil
}

// load gives the row to the loader.
func (b *BulkInsert) load() error {
	if b.count++; b.count%pollEvery == 0 {
		if err := b.s.poll(); err != nil {
			return err
		}
	}
	return b.loader.Add(b.t.row)
}

// keep copies a value's bytes into the chunk.
func (b *BulkInsert) keep(d types.Datum) types.Datum {
	if !d.IsByRef() {
		return d
	}
	v := d.Bytes()
	b.held += len(v)
	if cap(b.chunk)-len(b.chunk) < len(v) {
		b.chunk = make([]byte, 0, max(bulkBytesMax, len(v)))
	}
	at := len(b.chunk)
	b.chunk = append(b.chunk, v...)
	return types.Bytes(b.chunk[at:len(b.chunk):len(b.chunk)])
}

// addOne inserts a row whose BEFORE triggers may change or drop it.
func (b *BulkInsert) addOne() error {
	t := b.t
	ok, err := t.triggers.beforeRow(b.s, triggerInsert, t, nil, t.row)
	if err != nil || !ok {
		return err
	}
	if err := t.complete(b.ctx); err != nil {
		return err
	}
	b.count++
	_, err = b.s.insertRow(b.ctx, t, nil)
	return err
}

// Flush writes what was gathered.
func (b *BulkInsert) Flush() error {
	if len(b.rows) == 0 {
		return nil
	}
	if err := b.s.poll(); err != nil {
		return err
	}
	tids := b.tids[:len(b.rows)]
	if err := b.t.Heap.MultiInsert(b.s.Backend.Heap, b.rows, tids, b.opts); err != nil {
		return err
	}
	for i, row := range b.rows {
		b.at = len(b.rows) - 1 - i
		if _, err := b.t.indexes.insert(b.ctx, row, tids[i], entryOptions{}); err != nil {
			return err
		}
		if err := b.t.triggers.afterRow(b.s, triggerInsert, b.t, types.TID{}, tids[i]); err != nil {
			return err
		}
	}
	b.rows, b.chunk, b.held, b.at = b.rows[:0], b.chunk[:0], 0, 0
	return nil
}

// Behind says how many rows before the last one added the error that Flush or Add gave is about.
func (b *BulkInsert) Behind() int { return b.at }
