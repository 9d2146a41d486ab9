package catalog

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// FirstUserOID is where OIDs of users' objects begin.
const FirstUserOID OID = 16384

// Loaders of everything but relations: each gives nil when there is no such object.

// byOID makes a descriptor of the row with that key, nil when there is none.
func byOID[T any](r reader, index, oid OID, make func(types.Row) *T) (*T, error) {
	row, err := r.one(index, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	return make(row), nil
}

// oidOf takes an OID column of the row with that key, 0 when there is none.
func (r reader) oidOf(index OID, column int, key ...types.Datum) (OID, error) {
	row, err := r.one(index, key...)
	if row == nil || err != nil {
		return 0, err
	}
	return row[column].Oid(), nil
}

func (r reader) typ(oid OID) (*Type, error) {
	row, err := r.one(PgTypeOidIndexOID, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	t := typeFromRow(row)
	if t.Default, err = decodeExpr(row[TypeTypdefaultbin]); err != nil {
		return nil, err
	}
	switch t.Kind {
	case 'd':
		err = r.loadDomain(t)
	case 'e':
		err = r.loadEnum(t)
	case 'r':
		t.Range, err = r.rangeOf(PgRangeRngtypidIndexOID, oid)
	case 'm':
		t.Range, err = r.rangeOf(PgRangeRngmultitypidIndexOID, oid)
	}
	return t, err
}

func (r reader) loadDomain(t *Type) error {
	rows, err := r.list(PgConstraintContypidIndexOID, types.Oid(t.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		c, err := constraintFromRow(row)
		if err != nil {
			return err
		}
		t.DomainChecks = append(t.DomainChecks, c)
	}
	slices.SortFunc(t.DomainChecks, func(a, b *Constraint) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func (r reader) loadEnum(t *Type) error {
	rows, err := r.list(PgEnumTypidSortorderIndexOID, types.Oid(t.OID))
	for _, row := range rows {
		t.EnumLabels = append(t.EnumLabels, EnumLabel{OID: row[EnumOid].Oid(), Sort: row[EnumEnumsortorder].Float4(),
			Label: row[EnumEnumlabel].Str()})
	}
	return err
}

func (r reader) rangeOf(index, oid OID) (*RangeType, error) {
	row, err := r.one(index, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	return &RangeType{RangeOID: row[RangeRngtypid].Oid(), Subtype: row[RangeRngsubtype].Oid(), Multirange: row[RangeRngmultitypid].Oid(),
		Collation: row[RangeRngcollation].Oid(), SubOpc: row[RangeRngsubopc].Oid(), Canonical: row[RangeRngcanonical].Oid(),
		SubDiff: row[RangeRngsubdiff].Oid()}, nil
}

func (r reader) proc(oid OID) (*Proc, error) {
	row, err := r.one(PgProcOidIndexOID, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	return procDescriptor(row)
}

func (r reader) procsByName(name string) ([]*Proc, error) {
	rows, err := r.list(PgProcPronameArgsNspIndexOID, types.Text(name))
	if err != nil {
		return nil, err
	}
	list := make([]*Proc, len(rows))
	for i, row := range rows {
		if list[i], err = procDescriptor(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// procDescriptor makes a function's descriptor. A built-in function whose body is SQL and that has a native implementation, registered under
// NativeName, is given as an internal one: inlining its body would be slower and need the parser.
func procDescriptor(row types.Row) (*Proc, error) {
	p := procFromRow(row)
	if d := row[ProcProargdefaults]; !d.IsNull() {
		var err error
		if p.Defaults, err = query.DecodeExprs(d.Str()); err != nil {
			return nil, err
		}
	}
	if p.Lang == SQLLanguage && p.OID < FirstUserOID {
		if native := NativeName(p.Name, p.OID); hasNative(native) {
			p.ReplacedSQLBody = p.SQLBody
			p.Lang, p.Src, p.SQLBody = InternalLanguage, native, ""
		}
	}
	return p, nil
}

// NativeName is the name under which types.RegisterFunc knows the native twin of a built-in function whose pg_proc row has an SQL body.
func NativeName(proname string, oid OID) string { return fmt.Sprintf("sql:%s/%d", proname, oid) }

func hasNative(name string) bool {
	if _, ok := types.LookupFunc(name); ok {
		return true
	}
	_, ok := types.LookupSRF(name)
	return ok
}

func (r reader) operatorsByName(name string) ([]*Operator, error) {
	rows, err := r.list(PgOperatorOprnameLRNIndexOID, types.Text(name))
	list := make([]*Operator, len(rows))
	for i, row := range rows {
		list[i] = operatorFromRow(row)
	}
	return list, err
}

func (r reader) cast(source, target OID) (*Cast, error) {
	row, err := r.one(PgCastSourceTargetIndexOID, types.Oid(source), types.Oid(target))
	if row == nil || err != nil {
		return nil, err
	}
	return castFromRow(row), nil
}

func (r reader) opClasses(am OID) ([]*OpClass, error) {
	rows, err := r.list(PgOpclassAmNameNspIndexOID, types.Oid(am))
	list := make([]*OpClass, len(rows))
	for i, row := range rows {
		list[i] = opClassFromRow(row)
	}
	return list, err
}

// amOpKey names a search operator of a family.
type amOpKey struct {
	left, right OID
	strategy    int16
}

// amProcKey names a support function of a family.
type amProcKey struct {
	left, right OID
	num         int16
}

func (r reader) amOps(family OID) (map[amOpKey]OID, error) {
	rows, err := r.list(PgAmopFamStratIndexOID, types.Oid(family))
	m := make(map[amOpKey]OID, len(rows))
	for _, row := range rows {
		m[amOpKey{row[AmopAmoplefttype].Oid(), row[AmopAmoprighttype].Oid(), row[AmopAmopstrategy].Int2()}] = row[AmopAmopopr].Oid()
	}
	return m, err
}

func (r reader) amOpsOf(operator OID) ([]*AmOp, error) {
	rows, err := r.list(PgAmopOprFamIndexOID, types.Oid(operator))
	list := make([]*AmOp, len(rows))
	for i, row := range rows {
		list[i] = amOpFromRow(row)
	}
	return list, err
}

func (r reader) amProcs(family OID) (map[amProcKey]OID, error) {
	rows, err := r.list(PgAmprocFamProcIndexOID, types.Oid(family))
	m := make(map[amProcKey]OID, len(rows))
	for _, row := range rows {
		m[amProcKey{row[AmprocAmproclefttype].Oid(), row[AmprocAmprocrighttype].Oid(), row[AmprocAmprocnum].Int2()}] = row[AmprocAmproc].Oid()
	}
	return m, err
}

func (r reader) constraint(oid OID) (*Constraint, error) {
	row, err := r.one(PgConstraintOidIndexOID, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	return constraintFromRow(row)
}

func (r reader) role(oid OID) (*Role, error) {
	role, err := byOID(r, PgAuthidOidIndexOID, oid, roleFromRow)
	if role == nil || err != nil {
		return nil, err
	}
	members, err := r.list(PgAuthMembersMemberRoleIndexOID, types.Oid(oid))
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		role.MemberOf = append(role.MemberOf, m[AuthMembersRoleid].Oid())
	}
	role.Config, err = r.settings(0, oid)
	return role, err
}

func (r reader) database(oid OID) (*Database, error) {
	db, err := byOID(r, PgDatabaseOidIndexOID, oid, databaseFromRow)
	if db == nil || err != nil {
		return nil, err
	}
	db.Config, err = r.settings(oid, 0)
	return db, err
}

// settings gives the row of pg_db_role_setting for a database and a role; 0 = all.
func (r reader) settings(db, role OID) ([]string, error) {
	row, err := r.one(PgDbRoleSettingDatabaseidRolIndexOID, types.Oid(db), types.Oid(role))
	if row == nil || err != nil {
		return nil, err
	}
	return Texts(row[DbRoleSettingSetconfig]), nil
}

func (r reader) statistic(rel OID, attr int16, inherited bool) (*Statistic, error) {
	row, err := r.one(PgStatisticRelidAttInhIndexOID, types.Oid(rel), types.Int2(attr), types.Bool(inherited))
	if row == nil || err != nil {
		return nil, err
	}
	column, err := r.one(PgAttributeRelidAttnumIndexOID, types.Oid(rel), types.Int2(attr))
	if column == nil || err != nil {
		return nil, err
	}
	s := &Statistic{NullFrac: float64(row[StatisticStanullfrac].Float4()), Width: float64(row[StatisticStawidth].Int4()),
		Distinct: float64(row[StatisticStadistinct].Float4())}
	for i := range s.Slots {
		slot := &s.Slots[i]
		slot.Kind = row[StatisticStakind1+i].Int2()
		if slot.Kind == 0 {
			continue
		}
		slot.Op, slot.Coll = row[StatisticStaop1+i].Oid(), row[StatisticStacoll1+i].Oid()
		walkArray(row[StatisticStanumbers1+i], 4, 4, func(_ int, b []byte) {
			slot.Numbers = append(slot.Numbers, types.FromRaw(uint64(leUint32(b))).Float4())
		})
		if err := r.slotValues(slot, row[StatisticStavalues1+i]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// slotValues takes a statistics array apart by its element type.
func (r reader) slotValues(slot *StatSlot, d types.Datum) error {
	if d.IsNull() {
		return nil
	}
	slot.ValueType = OID(leUint32(d.Bytes()[8:]))
	t, err := r.one(PgTypeOidIndexOID, types.Oid(slot.ValueType))
	if err != nil {
		return err
	}
	if t == nil {
		return pgerr.Internal("cache lookup failed for type %d", slot.ValueType)
	}
	a := types.Attr{TypeOID: slot.ValueType, Len: t[TypeTyplen].Int2(), ByVal: t[TypeTypbyval].Bool(), Align: t[TypeTypalign].Char()}
	walkArray(d, int(a.Len), alignOf(a.Align), func(_ int, b []byte) { slot.Values = append(slot.Values, elemDatum(&a, b)) })
	return nil
}

func leUint32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func sortOIDs(list []OID) { slices.Sort(list) }
