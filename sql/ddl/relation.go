package ddl

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// newRelation describes a relation to be made.
type newRelation struct {
	name        string
	ns          OID
	owner       OID
	kind        byte
	persistence byte
	am          OID
	columns     []types.Attr
	options     []string
	ofType      OID
	checks      int
	// OIDs and storage that are chosen already, 0 = to be chosen.
	oid     OID
	storage pagestore.RelID
	// noType makes no row type (indexes, sequences).
	noType bool
	// rewrite is the relation that this one takes the place of for a moment.
	rewrite OID
}

// makeRelation makes a relation's rows in the catalogs and its storage, which is empty.
func (c *ctx) makeRelation(r *newRelation) (OID, error) {
	if err := c.checkRelationName(r); err != nil {
		return 0, err
	}
	var err error
	if r.oid == 0 {
		if r.oid, err = c.v.GetNewOID(catalog.PgClassOidIndexOID); err != nil {
			return 0, err
		}
	}
	if storedKind(r.kind) && r.storage == (pagestore.RelID{}) {
		if r.storage, err = c.v.NewStorage(false, r.persistence == 't'); err != nil {
			return 0, err
		}
	}
	rowType := OID(0)
	if !r.noType {
		if rowType, err = c.makeRowType(r); err != nil {
			return 0, err
		}
	}
	if err := c.v.Insert(catalog.PgClassOID, classRow(r, rowType, c.frozenXID())); err != nil {
		return 0, err
	}
	if err := c.insertColumns(r); err != nil {
		return 0, err
	}
	self := relObject(r.oid, 0)
	if r.kind != 'i' && r.kind != 'I' && r.kind != 'c' {
		if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgNamespaceOID, r.ns), object(catalog.PgTypeOID, r.ofType)); err != nil {
			return 0, err
		}
		if err := c.v.DependOwner(self, r.owner); err != nil {
			return 0, err
		}
	}
	return r.oid, nil
}

// storedKind says whether relations of a kind have pages of their own that DDL makes. A sequence's storage names its state's key.
func storedKind(kind byte) bool {
	switch kind {
	case 'r', 'm', 'i', 'S':
		return true
	}
	return false
}

// frozenXID is the oldest transaction id that a relation made now can have.
func (c *ctx) frozenXID() uint64 { return uint64(c.heapSession().Tx.Manager().Horizon()) }

func (c *ctx) checkRelationName(r *newRelation) error {
	if r.oid != 0 && r.rewrite != 0 {
		return nil
	}
	_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(r.name), types.Oid(r.ns))
	if err != nil {
		return err
	}
	if row != nil {
		return pgerr.New(pgerr.DuplicateTable, "relation \"%s\" already exists", r.name)
	}
	return nil
}

func classRow(r *newRelation, rowType OID, frozen uint64) types.Row {
	row := catalog.NewRow(catalog.PgClassOID)
	zero := []int{catalog.ClassReltablespace, catalog.ClassReltoastrelid, catalog.ClassRelpages, catalog.ClassRelallvisible}
	for _, i := range zero {
		row[i] = types.Oid(0)
	}
	no := []int{catalog.ClassRelhasindex, catalog.ClassRelisshared, catalog.ClassRelhasrules, catalog.ClassRelhastriggers,
		catalog.ClassRelhassubclass, catalog.ClassRelrowsecurity, catalog.ClassRelforcerowsecurity, catalog.ClassRelispartition}
	for _, i := range no {
		row[i] = types.Bool(false)
	}
	row[catalog.ClassOid] = types.Oid(r.oid)
	row[catalog.ClassRelname] = types.Text(r.name)
	row[catalog.ClassRelnamespace] = types.Oid(r.ns)
	row[catalog.ClassReltype] = types.Oid(rowType)
	row[catalog.ClassReloftype] = types.Oid(r.ofType)
	row[catalog.ClassRelowner] = types.Oid(r.owner)
	row[catalog.ClassRelam] = types.Oid(r.am)
	row[catalog.ClassRelfilenode] = types.Oid(OID(r.storage.Rel))
	row[catalog.ClassReltuples] = types.Float4(-1)
	if r.kind == 'S' {
		row[catalog.ClassRelpages], row[catalog.ClassReltuples] = types.Int4(1), types.Float4(1)
	}
	if r.kind == 'i' {
		row[catalog.ClassReltuples] = types.Float4(0)
	}
	row[catalog.ClassRelpersistence] = types.Char(r.persistence)
	row[catalog.ClassRelkind] = types.Char(r.kind)
	row[catalog.ClassRelnatts] = types.Int2(int16(len(r.columns)))
	row[catalog.ClassRelchecks] = types.Int2(int16(r.checks))
	row[catalog.ClassRelispopulated] = types.Bool(true)
	row[catalog.ClassRelreplident] = types.Char('n')
	if r.kind == 'r' || r.kind == 'm' || r.kind == 'p' {
		row[catalog.ClassRelreplident] = types.Char('d')
	}
	row[catalog.ClassRelrewrite] = types.Oid(r.rewrite)
	row[catalog.ClassRelfrozenxid], row[catalog.ClassRelminmxid] = types.FromRaw(0), types.FromRaw(0)
	if r.kind == 'r' || r.kind == 'm' || r.kind == 't' {
		row[catalog.ClassRelfrozenxid], row[catalog.ClassRelminmxid] = types.FromRaw(frozen&0xffffffff), types.FromRaw(1)
	}
	if len(r.options) > 0 {
		row[catalog.ClassReloptions] = catalog.TextArray(r.options)
	}
	return row
}

// systemColumns are the columns that tables have besides their own.
var systemColumns = []types.Attr{
	{Name: "tableoid", TypeOID: types.OidOID, Num: -6, Len: 4, ByVal: true, Align: 'i'},
	{Name: "cmax", TypeOID: types.CidOID, Num: -5, Len: 4, ByVal: true, Align: 'i'},
	{Name: "xmax", TypeOID: types.XidOID, Num: -4, Len: 4, ByVal: true, Align: 'i'},
	{Name: "cmin", TypeOID: types.CidOID, Num: -3, Len: 4, ByVal: true, Align: 'i'},
	{Name: "xmin", TypeOID: types.XidOID, Num: -2, Len: 4, ByVal: true, Align: 'i'},
	{Name: "ctid", TypeOID: types.TidOID, Num: -1, Len: 6, Align: 's'},
}

// insertColumns makes the rows of pg_attribute and what the columns depend on.
func (c *ctx) insertColumns(r *newRelation) error {
	for i := range r.columns {
		if err := c.insertColumn(r.oid, &r.columns[i], r.kind != 'i' && r.kind != 'I'); err != nil {
			return err
		}
	}
	if r.kind == 'v' || r.kind == 'c' || r.kind == 'i' || r.kind == 'I' {
		return nil
	}
	for i := range systemColumns {
		a := systemColumns[i]
		a.TypMod, a.NotNull, a.Storage, a.IsLocal = -1, true, 'p', true
		if err := c.v.Insert(catalog.PgAttributeOID, attributeRow(r.oid, &a)); err != nil {
			return err
		}
	}
	return nil
}

// insertColumn makes the row of one column, and with depends what it depends on.
func (c *ctx) insertColumn(rel OID, a *types.Attr, depends bool) error {
	if err := c.v.Insert(catalog.PgAttributeOID, attributeRow(rel, a)); err != nil || !depends || a.Dropped {
		return err
	}
	refs := []catalog.Object{object(catalog.PgTypeOID, a.TypeOID)}
	if a.Collation != catalog.DefaultCollation {
		refs = append(refs, object(catalog.PgCollationOID, a.Collation))
	}
	return c.v.Depend(relObject(rel, a.Num), catalog.DepNormal, refs...)
}

func attributeRow(rel OID, a *types.Attr) types.Row {
	row := catalog.NewRow(catalog.PgAttributeOID)
	row[catalog.AttributeAttrelid] = types.Oid(rel)
	row[catalog.AttributeAttname] = types.Text(a.Name)
	row[catalog.AttributeAtttypid] = types.Oid(a.TypeOID)
	row[catalog.AttributeAttstattarget] = types.Int4(-1)
	if a.Num < 0 {
		row[catalog.AttributeAttstattarget] = types.Int4(0)
	}
	row[catalog.AttributeAttlen] = types.Int2(a.Len)
	row[catalog.AttributeAttnum] = types.Int2(a.Num)
	row[catalog.AttributeAttndims] = types.Int4(int32(a.NDims))
	row[catalog.AttributeAttcacheoff] = types.Int4(-1)
	row[catalog.AttributeAtttypmod] = types.Int4(a.TypMod)
	row[catalog.AttributeAttbyval] = types.Bool(a.ByVal)
	row[catalog.AttributeAttalign] = types.Char(a.Align)
	row[catalog.AttributeAttstorage] = types.Char(a.Storage)
	row[catalog.AttributeAttcompression] = types.Char(a.Compression)
	row[catalog.AttributeAttnotnull] = types.Bool(a.NotNull)
	row[catalog.AttributeAtthasdef] = types.Bool(a.HasDefault)
	row[catalog.AttributeAtthasmissing] = types.Bool(a.HasMissing)
	row[catalog.AttributeAttidentity] = types.Char(a.Identity)
	row[catalog.AttributeAttgenerated] = types.Char(a.Generated)
	row[catalog.AttributeAttisdropped] = types.Bool(a.Dropped)
	row[catalog.AttributeAttislocal] = types.Bool(a.IsLocal)
	row[catalog.AttributeAttinhcount] = types.Int4(a.InhCount)
	row[catalog.AttributeAttcollation] = types.Oid(a.Collation)
	if a.HasMissing {
		row[catalog.AttributeAttmissingval] = catalog.AnyArray(a, a.Missing)
	}
	return row
}
