package ddl

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// domainColumn is a table with columns of a domain.
type domainColumn struct {
	rel     OID
	columns []int16
}

// domainColumns lists the columns of tables whose type is a domain, or a domain over it, with the tables locked. Values that hide inside
// composites, arrays and ranges can't be looked at: a column with such a type is refused.
func (c *ctx) domainColumns(d *catalog.Type) ([]domainColumn, error) {
	var list []domainColumn
	name := types.FormatType(c.Backend.Env, d.OID)
	var visit func(oid OID) error
	visit = func(oid OID) error {
		deps, err := c.dependersOn(object(catalog.PgTypeOID, oid))
		if err != nil {
			return err
		}
		for _, o := range deps {
			switch {
			case o.Class == catalog.PgTypeOID:
				t, err := c.v.Type(o.OID)
				if err != nil {
					return err
				}
				if t != nil && t.Kind == 'd' {
					err = visit(o.OID)
				} else {
					err = c.refuseTypeUses(o.OID, alteredType{"type \"" + name + "\"", "it"})
				}
				if err != nil {
					return err
				}
			case o.Class == catalog.PgClassOID && o.Sub > 0:
				if list, err = c.addDomainColumn(list, o, oid, name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return list, visit(d.OID)
}

// dependersOn lists what depends on an object.
func (c *ctx) dependersOn(ref catalog.Object) (list []catalog.Object, err error) {
	err = c.v.Dependents(ref, func(o catalog.Object, _ int32, _ byte) (bool, error) {
		list = append(list, o)
		return true, nil
	})
	return list, err
}

func (c *ctx) addDomainColumn(list []domainColumn, o catalog.Object, domain OID, name string) ([]domainColumn, error) {
	rel, err := c.Session.LockRelation(o.OID, share)
	if err != nil || rel == nil {
		return list, err
	}
	if rel.RowType != 0 {
		if err := c.refuseTypeUses(rel.RowType, alteredType{"type \"" + name + "\"", "it"}); err != nil {
			return nil, err
		}
	}
	num := int16(o.Sub)
	if a := rel.Attr(num); rel.Kind != 'r' && rel.Kind != 'm' || a == nil || a.TypeOID != domain {
		return list, nil
	}
	at := slices.IndexFunc(list, func(x domainColumn) bool { return x.rel == rel.OID })
	if at < 0 {
		list = append(list, domainColumn{rel: rel.OID})
		at = len(list) - 1
	}
	list[at].columns = append(list[at].columns, num)
	slices.Sort(list[at].columns)
	return list, nil
}

// alteredType words the refusal to alter a type that stored columns have: "type \"t\"" and "it", "table \"t\"" and "its row type".
type alteredType struct{ what, uses string }

// refuseTypeUses refuses to alter a type when a stored column has it, or one made of it.
func (c *ctx) refuseTypeUses(typ OID, what alteredType) error {
	deps, err := c.dependersOn(object(catalog.PgTypeOID, typ))
	if err != nil {
		return err
	}
	for _, o := range deps {
		switch {
		case o.Class == catalog.PgTypeOID:
			err = c.refuseTypeUses(o.OID, what)
		case o.Class == catalog.PgClassOID && o.Sub > 0:
			err = c.refuseColumnUse(o, what)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *ctx) refuseColumnUse(o catalog.Object, what alteredType) error {
	rel, err := c.v.Relation(o.OID)
	if err != nil || rel == nil {
		return err
	}
	a := rel.Attr(int16(o.Sub))
	if a == nil {
		return nil
	}
	switch rel.Kind {
	case 'r', 'm', 'p':
		return pgerr.New(pgerr.FeatureNotSupported, "cannot alter %s because column \"%s.%s\" uses %s", what.what, rel.Name, a.Name, what.uses)
	}
	if rel.RowType != 0 {
		return c.refuseTypeUses(rel.RowType, what)
	}
	return nil
}

// checkDomainColumns tries every value of the columns; bad makes the error of a column with one that fails.
func (c *ctx) checkDomainColumns(list []domainColumn, ok func(types.Datum) (bool, error), bad func(rel *catalog.Relation, num int16) error) error {
	for _, x := range list {
		rel, err := c.v.Relation(x.rel)
		if err != nil {
			return err
		}
		err = c.eachRow(rel, func(slot *heap.Slot) error {
			for _, num := range x.columns {
				good, err := ok(slot.Row[num-1])
				if err != nil {
					return err
				}
				if !good {
					return pgerr.From(bad(rel, num)).WithTable(c.schemaName(rel.Namespace), rel.Name).WithColumn(rel.Attr(num).Name)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tryDomainCheck tries a domain's new constraint on all stored values.
func (c *ctx) tryDomainCheck(d *catalog.Type, e query.Expr) error {
	eval, err := c.compile(e)
	if err != nil {
		return err
	}
	columns, err := c.domainColumns(d)
	if err != nil {
		return err
	}
	x := c.evalContext()
	return c.checkDomainColumns(columns, func(v types.Datum) (bool, error) {
		x.Arena.Reset()
		x.Domain = v
		r, err := eval(x)
		return r.IsNull() || r.Bool(), err
	}, func(rel *catalog.Relation, num int16) error {
		return pgerr.New(pgerr.CheckViolation, "column \"%s\" of table \"%s\" contains values that violate the new constraint", rel.Attr(num).Name, rel.Name)
	})
}
