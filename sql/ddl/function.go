package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CreateFunctionStmt", createFunction) }

// functionDef is CREATE FUNCTION or PROCEDURE made ready.
type functionDef struct {
	name          string
	ns            OID
	owner         OID
	kind          byte // 'f', 'p', 'w', 'a'
	language      string
	lang          OID
	ret           OID
	retSet        bool
	params        functionParams
	attrs         functionAttrs
	src           string
	bin           types.Datum // null = none
	body          types.Datum // stored queries of an SQL-standard body, null = none
	bodyRefs      []catalog.Object
	replace       bool
	transformRefs []OID
}

// createFunction is CREATE [OR REPLACE] FUNCTION and PROCEDURE.
func createFunction(c *ctx, n *pg_query.CreateFunctionStmt) (string, error) {
	tag := "CREATE FUNCTION"
	f := &functionDef{owner: c.v.User(), kind: 'f', replace: n.Replace, bin: types.Null, body: types.Null}
	if n.IsProcedure {
		tag, f.kind = "CREATE PROCEDURE", 'p'
	}
	var err error
	if f.ns, f.name, err = c.creationName(n.Funcname); err != nil {
		return "", err
	}
	if err := c.functionOptions(&f.attrs, n.Options, n.IsProcedure); err != nil {
		return "", err
	}
	if f.attrs.window {
		f.kind = 'w'
	}
	if err := c.functionLanguage(f, n.SqlBody != nil); err != nil {
		return "", err
	}
	if err := c.functionParams(&f.params, n.Parameters, f.lang, objectWordOf(f.kind)); err != nil {
		return "", err
	}
	if err := c.functionResult(f, n.ReturnType); err != nil {
		return "", err
	}
	if err := c.functionBody(f, n); err != nil {
		return "", err
	}
	if err := f.defaultCosts(); err != nil {
		return "", err
	}
	oid, err := c.storeFunction(f)
	if err != nil {
		return "", err
	}
	if err := c.next(); err != nil {
		return "", err
	}
	return tag, c.validateFunction(oid, f)
}

func objectWordOf(kind byte) string {
	switch kind {
	case 'p':
		return "procedure"
	case 'a':
		return "aggregate"
	}
	return "function"
}

// functionLanguage finds the language and checks who may use it.
func (c *ctx) functionLanguage(f *functionDef, hasBody bool) (err error) {
	f.language = f.attrs.language
	if f.language == "" {
		if !hasBody {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "no language specified")
		}
		f.language = "sql"
	}
	if f.lang, err = c.v.LanguageByName(f.language); err != nil {
		return err
	}
	if f.lang == 0 {
		return pgerr.New(pgerr.UndefinedObject, "language \"%s\" does not exist", f.language)
	}
	_, row, err := c.v.Find(catalog.PgLanguageOidIndexOID, types.Oid(f.lang))
	if err != nil {
		return err
	}
	ok := c.isSuperuser()
	if row[catalog.LanguageLanpltrusted].Bool() {
		ok, err = c.v.HasPrivilege(catalog.PgLanguageOID, f.lang, 0, c.v.User(), query.AclUsage)
	}
	if err := orDenied(ok, err, "permission denied for language %s", f.language); err != nil {
		return err
	}
	if f.attrs.leakProof && !c.isSuperuser() {
		return pgerr.New(pgerr.InsufficientPrivilege, "only superuser can define a leakproof function")
	}
	if f.attrs.transform {
		return pgerr.NotSupported("TRANSFORM of functions")
	}
	return nil
}

// functionResult finds the result type: what RETURNS says, or what the OUT parameters make.
func (c *ctx) functionResult(f *functionDef, tn *pg_query.TypeName) (err error) {
	required := f.params.required
	switch {
	case f.kind == 'p':
		if f.ret = required; f.ret == 0 {
			f.ret = types.VoidOID
		}
	case tn != nil:
		if f.ret, err = c.returnType(tn, f.lang); err != nil {
			return err
		}
		f.retSet = tn.Setof
		if required != 0 && f.ret != required {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "function result type must be %s because of OUT parameters", types.FormatType(c.Backend.Env, required))
		}
	case required != 0:
		f.ret = required
	default:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "function result type must be specified")
	}
	return nil
}

// returnType finds the type of RETURNS. A type that is not there becomes a shell, for the input functions of new types.
func (c *ctx) returnType(tn *pg_query.TypeName, lang OID) (OID, error) {
	o, err := c.typeObject(&pg_query.Node{Node: &pg_query.Node_TypeName{TypeName: tn}}, false)
	name := typeNameText(tn)
	if err != nil {
		if e := pgerr.From(err); e.Code != pgerr.UndefinedObject {
			return 0, err
		}
		if lang != catalog.InternalLanguage && lang != catalog.CLanguage {
			return 0, pgerr.New(pgerr.UndefinedObject, "type \"%s\" does not exist", name)
		}
		return c.shellForReturn(tn, name)
	}
	t, err := c.v.Type(o.OID)
	if err != nil {
		return 0, err
	}
	if !t.Defined {
		if lang == catalog.SQLLanguage {
			return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "SQL function cannot return shell type %s", name)
		}
		c.notice(pgerr.WrongObjectType, "return type %s is only a shell", name)
	}
	return t.OID, c.requireTypeUsage(t)
}

func (c *ctx) shellForReturn(tn *pg_query.TypeName, name string) (OID, error) {
	if len(tn.Typmods) > 0 {
		return 0, pgerr.New(pgerr.SyntaxError, "type modifier cannot be specified for shell type \"%s\"", name)
	}
	n := pgerr.New(pgerr.UndefinedObject, "type \"%s\" is not yet defined", name).WithDetail("Creating a shell type definition.")
	n.Severity = "NOTICE"
	c.send(n)
	ns, base, err := c.creationName(tn.Names)
	if err != nil {
		return 0, err
	}
	oid, err := c.makeShellType(ns, base)
	if err != nil {
		return 0, err
	}
	return oid, c.next()
}

// defaultCosts fills in COST and ROWS.
func (f *functionDef) defaultCosts() error {
	a := &f.attrs
	if a.cost < 0 {
		a.cost = 100
		if f.lang == catalog.InternalLanguage || f.lang == catalog.CLanguage {
			a.cost = 1
		}
	}
	switch {
	case a.rows < 0 && f.retSet:
		a.rows = 1000
	case a.rows < 0:
		a.rows = 0
	case !f.retSet:
		return pgerr.New(pgerr.InvalidParameterValue, "ROWS is not applicable when function does not return a set")
	}
	return nil
}

// functionBody reads AS, or the SQL-standard body.
func (c *ctx) functionBody(f *functionDef, n *pg_query.CreateFunctionStmt) error {
	as := f.attrs.as
	switch {
	case n.SqlBody == nil && len(as) == 0:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "no function body specified")
	case n.SqlBody != nil && len(as) > 0:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "duplicate function body specified")
	case n.SqlBody != nil && f.lang != catalog.SQLLanguage:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "inline SQL function body only valid for language SQL")
	case n.SqlBody != nil:
		return c.standardBody(f, n.SqlBody)
	}
	if f.lang == catalog.CLanguage {
		f.bin = types.Text(as[0])
		f.src = f.name
		if len(as) > 1 && as[1] != "-" {
			f.src = as[1]
		}
		return nil
	}
	if len(as) != 1 {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "only one AS item needed for language \"%s\"", f.language)
	}
	f.src = as[0]
	if f.lang == catalog.InternalLanguage && strings.TrimSpace(f.src) == "" {
		f.src = f.name
	}
	return nil
}
