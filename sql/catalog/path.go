package catalog

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// searchPath is the schema search path: as set, and the effective list made of it.
type searchPath struct {
	names     []string
	effective []OID // implicit members included
	explicit  []OID // without the implicit members
	create    OID   // where CREATE without a schema goes: the first explicit member that exists, 0 = none
	temp      OID   // the session's temporary schema, 0 = none so far

	madeFor pathState
}

// pathState is what the effective list depends on.
type pathState struct {
	valid          bool
	user           OID
	counter        uint64
	shared         uint64
	ownGeneration  uint64
	tempGeneration OID
}

// SetSearchPath sets the names of search_path; "$user" stands for the current user's name.
func (v *View) SetSearchPath(names []string) {
	v.path.names = slices.Clone(names)
	v.path.madeFor.valid = false
}

// SetUser sets the current user.
func (v *View) SetUser(role OID) { v.user = role }

// SetSessionUser sets the session's user, whom RESET ROLE makes current.
func (v *View) SetSessionUser(role OID) { v.sessionUser = role }

// SessionUser is the session's user.
func (v *View) SessionUser() OID {
	if v.sessionUser == 0 {
		return v.user
	}
	return v.sessionUser
}

// User is the current user.
func (v *View) User() OID { return v.user }

// SetTempNamespace says which schema is the session's pg_temp.
func (v *View) SetTempNamespace(ns OID) { v.path.temp = ns; v.path.madeFor.valid = false }

// TempNamespace is the session's temporary schema, 0 when it has none so far.
func (v *View) TempNamespace() OID { return v.path.temp }

// IsTempNamespace says whether a schema is some session's temporary one.
func (v *View) IsTempNamespace(ns OID) bool {
	n, err := v.Namespace(ns)
	return err == nil && n != nil && isTempName(n.Name)
}

// SearchPath gives the effective path.
func (v *View) SearchPath() []OID {
	v.refreshPath()
	return v.path.effective
}

// explicitPath is the path without its implicit members.
func (v *View) explicitPath() []OID {
	v.refreshPath()
	return v.path.explicit
}

// CreationNamespace is where objects without a schema are created, 0 when no schema of the path exists.
func (v *View) CreationNamespace() OID {
	v.refreshPath()
	return v.path.create
}

func (v *View) refreshPath() {
	now := pathState{valid: true, user: v.user, counter: v.db.cache.counter.Load(), shared: v.shared.counter.Load(),
		ownGeneration: v.own.generation, tempGeneration: v.path.temp}
	if v.path.madeFor == now {
		return
	}
	var list []OID
	create := OID(0)
	add := func(ns OID) bool {
		if ns == 0 || slices.Contains(list, ns) {
			return false
		}
		list = append(list, ns)
		return true
	}
	for _, name := range v.path.names {
		ns := OID(0)
		switch name {
		case "$user":
			if r, err := v.Role(v.user); err == nil && r != nil {
				ns, _ = v.NamespaceByName(r.Name)
			}
		case "pg_temp":
			ns = v.path.temp
		default:
			ns, _ = v.NamespaceByName(name)
		}
		if ns != 0 && !v.canUseNamespace(ns) {
			continue
		}
		if add(ns) && create == 0 {
			create = ns
		}
	}
	explicit := slices.Clone(list)
	if !slices.Contains(list, CatalogNamespace) {
		list = slices.Insert(list, 0, CatalogNamespace)
	}
	if v.path.temp != 0 && !slices.Contains(list, v.path.temp) {
		list = slices.Insert(list, 0, v.path.temp)
	}
	v.path.effective, v.path.explicit, v.path.create = list, explicit, create
	v.path.madeFor = now
}

// canUseNamespace says whether the current user has USAGE on a schema: others are left out of the path.
func (v *View) canUseNamespace(ns OID) bool {
	ok, err := v.HasPrivilege(PgNamespaceOID, ns, 0, v.user, usage)
	return ok && err == nil
}

// usableNamespace finds a schema that a qualified name names, which asks for USAGE on it; 0 when there is none.
func (v *View) usableNamespace(name string) (OID, error) {
	ns, err := v.NamespaceByName(name)
	if ns == 0 || err != nil || ns == v.path.temp || v.user == 0 { // user 0: the server itself
		return ns, err
	}
	ok, err := v.HasPrivilege(PgNamespaceOID, ns, 0, v.user, usage)
	if err == nil && !ok {
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for schema %s", name)
	}
	return ns, err
}

func (v *View) NamespaceByName(name string) (OID, error) {
	if name == "pg_temp" {
		return v.path.temp, nil
	}
	return v.oidByName(Key{Kind: NamespaceNameKey, Name: name}, PgNamespaceNspnameIndexOID, NamespaceOid, types.Text(name))
}

func (v *View) relationIn(ns OID, name string) (OID, error) {
	return v.oidByName(Key{Kind: RelationNameKey, A: ns, Name: name}, PgClassRelnameNspIndexOID, ClassOid, types.Text(name), types.Oid(ns))
}

func (v *View) typeIn(ns OID, name string) (OID, error) {
	return v.oidByName(Key{Kind: TypeNameKey, A: ns, Name: name}, PgTypeTypnameNspIndexOID, TypeOid, types.Text(name), types.Oid(ns))
}

func (v *View) collationIn(ns OID, name string) (OID, error) {
	return fetch(v, Key{Kind: CollationNameKey, A: ns, Name: name}, func(r reader) (OID, error) {
		for _, enc := range []int32{utf8Encoding, -1} {
			oid, err := r.oidOf(PgCollationNameEncNspIndexOID, CollationOid, types.Text(name), types.Int4(enc), types.Oid(ns))
			if oid != 0 || err != nil {
				return oid, err
			}
		}
		return 0, nil
	})
}

const utf8Encoding = 6

// along calls find with each schema in which a name may be: the one named, or those of the path; the temporary schema only where it counts.
func (v *View) along(schema string, withTemp bool, find func(ns OID) (OID, error)) (OID, error) {
	if schema != "" {
		ns, err := v.usableNamespace(schema)
		if ns == 0 || err != nil {
			return 0, err
		}
		return find(ns)
	}
	for _, ns := range v.SearchPath() {
		if ns == v.path.temp && !withTemp {
			continue
		}
		if oid, err := find(ns); oid != 0 || err != nil {
			return oid, err
		}
	}
	return 0, nil
}

func (v *View) RelationByName(schema, name string) (OID, error) {
	return v.along(schema, true, func(ns OID) (OID, error) { return v.relationIn(ns, name) })
}

func (v *View) TypeByName(schema, name string) (OID, error) {
	return v.along(schema, true, func(ns OID) (OID, error) { return v.typeIn(ns, name) })
}

func (v *View) CollationByName(schema, name string) (OID, error) {
	return v.along(schema, false, func(ns OID) (OID, error) { return v.collationIn(ns, name) })
}

func (v *View) OpClassByName(am OID, schema, name string) (OID, error) {
	list, err := v.opClasses(am)
	if err != nil {
		return 0, err
	}
	return v.along(schema, false, func(ns OID) (OID, error) {
		for _, c := range list {
			if c.Namespace == ns && c.Name == name {
				return c.OID, nil
			}
		}
		return 0, nil
	})
}

func (v *View) ProcsByName(schema, name string) ([]*Proc, error) {
	all, err := fetch(v, Key{Kind: ProcNameKey, Name: name}, func(r reader) ([]*Proc, error) { return r.procsByName(name) })
	if err != nil {
		return nil, err
	}
	return candidates(v, schema, all, func(p *Proc) OID { return p.Namespace },
		func(a, b *Proc) bool { return slices.Equal(a.ArgTypes, b.ArgTypes) })
}

func (v *View) OperatorsByName(schema, name string) ([]*Operator, error) {
	all, err := fetch(v, Key{Kind: OperatorNameKey, Name: name}, func(r reader) ([]*Operator, error) { return r.operatorsByName(name) })
	if err != nil {
		return nil, err
	}
	return candidates(v, schema, all, func(o *Operator) OID { return o.Namespace },
		func(a, b *Operator) bool { return a.Left == b.Left && a.Right == b.Right })
}

// candidates picks the objects of one schema, or those along the path that no earlier schema hides. The temporary schema is not looked at.
func candidates[T any](v *View, schema string, all []T, nsOf func(T) OID, hides func(a, b T) bool) ([]T, error) {
	if schema != "" {
		ns, err := v.usableNamespace(schema)
		if err != nil {
			return nil, err
		}
		var list []T
		for _, o := range all {
			if nsOf(o) == ns {
				list = append(list, o)
			}
		}
		return list, nil
	}
	list := make([]T, 0, len(all))
	for _, ns := range v.SearchPath() {
		if ns == v.path.temp {
			continue
		}
		earlier := len(list)
		for _, o := range all {
			if nsOf(o) == ns && !slices.ContainsFunc(list[:earlier], func(e T) bool { return hides(e, o) }) {
				list = append(list, o)
			}
		}
	}
	return list, nil
}

func (v *View) RelationVisible(oid OID) bool {
	r, err := v.Relation(oid)
	if r == nil || err != nil {
		return false
	}
	found, err := v.RelationByName("", r.Name)
	return err == nil && found == oid
}

func (v *View) TypeVisible(oid OID) bool {
	t, err := v.Type(oid)
	if t == nil || err != nil {
		return false
	}
	found, err := v.TypeByName("", t.Name)
	return err == nil && found == oid
}

func (v *View) ProcVisible(oid OID) bool {
	p, err := v.Proc(oid)
	if p == nil || err != nil {
		return false
	}
	list, err := v.ProcsByName("", p.Name)
	return err == nil && slices.ContainsFunc(list, func(q *Proc) bool { return q.OID == oid })
}

func (v *View) OperatorVisible(oid OID) bool {
	o, err := v.Operator(oid)
	if o == nil || err != nil {
		return false
	}
	list, err := v.OperatorsByName("", o.Name)
	return err == nil && slices.ContainsFunc(list, func(q *Operator) bool { return q.OID == oid })
}
