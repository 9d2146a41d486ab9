package pagestore

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// copyBatchBytes is the size at which CopyDB applies what it has gathered.
const copyBatchBytes = 4 << 20

// CopyDB copies all pages of database from to database to, for CREATE DATABASE. Nobody may write to either meanwhile. The copy is
// complete and durable when it returns; after an error or a crash the caller removes what is there with DropDB.
func (s *Store) CopyDB(from, to uint32) error {
	defer s.dieOnPanic()
	lo, hi := dbBounds(from)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: lo, UpperBound: hi})
	if err != nil {
		return fmt.Errorf("copying database %d: %w", from, err)
	}
	c := s.NewChange()
	defer c.Release()
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		var v []byte
		if v, err = it.ValueAndErr(); err == nil {
			c.copyPage(it.Key(), v, to)
		}
		if c.Len() > copyBatchBytes {
			s.Apply(c)
			c.Reset()
		}
	}
	if err := errors.Join(err, it.Error(), it.Close()); err != nil {
		return fmt.Errorf("copying database %d: %w", from, err)
	}
	s.Apply(c)
	s.Sync()
	return nil
}

// copyPage stores a page's value under another database.
func (c *Change) copyPage(key, value []byte, db uint32) {
	op := c.batch.SetDeferred(len(key), len(value))
	copy(op.Key, key)
	copy(op.Value, value)
	k := pageKey(PageID{DB: db})
	copy(op.Key[:5], k[:5])
	c.check(op.Finish())
}

// Checkpoint writes a consistent copy of the store into a new directory, sharing files by hard link where it can, for backup.
func (s *Store) Checkpoint(dir string) error {
	if err := s.db.Checkpoint(dir, pebble.WithFlushedWAL()); err != nil {
		return fmt.Errorf("checkpoint into %s: %w", dir, err)
	}
	return nil
}
