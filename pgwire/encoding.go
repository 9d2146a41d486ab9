package pgwire

import (
	"bytes"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/calfdb/calf/sql/pgerr"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// clientEncoding is one client_encoding that the server converts to and from its UTF-8.
type clientEncoding struct {
	name string // PostgreSQL's canonical name
	enc  encoding.Encoding
}

// clientEncodings is keyed by the name in lower case without punctuation, as PostgreSQL compares encoding names. A nil enc means that
// bytes pass unchanged.
var clientEncodings = map[string]clientEncoding{
	"utf8": {"UTF8", nil}, "unicode": {"UTF8", nil},
	"sqlascii": {"SQL_ASCII", nil},
	"latin1":   {"LATIN1", charmap.ISO8859_1}, "iso88591": {"LATIN1", charmap.ISO8859_1},
	"latin2": {"LATIN2", charmap.ISO8859_2}, "iso88592": {"LATIN2", charmap.ISO8859_2},
	"latin3": {"LATIN3", charmap.ISO8859_3}, "iso88593": {"LATIN3", charmap.ISO8859_3},
	"latin4": {"LATIN4", charmap.ISO8859_4}, "iso88594": {"LATIN4", charmap.ISO8859_4},
	"latin5": {"LATIN5", charmap.ISO8859_9}, "iso88599": {"LATIN5", charmap.ISO8859_9},
	"latin6": {"LATIN6", charmap.ISO8859_10}, "iso885910": {"LATIN6", charmap.ISO8859_10},
	"latin7": {"LATIN7", charmap.ISO8859_13}, "iso885913": {"LATIN7", charmap.ISO8859_13},
	"latin8": {"LATIN8", charmap.ISO8859_14}, "iso885914": {"LATIN8", charmap.ISO8859_14},
	"latin9": {"LATIN9", charmap.ISO8859_15}, "iso885915": {"LATIN9", charmap.ISO8859_15},
	"latin10": {"LATIN10", charmap.ISO8859_16}, "iso885916": {"LATIN10", charmap.ISO8859_16},
	"iso88595": {"ISO_8859_5", charmap.ISO8859_5}, "iso88596": {"ISO_8859_6", charmap.ISO8859_6},
	"iso88597": {"ISO_8859_7", charmap.ISO8859_7}, "iso88598": {"ISO_8859_8", charmap.ISO8859_8},
	"win866": {"WIN866", charmap.CodePage866}, "alt": {"WIN866", charmap.CodePage866},
	"win874":  {"WIN874", charmap.Windows874},
	"win1250": {"WIN1250", charmap.Windows1250}, "windows1250": {"WIN1250", charmap.Windows1250},
	"win1251": {"WIN1251", charmap.Windows1251}, "windows1251": {"WIN1251", charmap.Windows1251}, "win": {"WIN1251", charmap.Windows1251},
	"win1252": {"WIN1252", charmap.Windows1252}, "windows1252": {"WIN1252", charmap.Windows1252},
	"win1253": {"WIN1253", charmap.Windows1253}, "windows1253": {"WIN1253", charmap.Windows1253},
	"win1254": {"WIN1254", charmap.Windows1254}, "windows1254": {"WIN1254", charmap.Windows1254},
	"win1255": {"WIN1255", charmap.Windows1255}, "windows1255": {"WIN1255", charmap.Windows1255},
	"win1256": {"WIN1256", charmap.Windows1256}, "windows1256": {"WIN1256", charmap.Windows1256},
	"win1257": {"WIN1257", charmap.Windows1257}, "windows1257": {"WIN1257", charmap.Windows1257},
	"win1258": {"WIN1258", charmap.Windows1258}, "windows1258": {"WIN1258", charmap.Windows1258},
	"koi8r": {"KOI8R", charmap.KOI8R}, "koi8": {"KOI8R", charmap.KOI8R}, "koi8u": {"KOI8U", charmap.KOI8U},
	"eucjp": {"EUC_JP", japanese.EUCJP}, "sjis": {"SJIS", japanese.ShiftJIS}, "shiftjis": {"SJIS", japanese.ShiftJIS},
	"euckr": {"EUC_KR", korean.EUCKR}, "uhc": {"UHC", korean.EUCKR},
	"euccn": {"EUC_CN", simplifiedchinese.GBK}, "gbk": {"GBK", simplifiedchinese.GBK}, "gb18030": {"GB18030", simplifiedchinese.GB18030},
	"big5": {"BIG5", traditionalchinese.Big5},
}

// EncodingName gives PostgreSQL's canonical name of a client encoding, and whether the server can convert to it.
func EncodingName(name string) (canonical string, ok bool) {
	e, ok := lookupEncoding(name)
	return e.name, ok
}

// Encoding gives the conversion of an encoding to and from UTF-8 (nil: bytes pass unchanged) with PostgreSQL's canonical name.
func Encoding(name string) (canonical string, e encoding.Encoding, ok bool) {
	c, ok := lookupEncoding(name)
	return c.name, c.enc, ok
}

func lookupEncoding(name string) (clientEncoding, bool) {
	key := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
	e, ok := clientEncodings[key]
	return e, ok
}

// codec converts between the server's UTF-8 and client_encoding. The nil codec is UTF-8.
type codec struct {
	name string
	dec  *encoding.Decoder
	enc  *encoding.Encoder
	err  *pgerr.Error // the first character that did not convert
}

func newCodec(e clientEncoding) *codec {
	if e.enc == nil {
		return nil
	}
	return &codec{name: e.name, dec: e.enc.NewDecoder(), enc: e.enc.NewEncoder()}
}

func (c *codec) takeErr() error {
	if c.err == nil {
		return nil
	}
	err := c.err
	c.err = nil
	return err
}

// appendString appends s in the client's encoding.
func (c *codec) appendString(b []byte, s string) []byte {
	if c == nil || isASCII(viewBytes(s)) {
		return append(b, s...)
	}
	return c.encode(b, s)
}

// convertTail converts b[from:] in place.
func (c *codec) convertTail(b []byte, from int) []byte {
	if isASCII(b[from:]) {
		return b
	}
	return c.encode(b[:from], string(b[from:]))
}

func (c *codec) encode(b []byte, s string) []byte {
	out, err := c.enc.String(s)
	if err == nil {
		return append(b, out...)
	}
	for _, r := range s {
		o, err := c.enc.String(string(r))
		if err != nil {
			if c.err == nil {
				c.err = pgerr.New(pgerr.UntranslatableCharacter,
					"character with byte sequence %s in encoding \"UTF8\" has no equivalent in encoding %q", hexBytes([]byte(string(r))), c.name)
			}
			o = "?"
		}
		b = append(b, o...)
	}
	return b
}

// decode gives client text as the server's UTF-8; what is UTF-8 already is checked and returned as it is.
func (c *codec) decode(b []byte) ([]byte, *pgerr.Error) {
	if c == nil {
		return b, checkUTF8(b)
	}
	if isASCII(b) {
		return b, nil
	}
	out, err := c.dec.Bytes(b)
	if err != nil || strings.ContainsRune(viewString(out), utf8.RuneError) {
		return nil, pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding %q: %s", c.name, hexBytes(firstHigh(b)))
	}
	return out, nil
}

// checkUTF8 is PostgreSQL's verification of incoming text: valid UTF-8 without NUL.
func checkUTF8(b []byte) *pgerr.Error {
	if utf8.Valid(b) && !hasNUL(b) {
		return nil
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if b[i] == 0 || (r == utf8.RuneError && n == 1) {
			return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", hexBytes(badSequence(b[i:])))
		}
		i += n
	}
	return nil
}

// badSequence is the piece that PostgreSQL shows: as many bytes as the first byte announces, as far as they are there.
func badSequence(b []byte) []byte {
	n := 1
	switch {
	case b[0]&0xe0 == 0xc0:
		n = 2
	case b[0]&0xf0 == 0xe0:
		n = 3
	case b[0]&0xf8 == 0xf0:
		n = 4
	}
	return b[:min(n, len(b))]
}

func firstHigh(b []byte) []byte {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return b[i:min(i+2, len(b))]
		}
	}
	return nil
}

func hexBytes(b []byte) string {
	const digits = "0123456789abcdef"
	var s strings.Builder
	for i, c := range b {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteString("0x")
		s.WriteByte(digits[c>>4])
		s.WriteByte(digits[c&15])
	}
	return s.String()
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func hasNUL(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

func viewBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// SetClientEncoding makes text from now on be converted to and from the named encoding. ok is false for a name that the server does not
// know or cannot convert to; nothing changes then.
func (c *Conn) SetClientEncoding(name string) (ok bool) {
	e, ok := lookupEncoding(name)
	if !ok {
		return false
	}
	c.enc = newCodec(e)
	c.w.enc = c.enc
	return true
}

// DecodeText converts text that the client sent inside a binary value (or a COPY stream) to the server's encoding, and checks it
// (22021). Query strings, names and text parameters reach the session already converted.
func (c *Conn) DecodeText(b []byte) ([]byte, error) {
	out, err := c.enc.decode(b)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// EncodeText appends s, text in the server's encoding, to b in the client's encoding: for COPY TO STDOUT.
func (c *Conn) EncodeText(b []byte, s []byte) ([]byte, error) {
	if c.enc == nil {
		return append(b, s...), nil
	}
	b = c.enc.appendString(b, viewString(s))
	return b, c.enc.takeErr()
}

// text decodes a string of a message.
func (c *Conn) text(s string) (string, *pgerr.Error) {
	b, err := c.enc.decode(viewBytes(s))
	return viewString(b), err
}

// lenientText is text for messages that must not fail themselves.
func (c *Conn) lenientText(s string) string {
	if out, err := c.text(s); err == nil {
		return strings.Clone(out)
	}
	return strings.ToValidUTF8(s, "?")
}
