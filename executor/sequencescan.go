package executor

import (
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// sequenceScan gives the one row of a sequence read as a table: its state is a small key, not a heap.
type sequenceScan struct {
	scanCore
	s     *State
	table *openRelation
	done  bool
}

func newSequenceScan(s *State, p *plan.SeqScan, table *openRelation) (Node, error) {
	n := &sequenceScan{s: s, table: table}
	var err error
	n.scanCore, err = newScanCore(s, &p.Plan, len(table.Rel.Desc.Attrs))
	n.ctx.Sys.TableOID = table.Rel.OID
	n.ctx.Sys.TID = types.TID{Off: 1}
	return n, err
}

func (n *sequenceScan) Next() (types.Row, error) {
	return n.scanLoop(n.s, func() (types.Row, error) {
		if n.done {
			return nil, nil
		}
		n.done = true
		st, err := n.s.Backend.Catalog.ReadSequence(n.table.Rel)
		return types.Row{types.Int8(st.Last), types.Int8(st.Logged), types.Bool(st.Called)}, err
	})
}

func (n *sequenceScan) Rescan() error {
	n.done = false
	return nil
}

func (n *sequenceScan) Close() {}
