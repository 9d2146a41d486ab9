package hash

import (
	"math"
	"math/bits"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
)

// The metapage's contents, as PostgreSQL's HashMetaPageData.
const (
	metaBlock = 0

	offMagic     = page.HeaderSize
	offVersion   = offMagic + 4
	offNTuples   = offMagic + 8
	offFfactor   = offMagic + 16
	offBsize     = offMagic + 18
	offBmsize    = offMagic + 20
	offBmshift   = offMagic + 22
	offMaxBucket = offMagic + 24
	offHighMask  = offMagic + 28
	offLowMask   = offMagic + 32
	offOvflPoint = offMagic + 36
	offFirstFree = offMagic + 40
	offNMaps     = offMagic + 44
	offProc      = offMagic + 48
	offSpares    = offMagic + 52
	offMapp      = offSpares + 4*maxSplitpoints
	metaEnd      = page.HeaderSize + (offMapp+4*maxBitmaps-page.HeaderSize+7)&^7

	metaMagic   = 0x6440640
	metaVersion = 4
	pageBytes   = page.Size - page.HeaderSize - specialSize // hashm_bsize
)

// meta is an immutable copy of the metapage. The present one is in shared.meta: it is replaced under the metapage's latch, after the Apply, so under
// that latch it is the metapage.
type meta struct {
	ffactor                      int
	maxBucket, highMask, lowMask uint32
	ovflPoint, firstFree         uint32
	threshold                    int64 // count above which the next bucket is due
	spares                       [maxSplitpoints]uint32
	mapp                         []uint32 // blocks of the bitmap pages; shared between copies, only appended to
}

// bucket maps a hash code to its bucket.
func (m *meta) bucket(h uint32) uint32 {
	b := h & m.highMask
	if b > m.maxBucket {
		b &= m.lowMask
	}
	return b
}

// block is where a bucket's primary page is.
func (m *meta) block(bucket uint32) uint32 {
	if bucket == 0 {
		return 1
	}
	return bucket + m.spares[spareIndex(bucket+1)-1] + 1
}

// overflowBlock is where the overflow (or bitmap) page of a bit is.
func (m *meta) overflowBlock(bit uint32) uint32 {
	bit++
	i := uint32(1)
	for i < m.ovflPoint && bit > m.spares[i] {
		i++
	}
	return totalBuckets(i) + bit
}

// overflowBit is the bit of an overflow page's block. ok = false for a block that is none.
func (m *meta) overflowBit(block uint32) (bit uint32, ok bool) {
	for i := uint32(1); i <= m.ovflPoint && block > totalBuckets(i); i++ {
		if bit = block - totalBuckets(i); bit > m.spares[i-1] && bit <= m.spares[i] {
			return bit - 1, true
		}
	}
	return 0, false
}

// overflowPages counts the overflow pages ever made, bitmap pages among them.
func (m *meta) overflowPages() uint32 { return m.spares[m.ovflPoint] }

// end is the first block behind all that are allocated.
func (m *meta) end() uint32 { return totalBuckets(m.ovflPoint) + m.overflowPages() + 1 }

// newBucketOf is the bucket that a bucket being split is split into.
func (m *meta) newBucketOf(old uint32) uint32 {
	if b := old | (m.lowMask + 1); b <= m.maxBucket {
		return b
	}
	return old | (m.lowMask>>1 + 1)
}

func (m *meta) setThreshold() { m.threshold = int64(m.ffactor) * (int64(m.maxBucket) + 1) }

// addBucket makes the next bucket one of m's. When it begins a phase, the phase's pages are those behind the present end.
func (m *meta) addBucket() {
	bucket := m.maxBucket + 1
	if phase := spareIndex(bucket + 1); phase > m.ovflPoint {
		m.spares[phase] = m.spares[m.ovflPoint]
		m.ovflPoint = phase
	}
	m.maxBucket = bucket
	if bucket > m.highMask {
		m.lowMask = m.highMask
		m.highMask = bucket | m.lowMask
	}
	m.setThreshold()
}

// newMeta is the metapage of an index with n buckets and one bitmap page behind them.
func newMeta(n uint32, ffactor int) *meta {
	m := &meta{ffactor: ffactor, maxBucket: n - 1, highMask: 1<<bits.Len32(n) - 1, ovflPoint: spareIndex(n), mapp: []uint32{n + 1}}
	m.lowMask = m.highMask >> 1
	m.spares[m.ovflPoint] = 1
	m.setThreshold()
	return m
}

// write makes a page the metapage of m.
func (m *meta) write(e *page.Edit, count int64, proc uint32) {
	initPage(e, noBlock, noBlock, noBucket, flagMeta)
	var b [metaEnd - offMagic]byte
	put32 := func(off int, v uint32) { le.PutUint32(b[off-offMagic:], v) }
	put16 := func(off int, v uint16) { le.PutUint16(b[off-offMagic:], v) }
	put32(offMagic, metaMagic)
	put32(offVersion, metaVersion)
	le.PutUint64(b[offNTuples-offMagic:], math.Float64bits(float64(count)))
	put16(offFfactor, uint16(m.ffactor))
	put16(offBsize, pageBytes)
	put16(offBmsize, bitmapBytes)
	put16(offBmshift, bitmapShift)
	put32(offMaxBucket, m.maxBucket)
	put32(offHighMask, m.highMask)
	put32(offLowMask, m.lowMask)
	put32(offOvflPoint, m.ovflPoint)
	put32(offFirstFree, m.firstFree)
	put32(offNMaps, uint32(len(m.mapp)))
	put32(offProc, proc)
	for i, n := range m.spares {
		put32(offSpares+4*i, n)
	}
	for i, n := range m.mapp {
		put32(offMapp+4*i, n)
	}
	e.Patch(offMagic, b[:])
	e.Put16(page.OffLower, metaEnd)
}

// edit changes the metapage from old to m.
func (m *meta) edit(e *page.Edit, old *meta, count int64) {
	e.Put64(offNTuples, math.Float64bits(float64(count)))
	put := func(off int, was, is uint32) {
		if was != is {
			e.Put32(off, is)
		}
	}
	put(offMaxBucket, old.maxBucket, m.maxBucket)
	put(offHighMask, old.highMask, m.highMask)
	put(offLowMask, old.lowMask, m.lowMask)
	put(offOvflPoint, old.ovflPoint, m.ovflPoint)
	put(offFirstFree, old.firstFree, m.firstFree)
	put(offNMaps, uint32(len(old.mapp)), uint32(len(m.mapp)))
	for i := min(old.ovflPoint, m.ovflPoint); i <= m.ovflPoint; i++ {
		put(offSpares+4*int(i), old.spares[i], m.spares[i])
	}
	for i := len(old.mapp); i < len(m.mapp); i++ {
		e.Put32(offMapp+4*i, m.mapp[i])
	}
}

// readMeta copies the metapage p, which passed checkPage.
func (ix *Index) readMeta(p []byte) (*meta, error) {
	if le.Uint32(p[offMagic:]) != metaMagic {
		return nil, pgerr.New(pgerr.IndexCorrupted, "index \"%s\" is not a hash index", ix.def.Name)
	}
	if le.Uint32(p[offVersion:]) != metaVersion {
		return nil, pgerr.New(pgerr.IndexCorrupted, "index \"%s\" has wrong hash version", ix.def.Name).WithHint("Please REINDEX it.")
	}
	m := &meta{ffactor: int(le.Uint16(p[offFfactor:])), maxBucket: le.Uint32(p[offMaxBucket:]), highMask: le.Uint32(p[offHighMask:]),
		lowMask: le.Uint32(p[offLowMask:]), ovflPoint: le.Uint32(p[offOvflPoint:]), firstFree: le.Uint32(p[offFirstFree:])}
	nmaps := le.Uint32(p[offNMaps:])
	if nmaps == 0 || nmaps > maxBitmaps || m.ovflPoint >= maxSplitpoints || m.ffactor == 0 || m.maxBucket > maxBucketLimit ||
		m.ovflPoint != spareIndex(m.maxBucket+1) || m.highMask&(m.highMask+1) != 0 || m.highMask < m.maxBucket || m.lowMask != m.highMask>>1 ||
		m.lowMask > m.maxBucket || le.Uint16(p[offBmshift:]) != bitmapShift {
		return nil, ix.corrupted(metaBlock)
	}
	for i := range m.spares {
		m.spares[i] = le.Uint32(p[offSpares+4*i:])
	}
	for i := range nmaps {
		m.mapp = append(m.mapp, le.Uint32(p[offMapp+4*int(i):]))
	}
	m.setThreshold()
	return m, nil
}
