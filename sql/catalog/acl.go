package catalog

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

const usage = query.AclUsage

// All privileges of each kind of object.
const (
	AllTablePrivs     = query.AclInsert | query.AclSelect | query.AclUpdate | query.AclDelete | query.AclTruncate | query.AclReferences | query.AclTrigger
	AllColumnPrivs    = query.AclInsert | query.AclSelect | query.AclUpdate | query.AclReferences
	AllSequencePrivs  = query.AclUsage | query.AclSelect | query.AclUpdate
	AllDatabasePrivs  = query.AclCreate | query.AclCreateTemp | query.AclConnect
	AllFunctionPrivs  = query.AclExecute
	AllLanguagePrivs  = query.AclUsage
	AllSchemaPrivs    = query.AclUsage | query.AclCreate
	AllTypePrivs      = query.AclUsage
	AllTablespacePriv = query.AclCreate
)

// DefaultACL is what an object without an ACL grants: all to its owner, and to PUBLIC what its kind gives. kind is the letter of
// acldefault(): 'r' table, 's' sequence, 'd' database, 'f' function, 'l' language, 'n' schema, 't' tablespace, 'T' type, 'c' column.
func DefaultACL(kind byte, owner OID) []ACLItem {
	world, all := uint32(0), uint32(0)
	switch kind {
	case 'r':
		all = AllTablePrivs
	case 's':
		all = AllSequencePrivs
	case 'd':
		world, all = query.AclCreateTemp|query.AclConnect, AllDatabasePrivs
	case 'f':
		world, all = AllFunctionPrivs, AllFunctionPrivs
	case 'l':
		world, all = AllLanguagePrivs, AllLanguagePrivs
	case 'n':
		all = AllSchemaPrivs
	case 't':
		all = AllTablespacePriv
	case 'T':
		world, all = AllTypePrivs, AllTypePrivs
	}
	acl := []ACLItem{}
	if world != 0 {
		acl = append(acl, ACLItem{Grantor: owner, Privs: world})
	}
	if all != 0 {
		acl = append(acl, ACLItem{Grantee: owner, Grantor: owner, Privs: all})
	}
	return acl
}

// IsSuperuser says whether a role is one.
func (v *View) IsSuperuser(role OID) (bool, error) {
	r, err := v.Role(role)
	return r != nil && r.Super, err
}

// Predefined roles that privilege checks know.
const (
	pgDatabaseOwner OID = 6171 // its only member is the owner of the current database
	pgReadAllData   OID = 6181
	pgWriteAllData  OID = 6182
)

// memberships lists role and all roles that it is a member of; only through INHERIT roles when inherit is set.
func (v *View) memberships(role OID, inherit bool) ([]OID, error) {
	db, err := v.Database(v.db.OID)
	if err != nil {
		return nil, err
	}
	list := []OID{role}
	for i := 0; i < len(list); i++ {
		r, err := v.Role(list[i])
		if err != nil {
			return nil, err
		}
		if r == nil || inherit && !r.Inherit {
			continue
		}
		for _, m := range r.MemberOf {
			if !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
		if db != nil && r.OID == db.Owner && !slices.Contains(list, pgDatabaseOwner) {
			list = append(list, pgDatabaseOwner)
		}
	}
	return list, nil
}

// RolesOf lists a role and those whose privileges it has.
func (v *View) RolesOf(role OID) ([]OID, error) { return v.memberships(role, true) }

// HasPrivsOfRole says whether member has the privileges of role without SET ROLE.
func (v *View) HasPrivsOfRole(member, role OID) (bool, error) { return v.isMember(member, role, true) }

// IsMemberOf says whether member may SET ROLE role.
func (v *View) IsMemberOf(member, role OID) (bool, error) { return v.isMember(member, role, false) }

func (v *View) isMember(member, role OID, inherit bool) (bool, error) {
	if member == role {
		return true, nil
	}
	super, err := v.IsSuperuser(member)
	if super || err != nil {
		return super, err
	}
	list, err := v.memberships(member, inherit)
	return slices.Contains(list, role), err
}

// ACLMask gives which of privs an ACL grants to a role. An owner's grants count as with grant options.
func (v *View) ACLMask(acl []ACLItem, role, owner OID, privs uint32) (uint32, error) {
	super, err := v.IsSuperuser(role)
	if err != nil {
		return 0, err
	}
	if super {
		return privs, nil
	}
	roles, err := v.memberships(role, true)
	if err != nil {
		return 0, err
	}
	got := uint32(0)
	for _, it := range acl {
		if it.Grantee == 0 || slices.Contains(roles, it.Grantee) {
			got |= it.Privs & privs
		}
	}
	return got, nil
}

// securable is what privilege checks need of an object.
type securable struct {
	kind   byte // as DefaultACL's
	owner  OID
	acl    []ACLItem
	system bool // a system catalog: only superusers change it
	temp   bool // the session's temporary schema
}

// HasPrivilege says whether role has all of privs on an object; sub is a column of a relation, 0 = the whole object. An object that does not
// exist gives false.
func (v *View) HasPrivilege(class, object OID, sub int16, role OID, privs uint32) (bool, error) {
	s, err := v.securable(class, object)
	if s == nil || err != nil {
		return false, err
	}
	got, err := v.mask(s, role, privs)
	if err != nil || got == privs || sub == 0 {
		return got == privs, err
	}
	rel, err := v.Relation(object)
	if rel == nil || err != nil {
		return false, err
	}
	more, err := v.ACLMask(rel.AttrACL[sub], role, s.owner, privs)
	return got|more == privs, err
}

// RelationPrivileges gives which of privs a role has on a whole relation, ColumnPrivileges on one column of it beyond those.
func (v *View) RelationPrivileges(rel *Relation, role OID, privs uint32) (uint32, error) {
	return v.mask(relationSecurable(rel), role, privs)
}

func (v *View) ColumnPrivileges(rel *Relation, col int16, role OID, privs uint32) (uint32, error) {
	if rel.AttrACL[col] == nil {
		return 0, nil
	}
	return v.ACLMask(rel.AttrACL[col], role, rel.Owner, privs)
}

// mask gives which of privs a role has on an object: by its ACL, and by the predefined roles that read or write everything.
func (v *View) mask(s *securable, role OID, privs uint32) (uint32, error) {
	super, err := v.IsSuperuser(role)
	if super || err != nil {
		return privs, err
	}
	if s.temp {
		return v.tempSchemaMask(role, privs)
	}
	if s.system {
		privs &^= query.AclInsert | query.AclUpdate | query.AclDelete | query.AclTruncate | query.AclUsage
	}
	acl := s.acl
	if acl == nil {
		acl = DefaultACL(s.kind, s.owner)
	}
	got, err := v.ACLMask(acl, role, s.owner, privs)
	if err != nil {
		return 0, err
	}
	for _, p := range predefined {
		want := privs &^ got & p.privs(s.kind)
		if want == 0 {
			continue
		}
		has, err := v.HasPrivsOfRole(role, p.role)
		if err != nil {
			return 0, err
		}
		if has {
			got |= want
		}
	}
	return got, nil
}

// predefined are the roles that have rights on everything.
var predefined = []struct {
	role  OID
	privs func(kind byte) uint32
}{
	{pgReadAllData, func(kind byte) uint32 { return everywhere(kind, query.AclSelect) }},
	{pgWriteAllData, func(kind byte) uint32 { return everywhere(kind, query.AclInsert|query.AclUpdate|query.AclDelete) }},
}

func everywhere(kind byte, onRelations uint32) uint32 {
	switch kind {
	case 'r', 's':
		return onRelations
	case 'n':
		return query.AclUsage
	}
	return 0
}

// tempSchemaMask: who may make temporary tables may do everything in the session's temporary schema, everybody may use it.
func (v *View) tempSchemaMask(role OID, privs uint32) (uint32, error) {
	ok, err := v.HasPrivilege(PgDatabaseOID, v.db.OID, 0, role, query.AclCreateTemp)
	if err != nil {
		return 0, err
	}
	if ok {
		return privs & AllSchemaPrivs, nil
	}
	return privs & query.AclUsage, nil
}

func relationSecurable(r *Relation) *securable {
	s := &securable{kind: 'r', owner: r.Owner, acl: r.ACL}
	if r.Kind == 'S' {
		s.kind = 's'
	}
	s.system = r.OID < FirstUserOID && r.Namespace == CatalogNamespace && r.Kind != 'v'
	return s
}

func (v *View) securable(class, object OID) (*securable, error) {
	switch class {
	case PgClassOID:
		r, err := v.Relation(object)
		if r == nil {
			return nil, err
		}
		return relationSecurable(r), err
	case PgNamespaceOID:
		n, err := v.Namespace(object)
		if n == nil {
			return nil, err
		}
		return &securable{kind: 'n', owner: n.Owner, acl: n.ACL, temp: object == v.path.temp}, err
	case PgProcOID:
		p, err := v.Proc(object)
		if p == nil {
			return nil, err
		}
		return &securable{kind: 'f', owner: p.Owner, acl: p.ACL}, err
	case PgTypeOID:
		t, err := v.Type(object)
		if t == nil {
			return nil, err
		}
		return &securable{kind: 'T', owner: t.Owner, acl: t.ACL}, err
	case PgDatabaseOID:
		d, err := v.Database(object)
		if d == nil {
			return nil, err
		}
		return &securable{kind: 'd', owner: d.Owner, acl: d.ACL}, err
	}
	return v.securableRow(class, object)
}

// securableRow reads owner and ACL of objects that have no descriptor.
func (v *View) securableRow(class, object OID) (*securable, error) {
	index, owner, acl, kind := OID(0), 0, 0, byte(0)
	switch class {
	case PgLanguageOID:
		index, owner, acl, kind = PgLanguageOidIndexOID, LanguageLanowner, LanguageLanacl, 'l'
	case PgTablespaceOID:
		index, owner, acl, kind = PgTablespaceOidIndexOID, TablespaceSpcowner, TablespaceSpcacl, 't'
	default:
		return nil, pgerr.Internal("privileges of an object of catalog %d", class)
	}
	r, end, err := v.read()
	if err != nil {
		return nil, err
	}
	defer end()
	row, err := r.one(index, types.Oid(object))
	if row == nil || err != nil {
		return nil, err
	}
	return &securable{kind: kind, owner: row[owner].Oid(), acl: ACL(row[acl])}, nil
}

// IsOwner says whether role owns an object, or has the privileges of its owner.
func (v *View) IsOwner(role, owner OID) (bool, error) { return v.HasPrivsOfRole(role, owner) }
