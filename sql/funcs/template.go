package funcs

import (
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// Templates of to_char, to_date, to_timestamp and to_number: a text is taken apart once into nodes, each a keyword (with its modifiers) or
// one character that stands for itself.

type nodeKind uint8

const (
	nodeKey nodeKind = iota
	nodeChar
	nodeSeparator
	nodeSpace
)

// dateMode is the calendar that a field belongs to: the two must not be mixed on input.
type dateMode uint8

const (
	modeNone dateMode = iota
	modeGregorian
	modeISOWeek
)

// keyword is one pattern: id is its name in capitals, name as the template wrote it, which gives the case of names of months.
type keyword struct {
	id, name string
	digit    bool // reads digits
	mode     dateMode
}

type templateNode struct {
	kind nodeKind
	text string // one character
	key  *keyword
	fm   bool // FM: no padding
	tm   bool // TM: names of the locale
	th   byte // 't' or 'T': with an ordinal's suffix
}

// dateKeywords in the order of search: of two with a common beginning the longer comes first. "+" marks those that read digits, "g" and
// "i" the calendar.
var dateKeywords = keywordTable(`A.D. A.M. AD AM B.C. BC CC+ DAY DDD+g DD+g DY Day Dy D+g FF1+ FF2+ FF3+ FF4+ FF5+ FF6+ FX HH24+ HH12+ HH+
	IDDD+i ID+i IW+i IYYY+i IYY+i IY+i I+i J+ MI+ MM+g MONTHg MONg MS+ Monthg Mong OF P.M. PM Q+ RMg SSSSS+ SSSS+ SS+ TZH TZM+ TZ US+
	WW+g W+g Y,YYY+g YYYY+g YYY+g YY+g Y+g`)

var numberKeywords = keywordTable(", . 0 9 B C D EEEE FM G L MI PL PR RN SG SP S TH V")

func keywordTable(words string) []keyword {
	var upper, lower []keyword
	for _, w := range strings.Fields(words) {
		k := keyword{}
		if strings.HasSuffix(w, "g") {
			k.mode, w = modeGregorian, strings.TrimSuffix(w, "g")
		} else if strings.HasSuffix(w, "i") {
			k.mode, w = modeISOWeek, strings.TrimSuffix(w, "i")
		}
		if strings.HasSuffix(w, "+") {
			k.digit, w = true, strings.TrimSuffix(w, "+")
		}
		k.name, k.id = w, strings.ToUpper(w)
		if k.id == "SSSSS" {
			k.id = "SSSS"
		}
		upper = append(upper, k)
		if l := strings.ToLower(w); l != w && k.name == strings.ToUpper(w) {
			k.name = l
			lower = append(lower, k)
		}
	}
	return append(upper, lower...)
}

func findKeyword(s string, table []keyword) *keyword {
	for i := range table {
		if strings.HasPrefix(s, table[i].name) {
			return &table[i]
		}
	}
	return nil
}

func isSpaceByte(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// isSeparator: a printable ASCII character that is no letter, digit or space.
func isSeparator(c byte) bool {
	return c > 0x20 && c < 0x7f && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')
}

// parseTemplate takes a date template apart. strict is the mode of jsonpath's datetime(): only a few separators are allowed.
func parseTemplate(s string, strict bool) ([]templateNode, error) {
	var nodes []templateNode
	for s != "" {
		var n templateNode
		s = n.prefix(s)
		if n.key = findKeyword(s, dateKeywords); n.key != nil {
			s = n.suffix(s[len(n.key.name):])
			nodes = append(nodes, n)
			continue
		}
		if s == "" {
			break
		}
		if s[0] == '"' {
			nodes, s = quotedNodes(nodes, s[1:])
			continue
		}
		c, err := literalNode(&s, true, strict)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, c)
	}
	return nodes, nil
}

func (n *templateNode) prefix(s string) string {
	switch {
	case strings.HasPrefix(s, "FM"), strings.HasPrefix(s, "fm"):
		n.fm = true
	case strings.HasPrefix(s, "TM"), strings.HasPrefix(s, "tm"):
		n.tm = true
	default:
		return s
	}
	return s[2:]
}

// suffix reads an ordinal's suffix; SP (spelled out) is accepted and has no effect, as in PostgreSQL.
func (n *templateNode) suffix(s string) string {
	switch {
	case strings.HasPrefix(s, "TH"):
		n.th = 'T'
	case strings.HasPrefix(s, "th"):
		n.th = 't'
	case strings.HasPrefix(s, "SP"):
	default:
		return s
	}
	return s[2:]
}

// quotedNodes reads text in double quotes; a backslash quotes the next character.
func quotedNodes(nodes []templateNode, s string) ([]templateNode, string) {
	for s != "" {
		if s[0] == '"' {
			return nodes, s[1:]
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		nodes = append(nodes, templateNode{kind: nodeChar, text: s[:n]})
		s = s[n:]
	}
	return nodes, s
}

func literalNode(s *string, date, strict bool) (templateNode, error) {
	str := *s
	if strict {
		_, n := utf8.DecodeRuneInString(str)
		if !strings.Contains("-./,':; ", str[:1]) {
			return templateNode{}, pgerr.New(pgerr.InvalidDatetimeFormat, "invalid datetime format separator: \"%s\"", str[:n])
		}
	} else if strings.HasPrefix(str, `\"`) {
		str = str[1:]
	}
	_, n := utf8.DecodeRuneInString(str)
	node := templateNode{kind: nodeChar, text: str[:n]}
	switch {
	case isSpaceByte(str[0]):
		node.kind = nodeSpace
	case date && isSeparator(str[0]):
		node.kind = nodeSeparator
	}
	*s = str[n:]
	return node, nil
}

// ordinal gives the suffix of a number written out.
func ordinal(num []byte, th byte) (string, error) {
	last := byte(' ')
	if len(num) > 0 {
		last = num[len(num)-1]
	}
	if last < '0' || last > '9' {
		return "", pgerr.New(pgerr.InvalidTextRepresentation, "\"%s\" is not a number", num)
	}
	if len(num) > 1 && num[len(num)-2] == '1' {
		last = '0'
	}
	s := "th"
	switch last {
	case '1':
		s = "st"
	case '2':
		s = "nd"
	case '3':
		s = "rd"
	}
	if th == 'T' {
		s = strings.ToUpper(s)
	}
	return s, nil
}
