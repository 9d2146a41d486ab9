package plan

import "github.com/calfdb/calf/sql/pgerr"

// expandPartitions makes rels of a partitioned table's partitions.
func (r *root) expandPartitions(b *rel) {
	fail(pgerr.NotSupported("a partitioned table in a query"))
}

// partitionOrdered adds ordered Appends where the partitions' bounds follow the order that is wanted.
func (r *root) partitionOrdered(b *rel, live []*rel, keys []*pathkey) bool { return false }
