package are

import (
	"unicode"
)

// set is a set of characters: a literal, a bracket expression, a class escape or the dot.
type set struct {
	ranges  [][2]rune
	classes []func(rune) bool
	icase   bool
	negated bool
	noNL    bool // a newline is not in it

	ascii [2]uint64 // the members below 128
}

func (s *set) add(lo, hi rune) { s.ranges = append(s.ranges, [2]rune{lo, hi}) }

// seal computes the table of ASCII members; the set must not change afterwards.
func (s *set) seal() *set {
	for r := rune(0); r < 128; r++ {
		if s.compute(r) {
			s.ascii[r>>6] |= 1 << (r & 63)
		}
	}
	return s
}

func (s *set) has(r rune) bool {
	if r < 128 {
		return s.ascii[r>>6]&(1<<(r&63)) != 0
	}
	return s.compute(r)
}

func (s *set) compute(r rune) bool {
	if s.noNL && r == '\n' {
		return false
	}
	in := s.listed(r)
	if !in && s.icase {
		in = s.listed(unicode.ToLower(r)) || s.listed(unicode.ToUpper(r))
	}
	return in != s.negated
}

func (s *set) listed(r rune) bool {
	for _, x := range s.ranges {
		if r >= x[0] && r <= x[1] {
			return true
		}
	}
	for _, f := range s.classes {
		if f(r) {
			return true
		}
	}
	return false
}

func single(r rune, icase bool) *set {
	s := &set{icase: icase}
	s.add(r, r)
	return s.seal()
}

func isAlnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }
func isWord(r rune) bool  { return r == '_' || isAlnum(r) }
func isDigit(r rune) bool { return r >= '0' && r <= '9' }
func isSpace(r rune) bool {
	return r == ' ' || r >= '\t' && r <= '\r' || r >= 128 && r != 0x85 && r != 0xa0 && r != 0x2007 && r != 0x202f && unicode.IsSpace(r)
}
func isPunct(r rune) bool {
	return r > ' ' && (unicode.IsPunct(r) || unicode.IsSymbol(r) || r > 127 && unicode.IsPrint(r) && !isAlnum(r))
}

var classes = map[string]func(rune) bool{
	"alnum":  isAlnum,
	"alpha":  unicode.IsLetter,
	"ascii":  func(r rune) bool { return r < 128 },
	"blank":  func(r rune) bool { return r == ' ' || r == '\t' },
	"cntrl":  unicode.IsControl,
	"digit":  isDigit,
	"graph":  func(r rune) bool { return r != ' ' && unicode.IsGraphic(r) && !unicode.IsSpace(r) },
	"lower":  unicode.IsLower,
	"print":  unicode.IsPrint,
	"punct":  isPunct,
	"space":  isSpace,
	"upper":  unicode.IsUpper,
	"xdigit": func(r rune) bool { return isDigit(r) || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F' },
	"word":   isWord,
}

// collatingNames are the names that [.name.] knows.
var collatingNames = map[string]rune{
	"NUL": 0, "SOH": 1, "STX": 2, "ETX": 3, "EOT": 4, "ENQ": 5, "ACK": 6, "BEL": 7, "alert": 7, "BS": 8, "backspace": 8, "HT": 9, "tab": 9,
	"LF": 10, "newline": 10, "VT": 11, "vertical-tab": 11, "FF": 12, "form-feed": 12, "CR": 13, "carriage-return": 13, "SO": 14, "SI": 15,
	"DLE": 16, "DC1": 17, "DC2": 18, "DC3": 19, "DC4": 20, "NAK": 21, "SYN": 22, "ETB": 23, "CAN": 24, "EM": 25, "SUB": 26, "ESC": 27,
	"IS4": 28, "FS": 28, "IS3": 29, "GS": 29, "IS2": 30, "RS": 30, "IS1": 31, "US": 31, "space": ' ', "exclamation-mark": '!',
	"quotation-mark": '"', "number-sign": '#', "dollar-sign": '$', "percent-sign": '%', "ampersand": '&', "apostrophe": '\'',
	"left-parenthesis": '(', "right-parenthesis": ')', "asterisk": '*', "plus-sign": '+', "comma": ',', "hyphen": '-', "hyphen-minus": '-',
	"period": '.', "full-stop": '.', "slash": '/', "solidus": '/', "zero": '0', "one": '1', "two": '2', "three": '3', "four": '4', "five": '5',
	"six": '6', "seven": '7', "eight": '8', "nine": '9', "colon": ':', "semicolon": ';', "less-than-sign": '<', "equals-sign": '=',
	"greater-than-sign": '>', "question-mark": '?', "commercial-at": '@', "left-square-bracket": '[', "backslash": '\\',
	"reverse-solidus": '\\', "right-square-bracket": ']', "circumflex": '^', "circumflex-accent": '^', "underscore": '_', "low-line": '_',
	"grave-accent": '`', "left-brace": '{', "left-curly-bracket": '{', "vertical-line": '|', "right-brace": '}', "right-curly-bracket": '}',
	"tilde": '~', "DEL": 127,
}
