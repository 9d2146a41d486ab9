package session

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// call is CALL procedure(arguments): its OUT parameters come back as one row.
func (c *command) call(n *pg_query.CallStmt) (string, error) {
	s := c.s
	env := c.analyzeEnv()
	pc, err := analyze.Call(env, n)
	if err != nil {
		return "", err
	}
	if err := s.checkExecute(pc.Proc); err != nil {
		return "", err
	}
	nonAtomic := s.mayEndTransaction()
	if s.inFunction > 0 {
		nonAtomic = s.nonAtomic
	}
	call := &types.Call{RetType: pc.Proc.RetType, Collation: pc.Func.InputColl, Variadic: pc.Func.Variadic, FnExpr: pc.Func}
	ctx := executor.EvalContext(s.backend)
	ctx.Params.Extern = c.params
	for _, a := range pc.Func.Args {
		s.nonAtomic = false
		v, err := s.evalWith(ctx, a)
		if err != nil {
			return "", err
		}
		call.Args, call.ArgTypes = append(call.Args, v.Clone()), append(call.ArgTypes, a.Type())
	}
	call.Env, call.Arena, call.Ctx = s.backend.Env, &types.Arena{}, s.backend
	fn, err := s.functionInLanguage(pc.Proc, call)
	if err != nil {
		return "", err
	}
	s.nonAtomic = nonAtomic && len(pc.Proc.Config) == 0 && !pc.Proc.SecDef
	v, err := fn(call)
	s.nonAtomic = false
	if err != nil {
		return "", err
	}
	if len(pc.Outs) > 0 {
		row := make(types.Row, len(pc.Outs))
		for i := range row {
			row[i] = types.Null
		}
		if !v.IsNull() {
			_, fields, err := types.RecordFields(s.backend.Env, v, nil)
			if err != nil {
				return "", err
			}
			copy(row, fields)
		}
		if err := c.out.receive(row); err != nil {
			return "", err
		}
	}
	return "CALL", nil
}

// mayEndTransaction says whether a procedure that is called now may commit: not in a block.
func (s *Session) mayEndTransaction() bool {
	return s.block == blockNone && len(s.savepoints) == 0
}

// callColumns describes the row of a CALL's OUT parameters; nil when there are none.
func (s *Session) callColumns(c *analyze.ProcedureCall) ([]*query.TargetEntry, error) {
	if len(c.Outs) == 0 {
		return nil, nil
	}
	desc, err := s.functionRow(c.Proc, c.Func)
	if err != nil || desc == nil {
		return nil, err
	}
	list := make([]*query.TargetEntry, len(desc.Attrs))
	for i := range desc.Attrs {
		a := &desc.Attrs[i]
		list[i] = &query.TargetEntry{Name: a.Name, ResNo: i + 1,
			Expr: &query.Const{TypeOID: a.TypeOID, Mod: -1, Coll: a.Collation, Value: types.Null, Loc: -1}}
	}
	return list, nil
}

// doBlock is DO [LANGUAGE l] 'body'.
func (c *command) doBlock(n *pg_query.DoStmt) (string, error) {
	body, language, haveBody := "", "plpgsql", false
	for _, a := range n.Args {
		d := a.GetDefElem()
		switch d.Defname {
		case "as":
			if haveBody {
				return "", pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
			}
			body, haveBody = d.Arg.GetString_().GetSval(), true
		case "language":
			language = d.Arg.GetString_().GetSval()
		}
	}
	if !haveBody {
		return "", pgerr.New(pgerr.SyntaxError, "no inline code specified")
	}
	lang, err := c.s.view.LanguageByName(language)
	if err != nil {
		return "", err
	}
	if lang == 0 {
		return "", pgerr.New(pgerr.UndefinedObject, "language \"%s\" does not exist", language)
	}
	if language != "plpgsql" {
		return "", pgerr.New(pgerr.FeatureNotSupported, "language \"%s\" does not support inline code execution", language)
	}
	s := c.s
	nonAtomic := s.mayEndTransaction()
	if s.inFunction > 0 {
		nonAtomic = s.nonAtomic
	}
	s.nonAtomic = nonAtomic
	err = s.pl().Do(body)
	s.nonAtomic = false
	return "DO", c.placeInBody(err)
}

// placeInBody makes a place in a function's body one in the statement that holds the body as a literal.
func (c *command) placeInBody(err error) error {
	if err == nil {
		return nil
	}
	e := pgerr.From(err)
	if e.InternalQuery == "" || e.InternalPosition == 0 {
		return err
	}
	text := c.p.stmt.Text(c.p.text)
	sc := parse.Scanner{Text: text}
	for t := sc.Next(); t.Kind != parse.End; t = sc.Next() {
		if t.Kind != parse.String {
			continue
		}
		if at, ok := placeInLiteral(text[t.Start:t.End], e.InternalQuery, e.InternalPosition); ok {
			out := *e
			out.Location = c.p.stmt.Location + t.Start + at + 1
			out.InternalQuery, out.InternalPosition = "", 0
			if i := strings.LastIndexByte(out.Context, '\n') + 1; strings.HasPrefix(out.Context[i:], "compilation of ") {
				out.Context = strings.TrimSuffix(out.Context[:i], "\n")
			}
			return &out
		}
	}
	return err
}

// placeInLiteral gives the byte in a string literal that holds the character of body at a 1-based position; false when the literal is not body.
func placeInLiteral(literal, body string, position int) (int, bool) {
	if literal[0] == '$' {
		tag := literal[:strings.IndexByte(literal[1:], '$')+2]
		if len(literal) < 2*len(tag) || literal[len(tag):len(literal)-len(tag)] != body {
			return 0, false
		}
		return len(tag) + byteOfCharacter(body, position), true
	}
	if literal[0] != '\'' || strings.ReplaceAll(strings.TrimSuffix(literal[1:], "'"), "''", "'") != body {
		return 0, false
	}
	at := byteOfCharacter(body, position)
	return 1 + at + strings.Count(body[:at], "'"), true
}

func byteOfCharacter(s string, position int) int {
	n := 0
	for i := range s {
		if n++; n == position {
			return i
		}
	}
	return len(s)
}
