package catalog

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Caller is what a function of the catalogs finds in Call.Ctx.
type Caller interface {
	View() *View
}

// FromCall gives the view of the session that calls a function.
func FromCall(c *types.Call) (*View, error) {
	if s, ok := c.Ctx.(Caller); ok {
		if v := s.View(); v != nil {
			return v, nil
		}
	}
	return nil, pgerr.Internal("a catalog function is called without a session")
}
