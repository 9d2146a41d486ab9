package session

import (
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// hasOwnContext says whether a function runs as another user, or with settings of its own.
func hasOwnContext(p *catalog.Proc) bool { return p.SecDef || len(p.Config) > 0 }

// inContextOf runs fn as a SECURITY DEFINER function's owner and with its SET clauses; both end with it.
func (s *Session) inContextOf(p *catalog.Proc, fn func() error) (err error) {
	level := s.gucs.nest()
	defer func() { s.gucs.unnest(level, err == nil) }()
	if p.SecDef {
		user := s.view.User()
		s.view.SetUser(p.Owner)
		defer s.view.SetUser(user)
	}
	for _, set := range p.Config {
		name, value, _ := strings.Cut(set, "=")
		if err := s.setVariable(name, value, settings.ActionSave); err != nil {
			return err
		}
	}
	return fn()
}

// functionDepthMax bounds calls inside calls: a Go stack overflow would end the process.
const functionDepthMax = 1000

func (s *Session) enterFunction() error {
	if s.functionDepth >= functionDepthMax {
		return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the platform's stack depth limit is adequate.")
	}
	s.functionDepth++
	s.outerTables = append(s.outerTables, s.transitionTables)
	s.transitionTables = nil
	return nil
}

func (s *Session) leaveFunction() {
	s.functionDepth--
	n := len(s.outerTables) - 1
	s.transitionTables, s.outerTables = s.outerTables[n], s.outerTables[:n]
}

// CheckSetting refuses a value that a setting can't have.
func (s *Session) CheckSetting(name, value string) error {
	level := s.gucs.nest()
	defer s.gucs.unnest(level, false)
	return s.setVariable(name, value, settings.ActionSave)
}

// WithSearchPathBefore runs fn with a schema before the others of search_path.
func (s *Session) WithSearchPathBefore(schema string, fn func() error) error {
	level := s.gucs.nest()
	defer s.gucs.unnest(level, false)
	path := types.QuoteIdent(nil, schema)
	if rest := s.gucs.Str(settings.SearchPath); rest != "" {
		path += ", " + rest
	}
	if err := s.setVariable("search_path", path, settings.ActionSave); err != nil {
		return err
	}
	return fn()
}

// ChecksFunctionBodies says whether CREATE FUNCTION looks at bodies.
func (s *Session) ChecksFunctionBodies() bool { return s.gucs.Bool(settings.CheckFunctionBodies) }

// MayChangeSystemTables says whether allow_system_table_mods is on.
func (s *Session) MayChangeSystemTables() bool { return s.gucs.Bool(settings.AllowSystemTableMods) }

// pushSnapshot notes what the statement that runs now sees: so do the functions that it calls, unless they are volatile.
func (s *Session) pushSnapshot(snap *heap.Snapshot) { s.snapshots = append(s.snapshots, snap) }

func (s *Session) popSnapshot() { s.snapshots = s.snapshots[:len(s.snapshots)-1] }

// beginExpression starts an expression of a volatile function, which sees what was done so far; the snapshot is only taken when something asks.
func (s *Session) beginExpression() { s.snapshots = append(s.snapshots, nil) }

func (s *Session) endExpression() {
	if snap := s.snapshots[len(s.snapshots)-1]; snap != nil {
		s.backend.Heap.Tx.ReleaseSnapshot(&snap.Snapshot)
	}
	s.popSnapshot()
}

// callerSnapshot gives a copy, to be released, of the snapshot of what runs now.
func (s *Session) callerSnapshot() *heap.Snapshot {
	snap := new(heap.Snapshot)
	n := len(s.snapshots)
	if n == 0 {
		s.takeSnapshot(snap)
		return snap
	}
	if s.snapshots[n-1] == nil {
		s.snapshots[n-1] = new(heap.Snapshot)
		s.takeSnapshot(s.snapshots[n-1])
	}
	*snap = *s.snapshots[n-1]
	s.backend.Heap.Tx.HoldSnapshot(&snap.Snapshot, &s.snapshots[n-1].Snapshot)
	return snap
}
