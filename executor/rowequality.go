package executor

import (
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// rowEquality compares rows by key columns as grouping does: nulls are equal to each other.
type rowEquality struct {
	cols []int // 0-based
	eqs  []expr.Binary
}

func newRowEquality(s *State, keys []plan.GroupKey, targets []*query.TargetEntry) (*rowEquality, error) {
	e := &rowEquality{}
	c := s.compiler()
	for _, k := range keys {
		op, err := s.Backend.Catalog.Operator(k.EqOp)
		if err != nil {
			return nil, err
		}
		if op == nil {
			return nil, pgerr.Internal("cache lookup failed for operator %d", k.EqOp)
		}
		typ := targets[k.Col-1].Expr.Type()
		eq, err := c.BinaryFunc(op.Func, typ, typ, k.Collation)
		if err != nil {
			return nil, err
		}
		e.cols = append(e.cols, k.Col-1)
		e.eqs = append(e.eqs, eq)
	}
	return e, nil
}

// equal compares the key columns of two rows of the same shape, last column first: it differs most often.
func (e *rowEquality) equal(ctx *expr.Context, a, b types.Row) (bool, error) {
	for i := len(e.cols) - 1; i >= 0; i-- {
		col := e.cols[i]
		same, err := e.equalDatum(ctx, i, a[col], b[col])
		if err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// equalDatum compares two values of key i.
func (e *rowEquality) equalDatum(ctx *expr.Context, i int, x, y types.Datum) (bool, error) {
	if x.IsNull() || y.IsNull() {
		return x.IsNull() && y.IsNull(), nil
	}
	d, err := e.eqs[i](ctx, x, y)
	return err == nil && !d.IsNull() && d.Bool(), err
}

// rowHash hashes key columns: rows that rowEquality finds equal hash equal.
type rowHash struct {
	cols  []int
	funcs []types.HashFunc
}

// newRowHash resolves the hash functions that belong to the keys' equality operators.
func newRowHash(s *State, keys []plan.GroupKey, targets []*query.TargetEntry) (*rowHash, error) {
	h := &rowHash{}
	for _, k := range keys {
		typ := targets[k.Col-1].Expr.Type()
		f, err := s.hashFuncOf(k.EqOp, typ, k.Collation, true)
		if err != nil {
			return nil, err
		}
		h.cols = append(h.cols, k.Col-1)
		h.funcs = append(h.funcs, f)
	}
	return h, nil
}

func (h *rowHash) hash(row types.Row) uint32 {
	var sum uint32
	for i, col := range h.cols {
		sum = combineHash(sum, row[col], h.funcs[i])
	}
	return mixHash(sum)
}

// combineHash rotates and adds, as PostgreSQL's TupleHashTableHash; a null counts as 0.
func combineHash(sum uint32, d types.Datum, f types.HashFunc) uint32 {
	sum = sum<<1 | sum>>31
	if !d.IsNull() {
		sum ^= f(d)
	}
	return sum
}

// mixHash is murmurhash3's 32-bit finaliser: the bits of a sum of weak hashes spread over the word.
func mixHash(h uint32) uint32 {
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// hashFuncOf finds the hash function that belongs to an equality operator for its left or right argument.
func (s *State) hashFuncOf(eqOp types.OID, typ, coll types.OID, left bool) (types.HashFunc, error) {
	amops, err := s.Backend.Catalog.AmOpsOf(eqOp)
	if err != nil {
		return nil, err
	}
	for _, a := range amops {
		if a.AM != hashAM {
			continue
		}
		t := a.Left
		if !left {
			t = a.Right
		}
		fn, err := s.Backend.Catalog.AmProc(a.Family, t, t, 1)
		if err != nil || fn == 0 {
			return nil, err
		}
		p, err := s.Backend.Catalog.Proc(fn)
		if err != nil {
			return nil, err
		}
		f, _, err := types.LookupHash(s.Backend.Env, p.Src, typ, coll)
		return f, err
	}
	f, _, err := types.HashFor(s.Backend.Env, typ, coll)
	return f, err
}

const hashAM = 405
