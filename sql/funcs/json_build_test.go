package funcs

import (
	"testing"

	"github.com/calfdb/calf/sql/types"
)

// TestJSONBuild compares values built from several arguments, and aggregates, with what PostgreSQL 15 answered.
func TestJSONBuild(t *testing.T) {
	env := testEnv(t)
	type arg struct {
		typ  types.OID
		text string
	}
	null := "NULL"
	int4Array := types.OID(1007)
	cases := []struct {
		fn   string
		args []arg
		want string
	}{
		{"json_build_object", []arg{{types.Int4OID, "1"}, {types.Int4OID, "2"}, {types.TextOID, "a"}, {int4Array, "{{1,2},{3,4}}"}}, `{"1" : 2, "a" : [[1,2],[3,4]]}`},
		{"jsonb_build_object", []arg{{types.TextOID, "bb"}, {types.BoolOID, "t"}, {types.TextOID, "a"}, {types.NumericOID, "1.50"}}, `{"a": 1.50, "bb": true}`},
		{"json_build_object", []arg{{types.TextOID, "a"}}, "ERROR 22023: argument list must have even number of elements"},
		{"json_build_object", []arg{{types.TextOID, null}, {types.TextOID, "a"}}, "ERROR 22023: argument 1 cannot be null"},
		{"jsonb_build_object", []arg{{types.TextOID, null}, {types.TextOID, "a"}}, "ERROR 22023: argument 1: key must not be null"},
		{"jsonb_build_object", []arg{{114, "{}"}, {types.TextOID, "a"}}, "ERROR 22023: key value must be scalar, not array, composite, or json"},
		{"json_build_array", []arg{{types.TextOID, null}, {types.Float8OID, "NaN"}, {114, ` {"x" :1}`}}, `[null, "NaN",  {"x" :1}]`},
		{"jsonb_build_array", []arg{{types.TextOID, "a\"b"}, {114, ` {"x" :1}`}}, `["a\"b", {"x": 1}]`},
		{"to_json", []arg{{types.TimestampOID, "2020-01-01 00:00:00.5"}}, `"2020-01-01T00:00:00.5"`},
		{"to_json", []arg{{types.TimestamptzOID, "2020-07-01 00:00:00 BC"}}, `"2020-07-01T00:00:00-04:56:02 BC"`},
		{"to_json", []arg{{types.TimestamptzOID, "2020-07-01 00:00:00"}}, `"2020-07-01T00:00:00-04:00"`},
		{"to_jsonb", []arg{{int4Array, "{}"}}, `[]`},
		{"to_jsonb", []arg{{types.TextArrayOID, "{a,NULL}"}}, `["a", null]`},
	}
	for _, tc := range cases {
		fn, _ := types.LookupFunc(tc.fn)
		c := &types.Call{Env: env, Collation: 100}
		for _, a := range tc.args {
			d := types.Null
			if a.text != null {
				var err error
				if d, err = types.Input(env, a.typ, -1, a.text); err != nil {
					t.Fatal(err)
				}
			}
			c.Args, c.ArgTypes = append(c.Args, d), append(c.ArgTypes, a.typ)
		}
		d, err := fn(c)
		got := ""
		if err != nil {
			got = errorText(err)
		} else {
			got = d.Str()
		}
		if got != tc.want {
			t.Errorf("%s%v\n got  %s\n want %s", tc.fn, tc.args, got, tc.want)
		}
	}
}

func TestJSONAgg(t *testing.T) {
	env := testEnv(t)
	var state any
	int4Array := types.OID(1007)
	trans, _ := types.LookupFunc("json_agg_transfn")
	final, _ := types.LookupFunc("json_agg_finalfn")
	c := &types.Call{Env: env, AggState: &state, ArgTypes: []types.OID{types.InternalOID, int4Array}, Args: []types.Datum{types.Null, types.Null}}
	for _, s := range []string{"", "{1,2}", "{{1},{2}}"} {
		c.Args[1] = types.Null
		if s != "" {
			c.Args[1], _ = types.Input(env, int4Array, -1, s)
		}
		if _, err := trans(c); err != nil {
			t.Fatal(err)
		}
	}
	d, err := final(c)
	if want := "[null, \n [1,2], \n [[1],[2]]]"; err != nil || d.Str() != want {
		t.Errorf("got %s %v, want %s", d.Str(), err, want)
	}
}
