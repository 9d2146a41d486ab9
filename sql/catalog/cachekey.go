package catalog

// Key names a cache entry, and so what an invalidation drops. Which fields a kind uses is said beside it.
type Key struct {
	Kind KeyKind
	A, B OID
	N    int16
	Name string
}

// KeyKind is the kind of a cache entry.
type KeyKind uint8

const (
	RelationKey       KeyKind = iota // A = relation: *Relation
	TypeKey                          // A: *Type
	ProcKey                          // A: *Proc
	AggregateKey                     // A = function: *Aggregate
	OperatorKey                      // A: *Operator
	CollationKey                     // A: *Collation
	OpClassKey                       // A: *OpClass
	NamespaceKey                     // A: *Namespace
	ConstraintKey                    // A: *Constraint
	StatisticKey                     // A = relation, N = attribute, B = 1 inherited: *Statistic
	CastKey                          // A = source, B = target: *Cast
	OpClassesKey                     // A = access method: []*OpClass
	AmOpsKey                         // A = operator family: amOps
	AmOpsOfKey                       // A = operator: []*AmOp
	AmProcsKey                       // A = operator family: amProcs
	EnumKey                          // A = enum label: its type's OID
	PartitionBoundKey                // A = partition: *Partition
	TSConfigKey                      // A: *TSConfig
	TSDictKey                        // A: *TSDict
	FilenodeKey                      // A = catalog or index of one: uint32, its storage

	NamespaceNameKey // Name: OID
	RelationNameKey  // A = namespace, Name: OID
	TypeNameKey      // A = namespace, Name: OID
	CollationNameKey // A = namespace, Name: OID
	ProcNameKey      // Name: []*Proc of all namespaces
	OperatorNameKey  // Name: []*Operator of all namespaces
	AMNameKey        // Name: OID
	LanguageNameKey  // Name: OID

	// The shared ones.
	RoleKey         // A: *Role
	RoleNameKey     // Name: OID
	DatabaseKey     // A: *Database
	DatabaseNameKey // Name: OID
)

// isShared says whether entries of the kind are of shared catalogs.
func (k KeyKind) isShared() bool { return k >= RoleKey }
