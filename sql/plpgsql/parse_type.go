package plpgsql

import (
	"errors"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// dataType reads a variable's type: a type name, thing%TYPE or table%ROWTYPE.
func (p *parser) dataType() varType {
	if p.peek().isName() {
		if t, ok := p.percentType(); ok {
			return t
		}
	}
	if t := p.peek(); t.is("record") {
		p.next()
		return varType{oid: types.RecordOID, mod: -1, row: true}
	}
	start := p.peek().start
	from := p.pos
	for depth := 0; ; p.next() {
		t := p.peek()
		if p.at(";") || depth == 0 && p.endsType(t) {
			break
		}
		switch {
		case t.kind == parse.End:
			if depth > 0 {
				p.failAt(t, "mismatched parentheses")
			}
			p.failAt(t, "incomplete data type declaration")
		case p.at("(") || p.at("["):
			depth++
		case p.at(")") || p.at("]"):
			depth--
		}
	}
	if p.pos == from {
		p.failAt(p.peek(), "missing data type declaration")
	}
	end := p.toks[p.pos-1].end
	typ, mod, at, err := analyze.ParseTypeAt(p.rt.host.AnalyzeEnv(), p.src[start:end])
	if err != nil {
		e := *pgerr.From(err)
		if e.Location == 0 {
			e.Location = start + at + 1
		}
		panic(bailout{&e})
	}
	return p.typeOf(typ, mod, start)
}

// endsType says whether a token can't belong to a type's name.
func (p *parser) endsType(t token) bool {
	for _, w := range []string{";", ",", ")", "]", ":=", "=", "collate", "not", "default", "is", "for", "in", "using", "loop", "execute"} {
		if p.tokenIs(t, w) {
			return true
		}
	}
	return false
}

// typeOf completes a type's facts and refuses pseudo-types that no variable can have.
func (p *parser) typeOf(typ types.OID, mod int32, at int) varType {
	t, err := p.rt.typeOf(typ, mod)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) && e.Location == 0 {
			c := *e
			c.Location = at + 1
			panic(bailout{&c})
		}
		panic(bailout{pgerr.From(err)})
	}
	return t
}

// collate reads the collation's name of a declaration.
func (p *parser) collate(t *varType, at int) {
	first := p.peek()
	names := p.dottedNames()
	if t.coll == 0 {
		env := p.rt.host.AnalyzeEnv()
		p.fail(at, pgerr.DatatypeMismatch, "collations are not supported by type %s", types.FormatType(env.Types, t.oid))
	}
	coll, err := analyze.CollationByName(p.rt.host.AnalyzeEnv(), stringNodes(names), -1)
	if err != nil {
		e := *pgerr.From(err)
		e.Location = first.start + 1
		panic(bailout{&e})
	}
	t.coll = coll
}

// percentType reads x%TYPE, r.f%TYPE, table.column%TYPE, table%ROWTYPE; false, with nothing read, when none of them is there.
func (p *parser) percentType() (varType, bool) {
	save := p.pos
	at := p.peek().start
	names := p.dottedNames()
	if !p.at("%") {
		p.pos = save
		return varType{}, false
	}
	p.next()
	switch {
	case p.accept("type"):
		if d, used := p.scope.lookup(names); d != nil && used == len(names) {
			return d.typ, true
		} else if d != nil && used == len(names)-1 && d.kind == recordDatum && d.typ.oid != types.RecordOID {
			return p.fieldType(d, names[used], at), true
		}
		return p.columnType(names, at), true
	case p.accept("rowtype"):
		return p.rowType(names, at), true
	}
	p.pos = save
	return varType{}, false
}

// fieldType is the declared type of a field of a variable of a composite type.
func (p *parser) fieldType(d *datum, field string, at int) varType {
	desc, err := p.rt.rowDesc(d.typ)
	if err != nil {
		panic(bailout{pgerr.From(err)})
	}
	for i := range desc.Attrs {
		if a := &desc.Attrs[i]; a.Name == field && !a.Dropped {
			return p.typeOf(a.TypeOID, a.TypMod, at)
		}
	}
	p.fail(at, pgerr.UndefinedColumn, "record \"%s\" has no field \"%s\"", d.name, field)
	return varType{}
}

// columnType is the type of [schema.]table.column.
func (p *parser) columnType(names []string, at int) varType {
	if len(names) < 2 || len(names) > 3 {
		p.fail(at, pgerr.SyntaxError, "invalid type name \"%s\"", p.src[at:p.toks[p.pos-1].end])
	}
	column := names[len(names)-1]
	rel := p.relation(names[:len(names)-1], at)
	a := rel.AttrByName(column)
	if a == nil {
		p.fail(at, pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", column, rel.Name)
	}
	t := p.typeOf(a.TypeOID, a.TypMod, at)
	t.coll = a.Collation
	return t
}

// rowType is the row type of [schema.]table, or a composite type by name.
func (p *parser) rowType(names []string, at int) varType {
	rel := p.relation(names, at)
	if rel.RowType == 0 {
		p.fail(at, pgerr.WrongObjectType, "relation \"%s\" does not have a composite type", rel.Name)
	}
	return p.typeOf(rel.RowType, -1, at)
}

func (p *parser) relation(names []string, at int) *catalog.Relation {
	schema, name := "", names[len(names)-1]
	if len(names) > 1 {
		schema = names[len(names)-2]
	}
	rel, err := p.rt.host.AnalyzeEnv().OpenRelation(schema, name, analyze.AccessShareLock)
	if err != nil {
		panic(bailout{pgerr.From(err)})
	}
	if rel == nil {
		full := name
		if schema != "" {
			full = schema + "." + name
		}
		p.fail(at, pgerr.UndefinedTable, "relation \"%s\" does not exist", full)
	}
	return rel
}
