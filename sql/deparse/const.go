package deparse

import (
	"strings"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// constant prints a literal. showType: -1 never prints the type, 0 where the literal alone would be read as another type, 1 always.
func (p *printer) constant(c *query.Const, showType int) {
	if c.Value.IsNull() {
		p.write("NULL")
		if showType >= 0 {
			p.write("::", p.typeName(c.TypeOID, c.Mod))
			p.constCollation(c)
		}
		return
	}
	text, err := types.Output(p.ctx.Types, c.TypeOID, c.Value)
	p.fail(err)
	label := false
	switch c.TypeOID {
	case types.Int4OID:
		if !strings.HasPrefix(text, "-") {
			p.write(text)
		} else {
			p.write("'", text, "'")
			label = true
		}
	case types.NumericOID:
		if text != "" && text[0] >= '0' && text[0] <= '9' && strings.ContainsAny(text, "eE.") {
			p.write(text)
		} else {
			p.write("'", text, "'")
			label = true
		}
		label = label || c.Mod >= 0
	case types.BoolOID:
		if text == "t" {
			p.write("true")
		} else {
			p.write("false")
		}
	default:
		p.write("'", strings.ReplaceAll(text, "'", "''"), "'")
		label = c.TypeOID != types.UnknownOID
	}
	if showType < 0 {
		return
	}
	if label || showType > 0 {
		p.write("::", p.typeName(c.TypeOID, c.Mod))
	}
	p.constCollation(c)
}

func (p *printer) constCollation(c *query.Const) {
	if c.Coll != 0 && c.Coll != p.typ(c.TypeOID).Collation {
		p.write(" COLLATE ", p.collationName(c.Coll))
	}
}

// cast prints a coercion, or only its operand when it was not written.
func (p *printer) cast(arg query.Expr, typ OID, mod int32, form query.CoercionForm, parent query.Expr, showImplicit bool) {
	if form == query.CoerceImplicitCast && !showImplicit {
		p.operand(arg, false, parent)
		return
	}
	p.coercion(arg, typ, mod, parent)
}

func (p *printer) coercion(arg query.Expr, typ OID, mod int32, parent query.Expr) {
	if c, ok := arg.(*query.Const); ok && c.TypeOID == typ && c.Mod == -1 {
		// The literal's own label would only repeat the cast's.
		p.constant(c, -1)
	} else {
		p.bracketed(func() { p.operand(arg, false, parent) })
	}
	p.write("::", p.typeName(typ, mod))
}
