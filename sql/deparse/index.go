package deparse

import (
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// IndexDef prints an index, as pg_get_indexdef does: the CREATE INDEX command (column 0), or one column's definition.
func IndexDef(ctx *Context, oid OID, column int) (string, error) {
	p := &printer{ctx: ctx}
	p.indexDef(oid, indexParts{column: column, attrsOnly: column != 0})
	return string(p.buf), p.err
}

// indexParts says what of an index to print.
type indexParts struct {
	column    int // 0 = all
	attrsOnly bool
	exclude   []OID // operators: print an EXCLUDE constraint
}

func (p *printer) indexDef(oid OID, parts indexParts) {
	rel, err := p.ctx.Catalog.Relation(oid)
	p.fail(err)
	if rel == nil || rel.Index == nil {
		p.fail(pgerr.Internal("cache lookup failed for index %d", oid))
		return
	}
	ix := rel.Index
	table, err := p.ctx.Catalog.Relation(ix.TableOID)
	p.fail(err)
	if table == nil {
		p.fail(pgerr.Internal("cache lookup failed for relation %d", ix.TableOID))
		return
	}
	am := p.accessMethod(ix.AM)
	if !parts.attrsOnly {
		p.indexHead(rel, table, am, parts)
	}
	ctx, err := ForRelation(p.ctx.Catalog, p.ctx.Types, table, p.ctx.Pretty)
	p.fail(err)
	if err != nil {
		return
	}
	p.within(ctx, func() {
		p.indexKeys(ix, table, am, parts)
		if parts.attrsOnly {
			return
		}
		p.write(")")
		if ix.NullsNotDistinct {
			p.write(" NULLS NOT DISTINCT")
		}
		p.options(ix.Options)
		p.indexPredicate(ix, parts)
	})
}

func (p *printer) indexHead(rel, table *catalog.Relation, am string, parts indexParts) {
	if parts.exclude != nil {
		p.write("EXCLUDE USING ", p.quote(am), " (")
		return
	}
	p.write("CREATE ")
	if rel.Index.Unique {
		p.write("UNIQUE ")
	}
	p.write("INDEX ", p.quote(rel.Name), " ON ")
	if rel.Kind == 'I' {
		p.write("ONLY ")
	}
	if p.ctx.Pretty&PrettySchema != 0 {
		p.write(p.relationName(table.OID))
	} else {
		p.write(p.qualifiedName(table))
	}
	p.write(" USING ", p.quote(am), " (")
}

func (p *printer) indexPredicate(ix *catalog.Index, parts indexParts) {
	if ix.Pred == nil {
		return
	}
	p.write(" WHERE ")
	if parts.exclude != nil {
		p.write("(")
	}
	p.expr(ix.Pred, false)
	if parts.exclude != nil {
		p.write(")")
	}
}

// accessMethodNames are the built-in access methods.
var accessMethodNames = map[OID]string{403: "btree", 405: "hash", 783: "gist", 2742: "gin", 4000: "spgist", 3580: "brin"}

func (p *printer) accessMethod(oid OID) string {
	if n := accessMethodNames[oid]; n != "" {
		return n
	}
	p.fail(pgerr.Internal("cache lookup failed for access method %d", oid))
	return ""
}

func (p *printer) indexKeys(ix *catalog.Index, table *catalog.Relation, am string, parts indexParts) {
	nextExpr := 0
	for i, att := range ix.Keys {
		wanted := parts.column == 0 || parts.column == i+1
		if parts.column == 0 {
			switch {
			case i == ix.NumKeys:
				p.write(") INCLUDE (")
			case i > 0:
				p.write(", ")
			}
		}
		var typ, coll OID
		if att != 0 {
			a := &table.Desc.Attrs[att-1]
			typ, coll = a.TypeOID, a.Collation
			if wanted {
				p.write(p.quote(a.Name))
			}
		} else {
			e := ix.Exprs[nextExpr]
			nextExpr++
			typ, coll = e.Type(), e.Collation()
			if wanted {
				p.indexExpr(e)
			}
		}
		if wanted && !parts.attrsOnly && i < ix.NumKeys {
			p.indexKeyOptions(ix, i, typ, coll, am, parts)
		}
	}
}

func (p *printer) indexKeyOptions(ix *catalog.Index, i int, typ, coll OID, am string, parts indexParts) {
	if c := ix.Collations[i]; c != 0 && c != coll {
		p.write(" COLLATE ", p.collationName(c))
	}
	p.opClass(ix.OpClasses[i], typ)
	if am == "btree" {
		switch {
		case ix.Desc[i] && !ix.NullsFirst[i]:
			p.write(" DESC NULLS LAST")
		case ix.Desc[i]:
			p.write(" DESC")
		case ix.NullsFirst[i]:
			p.write(" NULLS FIRST")
		}
	}
	if i < len(parts.exclude) {
		p.write(" WITH ", p.operatorName(parts.exclude[i]))
	}
}

// options prints WITH (name='value', ...).
func (p *printer) options(list []string) {
	if len(list) == 0 {
		return
	}
	p.write(" WITH (")
	for i, o := range list {
		if i > 0 {
			p.write(", ")
		}
		name, value, _ := strings.Cut(o, "=")
		p.write(p.quote(name), "=")
		if p.quote(value) == value {
			p.write(value)
		} else {
			p.write(quoteString(value))
		}
	}
	p.write(")")
}

// indexExpr prints a column of an index that is an expression.
func (p *printer) indexExpr(e query.Expr) {
	bare := looksLikeFunction(e)
	if !bare {
		p.write("(")
	}
	p.expr(e, false)
	if !bare {
		p.write(")")
	}
}

// IndexExpr prints a column of an index that is an expression, as CREATE INDEX has it.
func IndexExpr(ctx *Context, e query.Expr) (string, error) {
	p := &printer{ctx: ctx}
	p.indexExpr(e)
	return string(p.buf), p.err
}
