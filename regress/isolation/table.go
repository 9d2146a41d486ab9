package isolation

import (
	"fmt"
	"io"
	"strings"
)

// printTable prints a result as libpq's PQprint does with header, alignment and "|": widths are bytes, columns of numbers are right-aligned, and
// a result without columns prints nothing.
func printTable(w io.Writer, r *result) {
	if len(r.names) == 0 {
		return
	}
	widths, left := columnLayout(r)
	var out strings.Builder
	writeRow(&out, r.names, widths, left)
	for i, width := range widths {
		if i > 0 {
			out.WriteByte('+')
		}
		out.WriteString(strings.Repeat("-", width))
	}
	out.WriteByte('\n')
	for _, row := range r.rows {
		writeRow(&out, row, widths, left)
	}
	plural := "s"
	if len(r.rows) == 1 {
		plural = ""
	}
	fmt.Fprintf(&out, "(%d row%s)\n\n", len(r.rows), plural)
	io.WriteString(w, out.String())
}

// columnLayout gives each column's width, and whether it is left-aligned: when a value of it does not look like a number.
func columnLayout(r *result) (widths []int, left []bool) {
	widths, left = make([]int, len(r.names)), make([]bool, len(r.names))
	for i, name := range r.names {
		widths[i] = len(name)
	}
	for _, row := range r.rows {
		for i, v := range row {
			widths[i] = max(widths[i], len(v))
			left[i] = left[i] || v != "" && !looksNumeric(v)
		}
	}
	return widths, left
}

// looksNumeric is libpq's idea of a number: of the characters that numbers, dates and the like are made of, ending in a digit.
func looksNumeric(v string) bool {
	return strings.Trim(v, "0123456789.Ee -") == "" && v[0] != 'E' && v[0] != 'e' && isDigit(v[len(v)-1])
}

func writeRow(out *strings.Builder, cells []string, widths []int, left []bool) {
	for i, v := range cells {
		if i > 0 {
			out.WriteByte('|')
		}
		pad := strings.Repeat(" ", widths[i]-len(v))
		if left[i] {
			out.WriteString(v + pad)
		} else {
			out.WriteString(pad + v)
		}
	}
	out.WriteByte('\n')
}
