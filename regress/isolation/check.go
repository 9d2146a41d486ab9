package isolation

import (
	"fmt"
	"slices"
	"strings"
)

// check resolves the names of a spec, in the stock program's order of complaints. Names of steps that no permutation uses come back sorted.
func (s *Spec) check() (unused []string, err error) {
	var all []*Step
	for i, session := range s.Sessions {
		for _, step := range session.Steps {
			step.session = i
			all = append(all, step)
		}
	}
	slices.SortStableFunc(all, func(a, b *Step) int { return strings.Compare(a.Name, b.Name) })
	byName := make(map[string]*Step, len(all))
	for _, step := range all {
		if byName[step.Name] != nil {
			return nil, fmt.Errorf("duplicate step name: %s", step.Name)
		}
		byName[step.Name] = step
	}
	for _, p := range s.Permutations {
		if err := link(p, byName); err != nil {
			return nil, err
		}
	}
	if len(s.Permutations) > 0 {
		for _, step := range all {
			if !step.used {
				unused = append(unused, step.Name)
			}
		}
	}
	return unused, nil
}

// link finds the steps of a permutation. A blocker may name any step of it, a later one too.
func link(permutation []*PermutationStep, byName map[string]*Step) error {
	here := map[string]*Step{}
	for _, p := range permutation {
		if p.step = byName[p.Name]; p.step == nil {
			return fmt.Errorf("undefined step \"%s\" specified in permutation", p.Name)
		}
		p.step.used = true
		here[p.Name] = p.step
	}
	for _, p := range permutation {
		for _, b := range p.Blockers {
			if b.kind == blockOnce {
				continue
			}
			if b.step = here[b.Name]; b.step == nil {
				return fmt.Errorf("undefined blocking step \"%s\" referenced in permutation step \"%s\"", b.Name, p.Name)
			}
			if b.step.session == p.step.session {
				return fmt.Errorf("permutation step \"%s\" cannot block on its own session", p.Name)
			}
		}
	}
	return nil
}
