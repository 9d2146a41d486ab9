package deparse

import (
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
)

// ViewDef prints the query of a view, as pg_get_viewdef does, with the semicolon.
func ViewDef(ctx *Context, rel *catalog.Relation) (string, error) {
	for _, r := range rel.Rules {
		if r.Event != '1' || len(r.Actions) != 1 {
			continue
		}
		s, err := Query(ruleContext(ctx), r.Actions[0], relationColumns(rel))
		return s + ";", err
	}
	return "Not a view", nil
}

// ruleContext writes table.column everywhere: PostgreSQL's rules have OLD and NEW in their range tables, so that no column stands alone.
func ruleContext(ctx *Context) *Context {
	c := *ctx
	c.VarPrefix = true
	return &c
}

func relationColumns(rel *catalog.Relation) []string {
	var out []string
	for i := range rel.Desc.Attrs {
		if a := &rel.Desc.Attrs[i]; !a.Dropped {
			out = append(out, a.Name)
		}
	}
	return out
}

// RuleDef prints a rule, as pg_get_ruledef does.
func RuleDef(ctx *Context, rel *catalog.Relation, r *catalog.Rule) (string, error) {
	p := &printer{ctx: ruleContext(ctx)}
	p.write("CREATE RULE ", p.quote(r.Name), " AS")
	if p.indented() {
		p.write("\n    ON ")
	} else {
		p.write(" ON ")
	}
	event := map[byte]string{'1': "SELECT", '2': "UPDATE", '3': "INSERT", '4': "DELETE"}[r.Event]
	if event == "" {
		return "", pgerr.Internal("rule \"%s\" has unsupported event type %d", r.Name, r.Event)
	}
	p.write(event, " TO ")
	if ctx.Pretty&PrettySchema != 0 {
		p.write(p.relationName(rel.OID))
	} else {
		p.write(p.qualifiedName(rel))
	}
	if r.Qual != nil {
		p.ruleCondition(r)
	}
	p.write(" DO ")
	if r.Instead {
		p.write("INSTEAD ")
	}
	var names []string
	if r.Event == '1' {
		names = relationColumns(rel)
	}
	if len(r.Actions) == 1 {
		p.query(r.Actions[0], nil, names, true)
		p.write(";")
		return string(p.buf), p.err
	}
	p.write("(")
	for _, q := range r.Actions {
		p.query(q, nil, names, true)
		if ctx.Pretty != 0 {
			p.write(";\n")
		} else {
			p.write("; ")
		}
	}
	p.write(");")
	return string(p.buf), p.err
}

// ruleCondition prints WHERE of a rule, over OLD and NEW.
func (p *printer) ruleCondition(r *catalog.Rule) {
	if p.indented() {
		p.write("\n  ")
	}
	p.write(" WHERE ")
	n, err := NewNamespace(p.ctx.Catalog, analyze.RuleQuery(r.Actions[0]).RangeTable, nil, nil, nil)
	if err != nil {
		p.fail(err)
		return
	}
	ctx := *p.ctx
	ctx.Namespaces, ctx.VarPrefix = []*Namespace{n}, true
	p.within(&ctx, func() { p.expr(r.Qual, false) })
}
