package plpgsql

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// shape gives a record's columns: its declared type's, or those of what was assigned last; nil when there are none yet.
func (f *frame) shape(d *datum) (*types.TupleDesc, error) {
	r := f.records[d.number]
	if r.desc != nil || d.typ.oid == types.RecordOID {
		return r.desc, nil
	}
	desc, err := f.rt.rowDesc(d.typ)
	if err != nil {
		return nil, err
	}
	r.desc = desc
	r.values = nullRow(len(desc.Attrs))
	return desc, nil
}

func nullRow(n int) types.Row {
	row := make(types.Row, n)
	for i := range row {
		row[i] = types.Null
	}
	return row
}

func notAssigned(d *datum) *pgerr.Error {
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "record \"%s\" is not assigned yet", d.name).
		WithDetail("The tuple structure of a not-yet-assigned record is indeterminate.")
}

// fieldIndex finds a field of a record.
func (f *frame) fieldIndex(d *datum, field string) (*record, int, *pgerr.Error) {
	desc, err := f.shape(d)
	if err != nil {
		return nil, 0, pgerr.From(err)
	}
	if desc == nil {
		return nil, 0, notAssigned(d)
	}
	for i := range desc.Attrs {
		if a := &desc.Attrs[i]; a.Name == field && !a.Dropped {
			return f.records[d.number], i, nil
		}
	}
	return nil, 0, pgerr.New(pgerr.UndefinedColumn, "record \"%s\" has no field \"%s\"", d.name, field)
}

func (f *frame) checkField(d *datum, field string) *pgerr.Error {
	_, _, err := f.fieldIndex(d, field)
	return err
}

// paramType is the type that a parameter has now.
func (f *frame) paramType(p *param) (types.OID, int32) {
	if p.d.kind != recordDatum {
		return p.d.typ.oid, p.d.typ.mod
	}
	if p.field == "" {
		if p.d.typ.oid == types.RecordOID {
			if desc := f.records[p.d.number].desc; desc != nil && desc.TypeOID != 0 {
				return desc.TypeOID, desc.TypMod
			}
		}
		return p.d.typ.oid, -1
	}
	r, i, err := f.fieldIndex(p.d, p.field)
	if err != nil {
		return 0, -1
	}
	a := &r.desc.Attrs[i]
	return a.TypeOID, a.TypMod
}

// paramValue is the value that a parameter has now.
func (f *frame) paramValue(p *param) (types.Datum, error) {
	if p.d.kind != recordDatum {
		return f.values[p.d.number], nil
	}
	if p.field == "" {
		return f.recordValue(p.d)
	}
	r, i, err := f.fieldIndex(p.d, p.field)
	if err != nil {
		return types.Null, err
	}
	if i >= len(r.values) {
		return types.Null, nil
	}
	return r.values[i], nil
}

// recordValue makes one composite value of a record variable.
func (f *frame) recordValue(d *datum) (types.Datum, error) {
	r := f.records[d.number]
	desc, err := f.shape(d)
	if err != nil {
		return types.Null, err
	}
	if r.null {
		return types.Null, nil
	}
	if desc == nil {
		return types.Null, notAssigned(d)
	}
	return types.MakeRecord(desc, r.values)
}

// assign gives a target a value of a type, converted to its own.
func (f *frame) assign(tg target, v types.Datum, typ types.OID, mod int32) error {
	d := tg.d
	switch {
	case tg.field != "":
		r, i, err := f.fieldIndex(d, tg.field)
		if err != nil {
			return err
		}
		a := &r.desc.Attrs[i]
		out, e := f.rt.cast(v, typ, mod, a.TypeOID, a.TypMod)
		if e != nil {
			return e
		}
		f.ownValues(r)
		r.values[i] = out
		r.null = false
		return nil
	case d.kind == recordDatum:
		return f.assignComposite(d, v, typ)
	case d.kind == listDatum:
		return f.assignList(d, v, typ)
	}
	out, err := f.rt.cast(v, typ, mod, d.typ.oid, d.typ.mod)
	if err != nil {
		return err
	}
	if out.IsNull() && d.notNull {
		return pgerr.New(pgerr.NullValueNotAllowed, "null value cannot be assigned to variable \"%s\" declared NOT NULL", d.name)
	}
	f.values[d.number] = out
	return nil
}

// ownValues makes sure that a record has values to change.
func (f *frame) ownValues(r *record) {
	if len(r.values) != len(r.desc.Attrs) {
		r.values = nullRow(len(r.desc.Attrs))
	}
}

func (f *frame) checkNotNullDefault(d *datum) error {
	if d.notNull && d.kind == scalarDatum {
		return pgerr.New(pgerr.NullValueNotAllowed, "null value cannot be assigned to variable \"%s\" declared NOT NULL", d.name)
	}
	// A domain may refuse null.
	if d.kind == scalarDatum {
		if _, ok := types.BuiltinType(d.typ.oid); !ok {
			_, err := f.rt.cast(types.Null, types.UnknownOID, -1, d.typ.oid, d.typ.mod)
			return err
		}
	}
	return nil
}

// assignComposite assigns a composite value to a record variable.
func (f *frame) assignComposite(d *datum, v types.Datum, typ types.OID) error {
	if v.IsNull() {
		if d.notNull {
			return pgerr.New(pgerr.NullValueNotAllowed, "null value cannot be assigned to variable \"%s\" declared NOT NULL", d.name)
		}
		r := f.records[d.number]
		*r = record{desc: r.desc, null: true}
		if r.desc != nil {
			r.values = nullRow(len(r.desc.Attrs))
		}
		return nil
	}
	row, err := f.isComposite(typ)
	if err != nil {
		return err
	}
	if !row {
		return pgerr.New(pgerr.DatatypeMismatch, "cannot assign non-composite value to a record variable")
	}
	desc, fields, err := types.RecordFields(f.rt.host.Backend().Env, v, nil)
	if err != nil {
		return err
	}
	return f.assignRow(d, desc, fields)
}

func (f *frame) isComposite(typ types.OID) (bool, error) {
	t, err := f.rt.typeOf(typ, -1)
	return t.row, err
}

// assignList assigns the fields of a composite value to a list of targets.
func (f *frame) assignList(d *datum, v types.Datum, typ types.OID) error {
	if v.IsNull() {
		return f.assignRow(d, nil, nil)
	}
	row, err := f.isComposite(typ)
	if err != nil {
		return err
	}
	if !row {
		return pgerr.New(pgerr.DatatypeMismatch, "cannot assign non-composite value to a row variable")
	}
	desc, fields, err := types.RecordFields(f.rt.host.Backend().Env, v, nil)
	if err != nil {
		return err
	}
	return f.assignRow(d, desc, fields)
}

// assignRow assigns a row of columns to a record variable or a list of targets, by position: what is missing becomes null, what is too much is
// dropped. A nil desc stands for no row.
func (f *frame) assignRow(d *datum, desc *types.TupleDesc, row types.Row) error {
	live := liveColumns(desc)
	if d.kind == listDatum {
		for i, tg := range d.targets {
			v, typ, mod := types.Null, types.UnknownOID, int32(-1)
			if i < len(live) {
				a := &desc.Attrs[live[i]]
				v, typ, mod = row[live[i]].Clone(), a.TypeOID, a.TypMod
			}
			if err := f.assign(tg, v, typ, mod); err != nil {
				return err
			}
		}
		return nil
	}
	r := f.records[d.number]
	if d.typ.oid == types.RecordOID {
		if desc == nil {
			*r = record{desc: r.desc, null: true}
			if r.desc != nil {
				r.values = nullRow(len(r.desc.Attrs))
			}
			return nil
		}
		*r = record{desc: desc, values: make(types.Row, len(row))}
		for i := range row {
			r.values[i] = row[i].Clone()
		}
		return nil
	}
	own, err := f.shape(d)
	if err != nil {
		return err
	}
	values := nullRow(len(own.Attrs))
	n := 0
	for i := range own.Attrs {
		a := &own.Attrs[i]
		if a.Dropped {
			continue
		}
		if n < len(live) {
			from := &desc.Attrs[live[n]]
			if values[i], err = f.rt.cast(row[live[n]].Clone(), from.TypeOID, from.TypMod, a.TypeOID, a.TypMod); err != nil {
				return err
			}
		}
		n++
	}
	*r = record{desc: own, values: values, null: desc == nil}
	return nil
}

// liveColumns are the positions of the columns that were not dropped.
func liveColumns(desc *types.TupleDesc) []int {
	if desc == nil {
		return nil
	}
	list := make([]int, 0, len(desc.Attrs))
	for i := range desc.Attrs {
		if !desc.Attrs[i].Dropped {
			list = append(list, i)
		}
	}
	return list
}
