package catalog

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/xact"
)

func init() {
	viewFunc("pg_current_xact_id", func(v *View, _ *types.Call) (types.Datum, error) {
		if _, err := v.sess.Tx.XID(); err != nil {
			return types.Null, err
		}
		return types.FromRaw(uint64(v.sess.Tx.TopXID())), nil
	})
	viewFunc("pg_current_xact_id_if_assigned", func(v *View, _ *types.Call) (types.Datum, error) {
		if x := v.sess.Tx.TopXID(); x != 0 {
			return types.FromRaw(uint64(x)), nil
		}
		return types.Null, nil
	})
	viewFunc("pg_current_snapshot", func(v *View, _ *types.Call) (types.Datum, error) {
		var s xact.Snapshot
		v.sess.Tx.TakeSnapshot(&s)
		defer v.sess.Tx.ReleaseSnapshot(&s)
		out := types.SnapshotValue{Xmin: uint64(s.Xmin()), Xmax: uint64(s.Xmax())}
		for _, x := range s.Running() {
			out.Xip = append(out.Xip, uint64(x))
		}
		return out.Datum(), nil
	})
	viewFunc("pg_xact_status", func(v *View, c *types.Call) (types.Datum, error) {
		xm := v.sess.Tx.Manager()
		xid := xact.XID(c.Args[0].Raw())
		if xid >= xm.NextXID() {
			return types.Null, pgerr.New(pgerr.InvalidParameterValue, "transaction ID %d is in the future", uint64(xid))
		}
		if xid == 0 {
			return types.Null, nil
		}
		switch {
		case xid < xact.FirstXID:
			return types.Text("committed"), nil
		case v.sess.Tx.IsCurrent(xid):
			return types.Text("in progress"), nil
		}
		return types.Text(xm.Status(xid).String()), nil
	})
	viewFunc("pg_get_serial_sequence", serialSequence)
}

// serialSequence finds the sequence that a column owns.
func serialSequence(v *View, c *types.Call) (types.Datum, error) {
	oid, err := v.regclass(c.Args[0].Str())
	if err != nil {
		return types.Null, err
	}
	rel, err := v.Relation(oid)
	if err != nil {
		return types.Null, err
	}
	a := rel.AttrByName(c.Args[1].Str())
	if a == nil {
		return types.Null, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", c.Args[1].Str(), rel.Name)
	}
	found := types.Null
	err = v.Dependents(Object{PgClassOID, oid, int32(a.Num)}, func(o Object, _ int32, kind byte) (bool, error) {
		if o.Class != PgClassOID || o.Sub != 0 || kind != DepAuto && kind != DepInternal {
			return true, nil
		}
		seq, err := v.Relation(o.OID)
		if err != nil || seq == nil || seq.Kind != 'S' {
			return true, err
		}
		found = types.Text(v.qualified(seq.Namespace, seq.Name, false))
		return false, nil
	})
	return found, err
}
