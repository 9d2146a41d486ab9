package plan

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Build makes a plan of a rewritten query. params, when not nil, are the client's parameter values: the plan is good for these only
// (a custom plan).
func Build(env *Env, q *query.Query, params []types.Datum, opts CursorOptions) (*Planned, error) {
	return nil, pgerr.NotSupported("planning")
}
