package plpgsql

import (
	"strings"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
)

func init() { stmtParsers["raise"] = parseRaise }

// raiseStmt is RAISE.
type raiseStmt struct {
	stmtBase
	level   string // "EXCEPTION" for an error
	again   bool   // RAISE alone: the error that is being handled
	code    pgerr.Code
	named   string // the condition's name: the message when there is no other
	format  *string
	args    []*expression
	options []raiseOption
}

type raiseOption struct {
	name  string
	value *expression
}

var raiseLevels = map[string]string{"exception": "EXCEPTION", "warning": "WARNING", "notice": "NOTICE", "info": "INFO", "log": "LOG", "debug": "DEBUG1"}

func parseRaise(p *parser, start token) statement {
	s := &raiseStmt{stmtBase: stmtBase{p.line(start), "RAISE"}, level: "EXCEPTION"}
	if p.accept(";") {
		s.again = true
		return s
	}
	if t := p.peek(); t.kind == parse.Ident && raiseLevels[t.word] != "" {
		p.next()
		s.level = raiseLevels[t.word]
	}
	t := p.peek()
	switch {
	case t.kind == parse.String:
		p.next()
		format := p.stringValue(t)
		s.format = &format
		for p.accept(",") {
			s.args = append(s.args, p.expression(",", "using", ";"))
		}
	case t.is("using"):
	case t.is("sqlstate"):
		p.next()
		s.code = p.sqlstateLiteral()
		s.named = string(s.code)
	default:
		s.named = p.word("")
		codes := conditionCodes(s.named)
		if codes == nil || codes[0] == othersCondition {
			p.fail(t.start, pgerr.UndefinedObject, "unrecognized exception condition \"%s\"", s.named)
		}
		s.code = codes[0]
		for _, c := range codes {
			s.code = min(s.code, c)
		}
	}
	if p.accept("using") {
		p.raiseOptions(s)
	}
	p.expect(";")
	p.checkPlaceholders(s, start)
	return s
}

func (p *parser) raiseOptions(s *raiseStmt) {
	for {
		t := p.peek()
		name := p.word("")
		switch name {
		case "errcode", "message", "detail", "hint", "column", "constraint", "datatype", "table", "schema":
		default:
			p.failAt(t, "unrecognized RAISE statement option")
		}
		if !p.accept("=") {
			p.expect(":=")
		}
		s.options = append(s.options, raiseOption{name, p.expression(",", ";")})
		if !p.accept(",") {
			return
		}
	}
}

// checkPlaceholders compares the number of % with that of the arguments.
func (p *parser) checkPlaceholders(s *raiseStmt, start token) {
	if s.format == nil {
		return
	}
	n := strings.Count(strings.ReplaceAll(*s.format, "%%", ""), "%")
	if n < len(s.args) {
		p.fail(start.start, pgerr.SyntaxError, "too many parameters specified for RAISE")
	}
	if n > len(s.args) {
		p.fail(start.start, pgerr.SyntaxError, "too few parameters specified for RAISE")
	}
}

func (s *raiseStmt) exec(f *frame) (flow, error) {
	if s.again {
		if f.caught == nil {
			return flowNext, pgerr.New(pgerr.StackedDiagnosticsAccessedWithoutActiveHandler, "RAISE without parameters cannot be used outside an exception handler")
		}
		return flowNext, &located{err: f.caught, frame: f}
	}
	e := &pgerr.Error{Code: s.code, Message: ""}
	message, hasMessage, err := s.message(f)
	if err != nil {
		return flowNext, err
	}
	if hasMessage {
		e.Message = message
	}
	if hasMessage, err = s.applyOptions(f, e, hasMessage); err != nil {
		return flowNext, err
	}
	if e.Code == "" && s.level == "EXCEPTION" {
		e.Code = pgerr.RaiseException
	}
	if !hasMessage {
		e.Message = s.named
		if s.named == "" {
			e.Message = string(e.Code)
		}
	}
	if s.level == "EXCEPTION" {
		return flowNext, e
	}
	e.Severity = s.level
	if e.Code == "" {
		e.Code = pgerr.SuccessfulCompletion
		if s.level == "WARNING" {
			e.Code = pgerr.Warning
		}
	}
	e.Context = f.rt.callStack()
	f.rt.host.Notice(e)
	return flowNext, nil
}

// message fills the format's placeholders.
func (s *raiseStmt) message(f *frame) (string, bool, error) {
	if s.format == nil {
		return "", false, nil
	}
	var b strings.Builder
	n := 0
	for i := 0; i < len(*s.format); i++ {
		c := (*s.format)[i]
		if c != '%' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(*s.format) && (*s.format)[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		text, null, err := s.args[n].evalText(f)
		if err != nil {
			return "", false, err
		}
		if null {
			text = "<NULL>"
		}
		b.WriteString(text)
		n++
	}
	return b.String(), true, nil
}

func (s *raiseStmt) applyOptions(f *frame, e *pgerr.Error, hasMessage bool) (bool, error) {
	seen := map[string]bool{}
	for _, o := range s.options {
		text, null, err := o.value.evalText(f)
		if err != nil {
			return false, err
		}
		if null {
			return false, pgerr.New(pgerr.NullValueNotAllowed, "RAISE statement option cannot be null")
		}
		if seen[o.name] || o.name == "message" && hasMessage || o.name == "errcode" && s.code != "" {
			return false, pgerr.New(pgerr.SyntaxError, "RAISE option already specified: %s", strings.ToUpper(o.name))
		}
		seen[o.name] = true
		switch o.name {
		case "errcode":
			if e.Code, err = errorCode(text); err != nil {
				return false, err
			}
			s.setDefaultName(text)
		case "message":
			e.Message, hasMessage = text, true
		case "detail":
			e.Detail = text
		case "hint":
			e.Hint = text
		case "column":
			e.Column = text
		case "constraint":
			e.Constraint = text
		case "datatype":
			e.DataType = text
		case "table":
			e.Table = text
		case "schema":
			e.Schema = text
		}
	}
	return hasMessage, nil
}

// setDefaultName: without any message, the condition that ERRCODE named is the message.
func (s *raiseStmt) setDefaultName(text string) {
	if s.named == "" {
		s.named = text
	}
}

// errorCode reads ERRCODE: five characters, or a condition's name.
func errorCode(text string) (pgerr.Code, error) {
	if validState(text) {
		return pgerr.Code(text), nil
	}
	codes := conditionCodes(text)
	if codes == nil || codes[0] == othersCondition {
		return "", pgerr.New(pgerr.UndefinedObject, "unrecognized exception condition \"%s\"", text)
	}
	code := codes[0]
	for _, c := range codes {
		code = min(code, c)
	}
	return code, nil
}
