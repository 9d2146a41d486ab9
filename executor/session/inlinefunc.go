package session

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// inlineKey is a SQL function at a call with certain types.
type inlineKey struct {
	oid  types.OID
	args string
	ret  types.OID
}

// inlineBody is what functionBody found.
type inlineBody struct {
	expr query.Expr

	// It holds for this descriptor, state of the catalogs and search path: names in the body may mean something else in others.
	proc    *catalog.Proc
	counter uint64
	path    string
}

// Simplify gives an expression as planning would have it.
func (s *Session) Simplify(e query.Expr) (query.Expr, error) { return plan.Simplify(s.env.Plan, e) }

// inlineMax bounds the bodies that a session keeps.
const inlineMax = 500

// functionBody gives the expression that a call of a SQL function computes; nil when the function is more than one SELECT of an expression, or when
// the current user may not call it.
func (s *Session) functionBody(p *catalog.Proc, result types.OID, args []query.Expr) (query.Expr, error) {
	if s.checkExecute(p) != nil {
		return nil, nil
	}
	argTypes := make([]types.OID, len(args))
	var b strings.Builder
	for i, a := range args {
		argTypes[i] = a.Type()
		b.WriteString(strconv.Itoa(int(argTypes[i])))
		b.WriteByte(' ')
	}
	key := inlineKey{p.OID, b.String(), result}
	path := s.gucs.Str(settings.SearchPath)
	if f, ok := s.inlineBodies[key]; ok && f.proc == p && f.counter == s.view.Counter() && f.path == path {
		return f.expr, nil
	}
	e, err := s.analyzeBody(p, argTypes, result)
	if err != nil {
		return nil, bodyError(p, err).WithContext("SQL function \"%s\" during inlining", p.Name)
	}
	if s.inlineBodies == nil || len(s.inlineBodies) >= inlineMax {
		s.inlineBodies = map[inlineKey]inlineBody{}
	}
	s.inlineBodies[key] = inlineBody{e, p, s.view.Counter(), path}
	return e, nil
}

func (s *Session) analyzeBody(p *catalog.Proc, args []types.OID, ret types.OID) (query.Expr, error) {
	fn, err := rewrite.NewSQLFunction(s.analyzeEnv(nil), p, args, ret)
	if err != nil || fn.Len() != 1 {
		return nil, err
	}
	if st := fn.Statement(0); st != nil && st.Node.GetSelectStmt() == nil {
		return nil, nil
	}
	queries, _, err := fn.Analyze(s.analyzeEnv(nil), 0)
	if err != nil || len(queries) != 1 || !isExpression(queries[0]) {
		return nil, err
	}
	return queries[0].Targets[0].Expr, nil
}
