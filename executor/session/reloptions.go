package session

import (
	"strconv"
	"strings"
	"time"

	"github.com/calfdb/calf/sql/settings"
)

// relOptions are a table's storage parameters before the server's settings of the same names.
type relOptions struct {
	list   []string
	server *settings.Server
}

// text gives a storage parameter; false when the table has none of that name.
func (o relOptions) text(name string) (string, bool) {
	for _, item := range o.list {
		if k, v, _ := strings.Cut(item, "="); k == name {
			return v, true
		}
	}
	return "", false
}

// number is a parameter of a table, else the setting.
func (o relOptions) number(name string) float64 {
	if t, ok := o.text(name); ok {
		if v, err := strconv.ParseFloat(t, 64); err == nil {
			return v
		}
	}
	h := settings.MustLookup(name)
	if strings.HasSuffix(name, "scale_factor") {
		return o.server.Real(h)
	}
	return float64(o.server.Int(h))
}

// enabled is autovacuum_enabled.
func (o relOptions) enabled() bool {
	t, ok := o.text("autovacuum_enabled")
	return !ok || !strings.EqualFold(t, "false") && !strings.EqualFold(t, "off") && t != "0" && !strings.EqualFold(t, "no")
}

func (o relOptions) costDelay() time.Duration {
	if t, ok := o.text("autovacuum_vacuum_cost_delay"); ok {
		if v, err := strconv.ParseFloat(t, 64); err == nil {
			return millisDuration(v)
		}
	}
	if v := o.server.Real(autovacuumCostDelay); v >= 0 {
		return millisDuration(v)
	}
	return millisDuration(o.server.Real(vacuumCostDelay))
}

func millisDuration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func (o relOptions) costLimit() int {
	if t, ok := o.text("autovacuum_vacuum_cost_limit"); ok {
		if v, err := strconv.Atoi(t); err == nil {
			return v
		}
	}
	if v := o.server.Int(autovacuumCostLimit); v > 0 {
		return int(v)
	}
	return int(o.server.Int(vacuumCostLimit))
}

// logMin is log_autovacuum_min_duration; < 0 = nothing is logged.
func (o relOptions) logMin() time.Duration {
	if t, ok := o.text("log_autovacuum_min_duration"); ok {
		if v, err := strconv.Atoi(t); err == nil {
			return time.Duration(v) * time.Millisecond
		}
	}
	return time.Duration(o.server.Int(logAutovacuumMin)) * time.Millisecond
}
