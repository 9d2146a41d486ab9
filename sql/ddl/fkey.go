package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// addForeignKey adds a FOREIGN KEY: the constraint, its triggers on both tables, and the check of the rows that there are.
func (c *ctx) addForeignKey(rel *catalog.Relation, con *pg_query.Constraint, isNew bool) error {
	pk, err := c.open(con.Pktable, shareRowExclusive)
	if err != nil {
		return err
	}
	if err := c.checkForeignTables(rel, pk); err != nil {
		return err
	}
	if rel.Kind == 'p' && con.SkipValidation && !isNew {
		return pgerr.New(pgerr.WrongObjectType, "cannot add NOT VALID foreign key on partitioned table \"%s\" referencing relation \"%s\"", rel.Name, pk.Name).
			WithDetail("This feature is not yet supported on partitioned tables.")
	}
	k := &constraintRow{ns: rel.Namespace, kind: 'f', deferrable: con.Deferrable, deferred: con.Initdeferred, rel: rel.OID, refRel: pk.OID,
		validated: !con.SkipValidation, noInherit: rel.Kind != 'p', match: matchType(con.FkMatchtype), updAction: action(con.FkUpdAction),
		delAction: action(con.FkDelAction)}
	if k.match == 'p' {
		return pgerr.New(pgerr.FeatureNotSupported, "MATCH PARTIAL not yet implemented").WithLocation(locationOf(con))
	}
	names := strs(con.FkAttrs)
	if k.keys, err = foreignColumns(rel, names); err != nil {
		return err
	}
	if k.index, err = referencedColumns(pk, con, k); err != nil {
		return err
	}
	if err := c.checkReferences(pk, k.refKeys); err != nil {
		return err
	}
	if err := generatedActions(rel, k); err != nil {
		return err
	}
	if k.delSetCols, err = deleteSetColumns(rel, con, k.keys); err != nil {
		return err
	}
	if len(k.keys) != len(k.refKeys) {
		return pgerr.New(pgerr.InvalidForeignKey, "number of referencing and referenced columns for foreign key disagree")
	}
	if k.name = con.Conname; k.name == "" {
		if k.name, err = c.freeConstraintName(rel.Name, joinedNames(names), "fkey", rel.Namespace, constraintNames(rel)); err != nil {
			return err
		}
	} else if hasConstraint(rel, k.name) {
		return duplicateConstraint(k.name, rel.Name)
	}
	if err := c.foreignOperators(rel, pk, k); err != nil {
		return err
	}
	return c.makeForeignKey(rel, pk, k, isNew || con.SkipValidation)
}

// makeForeignKey makes the constraint and its triggers, and checks the present rows unless told that there is nothing to check.
func (c *ctx) makeForeignKey(rel, pk *catalog.Relation, k *constraintRow, skipCheck bool) error {
	oid, err := c.insertConstraint(k)
	if err != nil {
		return err
	}
	if err := c.foreignTriggers(k, oid); err != nil {
		return err
	}
	if rel.Kind == 'p' {
		if err := c.next(); err != nil {
			return err
		}
		return c.foreignKeyBelow(rel, pk, k, oid, skipCheck)
	}
	if skipCheck {
		return nil
	}
	return c.validateForeignKeyNamed(rel, pk, oid)
}

// validateForeignKeyNamed checks the rows of a table against one of its foreign keys.
func (c *ctx) validateForeignKeyNamed(rel, pk *catalog.Relation, oid OID) (err error) {
	if rel, err = c.reload(rel.OID); err != nil {
		return err
	}
	for _, fk := range rel.FKs {
		if fk.OID == oid {
			return c.validateForeignKey(rel, pk, fk)
		}
	}
	return pgerr.Internal("foreign key %d is not one of \"%s\"", oid, rel.Name)
}

func matchType(s string) byte {
	if s == "" {
		return 's'
	}
	return s[0]
}

func action(s string) byte {
	if s == "" {
		return 'a'
	}
	return s[0]
}

// checkForeignTables checks the kinds and persistences of both sides.
func (c *ctx) checkForeignTables(rel, pk *catalog.Relation) error {
	if pk.Kind == 'p' {
		return pgerr.NotSupported("foreign keys to partitioned tables")
	}
	if pk.Kind != 'r' {
		return pgerr.New(pgerr.WrongObjectType, "referenced relation \"%s\" is not a table", pk.Name)
	}
	if err := requireNotSystem(pk); err != nil {
		return err
	}
	bad := func(what string) error {
		return pgerr.New(pgerr.InvalidTableDefinition, "constraints on %s tables may reference only %s tables", what, what)
	}
	switch rel.Persistence {
	case 'p':
		if pk.Persistence != 'p' {
			return bad("permanent")
		}
	case 'u':
		if pk.Persistence == 't' {
			return pgerr.New(pgerr.InvalidTableDefinition, "constraints on unlogged tables may reference only permanent or unlogged tables")
		}
	case 't':
		if pk.Persistence != 't' {
			return bad("temporary")
		}
	}
	return nil
}

// foreignColumns finds the referencing columns.
func foreignColumns(rel *catalog.Relation, names []string) (nums []int16, err error) {
	for _, name := range names {
		a := rel.AttrByName(name)
		if a == nil {
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" referenced in foreign key constraint does not exist", name)
		}
		nums = append(nums, a.Num)
	}
	return nums, nil
}

// referencedColumns finds the referenced columns (the primary key when none are named) and the unique index on them.
func referencedColumns(pk *catalog.Relation, con *pg_query.Constraint, k *constraintRow) (OID, error) {
	if len(con.PkAttrs) == 0 {
		ix := indexByOID(pk, pk.PKIndex)
		if ix == nil {
			return 0, pgerr.New(pgerr.UndefinedObject, "there is no primary key for referenced table \"%s\"", pk.Name)
		}
		if !ix.Immediate {
			return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot use a deferrable primary key for referenced table \"%s\"", pk.Name)
		}
		k.refKeys = ix.Keys[:ix.NumKeys]
		return ix.OID, nil
	}
	nums, err := foreignColumns(pk, strs(con.PkAttrs))
	if err != nil {
		return 0, err
	}
	k.refKeys = nums
	for i, n := range nums {
		for _, m := range nums[:i] {
			if n == m {
				return 0, pgerr.New(pgerr.InvalidForeignKey, "foreign key referenced-columns list must not contain duplicates")
			}
		}
	}
	deferrable := false
	for _, ix := range pk.Indexes {
		if !ix.Unique || !ix.Valid || ix.NumKeys != len(nums) || ix.Pred != nil || len(ix.Exprs) > 0 || !sameColumns(ix.Keys[:ix.NumKeys], nums) {
			continue
		}
		if ix.Immediate {
			return ix.OID, nil
		}
		deferrable = true
	}
	if deferrable {
		return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cannot use a deferrable unique constraint for referenced table \"%s\"", pk.Name)
	}
	return 0, pgerr.New(pgerr.InvalidForeignKey, "there is no unique constraint matching given keys for referenced table \"%s\"", pk.Name)
}

// sameColumns says whether two lists have the same members.
func sameColumns(a, b []int16) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found {
			return false
		}
	}
	return true
}

// checkReferences checks the REFERENCES privilege.
func (c *ctx) checkReferences(pk *catalog.Relation, nums []int16) error {
	for _, n := range append([]int16{0}, nums...) {
		ok, err := c.v.HasPrivilege(catalog.PgClassOID, pk.OID, n, c.v.User(), query.AclReferences)
		if err != nil {
			return err
		}
		if n == 0 && ok {
			return nil
		}
		if n != 0 && !ok {
			return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for table %s", pk.Name)
		}
	}
	return nil
}

// generatedActions refuses actions that would write generated columns.
func generatedActions(rel *catalog.Relation, k *constraintRow) error {
	for _, n := range k.keys {
		if rel.Desc.Attrs[n-1].Generated == 0 {
			continue
		}
		if strings.IndexByte("ndc", k.updAction) >= 0 {
			return pgerr.New(pgerr.SyntaxError, "invalid ON UPDATE action for foreign key constraint containing generated column")
		}
		if strings.IndexByte("nd", k.delAction) >= 0 {
			return pgerr.New(pgerr.SyntaxError, "invalid ON DELETE action for foreign key constraint containing generated column")
		}
	}
	return nil
}

// deleteSetColumns finds the columns of ON DELETE SET NULL (...).
func deleteSetColumns(rel *catalog.Relation, con *pg_query.Constraint, keys []int16) ([]int16, error) {
	nums, err := foreignColumns(rel, strs(con.FkDelSetCols))
	if err != nil {
		return nil, err
	}
	for _, n := range nums {
		found := false
		for _, k := range keys {
			found = found || k == n
		}
		if !found {
			return nil, pgerr.New(pgerr.InvalidColumnReference,
				"column \"%s\" referenced in ON DELETE SET action must be part of foreign key", rel.Desc.Attrs[n-1].Name)
		}
	}
	return nums, nil
}

// foreignOperators finds the equality operators of each pair of columns: PK = FK, PK = PK, FK = FK, from the index's operator family.
func (c *ctx) foreignOperators(rel, pk *catalog.Relation, k *constraintRow) error {
	ix := indexByOID(pk, k.index)
	for i, refNum := range k.refKeys {
		at := 0
		for j, key := range ix.Keys[:ix.NumKeys] {
			if key == refNum {
				at = j
			}
		}
		pkAttr, fkAttr := &pk.Desc.Attrs[refNum-1], &rel.Desc.Attrs[k.keys[i]-1]
		if err := c.columnOperators(ix, at, pkAttr, fkAttr, k); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) columnOperators(ix *catalog.Index, at int, pkAttr, fkAttr *types.Attr, k *constraintRow) error {
	const btreeEqual = 3
	family, in := ix.OpFamilies[at], ix.OpcInTypes[at]
	fkType, err := c.v.BaseType(fkAttr.TypeOID)
	if err != nil {
		return err
	}
	ppeq, err := c.v.AmOp(family, in, in, btreeEqual)
	if err != nil {
		return err
	}
	if ppeq == 0 {
		return pgerr.Internal("missing operator %d(%d,%d) in opfamily %d", btreeEqual, in, in, family)
	}
	pfeq, err := c.v.AmOp(family, in, fkType, btreeEqual)
	if err != nil {
		return err
	}
	ffeq := OID(0)
	if pfeq != 0 {
		if ffeq, err = c.v.AmOp(family, fkType, fkType, btreeEqual); err != nil {
			return err
		}
	}
	if pfeq == 0 || ffeq == 0 { // the columns are compared as values of the index's type
		ok, err := analyze.ImplicitlyCoercible(c.analyzeEnv(), []OID{pkAttr.TypeOID, fkAttr.TypeOID}, []OID{in, in})
		if err != nil {
			return err
		}
		if !ok {
			return c.incomparable(k, pkAttr, fkAttr)
		}
		pfeq, ffeq = ppeq, ppeq
	}
	k.pfeq, k.ppeq, k.ffeq = append(k.pfeq, pfeq), append(k.ppeq, ppeq), append(k.ffeq, ffeq)
	return nil
}

func (c *ctx) incomparable(k *constraintRow, pkAttr, fkAttr *types.Attr) error {
	return pgerr.New(pgerr.DatatypeMismatch, "foreign key constraint \"%s\" cannot be implemented", k.name).
		WithDetail("Key columns \"%s\" and \"%s\" are of incompatible types: %s and %s.", fkAttr.Name, pkAttr.Name,
			types.FormatType(c.Backend.Env, fkAttr.TypeOID), types.FormatType(c.Backend.Env, pkAttr.TypeOID))
}

// Functions of the triggers of foreign keys.
const (
	riCheckIns, riCheckUpd       OID = 1644, 1645
	riCascadeDel, riCascadeUpd   OID = 1646, 1647
	riRestrictDel, riRestrictUpd OID = 1648, 1649
	riSetNullDel, riSetNullUpd   OID = 1650, 1651
	riSetDefDel, riSetDefUpd     OID = 1652, 1653
	riNoActDel, riNoActUpd       OID = 1654, 1655
)

var riDelete = map[byte]OID{'a': riNoActDel, 'r': riRestrictDel, 'c': riCascadeDel, 'n': riSetNullDel, 'd': riSetDefDel}
var riUpdate = map[byte]OID{'a': riNoActUpd, 'r': riRestrictUpd, 'c': riCascadeUpd, 'n': riSetNullUpd, 'd': riSetDefUpd}

// Bits of pg_trigger.tgtype.
const (
	trigRow    = 1
	trigInsert = 4
	trigDelete = 8
	trigUpdate = 16
)

// foreignTriggers makes the four triggers of a foreign key: two on the referenced table, two on the referencing one.
func (c *ctx) foreignTriggers(k *constraintRow, con OID) error {
	deferrable := func(act byte) bool { return k.deferrable && act == 'a' }
	list := []triggerRow{
		{rel: k.refRel, name: "RI_ConstraintTrigger_a", fn: riDelete[k.delAction], kind: trigRow | trigDelete, constrRel: k.rel,
			deferrable: deferrable(k.delAction), deferred: k.deferred && deferrable(k.delAction)},
		{rel: k.refRel, name: "RI_ConstraintTrigger_a", fn: riUpdate[k.updAction], kind: trigRow | trigUpdate, constrRel: k.rel,
			deferrable: deferrable(k.updAction), deferred: k.deferred && deferrable(k.updAction)},
	}
	if err := c.insertTriggers(list, k, con); err != nil {
		return err
	}
	return c.checkTriggers(k, con)
}

// checkTriggers makes the two triggers on the referencing table.
func (c *ctx) checkTriggers(k *constraintRow, con OID) error {
	return c.insertTriggers([]triggerRow{
		{rel: k.rel, name: "RI_ConstraintTrigger_c", fn: riCheckIns, kind: trigRow | trigInsert, constrRel: k.refRel,
			deferrable: k.deferrable, deferred: k.deferred},
		{rel: k.rel, name: "RI_ConstraintTrigger_c", fn: riCheckUpd, kind: trigRow | trigUpdate, constrRel: k.refRel,
			deferrable: k.deferrable, deferred: k.deferred},
	}, k, con)
}

func (c *ctx) insertTriggers(list []triggerRow, k *constraintRow, con OID) error {
	for i := range list {
		list[i].constraint, list[i].constrIndex = con, k.index
		if _, err := c.insertTrigger(&list[i]); err != nil {
			return err
		}
	}
	return nil
}
