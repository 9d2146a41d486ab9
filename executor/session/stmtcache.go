package session

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// statementCacheSetting chooses what a text that comes again costs: off = it is parsed, analysed and planned each time, as PostgreSQL does;
// auto = its plan is chosen as for a prepared statement; force = generic at once.
var statementCacheSetting = settings.Define(settings.Def{
	Name: "calf.statement_cache", Kind: settings.Enum, Context: settings.Userset, Boot: "auto", Enum: []string{"off", "auto", "force"},
	Category: "Query Tuning / Other Planner Options",
	Short:    "Controls whether statements that differ in literals share their analysis and plans.",
})

const (
	statementCacheBytesMax = 4 << 20
	statementTextMax       = 32 << 10 // a longer text is not looked for
)

// statementCache keeps statements of simple queries and of unnamed Parse messages, so that a text that comes again, with other literals or
// the same, is neither parsed nor analysed. A hit must not be told from a miss: whatever goes wrong before the statement runs, it is parsed anew.
type statementCache struct {
	plancache.Statements[*prepared]
	off  bool
	mode plan.PlanCacheMode

	// Of the text at hand.
	text  string
	shape []byte
	lits  []parse.Literal
	ok    bool // the text may be looked up and kept

	// Of its parameters.
	values []types.Datum
	ctx    *expr.Context
	arg    [1]types.Datum // what a cast is of
}

// lifted is the parse tree of a simple statement whose literals may become parameters.
type lifted struct {
	stmt     *parse.Stmt
	lits     []parse.Literal
	params   []plancache.Lifted
	readers  []literalReader // of params
	analyzed bool
	frozen   bool // a constant is left whose text may mean something else the next time
	notices  int  // of the session when analysis began
}

// errStale: the cached form of a statement does not hold any more.
var errStale = errors.New("the cached statement is stale")

func (s *Session) followStatementCache() {
	c := &s.cache
	c.BytesMax = statementCacheBytesMax
	s.gucs.OnAssign(statementCacheSetting, func(v settings.Value) {
		c.off, c.mode = v.Str == "off", plan.PlanCacheAuto
		if v.Str == "force" {
			c.mode = plan.PlanCacheForceGeneric
		}
		c.Clear()
	})
	s.gucs.OnAssign(settings.TransformNullEquals, func(settings.Value) { c.Clear() })
}

// lookupSimple finds the cached statement of a simple query.
func (c *statementCache) lookupSimple(sql string) *plancache.Statement[*prepared] {
	c.text, c.shape, c.lits, c.ok = sql, c.shape[:0], c.lits[:0], false
	if c.off || len(sql) > statementTextMax {
		return nil
	}
	if c.shape, c.lits, c.ok = parse.Shape(sql, c.shape, c.lits); !c.ok {
		return nil
	}
	return c.Find(c.shape, sql, c.lits)
}

// lookupParse finds the cached statement of an unnamed Parse: its text and parameter types as they are.
func (c *statementCache) lookupParse(sql string, paramOIDs []uint32) *plancache.Statement[*prepared] {
	c.text, c.shape, c.lits, c.ok = sql, c.shape[:0], c.lits[:0], false
	if c.off || len(sql) > statementTextMax {
		return nil
	}
	c.ok = true
	c.shape = append(append(c.shape, sql...), 0, 'P') // no text holds NUL, no literal's class is P
	for _, o := range paramOIDs {
		c.shape = binary.BigEndian.AppendUint32(c.shape, o)
	}
	return c.Find(c.shape, sql, nil)
}

// cacheable says whether a statement can run from its cached form: queries, and the commands of transaction blocks, which keep nothing.
func cacheable(n *pg_query.Node) bool {
	_, tx := n.Node.(*pg_query.Node_TransactionStmt)
	return tx || preparable(n)
}

// frozenLiteral says whether a query has a constant of a type whose input function is not immutable: 'today', or what DateStyle, TimeZone, the
// search path or array_nulls decide. A text with such a literal is read anew each time, as PostgreSQL does, unless the literal became a parameter.
func frozenLiteral(q *query.Query) (found bool) {
	query.WalkQueryLevels(q, func(e query.Expr, _ int) bool {
		if c, ok := e.(*query.Const); ok && c.Loc >= 0 && !c.Value.IsNull() && !immutableInput[c.TypeOID] {
			found = true
		}
		return !found
	})
	return found
}

// immutableInput are types whose input functions depend on nothing but the text.
var immutableInput = map[types.OID]bool{types.UnknownOID: true, types.BoolOID: true, types.ByteaOID: true, types.NameOID: true,
	types.Int2OID: true, types.Int4OID: true, types.Int8OID: true, types.Float4OID: true, types.Float8OID: true, types.NumericOID: true,
	types.TextOID: true, types.VarcharOID: true, types.BpcharOID: true, types.OidOID: true, types.BitOID: true, types.UuidOID: true,
	types.JsonOID: true, types.JsonbOID: true}

// keep adds the statement that ran to the cache, under the text at hand.
func (c *statementCache) keep(p *prepared, params []plancache.Lifted) {
	const treeBytes, bytesPerText = 8 << 10, 64 // a guess at parse tree, query tree, plan and its running form
	p.source.SetMode(c.mode)
	c.Add(c.shape, p.text, c.lits, params, p, treeBytes+bytesPerText*len(p.text))
}

// runCached runs a simple query from its cached statement; done is false when it has to be parsed.
func (s *Session) runCached(c *plancache.Statement[*prepared]) (done bool, err error) {
	p := c.Value
	if err := s.checkBlock(p.stmt); err != nil {
		return true, err
	}
	s.startCommand()
	if err := s.backend.Interrupted(); err != nil {
		return true, err
	}
	plans, params, err := s.plansOfCached(c)
	if err != nil {
		s.cache.Drop(c)
		return interrupting(err), err
	}
	tag, err := s.runPlans(p, plans, params)
	if err != nil {
		return true, s.relocate(err, c)
	}
	return true, s.finishSimple(tag, true)
}

// plansOfCached validates the statement, reads the literals and gives the plans to run.
func (s *Session) plansOfCached(c *plancache.Statement[*prepared]) (*plancache.Plans, []types.Datum, error) {
	p := c.Value
	if p.user != s.view.User() {
		return nil, nil, errStale
	}
	if ok, err := p.source.Current(s.planEnv()); err != nil || !ok {
		return nil, nil, cmpErr(err, errStale)
	}
	var params []types.Datum
	if l, ok := p.source.Raw.(*lifted); ok {
		var err error
		if params, err = s.literals(l); err != nil {
			return nil, nil, err
		}
	}
	if p.uses++; p.uses%sizeCheckEvery == 0 {
		s.replanGrown(p)
	}
	plans, err := p.source.Get(s.planEnv(), params)
	return plans, params, err
}

// sizeCheckEvery is how many uses of a cached statement pass between two looks at the size of its tables.
const sizeCheckEvery = 8

// replanGrown forgets the statement's plans when its tables have more than twice or less than half of the pages that they had: a text is planned
// anew by PostgreSQL each time, and nobody may have asked for ANALYZE since.
func (s *Session) replanGrown(p *prepared) {
	pages := int32(0)
	for _, r := range p.source.Relations() {
		pages += s.relPages(r.OID)
	}
	const slack = 10
	if pages > 2*p.pages+slack || pages < p.pages/2-slack {
		p.pages = pages
		p.source.ForgetPlans()
	}
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// interrupting says whether an error came from outside of the statement: trying again would hide it.
func interrupting(err error) bool {
	e, ok := err.(*pgerr.Error)
	return ok && (e.Severity == "FATAL" || len(e.Code) == 5 && (e.Code[:2] == "57" || e.Code[:2] == "40" || e.Code[:2] == "55" || e.Code[:2] == "53"))
}

// literalReader reads one literal.
type literalReader struct {
	plancache.Lifted
	io   *types.IO // of the constant's type
	cast expr.Eval // or nil
}

func (s *Session) newLiteralReader(l plancache.Lifted) (r literalReader, err error) {
	r.Lifted = l
	if r.io, err = types.IOFor(s.backend.Env, l.Type); err != nil || l.Cast == nil {
		return r, err
	}
	c := &expr.Compiler{Catalog: s.view, Env: s.backend.Env, Session: s.backend}
	c.Hooks = expr.Hooks{Function: s.backend.FunctionInLanguage, CheckExecute: s.backend.CheckExecute}
	r.cast, err = c.Compile(l.Cast)
	return r, err
}

// literals reads the text's literals as the statement's parameters.
func (s *Session) literals(l *lifted) ([]types.Datum, error) {
	if len(l.readers) == 0 {
		return nil, nil
	}
	c := &s.cache
	if c.ctx == nil {
		c.ctx = executor.EvalContext(s.backend)
		c.ctx.Params.Extern = c.arg[:]
	}
	c.ctx.Arena.Reset()
	c.values = c.values[:0]
	for i := range l.readers {
		r := &l.readers[i]
		d, err := s.readLiteral(c.text, c.lits[r.Literal], r.Lifted, r.io)
		if err == nil && r.cast != nil {
			c.arg[0] = d
			d, err = r.cast(c.ctx)
		}
		if err != nil {
			return nil, err
		}
		c.values = append(c.values, d)
	}
	return c.values, nil
}

func (s *Session) readLiteral(sql string, lit parse.Literal, l plancache.Lifted, io *types.IO) (types.Datum, error) {
	v := lit.Value(sql)
	if l.Type == types.Int4OID && lit.Class != parse.ClassString && len(v) < 10 {
		n := int32(0)
		for i := range len(v) {
			n = n*10 + int32(v[i]-'0')
		}
		if l.Negated {
			n = -n
		}
		return types.Int4(n), nil
	}
	if l.Negated {
		v = "-" + v
	}
	if l.Type == types.Int8OID && lit.Class != parse.ClassString {
		n, err := strconv.ParseInt(v, 10, 64)
		return types.Int8(n), err
	}
	return io.Input(s.backend.Env, v, -1)
}

// liftEnv answers plancache.Lift. Literals of built-in types only are read here: others may change.
func (s *Session) liftEnv(text string, lits []parse.Literal) plancache.LiftEnv {
	same := func(l plancache.Lifted, c *query.Const) bool {
		const firstUserOID = 16384
		io, err := types.IOFor(s.backend.Env, l.Type)
		// Reading a tsquery may give notices: that is done once, and tells where the literal is.
		if err != nil || l.Type >= firstUserOID || io.Info.Kind != 'b' || l.Type == types.TsqueryOID {
			return false
		}
		d, err := s.readLiteral(text, lits[l.Literal], l, io)
		if err != nil {
			return false
		}
		if d.IsByRef() && c.Value.IsByRef() {
			return d.Str() == c.Value.Str()
		}
		return d == c.Value
	}
	immutable := func(fn types.OID) bool {
		p, err := s.view.Proc(fn)
		return err == nil && p != nil && p.Volatile == 'i'
	}
	return plancache.LiftEnv{Same: same, Immutable: immutable}
}

// analyzeLifted analyses a simple statement for the cache: literals become parameters. It is done once: a statement that is not valid any more
// is parsed anew, with the literals that it has then.
func (s *Session) analyzeLifted(l *lifted, text string) (a plancache.Analyzed, err error) {
	if l.analyzed {
		return a, errStale
	}
	l.notices = s.notices
	params := &analyze.Params{Variable: true}
	q, err := analyze.Statement(s.analyzeEnv(params), l.stmt)
	if err != nil {
		return a, err
	}
	if len(params.Types) == 0 {
		q, l.params, params.Types = plancache.Lift(s.liftEnv(text, l.lits), q, text, l.lits)
		for _, p := range l.params {
			r, err := s.newLiteralReader(p)
			if err != nil {
				return a, err
			}
			l.readers = append(l.readers, r)
		}
	}
	l.analyzed, l.frozen = true, frozenLiteral(q)
	return s.rewriteAnalyzed(q, params)
}

// newLifted makes the statement of a simple query's only parse tree, for the cache.
func (s *Session) newLifted(sql string, stmt *parse.Stmt) (*prepared, *lifted) {
	p := s.newPrepared("", sql, stmt, nil)
	l := &lifted{stmt: stmt, lits: slices.Clone(s.cache.lits)}
	p.source = plancache.New(l, sql, "", nil)
	p.source.SetMode(s.cache.mode)
	return p, l
}

// relocate makes an error's place in the text that the cached statement came from the same place in the text at hand.
func (s *Session) relocate(err error, c *plancache.Statement[*prepared]) error {
	e, ok := err.(*pgerr.Error)
	if !ok || e.Location == 0 {
		return err
	}
	l, ok := c.Value.source.Raw.(*lifted)
	if !ok {
		return err
	}
	moved := *e
	for i, from := range l.lits {
		if e.Location-1 < from.Start {
			break
		}
		to := s.cache.lits[i]
		if e.Location-1 < from.End {
			moved.Location = to.Start + 1
		} else {
			moved.Location = e.Location + to.End - from.End
		}
	}
	return &moved
}
