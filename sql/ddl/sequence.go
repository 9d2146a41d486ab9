package ddl

import (
	"math"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateSeqStmt", createSequence)
	register("AlterSeqStmt", alterSequence)
}

// nextvalFunc is nextval(regclass).
const nextvalFunc OID = 1574

// sequenceOptions are the clauses of CREATE and ALTER SEQUENCE.
type sequenceOptions struct {
	catalog.SequenceDef
	restart bool  // RESTART was said
	value   int64 // the next value to give
	called  bool  // value was given already
	ownedBy *pg_query.DefElem
	reset   bool // the state changes
}

// createSequence is CREATE SEQUENCE.
func createSequence(c *ctx, n *pg_query.CreateSeqStmt) (string, error) {
	const tag = "CREATE SEQUENCE"
	t, exists, err := c.tableTarget(n.Sequence, n.IfNotExists)
	if err != nil || exists {
		return tag, err
	}
	if t.persistence == 'u' {
		return "", pgerr.New(pgerr.FeatureNotSupported, "unlogged sequences are not supported")
	}
	oid, o, err := c.makeSequence(&t.newRelation, n.Options, types.Int8OID)
	if err != nil {
		return "", err
	}
	return tag, c.ownSequence(oid, o.ownedBy, catalog.DepAuto)
}

// makeSequence makes a sequence with the clauses given; typ is its type when none is said.
func (c *ctx) makeSequence(r *newRelation, clauses []*pg_query.Node, typ OID) (OID, *sequenceOptions, error) {
	o := &sequenceOptions{SequenceDef: catalog.SequenceDef{TypeOID: typ}}
	if err := c.sequenceClauses(o, clauses, true); err != nil {
		return 0, nil, err
	}
	r.kind, r.noType = 'S', true
	r.columns = []types.Attr{
		{Name: "last_value", TypeOID: types.Int8OID, TypMod: -1, Num: 1, Len: 8, ByVal: true, Align: 'd', Storage: 'p', NotNull: true, IsLocal: true},
		{Name: "log_cnt", TypeOID: types.Int8OID, TypMod: -1, Num: 2, Len: 8, ByVal: true, Align: 'd', Storage: 'p', NotNull: true, IsLocal: true},
		{Name: "is_called", TypeOID: types.BoolOID, TypMod: -1, Num: 3, Len: 1, ByVal: true, Align: 'c', Storage: 'p', NotNull: true, IsLocal: true},
	}
	oid, err := c.makeRelation(r)
	if err != nil {
		return 0, nil, err
	}
	c.v.CreateSequenceState(r.storage, o.value, false)
	if err := c.v.Insert(catalog.PgSequenceOID, sequenceRow(oid, &o.SequenceDef)); err != nil {
		return 0, nil, err
	}
	return oid, o, c.next()
}

func sequenceRow(oid OID, d *catalog.SequenceDef) types.Row {
	row := catalog.NewRow(catalog.PgSequenceOID)
	row[catalog.SequenceSeqrelid] = types.Oid(oid)
	row[catalog.SequenceSeqtypid] = types.Oid(d.TypeOID)
	row[catalog.SequenceSeqstart] = types.Int8(d.Start)
	row[catalog.SequenceSeqincrement] = types.Int8(d.Increment)
	row[catalog.SequenceSeqmax] = types.Int8(d.Max)
	row[catalog.SequenceSeqmin] = types.Int8(d.Min)
	row[catalog.SequenceSeqcache] = types.Int8(d.Cache)
	row[catalog.SequenceSeqcycle] = types.Bool(d.Cycle)
	return row
}

// sequenceClauses applies clauses in PostgreSQL's order of checks.
func (c *ctx) sequenceClauses(o *sequenceOptions, clauses []*pg_query.Node, isInit bool) error {
	by := map[string]*pg_query.DefElem{}
	for _, n := range clauses {
		d := n.GetDefElem()
		if by[d.Defname] != nil {
			return pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
		}
		by[d.Defname] = d
	}
	if d := by["sequence_name"]; d != nil && isInit {
		delete(by, "sequence_name")
	}
	o.ownedBy = by["owned_by"]
	resetMax, resetMin := false, false
	if d := by["as"]; d != nil {
		typ, _, err := c.typeName(d.Arg.GetTypeName())
		if err != nil {
			return err
		}
		if typ != types.Int2OID && typ != types.Int4OID && typ != types.Int8OID {
			what := "sequence type must be smallint, integer, or bigint"
			if by["identity"] != nil {
				what = "identity column type must be smallint, integer, or bigint"
			}
			return pgerr.New(pgerr.InvalidParameterValue, "%s", what)
		}
		if !isInit {
			lo, hi := typeRange(o.TypeOID)
			resetMax = o.Max == hi
			resetMin = o.Min == lo
		}
		o.TypeOID = typ
	}
	if err := o.increment(by["increment"], isInit); err != nil {
		return err
	}
	if d := by["cycle"]; d != nil {
		v, err := defBool(d)
		if err != nil {
			return err
		}
		o.Cycle, o.reset = v, true
	}
	if err := o.bounds(by["maxvalue"], by["minvalue"], isInit, resetMax, resetMin); err != nil {
		return err
	}
	if err := o.startAndRestart(by["start"], by["restart"], isInit); err != nil {
		return err
	}
	return o.cache(by["cache"], isInit)
}

// typeRange gives the smallest and largest value of a sequence's type.
func typeRange(typ OID) (lo, hi int64) {
	switch typ {
	case types.Int2OID:
		return math.MinInt16, math.MaxInt16
	case types.Int4OID:
		return math.MinInt32, math.MaxInt32
	}
	return math.MinInt64, math.MaxInt64
}

func (o *sequenceOptions) increment(d *pg_query.DefElem, isInit bool) error {
	switch {
	case d != nil:
		v, err := defInt(d)
		if err != nil {
			return err
		}
		if v == 0 {
			return pgerr.New(pgerr.InvalidParameterValue, "INCREMENT must not be zero")
		}
		o.Increment, o.reset = v, true
	case isInit:
		o.Increment = 1
	}
	return nil
}

func (o *sequenceOptions) bounds(maxD, minD *pg_query.DefElem, isInit, resetMax, resetMin bool) error {
	lo, hi := typeRange(o.TypeOID)
	switch {
	case maxD != nil && maxD.Arg != nil:
		v, err := defInt(maxD)
		if err != nil {
			return err
		}
		o.Max, o.reset = v, true
	case isInit || maxD != nil || resetMax:
		if o.Max = -1; o.Increment > 0 || resetMax {
			o.Max = hi
		}
		o.reset = true
	}
	if o.Max < lo || o.Max > hi {
		return pgerr.New(pgerr.InvalidParameterValue, "MAXVALUE (%d) is out of range for sequence data type %s", o.Max, types.FormatType(nil, o.TypeOID))
	}
	switch {
	case minD != nil && minD.Arg != nil:
		v, err := defInt(minD)
		if err != nil {
			return err
		}
		o.Min, o.reset = v, true
	case isInit || minD != nil || resetMin:
		if o.Min = 1; o.Increment < 0 || resetMin {
			o.Min = lo
		}
		o.reset = true
	}
	if o.Min < lo || o.Min > hi {
		return pgerr.New(pgerr.InvalidParameterValue, "MINVALUE (%d) is out of range for sequence data type %s", o.Min, types.FormatType(nil, o.TypeOID))
	}
	if o.Min >= o.Max {
		return pgerr.New(pgerr.InvalidParameterValue, "MINVALUE (%d) must be less than MAXVALUE (%d)", o.Min, o.Max)
	}
	return nil
}

func (o *sequenceOptions) startAndRestart(start, restart *pg_query.DefElem, isInit bool) error {
	switch {
	case start != nil:
		v, err := defInt(start)
		if err != nil {
			return err
		}
		o.Start = v
	case isInit:
		if o.Start = o.Min; o.Increment < 0 {
			o.Start = o.Max
		}
	}
	if o.Start < o.Min {
		return pgerr.New(pgerr.InvalidParameterValue, "START value (%d) cannot be less than MINVALUE (%d)", o.Start, o.Min)
	}
	if o.Start > o.Max {
		return pgerr.New(pgerr.InvalidParameterValue, "START value (%d) cannot be greater than MAXVALUE (%d)", o.Start, o.Max)
	}
	switch {
	case restart != nil:
		o.value, o.called, o.restart, o.reset = o.Start, false, true, true
		if restart.Arg != nil {
			v, err := defInt(restart)
			if err != nil {
				return err
			}
			o.value = v
		}
	case isInit:
		o.value, o.called = o.Start, false
	}
	if o.value < o.Min {
		return pgerr.New(pgerr.InvalidParameterValue, "RESTART value (%d) cannot be less than MINVALUE (%d)", o.value, o.Min)
	}
	if o.value > o.Max {
		return pgerr.New(pgerr.InvalidParameterValue, "RESTART value (%d) cannot be greater than MAXVALUE (%d)", o.value, o.Max)
	}
	return nil
}

func (o *sequenceOptions) cache(d *pg_query.DefElem, isInit bool) error {
	switch {
	case d != nil:
		v, err := defInt(d)
		if err != nil {
			return err
		}
		if v <= 0 {
			return pgerr.New(pgerr.InvalidParameterValue, "CACHE (%d) must be greater than zero", v)
		}
		o.Cache, o.reset = v, true
	case isInit:
		o.Cache = 1
	}
	return nil
}

// ownSequence makes a sequence go with a column (OWNED BY), or with none.
func (c *ctx) ownSequence(oid OID, d *pg_query.DefElem, kind byte) error {
	if d == nil {
		return nil
	}
	self := relObject(oid, 0)
	names := strs(d.Arg.GetList().GetItems())
	if len(names) == 1 {
		if names[0] != "none" {
			return pgerr.New(pgerr.SyntaxError, "invalid OWNED BY option").WithHint("Specify OWNED BY table.column or OWNED BY NONE.")
		}
		return c.v.RemoveDepends(self, catalog.DepAuto, catalog.PgClassOID)
	}
	schema, table, column := "", names[len(names)-2], names[len(names)-1]
	if len(names) > 2 {
		schema = names[len(names)-3]
	}
	rel, err := c.open(&pg_query.RangeVar{Schemaname: schema, Relname: table}, accessShare)
	if err != nil {
		return err
	}
	if rel.Kind != 'r' && rel.Kind != 'v' && rel.Kind != 'f' && rel.Kind != 'p' {
		return pgerr.New(pgerr.WrongObjectType, "sequence cannot be owned by relation \"%s\"", rel.Name).WithDetail("%s", unsupportedKind(rel.Kind))
	}
	seq, err := c.v.Relation(oid)
	if err != nil {
		return err
	}
	if seq.Owner != rel.Owner {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "sequence must have same owner as table it is linked to")
	}
	if seq.Namespace != rel.Namespace {
		return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "sequence must be in same schema as table it is linked to")
	}
	a := rel.AttrByName(column)
	if a == nil {
		return pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", column, rel.Name)
	}
	if err := c.v.RemoveDepends(self, catalog.DepAuto, catalog.PgClassOID); err != nil {
		return err
	}
	return c.v.Depend(self, kind, relObject(rel.OID, a.Num))
}

// columnSequence makes the sequence of a serial or identity column, and a serial one's default.
func (c *ctx) columnSequence(rel *catalog.Relation, d *columnDef) error {
	if d.serial == 0 && d.identity == nil {
		return nil
	}
	name, err := c.freeRelationName(rel.Name, d.Name, "seq", rel.Namespace, false)
	if err != nil {
		return err
	}
	r := &newRelation{name: name, ns: rel.Namespace, owner: rel.Owner, persistence: rel.Persistence}
	if r.persistence == 'u' {
		r.persistence = 'p'
	}
	var clauses []*pg_query.Node
	kind := byte(catalog.DepAuto)
	if d.identity != nil {
		clauses, kind = d.identity.Options, catalog.DepInternal
		if d.TypeOID != types.Int2OID && d.TypeOID != types.Int4OID && d.TypeOID != types.Int8OID {
			return pgerr.New(pgerr.InvalidParameterValue, "identity column type must be smallint, integer, or bigint")
		}
	}
	oid, _, err := c.makeSequence(r, clauses, d.TypeOID)
	if err != nil {
		return err
	}
	if err := c.v.Depend(relObject(oid, 0), kind, relObject(rel.OID, d.Num)); err != nil || d.serial == 0 {
		return err
	}
	var e query.Expr = &query.FuncExpr{FuncOID: nextvalFunc, TypeOID: types.Int8OID, Loc: -1,
		Args: []query.Expr{&query.Const{TypeOID: types.RegclassOID, Mod: -1, Value: types.Oid(oid), Loc: -1}}}
	d.cooked, err = analyze.Cast(c.analyzeEnv(), e, d.TypeOID, -1, false)
	return err
}

// alterSequence is ALTER SEQUENCE.
func alterSequence(c *ctx, n *pg_query.AlterSeqStmt) (string, error) {
	const tag = "ALTER SEQUENCE"
	rel, err := c.tryOpen(n.Sequence, shareRowExclusive)
	if err != nil {
		return "", err
	}
	if rel == nil {
		if n.MissingOk {
			c.notice(pgerr.SuccessfulCompletion, "relation \"%s\" does not exist, skipping", n.Sequence.Relname)
			return tag, nil
		}
		return "", pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rangeVarName(n.Sequence))
	}
	if rel.Kind != 'S' {
		return "", pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
	}
	if err := c.requireOwner(rel); err != nil {
		return "", err
	}
	return tag, c.changeSequence(rel, n.Options)
}

// changeSequence applies clauses to a sequence. Its state gets new storage, so that a rollback undoes the change.
func (c *ctx) changeSequence(rel *catalog.Relation, clauses []*pg_query.Node) error {
	st, err := c.v.ReadSequence(rel)
	if err != nil {
		return err
	}
	o := &sequenceOptions{SequenceDef: *rel.Sequence, value: st.Last, called: st.Called}
	if err := c.sequenceClauses(o, clauses, false); err != nil {
		return err
	}
	err = c.v.Modify(catalog.PgSequenceOID, catalog.PgSequenceSeqrelidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		copy(row, sequenceRow(rel.OID, &o.SequenceDef))
	})
	if err != nil {
		return err
	}
	if o.reset {
		if err := c.newSequenceState(rel, o.value, o.called); err != nil {
			return err
		}
	}
	return c.ownSequence(rel.OID, o.ownedBy, catalog.DepAuto)
}

// newSequenceState gives a sequence new storage with a state.
func (c *ctx) newSequenceState(rel *catalog.Relation, value int64, called bool) error {
	id, err := c.v.NewStorage(false, false)
	if err != nil {
		return err
	}
	c.v.CreateSequenceState(id, value, called)
	c.v.DropSequenceState(rel.Storage)
	return c.v.Modify(catalog.PgClassOID, catalog.PgClassOidIndexOID, []types.Datum{types.Oid(rel.OID)}, func(row types.Row) {
		row[catalog.ClassRelfilenode] = types.Oid(OID(id.Rel))
	})
}
