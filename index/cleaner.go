package index

import "github.com/calfdb/calf/sql/types"

// Cleaner is an index's side of one vacuum of its table: heap.Vacuum calls it as a heap.IndexCleaner. Afterwards Stats has what was done, for
// pg_class and VACUUM VERBOSE.
type Cleaner struct {
	Index Index
	Args  VacuumArgs
	Stats *VacuumStats
}

// BulkDelete removes the entries for which dead holds. It may be called more than once.
func (c *Cleaner) BulkDelete(dead func(types.TID) bool) (err error) {
	c.Stats, err = c.Index.BulkDelete(&c.Args, dead, c.Stats)
	return err
}

// Cleanup ends the vacuum.
func (c *Cleaner) Cleanup(heapTuples float64) (err error) {
	c.Args.HeapTuples = heapTuples
	c.Stats, err = c.Index.Cleanup(&c.Args, c.Stats)
	return err
}
