package session

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// command is a utility statement being run by the session itself.
type command struct {
	s      *Session
	p      *prepared
	params []types.Datum
	out    receiver
}

// runUtility runs a utility statement and gives its command tag.
func (s *Session) runUtility(p *prepared, pl *plan.Planned, params []types.Datum, out receiver) (string, error) {
	node := pl.Utility.(*pg_query.Node)
	c := &command{s: s, p: p, params: params, out: out}
	if s.backend.Heap.Tx != nil && s.backend.Heap.Tx.ReadOnly && !changesNothing(node) {
		return "", readOnlyError(parse.CommandTag(node))
	}
	if makesRoom(node) {
		s.makesRoom = true
		defer func() { s.makesRoom = false }()
	}
	switch n := node.Node.(type) {
	case *pg_query.Node_TransactionStmt:
		return c.transaction(n.TransactionStmt)
	case *pg_query.Node_VariableSetStmt:
		return c.set(n.VariableSetStmt)
	case *pg_query.Node_VariableShowStmt:
		return c.show(n.VariableShowStmt)
	case *pg_query.Node_PrepareStmt:
		return c.prepare(n.PrepareStmt)
	case *pg_query.Node_ExecuteStmt:
		return c.execute(n.ExecuteStmt)
	case *pg_query.Node_DeallocateStmt:
		return c.deallocate(n.DeallocateStmt)
	case *pg_query.Node_DiscardStmt:
		return c.discard(n.DiscardStmt)
	case *pg_query.Node_DeclareCursorStmt:
		return c.declareCursor(n.DeclareCursorStmt)
	case *pg_query.Node_FetchStmt:
		return c.fetch(n.FetchStmt)
	case *pg_query.Node_ClosePortalStmt:
		return c.closeCursor(n.ClosePortalStmt)
	case *pg_query.Node_ExplainStmt:
		return c.explain(n.ExplainStmt)
	case *pg_query.Node_CopyStmt:
		return c.copy(n.CopyStmt)
	case *pg_query.Node_LockStmt:
		return c.lockTable(n.LockStmt)
	case *pg_query.Node_ConstraintsSetStmt:
		return c.setConstraints(n.ConstraintsSetStmt)
	case *pg_query.Node_AlterSystemStmt:
		return c.alterSystem(n.AlterSystemStmt.Setstmt)
	case *pg_query.Node_CallStmt:
		return c.call(n.CallStmt)
	case *pg_query.Node_DoStmt:
		return c.doBlock(n.DoStmt)
	case *pg_query.Node_CheckPointStmt:
		s.server.store.Sync()
		return "CHECKPOINT", nil
	}
	return c.other(node)
}

// other hands a statement to the registered commands (sql/ddl).
func (c *command) other(node *pg_query.Node) (string, error) {
	kind := fmt.Sprintf("%T", node.Node)
	run := executor.LookupCommand(kind)
	if run == nil {
		return "", pgerr.NotSupported("%s", parse.CommandTag(node))
	}
	tag, err := run(c.registered(node))
	if err != nil && node.GetCreateFunctionStmt() != nil {
		err = c.placeInBody(err)
	}
	return tag, err
}

// endsBlock says whether a failed block obeys the statement.
func endsBlock(stmt *parse.Stmt) bool {
	if stmt == nil {
		return false
	}
	n, ok := stmt.Node.Node.(*pg_query.Node_TransactionStmt)
	if !ok {
		return false
	}
	switch n.TransactionStmt.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT, pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK,
		pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO, pg_query.TransactionStmtKind_TRANS_STMT_PREPARE:
		return true
	}
	return false
}

// transaction runs BEGIN, COMMIT and their kin.
func (c *command) transaction(n *pg_query.TransactionStmt) (string, error) {
	s := c.s
	switch n.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN, pg_query.TransactionStmtKind_TRANS_STMT_START:
		s.beginBlock(s.notice)
		tag := "BEGIN"
		if n.Kind == pg_query.TransactionStmtKind_TRANS_STMT_START {
			tag = "START TRANSACTION"
		}
		return tag, c.setCharacteristics(n.Options)
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		return s.commitBlock(n.Chain)
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK:
		return "ROLLBACK", s.rollbackBlock(n.Chain)
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		return "SAVEPOINT", s.defineSavepoint(n.SavepointName)
	case pg_query.TransactionStmtKind_TRANS_STMT_RELEASE:
		return "RELEASE", s.releaseSavepoint(n.SavepointName)
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		return "ROLLBACK", s.rollbackTo(n.SavepointName)
	}
	return "", pgerr.NotSupported("two-phase commit")
}

// makesRoom tells the statements that may use the disk space that is kept for them when there is no other: they give more back. VACUUM FULL writes the
// table again first.
func makesRoom(node *pg_query.Node) bool {
	switch n := node.Node.(type) {
	case *pg_query.Node_DropStmt, *pg_query.Node_TruncateStmt, *pg_query.Node_DropdbStmt:
		return true
	case *pg_query.Node_VacuumStmt:
		return n.VacuumStmt.IsVacuumcmd && !slices.ContainsFunc(n.VacuumStmt.Options, func(o *pg_query.Node) bool {
			return o.GetDefElem().GetDefname() == "full"
		})
	}
	return false
}

// utilityResult gives the result columns of a utility statement, nil when it has none.
func (s *Session) utilityResult(node *pg_query.Node) ([]*query.TargetEntry, error) {
	text := func(name string) []*query.TargetEntry {
		return []*query.TargetEntry{{Name: name, ResNo: 1, Expr: &query.Const{TypeOID: types.TextOID, Mod: -1, Coll: 100, Value: types.Null, Loc: -1}}}
	}
	switch n := node.Node.(type) {
	case *pg_query.Node_VariableShowStmt:
		return s.showColumns(n.VariableShowStmt.Name, text), nil
	case *pg_query.Node_ExplainStmt:
		return s.explainColumns(n.ExplainStmt), nil
	case *pg_query.Node_ExecuteStmt:
		p := s.statements[n.ExecuteStmt.Name]
		if p == nil || p.source == nil {
			return nil, nil
		}
		a, err := s.analyze(p)
		if err != nil {
			return nil, elsewhere(err)
		}
		return a.Result, nil
	case *pg_query.Node_FetchStmt:
		if p := s.portals[n.FetchStmt.Portalname]; p != nil && !n.FetchStmt.Ismove {
			return p.resultColumns(), nil
		}
	case *pg_query.Node_CallStmt:
		c, err := analyze.Call(s.analyzeEnv(&analyze.Params{Variable: true}), n.CallStmt)
		if err != nil {
			return nil, err
		}
		return s.callColumns(c)
	}
	return nil, nil
}
