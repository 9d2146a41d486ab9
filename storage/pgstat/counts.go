package pgstat

import "time"

// OID is a catalog object's name.
type OID = uint32

// Counts are sums of what happened to a table or an index.
type Counts struct {
	Scans    int64 // sequential scans of a table, scans of an index
	Returned int64 // live rows that sequential scans read; entries that scans of an index gave
	Fetched  int64 // live rows fetched by a bitmap of a table; through an index

	Inserted, Updated, Deleted, HotUpdated int64

	BlocksFetched, BlocksHit int64 // asked of the buffer pool, found there
}

func (c *Counts) add(o *Counts) {
	c.Scans += o.Scans
	c.Returned += o.Returned
	c.Fetched += o.Fetched
	c.Inserted += o.Inserted
	c.Updated += o.Updated
	c.Deleted += o.Deleted
	c.HotUpdated += o.HotUpdated
	c.BlocksFetched += o.BlocksFetched
	c.BlocksHit += o.BlocksHit
}

// Relation is what is known of a table or an index.
type Relation struct {
	Counts
	Live, Dead         int64 // rows, estimates
	ModSinceAnalyze    int64
	InsertsSinceVacuum int64

	LastVacuum, LastAutovacuum, LastAnalyze, LastAutoanalyze     time.Time
	VacuumCount, AutovacuumCount, AnalyzeCount, AutoanalyzeCount int64
}

// Database is what is known of a database as a whole. Key 0 stands for the shared catalogs.
type Database struct {
	Counts
	Commits, Rollbacks   int64
	Deadlocks            int64
	TempFiles, TempBytes int64

	Sessions, SessionsAbandoned, SessionsFatal, SessionsKilled int64
	SessionTime, ActiveTime, IdleInTransactionTime             time.Duration

	Reset time.Time
}

// DatabaseDelta is what a session adds to its database's figures outside of relations.
type DatabaseDelta struct {
	Commits, Rollbacks                                         int64
	Deadlocks                                                  int64
	TempFiles, TempBytes                                       int64
	Sessions, SessionsAbandoned, SessionsFatal, SessionsKilled int64
	SessionTime, ActiveTime, IdleInTransactionTime             time.Duration
}

func (d *Database) apply(o *DatabaseDelta) {
	d.Commits += o.Commits
	d.Rollbacks += o.Rollbacks
	d.Deadlocks += o.Deadlocks
	d.TempFiles += o.TempFiles
	d.TempBytes += o.TempBytes
	d.Sessions += o.Sessions
	d.SessionsAbandoned += o.SessionsAbandoned
	d.SessionsFatal += o.SessionsFatal
	d.SessionsKilled += o.SessionsKilled
	d.SessionTime += o.SessionTime
	d.ActiveTime += o.ActiveTime
	d.IdleInTransactionTime += o.IdleInTransactionTime
}
