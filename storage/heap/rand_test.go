package heap

import "math/rand/v2"

func randV2(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }
