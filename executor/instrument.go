package executor

// Removed counts rows that a node dropped, for EXPLAIN ANALYZE.
type Removed struct {
	Filter     int64 // by its conditions
	JoinFilter int64 // by a join's own conditions, those of ON
	Recheck    int64 // by index conditions that had to be looked at again
}

func (r *Removed) removed() *Removed { return r }

// Instrumentation is what a node can tell of its execution besides its rows.
type Instrumentation struct {
	Removed
	HeapFetches int64 // rows that an index-only scan had to look at in the table
}

// Instrument asks a node.
func Instrument(n Node) Instrumentation {
	var i Instrumentation
	if r, ok := n.(interface{ removed() *Removed }); ok {
		i.Removed = *r.removed()
	}
	if x, ok := n.(*indexOnlyScan); ok {
		i.HeapFetches = x.HeapFetches
	}
	return i
}
