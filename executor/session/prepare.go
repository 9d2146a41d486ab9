package session

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// prepare is PREPARE name (types) AS statement.
func (c *command) prepare(n *pg_query.PrepareStmt) (string, error) {
	s := c.s
	if n.Name == "" {
		return "", pgerr.New(pgerr.InvalidPstatementDefinition, "invalid statement name: must not be empty")
	}
	if s.statements[n.Name] != nil {
		return "", pgerr.New(pgerr.DuplicatePstatement, "prepared statement \"%s\" already exists", n.Name)
	}
	var declared []types.OID
	for _, t := range n.Argtypes {
		typ, _, err := analyze.TypeName(s.analyzeEnv(nil), t.GetTypeName())
		if err != nil {
			return "", err
		}
		declared = append(declared, typ)
	}
	stmt := &parse.Stmt{Node: n.Query, Location: c.p.stmt.Location, Len: c.p.stmt.Len}
	if !preparable(n.Query) {
		return "", pgerr.New(pgerr.InvalidPstatementDefinition, "utility statements cannot be prepared")
	}
	p := s.newPrepared(n.Name, c.p.text, stmt, declared)
	p.fromSQL = true
	if _, err := s.analyze(p); err != nil {
		return "", err
	}
	p.source.SetFixedResult()
	s.statements[n.Name] = p
	return "PREPARE", nil
}

func preparable(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
		return true
	}
	return false
}

// execute is EXECUTE name (params).
func (c *command) execute(n *pg_query.ExecuteStmt) (string, error) {
	p, params, err := c.executeTarget(n)
	if err != nil {
		return "", err
	}
	plans, err := p.source.Get(c.s.planEnv(), params)
	if err != nil {
		return "", err
	}
	return c.s.runStatements(p, plans, params, c.out)
}

// elsewhere drops the place of an error in another text than the client's.
func elsewhere(err error) error {
	e := *pgerr.From(err)
	e.Location, e.Position = 0, 0
	return &e
}

// executeTarget finds EXECUTE's statement and evaluates its parameters, coerced to the types it declares.
func (c *command) executeTarget(n *pg_query.ExecuteStmt) (*prepared, []types.Datum, error) {
	s := c.s
	p, err := s.lookupPrepared(n.Name)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.analyze(p)
	if err != nil {
		return nil, nil, elsewhere(err)
	}
	if len(n.Params) != len(a.ParamTypes) {
		return nil, nil, pgerr.New(pgerr.SyntaxError, "wrong number of parameters for prepared statement \"%s\"", n.Name).
			WithDetail("Expected %d parameters but got %d.", len(a.ParamTypes), len(n.Params))
	}
	if len(n.Params) == 0 {
		return p, nil, nil
	}
	values := make([]types.Datum, len(n.Params))
	ctx := executor.EvalContext(s.backend)
	ctx.Params.Extern = c.params
	for i, node := range n.Params {
		e, err := analyze.Expr(s.analyzeEnv(&analyze.Params{}), node, analyze.ExprExecuteParameter,
			analyze.ExprTarget{Type: a.ParamTypes[i], TypMod: -1, Column: fmt.Sprintf("$%d", i+1)})
		if err != nil {
			return nil, nil, err
		}
		if values[i], err = s.evalWith(ctx, e); err != nil {
			return nil, nil, err
		}
	}
	return p, values, nil
}

// evalWith evaluates an analysed expression without variables.
func (s *Session) evalWith(ctx *expr.Context, e query.Expr) (types.Datum, error) {
	eval, err := s.compiler().Compile(e)
	if err != nil {
		return types.Null, err
	}
	return eval(ctx)
}

// deallocate is DEALLOCATE name | ALL.
func (c *command) deallocate(n *pg_query.DeallocateStmt) (string, error) {
	if n.Name == "" {
		clear(c.s.statements)
		return "DEALLOCATE ALL", nil
	}
	if c.s.statements[n.Name] == nil {
		return "", pgerr.New(pgerr.UndefinedPstatement, "prepared statement \"%s\" does not exist", n.Name)
	}
	delete(c.s.statements, n.Name)
	return "DEALLOCATE", nil
}

// discard is DISCARD ALL | PLANS | SEQUENCES | TEMP.
func (c *command) discard(n *pg_query.DiscardStmt) (string, error) {
	s := c.s
	switch n.Target {
	case pg_query.DiscardMode_DISCARD_PLANS:
		s.forgetPlans()
		return "DISCARD PLANS", nil
	case pg_query.DiscardMode_DISCARD_SEQUENCES:
		s.view.DiscardSequences()
		return "DISCARD SEQUENCES", nil
	case pg_query.DiscardMode_DISCARD_TEMP:
		return "DISCARD TEMP", s.dropTempTables()
	}
	if err := s.RequireNoBlock("DISCARD ALL"); err != nil {
		return "", err
	}
	for _, p := range s.portals {
		if p.cursor {
			s.dropPortal(p)
		}
	}
	if err := s.gucs.resetAll(); err != nil {
		return "", err
	}
	clear(s.statements)
	s.locks.ReleaseAdvisory()
	s.forgetPlans()
	s.view.DiscardSequences()
	return "DISCARD ALL", s.dropTempTables()
}

func (s *Session) forgetPlans() {
	s.cache.Clear()
	for _, p := range s.statements {
		if p.source != nil {
			p.source.ForgetPlans()
		}
		p.idle = nil
	}
}
