package executor

import (
	"math"

	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/types"
)

// windowPartition holds the rows of the partition that a WindowAgg works on, read from its input as far as they were asked for.
type windowPartition struct {
	s     *State
	ctx   *expr.Context
	child Node
	same  *rowEquality // of the PARTITION BY columns; nil = all rows are one partition

	store    *Tuplestore
	cursors  []*rowCursor
	first    types.Row // a row of the partition, to compare with
	ahead    types.Row // first row of the next partition, nil = none was read
	complete bool      // the whole partition is in the store
	ended    bool      // the input has ended
}

// rowCursor reads rows of a partition by number. The row that it gave stays valid until it is asked for another one.
type rowCursor struct {
	reader *Reader
	at     int // number of the row in row, -1 = none
	row    types.Row
}

func (p *windowPartition) newCursor() *rowCursor {
	c := &rowCursor{reader: p.store.NewReader(), at: -1}
	p.cursors = append(p.cursors, c)
	return c
}

// begin starts the next partition; false when there is none.
func (p *windowPartition) begin() (bool, error) {
	p.store.Clear()
	for _, c := range p.cursors {
		c.at = -1
		c.reader.Reset()
	}
	p.complete = false
	row := p.ahead
	if row == nil && !p.ended {
		var err error
		if row, err = p.child.Next(); err != nil {
			return false, err
		}
	}
	p.ahead = nil
	if row == nil {
		p.ended, p.complete = true, true
		return false, nil
	}
	if p.same != nil {
		p.first = copyRow(p.first, row)
	}
	return true, p.store.Add(row)
}

// spool reads input until row number pos is in the store or the partition ends. Once rows went to a file it reads the whole partition, so
// that reading and writing do not alternate.
func (p *windowPartition) spool(pos int) error {
	if p.store.Spilled() {
		pos = math.MaxInt
	}
	for !p.complete && p.store.Len() <= pos {
		row, err := p.child.Next()
		if err != nil {
			return err
		}
		if row == nil {
			p.complete, p.ended = true, true
			return nil
		}
		if p.same != nil {
			same, err := p.same.equal(p.ctx, p.first, row)
			if err != nil {
				return err
			}
			if !same {
				p.ahead, p.complete = copyRow(nil, row), true
				return nil
			}
		}
		if err := p.store.Add(row); err != nil {
			return err
		}
		if p.store.Spilled() {
			pos = math.MaxInt
		}
	}
	return nil
}

// rows counts the whole partition.
func (p *windowPartition) rows() (int, error) {
	err := p.spool(math.MaxInt)
	return p.store.Len(), err
}

// row gives row number pos through a cursor, nil when the partition has no such row.
func (p *windowPartition) row(c *rowCursor, pos int) (types.Row, error) {
	if pos < 0 {
		return nil, nil
	}
	if c.at == pos {
		return c.row, nil
	}
	if err := p.spool(pos); err != nil || pos >= p.store.Len() {
		return nil, err
	}
	c.reader.Seek(pos)
	var err error
	if c.row, err = c.reader.Next(); err != nil {
		return nil, err
	}
	c.at = pos
	return c.row, p.s.poll()
}

func (p *windowPartition) reset() {
	p.store.Clear()
	p.ahead, p.complete, p.ended = nil, false, false
}
