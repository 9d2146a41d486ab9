package session

import (
	"slices"
	"strings"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Parse makes a prepared statement.
func (s *Session) Parse(name, sql string, paramOIDs []uint32) error {
	if name == "" {
		done, err := s.parseCached(sql, paramOIDs)
		if err != nil {
			return s.fail(err, sql)
		}
		if done {
			return nil
		}
	}
	text := strings.Clone(sql)
	s.logBegin(text)
	if err := s.parseStatement(strings.Clone(name), text, paramOIDs); err != nil {
		return s.fail(err, text)
	}
	s.logEnd("parse")
	return nil
}

// parseCached makes a cached statement the unnamed one.
func (s *Session) parseCached(sql string, paramOIDs []uint32) (done bool, err error) {
	c := s.cache.lookupParse(sql, paramOIDs)
	if c == nil {
		return false, nil
	}
	p := c.Value
	s.beginExtended()
	s.dropUnnamed()
	if err := s.checkBlock(p.stmt); err != nil {
		return true, err
	}
	s.startCommand()
	if p.user != s.view.User() {
		return false, nil
	}
	ok, err := p.source.Current(s.planEnv())
	if err != nil || !ok {
		s.cache.Drop(c)
		return false, nil
	}
	s.unnamed = p
	return true, nil
}

func (s *Session) parseStatement(name, sql string, paramOIDs []uint32) error {
	s.beginExtended()
	s.showStatement(sql)
	if name == "" {
		s.dropUnnamed()
	} else if s.statements[name] != nil {
		return pgerr.New(pgerr.DuplicatePstatement, "prepared statement \"%s\" already exists", name)
	}
	stmts, err := parse.Parse(sql)
	if err != nil {
		return err
	}
	if len(stmts) > 1 {
		return pgerr.New(pgerr.SyntaxError, "cannot insert multiple commands into a prepared statement")
	}
	p, err := s.prepareParsed(name, sql, stmts, paramOIDs)
	if err != nil {
		return err
	}
	if name == "" {
		s.unnamed = p
	} else {
		s.statements[name] = p
	}
	return nil
}

// prepareParsed analyses the only statement, if any, of a Parse message.
func (s *Session) prepareParsed(name, sql string, stmts []*parse.Stmt, paramOIDs []uint32) (*prepared, error) {
	declared := make([]types.OID, len(paramOIDs))
	for i, o := range paramOIDs {
		declared[i] = types.OID(o)
	}
	if len(stmts) == 0 {
		return s.newPrepared(name, sql, nil, declared), nil
	}
	stmt := stmts[0]
	if err := s.checkBlock(stmt); err != nil {
		return nil, err
	}
	p := s.newPrepared(name, sql, stmt, declared)
	s.startCommand()
	notices := s.notices
	a, err := s.analyze(p)
	if err != nil {
		return nil, err
	}
	p.source.SetFixedResult()
	if name == "" && s.cache.ok && notices == s.notices && cacheable(stmt.Node) && !slices.ContainsFunc(a.Queries, frozenLiteral) {
		s.cache.keep(p, nil)
	}
	return p, nil
}

func (s *Session) dropUnnamed() { s.unnamed = nil }

// beginExtended starts the work on one message of the extended protocol. The transaction that it may start lasts until Sync.
func (s *Session) beginExtended() {
	if !s.active.Load() {
		s.active.Store(true)
		s.clock.startMessage()
		s.armStatementTimeout()
	}
	if s.block == blockNone {
		s.block = blockImplicit
	}
}

// showStatement tells pg_stat_activity what runs.
func (s *Session) showStatement(text string) {
	if s.gucs.trackActivities {
		s.activity.begin(text, s.clock.statement)
	}
}

// Bind makes a portal.
func (s *Session) Bind(portalName, stmtName string, paramFormats []int16, params [][]byte, resultFormats []int16) error {
	p, err := s.bind(portalName, stmtName, paramFormats, params, resultFormats)
	if err != nil {
		text := ""
		if p != nil && p.stmt != nil {
			text = p.stmt.text
		}
		return s.fail(err, text)
	}
	s.logEnd("bind")
	return nil
}

func (s *Session) bind(portalName, stmtName string, paramFormats []int16, params [][]byte, resultFormats []int16) (*portal, error) {
	s.beginExtended()
	stmt, err := s.lookupPrepared(stmtName)
	if err != nil {
		return nil, err
	}
	s.showStatement(stmt.text)
	s.logBegin(stmt.text)
	p := s.newPortal(portalName)
	p.stmt = stmt
	if err := s.checkBlockPrepared(stmt); err != nil {
		return p, err
	}
	if len(paramFormats) > 1 && len(paramFormats) != len(params) {
		return p, pgerr.New(pgerr.ProtocolViolation, "bind message has %d parameter formats but %d parameters", len(paramFormats), len(params))
	}
	want := len(stmt.params)
	if len(params) != want {
		return p, pgerr.New(pgerr.ProtocolViolation, "bind message supplies %d parameters, but prepared statement \"%s\" requires %d", len(params), stmtName, want)
	}
	s.startCommand()
	var a *plancache.Analyzed
	if stmt.stmt != nil {
		if a, err = s.analyze(stmt); err != nil {
			return p, err
		}
	}
	if err := s.bindParams(p, paramFormats, params); err != nil {
		return p, err
	}
	if err := s.bindPlan(p, a); err != nil {
		return p, err
	}
	return p, s.setFormats(p, resultFormats)
}

// newPortal gives a portal of that name, reusing the unnamed one's memory.
func (s *Session) newPortal(name string) *portal {
	if name != "" {
		return &portal{name: strings.Clone(name)}
	}
	if old := s.portals[""]; old != nil {
		s.dropPortal(old)
	}
	p := s.spare
	if p == nil {
		return &portal{}
	}
	s.spare = nil
	*p = portal{params: p.params[:0], formats: p.formats[:0], paramBuf: p.paramBuf[:0]}
	return p
}

// checkBlockPrepared is checkBlock for a prepared statement; the empty statement is refused in a failed block too.
func (s *Session) checkBlockPrepared(p *prepared) error {
	if p.stmt == nil && s.block != blockFailed {
		return nil
	}
	return s.checkBlock(p.stmt)
}

// bindParams reads the parameter values. Their bytes are copied: they outlive the message.
func (s *Session) bindParams(p *portal, formats []int16, params [][]byte) error {
	total := 0
	for _, b := range params {
		total += len(b)
	}
	if cap(p.paramBuf) < total {
		p.paramBuf = make([]byte, 0, total)
	}
	for i, b := range params {
		if b == nil {
			d, err := p.stmt.params[i].InputNull(s.backend.Env)
			if err != nil {
				return err
			}
			p.params = append(p.params, d)
			continue
		}
		at := len(p.paramBuf)
		p.paramBuf = append(p.paramBuf, b...)
		d, err := s.readParam(p.name, p.stmt.params[i], pgwire.FormatOf(formats, i), p.paramBuf[at:len(p.paramBuf):len(p.paramBuf)], i)
		if err != nil {
			return err
		}
		p.params = append(p.params, d)
	}
	return nil
}

// portalText names a portal in an error's context.
func portalText(name string) string {
	if name == "" {
		return "unnamed portal"
	}
	return "portal \"" + name + "\""
}

func (s *Session) readParam(portal string, io *types.IO, format int16, b []byte, i int) (types.Datum, error) {
	var d types.Datum
	var err error
	switch format {
	case 0:
		if err = types.CheckUTF8(b); err == nil {
			d, err = io.Input(s.backend.Env, types.Bytes(b).Str(), -1)
		}
	case 1:
		d, err = io.Receive(s.backend.Env, b, -1)
	default:
		err = pgerr.New(pgerr.InvalidParameterValue, "unsupported format code: %d", format)
	}
	if err == nil {
		return d, nil
	}
	e := *pgerr.From(err)
	if format == 0 {
		// The value itself is not shown: log_parameter_max_length_on_error is 0.
		return types.Null, e.WithContext("%s parameter $%d = '...'", portalText(portal), i+1)
	}
	return types.Null, e.WithContext("%s parameter $%d", portalText(portal), i+1)
}

// setFormats checks and keeps the result formats, and registers the portal.
func (s *Session) setFormats(p *portal, formats []int16) error {
	cols := 0
	if p.shape != nil {
		cols = len(p.shape.ios)
	}
	if len(formats) > 1 && len(formats) != cols {
		return pgerr.New(pgerr.ProtocolViolation, "bind message has %d result formats but query has %d columns", len(formats), cols)
	}
	for _, f := range formats {
		if f != 0 && f != 1 {
			return pgerr.New(pgerr.InvalidParameterValue, "unsupported format code: %d", f)
		}
	}
	p.formats = append(p.formats[:0], formats...)
	return s.addPortal(p)
}

// Describe tells a statement's parameters and result, or a portal's result.
func (s *Session) Describe(kind byte, name string) error {
	text := ""
	err := s.describe(kind, name, &text)
	if err != nil {
		return s.fail(err, text)
	}
	return nil
}

func (s *Session) describe(kind byte, name string, text *string) error {
	s.beginExtended()
	if kind == 'P' {
		p, err := s.lookupPortal(name)
		if err != nil {
			return err
		}
		s.describeResult(p.shape, p.formats)
		return nil
	}
	p, err := s.lookupPrepared(name)
	if err != nil {
		return err
	}
	*text = p.text
	if p.stmt == nil {
		s.w.ParameterDescription(nil)
		s.w.NoData()
		return nil
	}
	if s.block == blockFailed && p.shape != nil && len(p.shape.fields) > 0 {
		return s.checkBlock(p.stmt)
	}
	if s.block != blockFailed {
		s.startCommand()
		if _, err := s.analyze(p); err != nil {
			return err
		}
	}
	s.paramOIDs = s.paramOIDs[:0]
	for _, io := range p.params {
		s.paramOIDs = append(s.paramOIDs, uint32(io.Info.OID))
	}
	s.w.ParameterDescription(s.paramOIDs)
	s.describeResult(p.shape, nil)
	return nil
}

func (s *Session) describeResult(shape *resultShape, formats []int16) {
	if shape == nil || shape.none {
		s.w.NoData()
		return
	}
	s.w.RowDescription(shape.fields, formats)
}

// Execute runs a portal.
func (s *Session) Execute(name string, maxRows int32) error {
	p, err := s.lookupPortal(name)
	if err != nil {
		return s.fail(err, "")
	}
	if err := s.executePortal(p, maxRows); err != nil {
		return s.fail(err, p.stmt.text)
	}
	s.logEnd("execute")
	return nil
}

func (s *Session) executePortal(p *portal, maxRows int32) error {
	s.beginExtended()
	if p.strategy == portalEmpty {
		s.w.EmptyQuery()
		return nil
	}
	s.showStatement(p.stmt.text)
	s.logBegin(p.stmt.text)
	s.logExecute(p)
	if err := s.checkBlockPrepared(p.stmt); err != nil {
		return err
	}
	s.startCommand()
	if err := s.backend.Interrupted(); err != nil {
		return err
	}
	if p.done {
		return s.completeAgain(p)
	}
	s.out = rowWriter{w: s.w, env: s.backend.Env, shape: p.shape, formats: p.formats}
	n, err := s.runPortal(p, int64(maxRows), &s.out)
	if err != nil {
		return err
	}
	if !p.done && maxRows > 0 && p.strategy != portalMulti {
		s.w.PortalSuspended()
		return nil
	}
	return s.completePortal(p, n)
}

// completePortal tells the end of a portal. A statement of its own transaction has its effects visible to the next one.
func (s *Session) completePortal(p *portal, n int64) error {
	s.pipelined = s.block == blockImplicit
	tag := p.tag
	if p.strategy == portalSelect {
		s.tagBuf = appendTag(s.tagBuf[:0], "SELECT ", n)
		s.w.CommandCompleteBytes(s.tagBuf)
	} else {
		if p.strategy == portalMulti {
			p.done = true
		}
		s.w.CommandComplete(tag)
	}
	if s.inTransaction() && p.strategy != portalSelect {
		return s.commandCounterIncrement()
	}
	return nil
}

// completeAgain answers Execute of a portal that has ended: no more rows.
func (s *Session) completeAgain(p *portal) error {
	if p.strategy == portalMulti {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "portal \"%s\" cannot be run", p.name)
	}
	if p.strategy == portalSelect {
		s.tagBuf = appendTag(s.tagBuf[:0], "SELECT ", 0)
		s.w.CommandCompleteBytes(s.tagBuf)
		return nil
	}
	s.w.CommandComplete(p.tag)
	return nil
}

// CloseObject drops a statement or a portal.
func (s *Session) CloseObject(kind byte, name string) error {
	s.beginExtended()
	if kind == 'S' {
		if name == "" {
			s.dropUnnamed()
		} else {
			delete(s.statements, name)
		}
		return nil
	}
	if p := s.portals[name]; p != nil {
		s.dropPortal(p)
	}
	return nil
}

// Sync ends the implicit transaction of an extended-protocol run.
func (s *Session) Sync() error {
	defer s.end()
	s.pipelined = false
	if s.block != blockImplicit {
		return nil
	}
	s.block = blockNone
	if !s.inTransaction() {
		return nil
	}
	if err := s.commit(); err != nil {
		return s.fail(err, "")
	}
	return nil
}

// appendTag appends a tag and a count.
func appendTag(dst []byte, name string, n int64) []byte {
	dst = append(dst, name...)
	if n < 0 {
		n = 0
	}
	var buf [20]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			break
		}
	}
	return append(dst, buf[i:]...)
}
