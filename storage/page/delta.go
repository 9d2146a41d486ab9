package page

import "errors"

// ErrBadDelta is a program that does not decode or reaches outside the page.
var ErrBadDelta = errors.New("malformed page delta")

// Replay runs a recorded program over a page of Size bytes. On error the page is in an undefined state.
func Replay(p []byte, ops []byte) error {
	if len(p) != Size {
		return ErrBadDelta
	}
	for len(ops) > 0 {
		n, err := replayOne(p, ops)
		if err != nil {
			return err
		}
		ops = ops[n:]
	}
	return nil
}

// replayOne runs the first operation of ops and returns its length.
func replayOne(p, ops []byte) (int, error) {
	if len(ops) < 5 {
		return 0, ErrBadDelta
	}
	head := int(le.Uint16(ops))
	off := head &^ opMask
	switch head & opMask {
	case opPatch:
		n := int(le.Uint16(ops[2:]))
		if n == 0 || off+n > Size || 4+n > len(ops) {
			return 0, ErrBadDelta
		}
		copy(p[off:off+n], ops[4:4+n])
		return 4 + n, nil
	case opMove:
		if len(ops) < 6 {
			return 0, ErrBadDelta
		}
		src, n := int(le.Uint16(ops[2:])), int(le.Uint16(ops[4:]))
		if off+n > Size || src+n > Size {
			return 0, ErrBadDelta
		}
		copy(p[off:off+n], p[src:src+n])
		return 6, nil
	case opFill:
		n := int(le.Uint16(ops[2:]))
		if off+n > Size {
			return 0, ErrBadDelta
		}
		fill(p[off:off+n], ops[4])
		return 5, nil
	}
	return 0, ErrBadDelta
}

// Hole returns the bounds of the unused middle of a page, [from, to); both 0 when the page has no valid header.
func Hole(p []byte) (from, to int) {
	l, u := Lower(p), Upper(p)
	if l < HeaderSize || l > u || u > SpecialStart(p) || SpecialStart(p) > Size {
		return 0, 0
	}
	return l, u
}
