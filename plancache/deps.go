package plancache

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
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

// firstUserOID is where OIDs of users' objects begin: what is built in doesn't change.
const firstUserOID OID = 16384

// addProc notes a function.
func addProc(env *Env, oid OID, deps *[]dependency) error {
	if oid < firstUserOID {
		return nil
	}
	for i := range *deps {
		if (*deps)[i].oid == oid && (*deps)[i].proc != nil {
			return nil
		}
	}
	p, err := env.Plan.Catalog.Proc(oid)
	if err != nil || p == nil {
		return err
	}
	*deps = append(*deps, dependency{oid: oid, proc: p})
	return nil
}

// addDomain notes a domain, with those that it is made over: their constraints, and the default that an INSERT may have taken from them.
func addDomain(env *Env, oid OID, deps *[]dependency) error {
	for {
		t, err := env.Plan.Catalog.Type(oid)
		if err != nil || t == nil || t.Kind != 'd' {
			return err
		}
		*deps = append(*deps, dependency{oid: oid, typ: t})
		oid = t.BaseType
	}
}

// functionOf gives the function that an expression node calls, 0 for none.
func functionOf(e query.Expr) OID {
	switch x := e.(type) {
	case *query.FuncExpr:
		return x.FuncOID
	case *query.OpExpr:
		return x.FuncOID
	case *query.DistinctExpr:
		return x.FuncOID
	case *query.NullIfExpr:
		return x.FuncOID
	case *query.ScalarArrayOpExpr:
		return x.FuncOID
	case *query.Aggref:
		return x.AggOID
	case *query.WindowFunc:
		return x.FuncOID
	}
	return 0
}

// addQueryDeps notes the relations and functions of a query, at all levels, and the relations that it names as constants: 't'::regclass has
// another value when t was dropped and made again.
func addQueryDeps(env *Env, q *query.Query, deps *[]dependency) (err error) {
	if q.Command == query.CmdUtility {
		return nil
	}
	plan.VisitRelations(q, func(e *query.RTE) {
		if err == nil {
			err = addRelation(env, e.RelOID, deps)
		}
	})
	visitNamedTables(q, func(rel OID) {
		if err == nil {
			err = addRelation(env, rel, deps)
		}
	})
	query.WalkQueryLevels(q, func(e query.Expr, _ int) bool {
		if fn := functionOf(e); fn >= firstUserOID && err == nil {
			err = addProc(env, fn, deps)
		}
		if d, ok := e.(*query.CoerceToDomain); ok && err == nil {
			err = addDomain(env, d.TypeOID, deps)
		}
		if c, ok := e.(*query.Const); ok && c.TypeOID == types.RegclassOID && !c.Value.IsNull() && err == nil {
			err = addRelation(env, c.Value.Oid(), deps)
		}
		return err == nil
	})
	return err
}

// visitNamedTables calls f with the relations behind the transition tables that a query reads.
func visitNamedTables(q *query.Query, f func(rel OID)) {
	for _, e := range q.RangeTable {
		if e.Kind == query.RTENamedTuplestore {
			f(e.RelOID)
		}
	}
	query.WalkQuery(q, func(query.Expr) bool { return true }, func(sub *query.Query) { visitNamedTables(sub, f) })
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

// lockList are the relations that a query or a plan needs, in the order of their locking.
type lockList []plan.RelationUse

// addQuery notes the relations of a query and of those inside it.
func (l *lockList) addQuery(q *query.Query) {
	if q.Command == query.CmdUtility {
		return
	}
	plan.VisitRelations(q, func(e *query.RTE) {
		if e.LockMode != 0 {
			*l = append(*l, plan.RelationUse{OID: e.RelOID, LockMode: e.LockMode})
		}
	})
}

// lock takes the locks, or none.
func (l lockList) lock(env *Env) error {
	if env.LockRelation == nil {
		return nil
	}
	for i, r := range l {
		if r.LockMode == 0 {
			continue
		}
		if err := env.LockRelation(r.OID, r.LockMode); err != nil {
			l[:i].release(env)
			return err
		}
	}
	return nil
}

// lockOnce is lock, but nothing when the locks were taken in this epoch already.
func (l lockList) lockOnce(env *Env, locked *uint64) error {
	if env.Epoch != 0 && *locked == env.Epoch {
		return nil
	}
	if err := l.lock(env); err != nil {
		return err
	}
	*locked = env.Epoch
	return nil
}

// without gives the uses that are not in o.
func (l lockList) without(o lockList) lockList {
	var rest lockList
	for _, r := range l {
		if !slices.Contains(o, r) {
			rest = append(rest, r)
		}
	}
	return rest
}

// release gives the locks back.
func (l lockList) release(env *Env) {
	if env.UnlockRelation == nil {
		return
	}
	for _, r := range l {
		if r.LockMode != 0 {
			env.UnlockRelation(r.OID, r.LockMode)
		}
	}
}
