package ddl

import (
	"slices"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

const paramsMax = 100

// storeFunction makes the row of a function, or replaces it, and what it depends on.
func (c *ctx) storeFunction(f *functionDef) (OID, error) {
	if len(f.params.in) > paramsMax {
		return 0, pgerr.New(pgerr.TooManyArguments, "functions cannot have more than %d arguments", paramsMax)
	}
	if err := c.checkSignature(f); err != nil {
		return 0, err
	}
	row, err := c.procRow(f)
	if err != nil {
		return 0, err
	}
	tid, old, err := c.v.Find(catalog.PgProcPronameArgsNspIndexOID, types.Text(f.name), row[catalog.ProcProargtypes], types.Oid(f.ns))
	if err != nil {
		return 0, err
	}
	if old != nil {
		oid := old[catalog.ProcOid].Oid()
		if err := c.checkReplace(f, oid); err != nil {
			return 0, err
		}
		for _, keep := range []int{catalog.ProcOid, catalog.ProcProowner, catalog.ProcProacl} {
			row[keep] = old[keep]
		}
		if err := c.v.Update(catalog.PgProcOID, tid, old, row); err != nil {
			return 0, err
		}
		if err := c.v.RemoveDepends(object(catalog.PgProcOID, oid), 0, 0); err != nil {
			return 0, err
		}
		return oid, c.functionDepends(oid, f)
	}
	oid, err := c.v.GetNewOID(catalog.PgProcOidIndexOID)
	if err != nil {
		return 0, err
	}
	row[catalog.ProcOid] = types.Oid(oid)
	if err := c.v.Insert(catalog.PgProcOID, row); err != nil {
		return 0, err
	}
	if err := c.v.DependOwner(object(catalog.PgProcOID, oid), f.owner); err != nil {
		return 0, err
	}
	return oid, c.functionDepends(oid, f)
}

// checkSignature refuses results that the arguments don't determine, and unsafe uses of internal.
func (c *ctx) checkSignature(f *functionDef) error {
	check := func(t OID) error {
		if detail := analyze.BadPolymorphicResult(t, f.params.in); detail != "" {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "cannot determine result data type").WithDetail("%s", detail)
		}
		if t == types.InternalOID && !slices.Contains(f.params.in, types.InternalOID) {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "unsafe use of pseudo-type \"internal\"").
				WithDetail("A function returning \"internal\" must have at least one \"internal\" argument.")
		}
		return nil
	}
	if err := check(f.ret); err != nil {
		return err
	}
	if f.params.allPlain {
		return nil
	}
	for i, t := range f.params.all {
		if m := f.params.modes[i]; m == 'i' || m == 'v' {
			continue
		}
		if err := check(t); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) procRow(f *functionDef) (types.Row, error) {
	p, a := &f.params, &f.attrs
	row := catalog.NewRow(catalog.PgProcOID)
	isSet := func(b *bool) types.Datum { return types.Bool(b != nil && *b) }
	orElse := func(b, other byte) types.Datum {
		if b == 0 {
			b = other
		}
		return types.Char(b)
	}
	config, err := c.updateConfig(nil, a.sets)
	if err != nil {
		return nil, err
	}
	row[catalog.ProcProname], row[catalog.ProcPronamespace] = types.Text(f.name), types.Oid(f.ns)
	row[catalog.ProcProowner], row[catalog.ProcProlang] = types.Oid(f.owner), types.Oid(f.lang)
	row[catalog.ProcProcost], row[catalog.ProcProrows] = types.Float4(float32(a.cost)), types.Float4(float32(a.rows))
	row[catalog.ProcProvariadic], row[catalog.ProcProsupport] = types.Oid(p.variadic), types.Oid(a.support)
	row[catalog.ProcProkind] = types.Char(f.kind)
	row[catalog.ProcProsecdef], row[catalog.ProcProleakproof] = isSet(a.secDef), types.Bool(a.leakProof)
	row[catalog.ProcProisstrict], row[catalog.ProcProretset] = isSet(a.strict), types.Bool(f.retSet)
	row[catalog.ProcProvolatile], row[catalog.ProcProparallel] = orElse(a.volatile, 'v'), orElse(a.parallel, 'u')
	row[catalog.ProcPronargs], row[catalog.ProcPronargdefaults] = types.Int2(int16(len(p.in))), types.Int2(int16(len(p.defaults)))
	row[catalog.ProcProrettype], row[catalog.ProcProargtypes] = types.Oid(f.ret), catalog.OIDVector(p.in)
	if !p.allPlain {
		row[catalog.ProcProallargtypes], row[catalog.ProcProargmodes] = catalog.OIDArray(p.all), catalog.CharArray(p.modes)
	}
	if p.hasNames {
		row[catalog.ProcProargnames] = catalog.TextArray(p.names)
	}
	if len(p.defaults) > 0 {
		row[catalog.ProcProargdefaults] = types.Text(query.EncodeExprs(p.defaults))
	}
	row[catalog.ProcProsrc], row[catalog.ProcProbin], row[catalog.ProcProsqlbody] = types.Text(f.src), f.bin, f.body
	row[catalog.ProcProconfig] = configDatum(config)
	return row, nil
}

// functionDepends records what a function depends on.
func (c *ctx) functionDepends(oid OID, f *functionDef) error {
	self := object(catalog.PgProcOID, oid)
	seen := map[catalog.Object]bool{}
	add := func(refs ...catalog.Object) error {
		for _, r := range refs {
			if seen[r] {
				continue
			}
			seen[r] = true
			if err := c.v.Depend(self, catalog.DepNormal, r); err != nil {
				return err
			}
		}
		return nil
	}
	refs := []catalog.Object{object(catalog.PgNamespaceOID, f.ns), object(catalog.PgLanguageOID, f.lang), object(catalog.PgTypeOID, f.ret)}
	for _, t := range f.params.all {
		refs = append(refs, object(catalog.PgTypeOID, t))
	}
	refs = append(refs, object(catalog.PgProcOID, f.attrs.support))
	refs = append(refs, f.bodyRefs...)
	for _, e := range f.params.defaults {
		refs = append(refs, c.v.ExprRefs(e, nil)...)
	}
	return add(refs...)
}

// checkReplace refuses to replace a function where calls of it could break.
func (c *ctx) checkReplace(f *functionDef, oid OID) error {
	old, err := c.v.Proc(oid)
	if err != nil {
		return err
	}
	if !f.replace {
		return pgerr.New(pgerr.DuplicateFunction, "function \"%s\" already exists with same argument types", f.name)
	}
	ok, err := c.v.IsOwner(c.v.User(), old.Owner)
	if err := orDenied(ok, err, "must be owner of function %s", f.name); err != nil {
		return err
	}
	if old.Kind != f.kind {
		word := map[byte]string{'a': "an aggregate function", 'f': "a function", 'p': "a procedure", 'w': "a window function"}[old.Kind]
		return pgerr.New(pgerr.WrongObjectType, "cannot change routine kind").WithDetail("\"%s\" is %s.", f.name, word)
	}
	drop := map[byte]string{'p': "DROP PROCEDURE", 'a': "DROP AGGREGATE"}[f.kind]
	if drop == "" {
		drop = "DROP FUNCTION"
	}
	refuse := func(e *pgerr.Error) error { return e.WithHint("Use %s %s first.", drop, c.v.ProcText(old)) }
	if f.ret != old.RetType || f.retSet != old.RetSet {
		if f.kind == 'p' {
			return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change whether a procedure has output parameters"))
		}
		return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change return type of existing function"))
	}
	if f.ret == types.RecordOID && !sameOutColumns(old, f) {
		return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change return type of existing function").
			WithDetail("Row type defined by OUT parameters is different."))
	}
	oldNames := inputNames(old)
	for i, name := range oldNames {
		if name != "" && (i >= len(f.params.inNames) || f.params.inNames[i] != name) {
			return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change name of input parameter \"%s\"", name))
		}
	}
	if len(f.params.defaults) < len(old.Defaults) {
		return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot remove parameter defaults from existing function"))
	}
	fresh := f.params.defaults[len(f.params.defaults)-len(old.Defaults):]
	for i, e := range old.Defaults {
		if e.Type() != fresh[i].Type() {
			return refuse(pgerr.New(pgerr.InvalidFunctionDefinition, "cannot change data type of existing parameter default value"))
		}
	}
	return nil
}

// inputNames are the names of a function's input parameters.
func inputNames(p *catalog.Proc) []string {
	var list []string
	for i, n := range p.ArgNames {
		if p.ArgModes == nil || p.ArgModes[i] == 'i' || p.ArgModes[i] == 'b' || p.ArgModes[i] == 'v' {
			list = append(list, n)
		}
	}
	return list
}

// sameOutColumns says whether OUT parameters make the same row type as before.
func sameOutColumns(old *catalog.Proc, f *functionDef) bool {
	fresh := &catalog.Proc{RetType: f.ret, Kind: f.kind}
	if !f.params.allPlain {
		fresh.AllArgTypes, fresh.ArgModes, fresh.ArgNames = f.params.all, f.params.modes, f.params.names
	}
	same := func(t OID) OID { return t }
	none := func(OID) OID { return 0 }
	a, b := analyze.OutColumns(old, same, none), analyze.OutColumns(fresh, same, none)
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return slices.EqualFunc(a.Attrs, b.Attrs, func(x, y types.Attr) bool { return x.Name == y.Name && x.TypeOID == y.TypeOID })
}
