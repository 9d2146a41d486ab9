package heap

import "sync"

// freeSpace is the free space map of a fork, in memory: a category of 32 bytes each for every block, under two levels of maxima. Vacuum
// rebuilds it, inserts that find a page full correct it. It may be wrong: whoever takes a page from it looks at the page. After a start
// it is empty, and inserts go to the end until vacuum has passed.
type freeSpace struct {
	mu    sync.Mutex
	cats  []uint8 // by block
	group []uint8 // maximum of fsmGroup cats
	super []uint8 // maximum of fsmGroup groups
	next  uint32  // where the next search begins, so that inserters spread
}

const (
	fsmGroup = 64
	fsmUnit  = 32 // bytes a category
)

// set records that block has free bytes.
func (f *freeSpace) set(block uint32, free int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cat := uint8(min(free/fsmUnit, 255))
	if int(block) >= len(f.cats) {
		if cat == 0 {
			return
		}
		f.grow(int(block) + 1)
	}
	f.cats[block] = cat
	f.fix(int(block) / fsmGroup)
}

func (f *freeSpace) grow(blocks int) {
	blocks = (blocks + fsmGroup - 1) / fsmGroup * fsmGroup
	f.cats = append(f.cats, make([]uint8, blocks-len(f.cats))...)
	if n := blocks/fsmGroup - len(f.group); n > 0 {
		f.group = append(f.group, make([]uint8, n)...)
	}
	if n := (len(f.group)+fsmGroup-1)/fsmGroup - len(f.super); n > 0 {
		f.super = append(f.super, make([]uint8, n)...)
	}
}

// fix recomputes the maxima over group g.
func (f *freeSpace) fix(g int) {
	f.group[g] = maxOf(f.cats, g)
	f.super[g/fsmGroup] = maxOf(f.group, g/fsmGroup)
}

func maxOf(lower []uint8, i int) uint8 {
	m := uint8(0)
	for _, c := range lower[i*fsmGroup : min((i+1)*fsmGroup, len(lower))] {
		m = max(m, c)
	}
	return m
}

// find gives a block with at least need free bytes, as far as it knows.
func (f *freeSpace) find(need int) (block uint32, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cat := uint8(min((need+fsmUnit-1)/fsmUnit, 255))
	start := int(f.next) / fsmGroup
	for i := range f.group {
		g := (start + i) % len(f.group)
		if f.super[g/fsmGroup] < cat || f.group[g] < cat {
			continue
		}
		at := 0
		if i == 0 {
			at = int(f.next) % fsmGroup
		}
		for j := range fsmGroup {
			b := g*fsmGroup + (at+j)%fsmGroup
			if f.cats[b] >= cat {
				f.next = uint32(b) + 1
				if int(f.next) >= len(f.cats) {
					f.next = 0
				}
				return uint32(b), true
			}
		}
	}
	return 0, false
}

// truncate forgets the blocks from n on.
func (f *freeSpace) truncate(n uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for b := int(n); b < len(f.cats); b++ {
		f.cats[b] = 0
	}
	for g := range f.group {
		f.fix(g)
	}
	f.next = 0
}
