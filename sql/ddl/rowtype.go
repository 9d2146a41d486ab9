package ddl

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// newType are the columns of pg_type that makeType asks for.
type newType struct {
	oid                           OID
	name                          string
	ns, owner                     OID
	length                        int16
	byVal                         bool
	kind, category                byte
	preferred                     bool
	delim                         byte
	relid, subscript, elem, array OID
	input, output, receive, send  OID
	modIn, modOut, analyze        OID
	align, storage                byte
	notNull                       bool
	base                          OID
	typmod, ndims                 int32
	collation                     OID
	defaultBin, defaultText       types.Datum
	composite                     bool // made by CREATE TYPE AS: no table's row type
	shell                         bool
}

// Functions of all composite and array types.
const (
	recordIn, recordOut, recordRecv, recordSend = 2290, 2291, 2402, 2403
	arrayIn, arrayOut, arrayRecv, arraySend     = 750, 751, 2400, 2401
	arrayTypanalyze, arraySubscript             = 3816, 6179
)

// makeRowType makes a relation's row type, and the array type over it.
func (c *ctx) makeRowType(r *newRelation) (OID, error) {
	if err := c.checkTypeName(r.ns, r.name, true); err != nil {
		return 0, err
	}
	oid, err := c.v.GetNewOID(catalog.PgTypeOidIndexOID)
	if err != nil {
		return 0, err
	}
	array := OID(0)
	if r.rewrite == 0 {
		if array, err = c.v.GetNewOID(catalog.PgTypeOidIndexOID); err != nil {
			return 0, err
		}
	}
	t := &newType{oid: oid, name: r.name, ns: r.ns, owner: r.owner, length: -1, kind: 'c', category: 'C', delim: ',', relid: r.oid, array: array,
		input: recordIn, output: recordOut, receive: recordRecv, send: recordSend, align: 'd', storage: 'x', typmod: -1, composite: r.kind == 'c'}
	if err := c.insertType(t); err != nil {
		return 0, err
	}
	// A row type belongs to its relation; but a relation of kind 'c' belongs to its type.
	typ, rel := object(catalog.PgTypeOID, oid), relObject(r.oid, 0)
	if r.kind == 'c' {
		err = c.v.Depend(rel, catalog.DepInternal, typ)
	} else {
		err = c.v.Depend(typ, catalog.DepInternal, rel)
	}
	if err != nil || array == 0 {
		return oid, err
	}
	return oid, c.makeArrayType(t)
}

// makeArrayType makes the array type over t, at t.array.
func (c *ctx) makeArrayType(t *newType) error {
	name, err := c.arrayTypeName(t.ns, t.name)
	if err != nil {
		return err
	}
	align := byte('i')
	if t.align == 'd' {
		align = 'd'
	}
	a := &newType{oid: t.array, name: name, ns: t.ns, owner: t.owner, length: -1, kind: 'b', category: 'A', delim: t.delim, elem: t.oid,
		subscript: arraySubscript, input: arrayIn, output: arrayOut, receive: arrayRecv, send: arraySend, modIn: t.modIn, modOut: t.modOut,
		analyze: arrayTypanalyze, align: align, storage: 'x', typmod: -1, collation: t.collation}
	if err := c.insertType(a); err != nil {
		return err
	}
	return c.v.Depend(object(catalog.PgTypeOID, t.array), catalog.DepInternal, object(catalog.PgTypeOID, t.oid))
}

// arrayTypeName is the type's name with an underscore before it, or as many as it takes.
func (c *ctx) arrayTypeName(ns OID, name string) (string, error) {
	for n := "_" + name; ; n = "_" + n {
		n = clip(n, types.NameLen)
		_, row, err := c.v.Find(catalog.PgTypeTypnameNspIndexOID, types.Text(n), types.Oid(ns))
		if err != nil || row == nil {
			return n, err
		}
	}
}

// checkTypeName refuses a name that a type has. A generated array type makes room.
func (c *ctx) checkTypeName(ns OID, name string, ofRelation bool) error {
	_, row, err := c.v.Find(catalog.PgTypeTypnameNspIndexOID, types.Text(name), types.Oid(ns))
	if err != nil || row == nil {
		return err
	}
	if row[catalog.TypeTypelem].Oid() != 0 && row[catalog.TypeTypsubscript].Oid() == arraySubscript {
		elem, err := c.v.Type(row[catalog.TypeTypelem].Oid())
		if err != nil {
			return err
		}
		if elem != nil && elem.Array == row[catalog.TypeOid].Oid() {
			return c.moveArrayType(row[catalog.TypeOid].Oid(), ns, elem.Name)
		}
	}
	e := pgerr.New(pgerr.DuplicateObject, "type \"%s\" already exists", name)
	if ofRelation {
		return e.WithHint("A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.")
	}
	return e
}

// moveArrayType gives a generated array type another name.
func (c *ctx) moveArrayType(oid, ns OID, elemName string) error {
	name, err := c.arrayTypeName(ns, elemName)
	if err != nil {
		return err
	}
	if err := c.v.Modify(catalog.PgTypeOID, catalog.PgTypeOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		row[catalog.TypeTypname] = types.Text(name)
	}); err != nil {
		return err
	}
	return c.next()
}

// insertType makes the row of a type and what every type depends on.
func (c *ctx) insertType(t *newType) error {
	row := catalog.NewRow(catalog.PgTypeOID)
	set := func(col int, d types.Datum) { row[col] = d }
	set(catalog.TypeOid, types.Oid(t.oid))
	set(catalog.TypeTypname, types.Text(t.name))
	set(catalog.TypeTypnamespace, types.Oid(t.ns))
	set(catalog.TypeTypowner, types.Oid(t.owner))
	set(catalog.TypeTyplen, types.Int2(t.length))
	set(catalog.TypeTypbyval, types.Bool(t.byVal))
	set(catalog.TypeTyptype, types.Char(t.kind))
	set(catalog.TypeTypcategory, types.Char(t.category))
	set(catalog.TypeTypispreferred, types.Bool(t.preferred))
	set(catalog.TypeTypisdefined, types.Bool(!t.shell))
	set(catalog.TypeTypdelim, types.Char(t.delim))
	set(catalog.TypeTyprelid, types.Oid(t.relid))
	set(catalog.TypeTypsubscript, types.Oid(t.subscript))
	set(catalog.TypeTypelem, types.Oid(t.elem))
	set(catalog.TypeTyparray, types.Oid(t.array))
	set(catalog.TypeTypinput, types.Oid(t.input))
	set(catalog.TypeTypoutput, types.Oid(t.output))
	set(catalog.TypeTypreceive, types.Oid(t.receive))
	set(catalog.TypeTypsend, types.Oid(t.send))
	set(catalog.TypeTypmodin, types.Oid(t.modIn))
	set(catalog.TypeTypmodout, types.Oid(t.modOut))
	set(catalog.TypeTypanalyze, types.Oid(t.analyze))
	set(catalog.TypeTypalign, types.Char(t.align))
	set(catalog.TypeTypstorage, types.Char(t.storage))
	set(catalog.TypeTypnotnull, types.Bool(t.notNull))
	set(catalog.TypeTypbasetype, types.Oid(t.base))
	set(catalog.TypeTyptypmod, types.Int4(t.typmod))
	set(catalog.TypeTypndims, types.Int4(t.ndims))
	set(catalog.TypeTypcollation, types.Oid(t.collation))
	if t.defaultText != (types.Datum{}) {
		set(catalog.TypeTypdefault, t.defaultText)
	}
	if t.defaultBin != (types.Datum{}) {
		set(catalog.TypeTypdefaultbin, t.defaultBin)
	}
	if err := c.v.Insert(catalog.PgTypeOID, row); err != nil {
		return err
	}
	self := object(catalog.PgTypeOID, t.oid)
	if t.relid != 0 && !t.composite || t.elem != 0 && t.subscript == arraySubscript { // depends on what it belongs to
		return nil
	}
	if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgNamespaceOID, t.ns)); err != nil {
		return err
	}
	return c.v.DependOwner(self, t.owner)
}
