package plan

// SupportsBackward says whether a cursor over the plan may go backward without having been declared SCROLL: whether PostgreSQL's executor could run
// it backward. Here rows of cursors are kept in any case; what may be asked for is the same.
func SupportsBackward(n Node) bool {
	switch n := n.(type) {
	case *Result:
		return n.Left != nil && SupportsBackward(n.Left)
	case *Limit, *LockRows:
		return SupportsBackward(n.Base().Left)
	case *Append:
		for _, c := range n.Children {
			if !SupportsBackward(c) {
				return false
			}
		}
		return true
	case *SubqueryScan:
		return SupportsBackward(n.Subplan)
	case *SeqScan, *IndexScan, *IndexOnlyScan, *TIDScan, *TIDRangeScan, *FunctionScan, *ValuesScan, *CTEScan, *Material, *Sort:
		return true
	}
	return false
}
