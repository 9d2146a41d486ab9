package executor

import (
	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/expr"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// scanKeys turns a plan's index conditions into an index scan's keys: the fixed part once, the arguments at each rescan.
type scanKeys struct {
	keys  []index.ScanKey
	args  []keyArg
	empty bool // an argument is null: nothing matches
}

// keyArg computes the argument of keys[key] (or of its Row[member]).
type keyArg struct {
	key, member int // member -1: the key itself
	eval        expr.Eval
	elem        *types.TypeInfo // not nil: an array whose elements are the arguments
}

func (s *State) newScanKeys(ix *catalog.Index, quals []query.Expr) (*scanKeys, error) {
	k := &scanKeys{}
	for _, q := range quals {
		if err := s.addScanKey(k, ix, q); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func (s *State) addScanKey(k *scanKeys, ix *catalog.Index, q query.Expr) error {
	c := s.compiler()
	n := len(k.keys)
	switch q := q.(type) {
	case *query.OpExpr:
		key, err := s.operatorKey(ix, q.Args[0], q.OpOID, q.InputColl)
		if err != nil {
			return err
		}
		eval, err := c.Compile(q.Args[1])
		if err != nil {
			return err
		}
		k.keys, k.args = append(k.keys, key), append(k.args, keyArg{key: n, member: -1, eval: eval})
	case *query.ScalarArrayOpExpr:
		key, err := s.operatorKey(ix, q.Left, q.OpOID, q.InputColl)
		if err != nil {
			return err
		}
		key.Kind = index.KeyArray
		arg := keyArg{key: n, member: -1}
		if arg.elem, err = c.ElementType(q.Right.Type()); err != nil {
			return err
		}
		if arg.eval, err = c.Compile(q.Right); err != nil {
			return err
		}
		k.keys, k.args = append(k.keys, key), append(k.args, arg)
	case *query.NullTest:
		key := index.ScanKey{Attr: indexColumn(q.Arg), Kind: index.KeyIsNull}
		if q.IsNot {
			key.Kind = index.KeyNotNull
		}
		k.keys = append(k.keys, key)
	case *query.RowCompareExpr:
		return s.addRowKey(k, ix, q)
	default:
		return pgerr.Internal("index condition %T", q)
	}
	return nil
}

func (s *State) addRowKey(k *scanKeys, ix *catalog.Index, q *query.RowCompareExpr) error {
	c := s.compiler()
	n := len(k.keys)
	row := index.ScanKey{Kind: index.KeyRow}
	for i := range q.Left {
		key, err := s.operatorKey(ix, q.Left[i], q.OpOIDs[i], q.InputColls[i])
		if err != nil {
			return err
		}
		eval, err := c.Compile(q.Right[i])
		if err != nil {
			return err
		}
		row.Row = append(row.Row, key)
		k.args = append(k.args, keyArg{key: n, member: i, eval: eval})
	}
	row.Attr, row.Strategy = row.Row[0].Attr, row.Row[0].Strategy
	k.keys = append(k.keys, row)
	return nil
}

// operatorKey resolves the strategy of an operator in the column's operator family, and the comparison for its argument's type.
func (s *State) operatorKey(ix *catalog.Index, left query.Expr, op, coll types.OID) (index.ScanKey, error) {
	key := index.ScanKey{Attr: indexColumn(left), Kind: index.KeyOperator}
	if key.Attr == 0 {
		return key, pgerr.Internal("index condition does not begin with the index's column")
	}
	family := ix.OpFamilies[key.Attr-1]
	amops, err := s.Backend.Catalog.AmOpsOf(op)
	if err != nil {
		return key, err
	}
	for _, a := range amops {
		if a.Family != family || a.Purpose == 'o' {
			continue
		}
		key.Strategy = index.Strategy(a.Strategy)
		return key, s.resolveKey(&key, ix, a, coll)
	}
	return key, pgerr.Internal("operator %d is not a member of opfamily %d", op, family)
}

// resolveKey sets the comparison (btree) or the hash function (hash) where the argument's type is not the column's own.
func (s *State) resolveKey(key *index.ScanKey, ix *catalog.Index, a *catalog.AmOp, coll types.OID) error {
	in := ix.OpcInTypes[key.Attr-1]
	if a.Right == in {
		return nil
	}
	left, right := a.Left, a.Right
	if ix.AM == catalog.HashAM {
		left = right
	}
	fn, err := s.Backend.Catalog.AmProc(a.Family, left, right, 1)
	if err != nil {
		return err
	}
	p, err := s.Backend.Catalog.Proc(fn)
	if err != nil {
		return err
	}
	if p == nil {
		return pgerr.Internal("missing support function %d(%d,%d) in opfamily %d", 1, left, right, a.Family)
	}
	if ix.AM == catalog.HashAM {
		key.Hash, _, err = types.LookupHash(s.Backend.Env, p.Src, right, coll)
		return err
	}
	if key.Compare, err = types.LookupCompare(s.Backend.Env, p.Src, right, coll); err != nil {
		return err
	}
	key.ArgType = right
	return s.resolveElements(key, a.Family, coll)
}

// resolveElements sets the comparison of two arguments of a type that is not the column's, by which an array's elements are ordered.
func (s *State) resolveElements(key *index.ScanKey, family, coll types.OID) error {
	fn, err := s.Backend.Catalog.AmProc(family, key.ArgType, key.ArgType, 1)
	if err != nil || fn == 0 {
		return err
	}
	p, err := s.Backend.Catalog.Proc(fn)
	if err != nil || p == nil {
		return err
	}
	key.CompareArgs, err = types.LookupCompare(s.Backend.Env, p.Src, key.ArgType, coll)
	return err
}

// indexColumn gives the index column that an index condition's left side names, 0 = none.
func indexColumn(e query.Expr) int {
	switch e := e.(type) {
	case *query.Var:
		if e.VarNo == query.IndexVar {
			return int(e.AttNo)
		}
	case *query.RelabelType:
		return indexColumn(e.Arg)
	}
	return 0
}

// bind evaluates the arguments. Afterwards k.empty says that nothing can match.
func (k *scanKeys) bind(ctx *expr.Context) error {
	k.empty = false
	for _, a := range k.args {
		d, err := a.eval(ctx)
		if err != nil {
			return err
		}
		key := &k.keys[a.key]
		switch {
		case a.member >= 0:
			key.Row[a.member].Arg = d
			if d.IsNull() && a.member == 0 {
				k.empty = true
			}
		case d.IsNull():
			k.empty = true
		case a.elem == nil:
			key.Arg = d
		default:
			if key.Array, err = types.ArrayElements(a.elem, d, key.Array[:0]); err != nil {
				return err
			}
		}
	}
	return nil
}
