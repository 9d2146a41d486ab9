package pagestore

import (
	"fmt"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func readFile(t *testing.T, fs vfs.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, fs vfs.FS, name string, b []byte) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
}

// damagedValue is long and does not compress, so that a store of few has several files.
func damagedValue(i int) []byte {
	b := make([]byte, 600)
	for j := range b {
		b[j] = byte((i*7919+j)*(j+i)>>3) ^ byte(i*31+j*17)
	}
	return b
}

const damageKeys = 600

// crashedStore gives a store with tables and logs as a crash leaves it, all of it synced.
func crashedStore(t *testing.T) *vfs.MemFS {
	t.Helper()
	mem := vfs.NewCrashableMem()
	s := openTest(t, Options{FS: mem, Dir: "db", SyncInterval: -1, MemTableSize: 128 << 10, MinFreeDisk: 1})
	for i := range damageKeys {
		c := s.NewChange()
		c.Set(fmt.Appendf(nil, "k%04d", i), damagedValue(i))
		s.Apply(c)
		c.Release()
		s.Sync()
		if i == damageKeys/2 {
			if err := s.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return mem.CrashClone(vfs.CrashCloneCfg{})
}

// lookAt opens the store and reads all of it. It returns why it was refused, and how many reads gave an error; a wrong or missing value is a failure.
func lookAt(t *testing.T, fs vfs.FS, what string) (refused error, failed int) {
	s, err := Open(Options{FS: fs, Dir: "db", SyncInterval: -1, MinFreeDisk: 1})
	if err != nil {
		return err, 0
	}
	defer s.Close()
	for i := range damageKeys {
		v, ok, err := s.Get(nil, fmt.Appendf(nil, "k%04d", i))
		switch {
		case err != nil:
			failed++
		case !ok || string(v) != string(damagedValue(i)):
			t.Fatalf("%s: value %d is wrong or missing (%v), and nobody says so", what, i, ok)
		}
	}
	return nil, failed
}

// TestDamagedFiles: whatever file of the store is missing or damaged, it refuses to open and says where, or reads give errors, or it was not needed;
// what was committed is never silently gone. Not here: the last log cut off, which looks like a crash.
func TestDamagedFiles(t *testing.T) {
	names, err := crashedStore(t).List("db")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	logs := 0
	for _, name := range names {
		if isLog(name) {
			logs++
		}
		for _, how := range []string{"removed", "emptied", "flipped"} {
			fs := crashedStore(t)
			full := fs.PathJoin("db", name)
			info, err := fs.Stat(full)
			if err != nil || info.IsDir() {
				continue
			}
			b := readFile(t, fs, full)
			if how == "emptied" && (isLog(name) || len(b) == 0) || how == "flipped" && len(b) < 100 {
				continue
			}
			if err := fs.Remove(full); err != nil {
				t.Fatal(err)
			}
			switch how {
			case "emptied":
				writeFile(t, fs, full, nil)
			case "flipped":
				b[60] ^= 4
				writeFile(t, fs, full, b)
			}
			what := name + " " + how
			refused, failed := lookAt(t, fs, what)
			switch {
			case refused != nil:
				outcomes["refused"]++
				if !strings.Contains(refused.Error(), "db") {
					t.Errorf("%s: %v does not say where", what, refused)
				}
				if isLog(name) && how == "removed" && !strings.Contains(refused.Error(), name) {
					t.Errorf("%s: %v", what, refused)
				}
			case failed > 0:
				outcomes["errors of reads"]++
			default:
				outcomes["not needed"]++
				if ext := path.Ext(name); (ext == ".sst" || ext == ".log") && how != "flipped" { // a flipped byte may be of a log that is done with
					t.Errorf("%s: nobody noticed", what)
				}
			}
		}
	}
	t.Log(outcomes)
	if logs < 2 || outcomes["refused"] == 0 {
		t.Errorf("%d logs, %v", logs, outcomes)
	}
}

// TestLedger: a line that a crash cut off counts as not written; any other damage is named; a store from before the ledger opens.
func TestLedger(t *testing.T) {
	name := "db/" + ledgerName
	for _, c := range []struct{ damage, want string }{
		{"+000", ""},
		{"", ""},
		{"+000777.log\n", "000777.log"},
		{"+000777.log\n-000777.log\n", ""},
		{"what\n", "is damaged"},
	} {
		fs := crashedStore(t)
		writeFile(t, fs, name+".new", append(readFile(t, fs, name), c.damage...))
		if err := fs.Rename(name+".new", name); err != nil {
			t.Fatal(err)
		}
		refused, failed := lookAt(t, fs, c.damage)
		if failed > 0 || (refused == nil) != (c.want == "") || refused != nil && !strings.Contains(refused.Error(), c.want) {
			t.Errorf("%q: %v, %d errors", c.damage, refused, failed)
		}
	}
	fs := crashedStore(t)
	if err := fs.Remove(name); err != nil {
		t.Fatal(err)
	}
	if refused, failed := lookAt(t, fs, "no ledger"); refused != nil || failed > 0 {
		t.Error(refused, failed)
	}
}
