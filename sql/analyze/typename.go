package analyze

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// typeNameMod finds the type and typmod that a type name means.
func (p *state) typeNameMod(tn *pg_query.TypeName) (OID, int32) {
	t := p.lookUpType(tn)
	at := int(tn.Location)
	if t == nil {
		fail(at, pgerr.UndefinedObject, "type \"%s\" does not exist", typeNameText(tn))
	}
	if !t.Defined {
		fail(at, pgerr.UndefinedObject, "type \"%s\" is only a shell", typeNameText(tn))
	}
	return t.OID, p.typMod(tn, t)
}

// lookUpType finds a type by name; nil when there is none. A shell type is found.
func (p *state) lookUpType(tn *pg_query.TypeName) *catalog.Type {
	var oid OID
	switch {
	case len(tn.Names) == 0:
		oid = OID(tn.TypeOid)
	case tn.PctType:
		oid = p.percentType(tn)
	default:
		schema, name := p.qualified(strList(tn.Names))
		if schema != "" {
			if must(p.env.Catalog.NamespaceByName(schema)) == 0 {
				fail(int(tn.Location), pgerr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
			}
		}
		oid = must(p.env.Catalog.TypeByName(schema, name))
	}
	if oid == 0 {
		return nil
	}
	if len(tn.ArrayBounds) > 0 {
		if oid = p.arrayType(oid); oid == 0 {
			return nil
		}
	}
	return p.typ(oid)
}

// percentType resolves table.column%TYPE.
func (p *state) percentType(tn *pg_query.TypeName) OID {
	names := strList(tn.Names)
	at := int(tn.Location)
	schema, table := "", ""
	switch len(names) {
	case 1:
		fail(at, pgerr.SyntaxError, "improper %%TYPE reference (too few dotted names): %s", nameList(names))
	case 2:
		table = names[0]
	case 3:
		schema, table = names[0], names[1]
	case 4:
		schema, table = names[1], names[2]
	default:
		fail(at, pgerr.SyntaxError, "improper %%TYPE reference (too many dotted names): %s", nameList(names))
	}
	rel := must(p.env.Catalog.RelationByName(schema, table))
	if rel == 0 {
		fail(at, pgerr.UndefinedTable, "relation \"%s\" does not exist", nameList(names[:len(names)-1]))
	}
	column := names[len(names)-1]
	a := p.relation(rel).AttrByName(column)
	if a == nil {
		fail(at, pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", column, table)
	}
	p.notice(&pgerr.Error{Severity: "NOTICE", Code: pgerr.SuccessfulCompletion,
		Message: "type reference " + typeNameText(tn) + " converted to " + p.formatType(a.TypeOID)})
	return a.TypeOID
}

// typMod computes the typmod of a type name: from the parenthesized constants, or the one given ready (interval fields).
func (p *state) typMod(tn *pg_query.TypeName, t *catalog.Type) int32 {
	if len(tn.Typmods) == 0 {
		return tn.Typemod
	}
	at := int(tn.Location)
	base := t
	if elem := p.elementType(t.OID); elem != 0 && len(tn.ArrayBounds) > 0 {
		base = p.typ(elem)
	}
	if base.ModIn == 0 {
		fail(at, pgerr.SyntaxError, "type modifier is not allowed for type \"%s\"", typeNameText(tn))
	}
	var mods []string
	for _, n := range tn.Typmods {
		s, ok := typModText(n)
		if !ok {
			fail(at, pgerr.SyntaxError, "type modifiers must be simple constants or identifiers")
		}
		mods = append(mods, s)
	}
	mod, err := types.TypModIn(p.env.Types, base.OID, mods)
	if err != nil {
		throw(pgerr.From(err).WithLocation(at))
	}
	return mod
}

func typModText(n *node) (string, bool) {
	if c := n.GetAConst(); c != nil {
		switch v := c.Val.(type) {
		case *pg_query.A_Const_Ival:
			return itoa(int(v.Ival.GetIval())), true
		case *pg_query.A_Const_Fval:
			return v.Fval.Fval, true
		case *pg_query.A_Const_Sval:
			return v.Sval.Sval, true
		}
		return "", false
	}
	if r := n.GetColumnRef(); r != nil && len(r.Fields) == 1 && r.Fields[0].GetString_() != nil {
		return strVal(r.Fields[0]), true
	}
	return "", false
}

// typeNameText prints a type name as written, for messages.
func typeNameText(tn *pg_query.TypeName) string {
	var b strings.Builder
	b.WriteString(nameList(strList(tn.Names)))
	if tn.PctType {
		b.WriteString("%TYPE")
	}
	for range tn.ArrayBounds {
		b.WriteString("[]")
	}
	return b.String()
}
