package session

import (
	"slices"
	"sync"
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pgstat"
)

// Autovacuum: a launcher gives each database in which something was counted a worker once in autovacuum_naptime; a worker is a session
// without a client that goes over the database's tables and vacuums and analyses those whose counters passed their thresholds, each in
// transactions of its own. Two workers never work on one table. A worker gives way: when somebody has waited deadlock_timeout for a lock that it
// holds, it drops the table.

// autovacuum is the launcher's state.
type autovacuum struct {
	pid int32 // of the launcher, for pg_stat_activity

	mu      sync.Mutex
	workers map[*Session]bool
	last    map[catalog.OID]time.Time // when a database had its last worker
	claimed map[[2]types.OID]bool     // tables that a worker is at: database (0 = shared), table
}

var (
	autovacuumNaptime    = settings.MustLookup("autovacuum_naptime")
	autovacuumMaxWorkers = settings.MustLookup("autovacuum_max_workers")
	autovacuumCostDelay  = settings.MustLookup("autovacuum_vacuum_cost_delay")
	autovacuumCostLimit  = settings.MustLookup("autovacuum_vacuum_cost_limit")
	vacuumCostDelay      = settings.MustLookup("vacuum_cost_delay")
	vacuumCostLimit      = settings.MustLookup("vacuum_cost_limit")
	logAutovacuumMin     = settings.MustLookup("log_autovacuum_min_duration")
	trackCounts          = settings.MustLookup("track_counts")
)

// launcherTick is how often the launcher looks whether a database is due.
const launcherTick = 100 * time.Millisecond

func (s *Server) launchAutovacuum() {
	s.auto.pid = s.newPID()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		for s.wait(launcherTick) {
			if s.o.Settings.Bool(settings.Autovacuum) && s.o.Settings.Bool(trackCounts) {
				s.startDueWorker(time.Now())
			}
		}
	}()
}

// startDueWorker starts a worker in the database that has waited longest, if one is due and a worker is free.
func (s *Server) startDueWorker(now time.Time) {
	a := &s.auto
	naptime := time.Duration(s.o.Settings.Int(autovacuumNaptime)) * time.Second
	a.mu.Lock()
	defer a.mu.Unlock()
	if int64(len(a.workers)) >= s.o.Settings.Int(autovacuumMaxWorkers) {
		return
	}
	due := catalog.OID(0)
	for _, db := range s.stats.ActiveDatabases() {
		db := catalog.OID(db)
		if last, ok := a.last[db]; !ok {
			a.last[db] = now // the first comes a naptime after the first activity
		} else if now.Sub(last) >= naptime && (due == 0 || last.Before(a.last[due])) {
			due = db
		}
	}
	if due == 0 {
		return
	}
	a.last[due] = now
	ss := s.newSession(s.newPID())
	a.workers[ss] = true
	s.wg.Add(1)
	go s.autovacuumWorker(ss, due)
}

// autovacuumWorker is the life of a worker. Whatever happens to it is logged and touches nobody else.
func (s *Server) autovacuumWorker(ss *Session, db catalog.OID) {
	defer s.wg.Done()
	defer func() {
		if r := recover(); r != nil {
			s.o.Log.Error().Msgf("panic in an autovacuum worker: %v", r)
		}
		ss.Close(nil)
		s.auto.mu.Lock()
		delete(s.auto.workers, ss)
		s.auto.mu.Unlock()
	}()
	ok, err := ss.openWorker(db)
	if err != nil {
		s.o.Log.Error().Err(err).Uint32("database", uint32(db)).Msg("an autovacuum worker could not start")
	}
	if !ok || err != nil {
		return
	}
	w := &autovacuumRun{s: s, ss: ss}
	if err := w.run(); err != nil {
		s.o.Log.Error().Err(err).Str("database", ss.db.Name).Msg("autovacuum")
	}
}

// openWorker makes the session one of the bootstrap superuser in a database; false when the database is gone, or is being copied or dropped.
func (s *Session) openWorker(db catalog.OID) (bool, error) {
	s.gucs = newGucs(s, s.server.o.Settings)
	if err := s.useDB(db); err != nil {
		return false, nil // it is gone
	}
	s.backend.Env.Notice = nil
	s.backend.Autovacuum = true
	s.view.SetUser(catalog.BootstrapSuperuser)
	s.view.SetSessionUser(catalog.BootstrapSuperuser)
	if got, err := s.locks.TryAcquire(s.locks.Owner(), databaseTag(db), lock.RowExclusive); !got || err != nil {
		return false, err
	}
	defer s.locks.Release(s.locks.Owner(), databaseTag(db), lock.RowExclusive)
	s.startTransaction()
	defer s.abort()
	d, err := s.view.Database(db)
	if d == nil || err != nil {
		return false, err
	}
	if s.user, err = s.view.Role(catalog.BootstrapSuperuser); err != nil {
		return false, err
	}
	s.db = d
	s.gucs.follow()
	for name, value := range map[string]string{"statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0",
		"search_path": "", "default_transaction_isolation": "read committed"} {
		if err := s.gucs.SetDefault(name, value, settings.SourceOverride); err != nil {
			return false, err
		}
	}
	s.view.AttachWorker(func() {
		s.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating autovacuum process due to administrator command"))
	})
	s.backend.Heap.Stats = s.server.stats.NewSession(uint32(db))
	s.activity.open("autovacuum worker", s.clock.Now())
	s.ready.Store(true)
	return true, nil
}

// autovacuumRun is one worker's pass over a database.
type autovacuumRun struct {
	s  *Server
	ss *Session
}

// candidate is a table that something is to be done with.
type candidate struct {
	key  [2]types.OID
	task executor.AutovacuumTask
	text string // "schema.table"
	log  time.Duration
}

func (w *autovacuumRun) run() error {
	list, err := w.candidates()
	if err != nil {
		return err
	}
	for _, oid := range list {
		if w.ss.terminated.Load() != nil {
			return nil
		}
		c, err := w.recheck(oid) // another worker, or a user, may have been there since
		if err != nil {
			return err
		}
		if c == nil || !w.claim(c.key) {
			continue
		}
		w.treat(c)
		w.unclaim(c.key)
	}
	return nil
}

func (w *autovacuumRun) claim(k [2]types.OID) bool {
	a := &w.s.auto
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.claimed[k] {
		return false
	}
	a.claimed[k] = true
	return true
}

func (w *autovacuumRun) unclaim(k [2]types.OID) {
	a := &w.s.auto
	a.mu.Lock()
	delete(a.claimed, k)
	a.mu.Unlock()
}

// candidates lists the tables that pass a threshold. Figures of relations that are gone are dropped.
func (w *autovacuumRun) candidates() ([]types.OID, error) {
	ss := w.ss
	ss.startTransaction()
	defer ss.commitRead()
	var list []types.OID
	for _, db := range []uint32{uint32(ss.db.OID), 0} {
		for _, oid := range w.s.stats.Relations(db) {
			rel, err := ss.view.Relation(types.OID(oid))
			if err != nil {
				return nil, err
			}
			if rel == nil {
				w.s.stats.Drop(db, oid)
				continue
			}
			if c := w.judge(rel); c != nil {
				list = append(list, rel.OID)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

func (w *autovacuumRun) recheck(oid types.OID) (*candidate, error) {
	w.ss.startTransaction()
	defer w.ss.commitRead()
	rel, err := w.ss.view.Relation(oid)
	if rel == nil || err != nil {
		return nil, err
	}
	c := w.judge(rel)
	if c == nil {
		return nil, nil
	}
	ns, err := w.ss.view.Namespace(rel.Namespace)
	if ns != nil {
		c.text = ns.Name + "." + rel.Name
	}
	return c, err
}

// commitRead ends a transaction that only read.
func (s *Session) commitRead() {
	if err := s.commit(); err != nil {
		s.server.o.Log.Error().Err(err).Msg("autovacuum")
	}
}

// judge compares a table's counters with its thresholds; nil when there is nothing to do.
func (w *autovacuumRun) judge(rel *catalog.Relation) *candidate {
	if rel.Kind != 'r' && rel.Kind != 'm' || rel.Persistence == 't' {
		return nil
	}
	db := w.ss.db.OID
	if rel.Shared {
		db = 0
	}
	st, ok := w.s.stats.Relation(uint32(db), uint32(rel.OID))
	o := relOptions{rel.Options, w.s.o.Settings}
	if !ok || !o.enabled() {
		return nil
	}
	c := &candidate{key: [2]types.OID{db, rel.OID}, log: o.logMin(),
		task: executor.AutovacuumTask{Rel: rel.OID, Name: rel.Name, CostDelay: o.costDelay(), CostLimit: o.costLimit()}}
	rows := float64(max(rel.Tuples, 0))
	c.task.Vacuum, c.task.Analyze = o.due(&st, rows)
	c.task.Analyze = c.task.Analyze && rel.OID != catalog.PgStatisticOID
	if !c.task.Vacuum && !c.task.Analyze {
		return nil
	}
	return c
}

// due applies PostgreSQL's formulas: a threshold is a base plus a share of the table's rows.
func (o relOptions) due(st *pgstat.Relation, rows float64) (vacuum, analyze bool) {
	threshold := func(base, scale string) float64 { return o.number(base) + o.number(scale)*rows }
	vacuum = float64(st.Dead) > threshold("autovacuum_vacuum_threshold", "autovacuum_vacuum_scale_factor")
	if o.number("autovacuum_vacuum_insert_threshold") >= 0 {
		vacuum = vacuum || float64(st.InsertsSinceVacuum) > threshold("autovacuum_vacuum_insert_threshold", "autovacuum_vacuum_insert_scale_factor")
	}
	analyze = float64(st.ModSinceAnalyze) > threshold("autovacuum_analyze_threshold", "autovacuum_analyze_scale_factor")
	return vacuum, analyze
}

// treat vacuums and analyses a table. An error is logged, and the next table's turn comes.
func (w *autovacuumRun) treat(c *candidate) {
	ss := w.ss
	stop := w.giveWay()
	started := time.Now()
	what := "VACUUM"
	switch {
	case c.task.Vacuum && c.task.Analyze:
		what = "VACUUM ANALYZE"
	case c.task.Analyze:
		what = "ANALYZE"
	}
	ss.activity.begin("autovacuum: "+what+" "+c.text, ss.clock.Now())
	ss.active.Store(true)
	ss.clock.startMessage()
	ss.startCommand()
	_, err := executor.LookupCommand(executor.AutovacuumCommand)(&executor.Command{Backend: ss.backend, Node: &c.task, Session: ss})
	if err == nil {
		err = ss.finishStatement()
	}
	if err != nil {
		ss.failStatement()
	}
	stop()
	ss.active.Store(false)
	ss.backend.ClearInterrupt()
	ss.activity.end(false, false, ss.clock.Now())
	name := ss.db.Name + "." + c.text
	took := time.Since(started)
	switch {
	case err != nil:
		w.s.o.Log.Error().Err(err).Str("table", name).Msg("automatic vacuum of a table was given up")
	case c.log >= 0 && took >= c.log:
		w.s.o.Log.Info().Str("table", name).Dur("took", took).Msgf("automatic %s", what)
	}
}

// giveWay watches whether somebody waits for a lock of the worker's, and then cancels what it does. The function that it gives ends the watch.
func (w *autovacuumRun) giveWay() (stop func()) {
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Add(1)
	patience := time.Duration(w.s.o.Settings.Int(settings.DeadlockTimeout)) * time.Millisecond
	go func() {
		defer ended.Done()
		tick := time.NewTicker(max(patience/4, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if w.s.locks.IsBlocking(w.ss.pid, patience) {
					w.ss.interrupt(pgerr.New(pgerr.QueryCanceled, "canceling autovacuum task"))
				}
			}
		}
	}()
	return func() {
		close(done)
		ended.Wait()
		select {
		case <-w.ss.done:
		default:
		}
	}
}

// stopWorkers asks all workers to end.
func (s *Server) stopWorkers() {
	s.auto.mu.Lock()
	defer s.auto.mu.Unlock()
	for ss := range s.auto.workers {
		ss.Terminate(pgerr.Fatal(pgerr.AdminShutdown, "terminating autovacuum process due to administrator command"))
	}
}

// databaseTag names the lock that keeps a database as it is while sessions come in: held for a moment by who connects, for long by who copies
// or drops it.
func databaseTag(db catalog.OID) lock.Tag {
	return lock.Object(0, uint32(catalog.PgDatabaseOID), uint32(db), 0)
}
