package executor

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

func init() { register(newMaterial) }

// material keeps its input's rows as they are read, for rescans and for merge joins' mark and restore.
type material struct {
	s      *State
	child  Node
	params plan.ParamSet
	store  *Tuplestore
	reader *Reader
	cols   int
	end    bool // the child has no more
	gen    uint64
	mark   int
}

func newMaterial(s *State, p *plan.Material) (Node, error) {
	n := &material{s: s, params: p.AllParam, cols: len(p.Left.Base().Targets)}
	var err error
	n.child, err = s.build(p.Left)
	return n, err
}

func (n *material) Next() (types.Row, error) {
	if n.store == nil {
		n.store = NewTuplestore(n.cols, n.s.Backend.WorkMem(), n.s.Backend.Temp)
		n.reader = n.store.NewReader()
		n.gen = n.s.gen(n.params)
	}
	if n.reader.Pos() < n.store.Len() {
		return n.reader.Next()
	}
	if n.end {
		return nil, nil
	}
	row, err := n.child.Next()
	if err != nil {
		return nil, err
	}
	if row == nil {
		n.end = true
		return nil, nil
	}
	if err := n.store.Add(row); err != nil {
		return nil, err
	}
	n.reader.Seek(n.store.Len())
	return row, nil
}

// markPos and restorePos serve merge joins: the row given last is given again by the next call after restorePos.
func (n *material) markPos() { n.mark = n.reader.Pos() - 1 }
func (n *material) restorePos() error {
	n.reader.Seek(n.mark)
	return nil
}

func (n *material) Rescan() error {
	if n.store != nil && n.gen == n.s.gen(n.params) {
		n.reader.Seek(0)
		return nil
	}
	n.drop()
	return rescan(n.child)
}

func (n *material) drop() {
	if n.store != nil {
		n.store.Close()
	}
	n.store, n.reader, n.end = nil, nil, false
}

func (n *material) Close() {
	n.drop()
	closeNode(n.child)
}
