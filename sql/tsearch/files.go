package tsearch

import (
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

//go:embed data
var builtinFiles embed.FS

// DataDir is a directory in which dictionaries' files are looked for before the built-in ones; "" = none. It is set before the first session.
var DataDir string

// configFile is a file of a dictionary.
type configFile struct {
	name string
	line int
	rest string
	text string // of the line, without its end
}

// openFile reads a dictionary's file; what names it in errors.
func openFile(base, extension, what string) (*configFile, error) {
	if strings.Trim(base, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "invalid text search configuration file name \"%s\"", base)
	}
	name := base + "." + extension
	path := filepath.Join(DataDir, name)
	err := error(fs.ErrNotExist)
	var b []byte
	if DataDir != "" {
		b, err = os.ReadFile(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if b, err = builtinFiles.ReadFile("data/" + name); err != nil {
			err = syscall.ENOENT
		}
	}
	if err != nil {
		reason := err.Error()
		if e := (*os.PathError)(nil); errors.As(err, &e) {
			reason = e.Err.Error()
		}
		return nil, pgerr.New(pgerr.ConfigFileError, "could not open %s file \"%s\": %s", what, path, strings.ToUpper(reason[:1])+reason[1:])
	}
	return &configFile{name: path, rest: string(b)}, nil
}

// next reads a line; false at the end.
func (f *configFile) next() (string, bool, error) {
	if f.rest == "" {
		return "", false, nil
	}
	f.line++
	f.text, f.rest, _ = strings.Cut(f.rest, "\n")
	if err := types.CheckUTF8([]byte(f.text)); err != nil {
		return "", false, pgerr.From(err).WithContext("line %d of configuration file \"%s\"", f.line, f.name)
	}
	return f.text, true, nil
}

// fail words an error at the current line.
func (f *configFile) fail(code pgerr.Code, format string, args ...any) error {
	return pgerr.New(code, format, args...).WithContext("line %d of configuration file \"%s\": \"%s\"", f.line, f.name, f.text+"\n")
}

func (f *configFile) bad(format string, args ...any) error {
	return f.fail(pgerr.ConfigFileError, format, args...)
}

// stopWords reads a list of stop words.
func stopWords(base string, ctypeC bool) (map[string]bool, error) {
	list := map[string]bool{}
	if base == "" {
		return list, nil
	}
	f, err := openFile(base, "stop", "stop-word")
	if err != nil {
		return nil, err
	}
	for {
		line, ok, err := f.next()
		if err != nil || !ok {
			return list, err
		}
		if end := strings.IndexFunc(line, isSpace); end >= 0 {
			line = line[:end]
		}
		if line != "" {
			list[lower(line, ctypeC)] = true
		}
	}
}
