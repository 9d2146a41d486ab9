package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// addExclusion adds an EXCLUDE constraint with the index that finds conflicting rows. isNew: the table has no rows.
func (c *ctx) addExclusion(rel *catalog.Relation, con *pg_query.Constraint, isNew bool) error {
	if rel.Kind == 'p' {
		return pgerr.New(pgerr.FeatureNotSupported, "cannot create exclusion constraints on partitioned table \"%s\"", rel.Name)
	}
	d := &indexDef{name: con.Conname, constraint: true, deferrable: con.Deferrable, deferred: con.Initdeferred}
	if d.name != "" && hasConstraint(rel, d.name) {
		return duplicateConstraint(d.name, rel.Name)
	}
	amName := con.AccessMethod
	if amName == "" {
		amName = "btree"
	}
	var err error
	if d.am, err = c.indexAM(amName); err != nil {
		return err
	}
	known := btreeOptions
	if d.am == catalog.HashAM {
		known = hashOptions
	}
	if d.options, err = mergeOptions(nil, con.Options, known, false); err != nil {
		return err
	}
	if err := c.checkTablespace(con.Indexspace); err != nil {
		return err
	}
	n := &pg_query.IndexStmt{}
	for _, x := range con.Exclusions {
		n.IndexParams = append(n.IndexParams, x.GetList().Items[0])
	}
	for _, name := range con.Including {
		n.IndexIncludingParams = append(n.IndexIncludingParams, name)
	}
	if err := c.checkAMCaps(d, amName, n); err != nil {
		return err
	}
	for _, x := range con.Exclusions {
		if err := c.exclusionKey(rel, d, amName, x.GetList()); err != nil {
			return err
		}
	}
	d.numKeys = len(d.keys)
	for _, name := range strs(con.Including) {
		k, err := c.includedElem(rel, &pg_query.IndexElem{Name: name})
		if err != nil {
			return err
		}
		d.keys = append(d.keys, *k)
	}
	if con.WhereClause != nil {
		if d.pred, err = c.relationExpr(rel, con.WhereClause, analyze.ExprIndexPredicate); err != nil {
			return err
		}
		if bad, err := c.isMutable(d.pred); err != nil || bad {
			return orError(err, pgerr.New(pgerr.InvalidObjectDefinition, "functions in index predicate must be marked IMMUTABLE"))
		}
	}
	if _, err := c.indexName(rel, d, false); err != nil {
		return err
	}
	oid, err := c.makeIndex(rel, d)
	if err != nil || isNew {
		return err
	}
	return c.validateExclusion(rel, oid)
}

// exclusionKey makes one column with its operator: an item is (index element, operator name).
func (c *ctx) exclusionKey(rel *catalog.Relation, d *indexDef, amName string, item *pg_query.List) error {
	elem := item.Items[0].GetIndexElem()
	if elem.Name != "" && rel.AttrByName(elem.Name) == nil {
		return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" named in key does not exist", elem.Name)
	}
	k, err := c.indexElem(rel, d.am, amName, elem)
	if err != nil {
		return err
	}
	opc, err := c.v.OpClass(k.opclass)
	if err != nil {
		return err
	}
	op, err := c.exclusionOperator(strs(item.Items[1].GetList().Items), k.column.TypeOID, opc)
	if err != nil {
		return err
	}
	d.keys, d.exclOps = append(d.keys, *k), append(d.exclOps, op)
	return nil
}

// exclusionOperator finds an operator by name for two values of a type: it must be commutative and of the operator class's family.
func (c *ctx) exclusionOperator(names []string, typ OID, opc *catalog.OpClass) (OID, error) {
	schema, name := "", names[len(names)-1]
	if len(names) > 1 {
		schema = names[len(names)-2]
	}
	list, err := c.v.OperatorsByName(schema, name)
	if err != nil {
		return 0, err
	}
	var found *catalog.Operator
	for _, want := range []OID{typ, opc.InType} {
		for _, o := range list {
			if found == nil && o.Left == want && o.Right == want {
				found = o
			}
		}
	}
	text := strings.Join(names, ".")
	if found == nil {
		t := types.FormatType(c.Backend.Env, typ)
		return 0, pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s %s", t, text, t).
			WithHint("No operator matches the given name and argument types. You might need to add explicit type casts.")
	}
	sig := name + "(" + types.FormatType(c.Backend.Env, found.Left) + "," + types.FormatType(c.Backend.Env, found.Right) + ")"
	if found.Commutator != found.OID {
		return 0, pgerr.New(pgerr.WrongObjectType, "operator %s is not commutative", sig).
			WithDetail("Only commutative operators can be used in exclusion constraints.")
	}
	amops, err := c.v.AmOpsOf(found.OID)
	if err != nil {
		return 0, err
	}
	for _, a := range amops {
		if a.Family == opc.Family && a.Purpose != 'o' {
			return found.OID, nil
		}
	}
	return 0, pgerr.New(pgerr.WrongObjectType, "operator %s is not a member of operator family \"%s\"", sig, c.familyName(opc.Family)).
		WithDetail("The exclusion operator must be related to the index operator class for the constraint.")
}

func (c *ctx) familyName(oid OID) string {
	_, row, err := c.v.Find(catalog.PgOpfamilyOidIndexOID, types.Oid(oid))
	if err != nil || row == nil {
		return ""
	}
	return row[catalog.OpfamilyOpfname].Str()
}

// validateExclusion looks for rows that conflict already.
func (c *ctx) validateExclusion(rel *catalog.Relation, oid OID) error {
	rel, err := c.reload(rel.OID)
	if err != nil {
		return err
	}
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	ix := indexByOID(rel, oid)
	opened, err := c.v.OpenIndex(c.Backend.Env, rel, ix)
	if err != nil {
		return err
	}
	t := &executor.Table{Rel: rel, Heap: h, Indexes: []executor.TableIndex{{Cat: ix, Index: opened}}}
	return executor.CheckExclusion(c.Backend, t, oid, func(each func(tid types.TID, row types.Row) error) error {
		_, _, err := h.BuildScan(c.heapSession(), c.Backend.Interrupted, func(tid types.TID, slot *heap.Slot, isLive bool) error {
			if !isLive {
				return nil
			}
			if err := slot.DeformAll(); err != nil {
				return err
			}
			return each(tid, slot.Row)
		})
		return err
	})
}
