package deparse

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
)

// ConstraintDef prints a constraint, as pg_get_constraintdef does; full makes it the ALTER TABLE command.
func ConstraintDef(ctx *Context, con *catalog.Constraint, full bool) (string, error) {
	p := &printer{ctx: ctx}
	var rel *catalog.Relation
	if con.Rel != 0 {
		var err error
		if rel, err = ctx.Catalog.Relation(con.Rel); err != nil {
			return "", err
		}
		if rel == nil {
			return "", pgerr.Internal("cache lookup failed for relation %d", con.Rel)
		}
	}
	if full {
		if rel != nil {
			p.write("ALTER TABLE ", p.qualifiedName(rel))
		} else {
			t := p.typ(con.Domain)
			p.write("ALTER DOMAIN ", p.schemaPrefix(t.Namespace), p.quote(t.Name))
		}
		p.write(" ADD CONSTRAINT ", p.quote(con.Name), " ")
	}
	switch con.Type {
	case 'f':
		p.foreignKey(con, rel)
	case 'p', 'u':
		p.keyConstraint(con, rel, full)
	case 'c':
		p.check(con, rel)
	case 't':
		p.write("TRIGGER")
	case 'x':
		p.exclusion(con)
	default:
		return "", pgerr.Internal("invalid constraint type \"%c\"", con.Type)
	}
	if con.Deferrable {
		p.write(" DEFERRABLE")
	}
	if con.Deferred {
		p.write(" INITIALLY DEFERRED")
	}
	if !con.Validated {
		p.write(" NOT VALID")
	}
	return string(p.buf), p.err
}

func (p *printer) columnNames(rel *catalog.Relation, nums []int16) {
	for i, n := range nums {
		if i > 0 {
			p.write(", ")
		}
		if rel != nil && n >= 1 && int(n) <= len(rel.Desc.Attrs) {
			p.write(p.quote(rel.Desc.Attrs[n-1].Name))
		}
	}
}

var fkActions = map[byte]string{'r': "RESTRICT", 'c': "CASCADE", 'n': "SET NULL", 'd': "SET DEFAULT"}

func (p *printer) foreignKey(con *catalog.Constraint, rel *catalog.Relation) {
	ref, err := p.ctx.Catalog.Relation(con.RefRel)
	p.fail(err)
	p.write("FOREIGN KEY (")
	p.columnNames(rel, con.Keys)
	p.write(") REFERENCES ", p.relationName(con.RefRel), "(")
	p.columnNames(ref, con.RefKeys)
	p.write(")")
	switch con.MatchType {
	case 'f':
		p.write(" MATCH FULL")
	case 'p':
		p.write(" MATCH PARTIAL")
	}
	if a := fkActions[con.UpdAction]; a != "" {
		p.write(" ON UPDATE ", a)
	}
	if a := fkActions[con.DelAction]; a != "" {
		p.write(" ON DELETE ", a)
	}
	if len(con.DelSetCols) > 0 {
		p.write(" (")
		p.columnNames(rel, con.DelSetCols)
		p.write(")")
	}
}

// index gives the descriptor of an index.
func (p *printer) index(oid OID) *catalog.Index {
	rel, err := p.ctx.Catalog.Relation(oid)
	p.fail(err)
	if rel == nil || rel.Index == nil {
		p.fail(pgerr.Internal("cache lookup failed for index %d", oid))
		return &catalog.Index{}
	}
	return rel.Index
}

func (p *printer) keyConstraint(con *catalog.Constraint, rel *catalog.Relation, full bool) {
	ix := p.index(con.Index)
	if con.Type == 'p' {
		p.write("PRIMARY KEY ")
	} else {
		p.write("UNIQUE ")
		if ix.NullsNotDistinct {
			p.write("NULLS NOT DISTINCT ")
		}
	}
	p.write("(")
	p.columnNames(rel, con.Keys)
	p.write(")")
	if len(ix.Keys) > len(con.Keys) {
		p.write(" INCLUDE (")
		p.columnNames(rel, ix.Keys[len(con.Keys):])
		p.write(")")
	}
	if full {
		p.options(ix.Options)
	}
}

func (p *printer) check(con *catalog.Constraint, rel *catalog.Relation) {
	ctx, err := ForRelation(p.ctx.Catalog, p.ctx.Types, rel, p.ctx.Pretty)
	p.fail(err)
	if err != nil {
		return
	}
	p.write("CHECK (")
	p.within(ctx, func() { p.expr(con.Expr, false) })
	p.write(")")
	if con.NoInherit {
		p.write(" NO INHERIT")
	}
}

func (p *printer) exclusion(con *catalog.Constraint) {
	p.indexDef(con.Index, indexParts{exclude: con.ExclOps})
}
