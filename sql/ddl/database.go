package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
)

func init() {
	register("CreatedbStmt", createDatabase)
	register("DropdbStmt", dropDatabase)
	register("AlterDatabaseStmt", alterDatabase)
}

// databaseOptions are the clauses of CREATE and ALTER DATABASE.
type databaseOptions struct {
	owner                 OID
	template              string
	collate, ctype        string // "" = the template's
	isTemplate, allowConn *bool
	connLimit             int32
	hasLimit              bool
}

// databaseClauses reads the clauses. The only encoding is UTF8; locales are those that all databases have.
func (c *ctx) databaseClauses(defs []*pg_query.Node) (*databaseOptions, error) {
	o := &databaseOptions{owner: c.v.User(), template: "template1", connLimit: -1}
	seen := map[string]bool{}
	for _, n := range defs {
		d := n.GetDefElem()
		if seen[d.Defname] {
			return nil, pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
		}
		seen[d.Defname] = true
		if d.Arg == nil && d.Defname != "is_template" {
			continue // DEFAULT
		}
		if err := c.databaseClause(o, d); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (c *ctx) databaseClause(o *databaseOptions, d *pg_query.DefElem) (err error) {
	flag := func(to **bool) error {
		v, err := defBool(d)
		*to = &v
		return err
	}
	switch d.Defname {
	case "owner":
		o.owner, err = c.roleNamed(defText(d.Arg))
	case "template":
		o.template = defText(d.Arg)
	case "is_template":
		err = flag(&o.isTemplate)
	case "allow_connections":
		err = flag(&o.allowConn)
	case "connection_limit":
		var v int64
		if v, err = defInt(d); err == nil && v < -1 {
			err = pgerr.New(pgerr.InvalidParameterValue, "invalid connection limit: %d", v)
		}
		o.connLimit, o.hasLimit = int32(v), true
	case "encoding":
		return checkEncoding(d)
	case "lc_collate", "lc_ctype", "locale":
		v := defText(d.Arg)
		switch v {
		case "C.UTF-8", "C.utf8", "C", "POSIX":
		default:
			return pgerr.New(pgerr.WrongObjectType, "invalid locale name: \"%s\"", v)
		}
		if d.Defname != "lc_ctype" {
			o.collate = v
		}
		if d.Defname != "lc_collate" {
			o.ctype = v
		}
	case "tablespace":
		return c.checkTablespace(defText(d.Arg))
	case "strategy", "oid", "collation_version", "location":
	case "locale_provider":
		if v := defText(d.Arg); v != "libc" {
			return pgerr.NotSupported("locale provider %s", v)
		}
	default:
		return pgerr.New(pgerr.SyntaxError, "option \"%s\" not recognized", d.Defname).WithLocation(int(d.Location))
	}
	return err
}

// checkLocale fills in the template's locale, and refuses another one for data that are sorted already.
func (o *databaseOptions) checkLocale(from *catalog.Database) error {
	differs := func(what, v, have string) error {
		return pgerr.New(pgerr.InvalidParameterValue, "new %s (%s) is incompatible with the %s of the template database (%s)", what, v, what, have).
			WithHint("Use the same %s as in the template database, or use template0 as template.", what)
	}
	if o.collate == "" {
		o.collate = from.Collate
	}
	if o.ctype == "" {
		o.ctype = from.CType
	}
	switch {
	case o.template == "template0":
	case o.collate != from.Collate:
		return differs("collation", o.collate, from.Collate)
	case o.ctype != from.CType:
		return differs("LC_CTYPE", o.ctype, from.CType)
	}
	return nil
}

func checkEncoding(d *pg_query.DefElem) error {
	switch v := defText(d.Arg); v {
	case "UTF8", "utf8", "UTF-8", "utf-8", "unicode", "UNICODE", "6", "-1":
		return nil
	default:
		return pgerr.NotSupported("database encoding %s", v)
	}
}

// createDatabase is CREATE DATABASE: the template's pages under a new OID.
func createDatabase(c *ctx, n *pg_query.CreatedbStmt) (string, error) {
	if err := c.Session.RequireNoBlock("CREATE DATABASE"); err != nil {
		return "", err
	}
	o, err := c.databaseClauses(n.Options)
	if err != nil {
		return "", err
	}
	me, err := c.v.Role(c.v.User())
	if err != nil {
		return "", err
	}
	if !me.Super && !me.CreateDB {
		return "", pgerr.New(pgerr.InsufficientPrivilege, "permission denied to create database")
	}
	if err := c.requireMember(o.owner); err != nil {
		return "", err
	}
	have, err := c.v.DatabaseByName(n.Dbname)
	if err != nil {
		return "", err
	}
	if have != nil {
		return "", pgerr.New(pgerr.DuplicateDatabase, "database \"%s\" already exists", n.Dbname)
	}
	from, err := c.v.DatabaseByName(o.template)
	if err != nil {
		return "", err
	}
	if from == nil {
		return "", pgerr.New(pgerr.UndefinedDatabase, "template database \"%s\" does not exist", o.template)
	}
	if owner, _ := c.v.IsOwner(c.v.User(), from.Owner); !from.IsTemplate && !owner {
		return "", pgerr.New(pgerr.InsufficientPrivilege, "permission denied to copy database \"%s\"", o.template)
	}
	if err := c.lockDatabase(from.OID, share); err != nil {
		return "", err
	}
	if busy := c.v.Cluster().OtherSessions(from.OID, c.v); busy > 0 {
		return "", inUse(busy, "source database \"%s\" is being accessed by other users", o.template)
	}
	return "CREATE DATABASE", c.copyDatabase(n.Dbname, from, o)
}

// lockDatabase keeps sessions from coming into a database until the end of the transaction.
func (c *ctx) lockDatabase(db OID, mode int) error {
	w, ok := c.heapSession().Waiter.(*heap.LockWaiter)
	if !ok {
		return nil
	}
	return w.Session.Acquire(w.Owner, lock.Object(0, uint32(catalog.PgDatabaseOID), uint32(db), 0), lock.Mode(mode))
}

// inUse is the error of a database that others are connected to.
func inUse(busy int, format, name string) error {
	detail := "There is 1 other session using the database."
	if busy > 1 {
		detail = "There are " + itoa(busy) + " other sessions using the database."
	}
	return pgerr.New(pgerr.ObjectInUse, format, name).WithDetail("%s", detail)
}

func (c *ctx) copyDatabase(name string, from *catalog.Database, o *databaseOptions) error {
	oid, err := c.v.GetNewOID(catalog.PgDatabaseOidIndexOID)
	if err != nil {
		return err
	}
	_, row, err := c.v.Find(catalog.PgDatabaseOidIndexOID, types.Oid(from.OID))
	if err != nil {
		return err
	}
	row = append(types.Row(nil), row...)
	if err := o.checkLocale(from); err != nil {
		return err
	}
	row[catalog.DatabaseDatcollate], row[catalog.DatabaseDatctype] = types.Text(o.collate), types.Text(o.ctype)
	row[catalog.DatabaseOid], row[catalog.DatabaseDatname], row[catalog.DatabaseDatdba] = types.Oid(oid), types.Text(name), types.Oid(o.owner)
	row[catalog.DatabaseDatistemplate] = types.Bool(o.isTemplate != nil && *o.isTemplate)
	row[catalog.DatabaseDatallowconn] = types.Bool(o.allowConn == nil || *o.allowConn)
	row[catalog.DatabaseDatconnlimit], row[catalog.DatabaseDatacl] = types.Int4(o.connLimit), types.Null
	if err := c.v.Insert(catalog.PgDatabaseOID, row); err != nil {
		return err
	}
	if err := c.v.DependOwner(object(catalog.PgDatabaseOID, oid), o.owner); err != nil {
		return err
	}
	return c.v.CopyDatabase(from.OID, oid)
}

// dropDatabase is DROP DATABASE.
func dropDatabase(c *ctx, n *pg_query.DropdbStmt) (string, error) {
	const tag = "DROP DATABASE"
	if err := c.Session.RequireNoBlock(tag); err != nil {
		return "", err
	}
	db, err := c.v.DatabaseByName(n.Dbname)
	if err != nil {
		return "", err
	}
	if db == nil {
		if n.MissingOk {
			c.notice(pgerr.SuccessfulCompletion, "database \"%s\" does not exist, skipping", n.Dbname)
			return tag, nil
		}
		return "", pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", n.Dbname)
	}
	if ok, err := c.v.IsOwner(c.v.User(), db.Owner); err != nil || !ok {
		return "", orError(err, pgerr.New(pgerr.InsufficientPrivilege, "must be owner of database %s", n.Dbname))
	}
	if db.OID == c.v.DBOID() {
		return "", pgerr.New(pgerr.ObjectInUse, "cannot drop the currently open database")
	}
	if db.IsTemplate {
		return "", pgerr.New(pgerr.WrongObjectType, "cannot drop a template database")
	}
	if err := c.lockDatabase(db.OID, accessExclusive); err != nil {
		return "", err
	}
	if len(n.Options) > 0 {
		c.v.Cluster().TerminateSessions(db.OID)
	}
	if busy := c.v.Cluster().OtherSessions(db.OID, c.v); busy > 0 {
		return "", inUse(busy, "database \"%s\" is being accessed by other users", n.Dbname)
	}
	return tag, c.removeDatabase(db)
}

func (c *ctx) removeDatabase(db *catalog.Database) error {
	if _, err := c.v.DeleteWhere(catalog.PgDatabaseOID, catalog.PgDatabaseOidIndexOID, types.Oid(db.OID)); err != nil {
		return err
	}
	if err := c.v.RemoveComments(object(catalog.PgDatabaseOID, db.OID)); err != nil {
		return err
	}
	if err := c.dropRoleSettings(db.OID, 0); err != nil {
		return err
	}
	for _, key := range []OID{db.OID, 0} { // what is inside, and the database itself
		err := c.v.Scan(catalog.PgShdependDependerIndexOID, []types.Datum{types.Oid(key)}, func(tid types.TID, row types.Row) (bool, error) {
			if key == 0 && (row[catalog.ShdependClassid].Oid() != catalog.PgDatabaseOID || row[catalog.ShdependObjid].Oid() != db.OID) {
				return true, nil
			}
			return true, c.v.Delete(catalog.PgShdependOID, tid, row)
		})
		if err != nil {
			return err
		}
	}
	c.v.RemoveDatabase(db.OID)
	return nil
}

// alterDatabase is ALTER DATABASE with clauses.
func alterDatabase(c *ctx, n *pg_query.AlterDatabaseStmt) (string, error) {
	db, err := c.ownedDatabase(n.Dbname)
	if err != nil {
		return "", err
	}
	o, err := c.databaseClauses(n.Options)
	if err != nil {
		return "", err
	}
	return "ALTER DATABASE", c.v.Modify(catalog.PgDatabaseOID, catalog.PgDatabaseOidIndexOID, []types.Datum{types.Oid(db.OID)}, func(row types.Row) {
		if o.isTemplate != nil {
			row[catalog.DatabaseDatistemplate] = types.Bool(*o.isTemplate)
		}
		if o.allowConn != nil {
			row[catalog.DatabaseDatallowconn] = types.Bool(*o.allowConn)
		}
		if o.hasLimit {
			row[catalog.DatabaseDatconnlimit] = types.Int4(o.connLimit)
		}
	})
}

func (c *ctx) ownedDatabase(name string) (*catalog.Database, error) {
	db, err := c.v.DatabaseByName(name)
	if err != nil {
		return nil, err
	}
	if db == nil {
		return nil, pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", name)
	}
	ok, err := c.v.IsOwner(c.v.User(), db.Owner)
	if err == nil && !ok {
		err = pgerr.New(pgerr.InsufficientPrivilege, "must be owner of database %s", name)
	}
	return db, err
}

func (c *ctx) renameDatabase(n *pg_query.RenameStmt) error {
	db, err := c.ownedDatabase(n.Subname)
	if err != nil {
		return err
	}
	have, err := c.v.DatabaseByName(n.Newname)
	if err != nil {
		return err
	}
	switch {
	case have != nil:
		return pgerr.New(pgerr.DuplicateDatabase, "database \"%s\" already exists", n.Newname)
	case db.OID == c.v.DBOID():
		return pgerr.New(pgerr.FeatureNotSupported, "current database cannot be renamed")
	}
	if err := c.lockDatabase(db.OID, accessExclusive); err != nil {
		return err
	}
	if busy := c.v.Cluster().OtherSessions(db.OID, c.v); busy > 0 {
		return inUse(busy, "database \"%s\" is being accessed by other users", n.Subname)
	}
	return c.v.Modify(catalog.PgDatabaseOID, catalog.PgDatabaseOidIndexOID, []types.Datum{types.Oid(db.OID)}, func(row types.Row) {
		row[catalog.DatabaseDatname] = types.Text(n.Newname)
	})
}
