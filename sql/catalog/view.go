package catalog

import (
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/xact"
)

// View is a session's eye on the catalogs of one database: it sees what the session's current transaction sees. It belongs to one goroutine.
type View struct {
	cluster      *Cluster
	db           *DB
	shared       *cache
	own          ownChanges
	path         searchPath
	worker       bool // of the server's own; guarded by the cluster
	sessionUser  OID
	user         OID
	onCommit     []onCommitTable
	onCommitDone bool
	runOnCommit  func(rel OID, action OnCommitAction) error
	lockRelation func(rel OID, mode int) error // nil for Builtin
	seqs         sessionSequences
	newStorage   map[uint32]xact.XID // made by the transaction: the subtransactions that did it, by relfilenode
	sess         *heap.Session       // nil for Builtin
	env          *types.Env
	checkDomain  DomainChecker
	newLabels    map[OID]bool // enum labels that the transaction added
	parseType    TypeParser
	read         func() (reader, func(), error) // begins a read: its rows, and what ends it
}

// builtin is the cluster of Builtin views.
var builtin = func() (c *Cluster) {
	c = &Cluster{shared: newCache(), dbs: map[OID]*DB{}}
	c.dbs[Template1DB] = &DB{OID: Template1DB, cache: newCache(), c: c}
	return c
}()

var builtinSource memSource

// Builtin gives a view of the initial contents, without a store: for tests of analysis and planning.
func Builtin() *View {
	v := &View{cluster: builtin, db: builtin.dbs[Template1DB], shared: builtin.shared, user: BootstrapSuperuser}
	v.read = func() (reader, func(), error) { return reader{&builtinSource}, func() {}, nil }
	v.SetSearchPath([]string{"$user", "public"})
	return v
}

var _ Lookup = (*View)(nil)

// fetch gives a descriptor from the caches, or loads and keeps it.
func fetch[T any](v *View, k Key, load func(reader) (T, error)) (T, error) {
	c := v.db.cache
	if k.Kind.isShared() {
		c = v.shared
	}
	if v.sess != nil {
		v.own.advance(v.sess.Tx)
	}
	dirty := v.own.isDirty(k)
	if dirty {
		if have, ok := v.own.overlay[k]; ok {
			return have.(T), nil
		}
	} else if have, ok := c.get(k); ok {
		return have.(T), nil
	}
	var zero T
	seen := c.counter.Load() // before the snapshot: see cache
	r, end, err := v.read()
	if err != nil {
		return zero, err
	}
	got, err := load(r)
	end()
	if err != nil {
		return zero, err
	}
	if dirty {
		v.own.overlay[k] = got
	} else {
		c.put(k, got, seen)
	}
	return got, nil
}

// fetchOID is fetch of an object by OID.
func fetchOID[T any](v *View, kind KeyKind, oid OID, load func(reader, OID) (*T, error)) (*T, error) {
	if oid == 0 {
		return nil, nil
	}
	return fetch(v, Key{Kind: kind, A: oid}, func(r reader) (*T, error) { return load(r, oid) })
}

// byIndex makes a loader of objects that are one row each.
func byIndex[T any](index OID, make func(types.Row) *T) func(reader, OID) (*T, error) {
	return func(r reader, oid OID) (*T, error) { return byOID(r, index, oid, make) }
}

func (v *View) Relation(oid OID) (*Relation, error) {
	return fetchOID(v, RelationKey, oid, reader.relation)
}

// Partition gives a partition's bound, nil when there is no such relation.
func (v *View) Partition(oid OID) (*Partition, error) {
	return fetchOID(v, PartitionBoundKey, oid, reader.partition)
}
func (v *View) Type(oid OID) (*Type, error) { return fetchOID(v, TypeKey, oid, reader.typ) }
func (v *View) Proc(oid OID) (*Proc, error) { return fetchOID(v, ProcKey, oid, reader.proc) }
func (v *View) Aggregate(fn OID) (*Aggregate, error) {
	return fetchOID(v, AggregateKey, fn, byIndex(PgAggregateFnoidIndexOID, aggregateFromRow))
}
func (v *View) Operator(oid OID) (*Operator, error) {
	return fetchOID(v, OperatorKey, oid, byIndex(PgOperatorOidIndexOID, operatorFromRow))
}
func (v *View) Collation(oid OID) (*Collation, error) {
	return fetchOID(v, CollationKey, oid, byIndex(PgCollationOidIndexOID, collationFromRow))
}
func (v *View) OpClass(oid OID) (*OpClass, error) {
	return fetchOID(v, OpClassKey, oid, byIndex(PgOpclassOidIndexOID, opClassFromRow))
}
func (v *View) Namespace(oid OID) (*Namespace, error) {
	return fetchOID(v, NamespaceKey, oid, byIndex(PgNamespaceOidIndexOID, namespaceFromRow))
}
func (v *View) Role(oid OID) (*Role, error) { return fetchOID(v, RoleKey, oid, reader.role) }
func (v *View) Database(oid OID) (*Database, error) {
	return fetchOID(v, DatabaseKey, oid, reader.database)
}
func (v *View) Constraint(oid OID) (*Constraint, error) {
	return fetchOID(v, ConstraintKey, oid, reader.constraint)
}

func (v *View) Statistic(rel OID, attr int16, inherited bool) (*Statistic, error) {
	k := Key{Kind: StatisticKey, A: rel, N: attr}
	if inherited {
		k.B = 1
	}
	return fetch(v, k, func(r reader) (*Statistic, error) { return r.statistic(rel, attr, inherited) })
}

func (v *View) RoleByName(name string) (*Role, error) {
	oid, err := v.oidByName(Key{Kind: RoleNameKey, Name: name}, PgAuthidRolnameIndexOID, AuthidOid, types.Text(name))
	if err != nil {
		return nil, err
	}
	return v.Role(oid)
}

func (v *View) DatabaseByName(name string) (*Database, error) {
	oid, err := v.oidByName(Key{Kind: DatabaseNameKey, Name: name}, PgDatabaseDatnameIndexOID, DatabaseOid, types.Text(name))
	if err != nil {
		return nil, err
	}
	return v.Database(oid)
}

// RoleSettings gives the settings of ALTER ROLE ALL, and those of ALTER ROLE IN DATABASE for a role in a database; the role's own and the database's own
// are in their descriptors.
func (v *View) RoleSettings(role, db OID) (everybody, both []string, err error) {
	for _, s := range []struct {
		db, role OID
		into     *[]string
	}{{0, 0, &everybody}, {db, role, &both}} {
		_, row, err := v.Find(PgDbRoleSettingDatabaseidRolIndexOID, types.Oid(s.db), types.Oid(s.role))
		if err != nil {
			return nil, nil, err
		}
		if row != nil {
			*s.into = Texts(row[DbRoleSettingSetconfig])
		}
	}
	return everybody, both, nil
}

// oidByName finds an OID through a unique index of names.
func (v *View) oidByName(k Key, index OID, column int, key ...types.Datum) (OID, error) {
	return fetch(v, k, func(r reader) (OID, error) { return r.oidOf(index, column, key...) })
}

func (v *View) AMByName(name string) (OID, error) {
	return v.oidByName(Key{Kind: AMNameKey, Name: name}, PgAmNameIndexOID, AmOid, types.Text(name))
}

func (v *View) LanguageByName(name string) (OID, error) {
	return v.oidByName(Key{Kind: LanguageNameKey, Name: name}, PgLanguageNameIndexOID, LanguageOid, types.Text(name))
}

func (v *View) Cast(source, target OID) (*Cast, error) {
	return fetch(v, Key{Kind: CastKey, A: source, B: target}, func(r reader) (*Cast, error) { return r.cast(source, target) })
}

func (v *View) AmOp(family, left, right OID, strategy int16) (OID, error) {
	m, err := fetch(v, Key{Kind: AmOpsKey, A: family}, func(r reader) (map[amOpKey]OID, error) { return r.amOps(family) })
	return m[amOpKey{left, right, strategy}], err
}

func (v *View) AmOpsOf(operator OID) ([]*AmOp, error) {
	return fetch(v, Key{Kind: AmOpsOfKey, A: operator}, func(r reader) ([]*AmOp, error) { return r.amOpsOf(operator) })
}

func (v *View) AmProc(family, left, right OID, num int16) (OID, error) {
	m, err := fetch(v, Key{Kind: AmProcsKey, A: family}, func(r reader) (map[amProcKey]OID, error) { return r.amProcs(family) })
	return m[amProcKey{left, right, num}], err
}

// opClasses lists the operator classes of an access method.
func (v *View) opClasses(am OID) ([]*OpClass, error) {
	return fetch(v, Key{Kind: OpClassesKey, A: am}, func(r reader) ([]*OpClass, error) { return r.opClasses(am) })
}
