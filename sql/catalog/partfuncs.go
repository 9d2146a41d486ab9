package catalog

import "github.com/calfdb/calf/sql/types"

func init() {
	types.RegisterSRF("pg_partition_ancestors", func(c *types.Call) (types.Iterator, error) {
		v, err := FromCall(c)
		if err != nil {
			return nil, err
		}
		list, err := v.partitionAncestors(c.Args[0].Oid())
		return &oidRows{list}, err
	})
}

// partitionAncestors lists a partition and its parents up to the root; nothing of a relation that is no part of a partitioned one.
func (v *View) partitionAncestors(oid OID) ([]OID, error) {
	var list []OID
	for oid != 0 {
		rel, err := v.Relation(oid)
		if err != nil || rel == nil {
			return list, err
		}
		if !rel.IsPartition && rel.Kind != 'p' && rel.Kind != 'I' {
			return list, nil
		}
		list = append(list, oid)
		if oid = 0; rel.IsPartition && len(rel.Parents) > 0 {
			oid = rel.Parents[0]
		}
	}
	return list, nil
}

// oidRows gives OIDs as rows of one column.
type oidRows struct{ left []OID }

func (o *oidRows) Next(row []types.Datum) (bool, error) {
	if len(o.left) == 0 {
		return false, nil
	}
	row[0] = types.Oid(o.left[0])
	o.left = o.left[1:]
	return true, nil
}
