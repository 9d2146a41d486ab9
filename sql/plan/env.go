package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Settings are the planner's settings, PostgreSQL's names and units (pages of 8 kB, cost units, kB for memory).
type Settings struct {
	SeqPageCost, RandomPageCost                                                          float64
	CPUTupleCost, CPUIndexTupleCost, CPUOperatorCost                                     float64
	EffectiveCacheSize                                                                   float64 // pages
	CursorTupleFraction                                                                  float64
	RecursiveWorktableFactor                                                             float64
	WorkMem                                                                              int // kB
	HashMemMultiplier                                                                    float64
	JoinCollapseLimit, FromCollapseLimit                                                 int
	DefaultStatisticsTarget                                                              int
	PlanCacheMode                                                                        PlanCacheMode
	EnableSeqScan, EnableIndexScan, EnableIndexOnlyScan, EnableBitmapScan, EnableTIDScan bool
	EnableSort, EnableIncrementalSort, EnableHashAgg                                     bool
	EnableNestLoop, EnableMaterial, EnableMemoize, EnableMergeJoin, EnableHashJoin       bool
	EnablePartitionPruning, EnablePartitionwiseJoin, EnablePartitionwiseAggregate        bool
	ConstraintExclusion                                                                  ConstraintExclusion
}

// ConstraintExclusion is the setting constraint_exclusion.
type ConstraintExclusion uint8

const (
	ConstraintExclusionPartition ConstraintExclusion = iota // children of inherited tables only
	ConstraintExclusionOn
	ConstraintExclusionOff
)

// PlanCacheMode is the setting plan_cache_mode.
type PlanCacheMode uint8

const (
	PlanCacheAuto PlanCacheMode = iota
	PlanCacheForceGeneric
	PlanCacheForceCustom
)

// DefaultSettings are PostgreSQL's built-in defaults.
func DefaultSettings() Settings {
	return Settings{
		SeqPageCost: 1, RandomPageCost: 4, CPUTupleCost: 0.01, CPUIndexTupleCost: 0.005, CPUOperatorCost: 0.0025,
		EffectiveCacheSize: 524288, CursorTupleFraction: 0.1, RecursiveWorktableFactor: 10, WorkMem: 4096, HashMemMultiplier: 2,
		JoinCollapseLimit: 8, FromCollapseLimit: 8, DefaultStatisticsTarget: 100,
		EnableSeqScan: true, EnableIndexScan: true, EnableIndexOnlyScan: true, EnableBitmapScan: true, EnableTIDScan: true,
		EnableSort: true, EnableIncrementalSort: true, EnableHashAgg: true,
		EnableNestLoop: true, EnableMaterial: true, EnableMemoize: true, EnableMergeJoin: true, EnableHashJoin: true,
		EnablePartitionPruning: true,
	}
}

// Env is what planning may ask of the world. One a session; Plan keeps nothing of it.
type Env struct {
	Catalog  catalog.Lookup
	Types    *types.Env
	Settings *Settings

	// LockRelation locks a child of an inherited or partitioned table before it is read; nil = the caller has locked all that there is.
	LockRelation func(rel OID, mode int) error
	// OtherTemp says whether a schema is another session's temporary one; nil = none is.
	OtherTemp func(schema OID) bool
	// RelPages gives the current number of pages of a relation with storage (heap or index).
	RelPages func(rel OID) int32
	// FunctionBody gives the expression that a call of a SQL function computes, with the arguments as client parameters; nil when the function does
	// more than that, or the current user may not call it. A nil FunctionBody = no function is looked into.
	FunctionBody func(p *catalog.Proc, result OID, args []query.Expr) (query.Expr, error)
	// EvalConst evaluates an expression without Vars, for constant folding.
	EvalConst func(e query.Expr) (types.Datum, error)
	// IndexHeight gives the number of levels above the leaves of a btree; nil = estimated from its pages.
	IndexHeight func(index OID) int
	// IndexEnd gives the first or last value that is not null of an index's first column, by a probe of the index that sees all rows that are not
	// surely dead; false = none. It keeps estimates at the ends of histograms right; nil = histograms are taken as they are.
	IndexEnd func(index OID, last bool) (types.Datum, bool, error)
}

// CursorOptions of DECLARE CURSOR that change the choice of plan.
type CursorOptions struct {
	Cursor   bool // plan for the first rows: cursor_tuple_fraction applies
	Scroll   bool
	FastPlan bool
}

// abort carries an error out of planning's recursion: only Build recovers it. Planning reads the catalogs in a few hundred places, all
// of which can only fail for a reason that ends the statement.
type abort struct{ err error }

func fail(err error) { panic(abort{err}) }

// broken is what to panic with when planning contradicts itself: the statement fails with an internal error, the session lives.
func broken(what string) abort { return abort{pgerr.Internal("%s", what)} }

func must[T any](v T, err error) T {
	if err != nil {
		fail(err)
	}
	return v
}

func recoverAbort(err *error) {
	switch r := recover().(type) {
	case nil:
	case abort:
		*err = r.err
	default:
		panic(r)
	}
}
