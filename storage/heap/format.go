package heap

import (
	"fmt"

	"github.com/calfdb/calf/storage/page"
)

// Format gives a heap page as text, one line an item: for golden files, error dumps and calf inspect.
func Format(p []byte) string {
	base := page.XidBase(p)
	return page.Format(p, func(_ uint16, b []byte) string {
		if len(b) < headerSize+1 {
			return fmt.Sprintf("a tuple of %d bytes", len(b))
		}
		return header(b).format(base)
	})
}

func (h header) format(base uint64) string {
	s := fmt.Sprintf("xmin %d xmax %d cid %d ctid (%d,%d) %d cols hoff %d", h.xmin(base), h.xmax(base), h.cid(),
		h.ctid().Block, h.ctid().Off, h.natts(), h.hoff())
	mask, mask2 := h.infomask(), h.infomask2()
	for _, f := range []struct {
		on   bool
		name string
	}{
		{mask2&onlyTuple != 0, "heap-only"}, {mask2&hotUpdated != 0, "hot-updated"}, {mask2&keysUpdated != 0, "keys-updated"},
		{mask&updated != 0, "updated"}, {mask&comboCID != 0, "combo"}, {mask&hasNull != 0, "nulls"},
		{mask&hasExternal != 0, "external"}, {mask&xminFrozen == xminFrozen, "frozen"},
	} {
		if f.on {
			s += " " + f.name
		}
	}
	return s
}
