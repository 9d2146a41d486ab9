package session

import (
	"bytes"
	"io"

	"github.com/calfdb/calf/sql/pgerr"
)

// copyLines takes COPY FROM's input apart into lines and fields. The formats are PostgreSQL's text and csv; copybinary.go has the third.
type copyLines struct {
	o    *copyOptions
	src  io.Reader
	buf  []byte
	pos  int // of the next byte
	end  int
	eof  bool
	line int64 // number of the line that was read last

	eol    eolKind
	fields []copyField
	text   []byte // bytes of unescaped fields
	raw    []byte // the line, for error contexts

	sizes  []int32 // of the fields of a binary row
	broken error   // what is wrong with the frame of the binary field that follows the last of fields
}

type eolKind uint8

const (
	eolUnknown eolKind = iota
	eolNL
	eolCR
	eolCRNL
)

// copyField is one field of a line.
type copyField struct {
	b      []byte
	null   bool
	quoted bool
}

func newCopyLines(o *copyOptions, src io.Reader) *copyLines {
	return &copyLines{o: o, src: src, buf: make([]byte, 64<<10)}
}

// fill reads more input behind what is there, keeping bytes from pos on.
func (c *copyLines) fill() error {
	if c.eof {
		return io.EOF
	}
	if c.pos > 0 {
		copy(c.buf, c.buf[c.pos:c.end])
		c.end -= c.pos
		c.pos = 0
	}
	if c.end == len(c.buf) {
		if len(c.buf) >= lineBytesMax {
			return pgerr.New(pgerr.ProgramLimitExceeded, "COPY line is too long")
		}
		bigger := make([]byte, 2*len(c.buf))
		copy(bigger, c.buf[:c.end])
		c.buf = bigger
	}
	n, err := c.src.Read(c.buf[c.end:])
	c.end += n
	if err == io.EOF {
		c.eof = true
		if n == 0 {
			return io.EOF
		}
		return nil
	}
	return err
}

const lineBytesMax = 1 << 30

// next reads a line into c.raw; false at the end of the data.
func (c *copyLines) next() (bool, error) {
	if c.o.csv {
		return c.nextCSV()
	}
	at := 0
	for {
		i := bytes.IndexByte(c.buf[c.pos+at:c.end], '\n')
		if i >= 0 {
			return c.takeLine(c.buf[c.pos:c.pos+at+i], at+i+1)
		}
		at = c.end - c.pos
		if err := c.fill(); err == io.EOF {
			if c.pos == c.end {
				return false, nil
			}
			return c.takeLine(c.buf[c.pos:c.end], c.end-c.pos)
		} else if err != nil {
			return false, err
		}
	}
}

// takeLine accepts a line without its newline; used is how far the input moves.
func (c *copyLines) takeLine(line []byte, used int) (bool, error) {
	c.line++
	c.pos += used
	hasCR := len(line) > 0 && line[len(line)-1] == '\r'
	if hasCR && (c.eol == eolUnknown || c.eol == eolCRNL) && !(len(line) > 1 && line[len(line)-2] == '\\' && !c.o.csv) {
		c.eol = eolCRNL
		line = line[:len(line)-1]
	} else if c.eol == eolUnknown {
		c.eol = eolNL
	}
	c.raw = line
	if string(line) == `\.` {
		c.drain()
		return false, nil
	}
	if !c.o.csv {
		return true, c.checkCR(line)
	}
	return true, nil
}

func (c *copyLines) checkCR(line []byte) error {
	for i, b := range line {
		if b == '\r' && (i == 0 || line[i-1] != '\\') {
			return pgerr.New(pgerr.BadCopyFileFormat, "literal carriage return found in data").WithHint("Use \"\\r\" to represent carriage return.")
		}
	}
	return nil
}

// drain reads what follows the end-of-data mark.
func (c *copyLines) drain() {
	for {
		c.pos = c.end
		if err := c.fill(); err != nil {
			return
		}
	}
}

// nextCSV reads a line, which goes on over newlines within quotes.
func (c *copyLines) nextCSV() (bool, error) {
	at, inQuote := 0, false
	newlines := int64(0)
	for {
		for ; c.pos+at < c.end; at++ {
			b := c.buf[c.pos+at]
			switch {
			case b == c.o.quote:
				inQuote = !inQuote
			case inQuote && b == c.o.escape && c.o.escape != c.o.quote:
				at++
			case b == '\n' && inQuote:
				if c.eol != eolUnknown {
					newlines++
				}
			case b == '\n':
				ok, err := c.takeLine(c.buf[c.pos:c.pos+at], at+1)
				c.line += newlines
				return ok, err
			}
		}
		if err := c.fill(); err == io.EOF {
			if c.pos == c.end {
				return false, nil
			}
			at = c.end - c.pos
			ok, err := c.takeLine(c.buf[c.pos:c.pos+at], at)
			c.line += newlines
			return ok, err
		} else if err != nil {
			return false, err
		}
	}
}

// split takes the line apart into c.fields.
func (c *copyLines) split() error {
	c.fields = c.fields[:0]
	c.text = c.text[:0]
	if cap(c.text) < len(c.raw) {
		c.text = make([]byte, 0, 2*len(c.raw))
	}
	if c.o.csv {
		return c.splitCSV()
	}
	line := c.raw
	for {
		i := bytes.IndexByte(line, c.o.delim)
		j := -1
		if i < 0 {
			j = bytes.IndexByte(line, '\\')
		} else {
			j = bytes.IndexByte(line[:i], '\\')
		}
		if j < 0 { // the common field: nothing to unescape
			field := line
			if i >= 0 {
				field = line[:i]
			}
			c.fields = append(c.fields, copyField{b: field, null: string(field) == c.o.null})
			if i < 0 {
				return nil
			}
			line = line[i+1:]
			continue
		}
		rest, more := c.unescape(line)
		if !more {
			return nil
		}
		line = rest
	}
}

// unescape reads one field with backslashes.
func (c *copyLines) unescape(line []byte) (rest []byte, more bool) {
	start := len(c.text)
	i := 0
	for i < len(line) && line[i] != c.o.delim {
		b := line[i]
		i++
		if b != '\\' || i == len(line) {
			c.text = append(c.text, b)
			continue
		}
		b = line[i]
		i++
		switch b {
		case 'b':
			b = '\b'
		case 'f':
			b = '\f'
		case 'n':
			b = '\n'
		case 'r':
			b = '\r'
		case 't':
			b = '\t'
		case 'v':
			b = '\v'
		case '0', '1', '2', '3', '4', '5', '6', '7':
			v := b - '0'
			for k := 0; k < 2 && i < len(line) && line[i] >= '0' && line[i] <= '7'; k++ {
				v = v<<3 | (line[i] - '0')
				i++
			}
			b = v
		case 'x':
			if i < len(line) && hexDigit(line[i]) >= 0 {
				v := hexDigit(line[i])
				i++
				if i < len(line) && hexDigit(line[i]) >= 0 {
					v = v<<4 | hexDigit(line[i])
					i++
				}
				b = byte(v)
			}
		}
		c.text = append(c.text, b)
	}
	// The null string is compared before unescaping.
	c.fields = append(c.fields, copyField{b: c.text[start:], null: string(line[:i]) == c.o.null})
	if i == len(line) {
		return nil, false
	}
	return line[i+1:], true
}

func hexDigit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b >= 'a' && b <= 'f':
		return int(b-'a') + 10
	case b >= 'A' && b <= 'F':
		return int(b-'A') + 10
	}
	return -1
}

func (c *copyLines) splitCSV() error {
	line, o := c.raw, c.o
	i := 0
	for {
		start, sawQuote, inQuote, rawStart := len(c.text), false, false, i
		for ; i < len(line); i++ {
			b := line[i]
			if inQuote {
				if b == o.escape && i+1 < len(line) && (line[i+1] == o.escape || line[i+1] == o.quote) {
					i++
					c.text = append(c.text, line[i])
				} else if b == o.quote {
					inQuote = false
				} else {
					c.text = append(c.text, b)
				}
				continue
			}
			if b == o.delim {
				break
			}
			if b == o.quote {
				sawQuote, inQuote = true, true
				continue
			}
			c.text = append(c.text, b)
		}
		if inQuote {
			return pgerr.New(pgerr.BadCopyFileFormat, "unterminated CSV quoted field")
		}
		c.fields = append(c.fields, copyField{b: c.text[start:], null: !sawQuote && string(line[rawStart:i]) == o.null, quoted: sawQuote})
		if i >= len(line) {
			return nil
		}
		i++
	}
}
