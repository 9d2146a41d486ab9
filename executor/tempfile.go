package executor

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/calfdb/calf/sql/pgerr"
)

// TempSpace makes the temporary files of one session and enforces temp_file_limit.
type TempSpace struct {
	Dir       string
	LimitFunc func() int64      // bytes; < 0 = none
	Report    func(bytes int64) // told of each file that is closed; nil = nobody asks
	used      int64
}

// tempFile is a spill file, deleted from its directory as soon as it is open.
type tempFile struct {
	space *TempSpace
	f     *os.File
	w     *bufio.Writer
	size  int64
}

func (s *TempSpace) create() (*tempFile, error) {
	f, err := os.CreateTemp(s.Dir, "pgsql_tmp")
	if err != nil {
		return nil, pgerr.New(pgerr.IoError, "could not create temporary file: %v", err)
	}
	os.Remove(f.Name())
	return &tempFile{space: s, f: f, w: bufio.NewWriterSize(f, 8<<10)}, nil
}

// writeRecord appends a length and the record.
func (t *tempFile) writeRecord(b []byte) error {
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(b)))
	n := int64(len(b) + 4)
	if limit := t.limit(); limit >= 0 && t.space.used+n > limit {
		return pgerr.New(pgerr.ConfigurationLimitExceeded, "temporary file size exceeds temp_file_limit (%dkB)", limit/1024)
	}
	t.size += n
	t.space.used += n
	if _, err := t.w.Write(head[:]); err != nil {
		return spillError(err)
	}
	if _, err := t.w.Write(b); err != nil {
		return spillError(err)
	}
	return nil
}

func (t *tempFile) limit() int64 {
	if t.space.LimitFunc == nil {
		return -1
	}
	return t.space.LimitFunc()
}

// flush makes what was written readable.
func (t *tempFile) flush() error {
	if err := t.w.Flush(); err != nil {
		return spillError(err)
	}
	return nil
}

func (t *tempFile) close() {
	if t == nil || t.f == nil {
		return
	}
	t.f.Close()
	t.f = nil
	t.space.used -= t.size
	if t.space.Report != nil {
		t.space.Report(t.size)
	}
}

// recordReader reads records from an offset on.
type recordReader struct {
	r   *bufio.Reader
	buf []byte
	pos int64 // offset of the next record
}

func (t *tempFile) reader(off int64, bufSize int) *recordReader {
	return &recordReader{r: bufio.NewReaderSize(io.NewSectionReader(t.f, off, 1<<62), bufSize), pos: off}
}

// next gives the next record, valid until the following call; io.EOF at the end.
func (r *recordReader) next() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r.r, head[:]); err != nil {
		if err == io.EOF {
			return nil, err
		}
		return nil, spillError(err)
	}
	n := int(binary.LittleEndian.Uint32(head[:]))
	if cap(r.buf) < n {
		r.buf = make([]byte, n+n/2)
	}
	b := r.buf[:n]
	if _, err := io.ReadFull(r.r, b); err != nil {
		return nil, spillError(err)
	}
	r.pos += int64(n + 4)
	return b, nil
}

func spillError(err error) error {
	return pgerr.New(pgerr.IoError, "could not use temporary file: %v", err)
}
