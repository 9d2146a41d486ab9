package rewrite

import (
	"slices"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Where a query comes from (query.Query.QuerySource).
const (
	sourceOriginal = iota
	sourceInstead  // of an unconditional INSTEAD rule
	sourceQualInstead
	sourceAlso
)

// ruleEvents are the events of pg_rewrite by command.
var ruleEvents = map[query.CommandType]byte{query.CmdUpdate: '2', query.CmdInsert: '3', query.CmdDelete: '4'}

// ruleEvent is a rule application that goes on.
type ruleEvent struct {
	rel OID
	cmd query.CommandType
}

// fired is what the rules of an event made of a statement.
type fired struct {
	queries   []*query.Query // the actions, ready for their own rules
	instead   bool           // the statement itself is not done
	returning bool           // an action has RETURNING
	remains   *query.Query   // the statement for the rows that conditional INSTEAD rules leave, nil = all
}

// rulesOf are the rules of an event on a relation, by name.
func rulesOf(rel *catalog.Relation, cmd query.CommandType) (list []*catalog.Rule) {
	for _, rule := range rel.Rules {
		if rule.Event == ruleEvents[cmd] && rule.Enabled != 'D' && rule.Enabled != 'R' {
			list = append(list, rule)
		}
	}
	return list
}

// fire applies the rules of a statement's event.
func (r *rewriter) fire(q *query.Query, rel *catalog.Relation) (*fired, error) {
	f := &fired{}
	for _, rule := range rulesOf(rel, q.Command) {
		source := uint8(sourceAlso)
		switch {
		case rule.Instead && rule.Qual == nil:
			source, f.instead = sourceInstead, true
		case rule.Instead:
			source = sourceQualInstead
			if !f.instead {
				if f.remains == nil {
					f.remains = query.CopyQuery(q)
					f.remains.HasSubLinks = true // the condition may have some
				}
				addQual(f.remains, &query.BooleanTest{Arg: ruleQual(q, rule), Kind: query.IsNotTrue, Loc: -1})
			}
		}
		for _, action := range rule.Actions {
			if action.Command == query.CmdNothing {
				continue
			}
			made, err := r.ruleAction(q, rel, rule, action, f)
			if err != nil {
				return nil, err
			}
			made.QuerySource, made.CanSetTag = source, false
			f.queries = append(f.queries, made)
		}
	}
	return f, nil
}

// ruleQual gives a rule's qualification in terms of the statement.
func ruleQual(q *query.Query, rule *catalog.Rule) query.Expr {
	e := query.MoveExprEntries(rule.Qual, func(i int) int {
		if i == analyze.RuleOld {
			return q.ResultRelation
		}
		return len(q.RangeTable) + i
	})
	return query.MutateLevels(e, newValues(q, len(q.RangeTable)+analyze.RuleNew))
}

// ruleAction makes an action's query for a statement: the statement's range table and FROM come before the action's own, its conditions are added, and
// the columns of NEW are what the statement assigns.
func (r *rewriter) ruleAction(q *query.Query, rel *catalog.Relation, rule *catalog.Rule, action *query.Query, f *fired) (*query.Query, error) {
	action = query.CopyQuery(action)
	setOwner(action, rel.Owner)
	inner := analyze.RuleQuery(action)
	n, target := len(q.RangeTable), q.ResultRelation
	sub := query.MoveEntries(inner, func(i int) int {
		if i == analyze.RuleOld {
			return target
		}
		return n + i
	})
	sub.RangeTable = append(query.CopyQuery(q).RangeTable, sub.RangeTable...)
	if err := addCTEs(q, sub, inner != action); err != nil {
		return nil, err
	}
	var qual query.Expr
	if rule.Qual != nil {
		qual = query.MoveExprEntries(rule.Qual, func(i int) int {
			if i == analyze.RuleOld {
				return target
			}
			return n + i
		})
	}
	keep := !query.FromUsesEntry(sub.JoinTree, target) && (query.ExprUsesEntry(qual, target) || query.FromUsesEntry(q.JoinTree, target))
	var from []query.FromItem
	for _, item := range query.CopyQuery(q).JoinTree.Items {
		if ref, ok := item.(*query.RangeTblRef); ok && ref.Index == target && !keep {
			continue
		}
		from = append(from, item)
	}
	sub.JoinTree.Items = append(from, sub.JoinTree.Items...)
	sub.HasSubLinks = true // of the statement, the rule or the action
	addQual(sub, qual)
	addQual(sub, query.Copy(q.JoinTree.Quals))
	if q.Command != query.CmdDelete {
		sub = query.MutateQueryLevels(sub, newValues(q, n+analyze.RuleNew))
	}
	if inner == action {
		action = sub
	} else {
		for _, rte := range action.RangeTable {
			if rte.Subquery == inner {
				rte.Subquery = sub
			}
		}
	}
	switch {
	case len(q.Returning) == 0:
		action.Returning = nil
	case len(action.Returning) > 0:
		f.returning = true
		action.Returning = ruleReturning(q, rel, action)
	}
	return action, nil
}

// addCTEs gives an action the WITH items of the statement, which its conditions may name.
func addCTEs(q, sub *query.Query, inSelect bool) error {
	if len(q.CTEs) == 0 {
		return nil
	}
	if inSelect && q.HasModifyingCTE {
		return pgerr.New(pgerr.FeatureNotSupported, "INSERT...SELECT rule actions are not supported for queries having data-modifying statements in WITH")
	}
	for _, a := range q.CTEs {
		for _, b := range sub.CTEs {
			if a.Name == b.Name {
				return pgerr.New(pgerr.DuplicateAlias, "WITH query name \"%s\" appears in both a rule action and the query being rewritten", a.Name)
			}
		}
	}
	sub.CTEs = append(query.CopyQuery(q).CTEs, sub.CTEs...)
	sub.HasModifyingCTE = sub.HasModifyingCTE || q.HasModifyingCTE
	return nil
}

func addQual(q *query.Query, e query.Expr) {
	switch {
	case e == nil:
	case q.JoinTree.Quals == nil:
		q.JoinTree.Quals = e
	default:
		q.JoinTree.Quals = &query.BoolExpr{Op: query.And, Args: []query.Expr{q.JoinTree.Quals, e}, Loc: -1}
	}
}

// newValues replaces the columns of NEW by what the statement assigns; columns that UPDATE leaves alone are those of its row, those that INSERT does
// not name are null.
func newValues(q *query.Query, index int) func(query.Expr, int) (query.Expr, bool) {
	rte := q.RangeTable[q.ResultRelation-1]
	column := func(v *query.Var, att int16, level int) query.Expr {
		for _, t := range q.Targets {
			if !t.Junk && t.ResNo == int(att) {
				return analyze.IncrementLevels(query.Copy(t.Expr), level)
			}
		}
		if q.Command == query.CmdUpdate {
			c := *v
			c.AttNo, c.SynAttNo = att, att
			c.VarNo, c.SynNo = q.ResultRelation, q.ResultRelation
			return &c
		}
		return &query.Const{TypeOID: v.TypeOID, Mod: v.Mod, Coll: v.Coll, Value: types.Null, Loc: -1}
	}
	return func(e query.Expr, level int) (query.Expr, bool) {
		v, ok := e.(*query.Var)
		if !ok || v.LevelsUp != level || v.VarNo != index {
			return nil, false
		}
		if v.AttNo != 0 {
			return column(v, v.AttNo, level), true
		}
		row := &query.RowExpr{TypeOID: v.TypeOID, Form: query.CoerceImplicitCast, ColNames: rte.Eref.Cols, Loc: v.Loc}
		for i := range rte.Eref.Cols {
			row.Args = append(row.Args, column(v, int16(i+1), level))
		}
		return row, true
	}
}

// ruleReturning gives the statement's RETURNING over what the action's RETURNING gives.
func ruleReturning(q *query.Query, rel *catalog.Relation, action *query.Query) []*query.TargetEntry {
	own := action.Returning
	over := &query.Query{Command: query.CmdSelect, Targets: query.CopyQuery(q).Returning}
	return query.MutateQueryLevels(over, func(e query.Expr, level int) (query.Expr, bool) {
		v, ok := e.(*query.Var)
		if !ok || v.LevelsUp != level || v.VarNo != q.ResultRelation {
			return nil, false
		}
		at := func(i int) query.Expr { return analyze.IncrementLevels(query.Copy(own[i].Expr), level) }
		if v.AttNo > 0 && int(v.AttNo) <= len(own) {
			return at(int(v.AttNo) - 1), true
		}
		if v.AttNo != 0 {
			return nil, false
		}
		row := &query.RowExpr{TypeOID: rel.RowType, Form: query.CoerceImplicitCast, Loc: v.Loc}
		for i := range own {
			row.Args, row.ColNames = append(row.Args, at(i)), append(row.ColNames, own[i].Name)
		}
		return row, true
	}).Targets
}

// withRules rewrites a change of a relation: its rules' actions, with rules of their own, and the statement itself, which an INSERT does first and
// others last.
func (r *rewriter) withRules(q *query.Query, rel *catalog.Relation) ([]*query.Query, error) {
	f, err := r.fire(q, rel)
	if err != nil {
		return nil, err
	}
	event := ruleEvent{rel.OID, q.Command}
	if slices.Contains(r.events, event) {
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation \"%s\"", rel.Name)
	}
	if len(q.Returning) > 0 && !f.returning && f.instead {
		return nil, noReturning(rel, q.Command)
	}
	if q.OnConflict != nil {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "INSERT with ON CONFLICT clause cannot be used with table that has INSERT or UPDATE rules")
	}
	r.events = append(r.events, event)
	defer func() { r.events = r.events[:len(r.events)-1] }()
	var actions, self []*query.Query
	for _, a := range f.queries {
		list, err := r.statements(a)
		if err != nil {
			return nil, err
		}
		actions = append(actions, list...)
	}
	if !f.instead {
		if f.remains != nil {
			q = f.remains
			if rel.Kind == 'v' && !hasInsteadTrigger(rel, q.Command) {
				return nil, notUpdatableError(rel, q.Command, "Views with conditional DO INSTEAD rules are not automatically updatable.")
			}
		}
		if self, err = r.itself(q, rel); err != nil {
			return nil, err
		}
	}
	if q.Command == query.CmdInsert {
		return append(self, actions...), nil
	}
	return append(actions, self...), nil
}

func noReturning(rel *catalog.Relation, cmd query.CommandType) error {
	word := map[query.CommandType]string{query.CmdInsert: "INSERT", query.CmdUpdate: "UPDATE", query.CmdDelete: "DELETE"}[cmd]
	return pgerr.New(pgerr.FeatureNotSupported, "cannot perform %s RETURNING on relation \"%s\"", word, rel.Name).
		WithHint("You need an unconditional ON %s DO INSTEAD rule with a RETURNING clause.", word)
}

// singleOf gives the one query that a data-modifying WITH item becomes.
func singleOf(list []*query.Query) (*query.Query, error) {
	bad := func(what string) error {
		return pgerr.New(pgerr.FeatureNotSupported, "%s rules are not supported for data-modifying statements in WITH", what)
	}
	switch {
	case len(list) == 0:
		return nil, bad("DO INSTEAD NOTHING")
	case len(list) == 1 && (list[0].QuerySource == sourceOriginal || list[0].QuerySource == sourceInstead):
		return list[0], nil
	}
	for _, q := range list {
		switch q.QuerySource {
		case sourceQualInstead:
			return nil, bad("conditional DO INSTEAD")
		case sourceAlso:
			return nil, bad("DO ALSO")
		}
	}
	return nil, bad("multi-statement DO INSTEAD")
}

// setTags says which query's rows the client is told of: the statement's own, else the last INSTEAD action of the same kind.
func setTags(list []*query.Query, cmd query.CommandType) {
	var last *query.Query
	for _, q := range list {
		switch {
		case q.QuerySource == sourceOriginal:
			return
		case q.Command == cmd && (q.QuerySource == sourceInstead || q.QuerySource == sourceQualInstead):
			last = q
		}
	}
	if last != nil {
		last.CanSetTag = true
	}
}
