package deparse

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// FunctionArguments prints the parameter list of a function, as pg_get_function_arguments does; identity leaves out defaults.
func FunctionArguments(ctx *Context, f *catalog.Proc, identity bool) (string, error) {
	p := &printer{ctx: ctx}
	p.functionArguments(f, identity)
	return string(p.buf), p.err
}

// FunctionArgDefault prints the default of a function's nth parameter, in or out, as pg_get_function_arg_default does; "" when it has none.
func FunctionArgDefault(ctx *Context, f *catalog.Proc, nth int) (string, error) {
	list := parameters(f)
	if nth < 1 || nth > len(list) || !list[nth-1].isInput() {
		return "", nil
	}
	input := 0
	for _, x := range list[:nth] {
		if x.isInput() {
			input++
		}
	}
	k := input - 1 - (len(f.ArgTypes) - f.NArgDefaults)
	if k < 0 || k >= len(f.Defaults) {
		return "", nil
	}
	c := *ctx
	c.Pretty = 0
	p := &printer{ctx: &c}
	p.expr(f.Defaults[k], false)
	return string(p.buf), p.err
}

// parameter is one parameter of a function, in or out.
type parameter struct {
	typ  OID
	mode byte
	name string
}

func (x parameter) isInput() bool { return x.mode == 'i' || x.mode == 'b' || x.mode == 'v' }

func parameters(f *catalog.Proc) []parameter {
	typs := f.AllArgTypes
	if typs == nil {
		typs = f.ArgTypes
	}
	var out []parameter
	for i, t := range typs {
		x := parameter{typ: t, mode: 'i'}
		if i < len(f.ArgModes) {
			x.mode = f.ArgModes[i]
		}
		if i < len(f.ArgNames) {
			x.name = f.ArgNames[i]
		}
		out = append(out, x)
	}
	return out
}

func (p *printer) functionArguments(f *catalog.Proc, identity bool) {
	inputs, printed := 0, 0
	firstDefault := len(f.ArgTypes) - f.NArgDefaults
	orderBy := p.directArguments(f)
	list := parameters(f)
	for i := 0; i < len(list); i++ {
		x := list[i]
		isInput := x.isInput()
		if isInput {
			inputs++
		}
		if x.mode == 't' {
			continue
		}
		switch {
		case printed == orderBy && printed > 0:
			p.write(" ORDER BY ")
		case printed == orderBy:
			p.write("ORDER BY ")
		case printed > 0:
			p.write(", ")
		}
		p.parameter(f, x)
		if isInput && !identity && inputs > firstDefault && inputs-1-firstDefault < len(f.Defaults) {
			p.write(" DEFAULT ")
			ctx := *p.ctx
			ctx.Pretty = 0
			p.within(&ctx, func() { p.expr(f.Defaults[inputs-1-firstDefault], false) })
		}
		if printed++; printed == orderBy && i == len(list)-1 {
			i-- // a variadic parameter that is direct and aggregated argument both is printed twice
		}
	}
}

// directArguments is where ORDER BY stands in the parameters of an ordered-set aggregate, -1 for other functions.
func (p *printer) directArguments(f *catalog.Proc) int {
	if f.Kind != 'a' {
		return -1
	}
	a, err := p.ctx.Catalog.Aggregate(f.OID)
	p.fail(err)
	if a == nil || a.Kind == 'n' {
		return -1
	}
	return int(a.NumDirect)
}

func (p *printer) parameter(f *catalog.Proc, x parameter) {
	switch x.mode {
	case 'i':
		if f.Kind == 'p' {
			p.write("IN ")
		}
	case 'o':
		p.write("OUT ")
	case 'b':
		p.write("INOUT ")
	case 'v':
		p.write("VARIADIC ")
	}
	if x.name != "" {
		p.write(p.quote(x.name), " ")
	}
	p.write(types.FormatType(p.ctx.Types, x.typ))
}

// FunctionResult prints what follows RETURNS, "" for a procedure.
func FunctionResult(ctx *Context, f *catalog.Proc) (string, error) {
	p := &printer{ctx: ctx}
	p.functionResult(f)
	return string(p.buf), p.err
}

func (p *printer) functionResult(f *catalog.Proc) {
	if f.RetSet {
		first := true
		for _, x := range parameters(f) {
			if x.mode != 't' {
				continue
			}
			if first {
				p.write("TABLE(")
			} else {
				p.write(", ")
			}
			first = false
			p.parameter(f, x)
		}
		if !first {
			p.write(")")
			return
		}
		p.write("SETOF ")
	}
	p.write(types.FormatType(p.ctx.Types, f.RetType))
}

// languageNames are the built-in languages.
var languageNames = map[OID]string{catalog.InternalLanguage: "internal", catalog.CLanguage: "c", catalog.SQLLanguage: "sql"}

// FunctionDef prints the CREATE FUNCTION command, as pg_get_functiondef does. language names the function's language where it is not built in.
func FunctionDef(ctx *Context, f *catalog.Proc, language string) (string, error) {
	if f.Kind == 'a' {
		return "", pgerr.New(pgerr.WrongObjectType, "\"%s\" is an aggregate function", f.Name)
	}
	p := &printer{ctx: ctx}
	what := "FUNCTION"
	if f.Kind == 'p' {
		what = "PROCEDURE"
	}
	p.write("CREATE OR REPLACE ", what, " ", p.schemaPrefix(f.Namespace), p.quote(f.Name), "(")
	p.functionArguments(f, false)
	p.write(")\n")
	if f.Kind != 'p' {
		p.write(" RETURNS ")
		p.functionResult(f)
		p.write("\n")
	}
	if n := languageNames[f.Lang]; n != "" {
		language = n
	}
	p.write(" LANGUAGE ", p.quote(language), "\n")
	if attrs := functionAttributes(f); len(attrs) > 0 {
		p.write(" ", strings.Join(attrs, " "), "\n")
	}
	for _, c := range f.Config {
		name, value, _ := strings.Cut(c, "=")
		p.write(" SET ", p.quote(name), " TO ", quoteString(value), "\n")
	}
	if f.SQLBody+f.ReplacedSQLBody != "" {
		body, err := FunctionBody(ctx, f)
		if err != nil {
			return "", err
		}
		p.write(body, "\n")
		return string(p.buf), p.err
	}
	p.write("AS ")
	if f.Bin != "" {
		p.write(quoteString(f.Bin), ", ")
	}
	tag := dollarTag(f.Src, strings.ToLower(what))
	p.write(tag, f.Src, tag, "\n")
	return string(p.buf), p.err
}

// FunctionBody prints an SQL-standard body, as pg_get_function_sqlbody does.
func FunctionBody(ctx *Context, f *catalog.Proc) (string, error) {
	stored := f.SQLBody + f.ReplacedSQLBody
	if strings.HasPrefix(stored, "RETURN ") || strings.HasPrefix(stored, "BEGIN ATOMIC") { // as the initial contents of pg_proc have it
		return stored, nil
	}
	list, atomic, err := query.DecodeBody(stored)
	if err != nil {
		return "", err
	}
	inner := *ctx
	inner.funcName, inner.argNames, inner.VarPrefix = f.Name, f.ArgNames, true // arguments are an outer level
	if !atomic {
		inner.Pretty &^= PrettyIndent
		p := &printer{ctx: &inner}
		p.query(list[0], nil, nil, false)
		return string(p.buf), p.err
	}
	inner.Pretty |= PrettyIndent
	p := &printer{ctx: &inner}
	p.write("BEGIN ATOMIC\n")
	for _, q := range list {
		p.indent = 1
		p.query(q, nil, nil, false)
		p.write(";\n")
	}
	p.write("END")
	return string(p.buf), p.err
}

// functionAttributes lists the attributes that are not the default.
func functionAttributes(f *catalog.Proc) []string {
	var out []string
	if f.Kind == 'w' {
		out = append(out, "WINDOW")
	}
	switch f.Volatile {
	case 'i':
		out = append(out, "IMMUTABLE")
	case 's':
		out = append(out, "STABLE")
	}
	switch f.Parallel {
	case 's':
		out = append(out, "PARALLEL SAFE")
	case 'r':
		out = append(out, "PARALLEL RESTRICTED")
	}
	if f.Strict {
		out = append(out, "STRICT")
	}
	if f.SecDef {
		out = append(out, "SECURITY DEFINER")
	}
	if f.LeakProof {
		out = append(out, "LEAKPROOF")
	}
	cost := float32(100)
	if f.Lang == catalog.InternalLanguage || f.Lang == catalog.CLanguage {
		cost = 1
	}
	if f.Cost != cost {
		out = append(out, "COST "+strconv.FormatFloat(float64(f.Cost), 'g', -1, 32))
	}
	if f.Rows > 0 && f.Rows != 1000 {
		out = append(out, "ROWS "+strconv.FormatFloat(float64(f.Rows), 'g', -1, 32))
	}
	return out
}

// dollarTag makes a dollar quote that the text does not contain.
func dollarTag(text, word string) string {
	tag := "$" + word
	for strings.Contains(text, tag) {
		tag += "x"
	}
	return tag + "$"
}
