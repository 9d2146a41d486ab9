package session

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// initBackend fills in what the executor asks of the session.
func (s *Session) initBackend() {
	b := s.backend
	b.Session = s
	b.Env = &types.Env{Clock: s.clock, Settings: &types.Settings{}, Interrupt: b.Interrupted, Notice: s.notice}
	*b.Env.Settings = types.DefaultSettings
	b.OpenTable = s.openTable
	b.LockRelation = s.lockOID
	b.CursorPosition = s.cursorPosition
	b.CheckExecute = s.checkExecute
	b.FunctionInLanguage = s.functionInLanguage
	b.SetFunctionInLanguage = s.setFunctionInLanguage
	b.RunSQL = s.runSQL
	b.TriggerInLanguage = s.triggerInLanguage
	b.NamedStore = s.namedStore
	b.ExprText = s.indexExprText
	b.ValidateFunction, b.FunctionRow = s.validateFunction, s.functionRow
}

// openTable gives a table's storage handles, made once a descriptor.
func (s *Session) openTable(rel *catalog.Relation) (*executor.Table, error) {
	if t := s.tables[rel.OID]; t != nil && t.Rel == rel {
		return t, nil
	}
	if rel.Kind == 'p' { // it has no storage
		return &executor.Table{Rel: rel}, nil
	}
	h, err := s.view.OpenHeap(rel)
	if err != nil {
		return nil, err
	}
	t := &executor.Table{Rel: rel, Heap: h}
	for _, ix := range rel.Indexes {
		x, err := s.view.OpenIndex(s.backend.Env, rel, ix)
		if err != nil {
			return nil, err
		}
		t.Indexes = append(t.Indexes, executor.TableIndex{Cat: ix, Index: x})
	}
	if len(s.tables) > tablesMax {
		clear(s.tables)
	}
	s.tables[rel.OID] = t
	return t, nil
}

// tablesMax bounds the handles that a session keeps.
const tablesMax = 4096

// relationTag names a relation's heavyweight lock.
func (s *Session) relationTag(oid types.OID, shared bool) lock.Tag {
	if shared {
		return lock.Relation(0, uint32(oid))
	}
	return lock.Relation(uint32(s.db.OID), uint32(oid))
}

// lockOID takes a relation's lock for the current transaction.
func (s *Session) lockOID(oid types.OID, mode int) error {
	return s.locks.Acquire(s.owner(), s.relationTag(oid, catalog.IsSharedRelation(oid)), lock.Mode(mode))
}

// lockRelation takes a relation's lock, then gives its descriptor, which is right as long as the lock is held.
func (s *Session) lockRelation(oid types.OID, mode int) (*catalog.Relation, error) {
	if mode != 0 {
		if err := s.lockOID(oid, mode); err != nil {
			return nil, err
		}
	}
	return s.view.Relation(oid)
}

// openRelation finds a relation by name and locks it. The name is looked up again after a wait: it may mean something else by then.
func (s *Session) openRelation(schema, name string, mode int) (*catalog.Relation, error) {
	for {
		oid, err := s.view.RelationByName(schema, name)
		if err != nil || oid == 0 {
			return nil, err
		}
		if mode == 0 {
			return s.view.Relation(oid)
		}
		before := s.view.Counter()
		if err := s.lockOID(oid, mode); err != nil {
			return nil, err
		}
		if s.view.Counter() != before {
			again, err := s.view.RelationByName(schema, name)
			if err != nil {
				return nil, err
			}
			if again != oid {
				s.locks.Release(s.owner(), s.relationTag(oid, catalog.IsSharedRelation(oid)), lock.Mode(mode))
				continue
			}
		}
		return s.view.Relation(oid)
	}
}

// planEnv gives what the plan cache asks of the session.
func (s *Session) planEnv() *plancache.Env { return &s.env }

func (s *Session) initPlanEnv() {
	s.env = plancache.Env{
		Epoch: 1,
		Plan: &plan.Env{
			Catalog: s.view, Types: s.backend.Env, Settings: &s.gucs.plan,
			RelPages: s.relPages, EvalConst: s.evalConst, LockRelation: s.lockOID, OtherTemp: s.isOtherTemp, FunctionBody: s.functionBody,
		},
		Analyze:      s.analyzeRaw,
		LockRelation: s.lockOID,
		UnlockRelation: func(oid types.OID, mode int) {
			s.locks.Release(s.owner(), s.relationTag(oid, catalog.IsSharedRelation(oid)), lock.Mode(mode))
		},
		InvalCount: s.view.Counter,
		Role:       s.view.User(),
	}
}

// isOtherTemp says whether a schema is another session's temporary one.
func (s *Session) isOtherTemp(schema types.OID) bool {
	return schema != s.view.TempNamespace() && s.view.IsTempNamespace(schema)
}

// relPages is a relation's present size in pages.
func (s *Session) relPages(oid types.OID) int32 {
	rel, err := s.view.Relation(oid)
	if err != nil || rel == nil {
		return 0
	}
	if rel.Kind != 'i' {
		h, err := s.view.OpenHeap(rel)
		if err != nil {
			return 0
		}
		return int32(h.NumBlocks())
	}
	table, err := s.view.Relation(rel.Index.TableOID)
	if err != nil || table == nil {
		return 0
	}
	x, err := s.view.OpenIndex(s.backend.Env, table, rel.Index)
	if err != nil {
		return 0
	}
	st, err := x.Stats()
	if err != nil {
		return 0
	}
	return int32(st.Pages)
}

// evalConst evaluates an expression without variables.
func (s *Session) evalConst(e query.Expr) (types.Datum, error) {
	return expr.EvalConst(s.compiler(), e)
}

// analyzeEnv is what analysis asks of the session.
func (s *Session) analyzeEnv(params *analyze.Params) *analyze.Env {
	return &analyze.Env{
		Catalog: s.view, Types: s.backend.Env, OpenRelation: s.openRelation, LockRelation: s.lockRelation,
		Database: s.db.Name, Params: params, Notice: s.notice, TransformNullEquals: s.gucs.Bool(settings.TransformNullEquals),
		NamedTable: s.namedTable,
	}
}

// analyzeRaw analyses and rewrites a statement for the plan cache.
func (s *Session) analyzeRaw(raw any, text string, paramTypes []types.OID) (plancache.Analyzed, error) {
	switch x := raw.(type) {
	case *lifted:
		return s.analyzeLifted(x, text)
	case *bodyStatement:
		return x.analyze(s)
	case *containedStmt:
		return x.analyze(s)
	case *hookedStmt:
		return s.analyzeHooked(x)
	}
	stmt := raw.(*parse.Stmt)
	params := &analyze.Params{Types: append([]types.OID(nil), paramTypes...), Variable: true}
	env := s.analyzeEnv(params)
	q, err := analyze.Statement(env, stmt)
	if err == nil {
		err = analyzeContained(env, stmt, q)
	}
	if err != nil {
		return plancache.Analyzed{}, err
	}
	return s.rewriteAnalyzed(q, params)
}

// rewriteAnalyzed applies rules and says what the client sees.
func (s *Session) rewriteAnalyzed(q *query.Query, params *analyze.Params) (a plancache.Analyzed, err error) {
	a.ParamTypes = params.Types
	for i, t := range a.ParamTypes {
		if t == 0 || t == types.UnknownOID {
			return a, pgerr.New(pgerr.IndeterminateDatatype, "could not determine data type of parameter $%d", i+1)
		}
	}
	if q.Command == query.CmdUtility {
		a.Queries = []*query.Query{q}
		a.Result, err = s.utilityResult(utilityNode(q))
		return a, err
	}
	if a.Queries, err = rewrite.Rewrite(s.analyzeEnv(nil), q); err != nil {
		return a, err
	}
	a.Result = resultColumns(a.Queries)
	return a, nil
}

// resultColumns gives the visible columns of what the client sees: a SELECT's targets or RETURNING; nil when there is no result.
func resultColumns(queries []*query.Query) []*query.TargetEntry {
	for _, q := range queries {
		if !q.CanSetTag {
			continue
		}
		list := q.Returning
		if q.Command == query.CmdSelect {
			list = q.Targets
		}
		if q.Command != query.CmdSelect && len(list) == 0 {
			return nil
		}
		visible := []*query.TargetEntry{}
		for _, t := range list {
			if !t.Junk {
				visible = append(visible, t)
			}
		}
		return visible
	}
	return nil
}

// checkExecute says whether the current user may call a function.
func (s *Session) checkExecute(p *catalog.Proc) error {
	if p.ACL == nil {
		return nil
	}
	ok, err := s.view.HasPrivilege(catalog.PgProcOID, p.OID, 0, s.view.User(), query.AclExecute)
	if err == nil && !ok {
		word := "function"
		switch p.Kind {
		case 'p':
			word = "procedure"
		case 'a':
			word = "aggregate"
		}
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for %s %s", word, p.Name)
	}
	return err
}
