package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/types"
)

// standardBody analyses an SQL-standard body, which is kept analysed: RETURN expression, or BEGIN ATOMIC statements END.
func (c *ctx) standardBody(f *functionDef, n *pg_query.Node) error {
	for _, t := range f.params.in {
		if analyze.IsPolymorphic(t) {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "SQL function with unquoted function body cannot have polymorphic arguments")
		}
	}
	stmts := []*pg_query.Node{n}
	l := n.GetList()
	if l != nil {
		stmts = l.Items[0].GetList().GetItems()
	}
	env := analyze.InFunction(c.analyzeEnv(), &analyze.FunctionArgs{Function: f.name, Types: f.params.in, Names: f.params.inNames})
	list := []*query.Query{}
	for _, s := range stmts {
		q, err := c.bodyStatement(env, s)
		if err != nil {
			return err
		}
		list = append(list, q)
		f.bodyRefs = append(f.bodyRefs, c.v.QueryRefs(q)...)
	}
	text, err := query.EncodeBody(list, l != nil)
	if err != nil {
		return err
	}
	f.body, f.src = types.Text(text), ""
	return nil
}

// bodyStatement analyses one statement of an SQL-standard body.
func (c *ctx) bodyStatement(env *analyze.Env, n *pg_query.Node) (*query.Query, error) {
	if r := n.GetReturnStmt(); r != nil {
		target := &pg_query.Node{Node: &pg_query.Node_ResTarget{ResTarget: &pg_query.ResTarget{Val: r.Returnval, Location: -1}}}
		n = &pg_query.Node{Node: &pg_query.Node_SelectStmt{SelectStmt: &pg_query.SelectStmt{TargetList: []*pg_query.Node{target},
			LimitOption: pg_query.LimitOption_LIMIT_OPTION_DEFAULT, Op: pg_query.SetOperation_SETOP_NONE}}}
		q, err := analyze.Query(env, n)
		if err == nil {
			q.IsReturn, q.Targets[0].Name = true, ""
		}
		return q, err
	}
	if !analyze.NeedsAnalysis(n) {
		return nil, pgerr.New(pgerr.FeatureNotSupported, "%s is not yet supported in unquoted SQL function body", parse.CommandTag(n))
	}
	return analyze.Query(env, n)
}

// validateFunction looks at a function's definition as its language does.
func (c *ctx) validateFunction(oid OID, f *functionDef) error {
	p, err := c.v.Proc(oid)
	if err != nil {
		return err
	}
	switch f.lang {
	case catalog.InternalLanguage:
		return c.validateInternal(p)
	case catalog.CLanguage:
		return c.validateC(p)
	case catalog.SQLLanguage:
		return c.validateSQL(p)
	}
	if c.Backend.ValidateFunction == nil || !c.Session.ChecksFunctionBodies() {
		return nil
	}
	return c.Backend.ValidateFunction(p)
}

// validateInternal refuses a name that no built-in function has.
func (c *ctx) validateInternal(p *catalog.Proc) error {
	if _, ok := types.LookupFunc(p.Src); ok {
		return nil
	}
	found := false
	err := c.v.ScanAll(catalog.PgProcOID, func(_ types.TID, row types.Row) (bool, error) {
		found = row[catalog.ProcProlang].Oid() == catalog.InternalLanguage && row[catalog.ProcOid].Oid() < firstUserOID &&
			row[catalog.ProcProsrc].Str() == p.Src
		return !found, nil
	})
	if err == nil && !found {
		err = pgerr.New(pgerr.UndefinedFunction, "there is no built-in function named \"%s\"", p.Src)
	}
	return err
}

// validateC refuses a library or symbol that has no stand-in.
func (c *ctx) validateC(p *catalog.Proc) error {
	_, found, known := types.LookupC(p.Bin, p.Src)
	if !known {
		return pgerr.New(pgerr.UndefinedFile, "could not access file \"%s\": No such file or directory", p.Bin)
	}
	if !found {
		return pgerr.New(pgerr.UndefinedFunction, "could not find function \"%s\" in file \"%s\"", p.Src, p.Bin)
	}
	return nil
}

// validateSQL refuses pseudo-types, and with check_function_bodies a body that doesn't give the declared result.
func (c *ctx) validateSQL(p *catalog.Proc) error {
	isPseudo := func(oid OID) (bool, error) {
		t, err := c.v.Type(oid)
		return err == nil && t.Kind == 'p', err
	}
	if pseudo, err := isPseudo(p.RetType); err != nil || pseudo && p.RetType != types.RecordOID && p.RetType != types.VoidOID && !analyze.IsPolymorphic(p.RetType) {
		return orError(err, pgerr.New(pgerr.InvalidFunctionDefinition, "SQL functions cannot return type %s", types.FormatType(c.Backend.Env, p.RetType)))
	}
	polymorphic := false
	for _, t := range p.ArgTypes {
		pseudo, err := isPseudo(t)
		if err != nil {
			return err
		}
		polymorphic = polymorphic || analyze.IsPolymorphic(t)
		if pseudo && !analyze.IsPolymorphic(t) {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "SQL functions cannot have arguments of type %s", types.FormatType(c.Backend.Env, t))
		}
	}
	if !c.Session.ChecksFunctionBodies() {
		return nil
	}
	var err error
	if polymorphic { // only the syntax can be checked
		if p.SQLBody == "" {
			_, err = parse.Parse(p.Src)
		}
	} else {
		var fn *rewrite.SQLFunction
		if fn, err = rewrite.NewSQLFunction(c.analyzeEnv(), p, p.ArgTypes, p.RetType); err == nil {
			err = fn.Check(c.analyzeEnv())
		}
	}
	if err == nil {
		return nil
	}
	return c.bodyError(p, err)
}

// bodyError says of an error in a function's body where in the command it is.
func (c *ctx) bodyError(p *catalog.Proc, err error) error {
	e := *pgerr.From(err)
	if e.Location > 0 && e.InternalQuery == "" && p.SQLBody == "" {
		at := e.Location - 1
		if start := strings.Index(c.Source, p.Src); start >= 0 && strings.LastIndex(c.Source, p.Src) == start {
			e.Location = start + at + 1
			return &e
		}
		e.InternalQuery, e.InternalPosition, e.Location = p.Src, len([]rune(p.Src[:min(at, len(p.Src))]))+1, 0
		return &e
	}
	return e.WithContext("SQL function \"%s\"", p.Name)
}
