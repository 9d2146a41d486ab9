package ddl

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// addConstraint is ADD CONSTRAINT.
func (a *alteration) addConstraint(cmd *pg_query.AlterTableCmd) error {
	if err := a.onlyTables("ADD CONSTRAINT"); err != nil {
		return err
	}
	return a.addConstraintTree([]*pg_query.Constraint{cmd.Def.GetConstraint()})
}

// dropConstraint is DROP CONSTRAINT.
func (a *alteration) dropConstraint(cmd *pg_query.AlterTableCmd) error {
	for _, k := range a.rel.Constraints() {
		if k.Name != cmd.Name {
			continue
		}
		if k.Type == 'f' {
			if _, err := a.Session.LockRelation(k.RefRel, accessExclusive); err != nil {
				return err
			}
		}
		if k.InhCount > 0 {
			return pgerr.New(pgerr.InvalidTableDefinition, "cannot drop inherited constraint \"%s\" of relation \"%s\"", k.Name, a.rel.Name)
		}
		drop := []catalog.Object{object(catalog.PgConstraintOID, k.OID)}
		if err := a.dropConstraintBelow(k, &drop); err != nil {
			return err
		}
		return a.dropObjects(drop, cmd.Behavior)
	}
	if cmd.MissingOk {
		a.notice(pgerr.SuccessfulCompletion, "constraint \"%s\" of relation \"%s\" does not exist, skipping", cmd.Name, a.rel.Name)
		return nil
	}
	return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", cmd.Name, a.rel.Name)
}

// validateConstraint is VALIDATE CONSTRAINT.
func (a *alteration) validateConstraint(cmd *pg_query.AlterTableCmd) error {
	for _, k := range a.rel.Constraints() {
		if k.Name != cmd.Name {
			continue
		}
		switch k.Type {
		case 'c':
			if k.Validated {
				return nil
			}
			if err := a.validateCheckBelow(cmd, k); err != nil {
				return err
			}
			if a.rel.Kind == 'p' {
				break
			}
			if err := a.validateCheck(a.rel, k.Name, k.Expr); err != nil {
				return err
			}
		case 'f':
			if k.Validated {
				return nil
			}
			pk, err := a.Session.LockRelation(k.RefRel, int(shareRowExclusive))
			if err != nil {
				return err
			}
			if err := a.validateForeignKey(a.rel, pk, k); err != nil {
				return err
			}
		default:
			return pgerr.New(pgerr.WrongObjectType, "constraint \"%s\" of relation \"%s\" is not a foreign key or check constraint", cmd.Name, a.rel.Name)
		}
		return a.v.Modify(catalog.PgConstraintOID, catalog.PgConstraintOidIndexOID, []types.Datum{types.Oid(k.OID)}, func(row types.Row) {
			row[catalog.ConstraintConvalidated] = types.Bool(true)
		})
	}
	return pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" of relation \"%s\" does not exist", cmd.Name, a.rel.Name)
}

// constraintOfIndex is ADD PRIMARY KEY or UNIQUE USING INDEX.
func (c *ctx) constraintOfIndex(rel *catalog.Relation, con *pg_query.Constraint) error {
	var ix *catalog.Index
	for _, x := range rel.Indexes {
		if x.Name == con.Indexname {
			ix = x
		}
	}
	switch {
	case ix == nil:
		return pgerr.New(pgerr.UndefinedObject, "index \"%s\" does not exist", con.Indexname).WithLocation(locationOf(con))
	case ix.Constraint != 0:
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "index \"%s\" is already associated with a constraint", ix.Name).WithLocation(locationOf(con))
	case !ix.Unique:
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a unique index", ix.Name).
			WithDetail("Cannot create a primary key or unique constraint using such an index.").WithLocation(locationOf(con))
	case len(ix.Exprs) > 0:
		return pgerr.New(pgerr.WrongObjectType, "index \"%s\" contains expressions", ix.Name).
			WithDetail("Cannot create a primary key or unique constraint using such an index.").WithLocation(locationOf(con))
	case ix.Pred != nil:
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is a partial index", ix.Name).
			WithDetail("Cannot create a primary key or unique constraint using such an index.").WithLocation(locationOf(con))
	}
	name := con.Conname
	if name == "" {
		name = ix.Name
	} else if name != ix.Name {
		c.notice(pgerr.SuccessfulCompletion, "ALTER TABLE / ADD CONSTRAINT USING INDEX will rename index \"%s\" to \"%s\"", ix.Name, name)
		if err := c.renameRelation(ix.OID, name); err != nil {
			return err
		}
	}
	d := &indexDef{name: name, unique: true, constraint: true, primary: con.Contype == pg_query.ConstrType_CONSTR_PRIMARY,
		deferrable: con.Deferrable, deferred: con.Initdeferred, numKeys: ix.NumKeys}
	for _, k := range ix.Keys {
		d.keys = append(d.keys, indexKey{attr: k})
	}
	if d.primary {
		if _, err := c.primaryNotNull(rel, d, false); err != nil {
			return err
		}
	}
	if err := c.v.RemoveDepends(relObject(ix.OID, 0), catalog.DepAuto, catalog.PgClassOID); err != nil {
		return err
	}
	if err := c.indexConstraint(rel, d, ix.OID); err != nil {
		return err
	}
	return c.v.Modify(catalog.PgIndexOID, catalog.PgIndexIndexrelidIndexOID, []types.Datum{types.Oid(ix.OID)}, func(row types.Row) {
		row[catalog.IndexIndisprimary], row[catalog.IndexIndimmediate] = types.Bool(d.primary), types.Bool(!d.deferrable)
	})
}

// relOptions is SET and RESET of storage parameters.
func (a *alteration) relOptions(cmd *pg_query.AlterTableCmd) error {
	known := tableOptions
	switch a.rel.Kind {
	case 'v':
		known = viewOptions
	case 'i':
		known = btreeOptions
		if a.rel.AM == catalog.HashAM {
			known = hashOptions
		}
	case 'r', 'm':
	case 'p', 'I':
		known = map[string]storageOption{}
	default:
		return a.onlyTables("SET")
	}
	options, err := mergeOptions(a.rel.Options, cmd.Def.GetList().GetItems(), known, cmd.Subtype == pg_query.AlterTableType_AT_ResetRelOptions)
	if err != nil {
		return err
	}
	return a.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(a.rel.OID)}, func(row types.Row) {
		row[catalog.ClassReloptions] = types.Null
		if len(options) > 0 {
			row[catalog.ClassReloptions] = catalog.TextArray(options)
		}
	})
}

// clusterOn is CLUSTER ON and SET WITHOUT CLUSTER.
func (a *alteration) clusterOn(cmd *pg_query.AlterTableCmd) error {
	found := cmd.Subtype == pg_query.AlterTableType_AT_DropCluster
	for _, ix := range a.rel.Indexes {
		on := ix.Name == cmd.Name && cmd.Subtype == pg_query.AlterTableType_AT_ClusterOn
		found = found || on
		if on == ix.Clustered {
			continue
		}
		if err := a.markClustered(ix.OID, on); err != nil {
			return err
		}
	}
	if !found {
		return pgerr.New(pgerr.UndefinedObject, "index \"%s\" for table \"%s\" does not exist", cmd.Name, a.rel.Name)
	}
	return nil
}

func (c *ctx) markClustered(index OID, on bool) error {
	return c.v.Modify(catalog.PgIndexOID, catalog.PgIndexIndexrelidIndexOID, []types.Datum{types.Oid(index)}, func(row types.Row) {
		row[catalog.IndexIndisclustered] = types.Bool(on)
	})
}

// changeOwner gives a relation, with its indexes, sequences and row type, to another role.
func (c *ctx) changeOwner(rel *catalog.Relation, owner OID) error {
	if rel.Owner == owner {
		return nil
	}
	if !c.isSuperuser() {
		if err := c.requireMember(owner); err != nil {
			return err
		}
	}
	if err := c.setOwner(rel, owner); err != nil {
		return err
	}
	for _, ix := range rel.Indexes {
		if err := c.setClassOwner(ix.OID, owner); err != nil {
			return err
		}
	}
	seqs, err := c.ownedSequences(rel.OID, 0)
	if err != nil {
		return err
	}
	for _, oid := range seqs {
		seq, err := c.v.Relation(oid)
		if err != nil {
			return err
		}
		if err := c.setOwner(seq, owner); err != nil {
			return err
		}
	}
	if rel.RowType == 0 {
		return nil
	}
	return c.setTypeOwner(rel.RowType, owner)
}

func (c *ctx) setOwner(rel *catalog.Relation, owner OID) error {
	for _, a := range rel.Desc.Attrs {
		if err := c.setColumnGrantor(rel, a.Num, owner); err != nil {
			return err
		}
	}
	if err := c.setClassOwner(rel.OID, owner); err != nil {
		return err
	}
	return c.v.ChangeOwnerDepend(relObject(rel.OID, 0), owner)
}

func (c *ctx) setClassOwner(oid, owner OID) error {
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		old := row[catalog.ClassRelowner].Oid()
		row[catalog.ClassRelowner] = types.Oid(owner)
		if acl := catalog.ACL(row[catalog.ClassRelacl]); acl != nil {
			row[catalog.ClassRelacl] = catalog.ACLArray(aclNewOwner(acl, old, owner))
		}
	})
}

// setColumnGrantor puts the new owner in the old one's place in a column's privileges.
func (c *ctx) setColumnGrantor(rel *catalog.Relation, num int16, owner OID) error {
	tid, old, err := c.v.Find(catalog.PgAttributeRelidAttnumIndexOID, types.Oid(rel.OID), types.Int2(num))
	if err != nil || old == nil || old[catalog.AttributeAttacl].IsNull() {
		return err
	}
	row := slices.Clone(old)
	row[catalog.AttributeAttacl] = catalog.ACLArray(aclNewOwner(catalog.ACL(old[catalog.AttributeAttacl]), rel.Owner, owner))
	return c.v.Update(catalog.PgAttributeOID, tid, old, row)
}

// aclNewOwner replaces the owner in an ACL.
func aclNewOwner(acl []catalog.ACLItem, old, owner OID) []catalog.ACLItem {
	for i := range acl {
		if acl[i].Grantee == old {
			acl[i].Grantee = owner
		}
		if acl[i].Grantor == old {
			acl[i].Grantor = owner
		}
	}
	return acl
}

func (c *ctx) setTypeOwner(oid, owner OID) error {
	t, err := c.v.Type(oid)
	if err != nil {
		return err
	}
	for _, typ := range []OID{oid, t.Array} {
		if typ == 0 {
			continue
		}
		err := c.v.Modify(catalog.PgTypeOID, catalog.PgTypeOidIndexOID, []types.Datum{types.Oid(typ)}, func(row types.Row) {
			row[catalog.TypeTypowner] = types.Oid(owner)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
