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
	types.RegisterSRF("pg_partition_tree", func(c *types.Call) (types.Iterator, error) {
		v, err := FromCall(c)
		if err != nil {
			return nil, err
		}
		return v.partitionTree(c.Args[0].Oid())
	})
	types.RegisterFunc("pg_partition_root", func(c *types.Call) (types.Datum, error) {
		v, err := FromCall(c)
		if err != nil {
			return types.Null, err
		}
		list, err := v.partitionAncestors(c.Args[0].Oid())
		if err != nil || len(list) == 0 {
			return types.Null, err
		}
		return types.Oid(list[len(list)-1]), nil
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

// partitionNode is a row of pg_partition_tree.
type partitionNode struct {
	oid, parent OID
	leaf        bool
	level       int32
}

// partitionTree lists a partitioned relation and all below it, level by level.
func (v *View) partitionTree(top OID) (types.Iterator, error) {
	rel, err := v.Relation(top)
	if err != nil || rel == nil || !rel.IsPartition && rel.Kind != 'p' && rel.Kind != 'I' {
		return &partitionRows{}, err
	}
	list := []partitionNode{{oid: top}}
	if rel.IsPartition && len(rel.Parents) > 0 {
		list[0].parent = rel.Parents[0]
	}
	for i := 0; i < len(list); i++ {
		rel, err := v.Relation(list[i].oid)
		if err != nil {
			return nil, err
		}
		if rel == nil {
			continue
		}
		list[i].leaf = rel.Kind != 'p' && rel.Kind != 'I'
		for _, child := range rel.Children {
			list = append(list, partitionNode{oid: child, parent: list[i].oid, level: list[i].level + 1})
		}
	}
	return &partitionRows{list}, nil
}

type partitionRows struct{ left []partitionNode }

func (p *partitionRows) Next(row []types.Datum) (bool, error) {
	if len(p.left) == 0 {
		return false, nil
	}
	n := p.left[0]
	p.left = p.left[1:]
	row[0], row[1], row[2], row[3] = types.Oid(n.oid), types.Null, types.Bool(n.leaf), types.Int4(n.level)
	if n.parent != 0 {
		row[1] = types.Oid(n.parent)
	}
	return true, nil
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
