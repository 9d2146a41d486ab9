package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// windowCall is one call of a true window function. state is what the function keeps in a partition.
type windowCall struct {
	w       *windowAgg
	number  int
	fn      windowFunc
	args    []expr.Eval
	stable  []bool // the argument is a constant or a parameter
	at      *rowCursor
	counter int64
	buckets ntileState
}

// windowFunc is a window function: eval computes it for the current row, oldest says which is the first row of the partition that it may
// still ask for after that.
type windowFunc struct {
	eval   func(c *windowCall) (types.Datum, error)
	oldest func(c *windowCall) int
}

// windowFuncs are the window functions by the source names of their pg_proc rows.
var windowFuncs = map[string]windowFunc{
	"window_row_number":                   {rowNumber, atCurrent},
	"window_rank":                         {rank, atCurrent},
	"window_dense_rank":                   {denseRank, atCurrent},
	"window_percent_rank":                 {percentRank, atCurrent},
	"window_cume_dist":                    {cumeDist, atCurrent},
	"window_ntile":                        {ntile, atCurrent},
	"window_lag":                          leadLag(-1),
	"window_lag_with_offset":              leadLag(-1),
	"window_lag_with_offset_and_default":  leadLag(-1),
	"window_lead":                         leadLag(1),
	"window_lead_with_offset":             leadLag(1),
	"window_lead_with_offset_and_default": leadLag(1),
	"window_first_value":                  {firstValue, atHead},
	"window_last_value":                   {lastValue, atHead},
	"window_nth_value":                    {nthValue, atHead},
}

func atCurrent(c *windowCall) int { return c.w.frame.current }
func atHead(c *windowCall) int    { return min(c.w.frame.head, c.w.frame.current) }

// arg evaluates an argument for the current row.
func (c *windowCall) arg(i int) (types.Datum, error) {
	c.w.ctx.Outer = c.w.frame.currentRow
	return c.args[i](c.w.ctx)
}

// argAt evaluates the first argument for row number pos of the partition; false when there is no such row.
func (c *windowCall) argAt(pos int) (d types.Datum, ok bool, err error) {
	row, err := c.w.part.row(c.at, pos)
	if row == nil || err != nil {
		return types.Null, false, err
	}
	c.w.ctx.Outer = row
	d, err = c.args[0](c.w.ctx)
	return d, true, err
}

// argInFrame is argAt for a row that must lie in the frame; null when it does not.
func (c *windowCall) argInFrame(pos int) (types.Datum, error) {
	row, err := c.w.part.row(c.at, pos)
	if row == nil || err != nil {
		return types.Null, err
	}
	where, err := c.w.frame.where(pos, row)
	if err != nil || where != inside {
		return types.Null, err
	}
	c.w.ctx.Outer = row
	return c.args[0](c.w.ctx)
}

// newPeerGroup: the current row is the first of its peers.
func (c *windowCall) newPeerGroup() (bool, error) {
	cur := c.w.frame.current
	if cur == 0 {
		return true, nil
	}
	same, err := c.w.frame.rowsArePeers(cur-1, cur)
	return !same, err
}

func rowNumber(c *windowCall) (types.Datum, error) {
	return types.Int8(int64(c.w.frame.current) + 1), nil
}

// updateRank keeps the rank with gaps in counter.
func (c *windowCall) updateRank() error {
	up, err := c.newPeerGroup()
	if up {
		c.counter = int64(c.w.frame.current) + 1
	}
	return err
}

func rank(c *windowCall) (types.Datum, error) {
	err := c.updateRank()
	return types.Int8(c.counter), err
}

func denseRank(c *windowCall) (types.Datum, error) {
	up, err := c.newPeerGroup()
	if up {
		c.counter++
	}
	return types.Int8(c.counter), err
}

func percentRank(c *windowCall) (types.Datum, error) {
	total, err := c.w.part.rows()
	if err == nil {
		err = c.updateRank()
	}
	if err != nil || total <= 1 {
		return types.Float8(0), err
	}
	return types.Float8(float64(c.counter-1) / float64(total-1)), nil
}

// cumeDist keeps in counter the number of rows up to the last peer of the current one.
func cumeDist(c *windowCall) (types.Datum, error) {
	total, err := c.w.part.rows()
	if err != nil {
		return types.Null, err
	}
	up, err := c.newPeerGroup()
	if err != nil {
		return types.Null, err
	}
	if up {
		n := c.w.frame.current + 1
		for ; n < total; n++ {
			same, err := c.w.frame.rowsArePeers(n-1, n)
			if err != nil {
				return types.Null, err
			}
			if !same {
				break
			}
		}
		c.counter = int64(n)
	}
	return types.Float8(float64(c.counter) / float64(total)), nil
}

// ntileState is where ntile stands: which bucket, how many rows it has and may have, and how many leading buckets are one larger.
type ntileState struct{ bucket, rows, size, larger int64 }

func ntile(c *windowCall) (types.Datum, error) {
	b := &c.buckets
	if b.bucket == 0 {
		total, err := c.w.part.rows()
		if err != nil {
			return types.Null, err
		}
		d, err := c.arg(0)
		if err != nil || d.IsNull() {
			return types.Null, err
		}
		n := int64(d.Int4())
		if n <= 0 {
			return types.Null, pgerr.New(pgerr.InvalidArgumentForNtile, "argument of ntile must be greater than zero")
		}
		*b = ntileState{bucket: 1, size: int64(total) / n}
		if b.size == 0 {
			b.size = 1
		} else if b.larger = int64(total) % n; b.larger > 0 {
			b.size++
		}
	}
	if b.rows++; b.rows > b.size {
		if b.larger != 0 && b.bucket == b.larger {
			b.size, b.larger = b.size-1, 0
		}
		b.bucket, b.rows = b.bucket+1, 1
	}
	return types.Int4(int32(b.bucket)), nil
}

// leadLag makes lead (sign 1) and lag (-1).
func leadLag(sign int64) windowFunc {
	eval := func(c *windowCall) (types.Datum, error) {
		offset := int64(1)
		if len(c.args) > 1 {
			d, err := c.arg(1)
			if err != nil || d.IsNull() {
				return types.Null, err
			}
			offset = int64(d.Int4())
		}
		c.counter = sign * offset
		d, ok, err := c.argAt(c.w.frame.current + int(c.counter))
		if err != nil || ok || len(c.args) < 3 {
			return d, err
		}
		return c.arg(2)
	}
	oldest := func(c *windowCall) int {
		if len(c.args) > 1 && !c.stable[1] {
			return 0
		}
		return c.w.frame.current + int(min(c.counter, 0))
	}
	return windowFunc{eval, oldest}
}

func firstValue(c *windowCall) (types.Datum, error) { return c.fromHead(0) }

func nthValue(c *windowCall) (types.Datum, error) {
	d, err := c.arg(1)
	if err != nil || d.IsNull() {
		return types.Null, err
	}
	n := int(d.Int4())
	if n <= 0 {
		return types.Null, pgerr.New(pgerr.InvalidArgumentForNthValue, "argument of nth_value must be greater than zero")
	}
	return c.fromHead(n - 1)
}

// fromHead gives the value of the frame's n-th row, from 0. Rows that EXCLUDE takes out are jumped over.
func (c *windowCall) fromHead(n int) (types.Datum, error) {
	f := c.w.frame
	if err := f.updateHead(); err != nil {
		return types.Null, err
	}
	pos := f.head + n
	if f.usesGroupBounds {
		if err := f.updateGroupTail(); err != nil {
			return types.Null, err
		}
	}
	switch opts := f.opts; {
	case opts&query.FrameExcludeCurrentRow != 0:
		if pos >= f.current && f.current >= f.head {
			pos++
		}
	case f.usesGroupBounds && pos >= f.groupHead && f.groupTail > f.head:
		start := max(f.groupHead, f.head)
		switch {
		case opts&query.FrameExcludeGroup != 0:
			pos += f.groupTail - start
		case pos == start:
			pos = f.current
		default:
			pos += f.groupTail - start - 1
		}
	}
	return c.argInFrame(pos)
}

// lastValue gives the value of the frame's last row.
func lastValue(c *windowCall) (types.Datum, error) {
	f := c.w.frame
	if err := f.updateTail(); err != nil {
		return types.Null, err
	}
	pos := f.tail - 1
	if f.usesGroupBounds {
		if err := f.updateGroupTail(); err != nil {
			return types.Null, err
		}
	}
	switch opts := f.opts; {
	case opts&query.FrameExcludeCurrentRow != 0:
		if pos <= f.current && f.current < f.tail {
			pos--
		}
	case f.usesGroupBounds && pos < f.groupTail && f.groupHead < f.tail:
		end := min(f.groupTail, f.tail)
		switch {
		case opts&query.FrameExcludeGroup != 0:
			pos -= end - f.groupHead
		case pos == end-1:
			pos = f.current
		default:
			pos -= end - 1 - f.groupHead
		}
	}
	if err := f.updateHead(); err != nil {
		return types.Null, err
	}
	if pos < f.head {
		return types.Null, nil
	}
	return c.argInFrame(pos)
}
