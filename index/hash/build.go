package hash

import (
	"bufio"
	"errors"
	"io"
	"os"

	"github.com/calfdb/calf/index"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/buffer"
	"github.com/calfdb/calf/storage/page"
)

// build makes an index: with the number of entries known it has its buckets at once, and no bucket is ever split.
type build struct {
	ix    *Index
	spool *spool
}

// NewBuild starts a build.
func (am *AM) NewBuild(def *index.Def, o index.BuildOptions) index.Build {
	return &build{ix: am.open(def), spool: newSpool(o)}
}

// Add adds the entry of a row, unless it is null.
func (b *build) Add(values types.Row, tid types.TID, _ bool) error {
	if values[0].IsNull() {
		return nil
	}
	return b.spool.add(entry{hash: b.ix.hash(values[0]), tid: tid})
}

// Abort ends a build without an index.
func (b *build) Abort() { b.spool.close() }

// Finish writes the index.
func (b *build) Finish() (st index.BuildStats, err error) {
	defer b.spool.close()
	ix := b.ix
	st.Tuples = b.spool.count
	rel, err := ix.openRel()
	if err != nil {
		return st, err
	}
	if rel.NumBlocks() != 0 {
		return st, pgerr.New(pgerr.IndexCorrupted, "index \"%s\" already contains data", ix.def.Name)
	}
	l := &loader{ix: ix, m: newMeta(startBuckets(float64(st.Tuples), ix.perBucket()), ix.perBucket()), out: rel.NewBulk(), dir: b.spool.dir}
	defer l.close()
	if err := l.load(b.spool); err != nil {
		return st, err
	}
	c := ix.am.pool.NewChange()
	defer c.Release()
	c.SetCount(rel, st.Tuples)
	ix.am.pool.Apply(c)
	st.Pages = rel.NumBlocks()
	return st, nil
}

// loader fills buckets with entries that come in the order of buckets. Primary pages go out as they are filled; overflow pages, which lie behind all of
// them, wait in a file.
type loader struct {
	ix     *Index
	m      *meta
	out    *buffer.Bulk
	bucket uint32
	fill   []entry // of the page being filled
	prev   uint32  // of the page being filled: its predecessor, or the stamp
	block  uint32
	buf    []byte
	e      page.Edit
	tuple  [entrySize]byte

	dir   string
	later *os.File
	w     *bufio.Writer
	count int // pages in later
}

func (l *loader) load(s *spool) error {
	l.buf = make([]byte, page.Size)
	for range l.m.maxBucket + 2 { // the metapage and the buckets
		l.out.Next()
	}
	l.begin(0)
	if err := s.each(l.m, l.add); err != nil {
		return err
	}
	for {
		if err := l.flush(noBlock); err != nil {
			return err
		}
		if l.bucket == l.m.maxBucket {
			break
		}
		l.begin(l.bucket + 1)
	}
	if err := l.copyLater(); err != nil {
		return err
	}
	l.e.Reset(l.buf, true)
	l.m.firstFree = l.m.overflowPages()
	l.m.write(&l.e, s.count, uint32(l.ix.def.Cols[0].HashProc))
	if err := l.out.Put(metaBlock, l.buf); err != nil {
		return err
	}
	return l.out.Finish()
}

func (l *loader) begin(bucket uint32) {
	l.bucket, l.block, l.prev, l.fill = bucket, l.m.block(bucket), l.m.maxBucket, l.fill[:0]
}

// add takes the next entry.
func (l *loader) add(e entry) error {
	for bucket := l.m.bucket(e.hash); l.bucket < bucket; l.begin(l.bucket + 1) {
		if err := l.flush(noBlock); err != nil {
			return err
		}
	}
	if len(l.fill) == maxEntries {
		next, err := l.nextOverflow()
		if err != nil {
			return err
		}
		if err := l.flush(next); err != nil {
			return err
		}
		l.prev, l.block, l.fill = l.block, next, l.fill[:0]
	}
	l.fill = append(l.fill, e)
	return nil
}

// nextOverflow gives the block of one more overflow page.
func (l *loader) nextOverflow() (uint32, error) {
	bit := l.m.overflowPages()
	if bit&bitmapMask == 0 {
		if len(l.m.mapp) >= maxBitmaps {
			return 0, pgerr.New(pgerr.ProgramLimitExceeded, "out of overflow pages in hash index \"%s\"", l.ix.def.Name)
		}
		l.m.mapp = append(l.m.mapp, l.m.overflowBlock(bit))
		l.m.spares[l.m.ovflPoint]++
		bit++
	}
	l.m.spares[l.m.ovflPoint]++
	return l.m.overflowBlock(bit), nil
}

// flush writes the page that was filled.
func (l *loader) flush(next uint32) error {
	l.e.Reset(l.buf, true)
	fl := uint16(flagBucket)
	isOverflow := l.block > l.m.maxBucket+1
	if isOverflow {
		fl = flagOverflow
	}
	initPage(&l.e, l.prev, next, l.bucket, fl)
	for i, e := range l.fill {
		off, err := page.AddItem(&l.e, e.put(&l.tuple), uint16(i+1), 0)
		if err != nil || off == 0 {
			return errors.Join(err, pgerr.Internal("failed to add an entry while building hash index \"%s\"", l.ix.def.Name))
		}
	}
	if !isOverflow {
		return l.out.Put(l.block, l.buf)
	}
	if l.later == nil {
		f, err := tempFile(l.dir)
		if err != nil {
			return err
		}
		l.later, l.w = f, bufio.NewWriterSize(f, 256<<10)
	}
	l.count++
	_, err := l.w.Write(l.buf)
	return err
}

// copyLater puts the bitmap and overflow pages behind the buckets.
func (l *loader) copyLater() error {
	var r io.Reader
	if l.later != nil {
		if err := l.w.Flush(); err != nil {
			return err
		}
		if _, err := l.later.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r = bufio.NewReaderSize(l.later, 256<<10)
	}
	for bit := range l.m.overflowPages() {
		block := l.out.Next()
		if bit&bitmapMask == 0 {
			l.e.Reset(l.buf, true)
			initBitmap(&l.e)
		} else if _, err := io.ReadFull(r, l.buf); err != nil {
			return err
		}
		if err := l.out.Put(block, l.buf); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) close() {
	l.out.Abort()
	if l.later != nil {
		_ = l.later.Close()
	}
}
