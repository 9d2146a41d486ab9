package catalog

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("nextval_oid", seqFunc(query.AclUsage|query.AclUpdate, func(v *View, rel *Relation, c *types.Call) (types.Datum, error) {
		n, err := v.NextVal(rel)
		return types.Int8(n), err
	}))
	types.RegisterFunc("currval_oid", seqFunc(query.AclUsage|query.AclSelect, func(v *View, rel *Relation, c *types.Call) (types.Datum, error) {
		n, err := v.CurrVal(rel)
		return types.Int8(n), err
	}))
	types.RegisterFunc("setval_oid", seqFunc(query.AclUpdate, func(v *View, rel *Relation, c *types.Call) (types.Datum, error) {
		return c.Args[1], v.SetVal(rel, c.Args[1].Int8(), true)
	}))
	types.RegisterFunc("setval3_oid", seqFunc(query.AclUpdate, func(v *View, rel *Relation, c *types.Call) (types.Datum, error) {
		return c.Args[1], v.SetVal(rel, c.Args[1].Int8(), c.Args[2].Bool())
	}))
	types.RegisterFunc("lastval", func(c *types.Call) (types.Datum, error) {
		v, err := FromCall(c)
		if err != nil {
			return types.Null, err
		}
		n, err := v.LastVal()
		return types.Int8(n), err
	})
	types.RegisterFunc("pg_sequence_last_value", func(c *types.Call) (types.Datum, error) {
		v, err := FromCall(c)
		if err != nil {
			return types.Null, err
		}
		rel, err := v.Relation(c.Args[0].Oid())
		if err != nil || rel == nil || rel.Kind != 'S' {
			return types.Null, err
		}
		if err := v.requireSequence(rel, query.AclSelect|query.AclUsage); err != nil {
			return types.Null, err
		}
		st, err := v.ReadSequence(rel)
		if err != nil || !st.Called {
			return types.Null, err
		}
		return types.Int8(st.Last), nil
	})
}

// seqFunc wraps a function of a sequence: it finds the sequence, and checks that the user has any of privs.
func seqFunc(privs uint32, do func(v *View, rel *Relation, c *types.Call) (types.Datum, error)) types.Func {
	return func(c *types.Call) (types.Datum, error) {
		v, err := FromCall(c)
		if err != nil {
			return types.Null, err
		}
		rel, err := v.lockedSequence(c.Args[0].Oid())
		if err != nil {
			return types.Null, err
		}
		if rel == nil {
			return types.Null, pgerr.New(pgerr.UndefinedTable, "could not open relation with OID %d", c.Args[0].Oid())
		}
		if rel.Kind != 'S' || rel.Sequence == nil {
			return types.Null, pgerr.New(pgerr.WrongObjectType, "\"%s\" is not a sequence", rel.Name)
		}
		if err := v.requireSequence(rel, privs); err != nil {
			return types.Null, err
		}
		return do(v, rel, c)
	}
}

// sequenceLock is the lock mode RowExclusive: ALTER SEQUENCE waits for transactions that used the sequence, and they for it.
const sequenceLock = 3

// lockedSequence locks a sequence for the rest of the transaction, and gives its descriptor.
func (v *View) lockedSequence(oid OID) (*Relation, error) {
	if v.lockRelation != nil {
		if err := v.lockRelation(oid, sequenceLock); err != nil {
			return nil, err
		}
	}
	return v.Relation(oid)
}

// requireSequence checks that the user has any of privs on a sequence.
func (v *View) requireSequence(rel *Relation, privs uint32) error {
	got, err := v.RelationPrivileges(rel, v.user, privs)
	if err == nil && got == 0 {
		err = pgerr.New(pgerr.InsufficientPrivilege, "permission denied for sequence %s", rel.Name)
	}
	return err
}
