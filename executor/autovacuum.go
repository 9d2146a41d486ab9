package executor

import (
	"time"

	"github.com/calfdb/calf/sql/types"
)

// AutovacuumCommand names the command of an autovacuum worker, whose Node is a *AutovacuumTask.
const AutovacuumCommand = "autovacuum"

// DropTempCommand names the command that drops everything in the session's temporary schema.
const DropTempCommand = "drop temporary tables"

// AutovacuumTask is what autovacuum wants done with a table.
type AutovacuumTask struct {
	Rel             types.OID
	Name            string
	Vacuum, Analyze bool
	CostDelay       time.Duration // rest after CostLimit; 0 = none
	CostLimit       int
}
