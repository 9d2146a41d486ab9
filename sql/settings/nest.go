package settings

// Begin starts a transaction: nesting level 1.
func (s *Session) Begin() { s.level = 1 }

// Enter starts a subtransaction or a function call with SET clauses, and returns its level for Leave.
func (s *Session) Enter() int {
	s.level++
	return s.level
}

// Leave ends the level and all above it: the values of SET LOCAL go, and on abort (commit false) those of SET too. Level 1 ends the
// transaction.
func (s *Session) Leave(level int, commit bool) {
	s.level = level - 1
	if len(s.stacks) == 0 {
		return
	}
	for h, stack := range s.stacks {
		stack = s.unwind(h, stack, level, commit)
		if len(stack) == 0 {
			delete(s.stacks, h)
		} else {
			s.stacks[h] = stack
		}
	}
}

// End ends the transaction.
func (s *Session) End(commit bool) { s.Leave(1, commit) }

// push remembers the present value before action changes it. Outside a transaction there is nothing to go back to.
func (s *Session) push(h Handle, action Action) {
	if s.level == 0 {
		return
	}
	stack := s.stacks[h]
	if n := len(stack); n > 0 && stack[n-1].level >= s.level {
		top := &stack[n-1]
		switch {
		case action == ActionSet:
			top.state = stateSet
		case action == ActionLocal && top.state == stateSet:
			top.masked, top.state = s.cur[h], stateSetLocal
		}
		return
	}
	if s.stacks == nil {
		s.stacks = make(map[Handle][]saved)
	}
	state := [...]savedState{ActionSet: stateSet, ActionLocal: stateLocal, ActionSave: stateSave}[action]
	s.stacks[h] = append(stack, saved{level: s.level, state: state, prior: s.cur[h]})
}

// unwind pops the entries of level and above. An entry of a level that commits into its parent is merged with the parent's.
func (s *Session) unwind(h Handle, stack []saved, level int, commit bool) []saved {
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.level < level {
			break
		}
		var prev *saved
		if len(stack) > 1 {
			prev = &stack[len(stack)-2]
		}
		switch {
		case !commit, top.state == stateSave:
			s.restore(h, top.prior)
		case top.level == 1 && top.state == stateLocal:
			s.restore(h, top.prior)
		case top.level == 1 && top.state == stateSetLocal:
			s.restore(h, top.masked)
		case top.level == 1: // SET stays
		case prev == nil || prev.level < top.level-1:
			top.level-- // becomes the parent's entry
			continue
		default:
			mergeIntoParent(prev, top)
		}
		stack = stack[:len(stack)-1]
	}
	return stack
}

// mergeIntoParent keeps of a committed level's entry what its parent must know.
func mergeIntoParent(prev, top *saved) {
	switch top.state {
	case stateSet:
		prev.state = stateSet
	case stateLocal:
		if prev.state == stateSet {
			prev.masked, prev.state = top.prior, stateSetLocal
		}
	case stateSetLocal:
		prev.masked, prev.state = top.masked, stateSetLocal
	}
}

func (s *Session) restore(h Handle, v slot) {
	if !s.cur[h].same(v) {
		s.put(h, v)
	}
}

// same compares values and sources.
func (a slot) same(b slot) bool {
	return a.source == b.source && a.v.I == b.v.I && a.v.F == b.v.F && a.v.Str == b.v.Str
}
