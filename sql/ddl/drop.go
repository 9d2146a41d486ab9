package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("DropStmt", drop) }

// relationDrop tells what DROP of a kind of relation says when it meets another kind, or none.
type relationDrop struct {
	kinds   string
	word    string // "table"
	article string // "a table"
	tag     string
	missing pgerr.Code
	useWhat string
}

var relationDrops = map[pg_query.ObjectType]relationDrop{
	pg_query.ObjectType_OBJECT_TABLE:    {"rp", "table", "a table", "DROP TABLE", pgerr.UndefinedTable, "DROP TABLE"},
	pg_query.ObjectType_OBJECT_SEQUENCE: {"S", "sequence", "a sequence", "DROP SEQUENCE", pgerr.UndefinedTable, "DROP SEQUENCE"},
	pg_query.ObjectType_OBJECT_VIEW:     {"v", "view", "a view", "DROP VIEW", pgerr.UndefinedTable, "DROP VIEW"},
	pg_query.ObjectType_OBJECT_MATVIEW:  {"m", "materialized view", "a materialized view", "DROP MATERIALIZED VIEW", pgerr.UndefinedTable, "DROP MATERIALIZED VIEW"},
	pg_query.ObjectType_OBJECT_INDEX:    {"iI", "index", "an index", "DROP INDEX", pgerr.UndefinedObject, "DROP INDEX"},
}

// useInstead is the hint for a relation of another kind.
var useInstead = map[byte]string{'r': "DROP TABLE to remove a table", 'p': "DROP TABLE to remove a table", 'S': "DROP SEQUENCE to remove a sequence",
	'v': "DROP VIEW to remove a view", 'm': "DROP MATERIALIZED VIEW to remove a materialized view", 'i': "DROP INDEX to remove an index",
	'c': "DROP TYPE to remove a type", 'f': "DROP FOREIGN TABLE to remove a foreign table"}

// drop is DROP of everything but databases and roles.
func drop(c *ctx, n *pg_query.DropStmt) (string, error) {
	if r, ok := relationDrops[n.RemoveType]; ok {
		if n.Concurrent {
			if err := c.Session.RequireNoBlock("DROP INDEX CONCURRENTLY"); err != nil {
				return "", err
			}
		}
		return r.tag, c.dropRelations(n, &r)
	}
	return parse.CommandTag(&pg_query.Node{Node: &pg_query.Node_DropStmt{DropStmt: n}}), c.dropNamed(n)
}

// dropNamed is DROP of objects that are no relations.
func (c *ctx) dropNamed(n *pg_query.DropStmt) error {
	var objects []catalog.Object
	for _, x := range n.Objects {
		o, err := c.address(n.RemoveType, x, accessExclusive)
		if err != nil {
			if e := pgerr.From(err); n.MissingOk && isMissing(e) {
				c.notice(pgerr.SuccessfulCompletion, "%s, skipping", c.missingText(n.RemoveType, x, e))
				continue
			}
			return err
		}
		if err := c.mayDropObject(n.RemoveType, o, x); err != nil {
			return err
		}
		objects = append(objects, o)
	}
	return c.dropObjects(objects, n.Behavior)
}

// mayDropObject checks who may drop an object: its owner, or its schema's.
func (c *ctx) mayDropObject(t pg_query.ObjectType, o catalog.Object, n *pg_query.Node) error {
	if o.Class == catalog.PgProcOID && t == pg_query.ObjectType_OBJECT_FUNCTION {
		p, err := c.v.Proc(o.OID)
		if err != nil {
			return err
		}
		if p.Kind == 'a' {
			return pgerr.New(pgerr.WrongObjectType, "\"%s\" is an aggregate function", joinName(strs(n.GetObjectWithArgs().Objname))).
				WithHint("Use DROP AGGREGATE to drop aggregate functions.")
		}
	}
	if k := objectKinds[o.Class]; k != nil && k.ns != none {
		_, row, err := c.v.Find(catalog.OIDIndex(o.Class), types.Oid(o.OID))
		if err != nil {
			return err
		}
		if ns, err := c.v.Namespace(row[k.ns].Oid()); err == nil && ns != nil {
			if ok, err := c.v.IsOwner(c.v.User(), ns.Owner); ok && err == nil {
				return nil
			}
		}
	}
	return c.requireOwnership(t, o, n)
}

// missingText is what the notice of DROP IF EXISTS says instead of the error.
func (c *ctx) missingText(t pg_query.ObjectType, n *pg_query.Node, e *pgerr.Error) string {
	if e.Code == pgerr.InvalidSchemaName {
		return e.Message
	}
	switch t {
	case pg_query.ObjectType_OBJECT_FUNCTION, pg_query.ObjectType_OBJECT_PROCEDURE, pg_query.ObjectType_OBJECT_ROUTINE, pg_query.ObjectType_OBJECT_AGGREGATE:
		if e.Code != pgerr.UndefinedFunction {
			return e.Message
		}
		owa := n.GetObjectWithArgs()
		var args []string
		for _, a := range owa.Objargs {
			args = append(args, analyze.TypeNameText(a.GetTypeName()))
		}
		return strings.ToLower(parse.ObjectWord(t)) + " " + joinName(strs(owa.Objname)) + "(" + strings.Join(args, ",") + ") does not exist"
	case pg_query.ObjectType_OBJECT_OPERATOR:
		if e.Code == pgerr.UndefinedFunction {
			return "operator " + joinName(strs(n.GetObjectWithArgs().Objname)) + " does not exist"
		}
	case pg_query.ObjectType_OBJECT_CAST:
		if strings.HasPrefix(e.Message, "cast ") {
			items := n.GetList().GetItems()
			return "cast from type " + analyze.TypeNameText(items[0].GetTypeName()) + " to type " + analyze.TypeNameText(items[1].GetTypeName()) + " does not exist"
		}
	case pg_query.ObjectType_OBJECT_COLLATION:
		return "collation \"" + joinName(strs(nameList(n))) + "\" does not exist"
	case pg_query.ObjectType_OBJECT_TRIGGER, pg_query.ObjectType_OBJECT_RULE, pg_query.ObjectType_OBJECT_POLICY:
		if e.Code == pgerr.UndefinedObject {
			items := strs(n.GetList().GetItems())
			return strings.ToLower(parse.ObjectWord(t)) + " \"" + items[len(items)-1] + "\" for relation \"" + joinName(items[:len(items)-1]) + "\" does not exist"
		}
	}
	return e.Message
}

// isMissing says whether an error is that something does not exist.
func isMissing(e *pgerr.Error) bool {
	switch e.Code {
	case pgerr.UndefinedTable, pgerr.UndefinedObject, pgerr.UndefinedFunction, pgerr.InvalidSchemaName, pgerr.UndefinedColumn:
		return strings.Contains(e.Message, "does not exist") || strings.HasPrefix(e.Message, "could not find ") // a function named ...
	}
	return false
}

// dropObjects runs the dropper.
func (c *ctx) dropObjects(objects []catalog.Object, behavior pg_query.DropBehavior) error {
	if len(objects) == 0 {
		return nil
	}
	d := catalog.Dropper{View: c.v, Cascade: behavior == pg_query.DropBehavior_DROP_CASCADE, Notice: c.send, Lock: c.lockForDrop}
	return d.Drop(objects...)
}

// lockForDrop locks an object that goes along.
func (c *ctx) lockForDrop(o catalog.Object) error {
	if o.Class != catalog.PgClassOID {
		return nil
	}
	_, err := c.Session.LockRelation(o.OID, accessExclusive)
	return err
}

// dropRelations is DROP TABLE and its kin.
func (c *ctx) dropRelations(n *pg_query.DropStmt, r *relationDrop) error {
	var objects []catalog.Object
	for _, x := range n.Objects {
		rv := rangeVarOf(x.GetList().GetItems())
		rel, err := c.findForDrop(rv, r, n.MissingOk)
		if err != nil {
			return err
		}
		if rel == nil {
			continue
		}
		if err := c.mayDrop(rel); err != nil {
			return err
		}
		objects = append(objects, relObject(rel.OID, 0))
	}
	return c.dropObjects(objects, n.Behavior)
}

func rangeVarOf(items []*pg_query.Node) *pg_query.RangeVar {
	s := strs(items)
	rv := &pg_query.RangeVar{Relname: s[len(s)-1]}
	if len(s) > 1 {
		rv.Schemaname = s[len(s)-2]
	}
	if len(s) > 2 {
		rv.Catalogname = s[len(s)-3]
	}
	return rv
}

// findForDrop finds and locks a relation of the kind that the command drops; nil when it is not there and may be missing.
func (c *ctx) findForDrop(rv *pg_query.RangeVar, r *relationDrop, missingOk bool) (*catalog.Relation, error) {
	if err := c.checkDatabase(rv); err != nil {
		return nil, err
	}
	mode := accessExclusive
	rel, err := c.Session.OpenRelation(rv.Schemaname, rv.Relname, mode)
	if err != nil {
		return nil, err
	}
	if rel == nil {
		return nil, c.missingRelation(rv, r, missingOk)
	}
	if strings.IndexByte(r.kinds, rel.Kind) < 0 {
		e := pgerr.New(pgerr.WrongObjectType, "\"%s\" is not %s", rel.Name, r.article)
		if use := useInstead[rel.Kind]; use != "" {
			e = e.WithHint("Use %s.", use)
		}
		return nil, e
	}
	if rel.Kind == 'i' && rel.Index != nil { // the table before its index
		if _, err := c.Session.LockRelation(rel.Index.TableOID, accessExclusive); err != nil {
			return nil, err
		}
	}
	return rel, c.checkNotInUse(rel, r.tag)
}

func (c *ctx) missingRelation(rv *pg_query.RangeVar, r *relationDrop, missingOk bool) error {
	if rv.Schemaname != "" {
		ns, err := c.v.NamespaceByName(rv.Schemaname)
		if err != nil {
			return err
		}
		if ns == 0 {
			if missingOk {
				c.notice(pgerr.SuccessfulCompletion, "schema \"%s\" does not exist, skipping", rv.Schemaname)
				return nil
			}
			return pgerr.New(pgerr.InvalidSchemaName, "schema \"%s\" does not exist", rv.Schemaname)
		}
	}
	if missingOk {
		c.notice(pgerr.SuccessfulCompletion, "%s \"%s\" does not exist, skipping", r.word, rv.Relname)
		return nil
	}
	return pgerr.New(r.missing, "%s \"%s\" does not exist", r.word, rv.Relname)
}

// mayDrop checks who may drop a relation: its owner, or its schema's.
func (c *ctx) mayDrop(rel *catalog.Relation) error {
	if ns, err := c.v.Namespace(rel.Namespace); err == nil && ns != nil {
		if ok, err := c.v.IsOwner(c.v.User(), ns.Owner); err == nil && ok {
			return requireNotSystem(rel)
		}
	}
	if err := c.requireOwner(rel); err != nil {
		return err
	}
	return requireNotSystem(rel)
}

// findType finds a type that the current user owns.
func (c *ctx) findType(n *pg_query.Node, domain bool) (catalog.Object, error) {
	o, err := c.typeObject(n, domain)
	if err != nil {
		return catalog.Object{}, err
	}
	return o, c.requireTypeOwner(o.OID)
}
