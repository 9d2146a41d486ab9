//go:build race

package buffer

import "github.com/calfdb/calf/storage/page"

// allocSlab allocates on the Go heap, where the race detector sees accesses.
func allocSlab(n int) []byte { return make([]byte, n+page.Size)[:n] }

func freeSlab([]byte) {}
