package pagestore

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// logSizes gives the sizes of the store's logs.
func logSizes(t *testing.T, fs vfs.FS, dir string) (sizes []int64) {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if isLog(name) {
			info, err := fs.Stat(fs.PathJoin(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, info.Size())
		}
	}
	return sizes
}

// TestLogIsOverwritten: in the steady state a sync finds the log's file as long as before, also in logs that are used again; and what is read back
// after a crash ends where the log did, not where its file does.
func TestLogIsOverwritten(t *testing.T) {
	mem := vfs.NewCrashableMem()
	const memTable = 256 << 10
	s := openTest(t, Options{FS: mem, Dir: "db", SyncInterval: -1, MemTableSize: memTable, MinFreeDisk: 1})
	const changes = 4000
	grown := 0
	var before int64
	for i := range changes {
		c := s.NewChange()
		c.Set([]byte{byte(i), byte(i >> 8)}, make([]byte, 200))
		s.Apply(c)
		c.Release()
		s.Sync()
		total := int64(0)
		for _, n := range logSizes(t, mem, "db") {
			total += n
		}
		if total > before {
			grown++
		}
		before = total
	}
	if grown > changes/100 {
		t.Errorf("%d of %d syncs made the log's file longer", grown, changes)
	}
	crashed := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rand.New(rand.NewPCG(1, 2))})
	r := openTest(t, Options{FS: crashed, Dir: "db", SyncInterval: -1, MinFreeDisk: 1})
	for i := range changes {
		if v, ok, err := r.Get(nil, []byte{byte(i), byte(i >> 8)}); err != nil || !ok || len(v) != 200 {
			t.Fatalf("change %d after the crash: %d bytes, %v, %v", i, len(v), ok, err)
		}
	}
}

// TestLogWithoutRoomAhead: a disk that is too full to make the log longer ahead of time is no reason to fail.
func TestLogWithoutRoomAhead(t *testing.T) {
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWriteAt {
			return errorfs.ErrInjected
		}
		return nil
	}))
	s := openTest(t, Options{FS: fs, SyncInterval: -1})
	for i := range byte(20) {
		c := s.NewChange()
		c.Set([]byte{i}, []byte{i})
		s.Apply(c)
		c.Release()
		s.Sync()
	}
	if v, ok, err := s.Get(nil, []byte{7}); err != nil || !ok || v[0] != 7 {
		t.Fatal(v, ok, err)
	}
}
