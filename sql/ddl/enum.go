package ddl

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateEnumStmt", createEnum)
	register("AlterEnumStmt", alterEnum)
}

// Functions of all enum types.
const enumIn, enumOut, enumRecv, enumSend = 3506, 3507, 3532, 3533

// createEnum is CREATE TYPE AS ENUM.
func createEnum(c *ctx, n *pg_query.CreateEnumStmt) (string, error) {
	ns, name, err := c.creationName(n.TypeName)
	if err != nil {
		return "", err
	}
	if err := c.checkTypeName(ns, name, false); err != nil {
		return "", err
	}
	t := &newType{name: name, ns: ns, owner: c.v.User(), length: 4, byVal: true, kind: 'e', category: 'E', delim: ',', input: enumIn, output: enumOut,
		receive: enumRecv, send: enumSend, align: 'i', storage: 'p', typmod: -1}
	if err := c.storeType(t); err != nil {
		return "", err
	}
	return "CREATE TYPE", c.insertLabels(t.oid, strs(n.Vals))
}

// storeType makes a type under new OIDs, and the array type over it.
func (c *ctx) storeType(t *newType) (err error) {
	if t.oid == 0 {
		if t.oid, err = c.v.GetNewOID(catalog.PgTypeOidIndexOID); err != nil {
			return err
		}
	}
	if t.array, err = c.v.GetNewOID(catalog.PgTypeOidIndexOID); err != nil {
		return err
	}
	if err := c.insertType(t); err != nil {
		return err
	}
	return c.makeArrayType(t)
}

// insertLabels makes an enum's labels. Their OIDs are even and ascend, which lets comparisons do without a look-up.
func (c *ctx) insertLabels(typ OID, labels []string) error {
	oids := make([]OID, len(labels))
	for i := range oids {
		for oids[i] == 0 || oids[i]&1 != 0 {
			var err error
			if oids[i], err = c.v.GetNewOID(catalog.PgEnumOidIndexOID); err != nil {
				return err
			}
		}
	}
	slices.Sort(oids)
	for i, l := range labels {
		if err := checkLabel(l); err != nil {
			return err
		}
		if err := c.v.Insert(catalog.PgEnumOID, types.Row{types.Oid(oids[i]), types.Oid(typ), types.Float4(float32(i + 1)), types.Text(l)}); err != nil {
			return err
		}
	}
	return nil
}

func checkLabel(l string) error {
	if len(l) > types.NameLen {
		return pgerr.New(pgerr.InvalidName, "invalid enum label \"%s\"", l).WithDetail("Labels must be %d bytes or less.", types.NameLen)
	}
	return nil
}

// alterEnum is ALTER TYPE ADD VALUE and RENAME VALUE.
func alterEnum(c *ctx, n *pg_query.AlterEnumStmt) (string, error) {
	o, err := c.findType(&pg_query.Node{Node: &pg_query.Node_TypeName{TypeName: namedType(n.TypeName)}}, false)
	if err != nil {
		return "", err
	}
	t, err := c.v.Type(o.OID)
	if err != nil {
		return "", err
	}
	if t.Kind != 'e' {
		return "", pgerr.New(pgerr.WrongObjectType, "%s is not an enum", types.FormatType(c.Backend.Env, t.OID))
	}
	if err := checkLabel(n.NewVal); err != nil {
		return "", err
	}
	if n.OldVal != "" {
		return "ALTER TYPE", c.renameLabel(t, n.OldVal, n.NewVal)
	}
	return "ALTER TYPE", c.addLabel(t, n)
}

func labelAt(t *catalog.Type, label string) int {
	return slices.IndexFunc(t.EnumLabels, func(l catalog.EnumLabel) bool { return l.Label == label })
}

// addLabel is ADD VALUE.
func (c *ctx) addLabel(t *catalog.Type, n *pg_query.AlterEnumStmt) error {
	if labelAt(t, n.NewVal) >= 0 {
		if n.SkipIfNewValExists {
			c.notice(pgerr.DuplicateObject, "enum label \"%s\" already exists, skipping", n.NewVal)
			return nil
		}
		return pgerr.New(pgerr.DuplicateObject, "enum label \"%s\" already exists", n.NewVal)
	}
	place, err := c.labelPlace(t, n)
	if err != nil {
		return err
	}
	oid, err := c.labelOID(t, place)
	if err != nil {
		return err
	}
	if err := c.v.Insert(catalog.PgEnumOID, types.Row{types.Oid(oid), types.Oid(t.OID), types.Float4(place), types.Text(n.NewVal)}); err != nil {
		return err
	}
	c.v.AddedEnumLabel(oid)
	return nil
}

// labelPlace gives the sort position of a new label: after the last, or beside a neighbour. Positions are numbered anew when there is none left
// between two.
func (c *ctx) labelPlace(t *catalog.Type, n *pg_query.AlterEnumStmt) (float32, error) {
	labels := t.EnumLabels
	if n.NewValNeighbor == "" {
		if len(labels) == 0 {
			return 1, nil
		}
		return labels[len(labels)-1].Sort + 1, nil
	}
	at := labelAt(t, n.NewValNeighbor)
	if at < 0 {
		return 0, pgerr.New(pgerr.InvalidParameterValue, "\"%s\" is not an existing enum label", n.NewValNeighbor)
	}
	other := at - 1
	if n.NewValIsAfter {
		other = at + 1
	}
	switch {
	case other < 0:
		return labels[at].Sort - 1, nil
	case other >= len(labels):
		return labels[at].Sort + 1, nil
	}
	middle := (labels[at].Sort + labels[other].Sort) / 2
	if middle != labels[at].Sort && middle != labels[other].Sort {
		return middle, nil
	}
	if err := c.renumberLabels(t); err != nil {
		return 0, err
	}
	t, err := c.v.Type(t.OID)
	if err != nil {
		return 0, err
	}
	return c.labelPlace(t, n)
}

// renumberLabels gives the labels whole numbers as positions, from the last on, so that no two are ever equal.
func (c *ctx) renumberLabels(t *catalog.Type) error {
	for i := len(t.EnumLabels) - 1; i >= 0; i-- {
		place := float32(i + 1)
		if t.EnumLabels[i].Sort == place {
			continue
		}
		err := c.v.Modify(catalog.PgEnumOID, catalog.PgEnumOidIndexOID, []types.Datum{types.Oid(t.EnumLabels[i].OID)}, func(row types.Row) {
			row[catalog.EnumEnumsortorder] = types.Float4(place)
		})
		if err != nil {
			return err
		}
	}
	return c.next()
}

// labelOID chooses a new label's OID: an even one where it orders as the label does among the others that are even, else an odd one.
func (c *ctx) labelOID(t *catalog.Type, place float32) (OID, error) {
	for {
		oid, err := c.v.GetNewOID(catalog.PgEnumOidIndexOID)
		if err != nil {
			return 0, err
		}
		sorted := true
		for _, l := range t.EnumLabels {
			if l.OID&1 == 0 && (l.Sort < place) != (l.OID < oid) {
				sorted = false
			}
		}
		if sorted == (oid&1 == 0) {
			return oid, nil
		}
	}
}

// renameLabel is RENAME VALUE.
func (c *ctx) renameLabel(t *catalog.Type, old, label string) error {
	at := labelAt(t, old)
	if at < 0 {
		return pgerr.New(pgerr.InvalidParameterValue, "\"%s\" is not an existing enum label", old)
	}
	if labelAt(t, label) >= 0 {
		return pgerr.New(pgerr.DuplicateObject, "enum label \"%s\" already exists", label)
	}
	return c.v.Modify(catalog.PgEnumOID, catalog.PgEnumOidIndexOID, []types.Datum{types.Oid(t.EnumLabels[at].OID)}, func(row types.Row) {
		row[catalog.EnumEnumlabel] = types.Text(label)
	})
}
