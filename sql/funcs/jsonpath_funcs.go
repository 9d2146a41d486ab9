package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/funcs/are"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// The functions of jsonpath: jsonb_path_exists, _match, _query, _query_array, _query_first, their _tz forms, and the operators @? and @@.

func init() {
	types.CheckPathRegex = func(pattern, flags string) error {
		_, err := compilePathRegex(pattern, flags)
		return err
	}
	for _, tz := range []bool{false, true} {
		suffix := map[bool]string{false: "", true: "_tz"}[tz]
		types.RegisterFunc("jsonb_path_exists"+suffix, func(c *types.Call) (types.Datum, error) { return pathExists(c, tz) })
		types.RegisterFunc("jsonb_path_match"+suffix, func(c *types.Call) (types.Datum, error) { return pathMatch(c, tz) })
		types.RegisterFunc("jsonb_path_query_array"+suffix, func(c *types.Call) (types.Datum, error) {
			found, err := pathQuery(c, tz)
			if err != nil {
				return types.Null, err
			}
			out := types.JSON{Kind: types.JSONArray}
			for i := range found {
				out.Elems = append(out.Elems, found[i].json())
			}
			return out.JSONB()
		})
		types.RegisterFunc("jsonb_path_query_first"+suffix, func(c *types.Call) (types.Datum, error) {
			found, err := pathQuery(c, tz)
			if err != nil || len(found) == 0 {
				return types.Null, err
			}
			v := found[0].json()
			return v.JSONB()
		})
		types.RegisterSRF("jsonb_path_query"+suffix, func(c *types.Call) (types.Iterator, error) {
			found, err := pathQuery(c, tz)
			return &pathRows{found}, err
		})
	}
	types.RegisterFunc("jsonb_path_exists_opr", func(c *types.Call) (types.Datum, error) { return pathExists(c, false) })
	types.RegisterFunc("jsonb_path_match_opr", func(c *types.Call) (types.Datum, error) { return pathMatch(c, false) })
}

// pathRows gives the items found.
type pathRows struct{ left []pathValue }

func (r *pathRows) Next(row []types.Datum) (bool, error) {
	if len(r.left) == 0 {
		return false, nil
	}
	v := r.left[0].json()
	r.left = r.left[1:]
	var err error
	row[0], err = v.JSONB()
	return err == nil, err
}

// compilePathRegex translates XQuery's flags.
func compilePathRegex(pattern, flags string) (*are.Regexp, error) {
	has := func(c string) bool { return strings.Contains(flags, c) }
	f := are.Flags{ICase: has("i")}
	if has("q") {
		f.Quote = true
	} else {
		f.NLStop, f.NLAnchor = !has("s"), has("m")
		if has("x") {
			return nil, pgerr.New(pgerr.FeatureNotSupported, "XQuery \"x\" flag (expanded regular expressions) is not implemented")
		}
	}
	return are.Compile(pattern, f)
}

type cachedPath struct {
	text string
	path *types.JSONPath
}

// newPathRun parses the path, once a call site, and the arguments.
func newPathRun(c *types.Call, tz, silentDefault bool) (*pathRun, error) {
	text := c.Args[1].Str()
	k, ok := c.Cache.(*cachedPath)
	if !ok || k.text != text {
		text = strings.Clone(text)
		p, err := types.ParseJSONPath(text)
		if err != nil {
			return nil, err
		}
		k = &cachedPath{text, p}
		c.Cache = k
	}
	root := c.Args[0].JSONB()
	r := &pathRun{env: c.Env, path: k.path, lax: !k.path.Strict, useTZ: tz, throw: !silentDefault, arraySize: -1, generated: 1}
	r.ignoreStructural = r.lax
	r.root = pathValue{v: &root}
	r.current = r.root
	if len(c.Args) == 4 {
		vars := c.Args[2].JSONB()
		if vars.Kind != types.JSONObject {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "\"vars\" argument is not an object").
				WithDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")
		}
		r.vars, r.generated = &vars, 2
		r.throw = !c.Args[3].Bool()
	}
	return r, nil
}

func pathExists(c *types.Call, tz bool) (types.Datum, error) {
	r, err := newPathRun(c, tz, true)
	if err != nil {
		return types.Null, err
	}
	var res pathResult
	if r.lax {
		res = r.item(r.path.Root, r.root, nil)
	} else {
		// In strict mode all values are wanted, for an error among the later ones counts.
		found := []pathValue{}
		if res = r.item(r.path.Root, r.root, &found); res != pathError {
			res = pathNotFound
			if len(found) > 0 {
				res = pathOK
			}
		}
	}
	if r.err != nil {
		return types.Null, r.err
	}
	if res == pathError {
		return types.Null, nil
	}
	return types.Bool(res == pathOK), nil
}

func pathMatch(c *types.Call, tz bool) (types.Datum, error) {
	r, err := newPathRun(c, tz, true)
	if err != nil {
		return types.Null, err
	}
	found := []pathValue{}
	r.item(r.path.Root, r.root, &found)
	if r.err != nil {
		return types.Null, r.err
	}
	if len(found) == 1 && !found[0].isTime {
		switch v := found[0].v; v.Kind {
		case types.JSONBool:
			return types.Bool(v.Bool), nil
		case types.JSONNull:
			return types.Null, nil
		}
	}
	if r.throw {
		return types.Null, pgerr.New(pgerr.SingletonSqlJsonItemRequired, "single boolean result is expected")
	}
	return types.Null, nil
}

func pathQuery(c *types.Call, tz bool) ([]pathValue, error) {
	r, err := newPathRun(c, tz, false)
	if err != nil {
		return nil, err
	}
	found := []pathValue{}
	r.item(r.path.Root, r.root, &found)
	return found, r.err
}
