package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// keptSet is the set of a volatile function in FROM: its rows are kept for rescans, for the function must not run again unless its arguments
// change. A function that isn't volatile would give the same rows again, and is called again.
type keptSet struct {
	s      *State
	params plan.ParamSet // that the arguments read
	store  *Tuplestore
	reader *Reader
	from   types.Iterator
	end    bool
	gen    uint64
}

// newKeptSet gives nil for a call that needs no keeping.
func newKeptSet(s *State, c *expr.Compiler, p *plan.FunctionScan, e query.Expr) (*keptSet, error) {
	volatile, err := isVolatile(c, e)
	if !volatile || err != nil {
		return nil, err
	}
	k := &keptSet{s: s, params: plan.ParamSet{}}
	plan.EachParam(e, func(id int) { k.params[id] = struct{}{} })
	if query.Contains(e, func(e query.Expr) bool { _, ok := e.(*query.SubPlan); return ok }) {
		k.params = p.AllParam
	}
	return k, nil
}

// isVolatile says whether an expression calls a volatile function.
func isVolatile(c *expr.Compiler, e query.Expr) (volatile bool, err error) {
	look := func(oid types.OID) {
		var p *catalog.Proc
		if p, err = c.Proc(oid); err == nil {
			volatile = volatile || p.Volatile == 'v'
		}
	}
	query.Walk(e, func(e query.Expr) bool {
		switch e := e.(type) {
		case *query.FuncExpr:
			look(e.FuncOID)
		case *query.OpExpr:
			look(e.FuncOID)
		}
		return !volatile && err == nil
	})
	return volatile, err
}

// again starts over with the rows that are there; false when there are none, or the arguments have changed.
func (k *keptSet) again() bool {
	if k.store == nil || k.gen != k.s.gen(k.params) {
		return false
	}
	k.reader.Seek(0)
	return true
}

// start keeps the rows of a set.
func (k *keptSet) start(it types.Iterator, cols int) {
	k.drop()
	k.from, k.gen = it, k.s.gen(k.params)
	k.store = NewTuplestore(cols, k.s.Backend.WorkMem(), k.s.Backend.Temp)
	k.reader = k.store.NewReader()
}

// Next gives the next row of the set.
func (k *keptSet) Next(row []types.Datum) (bool, error) {
	if k.reader.Pos() < k.store.Len() {
		r, err := k.reader.Next()
		copy(row, r)
		return err == nil, err
	}
	if k.end {
		return false, nil
	}
	ok, err := k.from.Next(row)
	if err != nil {
		return false, err
	}
	if !ok {
		k.end = true
		return false, nil
	}
	if err := k.store.Add(row); err != nil {
		return false, err
	}
	k.reader.Seek(k.store.Len())
	return true, nil
}

func (k *keptSet) drop() {
	if k.store != nil {
		k.store.Close()
	}
	if k.from != nil {
		closeSet(k.from)
	}
	k.store, k.reader, k.from, k.end = nil, nil, nil, false
}
