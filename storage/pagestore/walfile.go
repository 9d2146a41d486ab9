package pagestore

import (
	"errors"
	"path"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// walFS is the file system that Pebble gets. It writes down which logs there are (logLedger), and keeps room in the log's file ahead of the log's end.
//
// A sync of a file that has grown writes the file system's journal too, which takes about as long again as writing the data (ext4, measured: 130 µs
// against 60 µs); a sync of bytes overwritten in place does not. PostgreSQL overwrites its segments for this reason. Pebble reuses its logs, too, but
// only those that a flushed memtable has left, so not in the first minutes.
//
// Zeros behind the log's end are what a reader of a log expects there as well as what an earlier use has left (record.ErrZeroedChunk).
type walFS struct {
	vfs.FS
	ahead  int64 // bytes
	ledger *logLedger
}

// walAheadMax is how far the log's file is made longer at once. The sync that does it takes longer, about as long as writing so much.
const walAheadMax = 1 << 20

func newWALFS(fs vfs.FS, memTableSize uint64, ledger *logLedger) *walFS {
	return &walFS{FS: fs, ahead: int64(min(walAheadMax, memTableSize/4)), ledger: ledger}
}

func isLog(name string) bool { return path.Ext(name) == ".log" }

func (fs *walFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := fs.FS.Create(name, category)
	if err != nil || !isLog(name) {
		return f, err
	}
	fs.ledger.mu.Lock()
	defer fs.ledger.mu.Unlock()
	if err := fs.ledger.add(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &walFile{File: f, ahead: fs.ahead}, nil
}

func (fs *walFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	if !isLog(newname) {
		return fs.FS.ReuseForWrite(oldname, newname, category)
	}
	fs.ledger.mu.Lock()
	defer fs.ledger.mu.Unlock()
	if fs.ledger.has(oldname) {
		if err := fs.ledger.remove(oldname); err != nil {
			return nil, err
		}
	}
	f, err := fs.FS.ReuseForWrite(oldname, newname, category)
	if err != nil {
		return nil, err
	}
	if err := fs.ledger.add(newname); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w := &walFile{File: f, ahead: fs.ahead}
	if info, err := f.Stat(); err == nil {
		w.size = info.Size()
	}
	return w, nil
}

func (fs *walFS) Remove(name string) error {
	if isLog(name) {
		fs.ledger.mu.Lock()
		defer fs.ledger.mu.Unlock()
		if fs.ledger.has(name) {
			if err := fs.ledger.remove(name); err != nil {
				return err
			}
		}
	}
	return fs.FS.Remove(name)
}

// Unwrap gives the file system below.
func (fs *walFS) Unwrap() vfs.FS { return fs.FS }

// walFile is a log that is written. One goroutine of Pebble writes and syncs it.
type walFile struct {
	vfs.File
	ahead   int64
	written int64
	size    int64 // the file's, if that is more
}

// zeros is what a log is made longer with.
var zeros [64 << 10]byte

func (f *walFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.written += int64(n)
	return n, err
}

func (f *walFile) Sync() error {
	f.extend()
	return f.File.Sync()
}

func (f *walFile) SyncData() error {
	f.extend()
	return f.File.SyncData()
}

// extend makes the file longer when the log has almost reached its end. It is done by syncs, not by writes: a bulk load would write twice as much
// and has nothing of it. An error (the disk is full) is none here: if the log has no room either, its write says so.
func (f *walFile) extend() {
	if f.ahead == 0 || f.size-f.written >= f.ahead/8 {
		return
	}
	from := max(f.size, f.written)
	to := f.written + f.ahead
	for from < to {
		n, err := f.File.WriteAt(zeros[:min(int64(len(zeros)), to-from)], from)
		from += int64(n)
		if err != nil {
			f.ahead = 0
			break
		}
	}
	f.size = from
}
