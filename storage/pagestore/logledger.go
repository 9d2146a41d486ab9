package pagestore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logLedger is a file beside the store's that names the logs there must be. Pebble replays the logs that it finds: without the ledger, one that is
// missing would be transactions that are missing, and nobody would notice.
//
// It is text that is appended to: +NAME when a log has come into being, -NAME before one goes. Each line is durable before what depends on it: a log is
// named before its first record is written, and no more named before its file is removed or renamed. A crash in between leaves a log that is not
// named, which holds nothing or is no longer needed.
type logLedger struct {
	fs   vfs.FS
	dir  string
	mu   sync.Mutex
	live map[string]bool
	file vfs.File // nil until the first line is written, when Pebble holds its lock
}

const ledgerName = "LOGS"

// openLedger reads the ledger, if there is one, and looks for the logs. It writes nothing.
func openLedger(fs vfs.FS, dir string) (*logLedger, error) {
	l := &logLedger{fs: fs, dir: dir, live: map[string]bool{}}
	name := fs.PathJoin(dir, ledgerName)
	f, err := fs.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break // a crash cut it off, or it is the end
		}
		if len(line) < 2 || line[0] != '+' && line[0] != '-' || !isLog(string(line[1:])) {
			return nil, fmt.Errorf("line %d of %s is damaged", n, name)
		}
		if log := string(line[1:]); line[0] == '+' {
			l.live[log] = true
		} else {
			delete(l.live, log)
		}
		text = rest
	}
	for log := range l.live {
		if _, err := fs.Stat(fs.PathJoin(dir, log)); err != nil {
			return nil, fmt.Errorf("a log that holds committed changes can't be read: %w", err)
		}
	}
	return l, nil
}

// has says whether the ledger names a log, by its path.
func (l *logLedger) has(name string) bool { return l.live[l.fs.PathBase(name)] }

// add names a log whose file has been made; remove names it no more.
func (l *logLedger) add(name string) error {
	if err := l.syncDir(); err != nil {
		return err
	}
	log := l.fs.PathBase(name)
	l.live[log] = true
	return l.write("+" + log + "\n")
}

func (l *logLedger) remove(name string) error {
	log := l.fs.PathBase(name)
	delete(l.live, log)
	return l.write("-" + log + "\n")
}

func (l *logLedger) write(line string) error {
	if l.file == nil {
		return l.begin()
	}
	if _, err := l.file.Write([]byte(line)); err != nil {
		return err
	}
	return l.file.Sync()
}

// begin writes the ledger anew.
func (l *logLedger) begin() error {
	temp := l.fs.PathJoin(l.dir, ledgerName+".tmp")
	f, err := l.fs.Create(temp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	var text []byte
	for log := range l.live {
		text = append(text, "+"+log+"\n"...)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = l.fs.Rename(temp, l.fs.PathJoin(l.dir, ledgerName))
	}
	if err == nil {
		err = l.syncDir()
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file = f
	return nil
}

func (l *logLedger) syncDir() error {
	d, err := l.fs.OpenDir(l.dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (l *logLedger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
