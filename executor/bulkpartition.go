package executor

import (
	"github.com/calfdb/calf/sql/types"
)

// bulkRouter spreads the rows of a BulkInsert over the partitions of its table. Each partition gathers its own rows; all are written when there are
// as many together as a table's may be.
type bulkRouter struct {
	router *router
	parts  map[*routedLeaf]*BulkInsert
	order  []*BulkInsert // by first use
	held   int
}

// routeRow gives a row to its partition.
func (b *BulkInsert) routeRow(row types.Row) error {
	l, err := b.route.router.find(row)
	if err != nil {
		return err
	}
	p := b.route.parts[l]
	if p == nil {
		p = &BulkInsert{s: b.s, ctx: b.ctx, t: l.resultRelation, opts: b.opts, tids: make([]types.TID, bulkRowsMax)}
		b.route.parts[l] = p
		b.route.order = append(b.route.order, p)
	}
	before := p.count
	rows := len(p.rows)
	if err := p.Add(copyRow(nil, l.row)); err != nil {
		return err
	}
	b.count += p.count - before
	switch {
	case len(p.rows) > rows:
		p.numbers = append(p.numbers, b.added)
		b.route.held++
	case len(p.rows) == 0:
		p.numbers = p.numbers[:0]
	}
	if b.route.held >= bulkRowsMax {
		return b.flushParts()
	}
	return nil
}

// flushParts writes what all partitions have gathered.
func (b *BulkInsert) flushParts() error {
	for _, p := range b.route.order {
		if err := p.Flush(); err != nil {
			if i := len(p.rows) - 1 - p.at; i >= 0 && i < len(p.numbers) {
				b.at = int(b.added - p.numbers[i])
			}
			return err
		}
		p.numbers = p.numbers[:0]
	}
	b.route.held = 0
	return nil
}
