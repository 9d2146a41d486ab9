package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Check verifies what holds for every page: the header, that items lie between pd_upper and pd_special, aligned, without overlap, and that line pointers
// are well formed. A new (all zero) page is well formed. Access methods check the rest.
func Check(p []byte) error {
	if len(p) != Size {
		return fmt.Errorf("page of %d bytes", len(p))
	}
	if IsNew(p) {
		for i, b := range p {
			if b != 0 {
				return fmt.Errorf("new page has byte %#x at %d", b, i)
			}
		}
		return nil
	}
	if err := checkHeader(p); err != nil {
		return err
	}
	return checkItems(p)
}

func checkHeader(p []byte) error {
	l, u, s := Lower(p), Upper(p), SpecialStart(p)
	var errs []error
	if l < HeaderSize || l > u || u > s || s > Size || s != Align(s) || u != Align(u) || (l-HeaderSize)%ItemIDSize != 0 {
		errs = append(errs, fmt.Errorf("corrupted page pointers: lower = %d, upper = %d, special = %d", l, u, s))
	}
	if v := le.Uint16(p[OffPagesize:]); v != Size|LayoutVersion {
		errs = append(errs, fmt.Errorf("page size and version %#x", v))
	}
	if f := Flags(p); f&^(HasFreeLines|Full|AllVisible) != 0 {
		errs = append(errs, fmt.Errorf("unknown flags %#x", f))
	}
	return errors.Join(errs...)
}

func checkItems(p []byte) error {
	type span struct {
		off   uint16
		start int
		end   int
	}
	var spans []span
	n := MaxOffset(p)
	for off := uint16(1); off <= n; off++ {
		id := Item(p, off)
		if err := checkState(id, n); err != nil {
			return fmt.Errorf("item %d: %w", off, err)
		}
		if !id.HasStorage() {
			continue
		}
		s := span{off, id.Off(), id.Off() + id.Len()}
		if s.start < Upper(p) || s.end > SpecialStart(p) || s.start != Align(s.start) {
			return fmt.Errorf("item %d: %d bytes at %d, outside of %d to %d or not aligned", off, id.Len(), s.start, Upper(p), SpecialStart(p))
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; a.end > b.start {
			return fmt.Errorf("items %d and %d overlap", a.off, b.off)
		}
	}
	return nil
}

// checkState checks what a line pointer's state demands of its other fields.
func checkState(id ItemID, n uint16) error {
	switch id.State() {
	case Unused:
		if id != 0 {
			return fmt.Errorf("unused line pointer holds %#x", uint32(id))
		}
	case Normal:
		if id.Len() == 0 {
			return errors.New("normal line pointer without storage")
		}
	case Redirect:
		if id.Len() != 0 || id.Off() < 1 || id.Off() > int(n) {
			return fmt.Errorf("redirect to %d, length %d", id.Off(), id.Len())
		}
	}
	return nil
}
