package pagestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
)

// Read reads a page into dst (page.Size bytes). A page that is not stored reads as zero with version 0.
func (s *Store) Read(id PageID, dst []byte) (Meta, error) {
	defer s.dieOnPanic()
	k := pageKey(id)
	v, closer, err := s.db.Get(k[:])
	if err != nil {
		clear(dst[:page.Size])
		if errors.Is(err, pebble.ErrNotFound) {
			return Meta{}, nil
		}
		return Meta{}, readError(id, err)
	}
	m, err := DecodePage(id, v, dst)
	if cerr := closer.Close(); err == nil && cerr != nil {
		err = readError(id, cerr)
	}
	return m, err
}

func readError(id PageID, err error) error {
	code := pgerr.IoError
	if pebble.IsCorruptionError(err) {
		code = pgerr.DataCorrupted
	}
	e := pgerr.New(code, "could not read %s", id)
	e.Cause = err
	return e
}

// ReadRange calls each for the stored pages among the n blocks from first on, in order, with their values for DecodePage. It is
// cheaper than n Reads from three pages on.
func (s *Store) ReadRange(first PageID, n uint32, each func(block uint32, value []byte) error) error {
	lo := pageKey(first)
	last := first
	last.Block += n
	hi := pageKey(last)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lo[:], UpperBound: hi[:]})
	if err != nil {
		return readError(first, err)
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		v, verr := it.ValueAndErr()
		if verr != nil {
			err = readError(first, verr)
			break
		}
		err = each(keyBlock(it.Key()), v)
	}
	if err == nil && it.Error() != nil {
		err = readError(first, it.Error())
	}
	return errors.Join(err, it.Close())
}

// NumBlocks returns 1 + the last stored block of a fork, 0 when none is stored. The buffer pool asks it once per relation and keeps count.
func (s *Store) NumBlocks(rel RelID, fork uint8) (uint32, error) {
	defer s.dieOnPanic()
	lo, hi := forkBounds(rel, fork)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return 0, readError(rel.Page(fork, 0), err)
	}
	n := uint32(0)
	if it.Last() {
		n = keyBlock(it.Key()) + 1
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return 0, readError(rel.Page(fork, 0), err)
	}
	return n, nil
}

// Count returns a relation's count. ok = false when none was ever set.
func (s *Store) Count(rel RelID) (n int64, ok bool, err error) {
	defer s.dieOnPanic()
	var k [forkKeyLen]byte
	putCountKey(k[:], rel)
	v, closer, err := s.db.Get(k[:])
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("reading the count of %s: %w", rel, err)
	}
	b, err := decodeSmall(nil, k[:], v)
	if err == nil && len(b) == 8 {
		n, ok = int64(le.Uint64(b)), true
	}
	return n, ok, errors.Join(err, closer.Close())
}

// Get appends a small key's value to dst. ok = false when there is none. The value of an Or key is its bits from offset 0,
// that of an Add key 8 bytes, little endian.
func (s *Store) Get(dst, key []byte) (value []byte, ok bool, err error) {
	defer s.dieOnPanic()
	v, closer, err := s.db.Get(appendSmallKey(nil, key))
	if errors.Is(err, pebble.ErrNotFound) {
		return dst, false, nil
	}
	if err != nil {
		return dst, false, fmt.Errorf("reading key %q: %w", key, err)
	}
	dst, err = decodeSmall(dst, key, v)
	return dst, err == nil, errors.Join(err, closer.Close())
}

// Scan calls each for all small keys with a prefix, ascending, until it returns an error, which Scan returns. The key (whole, with the prefix)
// and value are valid only during the call.
func (s *Store) Scan(prefix []byte, each func(key, value []byte) error) error {
	return s.ScanRange(prefix, nil, each)
}

// ScanRange is Scan from a key on: only keys with the prefix that are >= from.
func (s *Store) ScanRange(prefix, from []byte, each func(key, value []byte) error) error {
	lo := appendSmallKey(nil, prefix)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: successor(lo)})
	if err != nil {
		return fmt.Errorf("scanning keys %q: %w", prefix, err)
	}
	var buf []byte
	ok := false
	if from == nil {
		ok = it.First()
	} else {
		ok = it.SeekGE(appendSmallKey(nil, from))
	}
	for ; ok && err == nil; ok = it.Next() {
		v, verr := it.ValueAndErr()
		if verr != nil {
			err = verr
			break
		}
		key := it.Key()[1:]
		if buf, err = decodeSmall(buf[:0], key, v); err == nil {
			err = each(key, buf)
		}
	}
	return errors.Join(err, it.Error(), it.Close())
}
