package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Values of any type as JSON: to_json, row_to_json, array_to_json and their jsonb forms.

const jsonNestMax = 500

// jsonWriter turns values into json text.
type jsonWriter struct {
	c      *types.Call
	env    *types.Env // as the session's, but with dates in ISO style
	pretty bool
	depth  int
}

func newJSONWriter(c *types.Call) *jsonWriter {
	env := *c.Env
	s := *c.Env.SettingsOrDefault()
	s.DateStyle = types.DateISO
	env.Settings = &s
	return &jsonWriter{c: c, env: &env}
}

// baseType follows domains to what they are made of.
func baseType(env *types.Env, typ types.OID) (*types.TypeInfo, error) {
	t, err := env.TypeByOID(typ)
	for err == nil && t.Kind == 'd' {
		t, err = env.TypeByOID(t.BaseType)
	}
	return t, err
}

// isContainer says whether values of the type become arrays or objects.
func isContainer(t *types.TypeInfo) bool {
	return t.IsTrueArray() || t.Kind == 'c' || t.OID == types.RecordOID
}

func (w *jsonWriter) append(b []byte, typ types.OID, d types.Datum) ([]byte, error) {
	if d.IsNull() {
		return append(b, "null"...), nil
	}
	if w.depth++; w.depth > jsonNestMax {
		return b, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	defer func() { w.depth-- }()
	t, err := baseType(w.env, typ)
	if err != nil {
		return b, err
	}
	switch {
	case t.IsTrueArray():
		return w.array(b, d)
	case isContainer(t):
		return w.record(b, d)
	}
	switch t.OID {
	case types.BoolOID:
		if d.Bool() {
			return append(b, "true"...), nil
		}
		return append(b, "false"...), nil
	case jsonOID(false), jsonOID(true):
		return append(b, d.Bytes()...), nil
	}
	text, err := types.Output(w.env, t.OID, d)
	if err != nil {
		return b, err
	}
	switch t.OID {
	case types.Int2OID, types.Int4OID, types.Int8OID, types.Float4OID, types.Float8OID, types.NumericOID:
		if v, err := types.ParseJSON(text, false); err == nil && v.Kind == types.JSONNumber {
			return append(b, text...), nil
		}
	case types.TimestampOID:
		text = strings.Replace(text, " ", "T", 1)
	case types.TimestamptzOID:
		text = isoZone(strings.Replace(text, " ", "T", 1))
	}
	return types.AppendJSONString(b, text), nil
}

// isoZone completes a zone of hours only: +02 becomes +02:00.
func isoZone(s string) string {
	body, era := s, ""
	if i := strings.IndexByte(s, ' '); i >= 0 {
		body, era = s[:i], s[i:]
	}
	if i := strings.LastIndexAny(body, "+-"); i >= 0 && i == len(body)-3 {
		body += ":00"
	}
	return body + era
}

func (w *jsonWriter) array(b []byte, d types.Datum) ([]byte, error) {
	elem, err := w.env.TypeByOID(types.ArrayElemType(d))
	if err != nil {
		return b, err
	}
	a, err := types.OpenArray(elem, d)
	if err != nil {
		return b, err
	}
	if len(a.Dims) == 0 {
		return append(b, "[]"...), nil
	}
	return w.dimension(b, elem.OID, a.Elems, a.Dims, w.pretty)
}

// dimension writes one level of an array; only the outermost is broken into lines.
func (w *jsonWriter) dimension(b []byte, elem types.OID, elems []types.Datum, dims []int32, lines bool) ([]byte, error) {
	b = append(b, '[')
	per := len(elems) / int(dims[0])
	for i := range int(dims[0]) {
		if i > 0 {
			b = append(b, ',')
			if lines {
				b = append(b, "\n "...)
			}
		}
		var err error
		if len(dims) > 1 {
			b, err = w.dimension(b, elem, elems[i*per:(i+1)*per], dims[1:], false)
		} else {
			b, err = w.inner(b, elem, elems[i])
		}
		if err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// inner writes a part, which is never broken into lines.
func (w *jsonWriter) inner(b []byte, typ types.OID, d types.Datum) ([]byte, error) {
	pretty := w.pretty
	w.pretty = false
	b, err := w.append(b, typ, d)
	w.pretty = pretty
	return b, err
}

func (w *jsonWriter) record(b []byte, d types.Datum) ([]byte, error) {
	desc, values, err := types.RecordFields(w.env, d, nil)
	if err != nil {
		return b, err
	}
	b = append(b, '{')
	first := true
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if !first {
			b = append(b, ',')
			if w.pretty {
				b = append(b, "\n "...)
			}
		}
		first = false
		b = append(types.AppendJSONString(b, a.Name), ':')
		if b, err = w.inner(b, a.TypeOID, values[i]); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// key writes an object's key.
func (w *jsonWriter) key(b []byte, typ types.OID, d types.Datum) ([]byte, error) {
	t, err := baseType(w.env, typ)
	if err != nil {
		return b, err
	}
	if isContainer(t) || t.OID == jsonOID(false) || t.OID == jsonOID(true) {
		return b, jsonParam("key value must be scalar, not array, composite, or json")
	}
	v, err := w.append(nil, typ, d)
	if err != nil {
		return b, err
	}
	if v[0] != '"' {
		v = types.AppendJSONString(nil, string(v))
	}
	return append(b, v...), nil
}

func init() {
	plain := func(pretty func(c *types.Call) bool) types.Func {
		return func(c *types.Call) (types.Datum, error) {
			w := newJSONWriter(c)
			w.pretty = pretty(c)
			b, err := w.append(nil, argType(c, 0), c.Args[0])
			return types.Bytes(b), err
		}
	}
	no := func(*types.Call) bool { return false }
	asked := func(c *types.Call) bool { return c.Args[1].Bool() }
	for _, n := range []string{"to_json", "row_to_json", "array_to_json"} {
		types.RegisterFunc(n, plain(no))
	}
	types.RegisterFunc("row_to_json_pretty", plain(asked))
	types.RegisterFunc("array_to_json_pretty", plain(asked))
	types.RegisterFunc("to_jsonb", func(c *types.Call) (types.Datum, error) {
		b, err := newJSONWriter(c).append(nil, argType(c, 0), c.Args[0])
		return toJSONB(b, err)
	})
}

// toJSONB makes a jsonb of json text that was written here.
func toJSONB(b []byte, err error) (types.Datum, error) {
	if err != nil {
		return types.Null, err
	}
	v, err := types.ParseJSON(string(b), true)
	if err != nil {
		return types.Null, err
	}
	return v.JSONB()
}
