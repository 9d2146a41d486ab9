package isolation

import "iter"

// permutations are those that the spec names, else all interleavings that keep the order of each session's steps. The slice is valid until the
// next one is asked for: a spec of three sessions with five steps each has 756,756.
func (s *Spec) permutations() iter.Seq[[]*PermutationStep] {
	return func(yield func([]*PermutationStep) bool) {
		if len(s.Permutations) == 0 {
			s.interleave(make([]int, len(s.Sessions)), nil, yield)
			return
		}
		for _, p := range s.Permutations {
			if !yield(p) {
				return
			}
		}
	}
}

// interleave extends chosen by each session's next step in turn; taken counts the steps that each session has given. It reports false when the
// caller wants no more.
func (s *Spec) interleave(taken []int, chosen []*PermutationStep, yield func([]*PermutationStep) bool) bool {
	complete := true
	for i, session := range s.Sessions {
		if taken[i] == len(session.Steps) {
			continue
		}
		complete = false
		step := session.Steps[taken[i]]
		taken[i]++
		if !s.interleave(taken, append(chosen, &PermutationStep{Name: step.Name, step: step}), yield) {
			return false
		}
		taken[i]--
	}
	return !complete || yield(chosen)
}
