package types

import "github.com/calfdb/calf/sql/pgerr"

// Env is what values may ask of the world: one per session, passed by pointer. The session fills it; a nil interface field means
// that the question cannot be answered there, and types that need it say so with an error.
type Env struct {
	Catalog  Catalog
	Settings *Settings
	Clock    Clock
	Random   *Random // the session's random(); made on first use when nil

	// Interrupt, when set, is polled by functions that may run long; its error ends them.
	Interrupt func() error
	// Notice, when set, receives what PostgreSQL reports as NOTICE or WARNING (Severity says which).
	Notice func(*pgerr.Error)
}

// Clock gives the times that now() and friends read, as timestamptz values (microseconds since 2000-01-01 UTC).
type Clock interface {
	TransactionStart() int64
	StatementStart() int64
	Now() int64
}

// TypeInfo is a row of pg_type, with the functions given by the source names (prosrc) of their pg_proc rows.
type TypeInfo struct {
	OID           OID
	Name          string
	Namespace     OID
	Len           int16
	ByVal         bool
	Align         byte // 'c', 's', 'i', 'd'
	Storage       byte // 'p', 'e', 'm', 'x'
	Kind          byte // typtype: 'b', 'c', 'd', 'e', 'm', 'p', 'r'
	Category      byte
	Preferred     bool
	Delim         byte
	Elem          OID
	Array         OID
	RelID         OID // of a composite type
	BaseType      OID // of a domain
	TypMod        int32
	NotNull       bool
	Collation     OID
	Input, Output string
	Receive, Send string
	ModIn, ModOut string
	Subscript     string
}

// IsTrueArray says whether values are arrays subscripted as such: typsubscript is array_subscript_handler.
func (t *TypeInfo) IsTrueArray() bool { return t.Elem != 0 && t.Subscript == "array_subscript_handler" }

// EnumValue is one label of an enum type.
type EnumValue struct {
	OID   OID
	Label string
	Sort  float32
	// Uncommitted says that ALTER TYPE ADD VALUE added it in the current transaction: it must not be used yet.
	Uncommitted bool
}

// RangeInfo describes a range type, as pg_range does.
type RangeInfo struct {
	Range, Multirange OID
	Subtype           OID
	Collation         OID
	Canonical         string // prosrc of the canonical function, or ""
	SubDiff           string // prosrc of the subtype difference function, or ""
}

// Catalog answers what types need of the system catalogs. Answers must be right for the current snapshot; types keep nothing across
// statements. Built-in types are known here without asking.
type Catalog interface {
	// TypeByOID finds a type that is not built in.
	TypeByOID(oid OID) (*TypeInfo, bool)
	// TypeIsVisible says whether the type is found by its bare name; NamespaceName gives the name to qualify it with.
	TypeIsVisible(oid OID) bool
	NamespaceName(oid OID) (string, bool)

	// EnumValues lists the labels of an enum type in sort order.
	EnumValues(enumType OID) ([]EnumValue, error)
	// EnumValueByOID finds one label and its type by the label's OID.
	EnumValueByOID(value OID) (EnumValue, OID, bool)

	// RowType gives the columns of a composite type, or of a registered anonymous record (RecordOID, typmod >= 0).
	RowType(typ OID, typmod int32) (*TupleDesc, error)
	// RangeByOID finds a user-defined range type by its OID or its multirange's OID.
	RangeByOID(oid OID) (*RangeInfo, bool)
	// CheckDomain applies the domain's constraints (and its base domains') to a value of its base type.
	CheckDomain(domain OID, d Datum) error

	// RegLookup finds the object that text names, for a reg* type (RegclassOID ...): numbers and '-' are dealt with by the caller. The
	// error is PostgreSQL's (42P01, 42883, 42704, ...).
	RegLookup(regType OID, text string) (OID, error)
	// RegName gives the text form of the object for a reg* type; false when there is no such object.
	RegName(regType, oid OID) (string, bool)
	// RoleName and RoleByName translate roles for aclitem.
	RoleName(oid OID) (string, bool)
	RoleByName(name string) (OID, bool)
	// DefaultBtreeCompare and DefaultHash give the prosrc of the default operator class's support function of a type that is not built
	// in and is no array, enum, range, domain or composite; "" = none.
	DefaultBtreeCompare(typ OID) string
	DefaultHash(typ OID) string
}

var builtinByOID = func() map[OID]*TypeInfo {
	m := make(map[OID]*TypeInfo, len(builtinTypes))
	for i := range builtinTypes {
		m[builtinTypes[i].OID] = &builtinTypes[i]
	}
	return m
}()

// BuiltinType finds a built-in type's row.
func BuiltinType(oid OID) (*TypeInfo, bool) {
	t, ok := builtinByOID[oid]
	return t, ok
}

// TypeByOID finds a type's row: built in, or in the catalog.
func (e *Env) TypeByOID(oid OID) (*TypeInfo, error) {
	if t, ok := builtinByOID[oid]; ok {
		return t, nil
	}
	if e != nil && e.Catalog != nil {
		if t, ok := e.Catalog.TypeByOID(oid); ok {
			return t, nil
		}
	}
	return nil, pgerr.Internal("cache lookup failed for type %d", oid)
}

func (e *Env) catalog(what string) (Catalog, error) {
	if e == nil || e.Catalog == nil {
		return nil, pgerr.NotSupported("%s without a catalog", what)
	}
	return e.Catalog, nil
}

// Poll gives the error of a pending interrupt.
func (e *Env) Poll() error {
	if e != nil && e.Interrupt != nil {
		return e.Interrupt()
	}
	return nil
}

func (e *Env) notice(n *pgerr.Error) {
	if e != nil && e.Notice != nil {
		e.Notice(n)
	}
}
