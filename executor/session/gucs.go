package session

import (
	"strings"
	"time"

	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

// gucs are the session's settings, and what the session keeps of them in a form that is ready to use.
type gucs struct {
	*settings.Session
	s    *Session
	plan plan.Settings

	statementTimeout, idleTimeout, idleInTxTimeout time.Duration
	minMessage                                     int
	async                                          bool
	trackActivities                                bool
	inRead                                         bool // tx characteristics are being mirrored
}

func newGucs(s *Session, srv *settings.Server) *gucs {
	g := &gucs{Session: srv.NewSession(), s: s}
	g.Owner = s
	g.Privileged = func(string) bool { return s.superuser() }
	return g
}

// follow keeps what depends on settings right: registered once the session has a database.
func (g *gucs) follow() {
	millis := func(h settings.Handle, into *time.Duration) {
		g.OnAssign(h, func(v settings.Value) { *into = time.Duration(v.I) * time.Millisecond })
	}
	millis(settings.StatementTimeout, &g.statementTimeout)
	millis(settings.IdleSessionTimeout, &g.idleTimeout)
	millis(settings.IdleInTxTimeout, &g.idleInTxTimeout)
	millis(settings.LockTimeout, &g.s.locks.LockTimeout)
	millis(settings.DeadlockTimeout, &g.s.locks.DeadlockTimeout)
	g.OnAssign(settings.SynchronousCommit, func(v settings.Value) { g.async = strings.EqualFold(v.Str, "off") })
	g.OnAssign(settings.ClientMinMessages, func(v settings.Value) { g.minMessage = messageLevel(v.Str) })
	g.OnAssign(settings.SearchPath, func(v settings.Value) { g.s.view.SetSearchPath(splitNames(v.Str)) })
	g.OnAssign(settings.ClientEncoding, func(v settings.Value) { g.s.setClientEncoding(v.Str) })
	g.OnAssign(settings.MustLookup("track_activities"), func(v settings.Value) { g.trackActivities = v.I != 0 })
	g.OnAssign(settings.MustLookup("application_name"), func(v settings.Value) { g.s.activity.setApplication(v.Str) })
	g.OnAssign(trackCounts, func(v settings.Value) { g.s.backend.Heap.Stats.SetEnabled(v.I != 0) })
	g.OnAssign(vacuumCostDelay, func(v settings.Value) { g.s.backend.VacuumCostDelay = millisDuration(v.F) })
	g.OnAssign(vacuumCostLimit, func(v settings.Value) { g.s.backend.VacuumCostLimit = int(v.I) })
	g.followLog()
	g.followMemory()
	g.followTypes()
	g.followPlanner()
	g.followTransaction()
	g.followRoles()
	g.s.followStatementCache()
}

func (g *gucs) followMemory() {
	update := func(settings.Value) {
		b := g.s.backend
		b.WorkMemBytes = g.Bytes(settings.WorkMem)
		b.HashMemBytes = int64(float64(b.WorkMemBytes) * g.Real(settings.HashMemMultiplier))
	}
	g.OnAssign(settings.WorkMem, update)
	g.OnAssign(settings.HashMemMultiplier, update)
	g.s.backend.Temp.LimitFunc = func() int64 {
		if kb := g.Int(settings.TempFileLimit); kb >= 0 {
			return kb * 1024
		}
		return -1
	}
}

// followTypes keeps what values are printed and read by.
func (g *gucs) followTypes() {
	t := g.s.backend.Env.Settings
	g.OnAssign(settings.DateStyle, func(v settings.Value) { t.DateStyle, t.DateOrder = dateStyle(v.Str) })
	g.OnAssign(settings.IntervalStyle, func(v settings.Value) { t.IntervalStyle = intervalStyle(v.Str) })
	g.OnAssign(settings.TimeZone, func(v settings.Value) {
		if z, err := types.ParseTimeZone(v.Str); err == nil {
			t.TimeZone = z
		}
	})
	g.OnAssign(settings.ExtraFloatDigits, func(v settings.Value) { t.ExtraFloatDigits = int(v.I) })
	g.OnAssign(settings.ByteaOutput, func(v settings.Value) { t.ByteaHex = v.Str == "hex" })
	g.OnAssign(settings.ArrayNulls, func(v settings.Value) { t.ArrayNulls = v.I != 0 })
	g.OnAssign(settings.QuoteAllIdentifiers, func(v settings.Value) { t.QuoteAllIdents = v.I != 0 })
	g.OnAssign(settings.XMLOption, func(v settings.Value) { t.XMLContent = v.Str == "content" })
}

func dateStyle(s string) (types.DateStyle, types.DateOrder) {
	style, order := types.DateISO, types.DateMDY
	for _, part := range strings.Split(s, ",") {
		switch strings.ToUpper(strings.TrimSpace(part)) {
		case "ISO":
			style = types.DateISO
		case "SQL":
			style = types.DateSQL
		case "POSTGRES":
			style = types.DatePostgres
		case "GERMAN":
			style = types.DateGerman
		case "MDY":
			order = types.DateMDY
		case "DMY":
			order = types.DateDMY
		case "YMD":
			order = types.DateYMD
		}
	}
	return style, order
}

func intervalStyle(s string) types.IntervalStyle {
	switch s {
	case "postgres_verbose":
		return types.IntervalPostgresVerbose
	case "sql_standard":
		return types.IntervalSQLStandard
	case "iso_8601":
		return types.IntervalISO8601
	}
	return types.IntervalPostgres
}

// followPlanner keeps the planner's settings.
func (g *gucs) followPlanner() {
	p := &g.plan
	*p = plan.DefaultSettings()
	reals := map[string]*float64{
		"seq_page_cost": &p.SeqPageCost, "random_page_cost": &p.RandomPageCost, "cpu_tuple_cost": &p.CPUTupleCost,
		"cpu_index_tuple_cost": &p.CPUIndexTupleCost, "cpu_operator_cost": &p.CPUOperatorCost,
		"cursor_tuple_fraction": &p.CursorTupleFraction, "recursive_worktable_factor": &p.RecursiveWorktableFactor,
		"hash_mem_multiplier": &p.HashMemMultiplier,
	}
	for name, into := range reals {
		g.OnAssign(settings.MustLookup(name), func(v settings.Value) { *into = v.F })
	}
	ints := map[string]*int{"work_mem": &p.WorkMem, "join_collapse_limit": &p.JoinCollapseLimit,
		"from_collapse_limit": &p.FromCollapseLimit, "default_statistics_target": &p.DefaultStatisticsTarget}
	for name, into := range ints {
		g.OnAssign(settings.MustLookup(name), func(v settings.Value) { *into = int(v.I) })
	}
	bools := map[string]*bool{
		"enable_seqscan": &p.EnableSeqScan, "enable_indexscan": &p.EnableIndexScan, "enable_indexonlyscan": &p.EnableIndexOnlyScan,
		"enable_bitmapscan": &p.EnableBitmapScan, "enable_tidscan": &p.EnableTIDScan, "enable_sort": &p.EnableSort,
		"enable_incremental_sort": &p.EnableIncrementalSort, "enable_hashagg": &p.EnableHashAgg, "enable_nestloop": &p.EnableNestLoop,
		"enable_material": &p.EnableMaterial, "enable_memoize": &p.EnableMemoize, "enable_mergejoin": &p.EnableMergeJoin,
		"enable_hashjoin": &p.EnableHashJoin, "enable_partition_pruning": &p.EnablePartitionPruning,
		"enable_partitionwise_join": &p.EnablePartitionwiseJoin, "enable_partitionwise_aggregate": &p.EnablePartitionwiseAggregate,
	}
	for name, into := range bools {
		g.OnAssign(settings.MustLookup(name), func(v settings.Value) { *into = v.I != 0 })
	}
	g.OnAssign(settings.MustLookup("effective_cache_size"), func(v settings.Value) { p.EffectiveCacheSize = float64(v.I) })
	g.OnAssign(settings.MustLookup("constraint_exclusion"), func(v settings.Value) {
		p.ConstraintExclusion = map[string]plan.ConstraintExclusion{"on": plan.ConstraintExclusionOn, "off": plan.ConstraintExclusionOff}[v.Str]
	})
	g.OnAssign(settings.PlanCacheMode, func(v settings.Value) {
		p.PlanCacheMode = map[string]plan.PlanCacheMode{"force_generic_plan": plan.PlanCacheForceGeneric,
			"force_custom_plan": plan.PlanCacheForceCustom}[v.Str]
	})
}

// followTransaction makes SET of the transaction_* settings change the running transaction.
func (g *gucs) followTransaction() {
	g.OnAssign(settings.TransactionIsolation, func(v settings.Value) {
		if g.s.inTransaction() && !g.inRead {
			g.s.backend.Heap.Tx.Isolation = isolationOf(v.Str)
		}
	})
	g.OnAssign(settings.TransactionReadOnly, func(v settings.Value) {
		if g.s.inTransaction() && !g.inRead {
			g.s.backend.Heap.Tx.ReadOnly = v.I != 0
		}
	})
	g.OnAssign(settings.TransactionDeferrable, func(v settings.Value) {
		if g.s.inTransaction() && !g.inRead {
			g.s.backend.Heap.Tx.Deferrable = v.I != 0
		}
	})
}

func isolationOf(s string) xact.Isolation {
	switch s {
	case "repeatable read":
		return xact.RepeatableRead
	case "serializable":
		return xact.Serializable
	}
	return xact.ReadCommitted
}

// defaultIsolation is that of new transactions. READ UNCOMMITTED is READ COMMITTED.
func (g *gucs) defaultIsolation() xact.Isolation {
	return isolationOf(g.Str(settings.DefaultTxIsolation))
}
func (g *gucs) defaultReadOnly() bool   { return g.Bool(settings.DefaultTxReadOnly) }
func (g *gucs) defaultDeferrable() bool { return g.Bool(settings.DefaultTxDeferrable) }
func (g *gucs) asyncCommit() bool       { return g.async }

func (g *gucs) beginTransaction() {
	g.Refresh()
	g.mirrorDefaults()
	g.Session.Begin()
}

// mirrorDefaults makes transaction_isolation and its kin show what the transaction that begins has.
func (g *gucs) mirrorDefaults() {
	g.inRead = true
	defer func() { g.inRead = false }()
	for _, p := range [...][2]settings.Handle{{settings.TransactionIsolation, settings.DefaultTxIsolation},
		{settings.TransactionReadOnly, settings.DefaultTxReadOnly}, {settings.TransactionDeferrable, settings.DefaultTxDeferrable}} {
		if g.Int(p[0]) == g.Int(p[1]) {
			continue
		}
		value := "off"
		if p[0] == settings.TransactionIsolation {
			value = g.Str(p[1])
		} else if g.Bool(p[1]) {
			value = "on"
		}
		_ = g.Override(p[0], value, false) // a value of the same type: it cannot fail
	}
}

func (g *gucs) endTransaction(commit bool)    { g.End(commit) }
func (g *gucs) nest() int                     { return g.Enter() }
func (g *gucs) unnest(level int, commit bool) { g.Leave(level, commit) }

// report tells the client of reported settings that changed.
func (g *gucs) report() {
	if g.s.w == nil {
		return
	}
	g.ReportChanged(g.s.w.ParameterStatus)
}

// resetAll is RESET ALL.
func (g *gucs) resetAll() error { return g.ResetAll() }

// messageLevel orders client_min_messages.
func messageLevel(name string) int {
	for i, n := range []string{"debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"} {
		if n == strings.ToLower(name) {
			return i
		}
	}
	return 6
}

// wantsMessage says whether the client wants messages of a severity. INFO always goes out.
func (g *gucs) wantsMessage(severity string) bool {
	if severity == "" {
		severity = "NOTICE"
	}
	return severity == "INFO" || messageLevel(severity) >= g.minMessage
}

// splitNames takes a list of identifiers apart, as search_path keeps it: quoted ones keep their case.
func splitNames(s string) []string {
	var names []string
	for i := 0; i < len(s); {
		for i < len(s) && (s[i] == ' ' || s[i] == ',') {
			i++
		}
		if i >= len(s) {
			break
		}
		var b strings.Builder
		if s[i] == '"' {
			for i++; i < len(s); i++ {
				if s[i] == '"' {
					if i+1 < len(s) && s[i+1] == '"' {
						i++
					} else {
						break
					}
				}
				b.WriteByte(s[i])
			}
			i++
		} else {
			for ; i < len(s) && s[i] != ',' && s[i] != ' '; i++ {
				b.WriteByte(s[i])
			}
		}
		names = append(names, b.String())
	}
	return names
}

// superuser says whether the current user is one.
func (s *Session) superuser() bool {
	if s.view == nil || !s.inTransaction() {
		return s.user != nil && s.user.Super
	}
	ok, err := s.view.IsSuperuser(s.view.User())
	return err == nil && ok
}

// Settings gives functions the session's settings.
func (s *Session) Settings() *settings.Session { return s.gucs.Session }
