package plancache

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Env is what a Source needs of its session, filled anew or kept, as the session likes.
type Env struct {
	Plan *plan.Env
	// Analyze analyses and rewrites a parse tree. paramTypes may hold zeros for parameters whose type is to be found.
	Analyze func(raw any, text string, paramTypes []OID) (Analyzed, error)
	// LockRelation takes a relation's heavyweight lock until the end of the transaction and drains invalidations; UnlockRelation gives one
	// back when a plan turned out stale.
	LockRelation   func(rel OID, mode int) error
	UnlockRelation func(rel OID, mode int)
	// InvalCount is the catalog's invalidation counter; nil: every use checks all dependencies.
	InvalCount func() uint64
	// Epoch changes whenever the owner of new locks changes: with the transaction, and at savepoints. Locks taken in an epoch are held as long as
	// it lasts, so a Source takes them once. 0: locks are taken at each use.
	Epoch uint64
	Role  OID
}

// Analyzed is a statement after analysis and rewriting: no query, one, or several when rules added some.
type Analyzed struct {
	Queries    []*query.Query
	ParamTypes []OID
	// Result is the visible columns of what the client sees, nil for a statement without a result.
	Result []*query.TargetEntry
	// Utility statements have no plan: Queries holds one with Command CmdUtility.
}

// Source is a cached statement.
type Source struct {
	Raw  any
	Text string
	Tag  string

	paramTypes  []OID // as declared: zeros where to be found
	fixedResult bool  // the client was told the result's shape
	options     plan.CursorOptions
	force       plan.PlanCacheMode

	analyzed      *Analyzed // a new one after each analysis: users tell by the pointer that it changed
	valid         bool
	inval         uint64
	searchPath    []OID
	role          OID
	dependsOnRole bool
	deps          []dependency
	relations     lockList // of the analysed queries
	locked        uint64   // the epoch in which they were locked last

	generic     *Plans
	genericCost float64
	customCost  float64
	numCustom   int64
	numGeneric  int64
}

// Plans is what an execution runs: the planned statements in order.
type Plans struct {
	Stmts   []*plan.Planned
	Generic bool
	deps    []dependency
	beyond  lockList // the plan's relations that are not the queries'
	locked  uint64   // the epoch in which they were locked last
	inval   uint64   // counter at which deps were known to be right
}

// New makes a source of a parse tree. paramTypes holds the types that the client declared, 0 = to be found.
func New(raw any, text, tag string, paramTypes []OID) *Source {
	return &Source{Raw: raw, Text: text, Tag: tag, paramTypes: slices.Clone(paramTypes), genericCost: -1}
}

// SetFixedResult says that the client knows the result's columns: a change of them is an error from now on.
func (s *Source) SetFixedResult() { s.fixedResult = true }

// SetMode makes the choice of plans for this statement, before plan_cache_mode has a say.
func (s *Source) SetMode(m plan.PlanCacheMode) { s.force = m }

// SetCursor plans for a cursor.
func (s *Source) SetCursor(o plan.CursorOptions) { s.options = o }

// Relations gives the relations that the analysed statement reads or writes.
func (s *Source) Relations() []plan.RelationUse { return s.relations }

// Counts gives the number of generic and custom plans that were used, for pg_prepared_statements.
func (s *Source) Counts() (generic, custom int64) { return s.numGeneric, s.numCustom }

// Analyze gives the analysed statement, valid now: it takes the locks that its relations need and analyses again when something changed.
func (s *Source) Analyze(env *Env) (*Analyzed, error) {
	if s.valid {
		if err := s.revalidate(env); err != nil {
			return nil, err
		}
	}
	if s.valid {
		return s.analyzed, nil
	}
	a, err := env.Analyze(s.Raw, s.Text, s.paramTypes)
	if err != nil {
		return nil, err
	}
	if s.fixedResult && s.searchPath != nil && !sameResult(s.analyzed.Result, a.Result) {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "cached plan must not change result type")
	}
	s.analyzed = &a
	s.paramTypes = a.ParamTypes
	s.generic = nil
	return s.analyzed, s.remember(env)
}

// Current says whether the statement is analysed and an analysis now would give the same; it takes the locks that its relations need then. A
// prepared statement keeps the objects that its names meant while those are what they were; a text that is sent again names them anew, and any
// change of the catalogs may have put another object under a name (a table in an earlier schema of the path, a function that fits better).
func (s *Source) Current(env *Env) (bool, error) {
	if !s.valid {
		return false, nil
	}
	analyzed := s.inval
	if err := s.revalidate(env); err != nil {
		return false, err
	}
	return s.valid && s.inval == analyzed, nil
}

// remember notes what the analysed statement depends on.
func (s *Source) remember(env *Env) error {
	s.inval = env.count()
	s.searchPath = append(make([]OID, 0, 4), env.Plan.Catalog.SearchPath()...)
	s.role, s.dependsOnRole = env.Role, false
	s.deps, s.relations = s.deps[:0], s.relations[:0]
	for _, q := range s.analyzed.Queries {
		s.dependsOnRole = s.dependsOnRole || q.HasRowSecurity
		s.relations.addQuery(q)
		if err := addQueryDeps(env, q, &s.deps); err != nil {
			return err
		}
	}
	s.valid = true
	s.locked = env.Epoch // analysis took the locks
	return nil
}

func (e *Env) count() uint64 {
	if e.InvalCount == nil {
		return 0
	}
	return e.InvalCount()
}

// revalidate takes the queries' locks and says in s.valid whether nothing changed.
func (s *Source) revalidate(env *Env) error {
	if !slices.Equal(s.searchPath, env.Plan.Catalog.SearchPath()) || s.dependsOnRole && s.role != env.Role {
		s.valid, s.generic = false, nil
		return nil
	}
	if err := s.relations.lockOnce(env, &s.locked); err != nil {
		return err
	}
	ok, err := s.current(env, s.deps, s.inval)
	if err != nil {
		return err
	}
	if ok {
		s.inval = env.count()
		return nil
	}
	s.relations.release(env)
	s.valid, s.generic, s.locked = false, nil, 0
	return nil
}

// current says whether dependencies are what they were when the counter was at since.
func (s *Source) current(env *Env, deps []dependency, since uint64) (bool, error) {
	if env.InvalCount != nil && env.InvalCount() == since {
		return true, nil
	}
	for i := range deps {
		same, err := deps[i].same(env)
		if !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Invalidate forgets the analysis and plans (DISCARD PLANS forgets only plans).
func (s *Source) Invalidate()  { s.valid, s.generic = false, nil }
func (s *Source) ForgetPlans() { s.generic = nil }

func sameResult(a, b []*query.TargetEntry) bool {
	return slices.EqualFunc(a, b, func(x, y *query.TargetEntry) bool {
		return x.Name == y.Name && x.Expr.Type() == y.Expr.Type() && x.Expr.TypMod() == y.Expr.TypMod()
	})
}
