package plpgsql

import (
	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { stmtParsers["return"] = parseReturn }

// returnStmt is RETURN [value].
type returnStmt struct {
	stmtBase
	value  *expression
	record *datum // RETURN of a record or row variable as a whole
}

func parseReturn(p *parser, start token) statement {
	line := p.line(start)
	switch {
	case p.accept("next"):
		return p.returnNext(line)
	case p.accept("query"):
		return p.returnQuery(line)
	}
	s := &returnStmt{stmtBase: stmtBase{line, "RETURN"}}
	fn := p.fn
	t := p.peek()
	switch {
	case fn.retSet:
		if !p.at(";") {
			p.fail(t.start, pgerr.DatatypeMismatch, "RETURN cannot have a parameter in function returning set")
		}
	case fn.retVoid || fn.proc != nil && fn.proc.Kind == 'p' || fn.proc == nil:
		if !p.at(";") {
			if fn.proc != nil && fn.proc.Kind == 'p' {
				p.fail(t.start, pgerr.DatatypeMismatch, "RETURN cannot have a parameter in a procedure")
			}
			p.fail(t.start, pgerr.DatatypeMismatch, "RETURN cannot have a parameter in function returning void")
		}
	case fn.out != nil:
		if !p.at(";") {
			p.fail(t.start, pgerr.DatatypeMismatch, "RETURN cannot have a parameter in function with OUT parameters")
		}
	default:
		if p.at(";") {
			p.failAt(t, "missing expression")
		}
		s.value, s.record = p.returnValue()
	}
	p.expect(";")
	return s
}

// returnValue reads the value of RETURN: a record variable, or an expression.
func (p *parser) returnValue() (*expression, *datum) {
	if t := p.peek(); t.isName() && p.tokenIs(p.peekAt(1), ";") {
		if d, used := p.scope.lookup([]string{t.word}); used == 1 && d.kind == recordDatum {
			p.next()
			return nil, d
		}
	}
	return p.expression(";"), nil
}

func (s *returnStmt) exec(f *frame) (flow, error) {
	switch {
	case s.record != nil:
		v, err := f.recordValue(s.record)
		if err != nil {
			return flowNext, err
		}
		f.ret = v
		f.retType, f.retMod = f.paramType(&param{d: s.record})
	case s.value != nil:
		v, typ, mod, err := s.value.eval(f)
		if err != nil {
			return flowNext, err
		}
		f.ret, f.retType, f.retMod = v, typ, mod
	}
	return flowReturn, nil
}

// returnNextStmt is RETURN NEXT [value].
type returnNextStmt struct {
	stmtBase
	value  *expression
	record *datum
}

func (p *parser) returnNext(line int) statement {
	t := p.peek()
	if !p.fn.retSet {
		p.fail(p.toks[p.pos-1].start, pgerr.DatatypeMismatch, "cannot use RETURN NEXT in a non-SETOF function")
	}
	s := &returnNextStmt{stmtBase: stmtBase{line, "RETURN NEXT"}}
	if p.fn.out != nil {
		if !p.at(";") {
			p.fail(t.start, pgerr.DatatypeMismatch, "RETURN NEXT cannot have a parameter in function with OUT parameters")
		}
		p.next()
		return s
	}
	if p.at(";") {
		p.failAt(t, "missing expression")
	}
	s.value, s.record = p.returnValue()
	p.expect(";")
	return s
}

func (s *returnNextStmt) exec(f *frame) (flow, error) {
	if err := f.openStore(); err != nil {
		return flowNext, err
	}
	switch {
	case s.record != nil:
		r := f.records[s.record.number]
		if desc, err := f.shape(s.record); err != nil {
			return flowNext, err
		} else if desc == nil {
			return flowNext, notAssigned(s.record)
		}
		return flowNext, f.addRow(r.desc, r.values)
	case s.value != nil:
		v, typ, mod, err := s.value.eval(f)
		if err != nil {
			return flowNext, err
		}
		return flowNext, f.addValue(v, typ, mod)
	}
	return flowNext, f.addOut()
}

// addOut adds the OUT parameters' present values to the set.
func (f *frame) addOut() error {
	out := f.fn.out
	if out.kind != listDatum {
		v, err := f.paramValue(&param{d: out})
		if err != nil {
			return err
		}
		typ, mod := f.paramType(&param{d: out})
		return f.addValue(v, typ, mod)
	}
	row := make(types.Row, len(out.targets))
	for i, tg := range out.targets {
		var err error
		if row[i], err = f.paramValue(&param{d: tg.d}); err != nil {
			return err
		}
	}
	return f.store.Add(row)
}

// addValue adds a value to the set: a composite one is taken apart when the set's rows have columns.
func (f *frame) addValue(v types.Datum, typ types.OID, mod int32) error {
	if f.desc == nil {
		out, err := f.rt.cast(v, typ, mod, f.fn.ret.oid, f.fn.ret.mod)
		if err != nil {
			return err
		}
		return f.store.Add(types.Row{out})
	}
	row, err := f.isComposite(typ)
	if err != nil {
		return err
	}
	if !row {
		return pgerr.New(pgerr.DatatypeMismatch, "cannot return non-composite value from function returning composite type")
	}
	if v.IsNull() {
		return f.store.Add(nullRow(len(f.desc.Attrs)))
	}
	desc, fields, err := types.RecordFields(f.rt.host.Backend().Env, v, nil)
	if err != nil {
		return err
	}
	return f.addRow(desc, fields)
}

// addRow adds a row to the set, converted to the set's columns.
func (f *frame) addRow(desc *types.TupleDesc, values types.Row) error {
	if f.desc == nil {
		if live := liveColumns(desc); len(live) == 1 {
			a := &desc.Attrs[live[0]]
			return f.addValue(values[live[0]], a.TypeOID, a.TypMod)
		}
		return pgerr.New(pgerr.DatatypeMismatch, "wrong record type supplied in RETURN NEXT")
	}
	row, err := f.rt.convertRow(desc, values, f.desc, "wrong record type supplied in RETURN NEXT")
	if err != nil {
		return err
	}
	return f.store.Add(row)
}

// convertRow converts a row to other columns by position; their number must agree and their types be alike or castable.
func (rt *Runtime) convertRow(from *types.TupleDesc, values types.Row, to *types.TupleDesc, message string) (types.Row, error) {
	live := liveColumns(from)
	out := nullRow(len(to.Attrs))
	n := 0
	for i := range to.Attrs {
		a := &to.Attrs[i]
		if a.Dropped {
			continue
		}
		if n < len(live) {
			src := &from.Attrs[live[n]]
			if src.TypeOID != a.TypeOID {
				env := rt.host.AnalyzeEnv().Types
				return nil, pgerr.New(pgerr.DatatypeMismatch, "%s", message).WithDetail("Returned type %s does not match expected type %s in column %d.",
					types.FormatType(env, src.TypeOID), types.FormatType(env, a.TypeOID), n+1)
			}
			v, err := rt.cast(values[live[n]], src.TypeOID, src.TypMod, a.TypeOID, a.TypMod)
			if err != nil {
				return nil, err
			}
			out[i] = v
		}
		n++
	}
	if n != len(live) {
		return nil, pgerr.New(pgerr.DatatypeMismatch, "%s", message).
			WithDetail("Number of returned columns (%d) does not match expected column count (%d).", len(live), n)
	}
	return out, nil
}

// openStore makes the store of the set when there is none yet.
func (f *frame) openStore() error {
	if f.store != nil {
		return nil
	}
	cols := 1
	if f.desc != nil {
		cols = len(f.desc.Attrs)
	}
	b := f.rt.host.Backend()
	f.store = executor.NewTuplestore(cols, b.WorkMem(), b.Temp)
	return nil
}

// returnQueryStmt is RETURN QUERY query, or RETURN QUERY EXECUTE text USING values.
type returnQueryStmt struct {
	stmtBase
	query *expression
	text  *expression
	using []*expression
}

func (p *parser) returnQuery(line int) statement {
	if !p.fn.retSet {
		p.fail(p.toks[p.pos-1].start, pgerr.DatatypeMismatch, "cannot use RETURN QUERY in a non-SETOF function")
	}
	s := &returnQueryStmt{stmtBase: stmtBase{line, "RETURN QUERY"}}
	if p.accept("execute") {
		s.text = p.expression("using", ";")
		if p.accept("using") {
			s.using = p.usingList(";")
		}
	} else {
		start, end := p.capture("statement", ";")
		if start == end {
			p.failAt(p.peek(), "missing expression")
		}
		s.query = p.newStatement(p.src[start:end], start)
	}
	p.expect(";")
	return s
}

func (s *returnQueryStmt) exec(f *frame) (flow, error) {
	if err := f.openStore(); err != nil {
		return flowNext, err
	}
	var n int64
	var convert func(types.Row) error
	if s.query != nil {
		err := s.query.readyStatement(f)
		if err == nil {
			convert, err = f.queryRows(s.query)
		}
		if err == nil {
			n, err = s.query.runCounted(f, 0, convert)
		}
		if err != nil {
			return flowNext, err
		}
	} else {
		d, err := f.dynamic(s.text, s.using)
		if err == nil {
			err = d.e.readyStatement(f)
		}
		if err == nil {
			convert, err = f.queryRows(d.e)
		}
		if err == nil {
			n, err = d.run(f, 0, convert)
		}
		if err != nil {
			return flowNext, err
		}
	}
	f.rowCount = n
	f.setFound(n > 0)
	return flowNext, nil
}

// queryRows gives what adds the query's rows to the set, having checked that they fit.
func (f *frame) queryRows(e *expression) (func(types.Row) error, error) {
	const message = "structure of query does not match function result type"
	if len(e.analyzed.Result) == 0 {
		return nil, e.sqlError(pgerr.New(pgerr.SyntaxError, "%s query does not return tuples", parse.CommandTag(e.node())))
	}
	from, err := f.rt.resultDesc(e.analyzed.Result)
	if err != nil {
		return nil, err
	}
	to := f.desc
	if to == nil {
		to, err = types.NewRecordDesc(f.rt.host.Backend().Env, []types.RecordColumn{{Type: f.fn.ret.oid, TypMod: f.fn.ret.mod}})
		if err != nil {
			return nil, err
		}
	}
	if _, err := f.rt.convertRow(from, nullRow(len(from.Attrs)), to, message); err != nil {
		return nil, err
	}
	return func(row types.Row) error {
		out, err := f.rt.convertRow(from, row, to, message)
		if err != nil {
			return err
		}
		return f.store.Add(out)
	}, nil
}
