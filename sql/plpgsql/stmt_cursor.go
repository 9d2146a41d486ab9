package plpgsql

import (
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	stmtParsers["open"] = parseOpen
	stmtParsers["fetch"] = parseFetch
	stmtParsers["move"] = parseFetch
	stmtParsers["close"] = parseClose
}

// batchRows is how many rows a loop over a query takes at a time: the body may not run while the query does.
const batchRows = 50

// forQuery is FOR r IN query, FOR r IN EXECUTE text, or FOR r IN cursor.
type forQuery struct {
	stmtBase
	label  string
	target *datum
	query  *expression
	text   *expression
	using  []*expression
	cursor *datum
	args   []*expression
	body   []statement
}

func (p *parser) forExecute(line int, label string, at token, tg *datum) statement {
	s := &forQuery{stmtBase: stmtBase{line, "FOR over EXECUTE statement"}, label: label, target: p.needTarget(at, tg)}
	s.text = p.expression("using", "loop")
	if p.accept("using") {
		s.using = p.usingList("loop")
	}
	s.body = p.loopBody(label)
	return s
}

// forCursor reads FOR r IN cursor [(args)] LOOP; r is a new record.
func (p *parser) forCursor(line int, label string, names []string, c *datum) statement {
	t := p.next()
	if len(names) > 1 {
		p.fail(t.start, pgerr.SyntaxError, "cursor FOR loop must have only one target variable")
	}
	if c.cursor == nil {
		p.fail(t.start, pgerr.SyntaxError, "cursor FOR loop must use a bound cursor variable")
	}
	s := &forQuery{stmtBase: stmtBase{line, "FOR over cursor"}, label: label, cursor: c}
	s.args = p.cursorArgs(c, t)
	s.target = p.declare(names[0], line, varType{oid: types.RecordOID, mod: -1, row: true})
	s.body = p.loopBody(label)
	return s
}

// cursorArgs reads the arguments of a bound cursor, by position or by name, in the order of its declaration.
func (p *parser) cursorArgs(c *datum, at token) []*expression {
	n := len(c.cursor.args)
	if !p.at("(") {
		if n > 0 {
			p.failAt(p.peek(), "cursor \"%s\" has arguments", c.name)
		}
		return nil
	}
	if n == 0 {
		p.failAt(p.peek(), "cursor \"%s\" has no arguments", c.name)
	}
	p.next()
	args := make([]*expression, n)
	for i := 0; ; i++ {
		if i >= n {
			p.failAt(p.peek(), "too many arguments for cursor \"%s\"", c.name)
		}
		at := i
		if t := p.peek(); t.isName() && (p.tokenIs(p.peekAt(1), ":=") || p.tokenIs(p.peekAt(1), "=>")) {
			if at = c.cursor.argIndex(t.word); at < 0 {
				p.failAt(t, "cursor \"%s\" has no argument named \"%s\"", c.name, t.word)
			}
			p.next()
			p.next()
		}
		if args[at] != nil {
			p.failAt(p.peek(), "value for parameter \"%s\" of cursor \"%s\" is specified more than once", c.cursor.args[at].name, c.name)
		}
		args[at] = p.expression(",", ")")
		if !p.accept(",") {
			break
		}
	}
	for _, a := range args {
		if a == nil {
			p.failAt(p.peek(), "not enough arguments for cursor \"%s\"", c.name)
		}
	}
	p.expect(")")
	return args
}

func (c *cursorDecl) argIndex(name string) int {
	for i, a := range c.args {
		if a.name == name {
			return i
		}
	}
	return -1
}

func (s *forQuery) exec(f *frame) (flow, error) {
	name, analyzed, err := s.open(f)
	if err != nil {
		return flowNext, err
	}
	wasNull := s.cursor != nil && f.values[s.cursor.number].IsNull()
	if wasNull {
		f.set(s.cursor, types.Text(name))
	}
	fl, found, err := s.loop(f, name, analyzed)
	if c := f.rt.host.Cursor(name); c != nil && err == nil {
		c.Close()
	}
	if wasNull {
		f.set(s.cursor, types.Null)
	}
	if err != nil {
		return flowNext, err
	}
	f.setFound(found)
	return fl, nil
}

// open starts the loop's query.
func (s *forQuery) open(f *frame) (string, *plancache.Analyzed, error) {
	opts := CursorOptions{NoScroll: true, ReadOnly: f.fn.readOnly}
	switch {
	case s.text != nil:
		d, err := f.dynamic(s.text, s.using)
		if err != nil {
			return "", nil, err
		}
		return f.openCursor("", d.e, d.values, opts)
	case s.cursor != nil:
		if v := f.values[s.cursor.number]; !v.IsNull() && f.rt.host.Cursor(v.Str()) != nil {
			return "", nil, pgerr.New(pgerr.DuplicateCursor, "cursor \"%s\" already in use", v.Str())
		}
		return f.openBound(s.cursor, s.args)
	}
	return f.openCursor("", s.query, nil, opts)
}

// openCursor makes a cursor of a statement; values are the parameters of a dynamic one.
func (f *frame) openCursor(name string, e *expression, values []types.Datum, o CursorOptions) (string, *plancache.Analyzed, error) {
	if err := e.readyStatement(f); err != nil {
		return "", nil, err
	}
	if len(e.analyzed.Result) == 0 {
		return "", nil, pgerr.New(pgerr.InvalidCursorDefinition, "cannot open %s query as cursor", parse.CommandTag(e.node()))
	}
	var err error
	if values == nil {
		if values, err = e.values(f, nil); err != nil {
			return "", nil, err
		}
	}
	name, err = f.rt.host.OpenCursor(name, e.query, values, o)
	if err != nil {
		return "", nil, e.sqlError(err)
	}
	return name, e.analyzed, nil
}

// openBound opens the query that a cursor variable was declared with.
func (f *frame) openBound(c *datum, args []*expression) (string, *plancache.Analyzed, error) {
	for i, a := range args {
		if err := a.assignTo(f, target{d: c.cursor.args[i]}); err != nil {
			return "", nil, err
		}
	}
	name := "" // of the variable's value; null: one is made up
	if v := f.values[c.number]; !v.IsNull() {
		name = v.Str()
	}
	o := c.cursor.options
	o.ReadOnly = f.fn.readOnly
	return f.openCursor(name, c.cursor.query, nil, o)
}

// loop fetches the rows in batches and runs the body for each.
func (s *forQuery) loop(f *frame, name string, analyzed *plancache.Analyzed) (fl flow, found bool, err error) {
	desc, err := f.rt.resultDesc(analyzed.Result)
	if err != nil {
		return flowNext, false, err
	}
	for n := int64(10); ; n = batchRows {
		c := f.rt.host.Cursor(name)
		if c == nil {
			return flowNext, found, pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", name)
		}
		var rows []types.Row
		save := f.running
		f.running = s.query
		got, err := c.Fetch(Forward, n, func(row types.Row) error {
			rows = append(rows, cloneRow(row))
			return nil
		})
		f.running = save
		if err != nil {
			return flowNext, found, s.fetchError(err)
		}
		for _, row := range rows {
			found = true
			if err := f.assignRow(s.target, desc, row); err != nil {
				return flowNext, found, err
			}
			if fl, done, err := f.round(s.body, s.label); done || err != nil {
				return fl, found, err
			}
		}
		if got < n {
			if !found {
				return flowNext, false, f.assignRow(s.target, nil, nil)
			}
			return flowNext, found, nil
		}
	}
}

// fetchError names the query that failed while it was fetched from.
func (s *forQuery) fetchError(err error) error {
	if s.query != nil {
		return s.query.sqlError(err)
	}
	return err
}

// openStmt is OPEN cursor.
type openStmt struct {
	stmtBase
	cursor  *datum
	options CursorOptions
	query   *expression
	text    *expression
	using   []*expression
	args    []*expression
}

// cursorVariable reads a variable of type refcursor.
func (p *parser) cursorVariable() *datum {
	t := p.peek()
	if !t.isName() {
		p.failAt(t, "cursor variable must be a simple variable")
	}
	names := p.dottedNames()
	d, used := p.scope.lookup(names)
	if d == nil {
		p.fail(t.start, pgerr.SyntaxError, "\"%s\" is not a known variable", dotted(names))
	}
	if used != len(names) || d.kind != scalarDatum {
		p.fail(t.start, pgerr.DatatypeMismatch, "cursor variable must be a simple variable")
	}
	if d.typ.oid != types.RefcursorOID {
		p.fail(t.start, pgerr.DatatypeMismatch, "variable \"%s\" must be of type cursor or refcursor", d.name)
	}
	return d
}

func parseOpen(p *parser, start token) statement {
	s := &openStmt{stmtBase: stmtBase{p.line(start), "OPEN"}}
	at := p.peek()
	s.cursor = p.cursorVariable()
	if s.cursor.cursor != nil {
		s.args = p.cursorArgs(s.cursor, at)
		p.expect(";")
		return s
	}
	if p.accept("no") {
		p.expect("scroll")
		s.options.NoScroll = true
	} else if p.accept("scroll") {
		s.options.Scroll = true
	}
	if !p.at("for") {
		p.failAt(p.peek(), "syntax error, expected \"FOR\"")
	}
	p.next()
	if p.accept("execute") {
		s.text = p.expression("using", ";")
		if p.accept("using") {
			s.using = p.usingList(";")
		}
	} else {
		from, end := p.capture("statement", ";")
		s.query = p.newStatement(p.src[from:end], from)
	}
	p.expect(";")
	return s
}

func (s *openStmt) exec(f *frame) (flow, error) {
	name := ""
	if v := f.values[s.cursor.number]; !v.IsNull() {
		name = v.Str()
		if f.rt.host.Cursor(name) != nil {
			return flowNext, pgerr.New(pgerr.DuplicateCursor, "cursor \"%s\" already in use", name)
		}
	}
	opts := s.options
	opts.ReadOnly = f.fn.readOnly
	var err error
	switch {
	case s.cursor.cursor != nil:
		name, _, err = f.openBound(s.cursor, s.args)
	case s.text != nil:
		var d *dynamic
		if d, err = f.dynamic(s.text, s.using); err == nil {
			name, _, err = f.openCursor(name, d.e, d.valuesNotNil(), opts)
		}
	default:
		name, _, err = f.openCursor(name, s.query, nil, opts)
	}
	if err != nil {
		return flowNext, err
	}
	return flowNext, f.assign(target{d: s.cursor}, types.Text(name), types.TextOID, -1)
}

func (d *dynamic) valuesNotNil() []types.Datum {
	if d.values == nil {
		return []types.Datum{}
	}
	return d.values
}

// fetchStmt is FETCH [direction FROM] cursor INTO target, or MOVE.
type fetchStmt struct {
	stmtBase
	cursor *datum
	dir    Direction
	count  int64
	howFar *expression
	many   bool // MOVE of several rows
	into   *datum
}

func parseFetch(p *parser, start token) statement {
	s := &fetchStmt{stmtBase: stmtBase{p.line(start), upper(start.word)}, count: 1}
	move := start.word == "move"
	p.direction(s)
	if s.many && !move {
		p.fail(start.start, pgerr.FeatureNotSupported, "FETCH statement cannot return multiple rows")
	}
	s.cursor = p.cursorVariable()
	if !move {
		p.expect("into")
		s.into = p.intoTarget()
	}
	p.expect(";")
	return s
}

// direction reads where FETCH goes, with FROM or IN.
func (p *parser) direction(s *fetchStmt) {
	t := p.peek()
	needFrom := true
	switch {
	case p.acceptDirection("next"):
	case p.acceptDirection("prior"):
		s.dir = Backward
	case p.acceptDirection("first"):
		s.dir = Absolute
	case p.acceptDirection("last"):
		s.dir, s.count = Absolute, -1
	case p.acceptDirection("absolute"):
		s.dir, s.howFar = Absolute, p.expression("from", "in")
	case p.acceptDirection("relative"):
		s.dir, s.howFar = Relative, p.expression("from", "in")
	case p.acceptDirection("all"):
		s.count, s.many = FetchAll, true
	case p.acceptDirection("forward"):
		p.stepCount(s)
	case p.acceptDirection("backward"):
		s.dir = Backward
		p.stepCount(s)
	case t.is("from") || t.is("in"):
	default:
		if d, _ := p.scope.lookup([]string{t.word}); d == nil || p.tokenIs(p.peekAt(1), "from") || p.tokenIs(p.peekAt(1), "in") {
			s.howFar, s.many = p.expression("from", "in"), true
			break
		}
		needFrom = false
	}
	if needFrom && !p.accept("from") && !p.accept("in") {
		p.syntaxError()
	}
}

// acceptDirection takes a direction's word, unless it is the cursor's name.
func (p *parser) acceptDirection(word string) bool {
	if !p.at(word) || p.tokenIs(p.peekAt(1), "into") || p.tokenIs(p.peekAt(1), ";") {
		return false
	}
	p.next()
	return true
}

// stepCount reads what follows FORWARD and BACKWARD.
func (p *parser) stepCount(s *fetchStmt) {
	switch {
	case p.at("from") || p.at("in"):
	case p.accept("all"):
		s.count, s.many = FetchAll, true
	default:
		s.howFar, s.many = p.expression("from", "in"), true
	}
}

func (s *fetchStmt) exec(f *frame) (flow, error) {
	v := f.values[s.cursor.number]
	if v.IsNull() {
		return flowNext, pgerr.New(pgerr.NullValueNotAllowed, "cursor variable \"%s\" is null", s.cursor.name)
	}
	c := f.rt.host.Cursor(v.Str())
	if c == nil {
		return flowNext, pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", v.Str())
	}
	count := s.count
	if s.howFar != nil {
		n, null, err := s.howFar.evalInt(f)
		if err != nil {
			return flowNext, err
		}
		if null {
			return flowNext, pgerr.New(pgerr.NullValueNotAllowed, "relative or absolute cursor position is null")
		}
		count = int64(n)
	}
	var row types.Row
	n, err := c.Fetch(s.dir, count, func(r types.Row) error {
		row = cloneRow(r)
		return nil
	})
	if err != nil {
		return flowNext, err
	}
	f.rowCount = n
	f.setFound(n > 0)
	if s.into == nil {
		return flowNext, nil
	}
	desc, err := f.rt.resultDesc(c.Columns())
	if err != nil {
		return flowNext, err
	}
	if row == nil {
		desc = nil
	}
	return flowNext, f.assignRow(s.into, desc, row)
}

// closeStmt is CLOSE cursor.
type closeStmt struct {
	stmtBase
	cursor *datum
}

func parseClose(p *parser, start token) statement {
	s := &closeStmt{stmtBase: stmtBase{p.line(start), "CLOSE"}, cursor: p.cursorVariable()}
	p.expect(";")
	return s
}

func (s *closeStmt) exec(f *frame) (flow, error) {
	v := f.values[s.cursor.number]
	if v.IsNull() {
		return flowNext, pgerr.New(pgerr.NullValueNotAllowed, "cursor variable \"%s\" is null", s.cursor.name)
	}
	c := f.rt.host.Cursor(v.Str())
	if c == nil {
		return flowNext, pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", v.Str())
	}
	c.Close()
	return flowNext, nil
}
