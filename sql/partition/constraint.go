package partition

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Constraint gives what holds for a partition's rows, implicitly ANDed, over its own columns as VarNo 1: its own bound and those of its parents. nil =
// everything, or no partition.
func Constraint(cat catalog.Lookup, env *types.Env, rel *catalog.Relation) ([]query.Expr, error) {
	if !rel.IsPartition || len(rel.Parents) == 0 || rel.PartBound == nil {
		return nil, nil
	}
	parent, err := cat.Relation(rel.Parents[0])
	if err != nil {
		return nil, err
	}
	if parent == nil {
		return nil, pgerr.Internal("could not open relation with OID %d", rel.Parents[0])
	}
	list, err := Constraint(cat, env, parent)
	if err != nil {
		return nil, err
	}
	own, err := BoundQuals(cat, env, parent, rel.PartBound)
	if err != nil {
		return nil, err
	}
	return MapVars(append(list[:len(list):len(list)], own...), MapColumns(parent, rel)), nil
}

// BoundQuals gives a bound's own condition over the columns of the partitioned table.
func BoundQuals(cat catalog.Lookup, env *types.Env, parent *catalog.Relation, bound *query.PartitionBoundSpec) ([]query.Expr, error) {
	b := &Builder{Catalog: cat, Parent: parent.OID}
	if !bound.IsDefault {
		var err error
		if b.Key, err = NewKey(cat, env, parent); err != nil {
			return nil, err
		}
		return b.Quals(bound)
	}
	d, err := Of(cat, env, parent)
	if err != nil {
		return nil, err
	}
	b.Desc, b.Key = d, d.Key
	return b.Quals(bound)
}

// MapColumns gives, by a relation's attribute number - 1, that of the column of the same name of another; 0 = none.
func MapColumns(from, to *catalog.Relation) []int16 {
	cols := make([]int16, len(from.Desc.Attrs))
	for i := range from.Desc.Attrs {
		a := &from.Desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if i < len(to.Desc.Attrs) && to.Desc.Attrs[i].Name == a.Name && !to.Desc.Attrs[i].Dropped {
			cols[i] = int16(i + 1)
		} else if b := to.AttrByName(a.Name); b != nil {
			cols[i] = b.Num
		}
	}
	return cols
}

// Same says whether a mapping of MapColumns between two relations changes nothing.
func Same(cols []int16, from, to *catalog.Relation) bool {
	if len(from.Desc.Attrs) != len(to.Desc.Attrs) {
		return false
	}
	for i, c := range cols {
		if int(c) != i+1 && !(c == 0 && from.Desc.Attrs[i].Dropped && to.Desc.Attrs[i].Dropped) {
			return false
		}
	}
	return true
}

// MapVars renumbers the columns of expressions over VarNo 1.
func MapVars(list []query.Expr, cols []int16) []query.Expr {
	out := make([]query.Expr, len(list))
	for i, e := range list {
		out[i] = query.Mutate(e, func(x query.Expr) (query.Expr, bool) {
			v, ok := x.(*query.Var)
			if !ok || v.AttNo <= 0 || v.LevelsUp > 0 {
				return nil, false
			}
			c := *v
			c.AttNo = cols[v.AttNo-1]
			c.SynAttNo = c.AttNo
			return &c, true
		})
	}
	return out
}
