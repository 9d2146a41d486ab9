package plan

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
)

// Catalog look-ups that cannot come back empty-handed. The plan depends on the functions that it looked at when they are not built in.

func (g *glob) relation(oid OID) *catalog.Relation {
	if r := g.rels[oid]; r != nil {
		return r
	}
	r := must(g.env.Catalog.Relation(oid))
	if r == nil {
		fail(pgerr.Internal("could not open relation with OID %d", oid))
	}
	g.rels[oid] = r
	g.invals[oid] = struct{}{}
	return r
}

const firstNormalOID OID = 16384

func (g *glob) proc(oid OID) *catalog.Proc {
	if p := g.procs[oid]; p != nil {
		return p
	}
	p := must(g.env.Catalog.Proc(oid))
	if p == nil {
		fail(pgerr.Internal("cache lookup failed for function %d", oid))
	}
	g.procs[oid] = p
	if oid >= firstNormalOID {
		g.funcs[oid] = struct{}{}
	}
	return p
}

func (g *glob) oper(oid OID) *catalog.Operator {
	if o := g.opers[oid]; o != nil {
		return o
	}
	o := must(g.env.Catalog.Operator(oid))
	if o == nil {
		fail(pgerr.Internal("cache lookup failed for operator %d", oid))
	}
	g.opers[oid] = o
	return o
}

// typ gives a type's row, nil when there is none.
func (g *glob) typ(oid OID) *catalog.Type { return must(g.env.Catalog.Type(oid)) }

func (g *glob) amOp(family, left, right OID, strategy int16) OID {
	return must(g.env.Catalog.AmOp(family, left, right, strategy))
}

func (g *glob) amOpsOf(op OID) []*catalog.AmOp { return must(g.env.Catalog.AmOpsOf(op)) }

// btree strategy numbers.
const (
	btLess         = 1
	btLessEqual    = 2
	btEqual        = 3
	btGreaterEqual = 4
	btGreater      = 5
)

// mergeFamilies gives the btree families in which op is an equality that merge joins may use.
func (g *glob) mergeFamilies(op OID) []OID {
	var fams []OID
	for _, a := range g.amOpsOf(op) {
		if a.AM == catalog.BTreeAM && a.Strategy == btEqual && a.Purpose == 's' {
			fams = append(fams, a.Family)
		}
	}
	return fams
}

// opInFamily gives op's row in a family, nil when it is not a member.
func (g *glob) opInFamily(op, family OID) *catalog.AmOp {
	for _, a := range g.amOpsOf(op) {
		if a.Family == family && a.Purpose == 's' {
			return a
		}
	}
	return nil
}

// orderingOp finds the btree family, input type and direction (< or >) of a sort operator.
func (g *glob) orderingOp(op OID) (family, typ OID, strategy int16, ok bool) {
	for _, a := range g.amOpsOf(op) {
		if a.AM == catalog.BTreeAM && (a.Strategy == btLess || a.Strategy == btGreater) && a.Left == a.Right {
			return a.Family, a.Left, a.Strategy, true
		}
	}
	return 0, 0, 0, false
}

// equalityForOrdering gives the equality that goes with a sort operator.
func (g *glob) equalityForOrdering(op OID) (eq OID, reverse bool) {
	fam, typ, strat, ok := g.orderingOp(op)
	if !ok {
		return 0, false
	}
	return g.amOp(fam, typ, typ, btEqual), strat == btGreater
}

// orderingForEquality gives a < operator compatible with an equality.
func (g *glob) orderingForEquality(eq OID, typ bool) OID {
	for _, a := range g.amOpsOf(eq) {
		if a.AM == catalog.BTreeAM && a.Strategy == btEqual {
			if op := g.amOp(a.Family, a.Left, a.Left, btLess); op != 0 {
				return op
			}
		}
	}
	return 0
}

// hashFamilyEquality says whether op is a hash equality.
func (g *glob) hashEquality(op OID) bool {
	for _, a := range g.amOpsOf(op) {
		if a.AM == catalog.HashAM && a.Strategy == 1 {
			return true
		}
	}
	return false
}

// equalitySameFamily says whether two equality operators agree on what equal means, by a family that holds both.
func (g *glob) equalitySameFamily(a, b OID) bool {
	if a == b {
		return true
	}
	for _, x := range g.amOpsOf(a) {
		if x.AM != catalog.BTreeAM && x.AM != catalog.HashAM {
			continue
		}
		for _, y := range g.amOpsOf(b) {
			if x.Family == y.Family {
				return true
			}
		}
	}
	return false
}

// hashJoinOps: the operator's left and right type's own equalities in a hash family it belongs to.
func (g *glob) hashSides(op OID) (left, right OID, ok bool) {
	for _, a := range g.amOpsOf(op) {
		if a.AM != catalog.HashAM || a.Strategy != 1 {
			continue
		}
		left = g.amOp(a.Family, a.Left, a.Left, 1)
		right = g.amOp(a.Family, a.Right, a.Right, 1)
		if left != 0 && right != 0 {
			return left, right, true
		}
	}
	return 0, 0, false
}

// opMergeable: op can be a merge join clause over this type of left input: array and record comparisons only if their parts can be.
func (g *glob) opMergeable(op, left OID) bool {
	o := g.oper(op)
	return o.CanMerge && len(g.mergeFamilies(op)) > 0 && g.partsComparable(op, left)
}

// opHashable: op can be a hash clause.
func (g *glob) opHashable(op, left OID) bool {
	o := g.oper(op)
	return o.CanHash && g.partsHashable(op, left)
}

const (
	arrayEqOp  OID = 1070
	recordEqOp OID = 2988
)

func (g *glob) partsComparable(op, left OID) bool {
	if op != arrayEqOp {
		return true
	}
	t := g.typ(left)
	if t == nil || t.Elem == 0 {
		return true
	}
	return must(g.env.Catalog.DefaultOpClass(catalog.BTreeAM, t.Elem)) != 0
}

func (g *glob) partsHashable(op, left OID) bool {
	switch op {
	case arrayEqOp:
		t := g.typ(left)
		return t == nil || t.Elem == 0 || must(g.env.Catalog.DefaultOpClass(catalog.HashAM, t.Elem)) != 0
	case recordEqOp:
		return false
	}
	return true
}

// memoEquality is the hashable equality of a type, 0 if there is none.
func (g *glob) memoEquality(typ OID) OID {
	class := must(g.env.Catalog.DefaultOpClass(catalog.HashAM, typ))
	if class == 0 {
		return 0
	}
	c := must(g.env.Catalog.OpClass(class))
	if c == nil {
		return 0
	}
	return g.amOp(c.Family, c.InType, c.InType, 1)
}

// defaultEquality is the equality of a type's default btree operator class, 0 if there is none.
func (g *glob) defaultEquality(typ OID) OID {
	class := must(g.env.Catalog.DefaultOpClass(catalog.BTreeAM, typ))
	if class == 0 {
		return 0
	}
	c := must(g.env.Catalog.OpClass(class))
	if c == nil {
		return 0
	}
	return g.amOp(c.Family, c.InType, c.InType, btEqual)
}
