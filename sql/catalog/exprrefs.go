package catalog

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// refSet collects objects once each, in the order of their finding.
type refSet struct {
	types func(oid OID) *Type
	seen  map[Object]bool
	list  []Object
}

func (s *refSet) add(class, oid OID, sub int32) {
	o := Object{class, oid, sub}
	if oid == 0 || s.seen[o] {
		return
	}
	if s.seen == nil {
		s.seen = map[Object]bool{}
	}
	s.seen[o] = true
	s.list = append(s.list, o)
}

// ExprRefs lists what an expression uses; rels are the relations of VarNo 1, 2, ..., 0 = none.
func (v *View) ExprRefs(e query.Expr, rels []OID) []Object {
	s := refSet{types: v.typeOrNil}
	s.expr(e, [][]*query.RTE{relationRTEs(rels)})
	return s.list
}

// typeOrNil is Type for those who go on without.
func (v *View) typeOrNil(oid OID) *Type {
	t, err := v.Type(oid)
	if err != nil {
		return nil
	}
	return t
}

func relationRTEs(rels []OID) []*query.RTE {
	var list []*query.RTE
	for _, oid := range rels {
		list = append(list, &query.RTE{Kind: query.RTERelation, RelOID: oid})
	}
	return list
}

// QueryRefs lists what a query uses.
func (v *View) QueryRefs(q *query.Query) []Object {
	s := refSet{types: v.typeOrNil}
	s.query(q, nil)
	return s.list
}

// query adds what q uses; tables are the range tables around it, the outermost first.
func (s *refSet) query(q *query.Query, tables [][]*query.RTE) {
	tables = append(tables[:len(tables):len(tables)], q.RangeTable)
	for _, rte := range q.RangeTable {
		if rte.Kind == query.RTERelation {
			s.add(PgClassOID, rte.RelOID, 0)
		}
		for i, t := range rte.ColTypes {
			s.add(PgTypeOID, t, 0)
			s.collation(rte.ColCollations, i)
		}
	}
	for _, list := range [][]*query.SortGroupClause{q.GroupBy, q.SortBy, q.Distinct} {
		for _, c := range list {
			s.add(PgOperatorOID, c.EqOp, 0)
			s.add(PgOperatorOID, c.SortOp, 0)
		}
	}
	for _, con := range q.ConstraintDeps {
		s.add(PgConstraintOID, con, 0)
	}
	if q.Command != query.CmdSelect && q.ResultRelation > 0 {
		rel := q.RangeTable[q.ResultRelation-1].RelOID
		for _, t := range q.Targets {
			if !t.Junk {
				s.add(PgClassOID, rel, int32(t.ResNo))
			}
		}
	}
	query.WalkQuery(q, func(e query.Expr) bool { s.node(e, tables); return true }, func(sub *query.Query) { s.query(sub, tables) })
}

func (s *refSet) expr(e query.Expr, tables [][]*query.RTE) {
	query.Walk(e, func(e query.Expr) bool {
		s.node(e, tables)
		if sub, ok := e.(*query.SubLink); ok && sub.Subquery != nil {
			s.query(sub.Subquery, tables)
		}
		return true
	})
}

func (s *refSet) collation(list []OID, i int) {
	if i < len(list) {
		s.coll(list[i])
	}
}

func (s *refSet) coll(oid OID) {
	if oid != DefaultCollation {
		s.add(PgCollationOID, oid, 0)
	}
}

// node adds what one node names.
func (s *refSet) node(e query.Expr, tables [][]*query.RTE) {
	switch x := e.(type) {
	case *query.Var:
		s.variable(x, tables)
	case *query.Const:
		s.constant(x)
	case *query.Param:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.FuncExpr:
		s.add(PgProcOID, x.FuncOID, 0)
	case *query.OpExpr:
		s.add(PgOperatorOID, x.OpOID, 0)
	case *query.DistinctExpr:
		s.add(PgOperatorOID, x.OpOID, 0)
	case *query.NullIfExpr:
		s.add(PgOperatorOID, x.OpOID, 0)
	case *query.ScalarArrayOpExpr:
		s.add(PgOperatorOID, x.OpOID, 0)
	case *query.Aggref:
		s.add(PgProcOID, x.AggOID, 0)
	case *query.WindowFunc:
		s.add(PgProcOID, x.FuncOID, 0)
	case *query.RelabelType:
		s.add(PgTypeOID, x.TypeOID, 0)
		s.coll(x.Coll)
	case *query.CoerceViaIO:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.ArrayCoerceExpr:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.ConvertRowtypeExpr:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.CollateExpr:
		s.coll(x.Coll)
	case *query.RowExpr:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.RowCompareExpr:
		for i := range x.OpOIDs {
			s.add(PgOperatorOID, x.OpOIDs[i], 0)
			s.add(PgOpfamilyOID, x.OpFamilies[i], 0)
		}
	case *query.CoerceToDomain:
		s.add(PgTypeOID, x.TypeOID, 0)
	case *query.FieldSelect:
		s.field(x.Arg.Type(), x.FieldNum)
	case *query.FieldStore:
		for _, n := range x.FieldNums {
			s.field(x.TypeOID, n)
		}
	case *query.NextValueExpr:
		s.add(PgClassOID, x.SeqOID, 0)
	}
}

// field adds a column of a composite type, or of a domain over one. Of an anonymous record there is none.
func (s *refSet) field(typ OID, num int16) {
	t := s.types(typ)
	for t != nil && t.Kind == 'd' {
		t = s.types(t.BaseType)
	}
	if t != nil && t.RelID != 0 {
		s.add(PgClassOID, t.RelID, int32(num))
		return
	}
	s.add(PgTypeOID, typ, 0)
}

func (s *refSet) variable(x *query.Var, tables [][]*query.RTE) {
	level := len(tables) - 1 - x.LevelsUp
	if level < 0 || x.VarNo < 1 || x.VarNo > len(tables[level]) {
		return
	}
	if rte := tables[level][x.VarNo-1]; rte.Kind == query.RTERelation {
		s.add(PgClassOID, rte.RelOID, int32(max(x.AttNo, 0)))
	}
}

// constant adds a constant's type, and the object that a reg* constant names.
func (s *refSet) constant(x *query.Const) {
	s.add(PgTypeOID, x.TypeOID, 0)
	if x.Value.IsNull() {
		return
	}
	oid := x.Value.Oid()
	switch x.TypeOID {
	case types.RegprocOID, types.RegprocedureOID:
		s.add(PgProcOID, oid, 0)
	case types.RegoperOID, types.RegoperatorOID:
		s.add(PgOperatorOID, oid, 0)
	case types.RegclassOID:
		s.add(PgClassOID, oid, 0)
	case types.RegtypeOID:
		s.add(PgTypeOID, oid, 0)
	case types.RegcollationOID:
		s.coll(oid)
	case types.RegnamespaceOID:
		s.add(PgNamespaceOID, oid, 0)
	}
}
