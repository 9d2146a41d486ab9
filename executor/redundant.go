package executor

import (
	"bytes"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { RegisterTrigger("suppress_redundant_updates_trigger", suppressRedundantUpdate) }

// suppressRedundantUpdate skips an update whose row is what it was.
func suppressRedundantUpdate(c *TriggerCall) (types.Row, error) {
	wrong := func(how string) error {
		return pgerr.New(pgerr.ERIETriggerProtocolViolated, "suppress_redundant_updates_trigger: must be called %s", how)
	}
	switch {
	case c.Event != TriggerUpdate:
		return nil, wrong("on update")
	case !c.Before:
		return nil, wrong("before update")
	case !c.ForRow:
		return nil, wrong("for each row")
	}
	if bytes.Equal(appendRow(nil, c.Old), appendRow(nil, c.New)) {
		return nil, nil
	}
	return c.New, nil
}
