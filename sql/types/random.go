package types

import (
	"math/rand/v2"
	"sync"
)

// Random is the state of a session's random() and setseed().
type Random struct {
	mu sync.Mutex
	xoroshiro
	seeded bool
}

// xoroshiro is xoroshiro128**, the generator of PostgreSQL 15, so that setseed gives the same sequence.
type xoroshiro struct{ s0, s1 uint64 }

func rotl(x uint64, k uint) uint64 { return x<<k | x>>(64-k) }

func (x *xoroshiro) next() uint64 {
	s0 := x.s0
	sx := x.s1 ^ s0
	val := rotl(s0*5, 7) * 9
	x.s0 = rotl(s0, 24) ^ sx ^ (sx << 16)
	x.s1 = rotl(sx, 37)
	return val
}

// splitmix64 spreads a seed over the state.
func splitmix64(state *uint64) uint64 {
	*state += 0x9E3779B97f4A7C15
	v := *state
	v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9
	v = (v ^ (v >> 27)) * 0x94D049BB133111EB
	return v ^ (v >> 31)
}

func (x *xoroshiro) seed(seed uint64) {
	x.s0 = splitmix64(&seed)
	x.s1 = splitmix64(&seed)
	if x.s0 == 0 && x.s1 == 0 {
		x.s0, x.s1 = 0x5851F42D4C957F2D, 0x14057B7EF767814F
	}
}

// Float64 gives a number in [0, 1).
func (r *Random) Float64() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.seeded {
		r.s0, r.s1, r.seeded = rand.Uint64(), rand.Uint64()|1, true
	}
	return float64(r.next()>>(64-52)) / (1 << 52)
}

// Seed starts the sequence that setseed(v) starts, v in [-1, 1].
func (r *Random) Seed(v float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seed(uint64(int64(((1 << 52) - 1) * v)))
	r.seeded = true
}
