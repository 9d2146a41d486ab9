package session

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Functions that say who waits for whom.
func init() {
	types.RegisterFunc("pg_blocking_pids", func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		return int4Array(s.server.locks.BlockingPIDs(c.Args[0].Int4())), nil
	})
	types.RegisterFunc("pg_isolation_test_session_is_blocked", isBlockedByAny)
	// Only SERIALIZABLE READ ONLY DEFERRABLE waits for a safe snapshot, and there is no SERIALIZABLE yet.
	types.RegisterFunc("pg_safe_snapshot_blocking_pids", func(*types.Call) (types.Datum, error) { return int4Array(nil), nil })
}

// isBlockedByAny says whether a session waits for one of those listed: others, such as a vacuum, come and go by themselves.
func isBlockedByAny(c *types.Call) (types.Datum, error) {
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	elem, _ := types.BuiltinType(types.Int4OID)
	listed, err := types.ArrayElements(elem, c.Args[1], nil)
	if err != nil {
		return types.Null, err
	}
	blocking := s.server.locks.BlockingPIDs(c.Args[0].Int4())
	blocked := false
	for _, pid := range listed {
		if pid.IsNull() {
			return types.Null, pgerr.New(pgerr.InternalError, "array must not contain nulls")
		}
		blocked = blocked || slices.Contains(blocking, pid.Int4())
	}
	return types.Bool(blocked), nil
}

func int4Array(values []int32) types.Datum {
	elem, _ := types.BuiltinType(types.Int4OID)
	datums := make([]types.Datum, len(values))
	for i, v := range values {
		datums[i] = types.Int4(v)
	}
	return types.MakeArray(elem, datums)
}
