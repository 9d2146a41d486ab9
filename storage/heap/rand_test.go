package heap

import (
	"math/rand/v2"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func randV2(seed int64) *rand.Rand { return rand.New(rand.NewPCG(uint64(seed), 1)) }

func newMemFS() vfs.FS { return vfs.NewMem() }
