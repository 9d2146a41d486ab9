package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// Range table indexes of OLD and NEW in a rule's qualification and actions. In INSERT ... SELECT they are those of the SELECT.
const (
	RuleOld = 1
	RuleNew = 2
)

// Rule analyses the qualification (nil = none) and the actions of CREATE RULE. An action's query has OLD in its FROM where it is used;
// without actions there is one that does nothing.
func Rule(env *Env, rel *catalog.Relation, event query.CommandType, where *node, actions []*node) (qual query.Expr, list []*query.Query, err error) {
	defer catch(&err)
	p := newState(env, nil)
	p.addOldAndNew(rel, event, true)
	if where != nil {
		qual = p.whereClause(where, kindWhere, "WHERE")
		p.assignCollations(qual)
		if len(p.rtable) > 2 {
			throw(pgerr.New(pgerr.InvalidObjectDefinition, "rule WHERE condition cannot contain references to other relations"))
		}
		if qual, err = ExpandCalls(env.Catalog, qual); err != nil {
			return nil, nil, err
		}
	}
	for _, n := range actions {
		q := ruleAction(env, rel, event, where != nil, n)
		if q, err = ExpandQueryCalls(env.Catalog, q); err != nil {
			return nil, nil, err
		}
		list = append(list, q)
	}
	if len(list) == 0 {
		list = []*query.Query{{Command: query.CmdNothing, RangeTable: p.rtable, JoinTree: &query.FromExpr{}}}
	}
	return qual, list, nil
}

// addOldAndNew makes entries 1 and 2 of the range table OLD and NEW. In the condition, where their columns can be named alone, only those of the
// event can be named; an action that names the other gets an error of its own.
func (p *state) addOldAndNew(rel *catalog.Relation, event query.CommandType, condition bool) {
	old := p.addRelation(rel, AccessShareLock, &query.Alias{Name: "old"}, false, false)
	fresh := p.addRelation(rel, AccessShareLock, &query.Alias{Name: "new"}, false, false)
	old.rte.RequiredPerms, fresh.rte.RequiredPerms = 0, 0
	if !condition || event != query.CmdInsert {
		p.addToQuery(old, false, true, condition)
	}
	if !condition || event != query.CmdDelete {
		p.addToQuery(fresh, false, true, condition)
	}
}

func ruleAction(env *Env, rel *catalog.Relation, event query.CommandType, conditional bool, n *node) *query.Query {
	p := newState(env, nil)
	p.addOldAndNew(rel, event, false)
	p.inRule = true
	top := p.statement(n)
	if top.Command == query.CmdUtility {
		if conditional {
			throw(pgerr.New(pgerr.InvalidObjectDefinition, "rules with WHERE conditions can only have SELECT, INSERT, UPDATE, or DELETE actions"))
		}
		throw(pgerr.NotSupported("a utility statement as a rule's action"))
	}
	q := RuleQuery(top)
	if q.SetOp != nil && conditional {
		throw(pgerr.New(pgerr.FeatureNotSupported, "conditional UNION/INTERSECT/EXCEPT statements are not implemented"))
	}
	hasOld, hasNew := query.UsesEntry(q, RuleOld), query.UsesEntry(q, RuleNew)
	switch {
	case event == query.CmdInsert && hasOld:
		throw(pgerr.New(pgerr.InvalidObjectDefinition, "ON INSERT rule cannot use OLD"))
	case event == query.CmdDelete && hasNew:
		throw(pgerr.New(pgerr.InvalidObjectDefinition, "ON DELETE rule cannot use NEW"))
	}
	if hasOld || hasNew && event == query.CmdUpdate {
		if q.SetOp != nil {
			throw(pgerr.New(pgerr.FeatureNotSupported, "conditional UNION/INTERSECT/EXCEPT statements are not implemented"))
		}
		q.JoinTree.Items = append(q.JoinTree.Items, &query.RangeTblRef{Index: RuleOld})
	}
	return top
}

// RuleQuery gives the query of a rule's action that has OLD and NEW in its range table: the action, or the SELECT of its INSERT ... SELECT.
func RuleQuery(q *query.Query) *query.Query {
	if q.Command != query.CmdInsert || hasOldAndNew(q) {
		return q
	}
	for _, item := range q.JoinTree.Items {
		if ref, ok := item.(*query.RangeTblRef); ok {
			if rte := q.RangeTable[ref.Index-1]; rte.Kind == query.RTESubquery && hasOldAndNew(rte.Subquery) {
				return rte.Subquery
			}
		}
	}
	return q
}

func hasOldAndNew(q *query.Query) bool {
	is := func(i int, name string) bool {
		return i <= len(q.RangeTable) && q.RangeTable[i-1].Kind == query.RTERelation && q.RangeTable[i-1].Eref.Name == name && !q.RangeTable[i-1].InFrom
	}
	return is(RuleOld, "old") && is(RuleNew, "new")
}
