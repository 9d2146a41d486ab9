package tsearch

import (
	"github.com/calfdb/calf/sql/types"
)

func init() {
	join := func(name string, op Operator) {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) { return joinQueries(c, op, 1) })
	}
	join("tsquery_and", And)
	join("tsquery_or", Or)
	join("tsquery_phrase", Phrase)
	types.RegisterFunc("tsquery_phrase_distance", func(c *types.Call) (types.Datum, error) {
		d := c.Args[2].Int4()
		if d < 0 || d > positionMax+1 {
			return types.Null, errPhraseDistance()
		}
		return joinQueries(c, Phrase, int16(d))
	})
	types.RegisterFunc("tsquery_not", func(c *types.Call) (types.Datum, error) {
		q := QueryOf(c.Args[0])
		if q == nil {
			return c.Args[0], nil
		}
		return (&Query{Op: Not, Right: q}).Datum()
	})
	types.RegisterFunc("tsquery_numnode", func(c *types.Call) (types.Datum, error) { return types.Int4(int32(querySize(c.Args[0]))), nil })
	types.RegisterFunc("tsquerytree", func(c *types.Call) (types.Datum, error) {
		q := QueryOf(c.Args[0])
		if q == nil {
			return types.Text(""), nil
		}
		if q = q.indexable(); q == nil {
			return types.Text("T"), nil
		}
		return types.Bytes(q.appendText(nil, -1, false)), nil
	})
	types.RegisterFunc("tsq_mcontains", func(c *types.Call) (types.Datum, error) { return containsQuery(c.Args[0], c.Args[1]), nil })
	types.RegisterFunc("tsq_mcontained", func(c *types.Call) (types.Datum, error) { return containsQuery(c.Args[1], c.Args[0]), nil })
	types.RegisterFunc("tsquery_rewrite", func(c *types.Call) (types.Datum, error) {
		q, target := QueryOf(c.Args[0]), QueryOf(c.Args[1])
		if q == nil || target == nil {
			return c.Args[0], nil
		}
		r := NewRewriter(q)
		if r.t = r.t.replace(treeOf(target).canonical(), substituteOf(c.Args[2])); r.t == nil {
			return (*Query)(nil).Datum()
		}
		return r.t.query().Datum()
	})
}

func substituteOf(d types.Datum) *tree {
	if q := QueryOf(d); q != nil {
		return treeOf(q)
	}
	return nil
}

func joinQueries(c *types.Call, op Operator, distance int16) (types.Datum, error) {
	a, b := QueryOf(c.Args[0]), QueryOf(c.Args[1])
	if a == nil {
		return c.Args[1], nil
	}
	if b == nil {
		return c.Args[0], nil
	}
	q := &Query{Op: op, Left: a, Right: b}
	if op == Phrase {
		q.Distance = distance
	}
	if q.depth() > queryDepthMax {
		return types.Null, errTooDeep()
	}
	return q.Datum()
}

// indexable is the part of q that an index can answer: without what is negated; nil when that leaves nothing.
func (q *Query) indexable() *Query {
	switch q.Op {
	case Operand:
		return q
	case Not:
		return nil
	}
	left, right := q.Left.indexable(), q.Right.indexable()
	if left != nil && right != nil {
		return &Query{Op: q.Op, Distance: q.Distance, Left: left, Right: right}
	}
	if q.Op == Or {
		return nil
	}
	if left == nil {
		return right
	}
	return left
}

// containsQuery says whether all words of part are in whole.
func containsQuery(whole, part types.Datum) types.Datum {
	words := map[string]bool{}
	QueryOf(whole).walk(func(q *Query) {
		if q.Op == Operand {
			words[q.Word] = true
		}
	})
	all := true
	QueryOf(part).walk(func(q *Query) {
		if q.Op == Operand && !words[q.Word] {
			all = false
		}
	})
	return types.Bool(all)
}
