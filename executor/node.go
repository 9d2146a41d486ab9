package executor

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Node is one running plan node.
//
// A row that Next returns is valid until the next call of Next, Rescan or Close on that node; a node that keeps one copies it. No node holds a
// page pin between two calls, so a suspended portal, and anybody who waits for a lock, holds none.
type Node interface {
	// Next gives the next row, nil at the end.
	Next() (types.Row, error)
	// Rescan makes Next start again, with the parameters as they are now. A node that holds a result which no changed parameter touches may
	// give it again.
	Rescan() error
	// Close frees files and memory; the node can be started again with Rescan.
	Close()
}

// builder makes the running form of a plan node.
type builder func(s *State, p plan.Node) (Node, error)

var builders = map[reflect.Type]builder{}

// register names the builder of a node type; each node's file calls it from init.
func register[P plan.Node](build func(s *State, p P) (Node, error)) {
	var zero P
	builders[reflect.TypeOf(zero)] = func(s *State, p plan.Node) (Node, error) { return build(s, p.(P)) }
}

// build makes the running form of p, nil for nil.
func (s *State) build(p plan.Node) (Node, error) {
	if p == nil || reflect.ValueOf(p).IsNil() {
		return nil, nil
	}
	make := builders[reflect.TypeOf(p)]
	if make == nil {
		return nil, pgerr.NotSupported("the plan node %s", strings.TrimPrefix(fmt.Sprintf("%T", p), "*plan."))
	}
	n, err := make(s, p)
	if err != nil {
		return nil, err
	}
	if s.Instrument != nil {
		n = s.Instrument(p, n)
	}
	return s.withInitPlans(p, n), nil
}

// unwrap gives the node inside wrappers.
func unwrap(n Node) Node {
	for {
		switch w := n.(type) {
		case *initPlanNode:
			n = w.Node
		case interface{ Unwrap() Node }:
			n = w.Unwrap()
		default:
			return n
		}
	}
}

// initPlanNode resets the init plans of its node when a parameter that they read has changed.
type initPlanNode struct {
	Node
	s     *State
	plans []*query.SubPlan
}

func (n *initPlanNode) Rescan() error {
	for _, e := range n.plans {
		n.s.initPlans[e.PlanID].reset(n.s, e)
	}
	return n.Node.Rescan()
}

func (s *State) withInitPlans(p plan.Node, n Node) Node {
	list := p.Base().InitPlans
	if len(list) == 0 {
		return n
	}
	w := &initPlanNode{Node: n, s: s}
	for _, e := range list {
		if s.initPlans[e.PlanID] != nil {
			w.plans = append(w.plans, e)
		}
	}
	return w
}
