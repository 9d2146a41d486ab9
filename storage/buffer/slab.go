//go:build !race

package buffer

import (
	"fmt"
	"syscall"
)

// allocSlab returns zeroed memory that the Go heap does not know: it costs the collector nothing and is resident only where it was touched.
func allocSlab(n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Sprintf("buffer: no memory for %d bytes of shared buffers: %v", n, err))
	}
	return b
}

func freeSlab(b []byte) { _ = syscall.Munmap(b) }
