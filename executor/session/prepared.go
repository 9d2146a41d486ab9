package session

import (
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// prepared is a prepared statement: by PREPARE, by the protocol's Parse, or kept for a query text that comes again.
type prepared struct {
	name    string
	text    string
	stmt    *parse.Stmt // nil: the empty statement
	source  *plancache.Source
	fromSQL bool
	made    time.Time
	user    types.OID // who it was made for

	// Of a statement in the cache.
	uses  int
	pages int32 // of its relations when they were last looked at

	shape    *resultShape // of the analysed statement as last described
	shapeFor *plancache.Analyzed
	params   []*types.IO     // inputs of the parameters
	idle     *executor.State // of the generic plan, built and not running
	idlePlan *plan.Planned
	allowed  permission
}

// permission notes that a role was found to be allowed to run a plan, when the catalogs stood at a counter.
type permission struct {
	plan    *plan.Planned
	role    types.OID
	counter uint64
}

// checkPermissions refuses a plan that the current user may not run. The answer holds until the role or the catalogs change; the running form
// that was built with it, which checked the functions, is dropped with it.
func (s *Session) checkPermissions(p *prepared, pl *plan.Planned) error {
	now := permission{pl, s.view.User(), s.view.Counter()}
	if p.allowed == now {
		return nil
	}
	if err := executor.CheckPermissions(s.view, pl.RangeTable); err != nil {
		return err
	}
	p.allowed, p.idle = now, nil
	return nil
}

// state takes a running form of a plan: the idle one when it fits.
func (p *prepared) state(b *executor.Backend, pl *plan.Planned) (*executor.State, error) {
	if p.idle != nil && p.idlePlan == pl {
		st := p.idle
		p.idle = nil
		return st, nil
	}
	return executor.Build(b, pl, nil)
}

// giveBack keeps a finished state of a plan that will be used again.
func (p *prepared) giveBack(st *executor.State, pl *plan.Planned, again bool) {
	if again {
		p.idle, p.idlePlan = st, pl
	}
}

// lookupPrepared finds a statement by name; "" is the unnamed one.
func (s *Session) lookupPrepared(name string) (*prepared, error) {
	if name == "" {
		if s.unnamed == nil {
			return nil, pgerr.New(pgerr.UndefinedPstatement, "unnamed prepared statement does not exist")
		}
		return s.unnamed, nil
	}
	if p := s.statements[name]; p != nil {
		return p, nil
	}
	return nil, pgerr.New(pgerr.UndefinedPstatement, "prepared statement \"%s\" does not exist", name)
}

// newPrepared makes a statement out of a text's only parse tree (nil for the empty statement).
func (s *Session) newPrepared(name, text string, stmt *parse.Stmt, paramTypes []types.OID) *prepared {
	p := &prepared{name: name, text: text, stmt: stmt, made: s.clock.wall(), user: s.view.User()}
	if stmt != nil {
		p.source = plancache.New(stmt, text, "", paramTypes)
	}
	return p
}

// analyze makes sure that the statement is analysed and valid now, and that its result's shape and parameter inputs are known.
func (s *Session) analyze(p *prepared) (*plancache.Analyzed, error) {
	outer := s.analysedText
	if s.analysedText = p.text; s.functionDepth > 0 {
		s.analysedText = ""
	}
	a, err := p.source.Analyze(s.planEnv())
	s.analysedText = outer
	if err != nil {
		return nil, err
	}
	if p.shapeFor == a && p.shape != nil {
		return a, nil
	}
	if p.shape, err = newResultShape(s.backend.Env, a.Result); err != nil {
		return nil, err
	}
	p.params = p.params[:0]
	for _, t := range a.ParamTypes {
		io, err := types.IOFor(s.backend.Env, t)
		if err != nil {
			return nil, err
		}
		p.params = append(p.params, io)
	}
	p.shapeFor = a
	return a, nil
}
