package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/types"
)

// place finds where the row of the direct arguments would stand among the rows of a hypothetical-set aggregate, in the order of WITHIN GROUP.
func (a *aggregate) place(ctx *expr.Context, st *aggState) (*types.HypotheticalPlace, error) {
	p := &types.HypotheticalPlace{}
	if st.sorter == nil {
		return p, nil
	}
	defer st.drop()
	row := make(types.Row, len(a.direct))
	for i, eval := range a.direct {
		var err error
		if row[i], err = eval(ctx); err != nil {
			return nil, err
		}
	}
	row = row[len(row)-a.nargs:] // the last ones stand for the aggregated columns
	if err := st.sorter.sort(); err != nil {
		return nil, err
	}
	var last types.Row
	for {
		next, err := st.sorter.get()
		if next == nil || err != nil {
			return p, err
		}
		p.Total++
		switch c := compareRows(a.sortKeys, next, row); {
		case c == 0:
			p.Equal++
		case c < 0:
			p.Before++
			if last == nil || compareRows(a.sortKeys, last, next) != 0 {
				p.DistinctBefore++
				last = copyRow(last, next)
			}
		}
	}
}

func compareRows(keys []sortKey, a, b types.Row) int {
	for i := range keys {
		if c := keys[i].compare(a[keys[i].col], b[keys[i].col]); c != 0 {
			return c
		}
	}
	return 0
}
