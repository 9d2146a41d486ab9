package hba

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const includeDepthMax = 10

// tokenize cuts a line into fields at blanks, and a field into names at commas. Names may be quoted; # starts a comment.
func tokenize(line string) ([][]Name, error) {
	var fields [][]Name
	var field []Name
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == '#':
			i = len(line)
		case isBlank(c):
			i++
		default:
			n, end, err := cutName(line, i)
			if err != nil {
				return nil, err
			}
			if n.Text != "" || n.Quoted {
				field = append(field, n)
			}
			// A comma, with blanks after it, continues the field.
			for i = end; i < len(line) && line[i] == ','; i++ {
				for i+1 < len(line) && isBlank(line[i+1]) {
					i++
				}
				if i+1 < len(line) && line[i+1] != ',' {
					end = -1
				}
			}
			if end >= 0 && len(field) > 0 {
				fields = append(fields, field)
				field = nil
			}
		}
	}
	if len(field) > 0 {
		fields = append(fields, field)
	}
	return fields, nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// cutName reads one name from line[i:]; end is where it stops.
func cutName(line string, i int) (n Name, end int, err error) {
	var b strings.Builder
	quoted := false
	for ; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '"' && quoted && i+1 < len(line) && line[i+1] == '"':
			b.WriteByte('"')
			i++
			continue
		case c == '"':
			quoted = !quoted
			n.Quoted = true
			continue
		case !quoted && (isBlank(c) || c == ',' || c == '#'):
			n.Text = b.String()
			return n, i, nil
		}
		b.WriteByte(c)
	}
	if quoted {
		return n, i, fmt.Errorf("unterminated quoted string")
	}
	n.Text = b.String()
	return n, i, nil
}

// expand replaces @file by the names in that file.
func expand(dir string, names []Name, depth int) ([]Name, error) {
	var out []Name
	for _, n := range names {
		if n.Quoted || !strings.HasPrefix(n.Text, "@") || len(n.Text) == 1 {
			out = append(out, n)
			continue
		}
		if depth >= includeDepthMax {
			return nil, fmt.Errorf("could not open secondary authentication file \"%s\": maximum nesting depth exceeded", n.Text)
		}
		path := n.Text[1:]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("could not open secondary authentication file \"%s\": %w", n.Text, err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			fields, err := tokenize(line)
			if err != nil {
				return nil, err
			}
			for _, f := range fields {
				more, err := expand(dir, f, depth+1)
				if err != nil {
					return nil, err
				}
				out = append(out, more...)
			}
		}
	}
	return out, nil
}
