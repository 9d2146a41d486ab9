package pagestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/storage/page"
)

func openTest(t testing.TB, o Options) *Store {
	t.Helper()
	if o.FS == nil {
		o.FS = vfs.NewMem()
	}
	if o.Dir == "" {
		o.Dir = "db"
	}
	if o.MemTableSize == 0 {
		o.MemTableSize = 256 << 10
	}
	o.MinFreeDisk = 1
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !s.closed.Load() {
			if _, err := s.Check(5, nil); err != nil {
				t.Error(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// testPage returns a page whose content tells what it is.
func testPage(text string) []byte {
	p := make([]byte, page.Size)
	var e page.Edit
	e.Reset(p, true)
	page.Init(&e, 0)
	if _, err := page.AddItem(&e, []byte(text), 0, 0); err != nil {
		panic(err)
	}
	return p
}

func putPages(s *Store, rel RelID, fork uint8, from, to uint32, text string) {
	c := s.NewChange()
	defer c.Release()
	for b := from; b < to; b++ {
		c.Image(rel.Page(fork, b), Meta{Version: 1}, testPage(fmt.Sprint(text, b)))
	}
	s.Apply(c)
}

// wantPages checks which blocks of a fork are stored with a text and that those behind them are not.
func wantPages(t *testing.T, s *Store, rel RelID, fork uint8, n uint32, text string) {
	t.Helper()
	if got, err := s.NumBlocks(rel, fork); err != nil || got != n {
		t.Fatalf("%v has %d blocks, want %d (%v)", rel, got, n, err)
	}
	p := make([]byte, page.Size)
	for b := range n + 1 {
		m, err := s.Read(rel.Page(fork, b), p)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint(text, b); b < n && (m.Version == 0 || string(page.Tuple(p, 1)) != want) {
			t.Fatalf("%v block %d holds %q", rel, b, page.Tuple(p, 1))
		}
		if b == n && (m.Version != 0 || !page.IsNew(p)) {
			t.Fatalf("%v has a block %d", rel, b)
		}
	}
}

func TestPagesAndDeltas(t *testing.T) {
	s := openTest(t, Options{})
	id := PageID{1, 2, MainFork, 3}
	mem := testPage("x")
	c := s.NewChange()
	c.Image(id, Meta{Version: 1}, mem)
	s.Apply(c)
	var e page.Edit
	for v := uint64(2); v < 50; v++ {
		c.Reset()
		e.Reset(mem, false)
		if _, err := page.AddItem(&e, fmt.Append(nil, "row ", v), 0, 0); err != nil {
			t.Fatal(err)
		}
		c.Delta(id, v, e.Ops())
		s.Apply(c)
		got := make([]byte, page.Size)
		m, err := s.Read(id, got)
		if err != nil || m.Version != v || int(m.Deltas) != int(v)-1 || !bytes.Equal(got, mem) {
			t.Fatalf("version %d: %+v %v", v, m, err)
		}
		if v%13 == 0 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Release()
	if n, err := s.NumBlocks(RelID{1, 2}, MainFork); n != 4 || err != nil {
		t.Errorf("%d blocks (%v)", n, err)
	}
}

func TestSmallKeys(t *testing.T) {
	s := openTest(t, Options{})
	c := s.NewChange()
	c.Set([]byte("a/1"), []byte("one"))
	c.Set([]byte("a/2"), nil)
	c.Set([]byte("b"), []byte("bee"))
	c.Or([]byte("bits"), 3, []byte{0x10})
	c.Or([]byte("bits"), 0, []byte{0x01})
	c.Add([]byte("n"), 5)
	c.Add([]byte("n"), -7)
	s.Apply(c)
	c.Reset()
	c.Or([]byte("bits"), 3, []byte{0x02})
	c.Delete([]byte("b"))
	s.Apply(c)
	c.Release()

	get := func(key string) string {
		v, ok, err := s.Get(nil, []byte(key))
		return fmt.Sprintf("%x %v %v", v, ok, err)
	}
	for _, c := range []struct{ key, want string }{
		{"a/1", "6f6e65 true <nil>"},
		{"a/2", " true <nil>"},
		{"b", " false <nil>"},
		{"bits", "01000012 true <nil>"},
		{"n", "feffffffffffffff true <nil>"},
	} {
		if got := get(c.key); got != c.want {
			t.Errorf("%s: %s, want %s", c.key, got, c.want)
		}
	}
	var seen []string
	err := s.Scan([]byte("a/"), func(k, v []byte) error {
		seen = append(seen, fmt.Sprintf("%s=%s", k, v))
		return nil
	})
	if strings.Join(seen, " ") != "a/1=one a/2=" || err != nil {
		t.Error(seen, err)
	}
	stop := errors.New("stop")
	if err := s.ScanRange([]byte("a/"), []byte("a/2"), func(k, _ []byte) error {
		if string(k) != "a/2" {
			t.Errorf("scan from a/2 gave %s", k)
		}
		return stop
	}); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestDropTruncateCopy(t *testing.T) {
	s := openTest(t, Options{})
	small, big, vm := RelID{1, 10}, RelID{1, 11}, RelID{1, 12}
	putPages(s, small, MainFork, 0, 20, "small")
	putPages(s, small, VMFork, 0, 2, "vm")
	putPages(s, big, MainFork, 0, maxPointDeletes+10, "big")
	putPages(s, vm, MainFork, 0, 5, "other")

	if err := s.CopyDB(1, 7); err != nil {
		t.Fatal(err)
	}
	c := s.NewChange()
	defer c.Release()
	for _, rel := range []RelID{small, big} {
		if err := c.DropRel(rel); err != nil {
			t.Fatal(err)
		}
	}
	c.Truncate(vm, MainFork, 2, 5)
	s.Apply(c)
	wantPages(t, s, small, MainFork, 0, "")
	wantPages(t, s, small, VMFork, 0, "")
	wantPages(t, s, big, MainFork, 0, "")
	wantPages(t, s, vm, MainFork, 2, "other")

	wantPages(t, s, RelID{7, 10}, MainFork, 20, "small")
	wantPages(t, s, RelID{7, 10}, VMFork, 2, "vm")
	wantPages(t, s, RelID{7, 11}, MainFork, maxPointDeletes+10, "big")
	c.Reset()
	c.Truncate(RelID{7, 11}, MainFork, 3, maxPointDeletes+10)
	s.Apply(c)
	wantPages(t, s, RelID{7, 11}, MainFork, 3, "big")
	c.Reset()
	c.DropDB(7)
	s.Apply(c)
	wantPages(t, s, RelID{7, 12}, MainFork, 0, "")
	wantPages(t, s, vm, MainFork, 2, "other")
}

// TestCount: a relation's count is copied with its database and deleted with its pages, few or many.
func TestCount(t *testing.T) {
	s := openTest(t, Options{})
	rel := RelID{DB: 5, Rel: 9}
	read := func(rel RelID, want int64, wantOK bool) {
		t.Helper()
		if n, ok, err := s.Count(rel); n != want || ok != wantOK || err != nil {
			t.Errorf("%s: count %d, %v, %v", rel, n, ok, err)
		}
	}
	read(rel, 0, false)
	c := s.NewChange()
	defer c.Release()
	c.AddCount(rel, 3)
	c.AddCount(rel, -1)
	s.Apply(c)
	read(rel, 2, true)
	if n, err := s.NumBlocks(rel, MainFork); n != 0 || err != nil {
		t.Errorf("%d blocks, %v", n, err)
	}
	if err := s.CopyDB(5, 6); err != nil {
		t.Fatal(err)
	}
	read(RelID{DB: 6, Rel: 9}, 2, true)
	c.Reset()
	if err := c.DropRel(rel); err != nil {
		t.Fatal(err)
	}
	s.Apply(c)
	read(rel, 0, false)
	read(RelID{DB: 6, Rel: 9}, 2, true)
	if _, err := s.Check(5, nil); err != nil {
		t.Error(err)
	}
}

func TestBulk(t *testing.T) {
	for _, n := range []uint32{1, bulkSmallPages, bulkSmallPages + 50, bulkTablePages + bulkSmallPages + 10} {
		testBulk(t, n, false)
		testBulk(t, n, true)
	}
}

func testBulk(t *testing.T, n uint32, isTemp bool) {
	t.Helper()
	fs := vfs.NewMem()
	s := openTest(t, Options{FS: fs})
	if isTemp {
		var err error
		if s, err = s.Temp(); err != nil {
			t.Fatal(err)
		}
	}
	rel := RelID{1, 9}
	b := s.NewBulk(rel, MainFork)
	late := []uint32{}
	for block := range n {
		if block%50 == 49 { // these come late
			late = append(late, block)
			continue
		}
		if err := b.Add(block, testPage(fmt.Sprint("bulk", block))); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range late {
		if err := b.Add(block, testPage(fmt.Sprint("bulk", block))); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	b.Abort()
	wantPages(t, s, rel, MainFork, n, "bulk")

	// A load that is given up leaves no file.
	b = s.NewBulk(RelID{1, 10}, MainFork)
	for block := range n {
		if err := b.Add(block, testPage("x")); err != nil {
			t.Fatal(err)
		}
	}
	b.Abort()
	if names, _ := fs.List(s.bulkDir()); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

// TestBulkIsDurable: after Finish and a Sync a crash loses nothing of a load.
func TestBulkIsDurable(t *testing.T) {
	fs := vfs.NewCrashableMem()
	s := openTest(t, Options{FS: fs, SyncInterval: -1})
	rel, n := RelID{1, 9}, uint32(bulkSmallPages+200)
	b := s.NewBulk(rel, MainFork)
	for block := range n {
		if err := b.Add(block, testPage(fmt.Sprint("bulk", block))); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(); err != nil {
		t.Fatal(err)
	}
	s.Sync()
	after := openTest(t, Options{FS: fs.CrashClone(vfs.CrashCloneCfg{}), SyncInterval: -1})
	wantPages(t, after, rel, MainFork, n, "bulk")
}

func TestTempStore(t *testing.T) {
	fs := vfs.NewMem()
	s := openTest(t, Options{FS: fs})
	tmp, err := s.Temp()
	if err != nil {
		t.Fatal(err)
	}
	rel := RelID{1, 5}
	putPages(tmp, rel, MainFork, 0, 3, "tmp")
	tmp.Sync()
	wantPages(t, tmp, rel, MainFork, 3, "tmp")
	wantPages(t, s, rel, MainFork, 0, "")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s2 := openTest(t, Options{FS: fs})
	if tmp, err = s2.Temp(); err != nil {
		t.Fatal(err)
	}
	wantPages(t, tmp, rel, MainFork, 0, "")
}

func TestReopen(t *testing.T) {
	fs := vfs.NewMem()
	rel := RelID{1, 5}
	s := openTest(t, Options{FS: fs})
	putPages(s, rel, MainFork, 0, 3, "kept")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	s = openTest(t, Options{FS: fs})
	wantPages(t, s, rel, MainFork, 3, "kept")
	if _, err := Open(Options{FS: fs, Dir: "db"}); err == nil {
		t.Error("the store was opened twice")
	}
}

func TestRealDirectoryIsLocked(t *testing.T) {
	dir := t.TempDir()
	s := openTest(t, Options{FS: vfs.Default, Dir: dir})
	if _, err := Open(Options{Dir: dir}); err == nil {
		t.Error("the store was opened twice")
	}
	c := s.NewChange()
	c.Set([]byte("k"), []byte("v"))
	s.Apply(c)
	c.Release()
	s.Sync()
	if err := s.Checkpoint(dir + "/copy"); err != nil {
		t.Fatal(err)
	}
	s2 := openTest(t, Options{FS: vfs.Default, Dir: dir + "/copy"})
	if v, ok, err := s2.Get(nil, []byte("k")); string(v) != "v" || !ok || err != nil {
		t.Error("not in the backup:", v, ok, err)
	}
}

func TestForeignStoreIsRefused(t *testing.T) {
	fs := vfs.NewMem()
	db, err := pebble.Open("db", &pebble.Options{FS: fs, Merger: merger})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Set([]byte("x"), []byte("y"), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{FS: fs, Dir: "db"}); err == nil || !strings.Contains(err.Error(), "not calf's") {
		t.Error(err)
	}

	fs = vfs.NewMem()
	s := openTest(t, Options{FS: fs})
	if err := s.db.Set([]byte(formatKey), le.AppendUint32(nil, 99), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Options{FS: fs, Dir: "db"}); err == nil || !strings.Contains(err.Error(), "format") {
		t.Error(err)
	}
}

func TestAdmit(t *testing.T) {
	fs := vfs.NewMem()
	s := openTest(t, Options{FS: fs})
	s.o.MinFreeDisk = 1000
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 999, TotalBytes: 5000})
	s.admit.checkDisk()
	var e *pgerr.Error
	if err := s.Admit(nil, false); !errors.As(err, &e) || e.Code != pgerr.DiskFull {
		t.Errorf("full disk: %v", err)
	}
	if err := s.Admit(nil, true); err != nil {
		t.Errorf("the reserve is refused: %v", err)
	}
	fs.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1001, TotalBytes: 5000})
	s.admit.checkDisk()
	if err := s.Admit(nil, false); err != nil {
		t.Error(err)
	}

	s.admit.setStalled(true)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := s.Admit(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stalled: %v", err)
	}
	time.AfterFunc(time.Millisecond, func() { s.admit.setStalled(false) })
	if err := s.Admit(nil, false); err != nil {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	s, err := Open(Options{FS: vfs.NewMem(), Dir: "db", MemTableSize: 256 << 10, MinFreeDisk: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rel := RelID{1, 5}
	putPages(s, rel, MainFork, 0, 10, "x")
	c := s.NewChange()
	defer c.Release()
	c.Set([]byte("a"), nil)
	s.Apply(c)
	seen := 0
	st, err := s.Check(10, func(id PageID, p []byte) error {
		if id != rel.Page(MainFork, uint32(seen)) || string(page.Tuple(p, 1)) != fmt.Sprint("x", seen) {
			t.Errorf("page %d is %v", seen, id)
		}
		seen++
		return nil
	})
	if st != (CheckStats{Pages: 10, SmallKeys: 1}) || err != nil {
		t.Error(st, err)
	}

	c.Reset()
	bad := testPage("bad")
	bad[page.OffLower] = 3
	c.Image(rel.Page(MainFork, 2), Meta{Version: 1}, bad)
	c.Delta(rel.Page(MainFork, 4), 7, []byte{100, 0, 1, 0, 9})
	c.Delta(rel.Page(MainFork, 50), 1, []byte{100, 0, 1, 0, 9})
	s.Apply(c)
	if err := s.db.Set([]byte("zzz"), nil, pebble.NoSync); err != nil {
		t.Fatal(err)
	}
	_, err = s.Check(10, nil)
	for _, want := range []string{
		"block 2 of relation base/1/5: corrupted page pointers: lower = 3",
		"invalid page in block 4 of relation base/1/5",
		"invalid page in block 50 of relation base/1/5",
		`unknown key "zzz"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not reported: %s\nin %v", want, err)
		}
	}
}

// TestDamagedFile: a flipped bit in a table is an error of who reads the page, with SQLSTATE XX001; other pages are read.
func TestDamagedFile(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open(Options{FS: fs, Dir: "db", MemTableSize: 256 << 10, MinFreeDisk: 1})
	if err != nil {
		t.Fatal(err)
	}
	rel := RelID{1, 5}
	putPages(s, rel, MainFork, 0, 3000, "x")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List("db")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".sst") {
			b, err := fs.UnsafeGetFileDataBuffer("db/" + name)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/3] ^= 0x40
		}
	}
	if s, err = Open(Options{FS: fs, Dir: "db", MemTableSize: 256 << 10, MinFreeDisk: 1}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := make([]byte, page.Size)
	good, bad := 0, 0
	for b := range uint32(3000) {
		var e *pgerr.Error
		switch _, err := s.Read(rel.Page(MainFork, b), p); {
		case err == nil:
			good++
		case errors.As(err, &e) && e.Code == pgerr.DataCorrupted:
			bad++
		default:
			t.Fatal(err)
		}
	}
	if good < 2000 || bad == 0 {
		t.Errorf("%d good, %d bad", good, bad)
	}
	if _, err := s.Check(10, nil); err == nil {
		t.Error("Check finds nothing")
	}
}
