package plan

import (
	"fmt"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// preprocessTargets completes the target list for the command: all columns of an INSERT in table order, an UPDATE's new values, and the junk
// columns that find the row to change, to lock or to check again.
func (r *root) preprocessTargets() {
	q := r.q
	ts := append([]*query.TargetEntry(nil), q.Targets...)
	if q.ResultRelation > 0 {
		e := r.rte(q.ResultRelation)
		if e.Kind != query.RTERelation {
			fail(pgerr.Internal("result relation must be a regular relation"))
		}
		switch q.Command {
		case query.CmdInsert:
			ts = r.insertTargets(ts)
		case query.CmdUpdate:
			ts = r.updateTargets(ts)
		}
		if (q.Command == query.CmdUpdate || q.Command == query.CmdDelete || q.Command == query.CmdMerge) && !e.Inh {
			if r.rte(r.q.ResultRelation).RelKind != 'v' { // a view's old row is in the targets
				ts = append(ts, r.rowIdentity(len(ts)+1))
			}
		}
		if q.Command == query.CmdMerge {
			ts = r.mergeTargets(ts)
		}
	}
	for _, m := range r.rowMarks {
		ts = append(ts, r.rowMarkTarget(m, len(ts)+1))
	}
	if len(q.Returning) > 0 && len(q.RangeTable) > 1 {
		ts = r.addReturningVars(ts)
	}
	r.processedTargets = ts
}

// insertTargets gives every column an entry; those without one are null.
func (r *root) insertTargets(ts []*query.TargetEntry) []*query.TargetEntry {
	d := r.g.relation(r.rte(r.q.ResultRelation).RelOID).Desc
	out := make([]*query.TargetEntry, len(d.Attrs), len(d.Attrs)+4)
	for _, t := range ts {
		if t.Junk {
			continue
		}
		out[t.ResNo-1] = t
	}
	for i := range d.Attrs {
		if out[i] != nil {
			continue
		}
		a := &d.Attrs[i]
		var e query.Expr = nullConst(types.Int4OID, -1, 0)
		if !a.Dropped {
			e = nullConst(a.TypeOID, -1, a.Collation)
			if r.g.domainHasConstraints(a.TypeOID) {
				e = &query.CoerceToDomain{Arg: e, TypeOID: a.TypeOID, Mod: -1, Coll: a.Collation, Form: query.CoerceImplicitCast, Loc: -1}
			}
		}
		out[i] = &query.TargetEntry{Expr: e, ResNo: i + 1, Name: a.Name}
	}
	for _, t := range ts {
		if t.Junk {
			c := *t
			c.ResNo = len(out) + 1
			out = append(out, &c)
		}
	}
	return out
}

// updateTargets numbers the new values in sequence; updateCols remembers where they go.
func (r *root) updateTargets(ts []*query.TargetEntry) []*query.TargetEntry {
	out := make([]*query.TargetEntry, len(ts))
	for i, t := range ts {
		c := *t
		if !t.Junk {
			r.updateCols = append(r.updateCols, t.ResNo)
		}
		c.ResNo = i + 1
		out[i] = &c
	}
	return out
}

func (r *root) rowIdentity(n int) *query.TargetEntry {
	i := r.q.ResultRelation
	if k := r.rte(i).RelKind; k != 'r' && k != 'm' && k != 'p' {
		fail(pgerr.NotSupported("UPDATE or DELETE of a relation of kind '%c'", k))
	}
	v := &query.Var{VarNo: i, AttNo: tidAttNo, TypeOID: types.TidOID, Mod: -1, Loc: -1, SynNo: i, SynAttNo: tidAttNo}
	return &query.TargetEntry{Expr: v, ResNo: n, Name: "ctid", Junk: true}
}

// rowMarkTarget carries what re-fetches a row: its ctid, or the whole row where there is none.
func (r *root) rowMarkTarget(m *RowMark, n int) *query.TargetEntry {
	i := m.RTIndex
	if m.Type != RowMarkCopy {
		v := &query.Var{VarNo: i, AttNo: tidAttNo, TypeOID: types.TidOID, Mod: -1, Loc: -1, SynNo: i, SynAttNo: tidAttNo}
		return &query.TargetEntry{Expr: v, ResNo: n, Name: fmt.Sprintf("ctid%d", m.ID), Junk: true}
	}
	typ := types.RecordOID
	if e := r.rte(i); e.Kind == query.RTERelation {
		typ = r.g.relation(e.RelOID).RowType
	}
	v := &query.Var{VarNo: i, TypeOID: typ, Mod: -1, Loc: -1, SynNo: i}
	return &query.TargetEntry{Expr: v, ResNo: n, Name: fmt.Sprintf("wholerow%d", m.ID), Junk: true}
}

// addReturningVars carries columns of other relations that RETURNING reads.
func (r *root) addReturningVars(ts []*query.TargetEntry) []*query.TargetEntry {
	for _, t := range r.q.Returning {
		for _, v := range varsOf(t.Expr) {
			if v.VarNo == r.q.ResultRelation || hasTargetExpr(ts, v) {
				continue
			}
			ts = append(ts, &query.TargetEntry{Expr: v, ResNo: len(ts) + 1, Junk: true})
		}
	}
	return ts
}

func hasTargetExpr(ts []*query.TargetEntry, e query.Expr) bool {
	for _, t := range ts {
		if equal(t.Expr, e) {
			return true
		}
	}
	return false
}

// modifyPath puts the change of the target table on top.
func (r *root) modifyPath(out *rel, p *path) *path {
	q := r.q
	m := &ModifyTable{Command: q.Command, CanSetTag: q.CanSetTag, Nominal: q.ResultRelation, ResultRels: []int{q.ResultRelation}, EPQParam: -1}
	if q.Command == query.CmdUpdate {
		m.UpdateCols = [][]int{r.updateCols}
	}
	if len(q.WithChecks) > 0 {
		m.WithChecks = [][]*query.WithCheckOption{q.WithChecks}
	}
	if len(q.Returning) > 0 {
		m.Returning = [][]*query.TargetEntry{q.Returning}
	}
	for _, t := range r.processedTargets {
		if t.Junk && (t.Name == "ctid" || t.Name == "wholerow" && r.rte(q.ResultRelation).RelKind == 'v') {
			m.RowIDCol = []int{t.ResNo}
		}
	}
	if o := q.OnConflict; o != nil {
		m.OnConflict, m.Arbiters = o.Action, r.inferArbiters(o)
		for _, t := range o.Set {
			if !t.Junk {
				m.ConflictCols = append(m.ConflictCols, t.ResNo)
			}
		}
		m.ConflictSet = renumber(o.Set)
		m.ConflictWhere, m.ExclRTIndex, m.ExclTargets = o.Where, o.ExclRTIndex, o.ExclTargets
	}
	if q.Command == query.CmdMerge {
		m.MergeActions = [][]*query.MergeAction{q.MergeActions}
	}
	if q.Command != query.CmdInsert && r.rte(q.ResultRelation).Inh {
		r.resultChildren(m)
	}
	if len(q.RowMarks) == 0 {
		m.RowMarks = r.rowMarks
	}
	if r.epqParam < 0 {
		r.epqParam = r.g.newExecParam(0)
	}
	m.EPQParam = r.epqParam
	n := &path{kind: pModifyTable, rel: out, target: &pathTarget{}, sub: p, startup: p.startup, total: p.total, upper: &upperPath{modify: m}}
	if len(q.Returning) > 0 {
		n.rows = p.rows
		n.target = targetOf(r, q.Returning)
		n.target.width = p.target.width
	}
	return n
}

func renumber(ts []*query.TargetEntry) []*query.TargetEntry {
	out := make([]*query.TargetEntry, len(ts))
	for i, t := range ts {
		c := *t
		c.ResNo = i + 1
		out[i] = &c
	}
	return out
}

// inferArbiters finds the unique indexes that ON CONFLICT (...) means.
func (r *root) inferArbiters(o *query.OnConflict) (out []OID) {
	if len(o.ArbiterElems) == 0 && o.Constraint == 0 {
		return nil
	}
	rel := r.g.relation(r.rte(r.q.ResultRelation).RelOID)
	if o.Constraint != 0 {
		for _, ix := range rel.Indexes {
			if ix.Constraint == o.Constraint {
				if !ix.Unique && o.Action == query.OnConflictUpdate {
					fail(pgerr.New(pgerr.WrongObjectType, "ON CONFLICT DO UPDATE not supported with exclusion constraints"))
				}
				return []OID{ix.OID}
			}
		}
		fail(pgerr.New(pgerr.WrongObjectType, "constraint in ON CONFLICT clause has no associated index"))
	}
	for _, ix := range rel.Indexes {
		if ix.Valid && ix.Unique && r.arbiterFits(ix2info(r, ix), o) {
			out = append(out, ix.OID)
		}
	}
	if len(out) == 0 {
		fail(pgerr.New(pgerr.InvalidColumnReference, "there is no unique or exclusion constraint matching the ON CONFLICT specification"))
	}
	return out
}
