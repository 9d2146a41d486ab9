package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

func init() {
	register("ClusterStmt", cluster)
	register("ReindexStmt", reindexStmt)
}

// copyTable writes a table anew without its dead rows: in its order, or in that of an index. The rows are frozen: who has an older snapshot sees
// them as they are now (a divergence: PostgreSQL keeps the dead versions that somebody may see).
func (c *ctx) copyTable(rel *catalog.Relation, order *catalog.Index) error {
	if err := c.checkNotInUse(rel, "CLUSTER"); err != nil {
		return err
	}
	id, err := c.v.NewStorage(rel.Shared, rel.Persistence == 't')
	if err != nil {
		return err
	}
	w, err := c.newRowWriter(rel, id)
	if err != nil {
		return err
	}
	w.frozen = true
	if order != nil {
		err = c.eachRowBy(rel, order, w.add)
	} else {
		err = c.eachRow(rel, func(slot *heap.Slot) error { return w.add(slot.Row) })
	}
	if err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	if rel, err = c.setStorage(rel, id); err != nil {
		return err
	}
	if err := c.reindexAll(rel); err != nil {
		return err
	}
	return c.setSize(rel.OID, w.heap.NumBlocks(), float32(w.count))
}

// eachRowBy calls fn with all rows in the order of an index.
func (c *ctx) eachRowBy(rel *catalog.Relation, ix *catalog.Index, fn func(types.Row) error) error {
	h, err := c.v.OpenHeap(rel)
	if err != nil {
		return err
	}
	x, err := c.v.OpenIndex(c.Backend.Env, rel, ix)
	if err != nil {
		return err
	}
	s := c.heapSession()
	var snap heap.Snapshot
	s.Tx.TakeLatestSnapshot(&snap.Snapshot)
	defer s.Tx.ReleaseSnapshot(&snap.Snapshot)
	scan := x.NewScan(index.ScanOptions{Cancel: s.Cancel})
	defer scan.End()
	if err := scan.Rescan(nil); err != nil {
		return err
	}
	var slot heap.Slot
	slot.Init(h)
	defer slot.Clear()
	for {
		if err := c.Backend.Interrupted(); err != nil {
			return err
		}
		ok, err := scan.Next(index.Forward)
		if err != nil || !ok {
			return err
		}
		found, _, err := h.FetchHOT(s, scan.TID(), &snap, &slot)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := slot.DeformAll(); err != nil {
			return err
		}
		if err := fn(slot.Row); err != nil {
			return err
		}
	}
}

// cluster is CLUSTER: one table, or all that were clustered before.
func cluster(c *ctx, n *pg_query.ClusterStmt) (string, error) {
	const tag = "CLUSTER"
	if n.Relation != nil {
		rel, err := c.open(n.Relation, accessExclusive)
		if err != nil {
			return "", err
		}
		if err := c.requireOwner(rel); err != nil {
			return "", err
		}
		if rel.Kind == 'p' {
			return "", pgerr.NotSupported("CLUSTER of a partitioned table")
		}
		return tag, c.clusterTable(rel, n.Indexname)
	}
	if err := c.Session.RequireNoBlock("CLUSTER"); err != nil {
		return "", err
	}
	var tables []OID
	err := c.v.ScanAll(catalog.PgIndexOID, func(_ types.TID, row types.Row) (bool, error) {
		if row[catalog.IndexIndisclustered].Bool() {
			tables = append(tables, row[catalog.IndexIndrelid].Oid())
		}
		return true, nil
	})
	if err != nil {
		return "", err
	}
	for _, oid := range tables {
		if err := c.Session.CommitAndStart(); err != nil {
			return "", err
		}
		rel, err := c.Session.LockRelation(oid, accessExclusive)
		if err != nil {
			return "", err
		}
		if rel == nil {
			continue
		}
		if ok, err := c.v.IsOwner(c.v.User(), rel.Owner); err != nil || !ok {
			continue
		}
		if err := c.clusterTable(rel, ""); err != nil {
			return "", err
		}
	}
	return tag, nil
}

func (c *ctx) clusterTable(rel *catalog.Relation, indexName string) error {
	if err := requireNotSystem(rel); err != nil {
		return err
	}
	var order *catalog.Index
	for _, ix := range rel.Indexes {
		if indexName == "" && ix.Clustered || indexName != "" && ix.Name == indexName {
			order = ix
		}
	}
	nameTaken := false
	if order == nil && indexName != "" {
		_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(indexName), types.Oid(rel.Namespace))
		if err != nil {
			return err
		}
		nameTaken = row != nil
	}
	switch {
	case order == nil && indexName == "":
		return pgerr.New(pgerr.UndefinedObject, "there is no previously clustered index for table \"%s\"", rel.Name)
	case order == nil && nameTaken:
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is not an index for table \"%s\"", indexName, rel.Name)
	case order == nil:
		return pgerr.New(pgerr.UndefinedObject, "index \"%s\" for table \"%s\" does not exist", indexName, rel.Name)
	case order.Pred != nil:
		return pgerr.New(pgerr.FeatureNotSupported, "cannot cluster on partial index \"%s\"", order.Name)
	case order.AM != catalog.BTreeAM:
		return pgerr.New(pgerr.FeatureNotSupported, "cannot cluster on index \"%s\" because access method does not support clustering", order.Name)
	}
	for _, ix := range rel.Indexes {
		if on := ix == order; on != ix.Clustered {
			if err := c.markClustered(ix.OID, on); err != nil {
				return err
			}
		}
	}
	return c.copyTable(rel, order)
}

// reindexStmt is REINDEX of an index, a table, a schema or the database. CONCURRENTLY works as plain.
func reindexStmt(c *ctx, n *pg_query.ReindexStmt) (string, error) {
	const tag = "REINDEX"
	for _, x := range n.Params {
		if d := x.GetDefElem(); d.Defname == "concurrently" {
			if on, err := defBool(d); err != nil || on {
				if err := orError(err, c.Session.RequireNoBlock("REINDEX CONCURRENTLY")); err != nil {
					return "", err
				}
			}
		}
	}
	switch n.Kind {
	case pg_query.ReindexObjectType_REINDEX_OBJECT_INDEX:
		return tag, c.reindexOne(n.Relation)
	case pg_query.ReindexObjectType_REINDEX_OBJECT_TABLE:
		rel, err := c.open(n.Relation, share)
		if err != nil {
			return "", err
		}
		if rel.Kind == 'p' {
			return "", pgerr.NotSupported("REINDEX of a partitioned table")
		}
		if rel.Kind != 'r' && rel.Kind != 'm' {
			return "", pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a table or materialized view", rel.Name)
		}
		if err := c.requireOwner(rel); err != nil {
			return "", err
		}
		if len(rel.Indexes) == 0 {
			c.notice(pgerr.SuccessfulCompletion, "table \"%s\" has no indexes to reindex", rel.Name)
			return tag, nil
		}
		return tag, c.reindexLocked(rel)
	}
	return tag, c.reindexMany(n)
}

func (c *ctx) reindexOne(rv *pg_query.RangeVar) error {
	rel, err := c.open(rv, noLock)
	if err != nil {
		return err
	}
	if rel.Kind == 'I' {
		return pgerr.NotSupported("REINDEX of a partitioned index")
	}
	if rel.Kind != 'i' || rel.Index == nil {
		return pgerr.New(pgerr.WrongObjectType, "\"%s\" is not an index", rel.Name)
	}
	if err := c.requireOwner(rel); err != nil {
		return err
	}
	table, err := c.Session.LockRelation(rel.Index.TableOID, share)
	if err != nil {
		return err
	}
	if _, err := c.Session.LockRelation(rel.OID, accessExclusive); err != nil {
		return err
	}
	if table.OID < firstUserOID {
		return pgerr.NotSupported("REINDEX of system catalogs")
	}
	return c.reindex(table, rel.OID)
}

func (c *ctx) reindexLocked(rel *catalog.Relation) error {
	if rel.OID < firstUserOID {
		return pgerr.NotSupported("REINDEX of system catalogs")
	}
	for _, ix := range rel.Indexes {
		if _, err := c.Session.LockRelation(ix.OID, accessExclusive); err != nil {
			return err
		}
	}
	return c.reindexAll(rel)
}

// reindexMany is REINDEX SCHEMA, DATABASE and SYSTEM: a transaction a table.
func (c *ctx) reindexMany(n *pg_query.ReindexStmt) error {
	words := map[pg_query.ReindexObjectType]string{pg_query.ReindexObjectType_REINDEX_OBJECT_SCHEMA: "REINDEX SCHEMA",
		pg_query.ReindexObjectType_REINDEX_OBJECT_DATABASE: "REINDEX DATABASE", pg_query.ReindexObjectType_REINDEX_OBJECT_SYSTEM: "REINDEX SYSTEM"}
	if err := c.Session.RequireNoBlock(words[n.Kind]); err != nil {
		return err
	}
	if n.Kind == pg_query.ReindexObjectType_REINDEX_OBJECT_SYSTEM {
		return pgerr.NotSupported("REINDEX of system catalogs")
	}
	ns := OID(0)
	if n.Kind == pg_query.ReindexObjectType_REINDEX_OBJECT_SCHEMA {
		var err error
		if ns, err = c.schemaNamed(n.Name); err != nil {
			return err
		}
	}
	var tables []OID
	err := c.v.ScanAll(catalog.PgClassOID, func(_ types.TID, row types.Row) (bool, error) {
		k := row[catalog.ClassRelkind].Char()
		if (k == 'r' || k == 'm') && row[catalog.ClassOid].Oid() >= firstUserOID && (ns == 0 || row[catalog.ClassRelnamespace].Oid() == ns) {
			tables = append(tables, row[catalog.ClassOid].Oid())
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	for _, oid := range tables {
		if err := c.Session.CommitAndStart(); err != nil {
			return err
		}
		rel, err := c.Session.LockRelation(oid, share)
		if err != nil {
			return err
		}
		if rel == nil || len(rel.Indexes) == 0 {
			continue
		}
		if ok, err := c.v.IsOwner(c.v.User(), rel.Owner); err != nil || !ok {
			continue
		}
		if err := c.reindexLocked(rel); err != nil {
			return err
		}
	}
	return nil
}
