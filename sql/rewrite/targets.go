package rewrite

import (
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// targetList completes the target list of INSERT (all columns, in order) and UPDATE: defaults are filled in, several assignments to parts of one column
// are merged, identity and generated columns are checked.
func (r *rewriter) targetList(q *query.Query, rel *catalog.Relation) (*query.Query, error) {
	switch q.Command {
	case query.CmdInsert, query.CmdUpdate:
	case query.CmdMerge:
		return q, r.mergeActions(q, rel)
	default:
		return q, nil
	}
	b := &targetBuilder{r: r, q: q, rel: rel, values: valuesEntry(q), override: q.Override}
	out, err := b.build(q.Targets, q.Command)
	if err != nil {
		return nil, err
	}
	q.Targets = out
	if b.values != 0 {
		if err := b.fillValues(); err != nil {
			return nil, err
		}
	}
	if c := q.OnConflict; c != nil && c.Action == query.OnConflictUpdate {
		copied := *c
		b := &targetBuilder{r: r, q: q, rel: rel}
		if copied.Set, err = b.build(c.Set, query.CmdUpdate); err != nil {
			return nil, err
		}
		q.OnConflict = &copied
	}
	return q, nil
}

// mergeActions completes the target lists of MERGE's actions.
func (r *rewriter) mergeActions(q *query.Query, rel *catalog.Relation) error {
	out := make([]*query.MergeAction, len(q.MergeActions))
	for i, a := range q.MergeActions {
		c := *a
		if a.Command == query.CmdInsert || a.Command == query.CmdUpdate {
			b := &targetBuilder{r: r, q: q, rel: rel, override: a.Override}
			var err error
			if c.Targets, err = b.build(a.Targets, a.Command); err != nil {
				return err
			}
		}
		out[i] = &c
	}
	q.MergeActions = out
	return nil
}

// valuesEntry is the index of the VALUES entry of a multi-row INSERT, 0 when there is none.
func valuesEntry(q *query.Query) int {
	found := 0
	if q.Command != query.CmdInsert {
		return 0
	}
	for _, item := range q.JoinTree.Items { // a rule's action has those of the statement before its own
		if ref, ok := item.(*query.RangeTblRef); ok && q.RangeTable[ref.Index-1].Kind == query.RTEValues {
			found = ref.Index
		}
	}
	return found
}

type targetBuilder struct {
	r      *rewriter
	q      *query.Query
	rel    *catalog.Relation
	values int

	override byte
}

// build makes the new list for a command.
func (b *targetBuilder) build(list []*query.TargetEntry, cmd query.CommandType) ([]*query.TargetEntry, error) {
	attrs := b.rel.Desc.Attrs
	byColumn := make([]*query.TargetEntry, len(attrs))
	var junk []*query.TargetEntry
	for _, t := range list {
		if t.Junk {
			junk = append(junk, t)
			continue
		}
		merged, err := merge(t, byColumn[t.ResNo-1], attrs[t.ResNo-1].Name)
		if err != nil {
			return nil, err
		}
		byColumn[t.ResNo-1] = merged
	}
	var out []*query.TargetEntry
	for i := range attrs {
		t, err := b.column(&attrs[i], byColumn[i], cmd)
		if err != nil {
			return nil, err
		}
		if t != nil {
			out = append(out, t)
		}
	}
	next := len(attrs) + 1
	for _, t := range junk {
		c := *t
		c.ResNo = next
		next++
		out = append(out, &c)
	}
	return out, nil
}

// column makes the entry of one column; nil when there is none.
func (b *targetBuilder) column(a *types.Attr, t *query.TargetEntry, cmd query.CommandType) (*query.TargetEntry, error) {
	insert := cmd == query.CmdInsert
	if a.Dropped {
		if insert && b.rel.Kind != 'v' {
			return &query.TargetEntry{Expr: nullConst(types.Int4OID, -1, 0), ResNo: int(a.Num)}, nil
		}
		return nil, nil
	}
	useDefault := t == nil && insert || t != nil && isDefault(t.Expr)
	if insert {
		var err error
		if useDefault, err = b.checkInsert(a, t, useDefault); err != nil {
			return nil, err
		}
	} else if t != nil && !useDefault {
		if err := checkUpdate(a); err != nil {
			return nil, err
		}
	}
	if a.Generated != 0 {
		// Computed when the row is stored; the place is kept in an INSERT.
		if insert && b.rel.Kind != 'v' {
			typ, mod := b.r.baseType(a.TypeOID, a.TypMod)
			return &query.TargetEntry{Expr: nullConst(typ, mod, a.Collation), ResNo: int(a.Num), Name: a.Name}, nil
		}
		return nil, nil
	}
	if !useDefault {
		return t, nil
	}
	if b.rel.Kind == 'v' && t == nil {
		e, err := b.r.columnDefault(b.rel, a)
		if err != nil || e == nil {
			return nil, err // the table's default applies
		}
		return &query.TargetEntry{Expr: e, ResNo: int(a.Num), Name: a.Name}, nil
	}
	e, err := b.r.defaultOrNull(b.rel, a)
	if err != nil {
		return nil, err
	}
	return &query.TargetEntry{Expr: e, ResNo: int(a.Num), Name: a.Name}, nil
}

func isDefault(e query.Expr) bool {
	_, ok := e.(*query.SetToDefault)
	return ok
}

// checkInsert applies the rules of identity and generated columns, and says whether the default is used.
func (b *targetBuilder) checkInsert(a *types.Attr, t *query.TargetEntry, useDefault bool) (bool, error) {
	if useDefault {
		return true, nil
	}
	allDefault := b.allRowsDefault(t)
	if a.Identity == 'a' {
		switch {
		case b.override == 'u':
			return true, nil
		case b.override != 's' && !allDefault:
			return false, pgerr.New(pgerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column \"%s\"", a.Name).
				WithDetail("Column \"%s\" is an identity column defined as GENERATED ALWAYS.", a.Name).
				WithHint("Use OVERRIDING SYSTEM VALUE to override.")
		}
	}
	if a.Identity == 'd' && b.override == 'u' {
		return true, nil
	}
	if a.Generated != 0 && !allDefault {
		return false, pgerr.New(pgerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column \"%s\"", a.Name).
			WithDetail("Column \"%s\" is a generated column.", a.Name)
	}
	return false, nil
}

func checkUpdate(a *types.Attr) error {
	switch {
	case a.Identity == 'a':
		return pgerr.New(pgerr.GeneratedAlways, "column \"%s\" can only be updated to DEFAULT", a.Name).
			WithDetail("Column \"%s\" is an identity column defined as GENERATED ALWAYS.", a.Name)
	case a.Generated != 0:
		return pgerr.New(pgerr.GeneratedAlways, "column \"%s\" can only be updated to DEFAULT", a.Name).
			WithDetail("Column \"%s\" is a generated column.", a.Name)
	}
	return nil
}

// valuesColumn is the column of the VALUES entry that a target is, -1 when it is none.
func (b *targetBuilder) valuesColumn(t *query.TargetEntry) int {
	if v, ok := t.Expr.(*query.Var); ok && b.values != 0 && v.VarNo == b.values {
		return int(v.AttNo) - 1
	}
	return -1
}

func (b *targetBuilder) allRowsDefault(t *query.TargetEntry) bool {
	col := b.valuesColumn(t)
	if col < 0 {
		return false
	}
	for _, row := range b.q.RangeTable[b.values-1].Values {
		if !isDefault(row[col]) {
			return false
		}
	}
	return true
}

// fillValues replaces DEFAULT in the rows of a multi-row INSERT.
func (b *targetBuilder) fillValues() error {
	rte := b.q.RangeTable[b.values-1]
	found := false
	for _, row := range rte.Values {
		for _, e := range row {
			found = found || isDefault(e)
		}
	}
	if !found {
		return nil
	}
	columns := map[int]*types.Attr{}
	for _, t := range b.q.Targets {
		if col := b.valuesColumn(t); col >= 0 && !t.Junk {
			columns[col] = &b.rel.Desc.Attrs[t.ResNo-1]
		}
	}
	c := *rte
	c.Values = make([][]query.Expr, len(rte.Values))
	for i, row := range rte.Values {
		out := append([]query.Expr(nil), row...)
		for j, e := range row {
			d, ok := e.(*query.SetToDefault)
			if !ok {
				continue
			}
			a := columns[j]
			if a == nil { // the column was taken over by its default or is generated
				out[j] = nullConst(d.TypeOID, d.Mod, d.Coll)
				continue
			}
			v, err := b.r.defaultOrNull(b.rel, a)
			if err != nil {
				return err
			}
			out[j] = v
		}
		c.Values[i] = out
	}
	b.q.RangeTable = append([]*query.RTE(nil), b.q.RangeTable...)
	b.q.RangeTable[b.values-1] = &c
	return nil
}

// merge combines two assignments to parts of one column.
func merge(t, before *query.TargetEntry, name string) (*query.TargetEntry, error) {
	if before == nil {
		return t, nil
	}
	twice := pgerr.New(pgerr.SyntaxError, "multiple assignments to same column \"%s\"", name)
	src, prior := t.Expr, before.Expr
	var domain *query.CoerceToDomain
	if d, ok := src.(*query.CoerceToDomain); ok && d.Form == query.CoerceImplicitCast {
		if p, ok := prior.(*query.CoerceToDomain); ok && p.Form == query.CoerceImplicitCast && p.TypeOID == d.TypeOID {
			domain, src, prior = d, d.Arg, p.Arg
		}
	}
	in := assignmentInput(src)
	if in == nil || assignmentInput(prior) == nil || in.Type() != assignmentInput(prior).Type() {
		return nil, twice
	}
	// The earlier assignment's result becomes the later one's input.
	var e query.Expr
	switch x := src.(type) {
	case *query.FieldStore:
		c := *x
		if p, ok := prior.(*query.FieldStore); ok {
			c.Arg = p.Arg
			c.NewVals = append(append([]query.Expr(nil), p.NewVals...), x.NewVals...)
			c.FieldNums = append(append([]int16(nil), p.FieldNums...), x.FieldNums...)
		} else {
			c.Arg = prior
		}
		e = &c
	case *query.SubscriptingRef:
		c := *x
		c.Container = prior
		e = &c
	}
	if domain != nil {
		c := *domain
		c.Arg = e
		e = &c
	}
	out := *t
	out.Expr = e
	return &out, nil
}

// assignmentInput is the whole value that an assignment to a part starts from, nil when the expression is no such assignment.
func assignmentInput(e query.Expr) query.Expr {
	for {
		var in query.Expr
		switch x := e.(type) {
		case *query.FieldStore:
			in = x.Arg
		case *query.SubscriptingRef:
			if x.Assign == nil {
				return nil
			}
			in = x.Container
		default:
			return nil
		}
		if deeper := assignmentInput(in); deeper != nil {
			return deeper
		}
		return in
	}
}

func nullConst(typ OID, mod int32, coll OID) query.Expr {
	return &query.Const{TypeOID: typ, Mod: mod, Coll: coll, Value: types.Null, Loc: -1}
}

// defaultOrNull is a column's default, or null of its type (its domain's checks applied).
func (r *rewriter) defaultOrNull(rel *catalog.Relation, a *types.Attr) (query.Expr, error) {
	e, err := r.columnDefault(rel, a)
	if e != nil || err != nil {
		return e, err
	}
	base, mod := r.baseType(a.TypeOID, a.TypMod)
	null := nullConst(base, mod, a.Collation)
	if base == a.TypeOID {
		return null, nil
	}
	return &query.CoerceToDomain{Arg: null, TypeOID: a.TypeOID, Mod: -1, Coll: a.Collation, Form: query.CoerceImplicitCast, Loc: -1}, nil
}

// columnDefault gives the default expression of a column: its identity sequence's next value, its DEFAULT, its type's default; nil when none.
func (r *rewriter) columnDefault(rel *catalog.Relation, a *types.Attr) (query.Expr, error) {
	if a.Identity != 0 {
		seq, err := identitySequence(r.env.Catalog, rel.OID, a.Num)
		if err != nil {
			return nil, err
		}
		return &query.NextValueExpr{SeqOID: seq, TypeOID: a.TypeOID}, nil
	}
	e := rel.Defaults[a.Num]
	if e == nil {
		t, err := r.env.Catalog.Type(a.TypeOID)
		if err != nil || t == nil || t.Default == nil {
			return nil, err
		}
		e = t.Default
	}
	out, err := analyze.Cast(r.env, query.Copy(e), a.TypeOID, a.TypMod, false)
	if err != nil {
		return nil, err
	}
	if out == nil {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but default expression is of type %s", a.Name,
			types.FormatType(r.env.Types, a.TypeOID), types.FormatType(r.env.Types, e.Type())).WithHint("You will need to rewrite or cast the expression.")
	}
	return out, nil
}

// ColumnDefault gives the expression that fills a column when a row gives no value (COPY, ALTER TABLE ADD COLUMN); nil = null.
func ColumnDefault(env *analyze.Env, rel *catalog.Relation, a *types.Attr) (query.Expr, error) {
	r := &rewriter{env: env}
	e, err := r.columnDefault(rel, a)
	if err != nil || e == nil {
		return nil, err
	}
	return analyze.ExpandCalls(env.Catalog, e)
}

// dependents is how a catalog lists what depends on an object.
type dependents interface {
	Dependents(ref catalog.Object, each func(o catalog.Object, refSub int32, kind byte) (bool, error)) error
}

// identitySequence finds the sequence that belongs to an identity column: it depends on it internally.
func identitySequence(cat catalog.Lookup, rel OID, att int16) (OID, error) {
	const pgClass, internal = OID(1259), 'i'
	d, ok := cat.(dependents)
	if !ok {
		return 0, pgerr.Internal("no owned sequence found")
	}
	seq := OID(0)
	err := d.Dependents(catalog.Object{Class: pgClass, OID: rel, Sub: int32(att)}, func(o catalog.Object, refSub int32, kind byte) (bool, error) {
		if kind == internal && o.Class == pgClass && refSub == int32(att) {
			r, err := cat.Relation(o.OID)
			if err != nil {
				return false, err
			}
			if r != nil && r.Kind == 'S' {
				seq = o.OID
				return false, nil
			}
		}
		return true, nil
	})
	if err == nil && seq == 0 {
		err = pgerr.Internal("no owned sequence found")
	}
	return seq, err
}

// baseType strips domains.
func (r *rewriter) baseType(typ OID, mod int32) (OID, int32) {
	for {
		t, err := r.env.Catalog.Type(typ)
		if err != nil || t == nil || t.Kind != 'd' {
			return typ, mod
		}
		typ, mod = t.BaseType, t.TypMod
	}
}
