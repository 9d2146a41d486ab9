package plpgsql

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	stmtParsers["get"] = parseGet
	stmtParsers["commit"] = parseTransaction
	stmtParsers["rollback"] = parseTransaction
}

// getStmt is GET [CURRENT | STACKED] DIAGNOSTICS.
type getStmt struct {
	stmtBase
	stacked bool
	items   []diagItem
}

type diagItem struct {
	target target
	name   string
}

// diagStacked says of each item whether it is about the error being handled.
var diagStacked = map[string]bool{
	"row_count": false, "pg_context": false,
	"returned_sqlstate": true, "message_text": true, "pg_exception_detail": true, "pg_exception_hint": true, "pg_exception_context": true,
	"column_name": true, "constraint_name": true, "pg_datatype_name": true, "table_name": true, "schema_name": true,
}

func parseGet(p *parser, start token) statement {
	s := &getStmt{stmtBase: stmtBase{p.line(start), "GET DIAGNOSTICS"}}
	if p.accept("stacked") {
		s.stacked = true
		s.name = "GET STACKED DIAGNOSTICS"
	} else {
		p.accept("current")
	}
	p.expect("diagnostics")
	for {
		t := p.peek()
		tg := p.targetName("")
		if tg.field == "" && tg.d.kind == recordDatum {
			p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a scalar variable", p.text(t))
		}
		if !p.accept("=") {
			p.expect(":=")
		}
		t = p.peek()
		name := p.word("")
		stacked, known := diagStacked[name]
		switch {
		case !known:
			p.failAt(t, "unrecognized GET DIAGNOSTICS item")
		case stacked && !s.stacked:
			p.fail(start.start, pgerr.SyntaxError, "diagnostics item %s is not allowed in GET CURRENT DIAGNOSTICS", upper(name))
		case !stacked && s.stacked:
			p.fail(start.start, pgerr.SyntaxError, "diagnostics item %s is not allowed in GET STACKED DIAGNOSTICS", upper(name))
		}
		s.items = append(s.items, diagItem{tg, name})
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return s
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 32
		}
	}
	return string(b)
}

func (s *getStmt) exec(f *frame) (flow, error) {
	if s.stacked && f.caught == nil {
		return flowNext, pgerr.New(pgerr.StackedDiagnosticsAccessedWithoutActiveHandler,
			"GET STACKED DIAGNOSTICS cannot be used outside an exception handler")
	}
	for _, item := range s.items {
		v, typ := types.Int8(f.rowCount), types.Int8OID
		if item.name != "row_count" {
			v, typ = types.Text(s.text(f, item.name)), types.TextOID
		}
		if err := f.assign(item.target, v, typ, -1); err != nil {
			return flowNext, err
		}
	}
	return flowNext, nil
}

func (s *getStmt) text(f *frame, name string) string {
	e := f.caught
	switch name {
	case "pg_context":
		return f.rt.callStack()
	case "returned_sqlstate":
		return string(e.Code)
	case "message_text":
		return e.Message
	case "pg_exception_detail":
		return e.Detail
	case "pg_exception_hint":
		return e.Hint
	case "pg_exception_context":
		return e.Context + f.outerStack()
	case "column_name":
		return e.Column
	case "constraint_name":
		return e.Constraint
	case "pg_datatype_name":
		return e.DataType
	case "table_name":
		return e.Table
	}
	return e.Schema
}

// transactionStmt is COMMIT or ROLLBACK [AND [NO] CHAIN] in a procedure.
type transactionStmt struct {
	stmtBase
	commit, chain bool
}

func parseTransaction(p *parser, start token) statement {
	s := &transactionStmt{stmtBase: stmtBase{p.line(start), upper(start.word)}, commit: start.word == "commit"}
	if p.accept("and") {
		if p.accept("no") {
			p.expect("chain")
		} else {
			p.expect("chain")
			s.chain = true
		}
	}
	p.expect(";")
	return s
}

func (s *transactionStmt) exec(f *frame) (flow, error) {
	if f.atomic {
		return flowNext, pgerr.New(pgerr.InvalidTransactionTermination, "invalid transaction termination")
	}
	if s.commit {
		return flowNext, f.rt.host.Commit(s.chain)
	}
	return flowNext, f.rt.host.Rollback(s.chain)
}
