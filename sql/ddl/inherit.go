package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// inheritedCheck is a CHECK constraint that a new table takes over from its parents.
type inheritedCheck struct {
	name  string
	expr  query.Expr // over the new table's columns
	count int32
}

// inherit puts the columns and CHECK constraints of a new table's parents before and between its own.
func (c *ctx) inherit(t *tableDef, parents []*pg_query.Node) error {
	if len(parents) == 0 {
		return nil
	}
	if err := checkDuplicateColumns(t.columns); err != nil {
		return err
	}
	var rels []*catalog.Relation
	for _, n := range parents {
		rel, err := c.openParent(t, n.GetRangeVar())
		if err != nil {
			return err
		}
		for _, r := range rels {
			if r.OID == rel.OID {
				return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" would be inherited from more than once", rel.Name)
			}
		}
		rels = append(rels, rel)
	}
	t.parents = rels
	return c.mergeParents(t)
}

func checkDuplicateColumns(columns []*columnDef) error {
	seen := map[string]bool{}
	for _, d := range columns {
		if seen[d.Name] {
			return pgerr.New(pgerr.DuplicateColumn, "column \"%s\" specified more than once", d.Name)
		}
		seen[d.Name] = true
	}
	return nil
}

// openParent locks a parent and checks that a table may be made its child.
func (c *ctx) openParent(t *tableDef, rv *pg_query.RangeVar) (*catalog.Relation, error) {
	mode := shareUpdateExclusive
	if t.bound != nil {
		mode = accessExclusive
	}
	rel, err := c.open(rv, mode)
	if err != nil {
		return nil, err
	}
	switch {
	case rel.Kind == 'p' && t.bound == nil:
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot inherit from partitioned table \"%s\"", rel.Name)
	case rel.IsPartition && t.bound == nil:
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot inherit from partition \"%s\"", rel.Name)
	case rel.Kind != 'r' && rel.Kind != 'f' && rel.Kind != 'p':
		return nil, pgerr.New(pgerr.WrongObjectType, "inherited relation \"%s\" is not a table or foreign table", rel.Name)
	case rel.Persistence != 't' && t.persistence == 't' && t.bound != nil:
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot create a temporary relation as partition of permanent relation \"%s\"", rel.Name)
	case rel.Persistence == 't' && t.persistence != 't' && t.bound == nil:
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot inherit from temporary relation \"%s\"", rel.Name)
	case rel.Persistence == 't' && t.persistence != 't':
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot create a permanent relation as partition of temporary relation \"%s\"", rel.Name)
	case rel.Persistence == 't' && rel.Namespace != c.v.TempNamespace():
		if t.bound == nil {
			return nil, pgerr.New(pgerr.WrongObjectType, "cannot inherit from temporary relation of another session")
		}
		return nil, pgerr.New(pgerr.WrongObjectType, "cannot create as partition of temporary relation of another session")
	}
	return rel, c.requireOwner(rel)
}

// columnMerge collects the columns of a new table from its parents.
type columnMerge struct {
	*ctx
	t    *tableDef
	list []*columnDef
	// conflicting are columns whose parents disagree about the default.
	conflicting map[*columnDef]bool
}

// mergeParents merges the parents' columns with each other, and then with the table's own.
func (c *ctx) mergeParents(t *tableDef) error {
	m := &columnMerge{ctx: c, t: t, conflicting: map[*columnDef]bool{}}
	for _, rel := range t.parents {
		if err := m.parent(rel); err != nil {
			return err
		}
	}
	inherited := len(m.list)
	if t.bound != nil {
		if err := m.mergePartitionColumns(t.columns); err != nil {
			return err
		}
		t.columns = nil
	}
	for i, d := range t.columns {
		if err := m.own(d, i, inherited); err != nil {
			return err
		}
	}
	for _, d := range m.list {
		if m.conflicting[d] && d.def == nil {
			if d.Generated != 0 {
				return pgerr.New(pgerr.InvalidColumnDefinition, "column \"%s\" inherits conflicting generation expressions", d.Name).
					WithHint("To resolve the conflict, specify a generation expression explicitly.")
			}
			return pgerr.New(pgerr.InvalidColumnDefinition, "column \"%s\" inherits conflicting default values", d.Name).
				WithHint("To resolve the conflict, specify a default explicitly.")
		}
	}
	t.columns = m.list
	return nil
}

func (m *columnMerge) find(name string) (int, *columnDef) {
	for i, d := range m.list {
		if d.Name == name {
			return i, d
		}
	}
	return -1, nil
}

// parent adds one parent's columns and constraints.
func (m *columnMerge) parent(rel *catalog.Relation) error {
	cols := make([]int16, len(rel.Desc.Attrs)) // the new table's attribute numbers
	var fresh []*columnDef
	for i := range rel.Desc.Attrs {
		a := &rel.Desc.Attrs[i]
		if a.Dropped {
			continue
		}
		at, d := m.find(a.Name)
		if d == nil {
			d = inheritedColumn(a)
			m.list = append(m.list, d)
			at = len(m.list) - 1
			fresh = append(fresh, d)
		} else if err := m.mergeInherited(d, a); err != nil {
			return err
		}
		cols[i] = int16(at + 1)
	}
	for i := range rel.Desc.Attrs {
		a := &rel.Desc.Attrs[i]
		e := rel.Defaults[a.Num]
		if a.Dropped || e == nil {
			continue
		}
		if err := m.inheritDefault(m.list[cols[i]-1], rel, e, cols, fresh); err != nil {
			return err
		}
	}
	return m.inheritChecks(rel, cols)
}

func inheritedColumn(a *types.Attr) *columnDef {
	d := &columnDef{Attr: *a, inherited: true}
	d.HasDefault, d.Identity, d.HasMissing, d.IsLocal, d.InhCount = false, 0, false, false, 1
	return d
}

func (m *columnMerge) mergeInherited(d *columnDef, a *types.Attr) error {
	m.notice(pgerr.SuccessfulCompletion, "merging multiple inherited definitions of column \"%s\"", a.Name)
	if err := m.sameColumn("inherited column", d, a); err != nil {
		return err
	}
	if d.Generated != a.Generated {
		return pgerr.New(pgerr.DatatypeMismatch, "inherited column \"%s\" has a generation conflict", a.Name)
	}
	d.NotNull = d.NotNull || a.NotNull
	d.InhCount++
	return nil
}

// sameColumn refuses two definitions of a column of which one can't stand for the other.
func (m *columnMerge) sameColumn(what string, d *columnDef, a *types.Attr) error {
	switch {
	case d.TypeOID != a.TypeOID || d.TypMod != a.TypMod:
		return pgerr.New(pgerr.DatatypeMismatch, "%s \"%s\" has a type conflict", what, a.Name).
			WithDetail("%s versus %s", types.FormatTypeMod(m.Backend.Env, d.TypeOID, d.TypMod), types.FormatTypeMod(m.Backend.Env, a.TypeOID, a.TypMod))
	case d.Collation != a.Collation:
		return pgerr.New(pgerr.CollationMismatch, "%s \"%s\" has a collation conflict", what, a.Name).
			WithDetail("\"%s\" versus \"%s\"", m.collationName(d.Collation), m.collationName(a.Collation))
	case d.Storage != a.Storage && what == "inherited column":
		return pgerr.New(pgerr.DatatypeMismatch, "%s \"%s\" has a storage parameter conflict", what, a.Name).
			WithDetail("%s versus %s", storageWord(d.Storage), storageWord(a.Storage))
	}
	return nil
}

func storageWord(b byte) string {
	return map[byte]string{'p': "PLAIN", 'e': "EXTERNAL", 'x': "EXTENDED", 'm': "MAIN"}[b]
}

func (c *ctx) collationName(oid OID) string {
	x, err := c.v.Collation(oid)
	if err != nil || x == nil {
		return ""
	}
	return x.Name
}

// inheritDefault takes a parent's default or generation expression over.
func (m *columnMerge) inheritDefault(d *columnDef, rel *catalog.Relation, e query.Expr, cols []int16, fresh []*columnDef) error {
	e, whole := mapColumnVars(e, cols)
	if whole {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot convert whole-row table reference").
			WithDetail("Generation expression for column \"%s\" contains a whole-row reference to table \"%s\".", d.Name, rel.Name)
	}
	switch {
	case d.cooked == nil && !m.conflicting[d]:
		d.cooked = e
	case !query.Equal(d.cooked, e):
		m.conflicting[d] = true
	}
	return nil
}

// mapColumnVars renumbers the columns of an expression over VarNo 1; whole: it reads the whole row, which has another type then.
func mapColumnVars(e query.Expr, cols []int16) (out query.Expr, whole bool) {
	out = query.Mutate(e, func(x query.Expr) (query.Expr, bool) {
		v, ok := x.(*query.Var)
		if !ok || v.AttNo < 0 || v.LevelsUp > 0 {
			return nil, false
		}
		if v.AttNo == 0 {
			whole = true
			return x, true
		}
		c := *v
		c.AttNo = cols[v.AttNo-1]
		c.SynAttNo = c.AttNo
		return &c, true
	})
	return out, whole
}

func (m *columnMerge) inheritChecks(rel *catalog.Relation, cols []int16) error {
	for _, k := range rel.Checks {
		if k.NoInherit {
			continue
		}
		e, whole := mapColumnVars(k.Expr, cols)
		if whole {
			return pgerr.New(pgerr.FeatureNotSupported, "cannot convert whole-row table reference").
				WithDetail("Constraint \"%s\" contains a whole-row reference to table \"%s\".", k.Name, rel.Name)
		}
		known := false
		for _, h := range m.t.inheritedChecks {
			if h.name != k.Name {
				continue
			}
			if !query.Equal(h.expr, e) {
				return pgerr.New(pgerr.DuplicateObject, "check constraint name \"%s\" appears multiple times but with different expressions", k.Name)
			}
			known = true
			h.count++
		}
		if !known {
			m.t.inheritedChecks = append(m.t.inheritedChecks, &inheritedCheck{k.Name, e, 1})
		}
	}
	return nil
}

// own adds a column of the table itself, or merges it with the inherited one of its name.
func (m *columnMerge) own(d *columnDef, at, inherited int) error {
	i, old := m.find(d.Name)
	if old == nil {
		m.list = append(m.list, d)
		return nil
	}
	if i == at {
		m.notice(pgerr.SuccessfulCompletion, "merging column \"%s\" with inherited definition", d.Name)
	} else {
		n := pgerr.New(pgerr.SuccessfulCompletion, "moving and merging column \"%s\" with inherited definition", d.Name).
			WithDetail("User-specified column moved to the position of the inherited column.")
		n.Severity = "NOTICE"
		m.send(n)
	}
	if err := m.sameColumn("column", old, &d.Attr); err != nil {
		return err
	}
	return m.override(old, d)
}

// override puts what the table's own definition of an inherited column says on the column.
func (m *columnMerge) override(old, d *columnDef) error {
	old.IsLocal = true
	old.NotNull = old.NotNull || d.NotNull
	if old.Generated != 0 {
		switch {
		case d.Generated != 0:
			return pgerr.New(pgerr.InvalidColumnDefinition, "child column \"%s\" specifies generation expression", d.Name).
				WithHint("Omit the generation expression in the definition of the child table column to inherit the generation expression from the parent table.")
		case d.def != nil:
			return pgerr.New(pgerr.InvalidColumnDefinition, "column \"%s\" inherits from generated column but specifies default", d.Name)
		case d.identity != nil:
			return pgerr.New(pgerr.InvalidColumnDefinition, "column \"%s\" inherits from generated column but specifies identity", d.Name)
		}
	}
	old.identity, old.serial, old.Identity = d.identity, d.serial, d.Identity
	old.constraints, old.nullable = d.constraints, d.nullable
	if d.def != nil || d.cooked != nil || d.serial != 0 {
		old.def, old.cooked, old.inherited = d.def, d.cooked, false
		old.Generated = d.Generated
	}
	return nil
}

// storeParents records whose child a new table is.
func (c *ctx) storeParents(child OID, t *tableDef) error {
	for i, p := range t.parents {
		if err := c.storeParent(child, p.OID, int32(i+1), t.bound != nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) storeParent(child, parent OID, seq int32, partition bool) error {
	row := catalog.NewRow(catalog.PgInheritsOID)
	row[catalog.InheritsInhrelid], row[catalog.InheritsInhparent] = types.Oid(child), types.Oid(parent)
	row[catalog.InheritsInhseqno], row[catalog.InheritsInhdetachpending] = types.Int4(seq), types.Bool(false)
	if err := c.v.Insert(catalog.PgInheritsOID, row); err != nil {
		return err
	}
	kind := byte(catalog.DepNormal)
	if partition {
		kind = catalog.DepAuto
	}
	if err := c.v.Depend(relObject(child, 0), kind, relObject(parent, 0)); err != nil {
		return err
	}
	return c.setHasSubclass(parent)
}

func (c *ctx) setHasSubclass(parent OID) error {
	rel, err := c.v.Relation(parent)
	if err != nil || rel == nil || rel.HasSubclass {
		return err
	}
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(parent)}, func(row types.Row) {
		row[catalog.ClassRelhassubclass] = types.Bool(true)
	})
}

// addInheritedChecks gives a new table its parents' CHECK constraints.
func (c *ctx) addInheritedChecks(rel *catalog.Relation, list []*inheritedCheck) error {
	for _, h := range list {
		k := &constraintRow{name: h.name, ns: rel.Namespace, kind: 'c', validated: true, rel: rel.OID, keys: exprColumns(h.expr), expr: h.expr,
			inhCount: h.count}
		if _, err := c.insertConstraint(k); err != nil {
			return err
		}
		if err := c.countChecks(rel.OID, 1); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) countChecks(rel OID, by int16) error {
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel)}, func(row types.Row) {
		row[catalog.ClassRelchecks] = types.Int2(row[catalog.ClassRelchecks].Int2() + by)
	})
}

// mergeCheck merges a new CHECK with a constraint of its name that the table has; false when there is none. local: the definition is the table's
// own, not one that comes down from a parent.
func (c *ctx) mergeCheck(rel *catalog.Relation, name string, e query.Expr, con *pg_query.Constraint, local bool) (bool, error) {
	var old *catalog.Constraint
	for _, k := range rel.Constraints() {
		if k.Name == name {
			old = k
		}
	}
	if old == nil {
		return false, nil
	}
	same := old.Type == 'c' && query.Equal(old.Expr, e)
	merge := !local || !old.IsLocal && !rel.IsPartition
	switch {
	case !same || !merge:
		return false, duplicateConstraint(name, rel.Name)
	case old.NoInherit:
		return false, pgerr.New(pgerr.InvalidObjectDefinition, "constraint \"%s\" conflicts with non-inherited constraint on relation \"%s\"", name, rel.Name)
	case old.InhCount > 0 && con.IsNoInherit:
		return false, pgerr.New(pgerr.InvalidObjectDefinition, "constraint \"%s\" conflicts with inherited constraint on relation \"%s\"", name, rel.Name)
	case !con.SkipValidation && !old.Validated:
		return false, pgerr.New(pgerr.InvalidObjectDefinition, "constraint \"%s\" conflicts with NOT VALID constraint on relation \"%s\"", name, rel.Name)
	}
	c.notice(pgerr.SuccessfulCompletion, "merging constraint \"%s\" with inherited definition", name)
	return true, c.changeConstraint(old.OID, func(row types.Row) {
		switch {
		case rel.IsPartition:
			row[catalog.ConstraintConinhcount], row[catalog.ConstraintConislocal] = types.Int4(1), types.Bool(false)
		case local:
			row[catalog.ConstraintConislocal] = types.Bool(true)
		default:
			row[catalog.ConstraintConinhcount] = types.Int4(row[catalog.ConstraintConinhcount].Int4() + 1)
		}
	})
}

func (c *ctx) changeConstraint(oid OID, fn func(row types.Row)) error {
	return c.v.Modify(catalog.PgConstraintOID, catalog.PgConstraintOidIndexOID, []types.Datum{types.Oid(oid)}, fn)
}

func (c *ctx) changeColumn(rel OID, num int16, fn func(row types.Row)) error {
	return c.v.Modify(catalog.PgAttributeOID, catalog.PgAttributeRelidAttnumIndexOID, []types.Datum{types.Oid(rel), types.Int2(num)}, fn)
}

// descendants lists a table and all below it, each once, locked: level by level, and how many parents of each are in the list.
func (c *ctx) descendants(oid OID, mode int) (list []OID, parents map[OID]int32, err error) {
	list, parents = []OID{oid}, map[OID]int32{oid: 0}
	for i := 0; i < len(list); i++ {
		kids, err := c.childrenOf(list[i], mode)
		if err != nil {
			return nil, nil, err
		}
		for _, k := range kids {
			if _, known := parents[k.OID]; !known {
				list = append(list, k.OID)
			}
			parents[k.OID]++
		}
	}
	return list, parents, nil
}

// childrenOf locks and reads a table's direct children.
func (c *ctx) childrenOf(oid OID, mode int) (out []*catalog.Relation, err error) {
	rel, err := c.v.Relation(oid)
	if err != nil || rel == nil || !rel.HasSubclass {
		return nil, err
	}
	for _, k := range rel.Children {
		child, err := c.Session.LockRelation(k, mode)
		if err != nil {
			return nil, err
		}
		if child != nil {
			out = append(out, child)
		}
	}
	return out, nil
}
