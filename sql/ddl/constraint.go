package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// constraintRow are the columns of pg_constraint that insertConstraint asks for.
type constraintRow struct {
	name                            string
	ns                              OID
	kind                            byte
	deferrable, deferred, validated bool
	noInherit                       bool
	rel, domain, index, refRel      OID
	keys, refKeys, delSetCols       []int16
	updAction, delAction, match     byte
	pfeq, ppeq, ffeq, excl          []OID
	expr                            query.Expr
	inhCount                        int32 // > 0: it comes from parents and is not the table's own
	parent                          OID   // constraint of the partitioned table
}

// insertConstraint makes a constraint's row and what constraints of its kind depend on.
func (c *ctx) insertConstraint(k *constraintRow) (OID, error) {
	oid, err := c.v.GetNewOID(catalog.PgConstraintOidIndexOID)
	if err != nil {
		return 0, err
	}
	row := catalog.NewRow(catalog.PgConstraintOID)
	char := func(b byte) types.Datum {
		if b == 0 {
			b = ' '
		}
		return types.Char(b)
	}
	row[catalog.ConstraintOid] = types.Oid(oid)
	row[catalog.ConstraintConname] = types.Text(k.name)
	row[catalog.ConstraintConnamespace] = types.Oid(k.ns)
	row[catalog.ConstraintContype] = types.Char(k.kind)
	row[catalog.ConstraintCondeferrable] = types.Bool(k.deferrable)
	row[catalog.ConstraintCondeferred] = types.Bool(k.deferred)
	row[catalog.ConstraintConvalidated] = types.Bool(k.validated)
	row[catalog.ConstraintConrelid] = types.Oid(k.rel)
	row[catalog.ConstraintContypid] = types.Oid(k.domain)
	row[catalog.ConstraintConindid] = types.Oid(k.index)
	row[catalog.ConstraintConparentid] = types.Oid(k.parent)
	row[catalog.ConstraintConfrelid] = types.Oid(k.refRel)
	row[catalog.ConstraintConfupdtype] = char(k.updAction)
	row[catalog.ConstraintConfdeltype] = char(k.delAction)
	row[catalog.ConstraintConfmatchtype] = char(k.match)
	row[catalog.ConstraintConislocal] = types.Bool(k.inhCount == 0)
	row[catalog.ConstraintConinhcount] = types.Int4(k.inhCount)
	row[catalog.ConstraintConnoinherit] = types.Bool(k.noInherit)
	row[catalog.ConstraintConkey] = catalog.Int2Array(k.keys)
	row[catalog.ConstraintConfkey] = catalog.Int2Array(k.refKeys)
	row[catalog.ConstraintConpfeqop] = catalog.OIDArray(k.pfeq)
	row[catalog.ConstraintConppeqop] = catalog.OIDArray(k.ppeq)
	row[catalog.ConstraintConffeqop] = catalog.OIDArray(k.ffeq)
	row[catalog.ConstraintConexclop] = catalog.OIDArray(k.excl)
	row[catalog.ConstraintConfdelsetcols] = catalog.Int2Array(k.delSetCols)
	if k.expr != nil {
		row[catalog.ConstraintConbin] = types.Text(query.Encode(k.expr))
	}
	if err := c.v.Insert(catalog.PgConstraintOID, row); err != nil {
		return 0, err
	}
	return oid, c.constraintDepends(oid, k)
}

// constraintDepends records what a constraint goes with.
func (c *ctx) constraintDepends(oid OID, k *constraintRow) error {
	self := object(catalog.PgConstraintOID, oid)
	if k.rel != 0 {
		refs := []catalog.Object{}
		for _, n := range k.keys {
			refs = append(refs, relObject(k.rel, n))
		}
		if len(refs) == 0 {
			refs = append(refs, relObject(k.rel, 0))
		}
		if err := c.v.Depend(self, catalog.DepAuto, refs...); err != nil {
			return err
		}
	}
	if k.domain != 0 {
		if err := c.v.Depend(self, catalog.DepAuto, object(catalog.PgTypeOID, k.domain)); err != nil {
			return err
		}
	}
	if k.refRel != 0 {
		refs := []catalog.Object{}
		for _, n := range k.refKeys {
			refs = append(refs, relObject(k.refRel, n))
		}
		refs = append(refs, relObject(k.index, 0))
		if err := c.v.Depend(self, catalog.DepNormal, refs...); err != nil {
			return err
		}
	}
	if k.expr != nil {
		return c.v.DependOnExpr(self, catalog.DepNormal, k.expr, k.rel, catalog.DepNormal)
	}
	return nil
}

// addConstraints adds constraints to a table: CHECKs, then indexes (the primary key first), then foreign keys. isNew: the table has no rows; only: its
// partitions don't get the indexes.
func (c *ctx) addConstraints(rel *catalog.Relation, list []*pg_query.Constraint, isNew, only bool) (*catalog.Relation, error) {
	var err error
	pick := func(want func(pg_query.ConstrType) bool, add func(*pg_query.Constraint) error) {
		for _, con := range list {
			if err != nil || !want(con.Contype) {
				continue
			}
			if err = add(con); err == nil {
				rel, err = c.reload(rel.OID)
			}
		}
	}
	is := func(t pg_query.ConstrType) func(pg_query.ConstrType) bool {
		return func(x pg_query.ConstrType) bool { return x == t }
	}
	if err = checkPrimaryKeys(rel, list); err != nil {
		return nil, err
	}
	pick(is(pg_query.ConstrType_CONSTR_CHECK), func(con *pg_query.Constraint) error {
		_, _, err := c.addCheckNamed(rel, con, isNew, true)
		return err
	})
	pick(is(pg_query.ConstrType_CONSTR_PRIMARY), func(con *pg_query.Constraint) error { return c.addUnique(rel, con, isNew, only) })
	pick(is(pg_query.ConstrType_CONSTR_UNIQUE), func(con *pg_query.Constraint) error { return c.addUnique(rel, con, isNew, only) })
	pick(is(pg_query.ConstrType_CONSTR_EXCLUSION), func(con *pg_query.Constraint) error { return c.addExclusion(rel, con, isNew) })
	pick(is(pg_query.ConstrType_CONSTR_FOREIGN), func(con *pg_query.Constraint) error { return c.addForeignKey(rel, con, isNew) })
	return rel, err
}

// checkPrimaryKeys refuses a second one.
func checkPrimaryKeys(rel *catalog.Relation, list []*pg_query.Constraint) error {
	have := rel.PKIndex != 0
	for _, con := range list {
		if con.Contype != pg_query.ConstrType_CONSTR_PRIMARY {
			continue
		}
		if have {
			return pgerr.New(pgerr.InvalidTableDefinition, "multiple primary keys for table \"%s\" are not allowed", rel.Name).WithLocation(locationOf(con))
		}
		have = true
	}
	return nil
}

func locationOf(con *pg_query.Constraint) int {
	if con.Location == 0 {
		return -1
	}
	return int(con.Location)
}

// addCheckNamed adds a CHECK constraint, and tries it on the rows that there are. It gives the constraint's name, and whether it became one with a
// constraint that the table had. local: the definition is the table's own, not one that comes down from a parent.
func (c *ctx) addCheckNamed(rel *catalog.Relation, con *pg_query.Constraint, isNew, local bool) (name string, merged bool, err error) {
	e, err := c.relationExpr(rel, con.RawExpr, analyze.ExprCheck)
	if err != nil {
		return "", false, err
	}
	keys := exprColumns(e)
	name = con.Conname
	if name == "" {
		column := ""
		if len(keys) == 1 {
			column = rel.Desc.Attrs[keys[0]-1].Name
		}
		if name, err = c.freeConstraintName(rel.Name, column, "check", rel.Namespace, constraintNames(rel)); err != nil {
			return "", false, err
		}
	} else if merged, err := c.mergeCheck(rel, name, e, con, local); merged || err != nil {
		return name, merged, err
	}
	k := &constraintRow{name: name, ns: rel.Namespace, kind: 'c', validated: !con.SkipValidation, noInherit: con.IsNoInherit, rel: rel.OID,
		keys: keys, expr: e}
	if !local {
		k.inhCount = 1
	}
	if _, err := c.insertConstraint(k); err != nil {
		return "", false, err
	}
	err = c.countChecks(rel.OID, 1)
	if err != nil || isNew || con.SkipValidation || rel.Kind == 'p' {
		return name, false, err
	}
	return name, false, c.validateCheck(rel, name, e)
}

// exprColumns are the columns that an expression uses, ascending.
func exprColumns(e query.Expr) []int16 {
	var set heap.AttrSet
	query.Walk(e, func(e query.Expr) bool {
		if v, ok := e.(*query.Var); ok && v.AttNo > 0 {
			set.Add(v.AttNo)
		}
		return true
	})
	var list []int16
	set.Each(func(n int16) bool { list = append(list, n); return true })
	return list
}

func constraintNames(rel *catalog.Relation) []string {
	var names []string
	for _, k := range rel.Constraints() {
		names = append(names, k.Name)
	}
	return names
}

func hasConstraint(rel *catalog.Relation, name string) bool {
	for _, k := range rel.Constraints() {
		if k.Name == name {
			return true
		}
	}
	return false
}

func duplicateConstraint(name, table string) error {
	return pgerr.New(pgerr.DuplicateObject, "constraint \"%s\" for relation \"%s\" already exists", name, table)
}

// validateCheck tries a CHECK on all rows.
func (c *ctx) validateCheck(rel *catalog.Relation, name string, e query.Expr) error {
	eval, err := c.compile(e)
	if err != nil {
		return err
	}
	x := c.evalContext()
	return c.eachRow(rel, func(slot *heap.Slot) error {
		x.Scan = slot.Row
		x.Arena.Reset()
		d, err := eval(x)
		if err != nil {
			return err
		}
		if !d.IsNull() && !d.Bool() {
			return pgerr.New(pgerr.CheckViolation, "check constraint \"%s\" of relation \"%s\" is violated by some row", name, rel.Name).
				WithTable(c.schemaName(rel.Namespace), rel.Name).WithConstraint(name)
		}
		return nil
	})
}

// eachRow calls fn with all rows of a table that a fresh snapshot sees, all columns taken out.
func (c *ctx) eachRow(rel *catalog.Relation, fn func(slot *heap.Slot) error) error {
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	s := c.heapSession()
	var snap heap.Snapshot
	s.Tx.TakeLatestSnapshot(&snap.Snapshot)
	defer s.Tx.ReleaseSnapshot(&snap.Snapshot)
	scan := h.BeginScan(s, &snap, heap.ScanOpts{})
	defer scan.End()
	var slot heap.Slot
	slot.Init(h)
	defer slot.Clear()
	for {
		if err := c.Backend.Interrupted(); err != nil {
			return err
		}
		ok, err := scan.Next(&slot)
		if err != nil || !ok {
			return err
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
		if err := fn(&slot); err != nil {
			return err
		}
	}
}

// validateNotNull looks for nulls in columns that are to be NOT NULL.
func (c *ctx) validateNotNull(rel *catalog.Relation, nums []int16) error {
	return c.eachRow(rel, func(slot *heap.Slot) error {
		for _, n := range nums {
			if slot.Row[n-1].IsNull() {
				name := rel.Desc.Attrs[n-1].Name
				return pgerr.New(pgerr.NotNullViolation, "column \"%s\" of relation \"%s\" contains null values", name, rel.Name).
					WithTable(c.schemaName(rel.Namespace), rel.Name).WithColumn(name)
			}
		}
		return nil
	})
}
