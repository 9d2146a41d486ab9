package ddl

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
	"github.com/calfdb/calf/storage/pgstat"
)

func init() { register("TruncateStmt", truncate) }

// truncate is TRUNCATE: each table gets new storage.
func truncate(c *ctx, n *pg_query.TruncateStmt) (string, error) {
	var rels []*catalog.Relation
	have := map[OID]bool{}
	add := func(rel *catalog.Relation) error {
		if have[rel.OID] {
			return nil
		}
		if err := c.checkNotInUse(rel, "TRUNCATE"); err != nil {
			return err
		}
		have[rel.OID] = true
		rels = append(rels, rel)
		return nil
	}
	for _, x := range n.Relations {
		rel, err := c.openFor(x.GetRangeVar(), accessExclusive, c.mayTruncate)
		if err != nil {
			return "", err
		}
		if err := add(rel); err != nil {
			return "", err
		}
		if err := c.truncateBelow(rel, x.GetRangeVar().Inh, add); err != nil {
			return "", err
		}
	}
	if err := c.truncateReferences(&rels, have, add, n.Behavior == pg_query.DropBehavior_DROP_CASCADE); err != nil {
		return "", err
	}
	return "TRUNCATE TABLE", c.withTruncateTriggers(rels, func() error { return c.truncateAll(rels, n.RestartSeqs) })
}

// withTruncateTriggers empties tables between their BEFORE and AFTER TRUNCATE triggers.
func (c *ctx) withTruncateTriggers(rels []*catalog.Relation, empty func() error) error {
	var list []*executor.TruncateTriggers
	for _, rel := range rels {
		if !slices.ContainsFunc(rel.Triggers, func(t *catalog.Trigger) bool { return t.Type&executor.TriggerTruncate != 0 }) {
			continue
		}
		table, err := c.Backend.OpenTable(rel)
		if err != nil {
			return err
		}
		t, err := executor.NewTruncateTriggers(c.Backend, table)
		if err != nil {
			return err
		}
		if t != nil {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return empty()
	}
	c.Backend.After.Begin()
	err := func() error {
		for _, t := range list {
			if err := t.Before(); err != nil {
				return err
			}
		}
		if err := empty(); err != nil {
			return err
		}
		for _, t := range list {
			if err := t.After(); err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil {
		c.Backend.After.Drop()
		return err
	}
	return c.Backend.After.End()
}

func (c *ctx) truncateAll(rels []*catalog.Relation, restart bool) error {
	for _, rel := range rels {
		if rel.Kind == 'p' {
			continue
		}
		if err := c.truncateStorage(rel.OID); err != nil {
			return err
		}
		if restart {
			if err := c.restartSequences(rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// truncateBelow adds a table's descendants to those that are emptied. Who may empty the table may empty them.
func (c *ctx) truncateBelow(rel *catalog.Relation, recurse bool, add func(*catalog.Relation) error) error {
	if !recurse {
		if rel.Kind == 'p' {
			return pgerr.New(pgerr.WrongObjectType, "cannot truncate only a partitioned table").
				WithHint("Do not specify the ONLY keyword, or use TRUNCATE ONLY on the partitions directly.")
		}
		return nil
	}
	list, _, err := c.descendants(rel.OID, accessExclusive)
	if err != nil {
		return err
	}
	for _, oid := range list[1:] {
		child, err := c.v.Relation(oid)
		if err != nil {
			return err
		}
		if child.Persistence == 't' && child.Namespace != c.v.TempNamespace() {
			continue
		}
		if err := add(child); err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) mayTruncate(rel *catalog.Relation) error {
	if rel.Kind != 'r' && rel.Kind != 'p' {
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a table", rel.Name)
	}
	ok, err := c.v.HasPrivilege(catalog.PgClassOID, rel.OID, 0, c.v.User(), query.AclTruncate)
	if err != nil {
		return err
	}
	if !ok {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for table %s", rel.Name)
	}
	return requireNotSystem(rel)
}

// checkNotInUse refuses a relation that this session has an open cursor on, or triggers to fire for.
func (c *ctx) checkNotInUse(rel *catalog.Relation, command string) error {
	if c.Backend.After.PendingFor(rel.OID) {
		return pgerr.New(pgerr.ObjectInUse, "cannot %s \"%s\" because it has pending trigger events", command, rel.Name)
	}
	return nil
}

// truncateReferences deals with tables that refer to the ones to be emptied: they are emptied too, or the command is refused.
func (c *ctx) truncateReferences(rels *[]*catalog.Relation, have map[OID]bool, add func(*catalog.Relation) error, cascade bool) error {
	for i := 0; i < len(*rels); i++ {
		rel := (*rels)[i]
		for _, fk := range rel.RefBy {
			if have[fk.Rel] {
				continue
			}
			other, err := c.Session.LockRelation(fk.Rel, accessExclusive)
			if err != nil {
				return err
			}
			if other == nil {
				continue
			}
			if !cascade {
				return pgerr.New(pgerr.FeatureNotSupported, "cannot truncate a table referenced in a foreign key constraint").
					WithDetail("Table \"%s\" references \"%s\".", other.Name, rel.Name).
					WithHint("Truncate table \"%s\" at the same time, or use TRUNCATE ... CASCADE.", other.Name)
			}
			c.notice(pgerr.SuccessfulCompletion, "truncate cascades to table \"%s\"", other.Name)
			if err := c.mayTruncate(other); err != nil {
				return err
			}
			if err := add(other); err != nil {
				return err
			}
		}
	}
	return nil
}

// truncateStorage gives a table and its indexes new, empty storage.
func (c *ctx) truncateStorage(oid OID) error {
	rel, err := c.v.Relation(oid)
	if err != nil {
		return err
	}
	if rel == nil {
		return pgerr.Internal("cache lookup failed for relation %d", oid)
	}
	if _, err := c.newStorage(rel.OID, rel.Storage, rel.Persistence); err != nil {
		return err
	}
	c.heapSession().Stats.Table(pgstat.OID(oid), false).Truncate()
	for _, ix := range rel.Indexes {
		if _, err := c.newStorage(ix.OID, ix.Storage, rel.Persistence); err != nil {
			return err
		}
	}
	if rel, err = c.reload(oid); err != nil {
		return err
	}
	for _, ix := range rel.Indexes {
		if err := c.createEmptyIndex(rel, ix); err != nil {
			return err
		}
	}
	return nil
}

// newStorage replaces a relation's storage by an empty one; the old goes at commit.
func (c *ctx) newStorage(oid OID, old pagestore.RelID, persistence byte) (pagestore.RelID, error) {
	id, err := c.v.NewStorage(false, persistence == 't')
	if err != nil {
		return id, err
	}
	c.v.DropStorage(old, persistence == 't')
	return id, c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.ClassRelfilenode] = types.Oid(OID(id.Rel))
		row[catalog.ClassRelpages], row[catalog.ClassRelallvisible] = types.Int4(0), types.Int4(0)
		row[catalog.ClassReltuples] = types.Float4(-1)
		if row[catalog.ClassRelkind].Char() == 'i' {
			row[catalog.ClassReltuples] = types.Float4(0)
		} else {
			row[catalog.ClassRelfrozenxid] = types.FromRaw(c.frozenXID() & 0xffffffff)
		}
	})
}

func (c *ctx) createEmptyIndex(rel *catalog.Relation, ix *catalog.Index) error {
	am, def, err := c.v.IndexDef(c.Backend.Env, rel, ix)
	if err != nil {
		return err
	}
	if err := am.Create(def); err != nil {
		return fmt.Errorf("creating index %s: %w", ix.Name, err)
	}
	return nil
}

// restartSequences sets the sequences that the table's columns own back to their start.
func (c *ctx) restartSequences(rel *catalog.Relation) error {
	seqs, err := c.ownedSequences(rel.OID, 0)
	if err != nil {
		return err
	}
	for _, seq := range seqs {
		s, err := c.v.Relation(seq)
		if err != nil {
			return err
		}
		if s == nil || s.Sequence == nil {
			continue
		}
		if err := c.newSequenceState(s, s.Sequence.Start, false); err != nil {
			return err
		}
	}
	return c.next()
}

// ownedSequences lists the sequences that a column (0 = any) of a table owns.
func (c *ctx) ownedSequences(rel OID, column int16) (list []OID, err error) {
	err = c.v.Dependents(relObject(rel, column), func(o catalog.Object, refSub int32, kind byte) (bool, error) {
		if o.Class != catalog.PgClassOID || o.Sub != 0 || refSub == 0 || kind != catalog.DepAuto && kind != catalog.DepInternal {
			return true, nil
		}
		dep, err := c.v.Relation(o.OID)
		if err == nil && dep != nil && dep.Kind == 'S' {
			list = append(list, o.OID)
		}
		return true, err
	})
	return list, err
}
