package session

import (
	"math"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Options of DECLARE CURSOR, the parser's bits.
const (
	cursorBinary   = 0x0001
	cursorScroll   = 0x0002
	cursorNoScroll = 0x0004
	cursorHold     = 0x0020
)

// declareCursor is DECLARE name CURSOR FOR query. Rows that were read are kept in a store, so that a cursor can move backwards.
func (c *command) declareCursor(n *pg_query.DeclareCursorStmt) (string, error) {
	s := c.s
	hold := n.Options&cursorHold != 0
	s.holdable = s.holdable || hold
	if !hold && s.block != blockOpen {
		return "", pgerr.New(pgerr.NoActiveSqlTransaction, "DECLARE CURSOR can only be used in transaction blocks")
	}
	if n.Portalname == "" {
		return "", pgerr.New(pgerr.InvalidCursorName, "invalid cursor name: must not be empty")
	}
	if old := s.portals[n.Portalname]; old != nil {
		return "", pgerr.New(pgerr.DuplicateCursor, "cursor \"%s\" already exists", n.Portalname)
	}
	ps := c.contained(n.Query)
	ps.source.SetCursor(plan.CursorOptions{Cursor: true})
	p := &portal{name: n.Portalname, stmt: ps, cursor: true, hold: hold, binary: n.Options&cursorBinary != 0,
		scroll: n.Options&cursorScroll != 0, noScroll: n.Options&cursorNoScroll != 0, text: declareText(c.p), params: c.params}
	a, err := s.analyze(ps)
	if err != nil {
		return "", err
	}
	if hold && len(a.Queries) == 1 && len(a.Queries[0].RowMarks) > 0 {
		return "", pgerr.New(pgerr.FeatureNotSupported, "DECLARE CURSOR WITH HOLD ... %s is not supported", lockName(a.Queries[0].RowMarks[0].Strength)).
			WithDetail("Holdable cursors must be READ ONLY.")
	}
	if err := s.bindPlan(p, a); err != nil {
		return "", err
	}
	if p.strategy != portalSelect {
		return "", pgerr.New(pgerr.InvalidCursorDefinition, "DECLARE CURSOR must not contain data-modifying statements in WITH")
	}
	if p.plans.Stmts[0].Command != query.CmdSelect {
		return "", pgerr.New(pgerr.InvalidCursorDefinition, "cannot open %s query as cursor", commandName(p.plans.Stmts[0].Command))
	}
	p.settleScroll()
	return "DECLARE CURSOR", s.addPortal(p)
}

// declareText is the command that made a cursor, to its semicolon.
func declareText(p *prepared) string {
	text := p.stmt.Text(p.text)
	if end := p.stmt.Location + len(text); end < len(p.text) && p.text[end] == ';' {
		return p.text[p.stmt.Location : end+1]
	}
	return text
}

// closeCursor is CLOSE name | ALL.
func (c *command) closeCursor(n *pg_query.ClosePortalStmt) (string, error) {
	s := c.s
	if n.Portalname == "" {
		for _, p := range s.portals {
			if p.name != "" {
				s.dropPortal(p)
			}
		}
		return "CLOSE CURSOR ALL", nil
	}
	p := s.portals[n.Portalname]
	if p == nil {
		return "", pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", n.Portalname)
	}
	s.dropPortal(p)
	return "CLOSE CURSOR", nil
}

// resultColumns gives the portal's columns as targets, for the statement that fetches from it.
func (p *portal) resultColumns() []*query.TargetEntry {
	list := []*query.TargetEntry{}
	if p.shape == nil {
		return list
	}
	for i, f := range p.shape.fields {
		list = append(list, &query.TargetEntry{Name: f.Name, ResNo: i + 1, OrigTable: types.OID(f.TableOID), OrigCol: f.AttrNum,
			Expr: &query.Const{TypeOID: types.OID(f.TypeOID), Mod: f.TypMod, Value: types.Null, Loc: -1}})
	}
	return list
}

// fetchAll is the parser's count for FETCH ALL.
const fetchAll = math.MaxInt64

// fetch is FETCH and MOVE.
func (c *command) fetch(n *pg_query.FetchStmt) (string, error) {
	p := c.s.portals[n.Portalname]
	if p == nil {
		return "", pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", n.Portalname)
	}
	out := c.out
	if n.Ismove {
		out = discard{}
	}
	count, err := c.s.fetchFrom(p, n.Direction, n.HowMany, out)
	if err != nil {
		return "", err
	}
	name := "FETCH "
	if n.Ismove {
		name = "MOVE "
	}
	return string(appendTag(nil, name, count)), nil
}

// fetchFrom moves a cursor. Positions are those of rows from 1; 0 is before the first. Backward movement reads from the store of rows seen.
// An error is the end of the cursor, even when a savepoint is rolled back to.
func (s *Session) fetchFrom(p *portal, dir pg_query.FetchDirection, howMany int64, out receiver) (_ int64, err error) {
	if p.failed {
		return 0, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", p.name)
	}
	defer func() { p.failed = p.failed || err != nil }()
	switch dir {
	case pg_query.FetchDirection_FETCH_FORWARD:
		if howMany < 0 {
			return s.fetchBackward(p, negate(howMany), out)
		}
		return s.fetchForward(p, howMany, out)
	case pg_query.FetchDirection_FETCH_BACKWARD:
		if howMany < 0 {
			return s.fetchForward(p, negate(howMany), out)
		}
		return s.fetchBackward(p, howMany, out)
	case pg_query.FetchDirection_FETCH_ABSOLUTE:
		return s.fetchAbsolute(p, howMany, out)
	}
	return s.fetchAbsolute(p, max(p.position+howMany, 0), out)
}

func negate(n int64) int64 {
	if n == math.MinInt64 {
		return math.MaxInt64
	}
	return -n
}

func (s *Session) fetchForward(p *portal, howMany int64, out receiver) (int64, error) {
	if howMany == 0 {
		return s.refetch(p, out)
	}
	n := int64(0)
	for howMany == fetchAll || n < howMany {
		row, err := s.cursorRow(p, p.position+1)
		if err != nil {
			return n, err
		}
		if row == nil {
			p.atEnd = true
			p.position = s.rowsSeen(p) + 1
			break
		}
		p.position++
		if err := out.receive(row); err != nil {
			return n, err
		}
		n++
	}
	s.suspendCursor(p)
	return n, nil
}

func (s *Session) fetchBackward(p *portal, howMany int64, out receiver) (int64, error) {
	if howMany == 0 {
		return s.refetch(p, out)
	}
	if err := p.checkBackward(); err != nil {
		return 0, err
	}
	n := int64(0)
	for howMany == fetchAll || n < howMany {
		if p.position <= 1 {
			p.position = 0
			break
		}
		p.position--
		row, err := s.cursorRow(p, p.position)
		if err != nil || row == nil {
			return n, err
		}
		if err := out.receive(row); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// settleScroll decides for a cursor that was declared neither SCROLL nor NO SCROLL.
func (p *portal) settleScroll() {
	if p.scroll || p.noScroll {
		return
	}
	p.scroll = true
	if p.strategy == portalSelect {
		pl := p.plans.Stmts[0]
		p.scroll = len(pl.RowMarks) == 0 && plan.SupportsBackward(pl.Root)
	}
	p.noScroll = !p.scroll
}

func (p *portal) checkBackward() error {
	if p.noScroll {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "cursor can only scan forward").
			WithHint("Declare it with SCROLL option to enable backward scan.")
	}
	return nil
}

// refetch gives the row that the cursor stands on, if it stands on one.
func (s *Session) refetch(p *portal, out receiver) (int64, error) {
	row, err := s.cursorRow(p, p.position)
	if row == nil || err != nil {
		return 0, err
	}
	if _, moves := out.(discard); !moves {
		if err := p.checkBackward(); err != nil {
			return 0, err
		}
	}
	return 1, out.receive(row)
}

// fetchAbsolute moves to a row counted from the start, or from the end when negative.
func (s *Session) fetchAbsolute(p *portal, at int64, out receiver) (int64, error) {
	if at < 0 {
		for {
			row, err := s.cursorRow(p, s.rowsSeen(p)+1)
			if err != nil {
				return 0, err
			}
			if row == nil {
				break
			}
		}
		at = s.rowsSeen(p) + 1 + at
	}
	if at < p.position || at == p.position && at > 0 {
		if err := p.checkBackward(); err != nil {
			return 0, err
		}
	}
	if at <= 0 {
		p.position = 0
		return 0, nil
	}
	row, err := s.cursorRow(p, at)
	if err != nil {
		return 0, err
	}
	if row == nil {
		p.position = s.rowsSeen(p) + 1
		return 0, nil
	}
	p.position = at
	return 1, out.receive(row)
}

// rowsSeen counts the rows that were read from the query so far.
func (s *Session) rowsSeen(p *portal) int64 {
	if p.rows == nil {
		return 0
	}
	return int64(p.rows.Len())
}

// cursorRow gives row number at, reading on in the query as far as needed; nil when there is no such row.
func (s *Session) cursorRow(p *portal, at int64) (types.Row, error) {
	if p.failed {
		return nil, pgerr.New(pgerr.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", p.name)
	}
	if at < 1 {
		return nil, nil
	}
	if p.rows == nil {
		if err := s.startPortal(p); err != nil {
			return nil, err
		}
		p.targets = p.state.CursorTargets()
		p.rows = executor.NewTuplestore(len(p.shape.ios)+len(p.targets), s.backend.WorkMem(), s.backend.Temp)
		p.reader = p.rows.NewReader()
	}
	for int64(p.rows.Len()) < at {
		if p.done || p.held {
			return nil, nil
		}
		s.pushSnapshot(&p.snapshot)
		row, err := p.state.Next()
		s.popSnapshot()
		if err != nil {
			p.failed = true
			return nil, err
		}
		if row == nil {
			p.done = true
			s.stopPortal(p)
			return nil, nil
		}
		if err := p.keep(row[:len(p.shape.ios)]); err != nil {
			return nil, err
		}
	}
	row, err := p.storedRow(at)
	if row != nil {
		row = row[:len(p.shape.ios)]
	}
	return row, err
}

// keep stores a cursor's row, and behind its columns where the rows of the query's tables are.
func (p *portal) keep(row types.Row) error {
	if len(p.targets) == 0 {
		return p.rows.Add(row)
	}
	p.kept = append(p.kept[:0], row...)
	for i := range p.targets {
		d := types.Null
		if tid, ok := p.targets[i].Position(); ok {
			d = tid.Datum()
		}
		p.kept = append(p.kept, d)
	}
	return p.rows.Add(p.kept)
}

// storedRow gives row number at with what keep put behind it.
func (p *portal) storedRow(at int64) (types.Row, error) {
	p.reader.Seek(int(at - 1))
	return p.reader.Next()
}

func (s *Session) suspendCursor(p *portal) {
	if p.state != nil {
		p.state.Suspend()
	}
}

func (s *Session) relationName(oid types.OID) string {
	if rel, err := s.view.Relation(oid); err == nil && rel != nil {
		return rel.Name
	}
	return ""
}

// cursorPosition gives the ctid of the row of a table that a cursor stands on, for WHERE CURRENT OF; false when the current row has none of that
// table, which can be when others inherit from it.
func (s *Session) cursorPosition(name string, table types.OID) (tid types.TID, ok bool, err error) {
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidCursorState, "cursor \"%s\" "+format, append([]any{name}, args...)...)
	}
	p := s.portals[name]
	switch {
	case p == nil:
		return tid, false, pgerr.New(pgerr.UndefinedCursor, "cursor \"%s\" does not exist", name)
	case p.strategy != portalSelect:
		return tid, false, bad("is not a SELECT query")
	case p.held:
		return tid, false, bad("is held from a previous transaction")
	}
	if p.rows == nil { // nothing was fetched yet
		if _, err := s.cursorRow(p, 1); err != nil {
			return tid, false, err
		}
	}
	at := -1
	for i, t := range p.targets {
		switch {
		case t.Table != table:
		case at < 0:
			at = i
		case t.Marked:
			return tid, false, bad("has multiple FOR UPDATE/SHARE references to table \"%s\"", s.relationName(table))
		default:
			return tid, false, bad("is not a simply updatable scan of table \"%s\"", s.relationName(table))
		}
	}
	switch {
	case at < 0 && executor.MarksRows(p.plans.Stmts[0]):
		return tid, false, bad("does not have a FOR UPDATE/SHARE reference to table \"%s\"", s.relationName(table))
	case at < 0:
		return tid, false, bad("is not a simply updatable scan of table \"%s\"", s.relationName(table))
	case p.position < 1 || p.position > s.rowsSeen(p):
		return tid, false, bad("is not positioned on a row")
	}
	row, err := p.storedRow(p.position)
	if err != nil {
		return tid, false, err
	}
	d := row[len(p.shape.ios)+at]
	if d.IsNull() {
		return tid, false, nil
	}
	return d.TID(), true, nil
}
