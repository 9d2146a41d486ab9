package session

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// portal is a statement that is being executed: by the protocol's Bind, or by DECLARE CURSOR.
type portal struct {
	name    string
	number  uint64 // order of creation, for savepoints
	stmt    *prepared
	params  []types.Datum
	formats []int16 // of the result columns

	strategy portalStrategy
	plans    *plancache.Plans
	state    *executor.State // of a single SELECT
	snapshot heap.Snapshot
	owner    *lock.Owner // nil: the transaction's
	rows     *executor.Tuplestore
	reader   *executor.Reader // over rows
	tag      string
	shape    *resultShape
	started  bool
	done     bool
	failed   bool
	position int64 // rows given so far

	// of cursors
	cursor   bool
	scroll   bool
	noScroll bool
	hold     bool                    // WITH HOLD
	targets  []executor.CursorTarget // of the running query
	kept     types.Row               // reused by keep
	held     bool                    // its transaction is over: rows holds what is left
	binary   bool
	atEnd    bool
	text     string // of DECLARE
	made     int64  // when, as timestamptz

	paramBuf []byte
}

// portalStrategy says how a portal runs.
type portalStrategy uint8

const (
	portalMulti     portalStrategy = iota // run to completion, no rows
	portalSelect                          // one query, rows as they are asked for
	portalReturning                       // data-modifying with RETURNING: run to completion first, then rows
	portalUtility                         // a utility command with rows (EXPLAIN, SHOW, EXECUTE, FETCH)
	portalEmpty
)

// strategyOf decides how analysed queries run.
func strategyOf(a *plancache.Analyzed) portalStrategy {
	if len(a.Queries) == 1 {
		q := a.Queries[0]
		switch {
		case q.Command == query.CmdSelect && !q.HasModifyingCTE:
			return portalSelect
		case q.Command == query.CmdSelect:
			return portalReturning
		case q.Command == query.CmdUtility:
			if a.Result != nil {
				return portalUtility
			}
			return portalMulti
		}
	}
	if a.Result != nil {
		return portalReturning
	}
	return portalMulti
}

// addPortal registers a portal under its name.
func (s *Session) addPortal(p *portal) error {
	if old := s.portals[p.name]; old != nil {
		if p.name != "" {
			return pgerr.New(pgerr.DuplicateCursor, "cursor \"%s\" already exists", p.name)
		}
		s.dropPortal(old)
	}
	s.portalCount++
	if p.cursor {
		p.made = s.clock.Now()
	}
	p.number = s.portalCount
	s.portals[p.name] = p
	return nil
}

func (s *Session) lookupPortal(name string) (*portal, error) {
	if p := s.portals[name]; p != nil {
		return p, nil
	}
	return nil, pgerr.New(pgerr.UndefinedCursor, "portal \"%s\" does not exist", name)
}

// dropPortal ends a portal and frees what it holds.
func (s *Session) dropPortal(p *portal) {
	if s.portals[p.name] == p {
		delete(s.portals, p.name)
	}
	s.stopPortal(p)
	if p.rows != nil {
		p.rows.Close()
		p.rows, p.reader = nil, nil
	}
	if p.name == "" && cap(p.paramBuf) <= spareBytesMax {
		s.spare = p
	}
}

// spareBytesMax is how much memory a dropped portal keeps for the next.
const spareBytesMax = 64 << 10

// stopPortal ends the portal's query and its snapshot.
func (s *Session) stopPortal(p *portal) {
	if p.state != nil {
		p.state.Close()
		if !p.failed {
			p.stmt.giveBack(p.state, p.state.Plan, p.plans != nil && p.plans.Generic)
		}
		p.state = nil
	}
	if s.inTransaction() && !p.held {
		s.backend.Heap.Tx.ReleaseSnapshot(&p.snapshot.Snapshot)
	}
}

// dropTransactionPortals ends all portals that don't outlive the transaction.
func (s *Session) dropTransactionPortals() {
	if p := s.portals[""]; p != nil && len(s.portals) == 1 && !p.held {
		s.dropPortal(p)
		return
	}
	for _, p := range s.portals {
		if !p.held {
			s.dropPortal(p)
		}
	}
}

// dropPortalsSince ends the portals made after the given number: those of a subtransaction that is undone.
func (s *Session) dropPortalsSince(number uint64) {
	for _, p := range s.portals {
		if p.number > number && !p.held {
			p.failed = true
			s.dropPortal(p)
		}
	}
}

// holdPortals stores what is left of WITH HOLD cursors before the transaction ends; it says whether there were any.
func (s *Session) holdPortals() (bool, error) {
	some := false
	if !s.holdable {
		return false, nil
	}
	for _, p := range s.portals {
		if !p.hold || p.held {
			continue
		}
		some = true
		if err := s.holdPortal(p); err != nil {
			return some, err
		}
	}
	return some, nil
}

// holdPortal reads a cursor's query to its end, so that it needs neither the query nor its snapshot any more. The position stays.
func (s *Session) holdPortal(p *portal) error {
	for {
		row, err := s.cursorRow(p, s.rowsSeen(p)+1)
		if err != nil {
			return err
		}
		if row == nil {
			break
		}
	}
	s.stopPortal(p)
	p.held = true
	return nil
}

// bindPlan plans the portal's statement for its parameters and says how it runs.
func (s *Session) bindPlan(p *portal, a *plancache.Analyzed) (err error) {
	if p.stmt.stmt == nil {
		p.strategy = portalEmpty
		return nil
	}
	p.strategy, p.shape = strategyOf(a), p.stmt.shape
	if p.plans, err = p.stmt.source.Get(s.planEnv(), p.params); err != nil {
		return err
	}
	if p.strategy != portalSelect {
		return nil
	}
	if err := s.checkPermissions(p.stmt, p.plans.Stmts[0]); err != nil {
		return err
	}
	s.takeSnapshot(&p.snapshot)
	return nil
}

// startPortal begins the query of a SELECT portal.
func (s *Session) startPortal(p *portal) error {
	if p.started {
		return nil
	}
	p.started = true
	pl := p.plans.Stmts[0]
	if err := s.checkReadOnly(pl); err != nil {
		return err
	}
	st, err := p.stmt.state(s.backend, pl)
	if err != nil {
		return err
	}
	p.state = st
	if len(pl.RowMarks) > 0 {
		s.backend.Heap.Tx.UseCID()
	}
	return st.Start(p.params, &p.snapshot)
}

// run gives at most max rows (0 = all) to out and says how many, and whether the portal is finished.
func (s *Session) runPortal(p *portal, max int64, out receiver) (n int64, err error) {
	defer func() {
		if err != nil {
			p.failed = true
		}
	}()
	if p.failed {
		return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", p.name)
	}
	if p.cursor {
		return s.runCursor(p, max, out)
	}
	if p.strategy == portalSelect {
		return s.runSelect(p, max, out)
	}
	if !p.started {
		p.started = true
		if err := s.runToCompletion(p); err != nil {
			return 0, err
		}
	}
	return s.giveStored(p, max, out)
}

// runCursor is Execute of a portal that DECLARE CURSOR made.
func (s *Session) runCursor(p *portal, max int64, out receiver) (int64, error) {
	if max <= 0 {
		max = fetchAll
	}
	n, err := s.fetchForward(p, max, out)
	p.done = p.atEnd
	return n, err
}

func (s *Session) runSelect(p *portal, max int64, out receiver) (n int64, err error) {
	if err := s.startPortal(p); err != nil {
		return 0, err
	}
	if p.done {
		return 0, nil
	}
	s.pushSnapshot(&p.snapshot)
	defer s.popSnapshot()
	width := len(p.shape.ios)
	for max <= 0 || n < max {
		row, err := p.state.Next()
		if err != nil {
			return n, err
		}
		if row == nil {
			p.done = true
			break
		}
		if err := out.receive(row[:width]); err != nil {
			return n, err
		}
		n++
	}
	p.position += n
	if p.done {
		s.stopPortal(p)
	} else {
		p.state.Suspend()
	}
	return n, nil
}

// runToCompletion runs everything of a portal that is no plain SELECT, keeping its rows.
func (s *Session) runToCompletion(p *portal) error {
	var keep receiver = discard{}
	if p.shape != nil && len(p.shape.ios) > 0 {
		p.rows = executor.NewTuplestore(len(p.shape.ios), s.backend.WorkMem(), s.backend.Temp)
		p.reader = p.rows.NewReader()
		keep = storeReceiver{p.rows}
	}
	tag, err := s.runStatements(p.stmt, p.plans, p.params, keep)
	p.tag = tag
	return err
}

func (s *Session) giveStored(p *portal, max int64, out receiver) (n int64, err error) {
	if p.reader == nil {
		p.done = true
		return 0, nil
	}
	for max <= 0 || n < max {
		row, err := p.reader.Next()
		if err != nil {
			return n, err
		}
		if row == nil {
			p.done = true
			break
		}
		if err := out.receive(row); err != nil {
			return n, err
		}
		n++
	}
	p.position += n
	return n, nil
}

// storeReceiver keeps rows in a tuplestore.
type storeReceiver struct{ rows *executor.Tuplestore }

func (r storeReceiver) receive(row types.Row) error { return r.rows.Add(row) }

// takeSnapshot takes the snapshot of a statement.
func (s *Session) takeSnapshot(snap *heap.Snapshot) {
	*snap = heap.Snapshot{}
	s.backend.Heap.Tx.TakeSnapshot(&snap.Snapshot)
	s.snapshotTaken = true
}

// checkReadOnly refuses a plan that writes in a read-only transaction.
func (s *Session) checkReadOnly(pl *plan.Planned) error {
	if !s.backend.Heap.Tx.ReadOnly {
		return nil
	}
	for _, rt := range pl.ResultRels {
		if rel, err := s.backend.Catalog.Relation(pl.RangeTable[rt-1].RelOID); err != nil || rel == nil || rel.Persistence != 't' {
			return readOnlyError(commandName(pl.Command))
		}
	}
	if len(pl.RowMarks) > 0 && pl.Command == query.CmdSelect {
		for _, m := range pl.RowMarks {
			if m.Strength != query.LockNone {
				return readOnlyError("SELECT " + lockName(m.Strength))
			}
		}
	}
	return nil
}

func readOnlyError(command string) error {
	return pgerr.New(pgerr.ReadOnlySqlTransaction, "cannot execute %s in a read-only transaction", command)
}

func lockName(l query.LockStrength) string {
	switch l {
	case query.LockForKeyShare:
		return "FOR KEY SHARE"
	case query.LockForShare:
		return "FOR SHARE"
	case query.LockForNoKeyUpdate:
		return "FOR NO KEY UPDATE"
	}
	return "FOR UPDATE"
}

func commandName(c query.CommandType) string {
	switch c {
	case query.CmdInsert:
		return "INSERT"
	case query.CmdUpdate:
		return "UPDATE"
	case query.CmdDelete:
		return "DELETE"
	case query.CmdMerge:
		return "MERGE"
	}
	return "SELECT"
}
