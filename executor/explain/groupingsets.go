package explain

import "github.com/calfdb/calf/sql/plan"

// groupingSets lists the sets of an Agg, those of each further sort under its key.
func (x *nodePrinter) groupingSets(n *plan.Agg, prefix bool) error {
	x.out.openGroup("Grouping Sets", "Grouping Sets", false)
	if err := x.rollup(n, nil, prefix); err != nil {
		return err
	}
	for _, a := range n.Chain {
		sort, _ := a.Left.(*plan.Sort)
		if err := x.rollup(a, sort, prefix); err != nil {
			return err
		}
	}
	x.out.closeGroup("Grouping Sets", "Grouping Sets", false)
	return nil
}

// rollup lists the sets of one rollup; sort is the sort of a chained one, nil = none.
func (x *nodePrinter) rollup(a *plan.Agg, sort *plan.Sort, prefix bool) error {
	key := "Group Key"
	if a.Strategy == plan.AggHashed || a.Strategy == plan.AggMixed {
		key = "Hash Key"
	}
	x.out.openGroup("Grouping Set", "", true)
	t, isText := x.out.(*textEmitter)
	if sort != nil {
		if err := x.chainSortKeys(sort, prefix); err != nil {
			return err
		}
		if isText {
			t.indent++
		}
	}
	x.out.openGroup(key+"s", key+"s", false)
	for _, set := range a.GroupingSets {
		var list []string
		for _, i := range set {
			s, err := x.inputColumn(a.Keys[i].Col, prefix)
			if err != nil {
				return err
			}
			list = append(list, s)
		}
		if len(list) == 0 && isText {
			x.out.text(key, "()")
		} else {
			x.out.list(key, list)
		}
	}
	x.out.closeGroup(key+"s", key+"s", false)
	if sort != nil && isText {
		t.indent--
	}
	x.out.closeGroup("Grouping Set", "", true)
	return nil
}

// chainSortKeys prints the order of a chained rollup: its columns are those of the Agg's input.
func (x *nodePrinter) chainSortKeys(s *plan.Sort, prefix bool) error {
	var list []string
	for _, k := range s.Keys {
		col, err := x.inputColumn(k.Col, prefix)
		if err != nil {
			return err
		}
		order, err := x.sortOrder(k, x.n.Base().Left.Base().Targets[k.Col-1].Expr)
		if err != nil {
			return err
		}
		list = append(list, col+order)
	}
	x.out.list("Sort Key", list)
	return nil
}
