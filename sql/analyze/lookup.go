package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// The catalog's answers, with failed reads and vanished objects turned into bailouts.

func (p *state) typ(oid OID) *catalog.Type {
	t := must(p.env.Catalog.Type(oid))
	if t == nil {
		throw(pgerr.Internal("cache lookup failed for type %d", oid))
	}
	return t
}

func (p *state) proc(oid OID) *catalog.Proc {
	f := must(p.env.Catalog.Proc(oid))
	if f == nil {
		throw(pgerr.Internal("cache lookup failed for function %d", oid))
	}
	return f
}

func (p *state) operator(oid OID) *catalog.Operator {
	o := must(p.env.Catalog.Operator(oid))
	if o == nil {
		throw(pgerr.Internal("cache lookup failed for operator %d", oid))
	}
	return o
}

func (p *state) relation(oid OID) *catalog.Relation {
	r := must(p.env.Catalog.Relation(oid))
	if r == nil {
		throw(pgerr.Internal("cache lookup failed for relation %d", oid))
	}
	return r
}

// formatType names a type in a message.
func (p *state) formatType(oid OID) string { return types.FormatType(p.env.Types, oid) }

// baseType strips domains.
func (p *state) baseType(oid OID) OID {
	b, _ := p.baseTypeMod(oid, -1)
	return b
}

// baseTypeMod strips domains; the typmod of the innermost domain that has one wins.
func (p *state) baseTypeMod(oid OID, typmod int32) (OID, int32) {
	for {
		t := p.typ(oid)
		if t.Kind != 'd' {
			return oid, typmod
		}
		oid, typmod = t.BaseType, t.TypMod
	}
}

// elementType gives the element type of a true array type, 0 of others. Domains are not looked through.
func (p *state) elementType(oid OID) OID {
	t := p.typ(oid)
	if t.Elem != 0 && t.Subscript == arraySubscriptHandler {
		return t.Elem
	}
	return 0
}

// baseElementType does so through domains.
func (p *state) baseElementType(oid OID) OID { return p.elementType(p.baseType(oid)) }

const (
	arraySubscriptHandler OID = 6179
	rawSubscriptHandler   OID = 6180 // name, point, box, ...: fixed-length containers
	jsonbSubscriptHandler OID = 6098
)

// arrayType gives the array type over an element type, 0 when there is none.
func (p *state) arrayType(elem OID) OID { return p.typ(elem).Array }

// typeCollation is the collation of a type's values, 0 when it is not collatable.
func (p *state) typeCollation(oid OID) OID { return p.typ(oid).Collation }

// isRowType says whether a type is composite, or a domain over one, or record.
func (p *state) isRowType(oid OID) bool {
	if oid == types.RecordOID {
		return true
	}
	t := p.typ(p.baseType(oid))
	return t.Kind == 'c'
}

// isComplex says whether a type is a named composite type or a domain over one.
func (p *state) isComplex(oid OID) bool { return p.relOfType(oid) != 0 }

// relOfType gives the relation of a composite type or a domain over one, 0 of others.
func (p *state) relOfType(oid OID) OID {
	t := p.typ(p.baseType(oid))
	if t.Kind == 'c' {
		return t.RelID
	}
	return 0
}

// rowDesc gives the columns of a composite type or a registered record, nil when they are not known.
func (p *state) rowDesc(oid OID, typmod int32) *types.TupleDesc {
	if oid == types.RecordOID {
		if typmod < 0 || p.env.Types == nil || p.env.Types.Catalog == nil {
			return nil
		}
		d, err := p.env.Types.Catalog.RowType(oid, typmod)
		if err != nil {
			return nil
		}
		return d
	}
	rel := p.relOfType(oid)
	if rel == 0 {
		return nil
	}
	return p.relation(rel).Desc
}

// category gives a type's category and whether it is preferred in it.
func (p *state) category(oid OID) (byte, bool) {
	t := p.typ(oid)
	return t.Category, t.Preferred
}

// notice sends a notice or warning, when somebody listens.
func (p *state) notice(e *pgerr.Error) {
	if p.env.Notice != nil {
		p.env.Notice(e)
	}
}

// exprLocation is the leftmost place of an expression, -1 when it has none.
func exprLocation(e query.Expr) int { return query.LeftmostLocation(e) }
