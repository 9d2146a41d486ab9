package explain

import (
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// Format of the output.
type Format uint8

const (
	Text Format = iota
	XML
	JSON
	YAML
)

// Options are EXPLAIN's. NewOptions gives the defaults.
type Options struct {
	Analyze, Verbose, Costs, Settings, Buffers, WAL, Timing, Summary bool
	Format                                                           Format

	timingSet, summarySet bool
}

// NewOptions gives EXPLAIN's defaults before any option is read.
func NewOptions() Options { return Options{Costs: true, Timing: true} }

// Set reads one option of EXPLAIN (name value, ...); a missing value is "true". location is the option's place in the text.
func (o *Options) Set(name, value string, location int) error {
	if strings.EqualFold(name, "format") {
		switch value {
		case "text":
			o.Format = Text
		case "xml":
			o.Format = XML
		case "json":
			o.Format = JSON
		case "yaml":
			o.Format = YAML
		default:
			return pgerr.New(pgerr.InvalidParameterValue, "unrecognized value for EXPLAIN option \"%s\": \"%s\"", name, value).WithLocation(location)
		}
		return nil
	}
	flags := map[string]*bool{"analyze": &o.Analyze, "verbose": &o.Verbose, "costs": &o.Costs, "settings": &o.Settings, "buffers": &o.Buffers,
		"wal": &o.WAL, "timing": &o.Timing, "summary": &o.Summary}
	p := flags[name]
	if p == nil {
		return pgerr.New(pgerr.SyntaxError, "unrecognized EXPLAIN option \"%s\"", name).WithLocation(location)
	}
	switch strings.ToLower(value) {
	case "", "true", "on", "1":
		*p = true
	case "false", "off", "0":
		*p = false
	default:
		return pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", name)
	}
	o.timingSet = o.timingSet || name == "timing"
	o.summarySet = o.summarySet || name == "summary"
	return nil
}

// Finish checks the options against each other and sets what follows from others.
func (o *Options) Finish() error {
	if o.WAL && !o.Analyze {
		return pgerr.New(pgerr.InvalidParameterValue, "EXPLAIN option WAL requires ANALYZE")
	}
	if !o.timingSet {
		o.Timing = o.Analyze
	}
	if o.Timing && !o.Analyze {
		return pgerr.New(pgerr.InvalidParameterValue, "EXPLAIN option TIMING requires ANALYZE")
	}
	if !o.summarySet {
		o.Summary = o.Analyze
	}
	return nil
}

// Env is what printing a plan needs.
type Env struct {
	Catalog catalog.Lookup
	Types   *types.Env
	// Live says which of n children of an Append are left when an execution starts; nil = not known: all are shown.
	Live func(p *plan.PruneInfo, n int) ([]bool, error)
}

// Run is what was measured, for ANALYZE and SUMMARY.
type Run struct {
	Meter         *Meter
	PlanningMS    float64
	ExecutionMS   float64
	HasPlanning   bool
	HasExecution  bool
	TriggerReport []Trigger
}

// Trigger is one trigger's time in a run.
type Trigger struct {
	Name, Constraint, Relation string
	MS                         float64
	Calls                      float64
}

// Print gives the lines of EXPLAIN's output for one planned statement. run is nil without ANALYZE and SUMMARY.
func Print(env *Env, o Options, p *plan.Planned, run *Run) (string, error) {
	pr := &printer{env: env, o: o, p: p, run: run, used: map[int]bool{}}
	pr.out = newEmitter(o.Format)
	pr.collectUsed(p.Root)
	for _, s := range p.Subplans {
		pr.collectUsed(s)
	}
	var err error
	if pr.names, err = deparse.NewNamespace(env.Catalog, p.RangeTable, nil, nil, pr.used); err != nil {
		return "", err
	}
	pr.out.begin()
	pr.out.openGroup("Query", "", true)
	if err := pr.node(p.Root, nil, "", ""); err != nil {
		return "", err
	}
	pr.summary()
	pr.out.closeGroup("Query", "", true)
	pr.out.end()
	return pr.out.String(), nil
}

func (pr *printer) summary() {
	if pr.run == nil || !pr.o.Summary {
		return
	}
	if pr.run.HasPlanning {
		pr.out.float("Planning Time", "ms", pr.run.PlanningMS, 3)
	}
	if pr.o.Analyze {
		pr.triggers()
	}
	if pr.run.HasExecution {
		pr.out.float("Execution Time", "ms", pr.run.ExecutionMS, 3)
	}
}

func (pr *printer) triggers() {
	pr.out.openGroup("Triggers", "Triggers", false)
	for _, t := range pr.run.TriggerReport {
		pr.out.trigger(t, pr.o.Verbose, pr.o.Timing)
	}
	pr.out.closeGroup("Triggers", "Triggers", false)
}
