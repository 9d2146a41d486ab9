package pagestore

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/storage/page"
)

const (
	bulkSmallPages = 64   // up to here a change through the log is cheaper than a table of its own
	bulkTablePages = 4096 // in one table: 32 MB before compression
	bulkLateBytes  = 4 << 20
)

// Bulk stores the pages of a fork that nobody else reads or writes yet, for index builds and relations new in this transaction: as sorted tables
// that are ingested, which costs a third of the way through the log. Each block is given once. Blocks that come in ascending order go into the
// tables; a straggler (an upper page of a btree, finished after the leaves behind it) goes through the log. Not for concurrent use.
type Bulk struct {
	s     *Store
	rel   RelID
	fork  uint8
	small *Change // the first pages, and stragglers
	count int     // pages in small

	w     *sstable.Writer
	pages int // in w
	last  int64
	paths []string
	value []byte
}

// NewBulk begins a bulk load.
func (s *Store) NewBulk(rel RelID, fork uint8) *Bulk {
	return &Bulk{s: s, rel: rel, fork: fork, small: s.NewChange(), last: -1}
}

// Add stores a block. The page is copied.
func (b *Bulk) Add(block uint32, p []byte) error {
	id, m := b.rel.Page(b.fork, block), Meta{Version: 1}
	if b.w == nil && len(b.paths) == 0 && b.count < bulkSmallPages || int64(block) <= b.last {
		b.small.Image(id, m, p)
		b.count++
		if b.small.Len() > bulkLateBytes {
			b.s.Apply(b.small)
			b.small.Reset()
		}
		return nil
	}
	if b.w == nil {
		if err := b.open(); err != nil {
			return err
		}
	}
	from, to := imageHole(p)
	n := imageLen(from, to)
	if cap(b.value) < n {
		b.value = make([]byte, imageHead+page.Size)
	}
	putImage(b.value[:n], m, p, from, to)
	k := pageKey(id)
	if err := b.w.Set(k[:], b.value[:n]); err != nil {
		return fmt.Errorf("bulk load of %s: %w", b.rel, err)
	}
	b.last = int64(block)
	if b.pages++; b.pages >= bulkTablePages {
		return b.closeTable()
	}
	return nil
}

func (s *Store) bulkDir() string { return path.Join(s.o.Dir, "bulk") }

func (b *Bulk) open() error {
	name := path.Join(b.s.bulkDir(), fmt.Sprintf("%d.sst", b.s.bulkSeq.Add(1)))
	if err := b.s.o.FS.MkdirAll(b.s.bulkDir(), 0o700); err != nil {
		return fmt.Errorf("bulk load of %s: %w", b.rel, err)
	}
	f, err := b.s.o.FS.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("bulk load of %s: %w", b.rel, err)
	}
	b.paths = append(b.paths, name)
	opts := b.s.pebbleOptions()
	opts.EnsureDefaults()
	b.w = sstable.NewWriter(objstorageprovider.NewFileWritable(f), opts.MakeWriterOptions(0, b.s.db.TableFormat()))
	b.pages = 0
	return nil
}

func (b *Bulk) closeTable() error {
	w := b.w
	b.w = nil
	if err := w.Close(); err != nil {
		return fmt.Errorf("bulk load of %s: %w", b.rel, err)
	}
	return nil
}

// Finish makes the pages readable. What was ingested is durable; the rest with the next Sync. The relation's pending key was applied before, so that
// pages whose transaction did not commit are swept.
func (b *Bulk) Finish() error {
	defer b.end()
	if b.w != nil {
		if err := b.closeTable(); err != nil {
			return err
		}
	}
	if len(b.paths) > 0 {
		b.s.Sync() // the tables must not be durable before the log that tells whose they are
		if err := b.s.db.Ingest(context.Background(), b.paths); err != nil {
			return fmt.Errorf("bulk load of %s: %w", b.rel, err)
		}
		b.paths = nil
	}
	b.s.Apply(b.small)
	return nil
}

// Abort ends the load without result. Pages that went through the log stay, until the relation is dropped.
func (b *Bulk) Abort() { b.end() }

// end releases what a load holds; a second time it does nothing.
func (b *Bulk) end() {
	if b.small == nil {
		return
	}
	b.small.Release()
	b.small = nil
	var errs []error
	if b.w != nil {
		errs = append(errs, b.w.Close())
		b.w = nil
	}
	for _, name := range b.paths {
		errs = append(errs, b.s.o.FS.Remove(name))
	}
	if err := errors.Join(errs...); err != nil {
		b.s.o.Logf("page store: cleaning up a bulk load: %v", err)
	}
}
