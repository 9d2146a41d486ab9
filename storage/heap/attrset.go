package heap

// AttrSet is a set of attribute numbers (1-based; system columns are not members). The zero AttrSet is empty.
type AttrSet struct {
	bits []uint64
}

// Add puts attribute num into the set.
func (s *AttrSet) Add(num int16) {
	w := int(num) / 64
	for len(s.bits) <= w {
		s.bits = append(s.bits, 0)
	}
	s.bits[w] |= 1 << (uint(num) % 64)
}

// Has says whether attribute num is in the set.
func (s AttrSet) Has(num int16) bool {
	w := int(num) / 64
	return num > 0 && w < len(s.bits) && s.bits[w]&(1<<(uint(num)%64)) != 0
}

// IsEmpty says whether the set has no members.
func (s AttrSet) IsEmpty() bool {
	for _, w := range s.bits {
		if w != 0 {
			return false
		}
	}
	return true
}

// Intersects says whether s and t have a member in common.
func (s AttrSet) Intersects(t AttrSet) bool {
	for i := 0; i < min(len(s.bits), len(t.bits)); i++ {
		if s.bits[i]&t.bits[i] != 0 {
			return true
		}
	}
	return false
}

// Each calls fn with the members, ascending, until it answers false.
func (s AttrSet) Each(fn func(num int16) bool) {
	for w, bits := range s.bits {
		for b := 0; bits != 0; b++ {
			if bits&1 != 0 && !fn(int16(w*64+b)) {
				return
			}
			bits >>= 1
		}
	}
}
