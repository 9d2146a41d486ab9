package isolation

import (
	"fmt"
	"strings"

	"golang.org/x/text/width"
)

const (
	displayWidth = 60 // of the line that is shown, in screen columns
	rightMargin  = 10 // at least so much is shown to the right of the caret
)

// caret shows the line of query that holds the character at position (counted from 1) with a caret below it, cut to displayWidth; "" when the
// position is outside the query.
func caret(query string, position int) string {
	chars := []rune(query)
	loc := position - 1
	if loc < 0 || loc > len(chars) {
		return ""
	}
	begin, end, line := lineAround(chars, loc)
	columns := screenColumns(chars[:end])
	cutLeft, cutRight := false, false
	if columns[end]-columns[begin] > displayWidth {
		if columns[begin]+displayWidth >= columns[loc]+rightMargin {
			for columns[end]-columns[begin] > displayWidth {
				end, cutRight = end-1, true
			}
		} else {
			for columns[loc]+rightMargin < columns[end] {
				end, cutRight = end-1, true
			}
			for columns[end]-columns[begin] > displayWidth {
				begin, cutLeft = begin+1, true
			}
		}
	}
	prefix := fmt.Sprintf("LINE %d: ", line)
	if cutLeft {
		prefix += "..."
	}
	text := prefix + strings.ReplaceAll(string(chars[begin:end]), "\t", " ")
	if cutRight {
		text += "..."
	}
	return text + "\n" + strings.Repeat(" ", len(prefix)+columns[loc]-columns[begin]) + "^\n"
}

// lineAround finds the line that holds chars[loc] and its number. CR LF ends one line, not two.
func lineAround(chars []rune, loc int) (begin, end, line int) {
	line = 1
	for i, c := range chars {
		if c != '\r' && c != '\n' {
			continue
		}
		if i >= loc {
			return begin, i, line
		}
		if c == '\r' || i == 0 || chars[i-1] != '\r' {
			line++
		}
		begin = i + 1
	}
	return begin, len(chars), line
}

// screenColumns gives the column at which each character begins, and the one after the last.
func screenColumns(chars []rune) []int {
	columns := make([]int, len(chars)+1)
	for i, c := range chars {
		columns[i+1] = columns[i] + 1
		if kind := width.LookupRune(c).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
			columns[i+1]++
		}
	}
	return columns
}
