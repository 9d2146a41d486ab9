package plpgsql

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	stmtParsers["perform"] = parsePerform
	stmtParsers["call"] = parseCall
	stmtParsers["do"] = parseCall
	stmtParsers["execute"] = parseExecute
}

// sqlStmt is a SQL statement, perhaps with INTO.
type sqlStmt struct {
	stmtBase
	query  *expression
	into   *datum
	strict bool
	desc   *types.TupleDesc
	descOf any // the analysis that desc is of
}

// sqlStatement reads a SQL statement that begins at the next token. INTO target is taken out; INSERT INTO and its kin are not that.
func (p *parser) sqlStatement(first token) statement {
	s := &sqlStmt{stmtBase: stmtBase{p.line(first), "SQL statement"}}
	start := first.start
	intoStart, intoEnd := 0, 0
	var prev token
	depth := 0
	for {
		t := p.peek()
		switch {
		case t.kind == parse.End:
			p.syntaxError()
		case p.at("(") || p.at("["):
			depth++
		case p.at(")") || p.at("]"):
			depth--
		}
		if depth == 0 && p.at(";") || p.at(";") && !first.is("create") {
			break
		}
		if t.is("into") && !prev.is("insert") && !prev.is("merge") && !first.is("import") && !first.is("create") {
			if s.into != nil {
				p.failAt(t, "INTO specified more than once")
			}
			intoStart = t.start
			p.next()
			s.strict = p.accept("strict")
			s.into = p.intoTarget()
			intoEnd = p.toks[p.pos-1].end
			prev = token{}
			continue
		}
		prev = t
		p.next()
	}
	end := p.toks[p.pos-1].end
	p.expect(";")
	text := p.src[start:end]
	if s.into != nil {
		text = strings.TrimRight(p.src[start:intoStart]+strings.Repeat(" ", intoEnd-intoStart)+p.src[intoEnd:end], " ")
	}
	s.query = p.newStatement(text, start)
	return s
}

func (s *sqlStmt) exec(f *frame) (flow, error) {
	e := s.query
	if err := e.readyStatement(f); err != nil {
		return flowNext, err
	}
	kind := e.query.Kind()
	switch kind {
	case KindTransaction:
		return flowNext, e.sqlErrorNoPlace(pgerr.New(pgerr.FeatureNotSupported, "unsupported transaction command in PL/pgSQL"))
	case KindModify, KindSelect:
		if f.fn.readOnly && kind == KindModify {
			return flowNext, e.sqlError(notAllowed(e.node()))
		}
	default:
		if f.fn.readOnly {
			return flowNext, e.sqlError(notAllowed(e.node()))
		}
	}
	if s.into == nil {
		if len(e.analyzed.Result) > 0 && (kind == KindSelect || kind == KindModify) {
			err := pgerr.New(pgerr.SyntaxError, "query has no destination for result data")
			if kind == KindSelect {
				err = err.WithHint("If you want to discard the results of a SELECT, use PERFORM instead.")
			}
			return flowNext, err
		}
		n, err := e.runCounted(f, 0, func(types.Row) error { return nil })
		if err == nil {
			f.finishSQL(kind, n)
		}
		return flowNext, err
	}
	return flowNext, s.execInto(f, kind)
}

// finishSQL sets FOUND and ROW_COUNT after a statement.
func (f *frame) finishSQL(kind Kind, n int64) {
	if kind == KindSelect || kind == KindModify {
		f.setFound(n > 0)
	}
	f.rowCount = n
}

// execInto runs the statement and assigns its first row. STRICT, and modifying statements, refuse a second one.
func (s *sqlStmt) execInto(f *frame, kind Kind) error {
	e := s.query
	if len(e.analyzed.Result) == 0 {
		return pgerr.New(pgerr.SyntaxError, "INTO used with a command that cannot return data")
	}
	if s.descOf != any(e.analyzed) {
		var err error
		if s.desc, err = f.rt.resultDesc(e.analyzed.Result); err != nil {
			return err
		}
		s.descOf = e.analyzed
	}
	max := int64(1)
	if s.strict || kind == KindModify {
		max = 2
	}
	if kind != KindSelect {
		max = 0
	}
	var first types.Row
	rows := 0
	n, err := e.runCounted(f, max, func(row types.Row) error {
		if rows++; rows == 1 {
			first = cloneRow(row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := s.checkStrict(f, rows, kind); err != nil {
		return err
	}
	desc := s.desc
	if first == nil {
		desc = nil
		if s.into.kind == recordDatum && s.into.typ.oid == types.RecordOID {
			r := f.records[s.into.number]
			*r = record{desc: s.desc, values: nullRow(len(s.desc.Attrs)), null: true}
			f.finishSQL(kind, n)
			return nil
		}
	}
	f.finishSQL(kind, n)
	return f.assignRow(s.into, desc, first)
}

func (s *sqlStmt) checkStrict(f *frame, rows int, kind Kind) error {
	if rows == 0 && s.strict {
		return s.paramsDetail(f, pgerr.New(pgerr.NoDataFound, "query returned no rows"))
	}
	if rows > 1 && (s.strict || kind == KindModify) {
		e := s.paramsDetail(f, pgerr.New(pgerr.TooManyRows, "query returned more than one row"))
		return e.WithHint("Make sure the query returns a single row, or use LIMIT 1.")
	}
	return nil
}

// paramsDetail lists the parameters' values, when the function asks for it.
func (s *sqlStmt) paramsDetail(f *frame, e *pgerr.Error) *pgerr.Error {
	if !f.fn.strictParams || len(s.query.params) == 0 {
		return e
	}
	var parts []string
	for i := range s.query.params {
		p := &s.query.params[i]
		v, err := f.paramValue(p)
		if err != nil {
			return e
		}
		name := p.d.name
		if p.field != "" {
			name += "." + p.field
		}
		parts = append(parts, name+" = "+f.rt.quoted(v, p.typ))
	}
	return e.WithDetail("parameters: %s", strings.Join(parts, ", "))
}

// quoted shows a value for a message.
func (rt *Runtime) quoted(v types.Datum, typ types.OID) string {
	if v.IsNull() {
		return "NULL"
	}
	s, err := types.Output(rt.host.Backend().Env, typ, v)
	if err != nil {
		return "?"
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

func cloneRow(row types.Row) types.Row {
	out := make(types.Row, len(row))
	for i := range row {
		out[i] = row[i].Clone()
	}
	return out
}

// resultDesc makes the row type of a statement's result.
func (rt *Runtime) resultDesc(cols []*query.TargetEntry) (*types.TupleDesc, error) {
	list := make([]types.RecordColumn, len(cols))
	for i, t := range cols {
		list[i] = types.RecordColumn{Name: t.Name, Type: t.Expr.Type(), TypMod: t.Expr.TypMod(), Collation: t.Expr.Collation()}
	}
	return types.NewRecordDesc(rt.host.Backend().Env, list)
}

// readyStatement brings a statement's analysis up to date.
func (e *expression) readyStatement(f *frame) error {
	e.prepare(f)
	a, err := e.query.Analyze()
	if err != nil {
		return e.sqlError(err)
	}
	e.analyzed = a
	return nil
}

// sqlErrorNoPlace passes an error on as the language's own.
func (e *expression) sqlErrorNoPlace(err *pgerr.Error) error { return err }

// notAllowed is the refusal of a statement that writes in a function that is not volatile.
func notAllowed(n *pg_query.Node) *pgerr.Error {
	return pgerr.New(pgerr.FeatureNotSupported, "%s is not allowed in a non-volatile function", parse.CommandTag(n))
}

// performStmt is PERFORM query.
type performStmt struct {
	stmtBase
	query *expression
}

func parsePerform(p *parser, start token) statement {
	s := &performStmt{stmtBase: stmtBase{p.line(start), "PERFORM"}}
	first := p.peek()
	from, end := p.capture("statement", ";")
	if from == end {
		p.failAt(first, "syntax error")
	}
	p.expect(";")
	// The text becomes a SELECT, which errors show; PERFORM is one letter longer.
	s.query = p.bare("SELECT "+p.src[from:end], formStatement)
	p.checkSyntaxOf(s.query, s.query.text, max(from-len("SELECT "), 0))
	return s
}

func (s *performStmt) exec(f *frame) (flow, error) {
	if err := s.query.readyStatement(f); err != nil {
		return flowNext, err
	}
	n, err := s.query.runCounted(f, 0, func(types.Row) error { return nil })
	if err == nil {
		f.finishSQL(KindSelect, n)
	}
	return flowNext, err
}

// executeStmt is EXECUTE text [INTO [STRICT] target] [USING values].
type executeStmt struct {
	stmtBase
	text   *expression
	into   *datum
	strict bool
	using  []*expression
}

func parseExecute(p *parser, start token) statement {
	s := &executeStmt{stmtBase: stmtBase{p.line(start), "EXECUTE"}}
	s.text = p.expression("into", "using", ";")
	for {
		switch {
		case p.at("into"):
			if s.into != nil {
				p.syntaxError()
			}
			p.next()
			s.strict = p.accept("strict")
			s.into = p.intoTarget()
		case p.at("using"):
			if s.using != nil {
				p.syntaxError()
			}
			p.next()
			s.using = p.usingList("into", ";")
		default:
			p.expect(";")
			return s
		}
	}
}

// usingList reads expressions between commas.
func (p *parser) usingList(until ...string) []*expression {
	var list []*expression
	for {
		list = append(list, p.expression(append([]string{","}, until...)...))
		if !p.accept(",") {
			return list
		}
	}
}

func (s *executeStmt) exec(f *frame) (flow, error) {
	d, err := f.dynamic(s.text, s.using)
	if err != nil {
		return flowNext, err
	}
	if err := d.e.readyStatement(f); err != nil {
		return flowNext, err
	}
	switch d.e.query.Kind() {
	case KindTransaction:
		return flowNext, pgerr.New(pgerr.FeatureNotSupported, "EXECUTE of transaction commands is not implemented")
	case KindSelectInto:
		if s.into == nil {
			return flowNext, pgerr.New(pgerr.FeatureNotSupported, "EXECUTE of SELECT ... INTO is not implemented").
				WithHint("You might want to use EXECUTE ... INTO or EXECUTE CREATE TABLE ... AS instead.")
		}
	case KindModify:
		if f.fn.readOnly {
			return flowNext, d.e.sqlError(notAllowed(d.e.node()))
		}
	}
	if s.into == nil {
		n, err := d.run(f, 0, func(types.Row) error { return nil })
		if err == nil {
			f.rowCount = n
		}
		return flowNext, err
	}
	return flowNext, s.execInto(f, d)
}

func (s *executeStmt) execInto(f *frame, d *dynamic) error {
	if len(d.e.analyzed.Result) == 0 {
		return pgerr.New(pgerr.SyntaxError, "INTO used with a command that cannot return data")
	}
	desc, err := f.rt.resultDesc(d.e.analyzed.Result)
	if err != nil {
		return err
	}
	max := int64(1)
	if s.strict {
		max = 2
	}
	if d.e.query.Kind() != KindSelect {
		max = 0
	}
	var first types.Row
	rows := 0
	n, err := d.run(f, max, func(row types.Row) error {
		if rows++; rows == 1 {
			first = cloneRow(row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if rows == 0 && s.strict {
		return pgerr.New(pgerr.NoDataFound, "query returned no rows")
	}
	if rows > 1 && s.strict {
		return pgerr.New(pgerr.TooManyRows, "query returned more than one row")
	}
	f.rowCount = n
	if first == nil {
		desc = nil
	}
	return f.assignRow(s.into, desc, first)
}

// dynamic is a statement whose text was computed, with the values of USING.
type dynamic struct {
	e      *expression
	values []types.Datum
}

// dynamic computes a statement's text and parameters and prepares it for this one time.
func (f *frame) dynamic(text *expression, using []*expression) (*dynamic, error) {
	sql, null, err := text.evalText(f)
	if err != nil {
		return nil, err
	}
	if null {
		return nil, pgerr.New(pgerr.NullValueNotAllowed, "query string argument of EXECUTE is null")
	}
	d := &dynamic{}
	var typs []types.OID
	for _, u := range using {
		v, typ, _, err := u.eval(f)
		if err != nil {
			return nil, err
		}
		if typ == types.UnknownOID {
			typ = types.TextOID
		}
		d.values, typs = append(d.values, v), append(typs, typ)
	}
	d.e = &expression{fn: f.fn, rt: f.rt, text: sql, form: formStatement}
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, d.e.sqlError(err)
	}
	if len(stmts) != 1 {
		if len(stmts) == 0 {
			return nil, pgerr.New(pgerr.SyntaxError, "query string argument of EXECUTE is empty")
		}
		return nil, pgerr.NotSupported("EXECUTE of several statements")
	}
	d.e.stmt = stmts[0]
	d.e.query = f.rt.host.Prepare(stmts[0], sql, Hooks{ParamTypes: func() []types.OID { return typs }, Param: fixedParams(f.rt, typs)})
	return d, nil
}

// fixedParams resolves $n as the n-th value of USING.
func fixedParams(rt *Runtime, typs []types.OID) func(n, at int) (query.Expr, error) {
	return func(n, at int) (query.Expr, error) {
		if n < 1 || n > len(typs) {
			return nil, pgerr.New(pgerr.UndefinedParameter, "there is no parameter $%d", n).WithLocation(at)
		}
		t, err := rt.typeOf(typs[n-1], -1)
		return &query.Param{Kind: query.ParamExtern, ID: n, TypeOID: typs[n-1], Mod: -1, Coll: t.coll, Loc: at}, err
	}
}

func (d *dynamic) run(f *frame, max int64, out func(types.Row) error) (int64, error) {
	save := f.running
	f.running = d.e
	n, err := d.e.query.Run(d.values, f.fn.readOnly, max, out)
	f.running = save
	if err != nil {
		return n, d.e.sqlError(err)
	}
	return n, nil
}
