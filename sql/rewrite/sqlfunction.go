package rewrite

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// SQLFunction is a function in language SQL at one call site: the types of its arguments and of its result are settled.
type SQLFunction struct {
	Proc   *catalog.Proc
	Args   analyze.FunctionArgs
	Result analyze.FunctionResult

	stmts  []*parse.Stmt  // of a body that is a string
	stored []*query.Query // of an SQL-standard body
}

// NewSQLFunction prepares a function for a call with arguments of these types and a result of that one.
func NewSQLFunction(env *analyze.Env, p *catalog.Proc, argTypes []types.OID, ret types.OID) (*SQLFunction, error) {
	f := &SQLFunction{Proc: p, Args: analyze.FunctionArgs{Function: p.Name, Types: argTypes, Names: inputNames(p)}}
	f.Result.Type, f.Result.Procedure = ret, p.Kind == 'p'
	var err error
	if f.Result.Desc, err = ResultRow(env, p, argTypes, ret); err != nil {
		return nil, err
	}
	if expr, ok := strings.CutPrefix(p.SQLBody, "RETURN "); ok { // as the initial contents of pg_proc have it
		f.stmts, err = parse.Parse("SELECT " + expr)
		return f, err
	}
	if body, ok := strings.CutPrefix(p.SQLBody, "BEGIN ATOMIC"); ok {
		f.stmts, err = parse.Parse(strings.TrimSuffix(body, "END"))
		return f, err
	}
	if p.SQLBody != "" {
		f.stored, _, err = query.DecodeBody(p.SQLBody)
		return f, err
	}
	f.stmts, err = parse.Parse(p.Src)
	return f, err
}

// inputNames are the names of a function's input parameters.
func inputNames(p *catalog.Proc) []string {
	var list []string
	for i, n := range p.ArgNames {
		if p.ArgModes == nil || p.ArgModes[i] == 'i' || p.ArgModes[i] == 'b' || p.ArgModes[i] == 'v' {
			list = append(list, n)
		}
	}
	return list
}

// ResultRow describes the row that a function called with arguments of these types gives; nil when it gives one value, or a record that only the
// call describes.
func ResultRow(env *analyze.Env, p *catalog.Proc, argTypes []types.OID, ret types.OID) (*types.TupleDesc, error) {
	if ret == types.RecordOID {
		var rerr error
		desc := analyze.OutColumns(p, func(t types.OID) types.OID {
			out, err := analyze.ResolveGeneric(env, argTypes, p.ArgTypes, t)
			if err != nil {
				rerr = err
			}
			return out
		}, func(t types.OID) types.OID {
			if typ, err := env.Catalog.Type(t); err == nil && typ != nil {
				return typ.Collation
			}
			return 0
		})
		return desc, rerr
	}
	t, err := env.Catalog.Type(ret)
	if err != nil || t == nil || t.RelID == 0 {
		return nil, err
	}
	rel, err := env.Catalog.Relation(t.RelID)
	if rel == nil {
		return nil, err
	}
	return rel.Desc, err
}

// Len is the number of the function's statements.
func (f *SQLFunction) Len() int { return len(f.stmts) + len(f.stored) }

// Statement gives statement i as it was parsed, nil for one of an SQL-standard body.
func (f *SQLFunction) Statement(i int) *parse.Stmt {
	if i < len(f.stmts) {
		return f.stmts[i]
	}
	return nil
}

// Analyze analyses and rewrites statement i. The last one's result is converted to the function's; whole says that its one column is the result
// even where that is a composite.
func (f *SQLFunction) Analyze(env *analyze.Env, i int) (queries []*query.Query, whole bool, err error) {
	q, err := f.Raw(env, i)
	if err != nil {
		return nil, false, err
	}
	if q.Command == query.CmdUtility {
		if err := f.checkCall(env, q); err != nil {
			return nil, false, err
		}
		queries = []*query.Query{q}
	} else if queries, err = Rewrite(env, q); err != nil {
		return nil, false, err
	}
	if i < f.Len()-1 {
		return queries, false, nil
	}
	at := -1
	for j, q := range queries {
		if q.CanSetTag {
			at = j
		}
	}
	var last *query.Query
	if at >= 0 && queries[at].Command != query.CmdUtility {
		last = queries[at]
	}
	out, whole, err := analyze.CoerceResult(env, last, f.Result)
	if err == nil && at >= 0 && last != nil {
		queries[at] = out
	}
	return queries, whole, err
}

// checkCall refuses the CALL of a procedure with OUT parameters: their values would have nowhere to go.
func (f *SQLFunction) checkCall(env *analyze.Env, q *query.Query) error {
	call := q.Utility.(*pg_query.Node).GetCallStmt()
	if call == nil {
		return nil
	}
	c, err := analyze.Call(analyze.InFunction(env, &f.Args), call)
	if err == nil && len(c.Outs) > 0 {
		err = pgerr.New(pgerr.FeatureNotSupported, "calling procedures with output arguments is not supported in SQL functions")
	}
	return err
}

// Raw analyses statement i, which is not rewritten.
func (f *SQLFunction) Raw(env *analyze.Env, i int) (*query.Query, error) {
	if f.stored != nil {
		return query.CopyQuery(f.stored[i]), nil
	}
	return analyze.Statement(analyze.InFunction(env, &f.Args), f.stmts[i])
}

// Check analyses the whole body, for CREATE FUNCTION.
func (f *SQLFunction) Check(env *analyze.Env) error {
	for i := range f.Len() {
		if _, _, err := f.Analyze(env, i); err != nil {
			return err
		}
	}
	if f.Len() > 0 {
		return nil
	}
	_, _, err := analyze.CoerceResult(env, nil, f.Result)
	return err
}
