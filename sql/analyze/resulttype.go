package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// resultClass is what kind of value a function gives.
type resultClass uint8

const (
	resultScalar resultClass = iota
	resultComposite
	resultRecord // columns unknown
	resultOther  // a pseudo-type that cannot be a value
)

// resultType classifies an expression's result, and gives the columns of a composite one.
func (p *state) resultType(e query.Expr) (resultClass, OID, *types.TupleDesc) {
	switch x := e.(type) {
	case *query.FuncExpr:
		if d := p.outColumns(x); d != nil {
			return resultComposite, types.RecordOID, d
		}
	case *query.RowExpr:
		if x.TypeOID == types.RecordOID {
			d := &types.TupleDesc{TypeOID: types.RecordOID, TypMod: -1}
			for i, a := range x.Args {
				d.Attrs = append(d.Attrs, types.Attr{Name: x.ColNames[i], TypeOID: a.Type(), TypMod: a.TypMod(), Collation: a.Collation()})
			}
			return resultComposite, x.TypeOID, d
		}
	}
	t := e.Type()
	base := p.baseType(t)
	ty := p.typ(base)
	switch {
	case ty.Kind == 'c':
		return resultComposite, t, p.relation(ty.RelID).Desc
	case base == types.RecordOID:
		if d := p.rowDesc(base, e.TypMod()); d != nil {
			return resultComposite, t, d
		}
		return resultRecord, t, nil
	case ty.Kind == 'p' && t != types.VoidOID && t != types.CstringOID:
		return resultOther, t, nil
	}
	return resultScalar, t, nil
}

// exprDesc gives the columns of a row value, nil when they are not known.
func (p *state) exprDesc(e query.Expr) *types.TupleDesc {
	if v, ok := e.(*query.Var); ok && v.TypeOID == types.RecordOID {
		return p.recordVarDesc(v)
	}
	if class, _, d := p.resultType(e); class == resultComposite {
		return d
	}
	return nil
}

// recordVarDesc finds the columns of a variable of type record by looking at where it comes from.
func (p *state) recordVarDesc(v *query.Var) *types.TupleDesc {
	rte := p.rteAt(v.VarNo, v.LevelsUp)
	if v.AttNo == 0 {
		item := p.itemOf(v.VarNo, v.LevelsUp)
		if item == nil {
			return nil
		}
		d := &types.TupleDesc{TypeOID: types.RecordOID, TypMod: -1}
		for i := range item.cols {
			c := &item.cols[i]
			d.Attrs = append(d.Attrs, types.Attr{Name: item.names.Cols[i], TypeOID: c.typ, TypMod: c.mod, Collation: c.coll, Dropped: c.varNo == 0})
		}
		return d
	}
	switch rte.Kind {
	case query.RTESubquery:
		list := visibleTargets(rte.Subquery)
		if int(v.AttNo) <= len(list) {
			s := p
			for range v.LevelsUp {
				s = s.parent
			}
			inner := newState(p.env, s)
			inner.rtable = rte.Subquery.RangeTable
			inner.ctes = rte.Subquery.CTEs
			return inner.exprDesc(list[v.AttNo-1].Expr)
		}
	case query.RTEValues:
		if len(rte.Values) > 0 {
			return p.exprDesc(rte.Values[0][v.AttNo-1])
		}
	case query.RTEJoin:
		return p.exprDesc(rte.JoinAliasVars[v.AttNo-1])
	case query.RTECTE:
		if rte.SelfRef {
			return nil
		}
		s := p
		for range v.LevelsUp + rte.CTELevelsUp {
			s = s.parent
		}
		for _, c := range s.ctes {
			if c.Name == rte.CTEName && c.Query != nil && int(v.AttNo) <= len(visibleTargets(c.Query)) {
				inner := newState(p.env, s)
				inner.rtable, inner.ctes = c.Query.RangeTable, c.Query.CTEs
				return inner.exprDesc(visibleTargets(c.Query)[v.AttNo-1].Expr)
			}
		}
	}
	return nil
}

// outColumns gives the columns that OUT parameters define, nil when they define no row.
func (p *state) outColumns(f *query.FuncExpr) *types.TupleDesc {
	proc := p.proc(f.FuncOID)
	return OutColumns(proc, func(declared OID) OID { return p.actualOut(proc, f, declared) }, p.typeCollation)
}

// actualOut resolves a polymorphic OUT parameter from the call's arguments.
func (p *state) actualOut(proc *catalog.Proc, f *query.FuncExpr, declared OID) OID {
	if !isPolymorphic(declared) {
		return declared
	}
	n := min(len(f.Args), len(proc.ArgTypes))
	actual := make([]OID, n)
	for i := range n {
		actual[i] = f.Args[i].Type()
	}
	return p.resolveGeneric(actual, append([]OID(nil), proc.ArgTypes[:n]...), declared)
}

// OutColumns gives the row that a function's OUT, INOUT and TABLE parameters define; nil when there are fewer than two of them or the function
// does not return record. resolve gives the actual type of a declared one.
func OutColumns(proc *catalog.Proc, resolve func(OID) OID, collation func(OID) OID) *types.TupleDesc {
	if proc.RetType != types.RecordOID || proc.ArgModes == nil {
		return nil
	}
	d := &types.TupleDesc{TypeOID: types.RecordOID, TypMod: -1}
	for i, m := range proc.ArgModes {
		if m != 'o' && m != 'b' && m != 't' {
			continue
		}
		name := ""
		if i < len(proc.ArgNames) {
			name = proc.ArgNames[i]
		}
		if name == "" {
			name = "column" + itoa(len(d.Attrs)+1)
		}
		t := resolve(proc.AllArgTypes[i])
		d.Attrs = append(d.Attrs, types.Attr{Name: name, TypeOID: t, TypMod: -1, Collation: collation(t)})
	}
	if len(d.Attrs) < 2 && proc.Kind != 'p' {
		return nil
	}
	if len(d.Attrs) == 0 {
		return nil
	}
	return d
}

// singleOutName is the name of a function's only OUT parameter, which names its column in FROM; "" = none.
func (p *state) singleOutName(e query.Expr) string {
	f, ok := e.(*query.FuncExpr)
	if !ok {
		return ""
	}
	proc := p.proc(f.FuncOID)
	name, count := "", 0
	for i, m := range proc.ArgModes {
		if m == 'o' || m == 'b' || m == 't' {
			count++
			if i < len(proc.ArgNames) {
				name = proc.ArgNames[i]
			}
		}
	}
	if count == 1 {
		return name
	}
	return ""
}
