package page

import (
	"fmt"
	"strings"
)

// Format describes a page's header and line pointers, one a line; item, when not nil, describes the bytes behind one. Golden files, error dumps and
// calf inspect show it.
func Format(p []byte, item func(off uint16, tuple []byte) string) string {
	if IsNew(p) {
		return "new page\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "lower %d upper %d special %d flags%s base %d prune %d\n",
		Lower(p), Upper(p), SpecialStart(p), formatFlags(Flags(p)), XidBase(p), PruneXid(p))
	for off := uint16(1); off <= MaxOffset(p) && ItemOffset(off)+ItemIDSize <= Size; off++ {
		id := Item(p, off)
		fmt.Fprintf(&b, "%4d %s", off, formatItem(id))
		if item != nil && id.HasStorage() && id.Off()+id.Len() <= Size {
			b.WriteString(" " + item(off, ItemBytes(p, id)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func formatItem(id ItemID) string {
	switch id.State() {
	case Unused:
		return "unused"
	case Redirect:
		return fmt.Sprintf("-> %d", id.Off())
	case Dead:
		if !id.HasStorage() {
			return "dead"
		}
		return fmt.Sprintf("dead %d+%d", id.Off(), id.Len())
	}
	return fmt.Sprintf("%d+%d", id.Off(), id.Len())
}

func formatFlags(f uint16) string {
	s := ""
	for _, x := range []struct {
		bit  uint16
		name string
	}{{HasFreeLines, "free-lines"}, {Full, "full"}, {AllVisible, "all-visible"}} {
		if f&x.bit != 0 {
			s += " " + x.name
		}
	}
	if s == "" {
		return " none"
	}
	return s
}
