package session

import (
	"time"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pgstat"
)

// The functions behind the pg_stat views that read counters.

// relationStats gives the functions of one relation's figures by their names without "pg_stat_get_".
var relationStats = map[string]func(r *pgstat.Relation) types.Datum{
	"numscans":              func(r *pgstat.Relation) types.Datum { return types.Int8(r.Scans) },
	"tuples_returned":       func(r *pgstat.Relation) types.Datum { return types.Int8(r.Returned) },
	"tuples_fetched":        func(r *pgstat.Relation) types.Datum { return types.Int8(r.Fetched) },
	"tuples_inserted":       func(r *pgstat.Relation) types.Datum { return types.Int8(r.Inserted) },
	"tuples_updated":        func(r *pgstat.Relation) types.Datum { return types.Int8(r.Updated) },
	"tuples_deleted":        func(r *pgstat.Relation) types.Datum { return types.Int8(r.Deleted) },
	"tuples_hot_updated":    func(r *pgstat.Relation) types.Datum { return types.Int8(r.HotUpdated) },
	"blocks_fetched":        func(r *pgstat.Relation) types.Datum { return types.Int8(r.BlocksFetched) },
	"blocks_hit":            func(r *pgstat.Relation) types.Datum { return types.Int8(r.BlocksHit) },
	"live_tuples":           func(r *pgstat.Relation) types.Datum { return types.Int8(r.Live) },
	"dead_tuples":           func(r *pgstat.Relation) types.Datum { return types.Int8(r.Dead) },
	"mod_since_analyze":     func(r *pgstat.Relation) types.Datum { return types.Int8(r.ModSinceAnalyze) },
	"ins_since_vacuum":      func(r *pgstat.Relation) types.Datum { return types.Int8(r.InsertsSinceVacuum) },
	"vacuum_count":          func(r *pgstat.Relation) types.Datum { return types.Int8(r.VacuumCount) },
	"autovacuum_count":      func(r *pgstat.Relation) types.Datum { return types.Int8(r.AutovacuumCount) },
	"analyze_count":         func(r *pgstat.Relation) types.Datum { return types.Int8(r.AnalyzeCount) },
	"autoanalyze_count":     func(r *pgstat.Relation) types.Datum { return types.Int8(r.AutoanalyzeCount) },
	"last_vacuum_time":      func(r *pgstat.Relation) types.Datum { return timeUnlessZero(r.LastVacuum) },
	"last_autovacuum_time":  func(r *pgstat.Relation) types.Datum { return timeUnlessZero(r.LastAutovacuum) },
	"last_analyze_time":     func(r *pgstat.Relation) types.Datum { return timeUnlessZero(r.LastAnalyze) },
	"last_autoanalyze_time": func(r *pgstat.Relation) types.Datum { return timeUnlessZero(r.LastAutoanalyze) },
}

// xactStats gives those of the running transaction, by their names without "pg_stat_get_xact_".
var xactStats = map[string]func(c *pgstat.Counts) int64{
	"numscans":           func(c *pgstat.Counts) int64 { return c.Scans },
	"tuples_returned":    func(c *pgstat.Counts) int64 { return c.Returned },
	"tuples_fetched":     func(c *pgstat.Counts) int64 { return c.Fetched },
	"tuples_inserted":    func(c *pgstat.Counts) int64 { return c.Inserted },
	"tuples_updated":     func(c *pgstat.Counts) int64 { return c.Updated },
	"tuples_deleted":     func(c *pgstat.Counts) int64 { return c.Deleted },
	"tuples_hot_updated": func(c *pgstat.Counts) int64 { return c.HotUpdated },
	"blocks_fetched":     func(c *pgstat.Counts) int64 { return c.BlocksFetched },
	"blocks_hit":         func(c *pgstat.Counts) int64 { return c.BlocksHit },
}

// databaseStats gives those of a database, by their names without "pg_stat_get_db_".
var databaseStats = map[string]func(d *pgstat.Database) types.Datum{
	"xact_commit":              func(d *pgstat.Database) types.Datum { return types.Int8(d.Commits) },
	"xact_rollback":            func(d *pgstat.Database) types.Datum { return types.Int8(d.Rollbacks) },
	"blocks_fetched":           func(d *pgstat.Database) types.Datum { return types.Int8(d.BlocksFetched) },
	"blocks_hit":               func(d *pgstat.Database) types.Datum { return types.Int8(d.BlocksHit) },
	"tuples_returned":          func(d *pgstat.Database) types.Datum { return types.Int8(d.Returned) },
	"tuples_fetched":           func(d *pgstat.Database) types.Datum { return types.Int8(d.Fetched) },
	"tuples_inserted":          func(d *pgstat.Database) types.Datum { return types.Int8(d.Inserted) },
	"tuples_updated":           func(d *pgstat.Database) types.Datum { return types.Int8(d.Updated) },
	"tuples_deleted":           func(d *pgstat.Database) types.Datum { return types.Int8(d.Deleted) },
	"deadlocks":                func(d *pgstat.Database) types.Datum { return types.Int8(d.Deadlocks) },
	"temp_files":               func(d *pgstat.Database) types.Datum { return types.Int8(d.TempFiles) },
	"temp_bytes":               func(d *pgstat.Database) types.Datum { return types.Int8(d.TempBytes) },
	"sessions":                 func(d *pgstat.Database) types.Datum { return types.Int8(d.Sessions) },
	"sessions_abandoned":       func(d *pgstat.Database) types.Datum { return types.Int8(d.SessionsAbandoned) },
	"sessions_fatal":           func(d *pgstat.Database) types.Datum { return types.Int8(d.SessionsFatal) },
	"sessions_killed":          func(d *pgstat.Database) types.Datum { return types.Int8(d.SessionsKilled) },
	"session_time":             func(d *pgstat.Database) types.Datum { return millisDatum(d.SessionTime) },
	"active_time":              func(d *pgstat.Database) types.Datum { return millisDatum(d.ActiveTime) },
	"idle_in_transaction_time": func(d *pgstat.Database) types.Datum { return millisDatum(d.IdleInTransactionTime) },
	"stat_reset_time":          func(d *pgstat.Database) types.Datum { return timeUnlessZero(d.Reset) },
	// There is no recovery that queries could be in the way of, pages have no checksums of their own, and reads are not timed.
	"conflict_all":              zeroCount,
	"conflict_bufferpin":        zeroCount,
	"conflict_lock":             zeroCount,
	"conflict_snapshot":         zeroCount,
	"conflict_startup_deadlock": zeroCount,
	"conflict_tablespace":       zeroCount,
	"checksum_failures":         func(*pgstat.Database) types.Datum { return types.Null },
	"checksum_last_failure":     func(*pgstat.Database) types.Datum { return types.Null },
	"blk_read_time":             func(*pgstat.Database) types.Datum { return types.Float8(0) },
	"blk_write_time":            func(*pgstat.Database) types.Datum { return types.Float8(0) },
}

func zeroCount(*pgstat.Database) types.Datum { return types.Int8(0) }

func timeUnlessZero(t time.Time) types.Datum {
	if t.IsZero() {
		return types.Null
	}
	return timeDatum(t)
}

func millisDatum(d time.Duration) types.Datum {
	return types.Float8(float64(d) / float64(time.Millisecond))
}

// statFunc registers a function about the session's statistics.
func statFunc(prosrc string, f func(s *Session, args []types.Datum) (types.Datum, error)) {
	types.RegisterFunc(prosrc, func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		return f(s, c.Args)
	})
}

func init() {
	for name, get := range relationStats {
		statFunc("pg_stat_get_"+name, func(s *Session, args []types.Datum) (types.Datum, error) {
			r := s.backend.Heap.Stats.Relation(uint32(args[0].Oid()))
			return get(&r), nil
		})
	}
	for name, get := range xactStats {
		statFunc("pg_stat_get_xact_"+name, func(s *Session, args []types.Datum) (types.Datum, error) {
			c := s.backend.Heap.Stats.Pending(uint32(args[0].Oid()))
			return types.Int8(get(&c)), nil
		})
	}
	for name, get := range databaseStats {
		statFunc("pg_stat_get_db_"+name, func(s *Session, args []types.Datum) (types.Datum, error) {
			d := s.backend.Heap.Stats.Database(uint32(args[0].Oid()))
			return get(&d), nil
		})
	}
	statFunc("pg_stat_get_db_numbackends", func(s *Session, args []types.Datum) (types.Datum, error) {
		return types.Int4(s.server.countSessions(args[0].Oid())), nil
	})
	// track_functions is none: no function was counted.
	for _, name := range []string{"calls", "total_time", "self_time", "xact_calls", "xact_total_time", "xact_self_time"} {
		prosrc := "pg_stat_get_function_" + name
		if len(name) > 5 && name[:5] == "xact_" {
			prosrc = "pg_stat_get_xact_function_" + name[5:]
		}
		statFunc(prosrc, func(*Session, []types.Datum) (types.Datum, error) { return types.Null, nil })
	}
	registerServerStats()
	registerStatResets()
}

// registerServerStats: there is no background writer and no checkpoint that writes pages back; what they would count stays zero.
func registerServerStats() {
	for _, name := range []string{"bgwriter_timed_checkpoints", "bgwriter_requested_checkpoints", "bgwriter_buf_written_checkpoints",
		"bgwriter_buf_written_clean", "bgwriter_maxwritten_clean", "buf_written_backend", "buf_fsync_backend", "buf_alloc"} {
		statFunc("pg_stat_get_"+name, func(*Session, []types.Datum) (types.Datum, error) { return types.Int8(0), nil })
	}
	for _, name := range []string{"checkpoint_write_time", "checkpoint_sync_time"} {
		statFunc("pg_stat_get_"+name, func(*Session, []types.Datum) (types.Datum, error) { return types.Float8(0), nil })
	}
	statFunc("pg_stat_get_bgwriter_stat_reset_time", func(s *Session, _ []types.Datum) (types.Datum, error) { return timeDatum(s.server.started), nil })
	types.RegisterFunc("pg_stat_get_archiver", func(c *types.Call) (types.Datum, error) { // nothing is archived
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		count, text, at := types.RecordColumn{Type: types.Int8OID, TypMod: -1}, types.RecordColumn{Type: types.TextOID, TypMod: -1},
			types.RecordColumn{Type: types.TimestamptzOID, TypMod: -1}
		desc, err := types.NewRecordDesc(s.backend.Env, []types.RecordColumn{count, text, at, count, text, at, at})
		if err != nil {
			return types.Null, err
		}
		return types.MakeRecord(desc, types.Row{types.Int8(0), types.Null, types.Null, types.Int8(0), types.Null, types.Null, timeDatum(s.server.started)})
	})
	types.RegisterSRF("pg_stat_get_wal_senders", func(*types.Call) (types.Iterator, error) { return &rowsIterator{}, nil })
	statFunc("pg_stat_get_snapshot_timestamp", func(*Session, []types.Datum) (types.Datum, error) { return types.Null, nil })
}

func registerStatResets() {
	statFunc("pg_stat_clear_snapshot", func(s *Session, _ []types.Datum) (types.Datum, error) {
		s.backend.Heap.Stats.ForgetSnapshot()
		return types.Null, nil
	})
	statFunc("pg_stat_force_next_flush", func(*Session, []types.Datum) (types.Datum, error) { return types.Null, nil }) // each is flushed
	statFunc("pg_stat_reset", func(s *Session, _ []types.Datum) (types.Datum, error) {
		s.server.stats.ResetDatabase(uint32(s.db.OID), time.Now())
		s.backend.Heap.Stats.ForgetSnapshot()
		return types.Null, nil
	})
	statFunc("pg_stat_reset_single_table_counters", func(s *Session, args []types.Datum) (types.Datum, error) {
		db, rel := uint32(s.db.OID), args[0].Oid()
		if catalog.IsSharedRelation(rel) {
			db = 0
		}
		s.server.stats.Drop(db, uint32(rel))
		s.backend.Heap.Stats.ForgetSnapshot()
		return types.Null, nil
	})
	statFunc("pg_stat_reset_single_function_counters", func(*Session, []types.Datum) (types.Datum, error) { return types.Null, nil })
	statFunc("pg_stat_reset_shared", func(s *Session, args []types.Datum) (types.Datum, error) {
		switch target := args[0].Str(); target {
		case "archiver", "bgwriter", "recovery_prefetch", "wal":
			return types.Null, nil // nothing of them is counted
		default:
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "unrecognized reset target: \"%s\"", target).
				WithHint("Target must be \"archiver\", \"bgwriter\", \"recovery_prefetch\", or \"wal\".")
		}
	})
	statFunc("pg_stat_have_stats", func(s *Session, args []types.Datum) (types.Datum, error) {
		db, obj := uint32(args[1].Oid()), uint32(args[2].Oid())
		switch kind := args[0].Str(); kind {
		case "relation":
			_, ok := s.server.stats.Relation(db, obj)
			return types.Bool(ok), nil
		case "database":
			return types.Bool(s.server.stats.Database(db) != pgstat.Database{}), nil
		case "function", "replslot", "subscription", "archiver", "bgwriter", "checkpointer", "slru", "wal":
			return types.Bool(false), nil
		default:
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "invalid statistics kind: \"%s\"", kind)
		}
	})
}

// countSessions counts the clients connected to a database.
func (s *Server) countSessions(db types.OID) (n int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ss := range s.sessions {
		if ss.ready.Load() && ss.conn != nil && ss.db.OID == db {
			n++
		}
	}
	return n
}
