package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

// OID is a catalog object's name.
type OID = types.OID

// ctx is what a command works with.
type ctx struct {
	*executor.Command
	v *catalog.View
}

// register names the implementation of a statement by its parse node type. For init functions.
func register[T any](node string, run func(c *ctx, n T) (tag string, err error)) {
	executor.RegisterCommand("*pg_query.Node_"+node, func(cmd *executor.Command) (string, error) {
		return run(&ctx{Command: cmd, v: cmd.Backend.View()}, nodeOf[T](cmd.Node.(*pg_query.Node)))
	})
}

// next makes what was done so far visible to what follows.
func (c *ctx) next() error { return c.Session.CommandCounterIncrement() }

func (c *ctx) notice(code pgerr.Code, format string, args ...any) {
	n := pgerr.New(code, format, args...)
	n.Severity = "NOTICE"
	c.send(n)
}

func (c *ctx) send(n *pgerr.Error) {
	if c.Backend.Env.Notice != nil {
		c.Backend.Env.Notice(n)
	}
}

// heapSession is the session that reads and writes rows.
func (c *ctx) heapSession() *heap.Session { return c.Backend.Heap }

// Lock modes as numbers, as the session takes them.
const (
	noLock               = 0
	accessShare          = int(lock.AccessShare)
	rowExclusive         = int(lock.RowExclusive)
	shareUpdateExclusive = int(lock.ShareUpdateExclusive)
	share                = int(lock.Share)
	shareRowExclusive    = int(lock.ShareRowExclusive)
	exclusive            = int(lock.Exclusive)
	accessExclusive      = int(lock.AccessExclusive)
)

// rangeVarName is a table's name as messages show it.
func rangeVarName(rv *pg_query.RangeVar) string {
	if rv.Schemaname != "" {
		return rv.Schemaname + "." + rv.Relname
	}
	return rv.Relname
}

// open finds a relation by name and locks it.
func (c *ctx) open(rv *pg_query.RangeVar, mode int) (*catalog.Relation, error) {
	rel, err := c.tryOpen(rv, mode)
	if err != nil || rel != nil {
		return rel, err
	}
	return nil, pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", rangeVarName(rv))
}

// openFor is open that has check look at the relation before it waits for the lock, too: who may not do something to a relation does not hold
// others up by waiting for it.
func (c *ctx) openFor(rv *pg_query.RangeVar, mode int, check func(*catalog.Relation) error) (*catalog.Relation, error) {
	seen, err := c.tryOpen(rv, noLock)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		if err := check(seen); err != nil {
			return nil, err
		}
	}
	rel, err := c.open(rv, mode)
	if err == nil && rel != seen {
		err = check(rel)
	}
	return rel, err
}

// tryOpen is open that gives nil when there is no such relation.
func (c *ctx) tryOpen(rv *pg_query.RangeVar, mode int) (*catalog.Relation, error) {
	if err := c.checkDatabase(rv); err != nil {
		return nil, err
	}
	return c.Session.OpenRelation(rv.Schemaname, rv.Relname, mode)
}

// checkDatabase refuses names of other databases.
func (c *ctx) checkDatabase(rv *pg_query.RangeVar) error {
	if rv.Catalogname == "" {
		return nil
	}
	db, err := c.v.Database(c.v.DBOID())
	if err != nil {
		return err
	}
	if db == nil || db.Name != rv.Catalogname {
		return pgerr.New(pgerr.FeatureNotSupported, "cross-database references are not implemented: \"%s.%s.%s\"", rv.Catalogname, rv.Schemaname, rv.Relname)
	}
	return nil
}

// reload gives the descriptor of a relation that the command has changed.
func (c *ctx) reload(oid OID) (*catalog.Relation, error) {
	if err := c.next(); err != nil {
		return nil, err
	}
	rel, err := c.v.Relation(oid)
	if err == nil && rel == nil {
		err = pgerr.Internal("cache lookup failed for relation %d", oid)
	}
	return rel, err
}

// requireOwner refuses who does not own the relation.
func (c *ctx) requireOwner(rel *catalog.Relation) error {
	ok, err := c.v.IsOwner(c.v.User(), rel.Owner)
	if err != nil || ok {
		return err
	}
	kind := catalog.RelKindWord(rel.Kind)
	return pgerr.New(pgerr.InsufficientPrivilege, "must be owner of %s %s", kind, rel.Name)
}

// requireNotSystem refuses changes of system catalogs.
func requireNotSystem(rel *catalog.Relation) error {
	if rel.OID < firstUserOID && rel.Namespace == catalog.CatalogNamespace {
		return pgerr.New(pgerr.InsufficientPrivilege, "permission denied: \"%s\" is a system catalog", rel.Name)
	}
	return nil
}

// firstUserOID is where OIDs of users' objects begin.
const firstUserOID OID = 16384

// schemaName gives a schema's name.
func (c *ctx) schemaName(oid OID) string {
	n, err := c.v.Namespace(oid)
	if err != nil || n == nil {
		return ""
	}
	return n.Name
}

// strs gives the texts of a list of String nodes.
func strs(list []*pg_query.Node) []string {
	out := make([]string, 0, len(list))
	for _, n := range list {
		out = append(out, n.GetString_().GetSval())
	}
	return out
}

// splitName takes a list of one to three String nodes apart.
func splitName(list []*pg_query.Node) (schema, name string) {
	s := strs(list)
	switch len(s) {
	case 0:
		return "", ""
	case 1:
		return "", s[0]
	}
	return s[len(s)-2], s[len(s)-1]
}

// relObject names a relation, or a column of it.
func relObject(oid OID, sub int16) catalog.Object {
	return catalog.Object{Class: catalog.PgClassOID, OID: oid, Sub: int32(sub)}
}

func object(class, oid OID) catalog.Object { return catalog.Object{Class: class, OID: oid} }
