package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// update analyses UPDATE.
func (p *state) update(s *pg_query.UpdateStmt) *query.Query {
	q := &query.Query{Command: query.CmdUpdate}
	p.withClause(q, s.WithClause)
	q.ResultRelation = p.setTarget(s.Relation, s.Relation.Inh, true, query.AclUpdate)
	p.fromWithTarget(s.FromClause)
	where := p.whereClause(s.WhereClause, kindWhere, "WHERE")
	q.Returning = p.returning(s.ReturningList)
	q.Targets = p.updateTargets(s.TargetList)
	p.finish(q, where)
	p.assignQueryCollations(q)
	return q
}

// fromWithTarget analyses FROM or USING, in which the target's name must not be used LATERALly.
func (p *state) fromWithTarget(list []*node) {
	p.targetNS.lateralOnly, p.targetNS.lateralOK = true, false
	p.from(list)
	p.targetNS.lateralOnly, p.targetNS.lateralOK = false, true
}

// updateTargets analyses SET.
func (p *state) updateTargets(list []*node) []*query.TargetEntry {
	out := p.targetList(list, kindUpdateSource)
	p.nextResNo = max(p.nextResNo, len(p.target.Desc.Attrs)+1)
	rte := p.targetNS.rte
	for i, t := range out {
		rt := list[i].GetResTarget()
		at := int(rt.Location)
		num := p.updateColumn(rt.Name, at)
		t.Expr = p.assignColumn(t.Expr, kindUpdateTarget, rt.Name, int(num), rt.Indirection, at)
		t.ResNo, t.Name = int(num), rt.Name
		if rte.UpdatedCols == nil {
			rte.UpdatedCols = map[int]bool{}
		}
		rte.UpdatedCols[int(num)] = true
	}
	// Sub-selects of multiple assignment are junk entries at the end.
	for i, m := range p.multiAssign {
		if s, ok := m.Expr.(*query.SubLink); ok {
			s.ID = i + 1
			m.ResNo = p.nextResNo
			p.nextResNo++
			out = append(out, m)
		}
	}
	p.multiAssign = nil
	return out
}

func (p *state) updateColumn(name string, at int) int16 {
	if a := p.target.AttrByName(name); a != nil {
		return a.Num
	}
	if sys, ok := systemColumns[name]; ok && p.target.Kind != 'v' {
		return sys.num
	}
	fail(at, pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name, p.target.Name)
	return 0
}

// delete analyses DELETE.
func (p *state) delete(s *pg_query.DeleteStmt) *query.Query {
	q := &query.Query{Command: query.CmdDelete}
	p.withClause(q, s.WithClause)
	q.ResultRelation = p.setTarget(s.Relation, s.Relation.Inh, true, query.AclDelete)
	p.fromWithTarget(s.UsingClause)
	where := p.whereClause(s.WhereClause, kindWhere, "WHERE")
	q.Returning = p.returning(s.ReturningList)
	p.finish(q, where)
	p.assignQueryCollations(q)
	return q
}

// onConflict analyses ON CONFLICT.
func (p *state) onConflict(q *query.Query, c *pg_query.OnConflictClause) *query.OnConflict {
	out := &query.OnConflict{Action: query.OnConflictNothing}
	update := c.Action == pg_query.OnConflictAction_ONCONFLICT_UPDATE
	p.arbiter(out, c, update)
	if !update {
		return out
	}
	out.Action = query.OnConflictUpdate
	// EXCLUDED has the target's columns; it is no relation to lock or check.
	excl := p.addRelation(p.target, RowExclusiveLock, &query.Alias{Name: "excluded"}, false, false)
	excl.rte.RelKind = 'c'
	excl.rte.RequiredPerms = 0
	out.ExclRTIndex = excl.index
	for i := range excl.cols {
		out.ExclTargets = append(out.ExclTargets, p.exclTarget(excl, i))
	}
	out.ExclTargets = append(out.ExclTargets, &query.TargetEntry{Junk: true, Expr: &query.Var{VarNo: excl.index, TypeOID: p.target.RowType, Mod: -1, Loc: -1,
		SynNo: excl.index}})
	p.addToQuery(excl, false, true, true)
	saveRes := p.nextResNo
	p.nextResNo = 1
	out.Set = p.updateTargets(c.TargetList)
	p.nextResNo = saveRes
	out.Where = p.whereClause(c.WhereClause, kindWhere, "WHERE")
	// RETURNING sees the target only.
	p.namespace = p.namespace[:len(p.namespace)-1]
	return out
}

func (p *state) exclTarget(excl *nsItem, i int) *query.TargetEntry {
	c := &excl.cols[i]
	if c.varNo == 0 {
		return &query.TargetEntry{ResNo: i + 1, Expr: &query.Const{TypeOID: 23, Mod: -1, Value: nullDatum, Loc: -1}}
	}
	return &query.TargetEntry{ResNo: i + 1, Name: excl.names.Cols[i], Expr: c.makeVar(0, -1)}
}

// arbiter analyses the conflict target.
func (p *state) arbiter(out *query.OnConflict, c *pg_query.OnConflictClause, update bool) {
	if update && c.Infer == nil {
		throw(pgerr.New(pgerr.SyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name").
			WithHint("For example, ON CONFLICT (column_name).").WithLocation(int(c.Location)))
	}
	if p.target.Namespace == 11 {
		fail(int(c.Location), pgerr.FeatureNotSupported, "ON CONFLICT is not supported with system catalog tables")
	}
	if c.Infer == nil {
		return
	}
	if c.Infer.Conname != "" {
		p.arbiterConstraint(out, c.Infer)
		return
	}
	save := p.namespace
	p.namespace = nil
	p.addToQuery(p.targetNS, false, false, true)
	for _, n := range c.Infer.IndexElems {
		out.ArbiterElems = append(out.ArbiterElems, p.inferElem(n.GetIndexElem(), int(c.Infer.Location)))
	}
	if c.Infer.WhereClause != nil {
		out.ArbiterWhere = p.whereClause(c.Infer.WhereClause, kindIndexPredicate, "WHERE")
	}
	p.namespace = save
	p.targetNS.relVisible = true
}

func (p *state) inferElem(el *pg_query.IndexElem, at int) *query.InferenceElem {
	if el.Ordering != pg_query.SortByDir_SORTBY_DEFAULT {
		fail(at, pgerr.InvalidColumnReference, "ASC/DESC is not allowed in ON CONFLICT clause")
	}
	if el.NullsOrdering != pg_query.SortByNulls_SORTBY_NULLS_DEFAULT {
		fail(at, pgerr.InvalidColumnReference, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause")
	}
	out := &query.InferenceElem{}
	if el.Expr != nil {
		out.Expr = p.expr(el.Expr, kindIndexExpression)
	} else {
		out.Expr = p.columnRef(&pg_query.ColumnRef{Location: int32(at),
			Fields: []*node{{Node: &pg_query.Node_String_{String_: &pg_query.String{Sval: el.Name}}}}})
	}
	if len(el.Collation) > 0 {
		out.Coll = p.collationByName(strList(el.Collation), at)
	}
	if len(el.Opclass) > 0 {
		schema, name := p.qualified(strList(el.Opclass))
		out.OpClass = must(p.env.Catalog.OpClassByName(btreeAM, schema, name))
		if out.OpClass == 0 {
			throw(pgerr.New(pgerr.UndefinedObject, "operator class \"%s\" does not exist for access method \"%s\"", nameList(strList(el.Opclass)), "btree"))
		}
	}
	return out
}

func (p *state) arbiterConstraint(out *query.OnConflict, inf *pg_query.InferClause) {
	for _, ix := range p.target.Indexes {
		if ix.Constraint == 0 {
			continue
		}
		con := must(p.env.Catalog.Constraint(ix.Constraint))
		if con == nil || con.Name != inf.Conname {
			continue
		}
		out.Constraint = con.OID
		rte := p.targetNS.rte
		rte.RequiredPerms |= query.AclSelect
		for _, k := range ix.Keys[:ix.NumKeys] {
			p.markSelectedColumn(p.targetNS.index, int(k))
		}
		return
	}
	throw(pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" for table \"%s\" does not exist", inf.Conname, p.target.Name))
}
