package ddl

import (
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/xact"
)

func init() { register("VacuumStmt", vacuum) }

// vacuumOptions are the options of VACUUM and ANALYZE.
type vacuumOptions struct {
	vacuum, analyze, full, freeze, verbose, skipLocked, noTruncate, keepIndexes, allPages bool
	costDelay                                                                             time.Duration
	costLimit                                                                             int
}

// vacuum is VACUUM and ANALYZE.
func vacuum(c *ctx, n *pg_query.VacuumStmt) (string, error) {
	o := vacuumOptions{vacuum: n.IsVacuumcmd, analyze: !n.IsVacuumcmd, costDelay: c.Backend.VacuumCostDelay, costLimit: c.Backend.VacuumCostLimit}
	if err := o.parse(n); err != nil {
		return "", err
	}
	tag := "ANALYZE"
	if n.IsVacuumcmd {
		tag = "VACUUM"
		if err := c.Session.RequireNoBlock("VACUUM"); err != nil {
			return "", err
		}
	}
	targets, err := c.vacuumTargets(n)
	if err != nil {
		return "", err
	}
	if !o.vacuum {
		for _, t := range targets {
			if err := c.analyzeOne(t, o); err != nil {
				return "", err
			}
		}
		return tag, nil
	}
	for _, t := range targets {
		// Each table is a transaction of its own, so that none holds the horizon back for the next.
		if err := c.Session.CommitAndStart(); err != nil {
			return "", err
		}
		if err := c.vacuumOne(t, o); err != nil {
			return "", err
		}
		if !o.analyze {
			continue
		}
		if err := c.Session.CommitAndStart(); err != nil {
			return "", err
		}
		if err := c.analyzeOne(t, o); err != nil {
			return "", err
		}
	}
	return tag, nil
}

// parse reads the options in parentheses.
func (o *vacuumOptions) parse(n *pg_query.VacuumStmt) error {
	for _, x := range n.Options {
		d := x.GetDefElem()
		set := func(p *bool) error {
			v, err := defBool(d)
			*p = v
			return err
		}
		var err error
		var ignored bool
		switch {
		case d.Defname == "verbose":
			err = set(&o.verbose)
		case d.Defname == "skip_locked":
			err = set(&o.skipLocked)
		case !n.IsVacuumcmd:
			return unrecognized("ANALYZE", d)
		case d.Defname == "analyze":
			err = set(&o.analyze)
		case d.Defname == "freeze":
			err = set(&o.freeze)
		case d.Defname == "full":
			err = set(&o.full)
		case d.Defname == "disable_page_skipping":
			err = set(&o.allPages)
		case d.Defname == "truncate":
			var on bool
			err = set(&on)
			o.noTruncate = !on
		case d.Defname == "index_cleanup":
			if d.Arg != nil && strings.EqualFold(defText(d.Arg), "auto") {
				break
			}
			var on bool
			err = set(&on)
			o.keepIndexes = !on
		case d.Defname == "process_toast":
			err = set(&ignored) // wide values are in the table's own storage
		case d.Defname == "parallel":
			if d.Arg == nil {
				return pgerr.New(pgerr.SyntaxError, "parallel option requires a value between 0 and %d", 1024).WithLocation(int(d.Location))
			}
		default:
			return unrecognized("VACUUM", d)
		}
		if err != nil {
			return err
		}
	}
	if o.full && o.allPages {
		return pgerr.New(pgerr.FeatureNotSupported, "VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL")
	}
	return nil
}

func unrecognized(command string, d *pg_query.DefElem) error {
	return pgerr.New(pgerr.SyntaxError, "unrecognized %s option \"%s\"", command, d.Defname).WithLocation(int(d.Location))
}

// vacuumTarget is a table to vacuum or analyse.
type vacuumTarget struct {
	oid     OID
	name    string
	columns []string
	all     bool // the command named no table: what the user may not touch is left out with a word
}

// vacuumTargets finds the tables: those named, or all.
func (c *ctx) vacuumTargets(n *pg_query.VacuumStmt) ([]vacuumTarget, error) {
	var list []vacuumTarget
	for _, x := range n.Rels {
		r := x.GetVacuumRelation()
		if len(r.VaCols) > 0 && n.IsVacuumcmd && !hasOption(n, "analyze") {
			return nil, pgerr.New(pgerr.FeatureNotSupported, "ANALYZE option must be specified when a column list is provided")
		}
		rel, err := c.open(r.Relation, noLock)
		if err != nil {
			return nil, err
		}
		ok, err := c.mayVacuum(rel, vacuumVerb(n))
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		list = append(list, vacuumTarget{oid: rel.OID, name: rel.Name, columns: strs(r.VaCols)})
		if rel.Kind != 'p' {
			continue
		}
		parts, _, err := c.descendants(rel.OID, noLock)
		if err != nil {
			return nil, err
		}
		for _, oid := range parts[1:] {
			list = append(list, vacuumTarget{oid: oid, name: c.relationName(oid), columns: strs(r.VaCols)})
		}
	}
	if len(n.Rels) > 0 {
		return list, nil
	}
	return c.allVacuumTargets(vacuumVerb(n))
}

// allVacuumTargets are the tables of the database that are the user's to work on.
func (c *ctx) allVacuumTargets(verb string) ([]vacuumTarget, error) {
	var all, list []vacuumTarget
	err := c.v.ScanAll(catalog.PgClassOID, func(_ types.TID, row types.Row) (bool, error) {
		if k := row[catalog.ClassRelkind].Char(); k == 'r' || k == 'm' || k == 'p' {
			all = append(all, vacuumTarget{oid: row[catalog.ClassOid].Oid(), name: row[catalog.ClassRelname].Str(), all: true})
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		rel, err := c.v.Relation(t.oid)
		if err != nil {
			return nil, err
		}
		if rel == nil { // dropped since
			continue
		}
		ok, err := c.mayVacuum(rel, verb)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, t)
		}
	}
	return list, nil
}

func hasOption(n *pg_query.VacuumStmt, name string) bool {
	for _, x := range n.Options {
		if d := x.GetDefElem(); d.Defname == name {
			v, err := defBool(d)
			return v && err == nil
		}
	}
	return false
}

// lockTarget locks a table for VACUUM or ANALYZE; nil when it is gone, or is not the user's to work on.
func (c *ctx) lockTarget(t vacuumTarget, o vacuumOptions, mode int, command string) (*catalog.Relation, error) {
	if o.skipLocked {
		got, err := c.mayLock(t.oid, mode)
		if err != nil {
			return nil, err
		}
		if !got {
			n := pgerr.New(pgerr.LockNotAvailable, "skipping %s of \"%s\" --- lock not available", command, t.name)
			n.Severity = "WARNING"
			c.send(n)
			return nil, nil
		}
	}
	rel, err := c.Session.LockRelation(t.oid, mode)
	if err != nil || rel == nil {
		return nil, err
	}
	ok, err := c.mayVacuum(rel, command)
	if err != nil || !ok {
		return nil, err
	}
	if rel.Kind != 'r' && rel.Kind != 'm' && rel.Kind != 't' && rel.Kind != 'p' {
		c.warn("skipping \"%s\" --- cannot %s non-tables or special system tables", rel.Name, command)
		return nil, nil
	}
	if rel.Persistence == 't' && rel.Namespace != c.v.TempNamespace() {
		return nil, nil // another session's
	}
	return rel, nil
}

// mayVacuum says whether the relation is the user's to work on, and warns when it is not. It is asked before the relation is locked, too, so
// that nobody waits for a lock in vain.
func (c *ctx) mayVacuum(rel *catalog.Relation, command string) (bool, error) {
	owner, err := c.v.IsOwner(c.v.User(), rel.Owner)
	if err != nil || owner || c.ownsDatabase() {
		return err == nil, err
	}
	switch {
	case rel.Shared:
		c.warn("skipping \"%s\" --- only superuser can %s it", rel.Name, command)
	case rel.Namespace == catalog.CatalogNamespace:
		c.warn("skipping \"%s\" --- only superuser or database owner can %s it", rel.Name, command)
	default:
		c.warn("skipping \"%s\" --- only table or database owner can %s it", rel.Name, command)
	}
	return false, nil
}

func (c *ctx) warn(format string, args ...any) {
	n := pgerr.New(pgerr.Warning, format, args...)
	n.Severity = "WARNING"
	c.send(n)
}

func vacuumVerb(n *pg_query.VacuumStmt) string {
	if n.IsVacuumcmd {
		return "vacuum"
	}
	return "analyze"
}

func (c *ctx) ownsDatabase() bool {
	db, err := c.v.Database(c.v.DBOID())
	if err != nil || db == nil {
		return false
	}
	ok, err := c.v.IsOwner(c.v.User(), db.Owner)
	return ok && err == nil
}

// vacuumOne vacuums one table.
func (c *ctx) vacuumOne(t vacuumTarget, o vacuumOptions) error {
	mode := shareUpdateExclusive
	if o.full {
		mode = accessExclusive
	}
	rel, err := c.lockTarget(t, o, mode, "vacuum")
	if rel == nil || err != nil {
		return err
	}
	if rel.Kind == 'p' {
		return nil // it keeps no rows
	}
	if rel.Kind == 't' {
		return nil // wide values are in the table's own storage
	}
	if o.full {
		if rel.OID < firstUserOID {
			return nil // catalogs are kept small by plain vacuum
		}
		return c.copyTable(rel, nil)
	}
	return c.vacuumTable(rel, o)
}

// indexCleaner is an index as heap vacuum sees it.
type indexCleaner struct {
	c     *ctx
	ix    index.Index
	stats *index.VacuumStats
}

func (x *indexCleaner) args(tuples float64) *index.VacuumArgs {
	return &index.VacuumArgs{Cancel: x.c.heapSession().Cancel, Interrupt: x.c.Backend.Interrupted, HeapTuples: tuples}
}

func (x *indexCleaner) BulkDelete(dead func(types.TID) bool) (err error) {
	x.stats, err = x.ix.BulkDelete(x.args(0), dead, x.stats)
	return err
}

func (x *indexCleaner) Cleanup(tuples float64) (err error) {
	x.stats, err = x.ix.Cleanup(x.args(tuples), x.stats)
	return err
}

// vacuumTable removes dead rows, and notes the table's size.
func (c *ctx) vacuumTable(rel *catalog.Relation, o vacuumOptions) error {
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	opts := heap.VacuumOptions{All: o.freeze || o.allPages, OldPages: uint32(max(rel.Pages, 0)), OldTuples: float64(max(rel.Tuples, 0)),
		Delay: (&pacer{interrupted: c.Backend.Interrupted, delay: o.costDelay, limit: o.costLimit}).page, KeepIndexes: o.keepIndexes}
	if xm := c.heapSession().Tx.Manager(); o.freeze {
		opts.FreezeBefore = xm.Horizon()
	} else if h := xm.Horizon(); h > freezeMinAge {
		opts.FreezeBefore = h - freezeMinAge
	}
	if !o.noTruncate {
		opts.LockToTruncate = c.truncateLock(rel)
	}
	var cleaners []*indexCleaner
	for _, ix := range rel.Indexes {
		if !ix.Ready {
			continue
		}
		x, err := c.v.OpenIndex(c.Backend.Env, rel, ix)
		if err != nil {
			return err
		}
		k := &indexCleaner{c: c, ix: x}
		cleaners = append(cleaners, k)
		opts.Indexes = append(opts.Indexes, k)
	}
	st, err := h.Vacuum(c.heapSession(), opts)
	if err != nil {
		return err
	}
	if o.verbose {
		c.vacuumReport(rel, &st)
	}
	c.heapSession().Stats.Collector().Vacuumed(c.vacuumReportOf(rel, int64(st.Tuples), int64(st.RecentlyDead)))
	return c.noteVacuum(rel, &st, cleaners)
}

// freezeMinAge is vacuum_freeze_min_age's default.
const freezeMinAge xact.XID = 50000000

// noteVacuum writes what vacuum found to pg_class.
func (c *ctx) noteVacuum(rel *catalog.Relation, st *heap.VacuumStats, cleaners []*indexCleaner) error {
	tid, old, err := c.v.Find(catalog.PgClassOidIndexOID, types.Oid(rel.OID))
	if err != nil || old == nil {
		return err
	}
	row := append(types.Row(nil), old...)
	row[catalog.ClassRelpages], row[catalog.ClassReltuples] = types.Int4(int32(st.Pages)), types.Float4(float32(st.Tuples))
	row[catalog.ClassRelallvisible] = types.Int4(int32(st.AllVisible))
	if st.FrozenXID != 0 {
		row[catalog.ClassRelfrozenxid] = types.FromRaw(uint64(st.FrozenXID) & 0xffffffff)
	}
	row[catalog.ClassRelhasindex] = types.Bool(len(rel.Indexes) > 0)
	if err := c.v.Update(catalog.PgClassOID, tid, old, row); err != nil {
		return err
	}
	i := 0
	for _, ix := range rel.Indexes {
		if !ix.Ready {
			continue
		}
		s := cleaners[i].stats
		i++
		if s == nil || s.IsEstimated {
			continue
		}
		if err := c.setSize(ix.OID, s.Pages, float32(s.Tuples)); err != nil {
			return err
		}
	}
	return c.next()
}

// truncateLock tries for the lock that giving pages back needs. It does not wait: another vacuum will do it.
func (c *ctx) truncateLock(rel *catalog.Relation) func() (func(), bool) {
	w, ok := c.heapSession().Waiter.(*heap.LockWaiter)
	if !ok {
		return nil
	}
	tag := lock.Relation(rel.Storage.DB, uint32(rel.OID))
	return func() (func(), bool) {
		got, err := w.Session.TryAcquire(w.Owner, tag, lock.AccessExclusive)
		if err != nil || !got {
			return nil, false
		}
		return func() { w.Session.Release(w.Owner, tag, lock.AccessExclusive) }, true
	}
}

func (c *ctx) vacuumReport(rel *catalog.Relation, st *heap.VacuumStats) {
	n := pgerr.New(pgerr.SuccessfulCompletion, "finished vacuuming \"%s.%s\": index scans: %d\npages: %d removed, %d remain, %d scanned\ntuples: %.0f removed, %.0f remain, %.0f are dead but not yet removable",
		c.schemaName(rel.Namespace), rel.Name, st.IndexScans, st.Truncated, st.Pages, st.Scanned, st.Removed, st.Live, st.RecentlyDead)
	n.Severity = "INFO"
	c.send(n)
}
