package executor

import (
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/partition"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// rowChecks are a table's NOT NULL and CHECK constraints.
type rowChecks struct {
	s     *State
	rel   *catalog.Relation
	rte   *query.RTE  // which columns the statement sets
	evals []expr.Eval // of rel.Checks
	outs  []*types.IO // for the text of a failing row

	partition     expr.Qual    // of a partition: what its rows fulfil
	partitionCols heap.AttrSet // the columns that it reads

	// Of a partition that rows are routed to: the table that the statement names, and where its columns are in the partition (nil = the same).
	root   *catalog.Relation
	toRoot []int16
}

func newRowChecks(s *State, rel *catalog.Relation, rte *query.RTE) (*rowChecks, error) {
	r := &rowChecks{s: s, rel: rel, rte: rte}
	c := s.compiler()
	for _, k := range rel.Checks {
		eval, err := c.Compile(k.Expr)
		if err != nil {
			return nil, err
		}
		r.evals = append(r.evals, eval)
	}
	if !rel.IsPartition {
		return r, nil
	}
	list, err := partition.Constraint(s.Backend.Catalog, s.Backend.Env, rel)
	if err != nil || len(list) == 0 {
		return r, err
	}
	for _, e := range list {
		query.Walk(e, func(x query.Expr) bool {
			if v, ok := x.(*query.Var); ok && v.AttNo > 0 {
				r.partitionCols.Add(v.AttNo)
			}
			return true
		})
	}
	r.partition, err = c.CompileQual(list)
	return r, err
}

// partitionError is about a row that does not belong to the partition.
func (r *rowChecks) partitionError(row types.Row) error {
	return pgerr.New(pgerr.CheckViolation, "new row for relation \"%s\" violates partition constraint", r.rel.Name).
		WithDetail("%s", r.failing(row)).WithTable(r.schema(), r.rel.Name)
}

// check tests the row, which is in ctx.Scan too: NOT NULL by column, then CHECKs by name.
func (r *rowChecks) check(ctx *expr.Context, row types.Row) error {
	attrs := r.rel.Desc.Attrs
	for i := range attrs {
		if a := &attrs[i]; a.NotNull && !a.Dropped && row[i].IsNull() {
			return pgerr.New(pgerr.NotNullViolation, "null value in column \"%s\" of relation \"%s\" violates not-null constraint", a.Name, r.rel.Name).
				WithDetail("%s", r.failing(row)).WithTable(r.schema(), r.rel.Name).WithColumn(a.Name)
		}
	}
	for i, eval := range r.evals {
		d, err := eval(ctx)
		if err != nil {
			return err
		}
		if !d.IsNull() && !d.Bool() {
			return pgerr.New(pgerr.CheckViolation, "new row for relation \"%s\" violates check constraint \"%s\"", r.rel.Name, r.rel.Checks[i].Name).
				WithDetail("%s", r.failing(row)).WithTable(r.schema(), r.rel.Name).WithConstraint(r.rel.Checks[i].Name)
		}
	}
	return nil
}

func (r *rowChecks) schema() string { return r.s.Backend.schemaName(r.rel.Namespace) }

// schemaName gives a namespace's name for an error's fields.
func (b *Backend) schemaName(ns types.OID) string {
	n, err := b.Catalog.Namespace(ns)
	if err != nil || n == nil {
		return ""
	}
	return n.Name
}

// valueLenMax is how many bytes of a value an error's detail shows, PostgreSQL's maxfieldlen.
const valueLenMax = 64

// failing gives the detail of an error about a row: (v1, v2, ...), long values cut. Who may not read the table sees the columns that he may read
// or has set himself; "" when there are none.
func (r *rowChecks) failing(row types.Row) string {
	rel := r.rel
	if r.root != nil { // it is shown as the statement gave it
		rel = r.root
		if r.toRoot != nil {
			shown := make(types.Row, len(r.toRoot))
			for i, c := range r.toRoot {
				shown[i] = types.Null
				if c > 0 {
					shown[i] = row[c-1]
				}
			}
			row = shown
		}
	}
	var names, texts []string
	c := &columnCheck{v: r.s.Backend.Catalog, rel: rel, role: r.s.Backend.Catalog.User()}
	all, err := c.readable()
	if err != nil {
		return ""
	}
	for i := range rel.Desc.Attrs {
		a := &rel.Desc.Attrs[i]
		if a.Dropped {
			continue
		}
		if n := int(a.Num); !all && !r.rte.InsertedCols[n] && !r.rte.UpdatedCols[n] {
			if ok, err := c.one(a.Num, query.AclSelect); !ok || err != nil {
				continue
			}
		}
		names = append(names, a.Name)
		if row[i].IsNull() {
			texts = append(texts, "null")
			continue
		}
		text, err := types.Output(r.s.Backend.Env, a.TypeOID, row[i])
		if err != nil {
			text = "?"
		}
		texts = append(texts, cutText(text))
	}
	switch {
	case all:
		return "Failing row contains (" + strings.Join(texts, ", ") + ")."
	case len(names) == 0:
		return ""
	}
	return "Failing row contains (" + strings.Join(names, ", ") + ") = (" + strings.Join(texts, ", ") + ")."
}

func cutText(s string) string {
	if len(s) <= valueLenMax {
		return s
	}
	n := valueLenMax
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// generatedColumn is a GENERATED ALWAYS AS (...) STORED column.
type generatedColumn struct {
	attr int16
	eval expr.Eval
}

func newGeneratedColumns(s *State, rel *catalog.Relation) ([]generatedColumn, error) {
	var list []generatedColumn
	for i := range rel.Desc.Attrs {
		a := &rel.Desc.Attrs[i]
		if a.Generated == 0 || a.Dropped {
			continue
		}
		eval, err := s.compiler().Compile(rel.Defaults[a.Num])
		if err != nil {
			return nil, err
		}
		list = append(list, generatedColumn{a.Num, eval})
	}
	return list, nil
}

// withCheck is a view's CHECK OPTION.
type withCheck struct {
	*query.WithCheckOption
	eval expr.Eval
}

func newWithChecks(s *State, list []*query.WithCheckOption) ([]withCheck, error) {
	var out []withCheck
	for _, w := range list {
		if w.Qual == nil { // of a view without a condition: it stands there for those below it
			continue
		}
		eval, err := s.compiler().Compile(w.Qual)
		if err != nil {
			return nil, err
		}
		out = append(out, withCheck{w, eval})
	}
	return out, nil
}

// passWithChecks tests the row that was written.
func (t *resultRelation) passWithChecks(ctx *expr.Context) error {
	for _, w := range t.withCheck {
		ctx.Scan = t.row
		d, err := w.eval(ctx)
		if err != nil {
			return err
		}
		if !d.IsNull() && d.Bool() {
			continue
		}
		if w.Kind == 'v' {
			return pgerr.New(pgerr.WithCheckOptionViolation, "new row violates check option for view \"%s\"", w.RelName).
				WithDetail("%s", t.checks.failing(t.row))
		}
		return pgerr.New(pgerr.InsufficientPrivilege, "new row violates row-level security policy for table \"%s\"", w.RelName)
	}
	return nil
}
