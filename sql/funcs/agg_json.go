package funcs

import (
	"github.com/calfdb/calf/sql/types"
)

// json_agg, json_object_agg and the jsonb forms.

// jsonState gathers json text.
type jsonState struct{ b []byte }

func init() {
	for _, f := range jsonFamilies {
		types.RegisterFunc(f.prefix+"_agg_transfn", jsonAgg)
		types.RegisterFunc(f.prefix+"_agg_finalfn", jsonAggFinal(f, "]"))
		types.RegisterFunc(f.prefix+"_object_agg_transfn", jsonObjectAgg)
		types.RegisterFunc(f.prefix+"_object_agg_finalfn", jsonAggFinal(f, " }"))
	}
}

func jsonAgg(c *types.Call) (types.Datum, error) {
	s := aggState[jsonState](c)
	typ := argType(c, 1)
	if s.b == nil {
		s.b = append(s.b, '[')
	} else {
		s.b = append(s.b, ", "...)
		t, err := baseType(c.Env, typ)
		if err != nil {
			return types.Null, err
		}
		if isContainer(t) && !c.Args[1].IsNull() {
			s.b = append(s.b, "\n "...)
		}
	}
	var err error
	s.b, err = newJSONWriter(c).append(s.b, typ, c.Args[1])
	return internalState, err
}

func jsonObjectAgg(c *types.Call) (types.Datum, error) {
	s := aggState[jsonState](c)
	if s.b == nil {
		s.b = append(s.b, "{ "...)
	} else {
		s.b = append(s.b, ", "...)
	}
	if c.Args[1].IsNull() {
		return types.Null, jsonParam("field name must not be null")
	}
	w := newJSONWriter(c)
	var err error
	if s.b, err = w.key(s.b, argType(c, 1), c.Args[1]); err != nil {
		return types.Null, err
	}
	s.b, err = w.append(append(s.b, " : "...), argType(c, 2), c.Args[2])
	return internalState, err
}

func jsonAggFinal(f jsonFamily, end string) types.Func {
	return func(c *types.Call) (types.Datum, error) {
		if c.AggState == nil {
			return types.Null, nil
		}
		s, ok := (*c.AggState).(*jsonState)
		if !ok {
			return types.Null, nil
		}
		b := append(append([]byte(nil), s.b...), end...)
		if f.binary {
			return toJSONB(b, nil)
		}
		return types.Bytes(b), nil
	}
}
