package plpgsql

import (
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	stmtParsers["if"] = parseIf
	stmtParsers["case"] = parseCase
	stmtParsers["exit"] = parseExit
	stmtParsers["continue"] = parseExit
	stmtParsers["assert"] = parseAssert
}

// ifStmt is IF ... THEN ... ELSIF ... ELSE ... END IF.
type ifStmt struct {
	stmtBase
	branches  []branch
	otherwise []statement
}

type branch struct {
	line int
	when *expression
	then []statement
}

func parseIf(p *parser, start token) statement {
	s := &ifStmt{stmtBase: stmtBase{p.line(start), "IF"}}
	line := s.line
	for {
		b := branch{line: line, when: p.expression("then")}
		p.expect("then")
		b.then = p.statements("elsif", "elseif", "else", "end")
		s.branches = append(s.branches, b)
		line = p.line(p.peek())
		if !p.accept("elsif") && !p.accept("elseif") {
			break
		}
	}
	if p.accept("else") {
		s.otherwise = p.statements("end")
	}
	p.expect("end")
	p.expect("if")
	p.expect(";")
	return s
}

func (s *ifStmt) exec(f *frame) (flow, error) {
	for i := range s.branches {
		b := &s.branches[i]
		f.line = b.line
		yes, _, err := b.when.evalBool(f)
		if err != nil {
			return flowNext, err
		}
		if yes {
			return f.run(b.then)
		}
	}
	return f.run(s.otherwise)
}

// caseStmt is CASE [x] WHEN ... THEN ... ELSE ... END CASE. With an operand, that is kept in a variable which the conditions compare with.
type caseStmt struct {
	stmtBase
	operand   *expression
	value     *datum
	branches  []branch
	hasElse   bool
	otherwise []statement
}

func parseCase(p *parser, start token) statement {
	s := &caseStmt{stmtBase: stmtBase{p.line(start), "CASE"}}
	p.push("", false)
	defer p.pop()
	if !p.at("when") {
		s.operand = p.expression("when")
		s.value = p.declare("__case__variable_"+itoa(len(p.fn.datums))+"__", s.line, varType{oid: types.Int4OID, mod: -1})
	}
	for p.at("when") {
		line := p.line(p.next())
		first := p.peek()
		from, end := p.capture("expression", "then")
		if from == end {
			p.failAt(first, "missing expression")
		}
		b := branch{line: line}
		if s.operand != nil {
			text := `"` + s.value.name + `" IN (` + p.src[from:end] + ")"
			b.when = p.bare(text, formExpression)
			p.checkSyntax(b.when, from)
		} else {
			b.when = p.newExpression(from, end)
		}
		p.expect("then")
		b.then = p.statements("when", "else", "end")
		s.branches = append(s.branches, b)
	}
	if len(s.branches) == 0 {
		p.syntaxError()
	}
	if p.accept("else") {
		s.hasElse = true
		s.otherwise = p.statements("end")
	}
	p.expect("end")
	p.expect("case")
	p.expect(";")
	return s
}

func (s *caseStmt) exec(f *frame) (flow, error) {
	if s.operand != nil {
		v, typ, mod, err := s.operand.eval(f)
		if err != nil {
			return flowNext, err
		}
		if s.value.typ.oid != typ || s.value.typ.mod != mod {
			// The variable has the operand's type, which is known only now.
			if s.value.typ, err = f.rt.typeOf(typ, mod); err != nil {
				return flowNext, err
			}
			for i := range s.branches {
				s.branches[i].when.query = nil
				s.branches[i].when.analyzed = nil
			}
		}
		f.set(s.value, v)
	}
	for i := range s.branches {
		b := &s.branches[i]
		yes, _, err := b.when.evalBool(f)
		if err != nil {
			return flowNext, err
		}
		if yes {
			return f.run(b.then)
		}
	}
	if !s.hasElse {
		return flowNext, pgerr.New(pgerr.CaseNotFound, "case not found").WithHint("CASE statement is missing ELSE part.")
	}
	return f.run(s.otherwise)
}

// exitStmt is EXIT or CONTINUE [label] [WHEN condition].
type exitStmt struct {
	stmtBase
	flow  flow
	label string
	when  *expression
}

func parseExit(p *parser, start token) statement {
	s := &exitStmt{stmtBase: stmtBase{p.line(start), "EXIT"}, flow: flowExit}
	if start.word == "continue" {
		s.name, s.flow = "CONTINUE", flowContinue
	}
	if t := p.peek(); t.isName() || t.kind == parse.Ident && !t.is("when") && !p.at(";") {
		s.label = p.next().word
		sc := p.scope.findLabel(s.label)
		if sc == nil {
			p.fail(t.start, pgerr.SyntaxError, "there is no label \"%s\" attached to any block or loop enclosing this statement", s.label)
		}
		if s.flow == flowContinue && !sc.loop {
			p.fail(t.start, pgerr.SyntaxError, "block label \"%s\" cannot be used in CONTINUE", s.label)
		}
	} else if p.scope.findLoop() == nil {
		if s.flow == flowExit {
			p.fail(start.start, pgerr.SyntaxError, "EXIT cannot be used outside a loop, unless it has a label")
		}
		p.fail(start.start, pgerr.SyntaxError, "CONTINUE cannot be used outside a loop")
	}
	if p.accept("when") {
		s.when = p.expression(";")
	}
	p.expect(";")
	return s
}

func (s *exitStmt) exec(f *frame) (flow, error) {
	if s.when != nil {
		yes, _, err := s.when.evalBool(f)
		if err != nil || !yes {
			return flowNext, err
		}
	}
	f.exitLabel = s.label
	return s.flow, nil
}

// assertStmt is ASSERT condition [, message].
type assertStmt struct {
	stmtBase
	condition, message *expression
}

func parseAssert(p *parser, start token) statement {
	s := &assertStmt{stmtBase: stmtBase{p.line(start), "ASSERT"}}
	s.condition = p.expression(",", ";")
	if p.accept(",") {
		s.message = p.expression(";")
	}
	p.expect(";")
	return s
}

func (s *assertStmt) exec(f *frame) (flow, error) {
	if f.rt.host.Setting("plpgsql.check_asserts") == "off" {
		return flowNext, nil
	}
	yes, _, err := s.condition.evalBool(f)
	if err != nil || yes {
		return flowNext, err
	}
	message := "assertion failed"
	if s.message != nil {
		text, null, err := s.message.evalText(f)
		if err != nil {
			return flowNext, err
		}
		if !null {
			message = text
		}
	}
	return flowNext, pgerr.New(pgerr.AssertFailure, "%s", message)
}
