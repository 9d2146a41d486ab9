package pagestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/calfdb/calf/storage/page"
)

// CheckStats counts what Check has seen.
type CheckStats struct {
	Pages, SmallKeys int
}

// Check reads the whole store and verifies that Pebble's tables are sound, that every key is one of ours, that every page can be rebuilt and is well
// formed, and that every small value can be read. each (may be nil) gets every page, for the checks of who owns it. At most maxErrors
// problems are reported, joined.
func (s *Store) Check(maxErrors int, each func(id PageID, p []byte) error) (st CheckStats, err error) {
	var errs []error
	note := func(err error) {
		if err != nil && len(errs) < maxErrors {
			errs = append(errs, err)
		}
	}
	if err := s.db.CheckLevels(nil); err != nil {
		note(fmt.Errorf("levels: %w", err))
	}
	it, err := s.db.NewIter(nil)
	if err != nil {
		return st, err
	}
	p := make([]byte, page.Size)
	for ok := it.First(); ok && len(errs) < maxErrors; ok = it.Next() {
		note(s.checkEntry(it, &st, p, each))
	}
	note(it.Error())
	note(it.Close())
	return st, errors.Join(errs...)
}

// checkEntry checks the key and value at which the iterator stands.
func (s *Store) checkEntry(it *pebble.Iterator, st *CheckStats, p []byte, each func(PageID, []byte) error) error {
	k := it.Key()
	v, err := it.ValueAndErr()
	switch {
	case err != nil:
		return fmt.Errorf("key %q: %w", k, err)
	case string(k) == formatKey:
		return nil
	case k[0] == prefixSmall:
		st.SmallKeys++
		_, err := decodeSmall(nil, k[1:], v)
		return err
	case k[0] == prefixPage && len(k) == forkKeyLen && k[forkKeyLen-1] == countFork:
		_, err := decodeSmall(nil, k, v)
		return err
	case k[0] != prefixPage || len(k) != pageKeyLen:
		return fmt.Errorf("unknown key %q", k)
	}
	st.Pages++
	id := keyPage(k)
	if _, err := DecodePage(id, v, p); err != nil {
		return err
	}
	if err := page.Check(p); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	if each == nil {
		return nil
	}
	return each(id, p)
}
