package index

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// AM is an access method. One value serves a server.
type AM interface {
	Caps() *Caps
	// Open gives the index of a definition. Nothing is read before the first use.
	Open(def *Def) Index
	// Create makes an empty index of a relation without pages, part of the caller's transaction through the pending key of the relfilenode.
	Create(def *Def) error
	// NewBuild starts making an index of a relation without pages.
	NewBuild(def *Def, o BuildOptions) Build
	// Forget drops what is kept in memory of a relation whose pages are gone.
	Forget(id pagestore.RelID)
}

// Caps are an access method's properties, as pg_indexam_has_property and the planner ask for them.
type Caps struct {
	Name           string
	Strategies     int // number of strategies, 0 = varies
	CanOrder       bool
	CanOrderByOp   bool
	CanBackward    bool
	CanUnique      bool
	CanMultiCol    bool
	OptionalKey    bool // a scan without a condition on the first column works
	SearchArray    bool
	SearchNulls    bool
	StoresNulls    bool
	CanInclude     bool
	CanIndexOnly   bool
	CanBitmap      bool
	CanMarkRestore bool
	Clusterable    bool
	PredLocks      bool
	DefaultFill    int
	MaxKeys        int
	KeyType        types.OID // type of what is stored for a key column; 0 = the column's own
}

// BuildOptions of an index build.
type BuildOptions struct {
	WorkMem   int          // maintenance_work_mem in bytes: beyond it the build sorts in files
	TempDir   string       // where these files are
	Interrupt func() error // polled; nil = never
}

// Build makes an index from rows in any order. Finish or Abort ends it.
type Build interface {
	// Add adds the entry of a row; values are copied. isLive = false: a version that is dead but may be seen by old snapshots, exempt from
	// the unique check.
	Add(values types.Row, tid types.TID, isLive bool) error
	// Finish writes the index. *DuplicateKey (Building = true) when a unique one has duplicates.
	Finish() (BuildStats, error)
	Abort()
}

// BuildStats tells what a build made.
type BuildStats struct {
	Tuples int64
	Pages  uint32
}

// Index is one index. All methods may be called concurrently.
type Index interface {
	Def() *Def
	// Insert adds an entry. See InsertArgs.
	Insert(a *InsertArgs) (isUnique bool, err error)
	// NewScan makes a scan, which starts with Rescan.
	NewScan(o ScanOptions) Scan
	// BulkDelete removes the entries for which dead holds. Cleanup ends a vacuum, also one that removed nothing (stats may be nil).
	BulkDelete(a *VacuumArgs, dead func(types.TID) bool, stats *VacuumStats) (*VacuumStats, error)
	Cleanup(a *VacuumArgs, stats *VacuumStats) (*VacuumStats, error)
	// Stats gives facts for the planner.
	Stats() (Stats, error)
	// Check verifies the structure; visit, if not nil, gets every entry's TID and values.
	Check(visit func(tid types.TID, values types.Row) error) error
}

// Stats are an index's facts for the planner.
type Stats struct {
	Pages      uint32
	TreeHeight int // levels above the leaves; -1 = not a tree
}

// VacuumArgs of BulkDelete and Cleanup.
type VacuumArgs struct {
	Cancel      Cancel
	Interrupt   func() error // polled at each page without a latch held; also vacuum's cost delay
	HeapTuples  float64      // rows in the table, for Cleanup's estimate
	AnalyzeOnly bool
}

// VacuumStats collects what vacuum did to an index.
type VacuumStats struct {
	Pages, PagesNewlyDeleted, PagesDeleted, PagesFree uint32
	Tuples                                            float64
	TuplesRemoved                                     float64
	IsEstimated                                       bool
}
