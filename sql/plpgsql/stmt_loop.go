package plpgsql

import (
	"math"
	"strconv"

	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func itoa(n int) string { return strconv.Itoa(n) }

// loopParsers read the loops, by their first word; label is "" when there is none.
var loopParsers map[string]func(p *parser, start token, label string) statement

func init() {
	loopParsers = map[string]func(p *parser, start token, label string) statement{
		"loop": parseLoop, "while": parseWhile, "for": parseFor, "foreach": parseForeach,
	}
}

// loopBody reads LOOP ... END LOOP [label];
func (p *parser) loopBody(label string) []statement {
	p.expect("loop")
	body := p.statements("end")
	p.expect("end")
	p.expect("loop")
	p.endLabel(label)
	p.expect(";")
	return body
}

// round runs a loop's body once. done says that the loop is over; then fl is how control goes on after it.
func (f *frame) round(body []statement, label string) (fl flow, done bool, err error) {
	fl, err = f.run(body)
	if err != nil {
		return flowNext, true, err
	}
	switch fl {
	case flowExit, flowContinue:
		if f.exitLabel != "" && f.exitLabel != label {
			return fl, true, nil
		}
		f.exitLabel = ""
		return flowNext, fl == flowExit, nil
	case flowReturn:
		return fl, true, nil
	}
	return flowNext, false, nil
}

// loopStmt is LOOP or WHILE.
type loopStmt struct {
	stmtBase
	label string
	while *expression // nil: for ever
	body  []statement
}

func parseLoop(p *parser, start token, label string) statement {
	s := &loopStmt{stmtBase: stmtBase{p.line(start), "LOOP"}, label: label}
	p.push(label, true)
	defer p.pop()
	p.pos-- // LOOP belongs to the body
	s.body = p.loopBody(label)
	return s
}

func parseWhile(p *parser, start token, label string) statement {
	s := &loopStmt{stmtBase: stmtBase{p.line(start), "WHILE"}, label: label}
	p.push(label, true)
	defer p.pop()
	s.while = p.expression("loop")
	s.body = p.loopBody(label)
	return s
}

func (s *loopStmt) exec(f *frame) (flow, error) {
	backend := f.rt.host.Backend()
	for {
		if err := backend.Interrupted(); err != nil {
			return flowNext, err
		}
		if s.while != nil {
			yes, _, err := s.while.evalBool(f)
			if err != nil || !yes {
				return flowNext, err
			}
		}
		if fl, done, err := f.round(s.body, s.label); done || err != nil {
			return fl, err
		}
	}
}

// parseFor reads one of the four FOR loops.
func parseFor(p *parser, start token, label string) statement {
	line := p.line(start)
	p.push(label, true)
	defer p.pop()
	targetAt := p.peek()
	names, tg := p.loopTarget()
	p.expect("in")
	switch {
	case p.at("execute"):
		p.next()
		return p.forExecute(line, label, targetAt, tg)
	case p.peek().isName():
		if d, used := p.scope.lookup([]string{p.peek().word}); d != nil && used == 1 && d.typ.oid == types.RefcursorOID && (p.tokenIs(p.peekAt(1), "(") || p.tokenIs(p.peekAt(1), "loop")) {
			return p.forCursor(line, label, names, d)
		}
	}
	return p.forRangeOrQuery(line, label, targetAt, names, tg)
}

// loopTarget reads the variable of a FOR loop: a new name, or known variables.
func (p *parser) loopTarget() (names []string, tg *datum) {
	t := p.peek()
	if !t.isName() {
		p.syntaxError()
	}
	save := p.pos
	names = p.dottedNames()
	d, used := p.scope.lookup(names)
	if d == nil {
		if p.at(",") {
			p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a known variable", dotted(names))
		}
		return names, nil
	}
	if d.kind == scalarDatum && used == len(names) && !p.at(",") {
		return names, p.singleTarget(target{d: d}, p.line(t))
	}
	p.pos = save
	return names, p.intoTarget()
}

// singleTarget makes a list of one.
func (p *parser) singleTarget(tg target, line int) *datum {
	row := p.newDatum(listDatum, "(unnamed row)", line, varType{})
	row.targets, row.names = []target{tg}, []string{tg.d.name}
	return row
}

// needTarget is for loops over rows: their variable must exist.
func (p *parser) needTarget(at token, tg *datum) *datum {
	if tg == nil {
		p.fail(at.start, pgerr.SyntaxError, "loop variable of loop over rows must be a record variable or list of scalar variables")
	}
	return tg
}

// forRangeOrQuery reads FOR i IN [REVERSE] a .. b [BY c], or FOR r IN query.
func (p *parser) forRangeOrQuery(line int, label string, at token, names []string, tg *datum) statement {
	reverse := false
	save := p.pos
	if p.at("reverse") {
		p.next()
		reverse = true
	}
	if !p.rangeAhead() {
		p.pos = save
		s := &forQuery{stmtBase: stmtBase{line, "FOR over SELECT rows"}, label: label, target: p.needTarget(at, tg)}
		start, end := p.capture("statement", "loop")
		if start == end {
			p.failAt(p.peek(), "missing expression")
		}
		s.query = p.newStatement(p.src[start:end], start)
		s.body = p.loopBody(label)
		return s
	}
	if len(names) > 1 || tg != nil && len(tg.targets) > 1 || p.tokenIs(p.toks[p.pos], ",") {
		p.fail(at.start, pgerr.SyntaxError, "integer FOR loop must have only one target variable")
	}
	s := &forInt{stmtBase: stmtBase{line, "FOR with integer loop variable"}, label: label, reverse: reverse}
	s.lower = p.expressionBeforeDots()
	s.upper = p.expression("loop", "by")
	if p.accept("by") {
		s.step = p.expression("loop")
	}
	// The variable is a new one, whatever the name meant before.
	s.v = p.declare(names[0], line, varType{oid: types.Int4OID, mod: -1})
	s.body = p.loopBody(label)
	return s
}

// rangeAhead says whether a .. stands before LOOP.
func (p *parser) rangeAhead() bool {
	depth := 0
	for i := 0; ; i++ {
		t := p.peekAt(i)
		switch {
		case t.kind == parse.End || depth == 0 && p.tokenIs(t, "loop"):
			return false
		case p.tokenIs(t, "(") || p.tokenIs(t, "["):
			depth++
		case p.tokenIs(t, ")") || p.tokenIs(t, "]"):
			depth--
		case depth == 0 && p.isDots(i):
			return true
		}
	}
}

// isDots says whether token i ahead and its neighbour are "..".
func (p *parser) isDots(i int) bool {
	a, b := p.peekAt(i), p.peekAt(i+1)
	return p.tokenIs(a, ".") && p.tokenIs(b, ".") && a.end == b.start
}

// expressionBeforeDots reads the lower bound and the dots.
func (p *parser) expressionBeforeDots() *expression {
	start := p.peek().start
	from := p.pos
	for depth := 0; !(depth == 0 && p.isDots(0)); p.next() {
		if p.at("(") || p.at("[") {
			depth++
		} else if p.at(")") || p.at("]") {
			depth--
		}
	}
	if p.pos == from {
		p.failAt(p.peek(), "missing expression")
	}
	e := p.newExpression(start, p.toks[p.pos-1].end)
	p.next()
	p.next()
	return e
}

// forInt is FOR i IN a .. b.
type forInt struct {
	stmtBase
	label              string
	v                  *datum
	reverse            bool
	lower, upper, step *expression
	body               []statement
}

func (s *forInt) exec(f *frame) (flow, error) {
	lower, err := s.bound(f, s.lower, "lower bound")
	if err != nil {
		return flowNext, err
	}
	upper, err := s.bound(f, s.upper, "upper bound")
	if err != nil {
		return flowNext, err
	}
	step := int32(1)
	if s.step != nil {
		if step, err = s.bound(f, s.step, "BY value"); err != nil {
			return flowNext, err
		}
		if step <= 0 {
			return flowNext, pgerr.New(pgerr.InvalidParameterValue, "BY value of FOR loop must be greater than zero")
		}
	}
	found := false
	fl, done := flowNext, false
	for i := lower; !done; {
		if s.reverse && i < upper || !s.reverse && i > upper {
			break
		}
		found = true
		f.set(s.v, types.Int4(i))
		if fl, done, err = f.round(s.body, s.label); err != nil {
			return flowNext, err
		}
		if s.reverse {
			if i < math.MinInt32+step {
				break
			}
			i -= step
		} else {
			if i > math.MaxInt32-step {
				break
			}
			i += step
		}
	}
	f.setFound(found)
	return fl, nil
}

func (s *forInt) bound(f *frame, e *expression, what string) (int32, error) {
	n, null, err := e.evalInt(f)
	if err == nil && null {
		err = pgerr.New(pgerr.NullValueNotAllowed, "%s of FOR loop cannot be null", what)
	}
	return n, err
}

// foreachStmt is FOREACH x [SLICE n] IN ARRAY expression.
type foreachStmt struct {
	stmtBase
	label  string
	target target
	list   *datum // the target when it is a record or list
	slice  int
	array  *expression
	body   []statement
}

func parseForeach(p *parser, start token, label string) statement {
	s := &foreachStmt{stmtBase: stmtBase{p.line(start), "FOREACH over array"}, label: label}
	p.push(label, true)
	defer p.pop()
	t := p.peek()
	if !t.isName() {
		p.syntaxError()
	}
	d := p.intoTarget()
	if d.kind == listDatum && len(d.targets) == 1 {
		s.target = d.targets[0]
	} else {
		s.target = target{d: d}
	}
	if p.accept("slice") {
		n := p.next()
		v, err := strconv.Atoi(p.text(n))
		if n.kind != parse.Number || err != nil {
			p.pos--
			p.syntaxError()
		}
		s.slice = v
	}
	p.expect("in")
	p.expect("array")
	s.array = p.expression("loop")
	s.body = p.loopBody(label)
	return s
}

func (s *foreachStmt) exec(f *frame) (flow, error) {
	v, typ, _, err := s.array.eval(f)
	if err != nil {
		return flowNext, err
	}
	if v.IsNull() {
		return flowNext, pgerr.New(pgerr.NullValueNotAllowed, "FOREACH expression must not be null")
	}
	env := f.rt.host.AnalyzeEnv()
	t, err := env.Catalog.Type(typ)
	for err == nil && t.Kind == 'd' {
		t, err = env.Catalog.Type(t.BaseType)
	}
	if err != nil {
		return flowNext, err
	}
	if t.Elem == 0 || t.Len != -1 {
		return flowNext, pgerr.New(pgerr.DatatypeMismatch, "FOREACH expression must yield an array, not type %s", types.FormatType(env.Types, typ))
	}
	if err := s.checkSlice(f, v); err != nil {
		return flowNext, err
	}
	elem, err := env.Types.TypeByOID(t.Elem)
	if err != nil {
		return flowNext, err
	}
	values, err := types.ArrayElements(elem, v, nil)
	if err != nil {
		return flowNext, err
	}
	return s.loop(f, v, values, elem, t.OID)
}

// checkSlice compares SLICE with the array and the variable.
func (s *foreachStmt) checkSlice(f *frame, arr types.Datum) error {
	if n := types.ArrayNDims(arr); s.slice < 0 || s.slice > n {
		return pgerr.New(pgerr.ArraySubscriptError, "slice dimension (%d) is out of the valid range 0..%d", s.slice, n)
	}
	isArray := false
	if s.target.field == "" && s.target.d.kind == scalarDatum {
		t, err := f.rt.host.AnalyzeEnv().Catalog.Type(s.target.d.typ.oid)
		if err != nil {
			return err
		}
		isArray = t.Elem != 0 && t.Len == -1
	}
	if s.slice > 0 && s.target.field == "" && !isArray {
		return pgerr.New(pgerr.DatatypeMismatch, "FOREACH ... SLICE loop variable must be of an array type")
	}
	if s.slice == 0 && isArray {
		return pgerr.New(pgerr.DatatypeMismatch, "FOREACH loop variable must not be of an array type")
	}
	return nil
}

func (s *foreachStmt) loop(f *frame, arr types.Datum, values []types.Datum, elem *types.TypeInfo, arrayType types.OID) (flow, error) {
	size, typ := 1, elem.OID
	var dims, lower []int32
	if s.slice > 0 {
		typ = arrayType
		for i := types.ArrayNDims(arr) - s.slice; i < types.ArrayNDims(arr); i++ {
			n, lb := types.ArrayBounds(arr, i)
			dims, lower = append(dims, n), append(lower, lb)
			size *= int(n)
		}
	}
	found := false
	for at := 0; at < len(values); at += size {
		found = true
		v := values[at]
		if s.slice > 0 {
			v = types.BuildArray(elem, values[at:at+size], dims, lower)
		}
		if err := f.assign(s.target, v.Clone(), typ, -1); err != nil {
			return flowNext, err
		}
		if fl, done, err := f.round(s.body, s.label); done || err != nil {
			if err == nil {
				f.setFound(found)
			}
			return fl, err
		}
	}
	f.setFound(found)
	return flowNext, nil
}
