package explain

import (
	"time"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/types"
)

// Meter measures the nodes of one execution.
type Meter struct {
	Timing bool
	nodes  map[plan.Node]*measure
}

// measure is what a node did: times include its inputs'.
type measure struct {
	node executor.Node

	startupMS, totalMS, rows, loops float64

	running bool
	first   bool
	elapsed time.Duration
	toFirst time.Duration
	count   float64
}

// NewMeter makes a meter; without timing only rows and loops are counted.
func NewMeter(timing bool) *Meter { return &Meter{Timing: timing, nodes: map[plan.Node]*measure{}} }

// Wrap is executor.Build's instrument: it puts the measuring around a node.
func (m *Meter) Wrap(p plan.Node, n executor.Node) executor.Node {
	s := &measure{node: n}
	m.nodes[p] = s
	return &metered{n: n, m: m, s: s}
}

func (m *Meter) of(p plan.Node) measure {
	s := m.nodes[p]
	if s == nil {
		return measure{}
	}
	s.endLoop()
	return *s
}

// endLoop adds the current loop to the totals.
func (s *measure) endLoop() {
	if !s.running {
		return
	}
	s.loops++
	s.rows += s.count
	s.totalMS += float64(s.elapsed) / 1e6
	if s.first {
		s.startupMS += float64(s.toFirst) / 1e6
	} else {
		s.startupMS += float64(s.elapsed) / 1e6
	}
	s.running, s.first, s.elapsed, s.toFirst, s.count = false, false, 0, 0, 0
}

type metered struct {
	n executor.Node
	m *Meter
	s *measure
}

func (x *metered) Next() (types.Row, error) {
	var start time.Time
	if x.m.Timing {
		start = time.Now()
	}
	row, err := x.n.Next()
	s := x.s
	s.running = true
	if x.m.Timing {
		s.elapsed += time.Since(start)
	}
	if row != nil {
		s.count++
		if !s.first {
			s.first, s.toFirst = true, s.elapsed
		}
	}
	return row, err
}

func (x *metered) Rescan() error {
	x.s.endLoop()
	return x.n.Rescan()
}

func (x *metered) Close() { x.n.Close() }

// Unwrap gives the measured node.
func (x *metered) Unwrap() executor.Node { return x.n }
