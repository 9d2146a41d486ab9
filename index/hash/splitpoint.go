package hash

import "math/bits"

// Bucket pages are allocated in groups that double the number of buckets, the larger groups in four phases (PostgreSQL
// src/backend/access/hash/README, "Page Addressing"). spares[s] counts the overflow pages made before the bucket pages of phase s+1.
const (
	phaseBits       = 2
	phaseMask       = 1<<phaseBits - 1
	onePhaseGroups  = 10
	maxGroups       = 32
	maxSplitpoints  = (maxGroups-onePhaseGroups)<<phaseBits + onePhaseGroups
	maxBitmaps      = 1024
	bitmapBytes     = 4096 // largest power of two that fits on a page
	bitmapShift     = 15   // log2 of the bits of a bitmap page
	bitmapMask      = 1<<bitmapShift - 1
	maxBucketLimit  = 0x7FFFFFFE
	maxStartBuckets = 0x40000000
)

// spareIndex is the phase in which the last of n buckets is allocated.
func spareIndex(n uint32) uint32 {
	group := uint32(bits.Len32(n - 1)) // ceiling of log2
	if group < onePhaseGroups {
		return group
	}
	return onePhaseGroups + (group-onePhaseGroups)<<phaseBits + (n-1)>>(group-phaseBits-1)&phaseMask
}

// totalBuckets is the number of buckets once a phase is allocated.
func totalBuckets(phase uint32) uint32 {
	if phase < onePhaseGroups {
		return 1 << phase
	}
	group := onePhaseGroups + (phase-onePhaseGroups)>>phaseBits
	before := uint32(1) << (group - 1)
	return before + before>>phaseBits*((phase-onePhaseGroups)&phaseMask+1)
}

// startBuckets is the number of buckets for n entries, a whole phase.
func startBuckets(n float64, perBucket int) uint32 {
	want := n / float64(perBucket)
	switch {
	case want <= 2:
		return 2
	case want >= maxStartBuckets:
		return maxStartBuckets
	}
	return totalBuckets(spareIndex(uint32(want)))
}

// oldBucketOf is the bucket that a bucket was split from.
func oldBucketOf(bucket uint32) uint32 { return bucket &^ (1 << (bits.Len32(bucket) - 1)) }
