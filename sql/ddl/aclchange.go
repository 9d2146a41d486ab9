package ddl

import (
	"math/bits"
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
)

// What GRANT and REVOKE make of an ACL, by PostgreSQL's rules: somebody grants as the owner or by grant options that he has; a revoked grant
// option takes with it what was granted by it, with CASCADE, or is refused.

// aclTarget is an object, or a column of a relation, whose ACL is being changed.
type aclTarget struct {
	name, column string
	owner        OID
	acl          []catalog.ACLItem // as it is, the default one spelled out
	above        []catalog.ACLItem // of a column's relation: its grant options count, too
	all          uint32            // privileges that the kind of object has
	denied       func() error
	anyHeld      func() (bool, error) // has the user any privilege at all on it?
}

// change applies an order to a target: the new ACL, and whether anything was allowed.
func (c *ctx) changeACL(t *aclTarget, o *grantOrder, privs uint32, all bool) ([]catalog.ACLItem, error) {
	grantor, options, err := c.bestGrantor(t, privs)
	if err != nil {
		return nil, err
	}
	if options == 0 {
		held, err := t.anyHeld()
		if err != nil {
			return nil, err
		}
		if !held {
			return nil, t.denied()
		}
	}
	c.warnRestricted(t, o.isGrant, privs, options, all)
	acl := slices.Clone(t.acl)
	for _, grantee := range o.grantees {
		item := catalog.ACLItem{Grantee: grantee, Grantor: grantor}
		if o.isGrant || !o.withOption {
			item.Privs = options
		}
		if !o.isGrant || o.withOption {
			item.GrantOpts = options
		}
		if o.isGrant {
			if o.withOption && grantee == 0 {
				return nil, pgerr.New(pgerr.InvalidGrantOperation, "grant options can only be granted to roles")
			}
			if err := checkCircular(acl, item, t.owner); err != nil {
				return nil, err
			}
			acl = addItem(acl, item)
		} else if acl, err = removeItem(acl, item, t.owner, o.cascade); err != nil {
			return nil, err
		}
	}
	return acl, nil
}

// bestGrantor gives the role as which the user grants, and for which of privs that role has grant options: the owner for superusers and the
// owner, else the first of the user's roles that has them all, else the one that has most.
func (c *ctx) bestGrantor(t *aclTarget, privs uint32) (role OID, options uint32, err error) {
	me := c.v.User()
	if me == t.owner || c.isSuperuser() {
		return t.owner, privs, nil
	}
	roles, err := c.v.RolesOf(me)
	if err != nil {
		return 0, 0, err
	}
	acl := append(slices.Clip(t.above), t.acl...)
	role = me
	for _, r := range roles {
		got := optionsOf(acl, r, t.owner) & privs
		if got == privs {
			return r, got, nil
		}
		if bits.OnesCount32(got) > bits.OnesCount32(options) {
			role, options = r, got
		}
	}
	return role, options, nil
}

// optionsOf gives the grant options that a role itself has: an owner has them all.
func optionsOf(acl []catalog.ACLItem, role, owner OID) uint32 {
	if role == owner {
		return ^uint32(0)
	}
	got := uint32(0)
	for _, it := range acl {
		if it.Grantee == role {
			got |= it.GrantOpts
		}
	}
	return got
}

// warnRestricted tells that less happens than was asked for.
func (c *ctx) warnRestricted(t *aclTarget, isGrant bool, asked, got uint32, all bool) {
	if got == asked || got != 0 && all {
		return
	}
	code, verb := pgerr.Code(pgerr.WarningPrivilegeNotGranted), "were granted"
	if !isGrant {
		code, verb = pgerr.WarningPrivilegeNotRevoked, "could be revoked"
	}
	how := "no"
	if got != 0 {
		how = "not all"
	}
	n := pgerr.New(code, "%s privileges %s for \"%s\"", how, verb, t.name)
	if t.column != "" {
		n = pgerr.New(code, "%s privileges %s for column \"%s\" of relation \"%s\"", how, verb, t.column, t.name)
	}
	n.Severity = "WARNING"
	c.send(n)
}

func itemOf(acl []catalog.ACLItem, grantee, grantor OID) int {
	return slices.IndexFunc(acl, func(it catalog.ACLItem) bool { return it.Grantee == grantee && it.Grantor == grantor })
}

func addItem(acl []catalog.ACLItem, item catalog.ACLItem) []catalog.ACLItem {
	at := itemOf(acl, item.Grantee, item.Grantor)
	if at < 0 {
		if item.Privs == 0 && item.GrantOpts == 0 {
			return acl
		}
		return append(acl, item)
	}
	acl[at].Privs |= item.Privs
	acl[at].GrantOpts |= item.GrantOpts
	return acl
}

// removeItem takes privileges away, and what was granted by grant options that go with them.
func removeItem(acl []catalog.ACLItem, item catalog.ACLItem, owner OID, cascade bool) ([]catalog.ACLItem, error) {
	at := itemOf(acl, item.Grantee, item.Grantor)
	if at < 0 {
		return acl, nil
	}
	lost := acl[at].GrantOpts & item.GrantOpts
	acl[at].Privs &^= item.Privs
	acl[at].GrantOpts &^= item.GrantOpts
	if acl[at].Privs == 0 && acl[at].GrantOpts == 0 {
		acl = slices.Delete(acl, at, at+1)
	}
	if lost == 0 || item.Grantee == owner {
		return acl, nil
	}
	lost &^= optionsOf(acl, item.Grantee, owner) // another grantor's are left
	for lost != 0 {
		at := slices.IndexFunc(acl, func(it catalog.ACLItem) bool { return it.Grantor == item.Grantee && it.Privs&lost != 0 })
		if at < 0 {
			break
		}
		if !cascade {
			return nil, pgerr.New(pgerr.DependentObjectsStillExist, "dependent privileges exist").WithHint("Use CASCADE to revoke them too.")
		}
		var err error
		if acl, err = removeItem(acl, catalog.ACLItem{Grantee: acl[at].Grantee, Grantor: item.Grantee, Privs: lost, GrantOpts: lost}, owner, true); err != nil {
			return nil, err
		}
	}
	return acl, nil
}

// checkCircular refuses grant options that would come back to whom the grantor has his own from: nobody could revoke them then.
func checkCircular(acl []catalog.ACLItem, item catalog.ACLItem, owner OID) error {
	if item.GrantOpts == 0 || item.Grantor == owner {
		return nil
	}
	rest := slices.Clone(acl)
	for {
		at := slices.IndexFunc(rest, func(it catalog.ACLItem) bool { return it.Grantee == item.Grantee && it.GrantOpts != 0 })
		if at < 0 {
			break
		}
		var err error
		if rest, err = removeItem(rest, rest[at], owner, true); err != nil {
			return err
		}
	}
	if item.GrantOpts&^optionsOf(rest, item.Grantor, owner) != 0 {
		return pgerr.New(pgerr.InvalidGrantOperation, "grant options cannot be granted back to your own grantor")
	}
	return nil
}
