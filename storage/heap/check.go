package heap

import (
	"github.com/calfdb/calf/storage/page"
	"github.com/calfdb/calf/storage/pagestore"
)

// MaskHints takes what is not logged out of a heap page, for comparing memory with the store (buffer.Pool.Check).
func MaskHints(id pagestore.PageID, p []byte) {
	if id.Fork != pagestore.MainFork && id.Fork != toastFork || page.IsNew(p) {
		return
	}
	for off := uint16(1); off <= page.MaxOffset(p); off++ {
		if it, ok := normalItem(p, off); ok {
			at := it.Off() + offInfomask
			le.PutUint16(p[at:], le.Uint16(p[at:])&^hintBits)
		}
	}
}
