package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("RuleStmt", createRule) }

var ruleCommands = map[pg_query.CmdType]query.CommandType{pg_query.CmdType_CMD_SELECT: query.CmdSelect, pg_query.CmdType_CMD_UPDATE: query.CmdUpdate,
	pg_query.CmdType_CMD_INSERT: query.CmdInsert, pg_query.CmdType_CMD_DELETE: query.CmdDelete}

var ruleLetters = map[query.CommandType]byte{query.CmdSelect: '1', query.CmdUpdate: '2', query.CmdInsert: '3', query.CmdDelete: '4'}

// viewRule is the name of the rule that is a view's query.
const viewRule = "_RETURN"

// createRule is CREATE [OR REPLACE] RULE.
func createRule(c *ctx, n *pg_query.RuleStmt) (string, error) {
	rel, err := c.open(n.Relation, accessExclusive)
	if err != nil {
		return "", err
	}
	if err := c.mayHaveRules(rel); err != nil {
		return "", err
	}
	event := ruleCommands[n.Event]
	if event == query.CmdSelect {
		return "", pgerr.NotSupported("CREATE RULE ... ON SELECT")
	}
	qual, actions, err := analyze.Rule(c.analyzeEnv(), rel, event, n.WhereClause, n.Actions)
	if err != nil {
		return "", err
	}
	if err := c.checkRuleActions(rel, n, actions); err != nil {
		return "", err
	}
	if n.Rulename == viewRule {
		return "", pgerr.New(pgerr.InvalidObjectDefinition, "non-view rule for \"%s\" must not be named \"%s\"", rel.Name, viewRule)
	}
	return "CREATE RULE", c.insertRule(rel, n, event, qual, actions)
}

func (c *ctx) mayHaveRules(rel *catalog.Relation) error {
	switch rel.Kind {
	case 'r', 'v', 'p':
	case 'm':
		return pgerr.New(pgerr.FeatureNotSupported, "rules on materialized views are not supported")
	default:
		return pgerr.New(pgerr.WrongObjectType, "relation \"%s\" cannot have rules", rel.Name).WithDetail("%s", unsupportedKind(rel.Kind))
	}
	if err := requireNotSystem(rel); err != nil {
		return err
	}
	ok, err := c.v.IsOwner(c.v.User(), rel.Owner)
	return orDenied(ok, err, "must be owner of %s %s", catalog.RelKindWord(rel.Kind), rel.Name)
}

// checkRuleActions refuses actions that a rule can't have.
func (c *ctx) checkRuleActions(rel *catalog.Relation, n *pg_query.RuleStmt, actions []*query.Query) error {
	returning := false
	for _, q := range actions {
		switch {
		case q.Command == query.CmdSelect:
			return pgerr.NotSupported("SELECT as an action of a rule")
		case q.ResultRelation == 0:
			continue
		case analyze.RuleQuery(q) == q && q.ResultRelation == analyze.RuleOld:
			return pgerr.New(pgerr.FeatureNotSupported, "rule actions on OLD are not implemented").WithHint("Use views or triggers instead.")
		case analyze.RuleQuery(q) == q && q.ResultRelation == analyze.RuleNew:
			return pgerr.New(pgerr.FeatureNotSupported, "rule actions on NEW are not implemented").WithHint("Use triggers instead.")
		case len(q.Returning) == 0:
			continue
		case returning:
			return pgerr.New(pgerr.FeatureNotSupported, "cannot have multiple RETURNING lists in a rule")
		case n.WhereClause != nil:
			return pgerr.New(pgerr.FeatureNotSupported, "RETURNING lists are not supported in conditional rules")
		case !n.Instead:
			return pgerr.New(pgerr.FeatureNotSupported, "RETURNING lists are not supported in non-INSTEAD rules")
		}
		returning = true
		if err := c.checkRuleReturning(rel, q.Returning); err != nil {
			return err
		}
	}
	return nil
}

// checkRuleReturning refuses a RETURNING list that does not give the relation's columns.
func (c *ctx) checkRuleReturning(rel *catalog.Relation, list []*query.TargetEntry) error {
	bad := func(format string, args ...any) *pgerr.Error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...)
	}
	i := 0
	for _, t := range list {
		if t.Junk {
			continue
		}
		if i >= len(rel.Desc.Attrs) {
			return bad("RETURNING list has too many entries")
		}
		a := &rel.Desc.Attrs[i]
		i++
		typ, mod := t.Expr.Type(), t.Expr.TypMod()
		name := func(oid OID, mod int32) string { return types.FormatTypeMod(c.Backend.Env, oid, mod) }
		switch {
		case a.Dropped:
			return pgerr.New(pgerr.FeatureNotSupported, "cannot convert relation containing dropped columns to view")
		case typ != a.TypeOID:
			return bad("RETURNING list's entry %d has different type from column \"%s\"", i, a.Name).
				WithDetail("RETURNING list entry has type %s, but column has type %s.", name(typ, -1), name(a.TypeOID, -1))
		case a.TypMod != mod && a.TypMod != -1 && mod != -1:
			return bad("RETURNING list's entry %d has different size from column \"%s\"", i, a.Name).
				WithDetail("RETURNING list entry has type %s, but column has type %s.", name(typ, mod), name(a.TypeOID, a.TypMod))
		}
	}
	if i != len(rel.Desc.Attrs) {
		return bad("RETURNING list has too few entries")
	}
	return nil
}

// insertRule makes a rule's row, or replaces it, and what it depends on.
func (c *ctx) insertRule(rel *catalog.Relation, n *pg_query.RuleStmt, event query.CommandType, qual query.Expr, actions []*query.Query) error {
	text, err := query.EncodeQueries(actions)
	if err != nil {
		return err
	}
	tid, old, err := c.v.Find(catalog.PgRewriteRelRulenameIndexOID, types.Oid(rel.OID), types.Text(n.Rulename))
	if err != nil {
		return err
	}
	row := catalog.NewRow(catalog.PgRewriteOID)
	row[catalog.RewriteRulename], row[catalog.RewriteEvClass] = types.Text(n.Rulename), types.Oid(rel.OID)
	row[catalog.RewriteEvType], row[catalog.RewriteEvEnabled] = types.Char(ruleLetters[event]), types.Char('O')
	row[catalog.RewriteIsInstead], row[catalog.RewriteEvQual], row[catalog.RewriteEvAction] = types.Bool(n.Instead), types.Text(""), types.Text(text)
	if qual != nil {
		row[catalog.RewriteEvQual] = types.Text(query.Encode(qual))
	}
	self := catalog.Object{Class: catalog.PgRewriteOID}
	if old != nil {
		if !n.Replace {
			return pgerr.New(pgerr.DuplicateObject, "rule \"%s\" for relation \"%s\" already exists", n.Rulename, rel.Name)
		}
		self.OID = old[catalog.RewriteOid].Oid()
		row[catalog.RewriteOid], row[catalog.RewriteEvEnabled] = old[catalog.RewriteOid], old[catalog.RewriteEvEnabled]
		if err := c.v.Update(catalog.PgRewriteOID, tid, old, row); err != nil {
			return err
		}
		if err := c.v.RemoveDepends(self, 0, 0); err != nil {
			return err
		}
	} else {
		if self.OID, err = c.v.GetNewOID(catalog.PgRewriteOidIndexOID); err != nil {
			return err
		}
		row[catalog.RewriteOid] = types.Oid(self.OID)
		if err := c.v.Insert(catalog.PgRewriteOID, row); err != nil {
			return err
		}
	}
	if err := c.ruleDepends(self, rel, qual, actions); err != nil {
		return err
	}
	err = c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelhasrules] = types.Bool(true)
	})
	if err != nil {
		return err
	}
	return c.next()
}

// ruleDepends records that a rule goes with its relation, and needs what its actions and its condition use.
func (c *ctx) ruleDepends(self catalog.Object, rel *catalog.Relation, qual query.Expr, actions []*query.Query) error {
	if err := c.v.Depend(self, catalog.DepAuto, relObject(rel.OID, 0)); err != nil {
		return err
	}
	for _, q := range actions {
		if err := c.v.DependOnQuery(self, catalog.DepNormal, q); err != nil {
			return err
		}
	}
	if qual == nil {
		return nil
	}
	return c.v.Depend(self, catalog.DepNormal, c.v.ExprRefs(qual, []OID{rel.OID, rel.OID})...)
}

// enableRule is ALTER TABLE ENABLE and DISABLE RULE.
func (a *alteration) enableRule(cmd *pg_query.AlterTableCmd) error {
	state := map[pg_query.AlterTableType]byte{pg_query.AlterTableType_AT_EnableRule: 'O', pg_query.AlterTableType_AT_DisableRule: 'D',
		pg_query.AlterTableType_AT_EnableAlwaysRule: 'A', pg_query.AlterTableType_AT_EnableReplicaRule: 'R'}[cmd.Subtype]
	tid, old, err := a.v.Find(catalog.PgRewriteRelRulenameIndexOID, types.Oid(a.rel.OID), types.Text(cmd.Name))
	if err != nil {
		return err
	}
	if old == nil {
		return pgerr.New(pgerr.UndefinedObject, "rule \"%s\" for relation \"%s\" does not exist", cmd.Name, a.rel.Name)
	}
	if old[catalog.RewriteEvEnabled].Char() == state {
		return nil
	}
	row := append(types.Row(nil), old...)
	row[catalog.RewriteEvEnabled] = types.Char(state)
	return a.v.Update(catalog.PgRewriteOID, tid, old, row)
}
