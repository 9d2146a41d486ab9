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

// memberships lists role and all roles that it is a member of; only through INHERIT roles when inherit is set.
func (v *View) memberships(role OID, inherit bool) ([]OID, error) {
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
	}
	return list, nil
}

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
	kind  byte // as DefaultACL's
	owner OID
	acl   []ACLItem
}

// HasPrivilege says whether role has all of privs on an object; sub is a column of a relation, 0 = the whole object. An object that does not
// exist gives false.
func (v *View) HasPrivilege(class, object OID, sub int16, role OID, privs uint32) (bool, error) {
	s, err := v.securable(class, object)
	if s == nil || err != nil {
		return false, err
	}
	acl := s.acl
	if acl == nil {
		acl = DefaultACL(s.kind, s.owner)
	}
	got, err := v.ACLMask(acl, role, s.owner, privs)
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

func (v *View) securable(class, object OID) (*securable, error) {
	switch class {
	case PgClassOID:
		r, err := v.Relation(object)
		if r == nil {
			return nil, err
		}
		kind := byte('r')
		if r.Kind == 'S' {
			kind = 's'
		}
		return &securable{kind, r.Owner, r.ACL}, err
	case PgNamespaceOID:
		n, err := v.Namespace(object)
		if n == nil {
			return nil, err
		}
		if object == v.path.temp && object != 0 {
			return &securable{'n', v.user, nil}, err
		}
		return &securable{'n', n.Owner, n.ACL}, err
	case PgProcOID:
		p, err := v.Proc(object)
		if p == nil {
			return nil, err
		}
		return &securable{'f', p.Owner, p.ACL}, err
	case PgTypeOID:
		t, err := v.Type(object)
		if t == nil {
			return nil, err
		}
		return &securable{'T', t.Owner, t.ACL}, err
	case PgDatabaseOID:
		d, err := v.Database(object)
		if d == nil {
			return nil, err
		}
		return &securable{'d', d.Owner, d.ACL}, err
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
	return &securable{kind, row[owner].Oid(), ACL(row[acl])}, nil
}

// IsOwner says whether role owns an object, or has the privileges of its owner.
func (v *View) IsOwner(role, owner OID) (bool, error) { return v.HasPrivsOfRole(role, owner) }
