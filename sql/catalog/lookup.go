package catalog

// Lookup is the reading side of a View, the interface that analyse, plan and expression compiling use. Lookups by OID of something that does not
// exist return nil; an error is a failed read.
type Lookup interface {
	Relation(oid OID) (*Relation, error)
	Type(oid OID) (*Type, error)
	Proc(oid OID) (*Proc, error)
	Aggregate(fn OID) (*Aggregate, error)
	Operator(oid OID) (*Operator, error)
	Collation(oid OID) (*Collation, error)
	OpClass(oid OID) (*OpClass, error)
	Namespace(oid OID) (*Namespace, error)
	Role(oid OID) (*Role, error)
	Database(oid OID) (*Database, error)

	// Names. An empty schema means search_path, pg_temp and pg_catalog in PostgreSQL's order.
	NamespaceByName(name string) (OID, error) // 0 = none; "pg_temp" is the session's own
	RelationByName(schema, name string) (OID, error)
	TypeByName(schema, name string) (OID, error)
	CollationByName(schema, name string) (OID, error)
	OpClassByName(am OID, schema, name string) (OID, error)
	RoleByName(name string) (*Role, error)
	DatabaseByName(name string) (*Database, error)
	AMByName(name string) (OID, error)
	LanguageByName(name string) (OID, error)
	// ProcsByName and OperatorsByName give all candidates visible by the path (those hidden by an earlier schema's identical signature left out), or
	// all of one schema.
	ProcsByName(schema, name string) ([]*Proc, error)
	OperatorsByName(schema, name string) ([]*Operator, error)
	SearchPath() []OID // effective, implicit members included
	// Visible* say whether an unqualified name finds this object (pg_table_is_visible and kin).
	RelationVisible(oid OID) bool
	TypeVisible(oid OID) bool
	ProcVisible(oid OID) bool
	OperatorVisible(oid OID) bool

	Cast(source, target OID) (*Cast, error) // nil = none
	DefaultOpClass(am, typ OID) (OID, error)
	AmOp(family, left, right OID, strategy int16) (OID, error) // operator, 0 = none
	AmOpsOf(operator OID) ([]*AmOp, error)                     // every family that has this operator
	AmProc(family, left, right OID, num int16) (OID, error)    // support function, 0 = none
	Constraint(oid OID) (*Constraint, error)
	Statistic(rel OID, attr int16, inherited bool) (*Statistic, error)
	Partition(oid OID) (*Partition, error)
}

// Built-in access method, language, namespace, role and database OIDs.
const (
	HeapAM  OID = 2
	BTreeAM OID = 403
	HashAM  OID = 405

	InternalLanguage OID = 12
	CLanguage        OID = 13
	SQLLanguage      OID = 14

	CatalogNamespace OID = 11
	ToastNamespace   OID = 99
	PublicNamespace  OID = 2200

	BootstrapSuperuser OID = 10
	Template1DB        OID = 1
	Template0DB        OID = 4
	PostgresDB         OID = 5

	DefaultCollation OID = 100
	CCollation       OID = 950
	PosixCollation   OID = 951
)
