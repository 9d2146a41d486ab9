package tsearch

// replace puts subs, which may be nil, in the place of each part of t that equals ex; both t and ex are canonical. Nil when nothing is left.
func (t *tree) replace(ex, subs *tree) *tree {
	t = t.replaceHere(ex, subs)
	if t == nil || t.done || t.q.Op == Operand {
		return t
	}
	var kept []*tree
	for _, c := range t.children {
		if c = c.replace(ex, subs); c != nil {
			kept = append(kept, c)
		}
	}
	t.children = kept
	if len(kept) == 0 {
		return nil
	}
	if len(kept) == 1 && t.q.Op != Not {
		return kept[0]
	}
	return t
}

// replaceHere replaces t itself, or, where the operands of ex are some of t's, these.
func (t *tree) replaceHere(ex, subs *tree) *tree {
	if t.done || (t.q.Op == Operand) != (ex.q.Op == Operand) || t.q.Op != ex.q.Op {
		return t
	}
	if t.q.Op == Operand || len(t.children) == len(ex.children) {
		if compareNodes(t, ex) != 0 {
			return t
		}
		return subs.replacement()
	}
	if len(t.children) < len(ex.children) {
		return t
	}
	var rest []*tree
	j := 0
	for _, c := range t.children {
		cmp := -1
		if j < len(ex.children) {
			cmp = compareNodes(c, ex.children[j])
		}
		if cmp > 0 {
			return t
		}
		if cmp == 0 {
			j++
		} else {
			rest = append(rest, c)
		}
	}
	if j < len(ex.children) {
		return t
	}
	if subs != nil {
		rest = append(rest, subs.replacement())
	}
	t.children = rest
	t.sort()
	return t
}

func (t *tree) replacement() *tree {
	if t == nil {
		return nil
	}
	c := t.copy()
	c.done = true
	return c
}

// Rewriter replaces parts of a query one pair at a time.
type Rewriter struct{ t *tree }

// NewRewriter starts with a query.
func NewRewriter(q *Query) *Rewriter {
	if q == nil {
		return &Rewriter{}
	}
	return &Rewriter{treeOf(q).canonical()}
}

// Replace puts substitute in the place of target.
func (r *Rewriter) Replace(target, substitute *Query) {
	if r.t == nil || target == nil {
		return
	}
	var subs *tree
	if substitute != nil {
		subs = treeOf(substitute)
	}
	if r.t = r.t.replace(treeOf(target).canonical(), subs); r.t != nil {
		r.t.clearDone()
		r.t.canonical()
	}
}

// Query gives what came of it; nil when nothing is left.
func (r *Rewriter) Query() *Query {
	if r.t == nil {
		return nil
	}
	return r.t.query()
}
