package funcs

import "github.com/calfdb/calf/sql/types"

// Where containers stand in PostgreSQL's binary jsonb, counted from the outermost one: keyvalue() shows it as an object's id.

// offset is the place of a container in the current base object.
func (r *pathRun) offset(v *types.JSON) int64 {
	root := r.base.root
	if root == nil {
		root = r.root.v
	}
	m, ok := r.offsets[root]
	if !ok {
		m = map[*types.JSON]int64{}
		layoutJSONB(root, 0, m)
		if r.offsets == nil {
			r.offsets = map[*types.JSON]map[*types.JSON]int64{}
		}
		r.offsets[root] = m
	}
	return m[v]
}

func align4(n int64) int64 { return (n + 3) &^ 3 }

// layoutJSONB notes where a container begins and gives where it ends: a word for its kind and size, a word for each key and value, then the keys
// and values; numbers and containers are aligned.
func layoutJSONB(v *types.JSON, at int64, places map[*types.JSON]int64) int64 {
	at = align4(at)
	places[v] = at
	at += 4 + 4*int64(len(v.Keys)+len(v.Elems))
	for _, k := range v.Keys {
		at += int64(len(k))
	}
	for i := range v.Elems {
		switch e := &v.Elems[i]; e.Kind {
		case types.JSONString:
			at += int64(len(e.Text))
		case types.JSONNumber:
			n, err := types.ParseNumeric(e.Text)
			if err != nil {
				continue
			}
			d, err := n.Datum(nil)
			if err != nil {
				continue
			}
			at = align4(at) + 4 + int64(len(d.Bytes()))
		case types.JSONArray, types.JSONObject:
			at = layoutJSONB(e, at, places)
		}
	}
	return at
}
