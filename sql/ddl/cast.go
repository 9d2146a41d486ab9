package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("CreateCastStmt", createCast) }

var castContexts = map[pg_query.CoercionContext]byte{pg_query.CoercionContext_COERCION_IMPLICIT: 'i', pg_query.CoercionContext_COERCION_ASSIGNMENT: 'a',
	pg_query.CoercionContext_COERCION_EXPLICIT: 'e'}

// createCast is CREATE CAST.
func createCast(c *ctx, n *pg_query.CreateCastStmt) (string, error) {
	source, err := c.definedOrShell(n.Sourcetype)
	if err != nil {
		return "", err
	}
	target, err := c.definedOrShell(n.Targettype)
	if err != nil {
		return "", err
	}
	if err := c.mayCast(source, target); err != nil {
		return "", err
	}
	method, fn, args := byte('b'), OID(0), 0
	switch {
	case n.Func != nil:
		method = 'f'
		if fn, args, err = c.castFunction(n.Func, source.OID, target.OID); err != nil {
			return "", err
		}
	case n.Inout:
		method = 'i'
	default:
		if err := c.checkBinaryCast(source, target); err != nil {
			return "", err
		}
	}
	if source.OID == target.OID && args < 2 {
		return "", pgerr.New(pgerr.InvalidObjectDefinition, "source data type and target data type are the same")
	}
	if old, err := c.v.Cast(source.OID, target.OID); err != nil {
		return "", err
	} else if old != nil {
		return "", pgerr.New(pgerr.DuplicateObject, "cast from type %s to type %s already exists", types.FormatType(c.Backend.Env, source.OID),
			types.FormatType(c.Backend.Env, target.OID))
	}
	oid, err := c.v.GetNewOID(catalog.PgCastOidIndexOID)
	if err != nil {
		return "", err
	}
	row := catalog.NewRow(catalog.PgCastOID)
	row[catalog.CastOid], row[catalog.CastCastsource], row[catalog.CastCasttarget] = types.Oid(oid), types.Oid(source.OID), types.Oid(target.OID)
	row[catalog.CastCastfunc], row[catalog.CastCastcontext] = types.Oid(fn), types.Char(castContexts[n.Context])
	row[catalog.CastCastmethod] = types.Char(method)
	if err := c.v.Insert(catalog.PgCastOID, row); err != nil {
		return "", err
	}
	return "CREATE CAST", c.v.Depend(object(catalog.PgCastOID, oid), catalog.DepNormal, object(catalog.PgTypeOID, source.OID),
		object(catalog.PgTypeOID, target.OID), object(catalog.PgProcOID, fn))
}

// mayCast checks who may make a cast between two types, and that they can have one.
func (c *ctx) mayCast(source, target *catalog.Type) error {
	name := func(t *catalog.Type) string { return types.FormatType(c.Backend.Env, t.OID) }
	for _, x := range []struct {
		t    *catalog.Type
		word string
	}{{source, "source"}, {target, "target"}} {
		if x.t.Kind == 'p' {
			return pgerr.New(pgerr.WrongObjectType, "%s data type %s is a pseudo-type", x.word, name(x.t))
		}
	}
	own := false
	for _, t := range []*catalog.Type{source, target} {
		ok, err := c.v.IsOwner(c.v.User(), t.Owner)
		if err != nil {
			return err
		}
		own = own || ok
	}
	if !own {
		return pgerr.New(pgerr.InsufficientPrivilege, "must be owner of type %s or type %s", name(source), name(target))
	}
	for _, t := range []*catalog.Type{source, target} {
		if err := c.requireTypeUsage(t); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		t    *catalog.Type
		word string
	}{{source, "source"}, {target, "target"}} {
		if x.t.Kind == 'd' {
			c.warnCode(pgerr.WrongObjectType, "cast will be ignored because the %s data type is a domain", x.word)
		}
	}
	return nil
}

// castFunction finds the function of a cast, and the number of its arguments: the value, its type modifier, whether the cast is explicit.
func (c *ctx) castFunction(n *pg_query.ObjectWithArgs, source, target OID) (fn OID, args int, err error) {
	if fn, err = c.findRoutine(pg_query.ObjectType_OBJECT_FUNCTION, n); err != nil {
		return 0, 0, err
	}
	p, err := c.v.Proc(fn)
	if err != nil {
		return 0, 0, err
	}
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...)
	}
	args = len(p.ArgTypes)
	if args < 1 || args > 3 {
		return 0, 0, bad("cast function must take one to three arguments")
	}
	takes, err := c.coercible(source, p.ArgTypes[0])
	if err != nil {
		return 0, 0, err
	}
	gives, err := c.coercible(p.RetType, target)
	if err != nil {
		return 0, 0, err
	}
	switch {
	case !takes:
		return 0, 0, bad("argument of cast function must match or be binary-coercible from source data type")
	case args > 1 && p.ArgTypes[1] != types.Int4OID:
		return 0, 0, bad("second argument of cast function must be type %s", "integer")
	case args > 2 && p.ArgTypes[2] != types.BoolOID:
		return 0, 0, bad("third argument of cast function must be type %s", "boolean")
	case !gives:
		return 0, 0, bad("return data type of cast function must match or be binary-coercible to target data type")
	case p.Kind != 'f':
		return 0, 0, bad("cast function must be a normal function")
	case p.RetSet:
		return 0, 0, bad("cast function must not return a set")
	}
	return fn, args, c.requireExecute(p, p.Name)
}

func (c *ctx) coercible(from, to OID) (bool, error) {
	if from == to {
		return true, nil
	}
	return c.v.IsBinaryCoercible(from, to)
}

// checkBinaryCast refuses WITHOUT FUNCTION where the bytes of one type can't be those of the other.
func (c *ctx) checkBinaryCast(source, target *catalog.Type) error {
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to create a cast WITHOUT FUNCTION"); err != nil {
		return err
	}
	either := func(is func(*catalog.Type) bool) bool { return is(source) || is(target) }
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...)
	}
	switch {
	case source.Len != target.Len || source.ByVal != target.ByVal || source.Align != target.Align:
		return bad("source and target data types are not physically compatible")
	case either(func(t *catalog.Type) bool { return t.Kind == 'c' }):
		return bad("composite data types are not binary-compatible")
	case either(func(t *catalog.Type) bool { return t.Elem != 0 && t.Subscript == arraySubscript }):
		return bad("array data types are not binary-compatible")
	case either(func(t *catalog.Type) bool { return t.Kind == 'e' }):
		return bad("enum data types are not binary-compatible")
	case either(func(t *catalog.Type) bool { return t.Kind == 'd' }):
		return bad("domain data types must not be marked binary-compatible")
	}
	return nil
}
