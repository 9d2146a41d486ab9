package funcs

import "github.com/calfdb/calf/sql/types"

// OVERLAPS: two periods given by their ends in either order; a null end leaves a period open in that direction.

func init() {
	compare := func(name, cmp string) {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			f, err := types.LookupCompare(c.Env, cmp, 0, 0)
			if err != nil {
				return types.Null, err
			}
			return overlaps(c.Args, f), nil
		})
	}
	compare("overlaps_time", "time_cmp")
	compare("overlaps_timetz", "timetz_cmp")
	compare("overlaps_timestamp", "timestamp_cmp")
}

// period orders the ends of one; known is false when both are null.
func period(from, to types.Datum, cmp types.CompareFunc) (start, end types.Datum, known bool) {
	switch {
	case from.IsNull():
		return to, types.Null, !to.IsNull()
	case !to.IsNull() && cmp(from, to) > 0:
		return to, from, true
	}
	return from, to, true
}

func overlaps(a []types.Datum, cmp types.CompareFunc) types.Datum {
	s1, e1, ok1 := period(a[0], a[1], cmp)
	s2, e2, ok2 := period(a[2], a[3], cmp)
	if !ok1 || !ok2 {
		return types.Null
	}
	switch c := cmp(s1, s2); {
	case c > 0:
		return beginsWithin(s1, e1, e2, cmp)
	case c < 0:
		return beginsWithin(s2, e2, e1, cmp)
	case e1.IsNull() || e2.IsNull():
		return types.Null
	}
	return types.Bool(true)
}

// beginsWithin: the later period, from start to end, begins after the other one did; they overlap if it begins before the other's end.
func beginsWithin(start, end, otherEnd types.Datum, cmp types.CompareFunc) types.Datum {
	switch {
	case otherEnd.IsNull():
		return types.Null
	case cmp(start, otherEnd) < 0:
		return types.Bool(true)
	case end.IsNull():
		return types.Null
	}
	return types.Bool(false)
}
