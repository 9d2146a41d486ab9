package plancache

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
)

// dependency is a catalog object and the descriptor that was seen.
type dependency struct {
	oid  OID
	rel  *catalog.Relation
	proc *catalog.Proc
	typ  *catalog.Type
}

// same says whether a look-up still gives the same descriptor.
func (d *dependency) same(env *Env) (bool, error) {
	switch {
	case d.rel != nil:
		r, err := env.Plan.Catalog.Relation(d.oid)
		return r != nil && (r == d.rel || r.Version == d.rel.Version && r.Version != 0), err
	case d.proc != nil:
		p, err := env.Plan.Catalog.Proc(d.oid)
		return p == d.proc, err
	case d.typ != nil:
		t, err := env.Plan.Catalog.Type(d.oid)
		return t == d.typ, err
	}
	return true, nil
}

func addRelation(env *Env, oid OID, deps *[]dependency) error {
	for i := range *deps {
		if (*deps)[i].oid == oid && (*deps)[i].rel != nil {
			return nil
		}
	}
	r, err := env.Plan.Catalog.Relation(oid)
	if err != nil || r == nil {
		return err
	}
	*deps = append(*deps, dependency{oid: oid, rel: r})
	return nil
}

// addQueryDeps notes the relations of a query, at all levels.
func addQueryDeps(env *Env, q *query.Query, deps *[]dependency) (err error) {
	if q.Command == query.CmdUtility {
		return nil
	}
	plan.VisitRelations(q, func(e *query.RTE) {
		if err == nil {
			err = addRelation(env, e.RelOID, deps)
		}
	})
	return err
}

// addPlanDeps notes what a plan depends on beyond its query's relations.
func addPlanDeps(env *Env, p *plan.Planned, deps *[]dependency) error {
	for _, oid := range p.Invals {
		if err := addRelation(env, oid, deps); err != nil {
			return err
		}
	}
	for _, oid := range p.InvalFuncs {
		f, err := env.Plan.Catalog.Proc(oid)
		if err != nil {
			return err
		}
		t, err := env.Plan.Catalog.Type(oid)
		if err != nil {
			return err
		}
		if f != nil {
			*deps = append(*deps, dependency{oid: oid, proc: f})
		}
		if t != nil {
			*deps = append(*deps, dependency{oid: oid, typ: t})
		}
	}
	return nil
}

// lockList is what was locked, to give it back when the plan is stale.
type lockList struct{ held []plan.RelationUse }

func (l *lockList) lock(env *Env, oid OID, mode int) error {
	if mode == 0 || env.LockRelation == nil {
		return nil
	}
	if err := env.LockRelation(oid, mode); err != nil {
		return err
	}
	l.held = append(l.held, plan.RelationUse{OID: oid, LockMode: mode})
	return nil
}

func (l *lockList) lockPlan(env *Env, p *plan.Planned) error {
	for _, r := range p.Relations {
		if err := l.lock(env, r.OID, r.LockMode); err != nil {
			return err
		}
	}
	return nil
}

func (l *lockList) lockQuery(env *Env, q *query.Query) (err error) {
	if q.Command == query.CmdUtility {
		return nil
	}
	plan.VisitRelations(q, func(e *query.RTE) {
		if err == nil {
			err = l.lock(env, e.RelOID, e.LockMode)
		}
	})
	return err
}

func (l *lockList) release(env *Env) {
	for _, h := range l.held {
		env.UnlockRelation(h.OID, h.LockMode)
	}
	l.held = nil
}
