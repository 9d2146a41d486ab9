package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newMemoize) }

// memoize keeps the rows that its input gave for each combination of parameter values, so that a nested loop that comes with the same values
// again reads them from memory. When the cache outgrows its memory it starts anew; an input of more rows than fit is passed on uncached.
type memoize struct {
	s     *State
	ctx   *expr.Context
	child Node
	keys  []expr.Eval
	cols  int

	entries map[string]*memoEntry
	used    int64
	gen     uint64 // of parameters other than the keys: another value makes the cache worthless
	others  plan.ParamSet

	key     []byte
	cur     *memoEntry // being read, or being filled
	filling bool
	pos     int
	row     types.Row
	ready   bool
	buf     []byte
}

// memoEntry is the rows of one key. It is complete once the input ended (or gave its only row).
type memoEntry struct {
	rows     [][]byte
	complete bool
}

func newMemoize(s *State, p *plan.Memoize) (Node, error) {
	n := &memoize{s: s, ctx: s.context(), cols: len(p.Left.Base().Targets), entries: map[string]*memoEntry{}, others: plan.ParamSet{}}
	var err error
	if n.child, err = s.build(p.Left); err != nil {
		return nil, err
	}
	c := s.compiler()
	if n.keys, err = c.CompileList(p.Keys); err != nil {
		return nil, err
	}
	keyed := plan.ParamSet{}
	for _, k := range p.Keys {
		plan.EachParam(k, func(id int) { keyed[id] = struct{}{} })
	}
	for id := range p.AllParam {
		if _, ok := keyed[id]; !ok {
			n.others[id] = struct{}{}
		}
	}
	n.row = make(types.Row, n.cols)
	return n, nil
}

// start finds the entry of the present parameter values.
func (n *memoize) start() error {
	n.ready, n.pos = true, 0
	if g := n.s.gen(n.others); g != n.gen {
		n.gen = g
		n.clear()
	}
	n.key = n.key[:0]
	for _, k := range n.keys {
		d, err := k(n.ctx)
		if err != nil {
			return err
		}
		n.key = appendDatum(n.key, d)
	}
	if e := n.entries[string(n.key)]; e != nil && e.complete {
		n.cur, n.filling = e, false
		return nil
	}
	n.cur, n.filling = &memoEntry{}, true
	return n.child.Rescan()
}

func (n *memoize) Next() (types.Row, error) {
	if !n.ready {
		if err := n.start(); err != nil {
			return nil, err
		}
	}
	if !n.filling {
		if n.pos >= len(n.cur.rows) {
			return nil, nil
		}
		n.pos++
		_, err := decodeRow(n.cur.rows[n.pos-1], n.row)
		return n.row, err
	}
	row, err := n.child.Next()
	if err != nil {
		return nil, err
	}
	if row == nil {
		n.finish()
		return nil, nil
	}
	n.keep(row)
	return row, nil
}

// keep adds a row to the entry being filled, unless it has grown too large to be kept.
func (n *memoize) keep(row types.Row) {
	if n.cur == nil {
		return
	}
	n.buf = appendRow(n.buf[:0], row)
	n.used += int64(len(n.buf)) + 48
	if n.used > n.s.Backend.HashMem() {
		n.clear()
		n.cur = nil
		return
	}
	n.cur.rows = append(n.cur.rows, append([]byte(nil), n.buf...))
}

// finish makes the filled entry usable.
func (n *memoize) finish() {
	if n.cur != nil {
		n.cur.complete = true
		n.entries[string(n.key)] = n.cur
		n.used += int64(len(n.key)) + 96
	}
	n.cur, n.filling = &memoEntry{}, false
}

func (n *memoize) clear() {
	clear(n.entries)
	n.used = 0
}

// Rescan leaves the input alone: start restarts it when its rows are not known.
func (n *memoize) Rescan() error {
	n.ready = false
	return nil
}

func (n *memoize) Close() {
	n.clear()
	n.ready = false
	n.child.Close()
}
