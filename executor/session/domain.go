package session

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/types"
)

// domainCheck is a CHECK constraint of a domain, ready to be evaluated.
type domainCheck struct {
	eval expr.Eval
	ctx  *expr.Context
	busy bool // being evaluated: a function in it reads a value of the same domain
}

// domainChecksMax bounds the constraints that a session keeps compiled.
const domainChecksMax = 1024

// checkDomain evaluates a domain's CHECK over a value: null counts as true.
func (s *Session) checkDomain(k *catalog.Constraint, d types.Datum) (bool, error) {
	c := s.domainChecks[k]
	if c == nil || c.busy {
		eval, err := s.compiler().Compile(k.Expr)
		if err != nil {
			return false, err
		}
		c = &domainCheck{eval: eval, ctx: executor.EvalContext(s.backend)}
		if s.domainChecks == nil || len(s.domainChecks) >= domainChecksMax {
			s.domainChecks = map[*catalog.Constraint]*domainCheck{}
		}
		s.domainChecks[k] = c
	}
	c.busy = true
	c.ctx.Arena.Reset()
	c.ctx.Domain = d
	r, err := c.eval(c.ctx)
	c.busy = false
	return r.IsNull() || r.Bool(), err
}

// compiler makes evaluable expressions of plain ones: no sub-selects.
func (s *Session) compiler() *expr.Compiler {
	c := &expr.Compiler{Catalog: s.view, Env: s.backend.Env, Session: s.backend}
	c.Hooks.Function = s.backend.FunctionInLanguage
	c.Hooks.CheckExecute = s.backend.CheckExecute
	return c
}
