package catalog

import (
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Object names a thing in the catalogs: its catalog, its OID there, and a column of a relation (0 = the whole).
type Object struct {
	Class, OID OID
	Sub        int32
}

// Kinds of dependencies (pg_depend.deptype).
const (
	DepNormal       = 'n'
	DepAuto         = 'a'
	DepInternal     = 'i'
	DepPartitionPri = 'P'
	DepPartitionSec = 'S'
	DepExtension    = 'e'
)

// firstUnpinned is the first OID of built-in objects that can be dropped.
const firstUnpinned OID = 12000

// isPinned says whether an object is part of the system, so that nothing records that it depends on it.
func isPinned(o Object) bool {
	if o.OID >= firstUnpinned {
		return false
	}
	return o.Class != PgDatabaseOID && !(o.Class == PgNamespaceOID && o.OID == PublicNamespace)
}

// Depend records that depender depends on each of refs.
func (v *View) Depend(depender Object, kind byte, refs ...Object) error {
	for _, ref := range refs {
		if ref.OID == 0 || isPinned(ref) {
			continue
		}
		row := types.Row{types.Oid(depender.Class), types.Oid(depender.OID), types.Int4(depender.Sub), types.Oid(ref.Class),
			types.Oid(ref.OID), types.Int4(ref.Sub), types.Char(kind)}
		if err := v.Insert(PgDependOID, row); err != nil {
			return err
		}
	}
	return nil
}

// DependOwner records who owns an object. System roles are pinned.
func (v *View) DependOwner(o Object, role OID) error { return v.dependRole(o, role, 'o') }

func (v *View) dependRole(o Object, role OID, kind byte) error {
	if role < firstUnpinned {
		return nil
	}
	db := v.db.OID
	if isSharedClass(o.Class) {
		db = 0
	}
	return v.Insert(PgShdependOID, types.Row{types.Oid(db), types.Oid(o.Class), types.Oid(o.OID), types.Int4(o.Sub),
		types.Oid(PgAuthidOID), types.Oid(role), types.Char(kind)})
}

// DependACL records the roles that an object's ACL names, in place of those it named before.
func (v *View) DependACL(o Object, owner OID, acl []ACLItem) error {
	if err := v.removeShdepend(o, 'a'); err != nil {
		return err
	}
	seen := map[OID]bool{0: true, owner: true}
	for _, it := range acl {
		for _, role := range []OID{it.Grantee, it.Grantor} {
			if seen[role] {
				continue
			}
			seen[role] = true
			if err := v.dependRole(o, role, 'a'); err != nil {
				return err
			}
		}
	}
	return nil
}

// ChangeOwnerDepend records a new owner.
func (v *View) ChangeOwnerDepend(o Object, role OID) error {
	if err := v.removeShdepend(o, 'o'); err != nil {
		return err
	}
	return v.DependOwner(o, role)
}

func isSharedClass(class OID) bool {
	t := Catalogs(class)
	return t != nil && t.Shared
}

// removeShdepend removes an object's entries of one kind from pg_shdepend, 0 = all. With Sub 0 those of all its columns go too when kind is 0.
func (v *View) removeShdepend(o Object, kind byte) error {
	db := v.db.OID
	if isSharedClass(o.Class) {
		db = 0
	}
	return v.Scan(PgShdependDependerIndexOID, []types.Datum{types.Oid(db), types.Oid(o.Class), types.Oid(o.OID)},
		func(tid types.TID, row types.Row) (bool, error) {
			sub := row[ShdependObjsubid].Int4()
			if sub != o.Sub && !(kind == 0 && o.Sub == 0) || kind != 0 && row[ShdependDeptype].Char() != kind {
				return true, nil
			}
			return true, v.Delete(PgShdependOID, tid, row)
		})
}

// removeDepend removes what an object depends on. With Sub 0 that of all its columns goes too.
func (v *View) removeDepend(o Object) error {
	return v.Scan(PgDependDependerIndexOID, []types.Datum{types.Oid(o.Class), types.Oid(o.OID)},
		func(tid types.TID, row types.Row) (bool, error) {
			if o.Sub != 0 && row[DependObjsubid].Int4() != o.Sub {
				return true, nil
			}
			return true, v.Delete(PgDependOID, tid, row)
		})
}

// RemoveDepends removes what an object depends on, of one kind (0 = all) and on objects of one catalog (0 = all).
func (v *View) RemoveDepends(o Object, kind byte, refClass OID) error {
	return v.Scan(PgDependDependerIndexOID, []types.Datum{types.Oid(o.Class), types.Oid(o.OID)},
		func(tid types.TID, row types.Row) (bool, error) {
			if row[DependObjsubid].Int4() != o.Sub || kind != 0 && row[DependDeptype].Char() != kind ||
				refClass != 0 && row[DependRefclassid].Oid() != refClass {
				return true, nil
			}
			return true, v.Delete(PgDependOID, tid, row)
		})
}

// RemoveDependOn removes what says that an object depends on ref.
func (v *View) RemoveDependOn(o, ref Object) error {
	return v.Scan(PgDependDependerIndexOID, []types.Datum{types.Oid(o.Class), types.Oid(o.OID), types.Int4(o.Sub)},
		func(tid types.TID, row types.Row) (bool, error) {
			if row[DependRefclassid].Oid() != ref.Class || row[DependRefobjid].Oid() != ref.OID || row[DependRefobjsubid].Int4() != ref.Sub {
				return true, nil
			}
			return true, v.Delete(PgDependOID, tid, row)
		})
}

// DependOnExpr records that depender depends on what an expression uses: columns of the relation that VarNo 1 stands for (self, 0 = none),
// functions, operators, types, collations, relations of sub-selects. What it uses of selfOf itself is recorded with selfKind.
func (v *View) DependOnExpr(depender Object, kind byte, e query.Expr, self OID, selfKind byte) error {
	refs := v.ExprRefs(e, []OID{self})
	return v.dependSplit(depender, kind, refs, self, selfKind)
}

func (v *View) dependSplit(depender Object, kind byte, refs []Object, self OID, selfKind byte) error {
	for _, ref := range refs {
		k := kind
		if self != 0 && ref.Class == PgClassOID && ref.OID == self {
			k = selfKind
		}
		if err := v.Depend(depender, k, ref); err != nil {
			return err
		}
	}
	return nil
}

// DependOnQuery records what a query uses, for a view's rule.
func (v *View) DependOnQuery(depender Object, kind byte, q *query.Query) error {
	return v.Depend(depender, kind, v.QueryRefs(q)...)
}

// Dependents calls each with the objects that depend on ref (with Sub 0: on it or any of its columns) until it answers false.
func (v *View) Dependents(ref Object, each func(o Object, refSub int32, kind byte) (bool, error)) error {
	key := []types.Datum{types.Oid(ref.Class), types.Oid(ref.OID)}
	if ref.Sub != 0 {
		key = append(key, types.Int4(ref.Sub))
	}
	return v.Scan(PgDependReferenceIndexOID, key, func(_ types.TID, row types.Row) (bool, error) {
		return each(dependerOf(row), row[DependRefobjsubid].Int4(), row[DependDeptype].Char())
	})
}

// References calls each with what o depends on, until it answers false.
func (v *View) References(o Object, each func(ref Object, kind byte) (bool, error)) error {
	return v.Scan(PgDependDependerIndexOID, []types.Datum{types.Oid(o.Class), types.Oid(o.OID)},
		func(_ types.TID, row types.Row) (bool, error) {
			if o.Sub != 0 && row[DependObjsubid].Int4() != o.Sub {
				return true, nil
			}
			return each(Object{row[DependRefclassid].Oid(), row[DependRefobjid].Oid(), row[DependRefobjsubid].Int4()}, row[DependDeptype].Char())
		})
}

func dependerOf(row types.Row) Object {
	return Object{row[DependClassid].Oid(), row[DependObjid].Oid(), row[DependObjsubid].Int4()}
}
