package partition

import (
	"sort"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
)

// Conflict says why a new bound does not fit among the others.
type Conflict struct {
	With int // place in Parts of the partition that it overlaps, -1 = the range is empty
	Loc  int // in the statement's text
}

// Check looks whether a new partition's bound fits: nil when it does.
func (d *Desc) Check(b *query.PartitionBoundSpec, nameOf func(OID) string) (*Conflict, error) {
	if b.IsDefault {
		if d.Default >= 0 {
			return &Conflict{d.Default, b.Loc}, nil
		}
		return nil, nil
	}
	switch d.Key.Strategy {
	case Hash:
		return d.checkHash(b, nameOf)
	case List:
		return d.checkList(b), nil
	}
	return d.checkRange(b), nil
}

// checkHash: every modulus must be a factor of the next larger one.
func (d *Desc) checkHash(b *query.PartitionBoundSpec, nameOf func(OID) string) (*Conflict, error) {
	if len(d.mods) == 0 {
		return nil, nil
	}
	mod, rem := int(b.Modulus), int(b.Remainder)
	bad := func(what string, other hashPart) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, "every hash partition modulus must be a factor of the next larger modulus").
			WithDetail("The new modulus %d is not "+what+" %d, the modulus of existing partition \"%s\".", mod, other.modulus,
				nameOf(d.Parts[other.part].OID))
	}
	n := sort.Search(len(d.mods), func(i int) bool {
		m := d.mods[i]
		return m.modulus > mod || m.modulus == mod && m.remainder > rem
	})
	if n > 0 && mod%d.mods[n-1].modulus != 0 {
		return nil, bad("divisible by", d.mods[n-1])
	}
	if n < len(d.mods) && d.mods[n].modulus%mod != 0 {
		return nil, bad("a factor of", d.mods[n])
	}
	greatest := len(d.Index)
	for r := rem % greatest; ; r += mod {
		if d.Index[r] >= 0 {
			return &Conflict{d.Index[r], b.Loc}, nil
		}
		if r+mod >= greatest {
			return nil, nil
		}
	}
}

func (d *Desc) checkList(b *query.PartitionBoundSpec) *Conflict {
	for _, e := range b.List {
		c := e.(*query.Const)
		if c.Value.IsNull() {
			if d.Null >= 0 {
				return &Conflict{d.Null, c.Loc}
			}
			continue
		}
		if i, ok := d.FindValue(c.Value); ok {
			return &Conflict{d.Index[i], c.Loc}
		}
	}
	return nil
}

func (d *Desc) checkRange(b *query.PartitionBoundSpec) *Conflict {
	lower, upper := MakeBound(b.Lower, true), MakeBound(b.Upper, false)
	at := func(list []query.Expr, col int) int { return list[col].(*query.PartitionRangeDatum).Loc }
	if c, col := d.Key.CompareBounds(&lower, &upper); c >= 0 {
		return &Conflict{-1, at(b.Lower, col)}
	}
	// next is the first bound above the new lower one; when it ends a partition, the new one begins inside that. col is where the last bound
	// that was compared differs, which is what PostgreSQL points at.
	next, col := 0, 0
	for high := len(d.Bounds); next < high; {
		mid := (next + high) / 2
		c, first := d.Key.CompareBounds(&d.Bounds[mid], &lower)
		if col = first; c > 0 {
			high = mid
			continue
		}
		next = mid + 1
		if c == 0 {
			col = 0
			break
		}
	}
	if next < len(d.Index) && d.Index[next] >= 0 {
		return &Conflict{d.Index[next], at(b.Lower, col)}
	}
	if next < len(d.Bounds) {
		if c, col := d.Key.CompareBounds(&d.Bounds[next], &upper); c < 0 {
			return &Conflict{d.Index[next+1], at(b.Upper, col)}
		}
	}
	return nil
}
