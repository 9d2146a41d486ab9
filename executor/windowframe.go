package executor

import (
	"math"

	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// windowFrame knows which rows of the partition belong to the current row's frame: rows head ... tail-1, less those that EXCLUDE takes out.
// Both ends are found when they are first asked for, and only ever move forward as the current row does.
type windowFrame struct {
	part    *windowPartition
	ctx     *expr.Context
	opts    int
	peers   *rowEquality // of the ORDER BY columns; nil = all rows are peers
	sortCol int          // 0-based column of RANGE with offset

	startExpr, endExpr expr.Eval
	start, end         types.Datum // offsets, computed at the first row
	startIn, endIn     inRange
	asc, nullsFirst    bool

	current    int
	currentRow types.Row
	group      int64 // number of the current peer group, in GROUPS mode and with EXCLUDE GROUP or TIES
	groupHead  int

	head, tail, groupTail        int
	headGroup, tailGroup         int64
	headOK, tailOK, groupTailOK  bool
	headAt, tailAt, groupAt      *rowCursor
	peerA, peerB                 *rowCursor
	previous                     types.Row
	trackGroups, usesGroupBounds bool
}

// inRange is an in_range support function bound to its frame.
type inRange func(ctx *expr.Context, val, base, offset types.Datum, sub, less bool) (bool, error)

const (
	frameStartOffset = query.FrameStartOffsetPreceding | query.FrameStartOffsetFollowing
	frameEndOffset   = query.FrameEndOffsetPreceding | query.FrameEndOffsetFollowing
	frameExclusion   = query.FrameExcludeCurrentRow | query.FrameExcludeGroup | query.FrameExcludeTies
)

func newWindowFrame(s *State, p *plan.WindowAgg, part *windowPartition) (*windowFrame, error) {
	f := &windowFrame{part: part, ctx: s.context(), opts: p.FrameOptions, asc: p.InRangeAsc, nullsFirst: p.InRangeNullsFirst}
	f.usesGroupBounds = f.opts&(query.FrameExcludeGroup|query.FrameExcludeTies) != 0
	f.trackGroups = f.usesGroupBounds || f.opts&query.FrameGroups != 0
	targets := p.Left.Base().Targets
	c := s.compiler()
	var err error
	if len(p.Order) > 0 {
		f.sortCol = p.Order[0].Col - 1
		if f.peers, err = newRowEquality(s, p.Order, targets); err != nil {
			return nil, err
		}
	}
	bound := func(e query.Expr, fn types.OID) (expr.Eval, inRange, error) {
		if e == nil {
			return nil, nil, nil
		}
		eval, err := c.Compile(e)
		if err != nil || fn == 0 {
			return eval, nil, err
		}
		in, err := newInRange(c, fn, targets[f.sortCol].Expr.Type(), e.Type(), p.InRangeColl)
		return eval, in, err
	}
	if f.startExpr, f.startIn, err = bound(p.StartOffset, p.StartInRangeFunc); err != nil {
		return nil, err
	}
	if f.endExpr, f.endIn, err = bound(p.EndOffset, p.EndInRangeFunc); err != nil {
		return nil, err
	}
	f.headAt, f.tailAt, f.groupAt = part.newCursor(), part.newCursor(), part.newCursor()
	f.peerA, f.peerB = part.newCursor(), part.newCursor()
	return f, nil
}

func newInRange(c *expr.Compiler, fn, key, offset, coll types.OID) (inRange, error) {
	call := &types.Call{Args: make([]types.Datum, 5), ArgTypes: []types.OID{key, key, offset, types.BoolOID, types.BoolOID}, RetType: types.BoolOID, Collation: coll}
	f, _, err := c.Function(fn, call)
	if err != nil {
		return nil, err
	}
	return func(ctx *expr.Context, val, base, offset types.Datum, sub, less bool) (bool, error) {
		call.Args[0], call.Args[1], call.Args[2], call.Args[3], call.Args[4] = val, base, offset, types.Bool(sub), types.Bool(less)
		call.Env, call.Arena, call.Ctx = ctx.Env, ctx.Arena, ctx.Session
		d, err := f(call)
		return err == nil && d.Bool(), err
	}, nil
}

// offsets computes the frame's offsets, once for a scan.
func (f *windowFrame) offsets() error {
	one := func(eval expr.Eval, which string) (types.Datum, error) {
		if eval == nil {
			return types.Null, nil
		}
		d, err := eval(f.ctx)
		if err != nil {
			return d, err
		}
		if d.IsNull() {
			return d, pgerr.New(pgerr.NullValueNotAllowed, "frame %s offset must not be null", which)
		}
		if f.opts&(query.FrameRows|query.FrameGroups) != 0 && d.Int8() < 0 {
			return d, pgerr.New(pgerr.InvalidPrecedingOrFollowingSize, "frame %s offset must not be negative", which)
		}
		return d.Clone(), nil
	}
	var err error
	if f.start, err = one(f.startExpr, "starting"); err == nil {
		f.end, err = one(f.endExpr, "ending")
	}
	return err
}

func (f *windowFrame) beginPartition() {
	f.current, f.currentRow, f.group, f.groupHead = 0, nil, 0, 0
	f.head, f.tail, f.groupTail, f.headGroup, f.tailGroup = 0, 0, 0, 0, 0
	f.headOK, f.tailOK, f.groupTailOK = false, false, false
}

// moveTo makes row number pos the current one.
func (f *windowFrame) moveTo(pos int, row types.Row) error {
	f.current, f.currentRow, f.headOK, f.tailOK = pos, row, false, false
	if !f.trackGroups {
		return nil
	}
	if pos > 0 {
		same, err := f.arePeers(f.previous, row)
		if err != nil {
			return err
		}
		if !same {
			f.group++
			f.groupHead, f.groupTailOK = pos, false
		}
	}
	f.previous = copyRow(f.previous, row)
	return nil
}

func (f *windowFrame) arePeers(a, b types.Row) (bool, error) {
	if f.peers == nil {
		return true, nil
	}
	return f.peers.equal(f.ctx, a, b)
}

// rowsArePeers compares two rows by number.
func (f *windowFrame) rowsArePeers(a, b int) (bool, error) {
	if f.peers == nil {
		return true, nil
	}
	x, err := f.part.row(f.peerA, a)
	if err != nil {
		return false, err
	}
	y, err := f.part.row(f.peerB, b)
	if err != nil {
		return false, err
	}
	if x == nil || y == nil {
		return false, pgerr.Internal("specified position is out of window")
	}
	return f.peers.equal(f.ctx, x, y)
}

// forward moves pos on to the first row that stop accepts, or behind the last row.
func (f *windowFrame) forward(pos *int, at *rowCursor, stop func(row types.Row) (bool, error)) error {
	for {
		row, err := f.part.row(at, *pos)
		if row == nil || err != nil {
			return err
		}
		if ok, err := stop(row); ok || err != nil {
			return err
		}
		*pos++
	}
}

// toGroup moves pos on to the first row of peer group number min or later; group is the number of the one that pos is in.
func (f *windowFrame) toGroup(pos *int, group *int64, at *rowCursor, min int64) error {
	first := true
	return f.forward(pos, at, func(types.Row) (bool, error) {
		if !first {
			same, err := f.rowsArePeers(*pos-1, *pos)
			if err != nil {
				return false, err
			}
			if !same {
				*group++
			}
		}
		first = false
		return *group >= min, nil
	})
}

// addOffset is a + b with an overflow counted as beyond the end.
func addOffset(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// updateHead finds the first row of the frame.
func (f *windowFrame) updateHead() error {
	if f.headOK {
		return nil
	}
	f.headOK = true
	switch opts := f.opts; {
	case opts&query.FrameStartUnboundedPreced != 0:
		f.head = 0
	case opts&query.FrameStartCurrentRow != 0 && opts&query.FrameRows != 0:
		f.head = f.current
	case opts&query.FrameStartCurrentRow != 0:
		if f.peers == nil {
			f.head = 0
			return nil
		}
		return f.forward(&f.head, f.headAt, func(row types.Row) (bool, error) { return f.arePeers(row, f.currentRow) })
	case opts&query.FrameRows != 0:
		return f.headByRows()
	case opts&query.FrameRange != 0:
		return f.headByRange()
	default:
		offset := f.start.Int8()
		if opts&query.FrameStartOffsetPreceding != 0 {
			offset = -offset
		}
		return f.toGroup(&f.head, &f.headGroup, f.headAt, addOffset(f.group, offset))
	}
	return nil
}

func (f *windowFrame) headByRows() error {
	offset := f.start.Int8()
	if f.opts&query.FrameStartOffsetPreceding != 0 {
		offset = -offset
	}
	head := max(addOffset(int64(f.current), offset), 0)
	if head > int64(f.current)+1 { // not past the end of the partition
		if err := f.part.spool(int(head - 1)); err != nil {
			return err
		}
		head = min(head, int64(f.part.store.Len()))
	}
	f.head = int(head)
	return nil
}

// headByRange finds the first row whose sort column is not before the current row's, moved by the offset. Nulls are by themselves.
func (f *windowFrame) headByRange() error {
	sub := (f.opts&query.FrameStartOffsetPreceding != 0) == f.asc
	cur := f.currentRow[f.sortCol]
	return f.forward(&f.head, f.headAt, func(row types.Row) (bool, error) {
		val := row[f.sortCol]
		switch {
		case !val.IsNull() && !cur.IsNull():
			return f.startIn(f.ctx, val, cur, f.start, sub, !f.asc)
		case f.nullsFirst:
			return !val.IsNull() || cur.IsNull(), nil
		}
		return val.IsNull() || !cur.IsNull(), nil
	})
}

// updateTail finds the row after the frame's last.
func (f *windowFrame) updateTail() error {
	if f.tailOK {
		return nil
	}
	f.tailOK = true
	switch opts := f.opts; {
	case opts&query.FrameEndUnboundedFollow != 0:
		return f.tailAtEnd()
	case opts&query.FrameEndCurrentRow != 0 && opts&query.FrameRows != 0:
		f.tail = f.current + 1
	case opts&query.FrameEndCurrentRow != 0:
		if f.peers == nil {
			return f.tailAtEnd()
		}
		return f.forward(&f.tail, f.tailAt, func(row types.Row) (bool, error) {
			if f.tail <= f.current {
				return false, nil
			}
			same, err := f.arePeers(row, f.currentRow)
			return !same, err
		})
	case opts&query.FrameRows != 0:
		return f.tailByRows()
	case opts&query.FrameRange != 0:
		return f.tailByRange()
	default:
		offset := f.end.Int8()
		if opts&query.FrameEndOffsetPreceding != 0 {
			offset = -offset
		}
		return f.toGroup(&f.tail, &f.tailGroup, f.tailAt, addOffset(addOffset(f.group, offset), 1))
	}
	return nil
}

func (f *windowFrame) tailAtEnd() error {
	n, err := f.part.rows()
	f.tail = n
	return err
}

func (f *windowFrame) tailByRows() error {
	offset := f.end.Int8()
	if f.opts&query.FrameEndOffsetPreceding != 0 {
		offset = -offset
	}
	tail := max(addOffset(addOffset(int64(f.current), offset), 1), 0)
	if tail > int64(f.current)+1 {
		if err := f.part.spool(int(tail - 1)); err != nil {
			return err
		}
		tail = min(tail, int64(f.part.store.Len()))
	}
	f.tail = int(tail)
	return nil
}

func (f *windowFrame) tailByRange() error {
	sub := (f.opts&query.FrameEndOffsetPreceding != 0) == f.asc
	cur := f.currentRow[f.sortCol]
	return f.forward(&f.tail, f.tailAt, func(row types.Row) (bool, error) {
		val := row[f.sortCol]
		switch {
		case !val.IsNull() && !cur.IsNull():
			ok, err := f.endIn(f.ctx, val, cur, f.end, sub, f.asc)
			return !ok, err
		case f.nullsFirst:
			return !val.IsNull(), nil
		}
		return !cur.IsNull(), nil
	})
}

// updateGroupTail finds the row after the current row's peer group.
func (f *windowFrame) updateGroupTail() error {
	if f.groupTailOK {
		return nil
	}
	f.groupTailOK = true
	if f.peers == nil {
		n, err := f.part.rows()
		f.groupTail = n
		return err
	}
	return f.forward(&f.groupTail, f.groupAt, func(row types.Row) (bool, error) {
		if f.groupTail <= f.current {
			return false, nil
		}
		same, err := f.arePeers(row, f.currentRow)
		return !same, err
	})
}

// place is where a row stands towards the frame.
type place int8

const (
	outside place = iota // before it, or excluded
	inside
	beyond // after it: so are all rows that follow
)

// where says whether row number pos is in the frame, without reading further ahead than the answer needs.
func (f *windowFrame) where(pos int, row types.Row) (place, error) {
	if err := f.updateHead(); err != nil {
		return outside, err
	}
	if pos < f.head {
		return outside, nil
	}
	if past, err := f.pastTail(pos, row); past || err != nil {
		return beyond, err
	}
	switch opts := f.opts; {
	case opts&query.FrameExcludeCurrentRow != 0:
		if pos == f.current {
			return outside, nil
		}
	case opts&query.FrameExcludeGroup != 0, opts&query.FrameExcludeTies != 0 && pos != f.current:
		if f.peers == nil {
			return outside, nil
		}
		if pos >= f.groupHead {
			if err := f.updateGroupTail(); err != nil {
				return outside, err
			}
			if pos < f.groupTail {
				return outside, nil
			}
		}
	}
	return inside, nil
}

func (f *windowFrame) pastTail(pos int, row types.Row) (bool, error) {
	switch opts := f.opts; {
	case opts&query.FrameEndCurrentRow != 0 && opts&query.FrameRows != 0:
		return pos > f.current, nil
	case opts&query.FrameEndCurrentRow != 0:
		if pos <= f.current {
			return false, nil
		}
		same, err := f.arePeers(row, f.currentRow)
		return !same, err
	case opts&frameEndOffset != 0 && opts&query.FrameRows != 0:
		offset := f.end.Int8()
		if opts&query.FrameEndOffsetPreceding != 0 {
			offset = -offset
		}
		return int64(pos) > addOffset(int64(f.current), offset), nil
	case opts&frameEndOffset != 0:
		err := f.updateTail()
		return pos >= f.tail, err
	}
	return false, nil
}

// tracked says which ends of the frame are found by reading rows forward from where they were.
func (f *windowFrame) tracked() (head, tail, group bool) {
	if f.peers == nil {
		return false, false, false
	}
	return f.opts&(query.FrameStartUnboundedPreced|query.FrameRows) == 0, f.opts&(query.FrameEndUnboundedFollow|query.FrameRows) == 0, f.usesGroupBounds
}

// oldest is the first row that the frame may still ask for. The ends are brought up to date first: one that nobody asks for would hold on
// to its rows.
func (f *windowFrame) oldest() (int, error) {
	low := f.current - 1
	head, tail, group := f.tracked()
	var err error
	if head {
		err = f.updateHead()
		low = min(low, f.head-1)
	}
	if tail && err == nil {
		err = f.updateTail()
		low = min(low, f.tail-1)
	}
	if group && err == nil {
		err = f.updateGroupTail()
		low = min(low, f.groupTail-1)
	}
	return low, err
}
