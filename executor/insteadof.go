package executor

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// insteadOf has a view's INSTEAD OF triggers do what the statement asks for one row, and says whether they did it. The old row comes whole in the input.
func (n *modifyTable) insteadOf(input types.Row) (bool, error) {
	t := n.target
	n.ctx.Sys.TID, n.ctx.Sys.TableOID = types.TID{}, t.Rel.OID
	var old types.Row
	if n.plan.Command != query.CmdInsert {
		d := input[t.rowID]
		if d.IsNull() {
			return false, pgerr.Internal("wholerow is NULL")
		}
		var err error
		if _, old, err = types.RecordFields(n.s.Backend.Env, d, nil); err != nil {
			return false, err
		}
	}
	switch n.plan.Command {
	case query.CmdInsert:
		copy(t.row, input[:len(t.row)])
		return t.triggers.insteadOfRow(n.s, triggerInsert, nil, t.row)
	case query.CmdUpdate:
		copy(t.row, old)
		for i, att := range t.update {
			t.row[att-1] = input[i]
		}
		return t.triggers.insteadOfRow(n.s, triggerUpdate, old, t.row)
	}
	copy(t.row, old)
	return t.triggers.insteadOfRow(n.s, triggerDelete, old, nil)
}
