package query

import (
	"fmt"

	"github.com/calfdb/calf/sql/types"
)

//go:generate go run ./gen

// walker carries what to do with each child: expr never sees nil; query, when not nil, is given the sub-selects of SubLinks, range table
// entries and CTEs.
type walker struct {
	expr  func(Expr)
	query func(*Query)
}

// Children calls f for each direct child expression of e. A SubLink's Test is a child, its sub-select is not.
func Children(e Expr, f func(Expr)) { walkChildren(&walker{expr: f}, e) }

// Walk visits e and what is below it in pre-order; f says whether to go below. Sub-selects are not entered: f sees the SubLink.
func Walk(e Expr, f func(Expr) bool) {
	if e == nil {
		return
	}
	var w walker
	w.expr = func(x Expr) {
		if f(x) {
			walkChildren(&w, x)
		}
	}
	w.expr(e)
}

// Contains says whether pred holds for e or an expression below it, sub-selects not entered.
func Contains(e Expr, pred func(Expr) bool) bool {
	found := false
	Walk(e, func(x Expr) bool {
		found = found || pred(x)
		return !found
	})
	return found
}

// WalkQuery visits all expressions of q itself (targets, quals, values, function calls, ...), as Walk does; sub, when not nil, is called with
// each sub-select of the range table, of a CTE or of a SubLink that f went below.
func WalkQuery(q *Query, f func(Expr) bool, sub func(*Query)) {
	w := walker{query: sub}
	w.expr = func(x Expr) {
		if f(x) {
			walkChildren(&w, x)
		}
	}
	walkQuery(&w, q)
}

// WalkLevels visits e and below, sub-selects included; level counts the queries between e and the node, as Var.LevelsUp does.
func WalkLevels(e Expr, f func(e Expr, level int) bool) {
	if e != nil {
		levelWalker(0, f).expr(e)
	}
}

// WalkQueryLevels visits everything in q, sub-selects included; q's own expressions are at level 0.
func WalkQueryLevels(q *Query, f func(e Expr, level int) bool) { walkQuery(levelWalker(0, f), q) }

func levelWalker(level int, f func(Expr, int) bool) *walker {
	w := &walker{}
	w.expr = func(x Expr) {
		if f(x, level) {
			walkChildren(w, x)
		}
	}
	w.query = func(q *Query) { walkQuery(levelWalker(level+1, f), q) }
	return w
}

// Equal says whether two expressions are the same, places in the text apart.
func Equal(a, b Expr) bool { return equalExpr(a, b) }

// EqualQuery says whether two queries are the same, places in the text apart.
func EqualQuery(a, b *Query) bool { return equalQuery(a, b) }

func equalDatum(a, b types.Datum) bool {
	if a.IsByRef() && b.IsByRef() {
		return a.Str() == b.Str()
	}
	return a == b
}

func unknownNode(x any) string { return fmt.Sprintf("query: node %T is not known", x) }
