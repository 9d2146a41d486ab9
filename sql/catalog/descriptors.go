package catalog

import (
	"sync"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/heap"
	"github.com/calfdb/calf/storage/pagestore"
)

// OID is a catalog object's name.
type OID = types.OID

// Relation is a pg_class row with everything that statements need of the relation, immutable.
type Relation struct {
	OID                           OID
	Name                          string
	Namespace                     OID
	RowType                       OID
	OfType                        OID
	Owner                         OID
	AM                            OID
	Storage                       pagestore.RelID // DB 0 for shared; Rel is relfilenode
	Tablespace                    OID
	Kind                          byte // 'r','i','S','t','v','m','c','f','p','I'
	Persistence                   byte // 'p','u','t'
	Shared                        bool
	Pages                         int32
	Tuples                        float32 // -1 = never vacuumed
	AllVisible                    int32
	ToastOID                      OID
	HasIndex                      bool
	HasRules                      bool
	HasTriggers                   bool
	HasSubclass                   bool
	RowSecurity, ForceRowSecurity bool
	IsPopulated                   bool
	ReplIdent                     byte
	IsPartition                   bool
	FrozenXid                     uint64
	ACL                           []ACLItem // nil = default privileges
	Options                       []string  // reloptions, "fillfactor=70"
	Fillfactor                    int       // 0 = the access method's default

	Desc      *types.TupleDesc
	AttrACL   map[int16][]ACLItem
	Defaults  map[int16]query.Expr // decoded adbin by attribute number (also generated expressions)
	Checks    []*Constraint        // CHECK constraints by name
	Indexes   []*Index             // in OID order
	PKIndex   OID
	FKs       []*Constraint // this table references
	RefBy     []*Constraint // other tables' foreign keys that reference this one
	Triggers  []*Trigger    // by name
	Rules     []*Rule       // by name; a view's _RETURN is one
	Parents   []OID         // pg_inherits, by seqno
	Children  []OID         // direct children by OID
	PartKey   *PartitionKey
	PartBound *query.PartitionBoundSpec // of a partition
	Sequence  *SequenceDef
	Index     *Index // when Kind is 'i' or 'I'
	Policies  []*Policy

	constraints []*Constraint // all, by name
	opened      openedRelation
	partitions  partitionMemo

	Version uint64 // grows with each new descriptor of this OID: a plan that saw another one is stale
}

// openedRelation keeps the handles of a relation's storage with its descriptor.
type openedRelation struct {
	mu      sync.Mutex
	heap    *heap.Relation
	indexes map[OID]index.Index
}

// partitionMemo keeps what was made of a partitioned table's partitions with the table's descriptor.
type partitionMemo struct {
	mu   sync.Mutex
	desc any
}

// PartitionMemo gives what make made of the relation's partitions, once a descriptor.
func (r *Relation) PartitionMemo(make func() (any, error)) (any, error) {
	r.partitions.mu.Lock()
	defer r.partitions.mu.Unlock()
	if r.partitions.desc == nil {
		d, err := make()
		if err != nil {
			return nil, err
		}
		r.partitions.desc = d
	}
	return r.partitions.desc, nil
}

// Attr gives the column numbered n (1-based), nil if there is none or it was dropped.
func (r *Relation) Attr(n int16) *types.Attr {
	if n < 1 || int(n) > len(r.Desc.Attrs) || r.Desc.Attrs[n-1].Dropped {
		return nil
	}
	return &r.Desc.Attrs[n-1]
}

// AttrByName gives the live column called name, nil if there is none.
func (r *Relation) AttrByName(name string) *types.Attr {
	for i := range r.Desc.Attrs {
		if a := &r.Desc.Attrs[i]; a.Name == name && !a.Dropped {
			return a
		}
	}
	return nil
}

// Index is a pg_index row with its access-method facts.
type Index struct {
	OID                                                     OID
	Name                                                    string
	TableOID                                                OID
	AM                                                      OID
	Storage                                                 pagestore.RelID
	Pages                                                   int32
	Tuples                                                  float32
	Options                                                 []string
	Fillfactor                                              int
	NumKeys                                                 int          // key columns; the rest are INCLUDEd
	Keys                                                    []int16      // attribute numbers, 0 = expression
	Exprs                                                   []query.Expr // for the 0 entries, in order; Vars have VarNo 1
	Pred                                                    query.Expr   // nil = not partial
	OpFamilies, OpClasses, Collations                       []OID        // by key column
	OpcInTypes                                              []OID
	Desc, NullsFirst                                        []bool
	Attrs                                                   []types.Attr // of the index's own tuple
	Unique, NullsNotDistinct, Primary, Exclusion, Immediate bool
	Valid, Ready, Live, Clustered, CheckXmin, ReplIdent     bool
	ExclOps                                                 []OID
	Constraint                                              OID // pg_constraint row that owns it, 0 = none
	Deferrable, Deferred                                    bool
	Parent                                                  OID // the index of a partitioned table that it is attached to, 0 = none
	Root                                                    OID // the topmost of those
}

// Constraint is a pg_constraint row.
type Constraint struct {
	OID                                                 OID
	Name                                                string
	Namespace                                           OID
	Type                                                byte // 'c','f','p','u','t','x'
	Deferrable, Deferred, Validated, IsLocal, NoInherit bool
	InhCount                                            int32
	Rel                                                 OID
	Domain                                              OID
	Index                                               OID
	Parent                                              OID
	RefRel                                              OID
	UpdAction, DelAction, MatchType                     byte
	Keys, RefKeys                                       []int16
	DelSetCols                                          []int16
	PFEqOps, PPEqOps, FFEqOps, ExclOps                  []OID
	Expr                                                query.Expr
}

// Trigger is a pg_trigger row.
type Trigger struct {
	OID, Func                          OID
	Name                               string
	Type                               int16 // PostgreSQL's TRIGGER_TYPE bits
	Enabled                            byte
	Internal                           bool
	ConstrRel, ConstrIndex, Constraint OID
	Deferrable, InitDeferred           bool
	Attrs                              []int16
	Args                               []string
	When                               query.Expr
	OldTable, NewTable                 string
	Parent                             OID
}

// Rule is a pg_rewrite row.
type Rule struct {
	OID     OID
	Name    string
	Event   byte // '1' select, '2' update, '3' insert, '4' delete
	Enabled byte
	Instead bool
	Qual    query.Expr
	Actions []*query.Query
}

// Policy is a pg_policy row.
type Policy struct {
	OID             OID
	Name            string
	Cmd             byte
	Permissive      bool
	Roles           []OID
	Qual, WithCheck query.Expr
}

// PartitionKey is a pg_partitioned_table row.
type PartitionKey struct {
	Strategy              byte // 'l','r','h'
	Attrs                 []int16
	Exprs                 []query.Expr
	OpClasses, Collations []OID
	Default               OID
}

// Partition is what a partitioned table needs to know of a partition, without its descriptor.
type Partition struct {
	OID   OID
	Kind  byte
	Bound *query.PartitionBoundSpec // nil while it is being attached or detached
}

// SequenceDef is a pg_sequence row.
type SequenceDef struct {
	TypeOID                           OID
	Start, Increment, Max, Min, Cache int64
	Cycle                             bool
}

// ACLItem is one aclitem.
type ACLItem struct {
	Grantee, Grantor OID    // Grantee 0 = PUBLIC
	Privs, GrantOpts uint32 // query.Acl* bits
}

// Type is a pg_type row.
type Type struct {
	OID                                                  OID
	Name                                                 string
	Namespace                                            OID
	Owner                                                OID
	Len                                                  int16
	ByVal                                                bool
	Kind                                                 byte // typtype 'b','c','d','e','p','r','m'
	Category                                             byte
	Preferred                                            bool
	Defined                                              bool
	Delim                                                byte
	RelID                                                OID
	Subscript                                            OID
	Elem, Array                                          OID
	Input, Output, Receive, Send, ModIn, ModOut, Analyze OID
	Align, Storage                                       byte
	NotNull                                              bool
	BaseType                                             OID
	TypMod                                               int32
	NDims                                                int32
	Collation                                            OID
	Default                                              query.Expr // decoded typdefaultbin
	DefaultText                                          string
	HasDefault                                           bool
	ACL                                                  []ACLItem

	DomainChecks []*Constraint
	EnumLabels   []EnumLabel // by sort order
	Range        *RangeType  // of a range or multirange
}

// EnumLabel is a pg_enum row.
type EnumLabel struct {
	OID   OID
	Sort  float32
	Label string
}

// RangeType is a pg_range row.
type RangeType struct {
	RangeOID, Subtype, Multirange, Collation, SubOpc, Canonical, SubDiff OID
}

// Proc is a pg_proc row.
type Proc struct {
	OID                               OID
	Name                              string
	Namespace                         OID
	Owner                             OID
	Lang                              OID
	Cost, Rows                        float32
	Variadic                          OID
	Support                           OID
	Kind                              byte // 'f','p','a','w'
	SecDef, LeakProof, Strict, RetSet bool
	Volatile                          byte // 'i','s','v'
	Parallel                          byte
	NArgDefaults                      int
	RetType                           OID
	ArgTypes                          []OID // input arguments
	AllArgTypes                       []OID
	ArgModes                          []byte
	ArgNames                          []string
	Defaults                          []query.Expr // of the last NArgDefaults input arguments
	Src, Bin                          string
	SQLBody                           string
	ReplacedSQLBody                   string // the SQL-standard body of the pg_proc row, where a native implementation stands in for it
	Config                            []string
	ACL                               []ACLItem
}

// Aggregate is a pg_aggregate row.
type Aggregate struct {
	Func                                                                               OID
	Kind                                                                               byte
	NumDirect                                                                          int16
	TransFn, FinalFn, CombineFn, SerialFn, DeserialFn, MTransFn, MInvTransFn, MFinalFn OID
	FinalExtra, MFinalExtra                                                            bool
	FinalModify, MFinalModify                                                          byte
	SortOp                                                                             OID
	TransType                                                                          OID
	TransSpace                                                                         int32
	MTransType                                                                         OID
	InitVal                                                                            *string // nil = NULL
	MInitVal                                                                           *string
}

// Operator is a pg_operator row.
type Operator struct {
	OID                 OID
	Name                string
	Namespace           OID
	Owner               OID
	Kind                byte // 'b','l'
	CanMerge, CanHash   bool
	Left, Right, Result OID
	Commutator, Negator OID
	Func                OID
	RestSel, JoinSel    OID
}

// Cast is a pg_cast row.
type Cast struct {
	OID, Source, Target, Func OID
	Context                   byte // 'i','a','e'
	Method                    byte // 'f','i','b'
}

// OpClass is a pg_opclass row.
type OpClass struct {
	OID, AM, Namespace, Owner, Family, InType, KeyType OID
	Name                                               string
	Default                                            bool
}

// AmOp is a pg_amop row.
type AmOp struct {
	Family, Left, Right, Operator, AM, SortFamily OID
	Strategy                                      int16
	Purpose                                       byte
}

// Collation is a pg_collation row.
type Collation struct {
	OID, Namespace, Owner OID
	Name                  string
	Provider              byte
	Deterministic         bool
	Encoding              int32
	Collate, CType        string
}

// Role is a pg_authid row.
type Role struct {
	OID                                                                    OID
	Name                                                                   string
	Super, Inherit, CreateRole, CreateDB, CanLogin, Replication, BypassRLS bool
	ConnLimit                                                              int32
	Password                                                               string // "" = none; a SCRAM verifier or md5 hash
	HasValidUntil                                                          bool
	ValidUntil                                                             int64 // microseconds since 2000-01-01
	MemberOf                                                               []OID
	Config                                                                 []string // pg_db_role_setting for all databases
}

// Database is a pg_database row.
type Database struct {
	OID, Owner            OID
	Name                  string
	Encoding              int32
	Collate, CType        string
	IsTemplate, AllowConn bool
	ConnLimit             int32
	ACL                   []ACLItem
	Config                []string
}

// Namespace is a pg_namespace row.
type Namespace struct {
	OID, Owner OID
	Name       string
	ACL        []ACLItem
}

// Statistic is a pg_statistic row of one column, decoded enough for the planner.
type Statistic struct {
	NullFrac, Width, Distinct float64
	Slots                     [5]StatSlot
}

// StatSlot is one of pg_statistic's slots.
type StatSlot struct {
	Kind      int16
	Op, Coll  OID
	Numbers   []float32
	Values    []types.Datum
	ValueType OID
}
