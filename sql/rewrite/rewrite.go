package rewrite

import (
	"slices"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Rewrite gives the queries that a statement becomes, none for one that does nothing. Utility statements come back as they are.
func Rewrite(env *analyze.Env, q *query.Query) ([]*query.Query, error) {
	if q.Command == query.CmdUtility {
		return []*query.Query{q}, nil
	}
	r := &rewriter{env: env}
	list, err := r.statements(q)
	if err != nil {
		return nil, err
	}
	setTags(list, q.Command)
	for i := range list {
		if list[i], err = analyze.ExpandQueryCalls(env.Catalog, list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// rewriter is one rewriting.
type rewriter struct {
	env    *analyze.Env
	active []OID       // views being expanded, to find recursion
	events []ruleEvent // rules being applied, likewise
	depth  int
}

// relation reads a relation, locked.
func (r *rewriter) relation(oid OID, mode int) (*catalog.Relation, error) {
	var rel *catalog.Relation
	var err error
	if r.env.LockRelation != nil {
		rel, err = r.env.LockRelation(oid, mode)
	} else {
		rel, err = r.env.Catalog.Relation(oid)
	}
	if err == nil && rel == nil {
		err = pgerr.Internal("could not open relation with OID %d", oid)
	}
	return rel, err
}

// statements rewrites a statement and the data-modifying statements in its WITH.
func (r *rewriter) statements(q *query.Query) ([]*query.Query, error) {
	c := *q
	q = &c
	if q.HasModifyingCTE {
		q.CTEs = append([]*query.CTE(nil), q.CTEs...)
		for i, cte := range q.CTEs {
			if cte.Query == nil || cte.Query.Command == query.CmdSelect {
				continue
			}
			list, err := r.statements(cte.Query)
			if err != nil {
				return nil, err
			}
			sub, err := singleOf(list)
			if err != nil {
				return nil, err
			}
			copied := *cte
			copied.Query = sub
			q.CTEs[i] = &copied
		}
	}
	if q.ResultRelation != 0 {
		return r.target(q)
	}
	out, err := r.expandViews(q)
	return []*query.Query{out}, err
}

// target rewrites INSERT, UPDATE, DELETE and MERGE.
func (r *rewriter) target(q *query.Query) ([]*query.Query, error) {
	rte := q.RangeTable[q.ResultRelation-1]
	rel, err := r.relation(rte.RelOID, analyze.NoLock)
	if err != nil {
		return nil, err
	}
	if q, err = r.targetList(q, rel); err != nil {
		return nil, err
	}
	if len(rulesOf(rel, q.Command)) > 0 {
		return r.withRules(q, rel)
	}
	return r.itself(q, rel)
}

// itself readies a statement that no rule replaces: its view becomes the table below, or is left to INSTEAD OF triggers.
func (r *rewriter) itself(q *query.Query, rel *catalog.Relation) ([]*query.Query, error) {
	if rel.Kind == 'v' {
		if !hasInsteadTrigger(rel, q.Command) {
			return r.updateView(q, rel)
		}
		if q.Command != query.CmdInsert {
			insteadTarget(q, rel)
		}
	}
	out, err := r.expandViews(q)
	return []*query.Query{out}, err
}

// WholeRow is the name of the junk column that carries a view's old row to its INSTEAD OF triggers.
const WholeRow = "wholerow"

// insteadTarget readies UPDATE and DELETE of a view whose INSTEAD OF triggers do it: the view's entry in FROM is expanded as any other and gives the old
// rows, whole in a junk column; a copy of the entry becomes the target, which has the permissions and which RETURNING reads.
func insteadTarget(q *query.Query, view *catalog.Relation) {
	from := q.ResultRelation
	target := *q.RangeTable[from-1]
	source := target
	source.RequiredPerms, source.CheckAsUser = 0, 0
	source.SelectedCols, source.InsertedCols, source.UpdatedCols = nil, nil, nil
	target.InFrom, target.Inh = false, false
	q.RangeTable = append(slices.Clone(q.RangeTable), &target)
	q.RangeTable[from-1] = &source
	q.ResultRelation = len(q.RangeTable)
	returning := &query.Query{Command: query.CmdSelect, Targets: q.Returning}
	q.Returning = query.MutateQueryLevels(returning, func(e query.Expr, level int) (query.Expr, bool) {
		v, ok := e.(*query.Var)
		if !ok || v.LevelsUp != level || v.VarNo != from {
			return nil, false
		}
		c := *v
		c.VarNo, c.SynNo = q.ResultRelation, q.ResultRelation
		return &c, true
	}).Targets
	old := &query.Var{VarNo: from, TypeOID: view.RowType, Mod: -1, Loc: -1, SynNo: from}
	n := 1
	for _, t := range q.Targets {
		n = max(n, t.ResNo+1)
	}
	q.Targets = append(slices.Clone(q.Targets), &query.TargetEntry{Expr: old, ResNo: n, Name: WholeRow, Junk: true})
}

// Bits of pg_trigger.tgtype.
const (
	triggerRow     = 1 << 0
	triggerInsert  = 1 << 2
	triggerDelete  = 1 << 3
	triggerUpdate  = 1 << 4
	triggerInstead = 1 << 6
)

// hasInsteadTrigger says whether a view's own row triggers do the command.
func hasInsteadTrigger(rel *catalog.Relation, cmd query.CommandType) bool {
	event := map[query.CommandType]int16{query.CmdInsert: triggerInsert, query.CmdUpdate: triggerUpdate, query.CmdDelete: triggerDelete}[cmd]
	for _, t := range rel.Triggers {
		if t.Type&triggerRow != 0 && t.Type&triggerInstead != 0 && t.Type&event != 0 {
			return true
		}
	}
	return false
}
