package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Names of the configuration files in the data directory.
const (
	ConfFileName     = "postgresql.conf"
	AutoConfFileName = "postgresql.auto.conf"
	includeDepthMax  = 10
)

// ReadFiles reads postgresql.conf and postgresql.auto.conf of a data directory, includes followed. A missing file is empty.
func ReadFiles(dataDir string) ([]Entry, error) {
	var all []Entry
	for _, name := range []string{ConfFileName, AutoConfFileName} {
		entries, err := readFile(filepath.Join(dataDir, name), 0)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	return all, nil
}

func readFile(path string, depth int) ([]Entry, error) {
	if depth > includeDepthMax {
		return nil, fmt.Errorf("could not open configuration file %q: maximum nesting depth exceeded", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entries, err := ParseFile(path, string(text))
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, e := range entries {
		included, isInclude, err := include(path, e, depth)
		switch {
		case err != nil:
			return nil, err
		case isInclude:
			out = append(out, included...)
		default:
			out = append(out, e)
		}
	}
	return out, nil
}

// include follows the include directives, relative to the file that has them.
func include(from string, e Entry, depth int) (entries []Entry, isInclude bool, err error) {
	target := e.Value
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(from), target)
	}
	switch strings.ToLower(e.Name) {
	case "include":
		entries, err = readFile(target, depth+1)
	case "include_if_exists":
		if entries, err = readFile(target, depth+1); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	case "include_dir":
		names, globErr := filepath.Glob(filepath.Join(target, "*.conf"))
		if globErr != nil {
			return nil, true, globErr
		}
		sort.Strings(names)
		for _, name := range names {
			if strings.HasPrefix(filepath.Base(name), ".") {
				continue
			}
			more, err := readFile(name, depth+1)
			if err != nil {
				return nil, true, err
			}
			entries = append(entries, more...)
		}
	default:
		return nil, false, nil
	}
	return entries, true, err
}

// ParseFile reads the text of a configuration file: one `name = value` or `name value` a line, # comments, values in single quotes where
// they hold more than letters, digits and _.-:/ . Includes are returned as entries.
func ParseFile(file, text string) ([]Entry, error) {
	var out []Entry
	for i, line := range strings.Split(text, "\n") {
		e, ok, err := parseLine(line)
		if err != nil {
			return nil, pgerr.New(pgerr.SyntaxError, "syntax error in file \"%s\" line %d, %v", file, i+1, err)
		}
		if ok {
			e.File, e.Line = file, i+1
			out = append(out, e)
		}
	}
	return out, nil
}

func parseLine(line string) (e Entry, ok bool, err error) {
	line = strings.TrimLeft(line, " \t\r\f")
	if line == "" || line[0] == '#' {
		return Entry{}, false, nil
	}
	n := 0
	for n < len(line) && (isWord(line[n]) || line[n] == '.') {
		n++
	}
	if n == 0 {
		return Entry{}, false, fmt.Errorf("near token \"%s\"", firstToken(line))
	}
	e.Name = line[:n]
	rest := strings.TrimLeft(line[n:], " \t\r\f")
	if strings.HasPrefix(rest, "=") {
		rest = strings.TrimLeft(rest[1:], " \t\r\f")
	}
	value, rest, ok := cutValue(rest)
	if !ok {
		if rest == "" || rest[0] == '#' {
			return Entry{}, false, errors.New("near end of line")
		}
		return Entry{}, false, fmt.Errorf("near token \"%s\"", firstToken(rest))
	}
	rest = strings.TrimLeft(rest, " \t\r\f")
	if rest != "" && rest[0] != '#' {
		return Entry{}, false, fmt.Errorf("near token \"%s\"", firstToken(rest))
	}
	e.Value = value
	return e, true, nil
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func firstToken(s string) string {
	if i := strings.IndexAny(s, " \t\r\f"); i > 0 {
		return s[:i]
	}
	return s
}

// cutValue takes one value off s: quoted, or a run of harmless characters.
func cutValue(s string) (value, rest string, ok bool) {
	if strings.HasPrefix(s, "'") {
		return cutQuoted(s[1:])
	}
	n := 0
	for n < len(s) && (isWord(s[n]) || strings.IndexByte("-.:/+", s[n]) >= 0) {
		n++
	}
	return s[:n], s[n:], n > 0
}

// cutQuoted reads to the closing quote; ” is a quote, backslashes escape as in C strings.
func cutQuoted(s string) (value, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte('\'')
			i++
		case c == '\'':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			i += unescape(&b, s[i:]) - 1
		default:
			b.WriteByte(c)
		}
	}
	return "", "'" + s, false
}

// unescape writes what the escape at the start of s (after the backslash) stands for, and says how many bytes it took.
func unescape(b *strings.Builder, s string) int {
	if i := strings.IndexByte("bfnrt", s[0]); i >= 0 {
		b.WriteByte("\b\f\n\r\t"[i])
		return 1
	}
	n, v := 0, 0
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v = v*8 + int(s[n]-'0')
		n++
	}
	if n > 0 {
		b.WriteByte(byte(v))
		return n
	}
	b.WriteByte(s[0])
	return 1
}

// quoteValue writes a value in quotes.
func quoteValue(v string) string {
	return "'" + strings.NewReplacer("'", "''", "\\", "\\\\").Replace(v) + "'"
}
