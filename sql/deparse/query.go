package deparse

import (
	"strconv"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// query prints a query under outer levels. names, when not nil, name the result columns; colNames says that the result's column names are seen by somebody.
func (p *printer) query(q *query.Query, outer []*Namespace, names []string, colNames bool) {
	if !p.enter() {
		return
	}
	defer p.leave()
	n, err := NewNamespace(p.ctx.Catalog, q.RangeTable, q.CTEs, outer, nil)
	if err != nil {
		p.fail(err)
		return
	}
	ctx := *p.ctx
	ctx.Namespaces = append([]*Namespace{n}, outer...)
	ctx.VarPrefix = ctx.VarPrefix || len(outer) > 0 || len(q.RangeTable) != 1
	ctx.windows, ctx.windowTargets = nil, nil
	indent := p.indent
	p.within(&ctx, func() {
		switch q.Command {
		case query.CmdSelect:
			p.selectQuery(q, names, colNames)
		case query.CmdInsert:
			p.insertQuery(q, colNames)
		case query.CmdUpdate:
			p.updateQuery(q, colNames)
		case query.CmdDelete:
			p.deleteQuery(q, colNames)
		case query.CmdNothing:
			p.write("NOTHING")
		default:
			p.fail(pgerr.NotSupported("printing a query of command type %d", q.Command))
		}
	})
	p.indent = indent
}

func (p *printer) selectQuery(q *query.Query, names []string, colNames bool) {
	p.with(q)
	p.ctx.windows, p.ctx.windowTargets = q.Windows, q.Targets
	if q.SetOp != nil {
		p.setOp(q.SetOp, q, names, colNames)
	} else {
		p.basicSelect(q, names, colNames)
	}
	if len(q.SortBy) > 0 {
		p.keyword(" ORDER BY ", -indentStd, indentStd, 1)
		p.orderBy(q.SortBy, q.Targets, q.SetOp != nil)
	}
	if q.LimitOffset != nil {
		p.keyword(" OFFSET ", -indentStd, indentStd, 0)
		p.expr(q.LimitOffset, false)
	}
	p.limit(q)
	if q.HasForUpdate {
		p.rowMarks(q)
	}
}

func (p *printer) limit(q *query.Query) {
	if q.LimitCount == nil {
		return
	}
	if q.LimitWithTies {
		p.keyword(" FETCH FIRST ", -indentStd, indentStd, 0)
		p.write("(")
		p.expr(q.LimitCount, false)
		p.write(") ROWS WITH TIES")
		return
	}
	p.keyword(" LIMIT ", -indentStd, indentStd, 0)
	if c, ok := q.LimitCount.(*query.Const); ok && c.Value.IsNull() {
		p.write("ALL")
		return
	}
	p.expr(q.LimitCount, false)
}

func (p *printer) rowMarks(q *query.Query) {
	for _, m := range q.RowMarks {
		if m.PushedDown {
			continue
		}
		p.keyword([]string{"", " FOR KEY SHARE", " FOR SHARE", " FOR NO KEY UPDATE", " FOR UPDATE"}[m.Strength], -indentStd, indentStd, 0)
		p.write(" OF ", p.quote(p.ctx.Namespaces[0].Name(m.RTIndex)))
		switch m.Wait {
		case query.LockWaitError:
			p.write(" NOWAIT")
		case query.LockWaitSkip:
			p.write(" SKIP LOCKED")
		}
	}
}

func (p *printer) with(q *query.Query) {
	if len(q.CTEs) == 0 {
		return
	}
	if p.indented() {
		p.indent += indentStd
		p.write(" ")
	}
	sep := "WITH "
	if q.HasRecursive {
		sep = "WITH RECURSIVE "
	}
	for _, c := range q.CTEs {
		p.write(sep)
		p.cte(c)
		sep = ", "
	}
	if p.indented() {
		p.indent -= indentStd
		p.keyword("", 0, 0, 0)
	} else {
		p.write(" ")
	}
}

func (p *printer) cte(c *query.CTE) {
	p.write(p.quote(c.Name))
	if len(c.AliasCols) > 0 {
		p.nameList(c.AliasCols)
	}
	p.write(" AS ")
	switch c.Materialized {
	case 'm':
		p.write("MATERIALIZED ")
	case 'n':
		p.write("NOT MATERIALIZED ")
	}
	p.write("(")
	if p.indented() {
		p.keyword("", 0, 0, 0)
	}
	p.query(c.Query, p.ctx.Namespaces, nil, true)
	if p.indented() {
		p.keyword("", 0, 0, 0)
	}
	p.write(")")
	if c.Search != nil || c.Cycle != nil {
		p.fail(pgerr.NotSupported("printing SEARCH and CYCLE clauses"))
	}
}

// nameList prints (a, b, c).
func (p *printer) nameList(names []string) {
	p.write("(")
	for i, n := range names {
		if i > 0 {
			p.write(", ")
		}
		p.write(p.quote(n))
	}
	p.write(")")
}

func (p *printer) basicSelect(q *query.Query, names []string, colNames bool) {
	if p.indented() {
		p.indent += indentStd
		p.write(" ")
	}
	if rte := simpleValues(q, names); rte != nil {
		p.values(rte.Values)
		return
	}
	if q.IsReturn {
		p.write("RETURN")
	} else {
		p.write("SELECT")
	}
	p.distinct(q)
	p.targetList(q.Targets, names, colNames)
	p.from(q, " FROM ")
	p.where(q)
	p.groupBy(q)
	if q.Having != nil {
		p.keyword(" HAVING ", -indentStd, indentStd, 0)
		p.expr(q.Having, false)
	}
	p.windowClause(q)
}

func (p *printer) where(q *query.Query) {
	if q.JoinTree.Quals != nil {
		p.keyword(" WHERE ", -indentStd, indentStd, 1)
		p.expr(q.JoinTree.Quals, false)
	}
}

func (p *printer) distinct(q *query.Query) {
	switch {
	case len(q.Distinct) == 0:
	case q.HasDistinctOn:
		p.write(" DISTINCT ON (")
		for i, d := range q.Distinct {
			if i > 0 {
				p.write(", ")
			}
			p.sortGroup(d.Ref, q.Targets, false)
		}
		p.write(")")
	default:
		p.write(" DISTINCT")
	}
}

func (p *printer) groupBy(q *query.Query) {
	if len(q.GroupBy) == 0 && len(q.GroupingSets) == 0 {
		return
	}
	p.keyword(" GROUP BY ", -indentStd, indentStd, 1)
	if q.GroupDistinct {
		p.write("DISTINCT ")
	}
	if len(q.GroupingSets) == 0 {
		p.sortGroups(q.GroupBy, q.Targets)
		return
	}
	for i, s := range q.GroupingSets {
		if i > 0 {
			p.write(", ")
		}
		p.groupingSet(s, q.Targets, true)
	}
}

func (p *printer) sortGroups(list []*query.SortGroupClause, targets []*query.TargetEntry) {
	for i, g := range list {
		if i > 0 {
			p.write(", ")
		}
		p.sortGroup(g.Ref, targets, false)
	}
}

func (p *printer) groupingSet(s *query.GroupingSet, targets []*query.TargetEntry, omitParens bool) {
	childOmits := true
	switch s.Kind {
	case query.GroupingEmpty:
		p.write("()")
		return
	case query.GroupingSimple:
		parens := !omitParens || len(s.Refs) != 1
		if parens {
			p.write("(")
		}
		for i, ref := range s.Refs {
			if i > 0 {
				p.write(", ")
			}
			p.sortGroup(ref, targets, false)
		}
		if parens {
			p.write(")")
		}
		return
	case query.GroupingRollup:
		p.write("ROLLUP(")
	case query.GroupingCube:
		p.write("CUBE(")
	default:
		p.write("GROUPING SETS (")
		childOmits = false
	}
	for i, c := range s.Sets {
		if i > 0 {
			p.write(", ")
		}
		p.groupingSet(c, targets, childOmits)
	}
	p.write(")")
}

// sortGroup prints a sort or grouping item and gives its expression.
func (p *printer) sortGroup(ref uint32, targets []*query.TargetEntry, number bool) query.Expr {
	var t *query.TargetEntry
	for _, x := range targets {
		if x.SortGroupRef == ref {
			t = x
		}
	}
	if t == nil {
		p.fail(pgerr.Internal("ORDER/GROUP BY expression not found in targetlist"))
		return nil
	}
	switch e := t.Expr.(type) {
	case *query.Const:
		if number {
			p.write(strconv.Itoa(t.ResNo))
		} else {
			p.constant(e, 1)
		}
	case *query.Var:
		if number {
			p.write(strconv.Itoa(t.ResNo))
		} else {
			p.expr(e, true)
		}
	default:
		if number {
			p.write(strconv.Itoa(t.ResNo))
			break
		}
		need := !p.paren()
		switch e.(type) {
		case *query.FuncExpr, *query.Aggref, *query.WindowFunc:
			need = true
		}
		if need {
			p.write("(")
		}
		p.expr(e, true)
		if need {
			p.write(")")
		}
	}
	return t.Expr
}

func (p *printer) orderBy(list []*query.SortGroupClause, targets []*query.TargetEntry, number bool) {
	for i, s := range list {
		if i > 0 {
			p.write(", ")
		}
		e := p.sortGroup(s.Ref, targets, number)
		if e == nil {
			return
		}
		lt, _, gt, _, err := analyze.SortOperators(&analyze.Env{Catalog: p.ctx.Catalog, Types: p.ctx.Types}, e.Type())
		p.fail(err)
		switch s.SortOp {
		case lt:
			if s.NullsFirst {
				p.write(" NULLS FIRST")
			}
		case gt:
			p.write(" DESC")
			if !s.NullsFirst {
				p.write(" NULLS LAST")
			}
		default:
			p.write(" USING ", p.operatorName(s.SortOp))
			if s.NullsFirst {
				p.write(" NULLS FIRST")
			} else {
				p.write(" NULLS LAST")
			}
		}
	}
}

func (p *printer) windowClause(q *query.Query) {
	first := true
	for _, w := range q.Windows {
		if w.Name == "" {
			continue
		}
		if first {
			p.keyword(" WINDOW ", -indentStd, indentStd, 1)
		} else {
			p.write(", ")
		}
		first = false
		p.write(p.quote(w.Name), " AS ")
		p.windowSpec(w, q.Targets)
	}
}

func (p *printer) windowSpec(w *query.WindowClause, targets []*query.TargetEntry) {
	p.write("(")
	sep := ""
	item := func(f func()) {
		p.write(sep)
		f()
		sep = " "
	}
	if w.RefName != "" {
		item(func() { p.write(p.quote(w.RefName)) })
	}
	if len(w.PartitionBy) > 0 && w.RefName == "" {
		item(func() { p.write("PARTITION BY "); p.sortGroups(w.PartitionBy, targets) })
	}
	if len(w.OrderBy) > 0 && !w.CopiedOrder {
		item(func() { p.write("ORDER BY "); p.orderBy(w.OrderBy, targets, false) })
	}
	if w.FrameOptions&query.FrameNonDefault != 0 {
		item(func() { p.frame(w) })
	}
	p.write(")")
}

func (p *printer) frame(w *query.WindowClause) {
	o := w.FrameOptions
	switch {
	case o&query.FrameRange != 0:
		p.write("RANGE ")
	case o&query.FrameRows != 0:
		p.write("ROWS ")
	default:
		p.write("GROUPS ")
	}
	if o&query.FrameBetween != 0 {
		p.write("BETWEEN ")
	}
	switch {
	case o&query.FrameStartUnboundedPreced != 0:
		p.write("UNBOUNDED PRECEDING")
	case o&query.FrameStartCurrentRow != 0:
		p.write("CURRENT ROW")
	default:
		p.expr(w.StartOffset, false)
		p.write(direction(o&query.FrameStartOffsetPreceding != 0))
	}
	if o&query.FrameBetween != 0 {
		p.write(" AND ")
		switch {
		case o&query.FrameEndUnboundedFollow != 0:
			p.write("UNBOUNDED FOLLOWING")
		case o&query.FrameEndCurrentRow != 0:
			p.write("CURRENT ROW")
		default:
			p.expr(w.EndOffset, false)
			p.write(direction(o&query.FrameEndOffsetPreceding != 0))
		}
	}
	switch {
	case o&query.FrameExcludeCurrentRow != 0:
		p.write(" EXCLUDE CURRENT ROW")
	case o&query.FrameExcludeGroup != 0:
		p.write(" EXCLUDE GROUP")
	case o&query.FrameExcludeTies != 0:
		p.write(" EXCLUDE TIES")
	}
}

func direction(preceding bool) string {
	if preceding {
		return " PRECEDING"
	}
	return " FOLLOWING"
}

// targetList prints the output columns, each on a line of its own when laying out.
func (p *printer) targetList(targets []*query.TargetEntry, names []string, colNames bool) {
	sep := " "
	col := 0
	multiline := false
	for _, t := range targets {
		if t.Junk {
			continue
		}
		p.write(sep)
		sep = ", "
		col++
		item := p.captured(func() { p.targetItem(t, col, names, colNames) })
		if p.indented() {
			startsLine := len(item) > 0 && item[0] == '\n'
			switch {
			case startsLine:
				p.trimBlanks()
			case col > 1 && (p.lineLength()+len(item) > 0 || multiline):
				p.keyword("", -indentStd, indentStd, indentVar)
			}
			rest := item
			if startsLine {
				rest = item[1:]
			}
			multiline = containsNewline(rest)
		}
		p.buf = append(p.buf, item...)
	}
}

func containsNewline(b []byte) bool {
	for _, c := range b {
		if c == '\n' {
			return true
		}
	}
	return false
}

func (p *printer) targetItem(t *query.TargetEntry, col int, names []string, colNames bool) {
	own := ""
	if v, ok := t.Expr.(*query.Var); ok {
		own = p.variable(v, true)
	} else {
		p.expr(t.Expr, true)
		if !colNames {
			own = "?column?"
		}
	}
	name := t.Name
	if col <= len(names) {
		name = names[col-1]
	}
	if name != "" && name != own {
		p.write(" AS ", p.quote(name))
	}
}

// simpleValues gives the VALUES entry of a query that is VALUES and nothing else.
func simpleValues(q *query.Query, names []string) *query.RTE {
	var found *query.RTE
	for _, rte := range q.RangeTable {
		if rte.Kind == query.RTEValues && rte.InFrom {
			if found != nil {
				return nil
			}
			found = rte
		} else if rte.InFrom {
			return nil
		}
	}
	if found == nil || len(found.Eref.Cols) != len(q.Targets) {
		return nil
	}
	for i, t := range q.Targets {
		v, ok := t.Expr.(*query.Var)
		if t.Junk || !ok || int(v.AttNo) != i+1 || t.Name != found.Eref.Cols[i] || i < len(names) && names[i] != found.Eref.Cols[i] {
			return nil
		}
	}
	return found
}

func (p *printer) values(rows [][]query.Expr) {
	p.write("VALUES ")
	for i, row := range rows {
		if i > 0 {
			p.write(", ")
		}
		p.write("(")
		for j, e := range row {
			if j > 0 {
				p.write(",")
			}
			p.top(e, false)
		}
		p.write(")")
	}
}

// setOp prints a set operation.
func (p *printer) setOp(n query.SetOpNode, q *query.Query, names []string, colNames bool) {
	if !p.enter() {
		return
	}
	defer p.leave()
	if ref, ok := n.(*query.RangeTblRef); ok {
		sub := q.RangeTable[ref.Index-1].Subquery
		need := len(sub.CTEs) > 0 || len(sub.SortBy) > 0 || len(sub.RowMarks) > 0 || sub.LimitOffset != nil || sub.LimitCount != nil || sub.SetOp != nil
		if need {
			p.write("(")
		}
		p.query(sub, p.ctx.Namespaces, names, colNames)
		if need {
			p.write(")")
		}
		return
	}
	op := n.(*query.SetOperation)
	sub := 0
	left, isOp := op.Left.(*query.SetOperation)
	parens := isOp && (left.Op != op.Op || left.All != op.All)
	if parens {
		p.write("(")
		sub = indentStd
		p.keyword("", sub, 0, 0)
	}
	p.setOp(op.Left, q, names, colNames)
	switch {
	case parens:
		p.keyword(") ", -sub, 0, 0)
	case p.indented():
		p.keyword("", -sub, 0, 0)
	default:
		p.write(" ")
	}
	p.write([]string{"", "UNION ", "INTERSECT ", "EXCEPT "}[op.Op])
	if op.All {
		p.write("ALL ")
	}
	_, parens = op.Right.(*query.SetOperation)
	sub = 0
	if parens {
		p.write("(")
		sub = indentStd
	}
	p.keyword("", sub, 0, 0)
	p.setOp(op.Right, q, names, false)
	if p.indented() {
		p.indent -= sub
	}
	if parens {
		p.keyword(")", 0, 0, 0)
	}
}
