package session

import (
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/executor/explain"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// explain is EXPLAIN: it plans the statement, runs it when asked to, and prints the plan.
func (c *command) explain(n *pg_query.ExplainStmt) (string, error) {
	o, err := explainOptions(n)
	if err != nil {
		return "", err
	}
	started := time.Now()
	p, plans, params, err := c.explained(n.Query)
	if err != nil {
		return "", err
	}
	run := &explain.Run{PlanningMS: millis(time.Since(started)), HasPlanning: o.Summary}
	for i, pl := range plans.Stmts {
		if i > 0 {
			if err := c.line(""); err != nil {
				return "", err
			}
		}
		if pl.Command == query.CmdUtility {
			if err := c.line("Utility statements have no plan structure"); err != nil {
				return "", err
			}
			continue
		}
		if err := c.explainOne(p, pl, params, o, run); err != nil {
			return "", err
		}
	}
	return "EXPLAIN", nil
}

func explainOptions(n *pg_query.ExplainStmt) (explain.Options, error) {
	o := explain.NewOptions()
	for _, node := range n.Options {
		d := node.GetDefElem()
		if err := o.Set(d.Defname, defString(d), int(d.Location)); err != nil {
			return o, err
		}
	}
	return o, o.Finish()
}

// explained gives the plans of EXPLAIN's statement: EXECUTE's are those that it would run now.
func (c *command) explained(node *pg_query.Node) (*prepared, *plancache.Plans, []types.Datum, error) {
	s := c.s
	if ex := node.GetExecuteStmt(); ex != nil {
		p, params, err := c.executeTarget(ex)
		if err != nil {
			return nil, nil, nil, err
		}
		plans, err := p.source.Get(s.planEnv(), params)
		return p, plans, params, err
	}
	if d := node.GetDeclareCursorStmt(); d != nil {
		node = d.Query
	}
	if ctas := node.GetCreateTableAsStmt(); ctas != nil {
		node = ctas.Query
	}
	p := c.contained(node)
	if _, err := s.analyze(p); err != nil {
		return nil, nil, nil, err
	}
	plans, err := p.source.Get(s.planEnv(), c.params)
	return p, plans, c.params, err
}

func (c *command) explainOne(p *prepared, pl *plan.Planned, params []types.Datum, o explain.Options, run *explain.Run) error {
	s := c.s
	if err := s.checkPermissions(p, pl); err != nil {
		return err
	}
	if o.Analyze {
		run.Meter = explain.NewMeter(o.Timing)
		st, err := executor.Build(s.backend, pl, run.Meter.Wrap)
		if err != nil {
			return err
		}
		started := time.Now()
		if _, err := s.execute(st, pl, params, discard{}); err != nil {
			st.Close()
			return err
		}
		run.ExecutionMS, run.HasExecution = millis(time.Since(started)), o.Summary
	}
	text, err := explain.Print(&explain.Env{Catalog: s.view, Types: s.backend.Env, Live: func(p *plan.PruneInfo, n int) ([]bool, error) {
		return executor.LiveChildren(s.backend, pl, params, p, n)
	}}, o, pl, run)
	if err != nil {
		return err
	}
	if o.Format != explain.Text {
		return c.line(strings.TrimSuffix(text, "\n"))
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if err := c.line(line); err != nil {
			return err
		}
	}
	return nil
}

func (c *command) line(s string) error { return c.out.receive(types.Row{types.Text(s)}) }

func millis(d time.Duration) float64 { return float64(d) / 1e6 }

// explainColumns gives EXPLAIN's result column, of the format's type.
func (s *Session) explainColumns(n *pg_query.ExplainStmt) []*query.TargetEntry {
	typ := types.TextOID
	if o, err := explainOptions(n); err == nil {
		switch o.Format {
		case explain.JSON:
			typ = types.JsonOID
		case explain.XML:
			typ = types.XmlOID
		}
	}
	return []*query.TargetEntry{{Name: "QUERY PLAN", ResNo: 1, Expr: &query.Const{TypeOID: typ, Mod: -1, Coll: 100, Value: types.Null, Loc: -1}}}
}
