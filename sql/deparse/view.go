package deparse

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
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
		return "", pgerr.NotSupported("printing a conditional rule")
	}
	p.write(" DO ")
	if r.Instead {
		p.write("INSTEAD ")
	}
	if len(r.Actions) != 1 || r.Actions[0].Command != query.CmdSelect && r.Actions[0].Command != query.CmdNothing {
		return "", pgerr.NotSupported("printing a rule with actions")
	}
	var names []string
	if r.Event == '1' {
		names = relationColumns(rel)
	}
	p.query(r.Actions[0], nil, names, true)
	p.write(";")
	return string(p.buf), p.err
}
