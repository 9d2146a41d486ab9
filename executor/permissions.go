package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// CheckPermissions says whether the current user (inside a view: the view's owner) may do to the relations of a range table what the statement
// does to them. It is asked at the start of each execution, not when the statement is analysed: a prepared statement follows GRANT and REVOKE.
func CheckPermissions(v *catalog.View, entries []*query.RTE) error {
	for _, e := range entries {
		if e.RequiredPerms == 0 || e.RelOID == 0 {
			continue
		}
		rel, err := v.Relation(e.RelOID)
		if err != nil {
			return err
		}
		if rel == nil {
			return pgerr.New(pgerr.UndefinedTable, "relation with OID %d does not exist", e.RelOID)
		}
		ok, err := entryPermitted(v, rel, e)
		if err != nil {
			return err
		}
		if !ok {
			return PermissionDenied(rel)
		}
	}
	return nil
}

// PermissionDenied is the error of a relation that the user lacks a privilege on.
func PermissionDenied(rel *catalog.Relation) error {
	kind := catalog.RelKindWord(rel.Kind)
	if rel.Kind == 't' {
		kind = "table"
	}
	return pgerr.New(pgerr.InsufficientPrivilege, "permission denied for %s %s", kind, rel.Name)
}

// entryPermitted: what the whole relation does not grant, its columns may.
func entryPermitted(v *catalog.View, rel *catalog.Relation, e *query.RTE) (bool, error) {
	role := e.CheckAsUser
	if role == 0 {
		role = v.User()
	}
	got, err := v.RelationPrivileges(rel, role, e.RequiredPerms)
	missing := e.RequiredPerms &^ got
	if missing == 0 || err != nil {
		return err == nil, err
	}
	if missing&^(query.AclSelect|query.AclInsert|query.AclUpdate) != 0 {
		return false, nil
	}
	c := &columnCheck{v: v, rel: rel, role: role}
	for _, part := range []struct {
		priv uint32
		cols map[int]bool
	}{{query.AclSelect, e.SelectedCols}, {query.AclInsert, e.InsertedCols}, {query.AclUpdate, e.UpdatedCols}} {
		if missing&part.priv == 0 {
			continue
		}
		if ok, err := c.columns(part.priv, part.cols); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// columnCheck looks at the privileges of a relation's columns.
type columnCheck struct {
	v    *catalog.View
	rel  *catalog.Relation
	role catalog.OID
}

// columns: a statement that names no column (SELECT count(*), SELECT FOR UPDATE) needs the privilege on any of them.
func (c *columnCheck) columns(priv uint32, cols map[int]bool) (bool, error) {
	if len(cols) == 0 {
		return c.any(priv)
	}
	for n := range cols {
		ok, err := c.one(int16(n), priv)
		if n == 0 { // the whole row
			ok, err = c.all(priv)
		}
		if !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// readable says whether the role may read the whole relation.
func (c *columnCheck) readable() (bool, error) {
	got, err := c.v.RelationPrivileges(c.rel, c.role, query.AclSelect)
	return got != 0, err
}

// MayReadColumns says whether the current user may read columns of a relation: what an error tells of their values is left out otherwise.
func MayReadColumns(v *catalog.View, rel *catalog.Relation, cols []int16) bool {
	c := &columnCheck{v: v, rel: rel, role: v.User()}
	if ok, err := c.readable(); ok || err != nil {
		return ok
	}
	for _, n := range cols {
		if ok, err := c.one(n, query.AclSelect); !ok || err != nil || n == 0 { // 0: an expression of columns that are not looked for
			return false
		}
	}
	return true
}

func (c *columnCheck) one(n int16, priv uint32) (bool, error) {
	got, err := c.v.ColumnPrivileges(c.rel, n, c.role, priv)
	return got == priv, err
}

func (c *columnCheck) any(priv uint32) (bool, error) {
	for i := range c.rel.Desc.Attrs {
		if a := &c.rel.Desc.Attrs[i]; !a.Dropped {
			if ok, err := c.one(a.Num, priv); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

// all is false for a relation without columns.
func (c *columnCheck) all(priv uint32) (bool, error) {
	some := false
	for i := range c.rel.Desc.Attrs {
		if a := &c.rel.Desc.Attrs[i]; !a.Dropped {
			some = true
			if ok, err := c.one(a.Num, priv); !ok || err != nil {
				return false, err
			}
		}
	}
	return some, nil
}
