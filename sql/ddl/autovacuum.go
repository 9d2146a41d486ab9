package ddl

import (
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/storage/heap"
)

func init() { executor.RegisterCommand(executor.AutovacuumCommand, autovacuum) }

// autovacuum is one table's turn of an autovacuum worker: VACUUM, ANALYZE or both, each in a transaction of its own. A table that somebody
// holds a conflicting lock on is left for the next time.
func autovacuum(cmd *executor.Command) (string, error) {
	task := cmd.Node.(*executor.AutovacuumTask)
	c := &ctx{Command: cmd, v: cmd.Backend.View()}
	t := vacuumTarget{oid: task.Rel, name: task.Name, all: true}
	o := vacuumOptions{skipLocked: true, costDelay: task.CostDelay, costLimit: task.CostLimit}
	for _, step := range []struct {
		wanted bool
		run    func(vacuumTarget, vacuumOptions) error
	}{{task.Vacuum, c.vacuumOne}, {task.Analyze, c.analyzeOne}} {
		if !step.wanted {
			continue
		}
		if err := c.Session.CommitAndStart(); err != nil {
			return "", err
		}
		if err := step.run(t, o); err != nil {
			return "", err
		}
	}
	return "", nil
}

// pacer makes vacuum sleep: each page that it looks at costs something, and after costLimit it rests for costDelay.
type pacer struct {
	interrupted func() error
	delay       time.Duration
	limit, cost int
}

// pageCost is what a page counts: between vacuum_cost_page_hit (1) and vacuum_cost_page_dirty (20).
const pageCost = 2

func (p *pacer) page() error {
	if p.delay <= 0 {
		return p.interrupted()
	}
	if p.cost += pageCost; p.cost >= p.limit {
		p.cost = 0
		time.Sleep(p.delay)
	}
	return p.interrupted()
}

// mayLock takes a table's lock without waiting, for SKIP_LOCKED.
func (c *ctx) mayLock(oid OID, mode int) (bool, error) {
	w, ok := c.heapSession().Waiter.(*heap.LockWaiter)
	if !ok {
		return true, nil
	}
	db := uint32(c.v.DBOID())
	if catalog.IsSharedRelation(oid) {
		db = 0
	}
	return w.Session.TryAcquire(w.Owner, lock.Relation(db, uint32(oid)), lock.Mode(mode))
}
