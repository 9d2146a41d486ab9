package funcs

import (
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// json_populate_record, json_to_record, their set-returning and jsonb forms: an object's members become the columns of a row; columns without a
// member keep the value of the row given.

func init() {
	for _, f := range jsonFamilies {
		types.RegisterFunc(f.prefix+"_populate_record", func(c *types.Call) (types.Datum, error) {
			p := &populator{c: c, f: f, name: f.prefix + "_populate_record"}
			if c.Args[1].IsNull() {
				return p.withoutJSON(c.Args[0])
			}
			return p.record(argType(c, 0), c.Args[0], c.Args[1])
		})
		types.RegisterFunc(f.prefix+"_to_record", func(c *types.Call) (types.Datum, error) {
			p := &populator{c: c, f: f, name: f.prefix + "_to_record"}
			return p.record(types.RecordOID, types.Null, c.Args[0])
		})
		types.RegisterSRF(f.prefix+"_populate_recordset", func(c *types.Call) (types.Iterator, error) {
			p := &populator{c: c, f: f, name: f.prefix + "_populate_recordset"}
			return p.set(argType(c, 0), c.Args[0], c.Args[1])
		})
		types.RegisterSRF(f.prefix+"_to_recordset", func(c *types.Call) (types.Iterator, error) {
			p := &populator{c: c, f: f, name: f.prefix + "_to_recordset"}
			return p.set(types.RecordOID, types.Null, c.Args[0])
		})
	}
}

// populator makes rows of JSON for one call.
type populator struct {
	c     *types.Call
	f     jsonFamily
	name  string
	depth int
}

// withoutJSON is the result for a null instead of JSON: the row given, or null as the domain allows it.
func (p *populator) withoutJSON(base types.Datum) (types.Datum, error) {
	t, err := p.c.Env.TypeByOID(argType(p.c, 0))
	if err == nil && base.IsNull() && t.Kind == 'd' {
		err = p.checkDomain(t.OID, types.Null)
	}
	return base, err
}

func (p *populator) checkDomain(domain types.OID, d types.Datum) error {
	if p.c.Env.Catalog == nil {
		return pgerr.NotSupported("a domain without a catalog")
	}
	return p.c.Env.Catalog.CheckDomain(domain, d)
}

// shape finds the columns of the result: the row type's, the given row's, or those that the query lists.
func (p *populator) shape(typ types.OID, base types.Datum) (desc *types.TupleDesc, row types.Row, err error) {
	t, err := baseType(p.c.Env, typ)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case !base.IsNull():
		return types.RecordFields(p.c.Env, base, nil)
	case t.Kind == 'c':
		if p.c.Env.Catalog == nil {
			return nil, nil, pgerr.NotSupported("a composite type without a catalog")
		}
		desc, err = p.c.Env.Catalog.RowType(t.OID, -1)
	case p.c.RetDesc != nil:
		desc = p.c.RetDesc
	case p.name == p.f.prefix+"_populate_record" || p.name == p.f.prefix+"_populate_recordset":
		err = pgerr.New(pgerr.InvalidParameterValue, "could not determine row type for result of %s", p.name).
			WithHint("Provide a non-null record argument, or call the function in the FROM clause using a column definition list.")
	default:
		err = pgerr.New(pgerr.FeatureNotSupported, "could not determine row type for result of %s", p.name).
			WithHint("Try calling the function in the FROM clause using a column definition list.")
	}
	if err != nil {
		return nil, nil, err
	}
	row = make(types.Row, len(desc.Attrs))
	for i := range row {
		row[i] = types.Null
	}
	return desc, row, nil
}

func (p *populator) record(typ types.OID, base, json types.Datum) (types.Datum, error) {
	v, err := p.f.parse(json)
	if err != nil {
		return types.Null, err
	}
	desc, row, err := p.shape(typ, base)
	if err != nil {
		return types.Null, err
	}
	d, err := p.fill(&v, desc, row, !base.IsNull())
	if err != nil {
		return types.Null, err
	}
	if t, _ := p.c.Env.TypeByOID(typ); t != nil && t.Kind == 'd' {
		err = p.checkDomain(typ, d)
	}
	return d, err
}

// fill sets the columns of row by the members of an object; with a base a column without a member stays.
func (p *populator) fill(v *types.JSON, desc *types.TupleDesc, row types.Row, hasBase bool) (types.Datum, error) {
	switch {
	case v.Kind < types.JSONArray:
		return types.Null, jsonParam("cannot call populate_composite on a scalar")
	case v.Kind == types.JSONArray:
		return types.Null, jsonParam("cannot call populate_composite on an array")
	}
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		if a.Dropped {
			row[i] = types.Null
			continue
		}
		member := field(v, a.Name)
		if member == nil {
			if hasBase {
				continue
			}
			member = &types.JSON{}
		}
		var err error
		if row[i], err = p.value(member, a.TypeOID, a.TypMod, a.Name, row[i]); err != nil {
			return types.Null, err
		}
	}
	return types.MakeRecord(desc, row)
}

// value makes a value of a type: json as it is, arrays and rows by member, a domain by its base, all else from the text form. old is the value
// that a row of the base gives; column is named in hints.
func (p *populator) value(v *types.JSON, typ types.OID, typmod int32, column string, old types.Datum) (types.Datum, error) {
	if p.depth++; p.depth > jsonNestMax {
		return types.Null, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	defer func() { p.depth-- }()
	t, err := p.c.Env.TypeByOID(typ)
	if err != nil {
		return types.Null, err
	}
	switch {
	case t.Kind == 'd':
		d, err := p.value(v, t.BaseType, t.TypMod, column, old)
		if err == nil {
			err = p.checkDomain(typ, d)
		}
		return d, err
	case v.Kind == types.JSONNull:
		return types.Null, nil
	case t.OID == jsonOID(false) || t.OID == jsonOID(true):
		return types.Input(p.c.Env, t.OID, typmod, p.f.datum(v).Str())
	case v.Kind == types.JSONString:
	case t.IsTrueArray():
		return p.array(v, t, typmod, column)
	case isContainer(t):
		desc, row, err := p.shape(typ, old)
		if err != nil {
			return types.Null, err
		}
		return p.fill(v, desc, row, !old.IsNull())
	}
	text := p.f.text(v)
	return types.Input(p.c.Env, typ, typmod, text.Str())
}

// jsonArray gathers the elements of a JSON array as those of an SQL array.
type jsonArray struct {
	p      *populator
	elem   *types.TypeInfo
	typmod int32
	column string
	dims   []int32 // -1 = not known yet
	leaf   bool    // the number of dimensions is known
	values []types.Datum
	at     []int32 // where we are, for hints
}

func (p *populator) array(v *types.JSON, t *types.TypeInfo, typmod int32, column string) (types.Datum, error) {
	elem, err := p.c.Env.TypeByOID(t.Elem)
	if err != nil {
		return types.Null, err
	}
	a := &jsonArray{p: p, elem: elem, typmod: typmod, column: column}
	if v.Kind != types.JSONArray {
		return types.Null, a.expected()
	}
	if err := a.level(v, 0); err != nil {
		return types.Null, err
	}
	lower := make([]int32, len(a.dims))
	for i := range lower {
		lower[i] = 1
	}
	return types.BuildArray(elem, a.values, a.dims, lower), nil
}

// expected is the error of something else where an array has to be.
func (a *jsonArray) expected() error {
	e := pgerr.New(pgerr.InvalidTextRepresentation, "expected JSON array")
	indices := ""
	for _, i := range a.at {
		indices += fmt.Sprintf("[%d]", i)
	}
	switch {
	case indices == "" && a.column != "":
		return e.WithHint("See the value of key \"%s\".", a.column)
	case indices == "":
		return e
	case a.column != "":
		return e.WithHint("See the array element %s of key \"%s\".", indices, a.column)
	}
	return e.WithHint("See the array element %s.", indices)
}

// level reads an array at a depth. Arrays inside of the first element make dimensions, until an element is none.
func (a *jsonArray) level(v *types.JSON, depth int) error {
	if len(a.dims) == depth {
		if a.leaf {
			return a.expected()
		}
		a.dims = append(a.dims, -1)
	}
	a.at = append(a.at, 0)
	for i := range v.Elems {
		e := &v.Elems[i]
		a.at[depth] = int32(i)
		inner := e.Kind == types.JSONArray && (!a.leaf || depth+1 < len(a.dims)) && !a.elem.IsTrueArray()
		if isJSONType(a.elem.OID) && (depth+1 >= len(a.dims)) {
			inner = false
		}
		switch {
		case inner:
			if err := a.level(e, depth+1); err != nil {
				return err
			}
		case a.leaf && depth+1 < len(a.dims), !a.leaf && len(a.dims) > depth+1:
			return a.expected()
		default:
			a.leaf = true
			d, err := a.p.value(e, a.elem.OID, a.typmod, "", types.Null)
			if err != nil {
				return err
			}
			a.values = append(a.values, d)
		}
	}
	a.at = a.at[:depth]
	n := int32(len(v.Elems))
	if a.dims[depth] >= 0 && a.dims[depth] != n {
		return pgerr.New(pgerr.InvalidTextRepresentation, "malformed JSON array").
			WithDetail("Multidimensional arrays must have sub-arrays with matching dimensions.")
	}
	a.dims[depth] = n
	return nil
}

func isJSONType(t types.OID) bool { return t == jsonOID(false) || t == jsonOID(true) }

// recordRows gives one row for each element of an array of objects.
type recordRows struct {
	p        *populator
	v        types.JSON
	next     int
	typ      types.OID
	desc     *types.TupleDesc
	base     types.Row
	hasBase  bool
	isDomain bool
}

func (r *recordRows) Desc() *types.TupleDesc { return r.desc }

func (p *populator) set(typ types.OID, base, json types.Datum) (types.Iterator, error) {
	desc, row, err := p.shape(typ, base)
	if err != nil {
		return nil, err
	}
	if err := p.matchesQuery(desc); err != nil {
		return nil, err
	}
	r := &recordRows{p: p, typ: typ, desc: desc, base: row, hasBase: !base.IsNull()}
	if t, _ := p.c.Env.TypeByOID(typ); t != nil && t.Kind == 'd' {
		r.isDomain = true
	}
	if json.IsNull() {
		return r, nil
	}
	if r.v, err = p.f.parse(json.Clone()); err != nil {
		return nil, err
	}
	switch {
	case r.v.Kind < types.JSONArray:
		return nil, jsonParam("cannot call %s on a scalar", p.name)
	case r.v.Kind == types.JSONObject:
		return nil, jsonParam("cannot call %s on an object", p.name)
	}
	for i, d := range r.base {
		r.base[i] = d.Clone()
	}
	return r, nil
}

// matchesQuery compares the row with the columns that the query lists.
func (p *populator) matchesQuery(desc *types.TupleDesc) error {
	want := p.c.RetDesc
	if want == nil || want == desc {
		return nil
	}
	return types.CheckRowShape(p.c.Env, desc, want)
}

func (r *recordRows) Next(row []types.Datum) (bool, error) {
	if r.next >= len(r.v.Elems) {
		return false, nil
	}
	if err := r.p.c.Env.Poll(); err != nil {
		return false, err
	}
	e := &r.v.Elems[r.next]
	r.next++
	if e.Kind != types.JSONObject {
		return false, jsonParam("argument of %s must be an array of objects", r.p.name)
	}
	values := append(types.Row(nil), r.base...)
	d, err := r.p.fill(e, r.desc, values, r.hasBase)
	if err == nil && r.isDomain {
		err = r.p.checkDomain(r.typ, d)
	}
	if err != nil {
		return false, err
	}
	at := 0
	for i, v := range values {
		if !r.desc.Attrs[i].Dropped {
			row[at] = v
			at++
		}
	}
	return true, nil
}
