package analyze

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

var nullDatum = types.Null

// Statement analyses one raw statement. Utility statements come back as CmdUtility with the parse node in Utility; of those, EXPLAIN, DECLARE
// CURSOR and CREATE TABLE AS keep their query unanalysed: the command analyses it with Query.
func Statement(env *Env, raw *parse.Stmt) (q *query.Query, err error) {
	defer catch(&err)
	p := newState(env, nil)
	q = p.statement(raw.Node)
	q.StmtLocation, q.StmtLen = raw.Location, raw.Len
	p.checkParams(q)
	return q, nil
}

// Query analyses the node of an optimizable statement inside a utility statement.
func Query(env *Env, n *pg_query.Node) (q *query.Query, err error) {
	defer catch(&err)
	p := newState(env, nil)
	q = p.statement(n)
	p.checkParams(q)
	return q, nil
}

// NeedsAnalysis says whether a statement is optimizable: a query, not a utility.
func NeedsAnalysis(n *pg_query.Node) bool {
	switch n.Node.(type) {
	case *pg_query.Node_SelectStmt, *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt:
		return true
	}
	return false
}

// utility wraps a utility statement; SELECT INTO has become one.
func (p *state) utility(n any) *query.Query {
	return &query.Query{Command: query.CmdUtility, CanSetTag: true, Utility: n}
}

// ExprKind says what an expression of DDL is for.
type ExprKind uint8

const (
	ExprDefault   ExprKind = iota // column DEFAULT: coerced to the column's type
	ExprGenerated                 // GENERATED ALWAYS AS: likewise
	ExprCheck                     // table CHECK
	ExprDomainCheck
	ExprIndexColumn
	ExprIndexPredicate
	ExprAlterType // USING of ALTER COLUMN TYPE: coerced to the new type
	ExprPartitionKey
	ExprPartitionBound
	ExprTriggerWhen
	ExprPolicy
	ExprStatistics
	ExprFunctionDefault
	ExprExecuteParameter // EXECUTE's arguments
	ExprCallArgument
	ExprCopyWhere
	ExprOther
)

var ddlKinds = map[ExprKind]exprKind{ExprDefault: kindColumnDefault, ExprGenerated: kindGeneratedColumn, ExprCheck: kindCheckConstraint,
	ExprDomainCheck: kindDomainCheck, ExprIndexColumn: kindIndexExpression, ExprIndexPredicate: kindIndexPredicate,
	ExprAlterType: kindAlterColTransform, ExprPartitionKey: kindPartitionExpression, ExprPartitionBound: kindPartitionBound,
	ExprTriggerWhen: kindTriggerWhen, ExprPolicy: kindPolicy, ExprStatistics: kindStatsExpression, ExprFunctionDefault: kindFunctionDefault,
	ExprExecuteParameter: kindExecuteParameter, ExprCallArgument: kindCallArgument, ExprCopyWhere: kindCopyWhere, ExprOther: kindOther}

// ExprTarget is what an expression of DDL is about.
type ExprTarget struct {
	// Relation, when not nil, is the table whose columns may be used; they become Vars with VarNo 1. For ExprTriggerWhen they are OLD (1) and
	// NEW (2).
	Relation *catalog.Relation
	// Type and TypMod are what the value is coerced to (defaults, generated columns, ALTER TYPE, EXECUTE parameters); 0 = nothing.
	Type   OID
	TypMod int32
	// Column names the column in messages about a value that cannot be coerced.
	Column string
	// DomainType is the base type of VALUE in ExprDomainCheck, with its typmod and collation.
	DomainType OID
	DomainMod  int32
	DomainColl OID
}

// Expr analyses an expression of DDL: its place's rules are checked, conditions are coerced to boolean, values to the target type, collations are
// set, and missing arguments of calls are filled in.
func Expr(env *Env, n *pg_query.Node, kind ExprKind, target ExprTarget) (e query.Expr, err error) {
	defer catch(&err)
	p := newState(env, nil)
	p.addDDLRelations(kind, target)
	if kind == ExprDomainCheck {
		p.hookDomainValue(target)
	}
	e = p.expr(n, ddlKinds[kind])
	switch kind {
	case ExprCheck, ExprDomainCheck:
		e = p.coerceToBoolean(e, "CHECK")
	case ExprIndexPredicate, ExprCopyWhere:
		e = p.coerceToBoolean(e, "WHERE")
	case ExprTriggerWhen:
		e = p.coerceToBoolean(e, "WHEN")
	case ExprPolicy:
		e = p.coerceToBoolean(e, "POLICY")
	default:
		e = p.coerceDDL(e, kind, target)
	}
	p.assignCollations(e)
	return ExpandCalls(env.Catalog, e)
}

func (p *state) addDDLRelations(kind ExprKind, target ExprTarget) {
	if target.Relation == nil {
		return
	}
	if kind == ExprTriggerWhen {
		for _, name := range []string{"old", "new"} {
			item := p.addRelation(target.Relation, AccessShareLock, &query.Alias{Name: name}, false, false)
			p.addToQuery(item, false, true, true)
		}
		return
	}
	item := p.addRelation(target.Relation, AccessShareLock, nil, false, true)
	p.addToQuery(p.remember(item), false, true, true)
}

// hookDomainValue makes VALUE mean the domain's value.
func (p *state) hookDomainValue(target ExprTarget) {
	env := *p.env
	env.ColumnHook = func(names []string, at int, after bool, found query.Expr) (query.Expr, error) {
		if after || len(names) != 1 || names[0] != "value" {
			return nil, nil
		}
		return &query.CoerceToDomainValue{TypeOID: target.DomainType, Mod: target.DomainMod, Coll: target.DomainColl, Loc: at}, nil
	}
	p.env = &env
}

// coerceDDL coerces a value to the type it is for.
func (p *state) coerceDDL(e query.Expr, kind ExprKind, target ExprTarget) query.Expr {
	if target.Type == 0 {
		if kind == ExprIndexColumn && e.Type() == types.UnknownOID {
			e = p.coerceType(e, types.UnknownOID, types.TextOID, -1, coercionImplicit, query.CoerceImplicitCast, -1)
		}
		return e
	}
	from := e.Type()
	c := p.coerceTo(e, from, target.Type, target.TypMod, coercionAssignment, query.CoerceImplicitCast, -1)
	if c != nil {
		return c
	}
	switch kind {
	case ExprAlterType:
		return nil
	case ExprExecuteParameter:
		throw(pgerr.New(pgerr.DatatypeMismatch, "parameter %s of type %s cannot be coerced to the expected type %s", target.Column, p.formatType(from),
			p.formatType(target.Type)).WithHint("You will need to rewrite or cast the expression.").WithLocation(exprLocation(e)))
	case ExprFunctionDefault:
		fail(exprLocation(e), pgerr.DatatypeMismatch, "argument of %s must be type %s, not type %s", "DEFAULT", p.formatType(target.Type), p.formatType(from))
	}
	what := "default expression"
	if kind == ExprGenerated {
		what = "generation expression"
	}
	throw(pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is of type %s but %s is of type %s", target.Column, p.formatType(target.Type), what,
		p.formatType(from)).WithHint("You will need to rewrite or cast the expression."))
	return nil
}

// TypeName finds the type and typmod that a type name means.
func TypeName(env *Env, tn *pg_query.TypeName) (typ OID, mod int32, err error) {
	defer catch(&err)
	typ, mod = newState(env, nil).typeNameMod(tn)
	return typ, mod, nil
}

// LookUpTypeName is TypeName that gives nil for a type that does not exist, and does not refuse shells.
func LookUpTypeName(env *Env, tn *pg_query.TypeName) (t *catalog.Type, mod int32, err error) {
	defer catch(&err)
	p := newState(env, nil)
	if t = p.lookUpType(tn); t == nil {
		return nil, -1, nil
	}
	return t, p.typMod(tn, t), nil
}

// TypeNameText prints a type name as written.
func TypeNameText(tn *pg_query.TypeName) string { return typeNameText(tn) }

// ColumnCollation is the collation of a column definition of the given type: its COLLATE clause's, or the type's.
func ColumnCollation(env *Env, d *pg_query.ColumnDef, typ OID) (coll OID, err error) {
	defer catch(&err)
	return newState(env, nil).columnCollation(d, typ), nil
}

// CollationByName resolves a collation name.
func CollationByName(env *Env, names []*pg_query.Node, location int) (coll OID, err error) {
	defer catch(&err)
	return newState(env, nil).collationByName(strList(names), location), nil
}

// IndexColumnName is the default name of an index expression's column, "" when none suggests itself.
func IndexColumnName(n *pg_query.Node) string { return figureIndexName(n) }

// Cast makes the coercion of an expression to a type in an assignment, nil when there is none.
func Cast(env *Env, e query.Expr, to OID, mod int32, explicit bool) (out query.Expr, err error) {
	defer catch(&err)
	p := newState(env, nil)
	ctx := coercionAssignment
	form := query.CoerceImplicitCast
	if explicit {
		ctx, form = coercionExplicit, query.CoerceExplicitCast
	}
	out = p.coerceTo(e, e.Type(), to, mod, ctx, form, -1)
	if out != nil {
		p.assignCollations(out)
	}
	return out, nil
}

// CanCast says whether a type can be cast to another in an assignment or, when explicit, at all.
func CanCast(env *Env, from, to OID, explicit bool) (ok bool, err error) {
	defer catch(&err)
	ctx := coercionAssignment
	if explicit {
		ctx = coercionExplicit
	}
	return newState(env, nil).canCoerce([]OID{from}, []OID{to}, ctx), nil
}

// ImplicitlyCoercible says whether values of the types become values of the others without being asked, all by one choice of what polymorphic
// types among them stand for.
func ImplicitlyCoercible(env *Env, from, to []OID) (ok bool, err error) {
	defer catch(&err)
	return newState(env, nil).canCoerce(from, to, coercionImplicit), nil
}

// SortOperators gives the default ordering and equality operators of a type, 0 where it has none.
func SortOperators(env *Env, typ OID) (lt, eq, gt OID, hashable bool, err error) {
	defer catch(&err)
	s := newState(env, nil).typeOperators(typ)
	return s.lt, s.eq, s.gt, s.hashable, nil
}

// BinaryOperator resolves a binary operator by PostgreSQL's rules; nil when there is none.
func BinaryOperator(env *Env, name []string, left, right OID) (o *catalog.Operator, err error) {
	defer catch(&err)
	return newState(env, nil).binaryOperator(name, left, right, true, -1), nil
}
