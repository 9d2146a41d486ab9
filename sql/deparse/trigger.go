package deparse

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Bits of pg_trigger.tgtype.
const (
	triggerRow      = 1 << 0
	triggerBefore   = 1 << 1
	triggerInsert   = 1 << 2
	triggerDelete   = 1 << 3
	triggerUpdate   = 1 << 4
	triggerTruncate = 1 << 5
	triggerInstead  = 1 << 6
)

// TriggerDef prints a trigger, as pg_get_triggerdef does.
func TriggerDef(ctx *Context, rel *catalog.Relation, t *catalog.Trigger) (string, error) {
	p := &printer{ctx: ctx}
	p.write("CREATE ")
	if t.Constraint != 0 {
		p.write("CONSTRAINT ")
	}
	p.write("TRIGGER ", p.quote(t.Name), " ")
	switch {
	case t.Type&triggerInstead != 0:
		p.write("INSTEAD OF")
	case t.Type&triggerBefore != 0:
		p.write("BEFORE")
	default:
		p.write("AFTER")
	}
	p.triggerEvents(rel, t)
	p.write(" ON ")
	if ctx.Pretty&PrettySchema != 0 {
		p.write(p.relationName(rel.OID))
	} else {
		p.write(p.qualifiedName(rel))
	}
	p.write(" ")
	if t.Constraint != 0 {
		p.constraintTrigger(t)
	}
	if t.OldTable != "" || t.NewTable != "" {
		p.write("REFERENCING ")
		if t.OldTable != "" {
			p.write("OLD TABLE AS ", p.quote(t.OldTable), " ")
		}
		if t.NewTable != "" {
			p.write("NEW TABLE AS ", p.quote(t.NewTable), " ")
		}
	}
	if t.Type&triggerRow != 0 {
		p.write("FOR EACH ROW ")
	} else {
		p.write("FOR EACH STATEMENT ")
	}
	if t.When != nil {
		if err := p.triggerWhen(rel, t.When); err != nil {
			return "", err
		}
	}
	p.write("EXECUTE FUNCTION ", p.functionName(t.Func), "(")
	for i, a := range t.Args {
		if i > 0 {
			p.write(", ")
		}
		p.write(quoteString(a))
	}
	p.write(")")
	return string(p.buf), p.err
}

func (p *printer) triggerEvents(rel *catalog.Relation, t *catalog.Trigger) {
	sep := " "
	for _, e := range []struct {
		bit  int16
		word string
	}{{triggerInsert, "INSERT"}, {triggerDelete, "DELETE"}, {triggerUpdate, "UPDATE"}, {triggerTruncate, "TRUNCATE"}} {
		if t.Type&e.bit == 0 {
			continue
		}
		p.write(sep, e.word)
		sep = " OR "
		if e.bit != triggerUpdate {
			continue
		}
		for i, num := range t.Attrs {
			if i == 0 {
				p.write(" OF ")
			} else {
				p.write(", ")
			}
			p.write(p.quote(rel.Desc.Attrs[num-1].Name))
		}
	}
}

func (p *printer) constraintTrigger(t *catalog.Trigger) {
	if t.ConstrRel != 0 {
		p.write("FROM ", p.relationName(t.ConstrRel), " ")
	}
	if !t.Deferrable {
		p.write("NOT ")
	}
	p.write("DEFERRABLE INITIALLY ")
	if t.InitDeferred {
		p.write("DEFERRED ")
	} else {
		p.write("IMMEDIATE ")
	}
}

// triggerWhen prints the condition, in which VarNo 1 is OLD and 2 is NEW.
func (p *printer) triggerWhen(rel *catalog.Relation, when query.Expr) error {
	entry := func(name string) *query.RTE {
		a := &query.Alias{Name: name}
		return &query.RTE{Kind: query.RTERelation, RelOID: rel.OID, RelKind: rel.Kind, Alias: a, Eref: a}
	}
	n, err := NewNamespace(p.ctx.Catalog, []*query.RTE{entry("old"), entry("new")}, nil, nil, nil)
	if err != nil {
		return err
	}
	ctx := *p.ctx
	ctx.Namespaces, ctx.VarPrefix = []*Namespace{n}, true
	p.write("WHEN (")
	p.within(&ctx, func() { p.expr(when, false) })
	p.write(") ")
	return nil
}

// triggerFinder is a catalog that can find a trigger by its OID.
type triggerFinder interface {
	TriggerByOID(oid OID) (*catalog.Relation, *catalog.Trigger, error)
}

func init() {
	register(map[string]Pretty{"pg_get_triggerdef": PrettyIndent, "pg_get_triggerdef_ext": PrettyIndent}, callTriggerDef)
}

func callTriggerDef(c *types.Call, ctx *Context) (types.Datum, error) {
	f, ok := ctx.Catalog.(triggerFinder)
	if !ok {
		return types.Null, nil
	}
	rel, t, err := f.TriggerByOID(c.Args[0].Oid())
	if err != nil || t == nil {
		return types.Null, err
	}
	return text(TriggerDef(ctx, rel, t))
}
