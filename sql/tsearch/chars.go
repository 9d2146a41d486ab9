package tsearch

import (
	"strings"
	"unicode"
)

// Classes of characters as the C library has them: only 0-9 are digits, the digits of other scripts count as letters, and a space that holds words together
// is none.

func isSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || r >= '\t' && r <= '\r'
	}
	return r != 0x85 && r != 0xa0 && r != 0x2007 && r != 0x202f && unicode.IsSpace(r)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isAlpha(r rune) bool {
	if r < 0x80 {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_Alphabetic, r)
}

func isAlnum(r rune) bool { return isDigit(r) || isAlpha(r) }

// lower folds to lower case; where the database's ctype is C, ASCII only.
func lower(s string, ctypeC bool) string {
	return strings.Map(func(r rune) rune {
		if ctypeC && r >= 0x80 {
			return r
		}
		return unicode.ToLower(r)
	}, s)
}
