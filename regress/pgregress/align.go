package pgregress

import (
	"sort"
	"strings"
)

// transcript is the output of psql -a, cut at the echoes of the units: what each unit printed. A unit whose echo is not there was not run
// (psql had ended, or took its lines for COPY data).
type transcript struct {
	ran    []bool
	output [][]string
}

// output is the lines of a transcript, with the places of each line's text.
type output struct {
	lines  []string
	places map[string][]int
}

func newOutput(text string) *output {
	o := &output{lines: strings.Split(text, "\n"), places: map[string][]int{}}
	if n := len(o.lines); o.lines[n-1] == "" {
		o.lines = o.lines[:n-1]
	}
	for i, l := range o.lines {
		o.places[l] = append(o.places[l], i)
	}
	return o
}

// find gives the first place from `from` on where block stands, -1 if there is none.
func (o *output) find(block []string, from int) int {
	places := o.places[block[0]]
	for _, at := range places[sort.SearchInts(places, from):] {
		if o.holds(block, at) {
			return at
		}
	}
	return -1
}

func (o *output) holds(block []string, at int) bool {
	if at+len(block) > len(o.lines) {
		return false
	}
	for i, l := range block {
		if o.lines[at+i] != l {
			return false
		}
	}
	return true
}

// splitUnits cuts the source of a test into units. The expected output decides what the source can't tell: whether the server took a COPY FROM STDIN,
// so that the lines behind it are data, or refused it, so that psql read them as statements.
func splitUnits(source string, expected *output) []*unit {
	var units []*unit
	s := newPsqlScanner(source)
	at := 0
	for u := s.unit(); u != nil; u = s.unit() {
		units = append(units, u)
		if found := expected.find(u.lines, at); found >= 0 {
			at = found + len(u.lines)
		}
		if u.copyIns > 0 && takesData(s, u.copyIns, expected, at) {
			s.skipCopyData(u.copyIns)
		}
	}
	return units
}

// takesData says whether the lines after a COPY FROM STDIN are data: if they are not, the next of them comes first in the output; if they are, the unit
// behind them does.
func takesData(s *psqlScanner, blocks int, expected *output, at int) bool {
	asStatements, asData := *s, *s
	asData.skipCopyData(blocks)
	next := func(s *psqlScanner) int {
		u := s.unit()
		if u == nil {
			return len(expected.lines)
		}
		if found := expected.find(u.lines, at); found >= 0 {
			return found
		}
		return len(expected.lines) + 1
	}
	return next(&asData) <= next(&asStatements)
}

// align cuts an output at the echoes of the units. Echoes come in the order of the units, each whole; the first place where a unit's lines stand is
// taken, which is wrong only where a statement prints the very text of the next one. Where that leaves units without an echo (the
// output of a run that went another way), the choice of places that gives most of them one is taken instead.
func align(units []*unit, out *output) transcript {
	places, missing := firstPlaces(units, out)
	if missing {
		places = mostPlaces(units, out)
	}
	t := transcript{ran: make([]bool, len(units)), output: make([][]string, len(units))}
	last := -1 // the unit whose output the lines belong to
	end := 0
	for i, at := range places {
		if at < 0 {
			continue
		}
		if last >= 0 {
			t.output[last] = out.lines[end:at]
		}
		t.ran[i] = true
		last, end = i, at+len(units[i].lines)
	}
	if last >= 0 {
		t.output[last] = out.lines[end:]
	}
	return t
}

func firstPlaces(units []*unit, out *output) (places []int, missing bool) {
	places = make([]int, len(units))
	from := 0
	for i, u := range units {
		places[i] = out.find(u.lines, from)
		if places[i] < 0 {
			missing = true
			continue
		}
		from = places[i] + len(u.lines)
	}
	return places, missing
}

// candidate is a place where a unit may have been echoed.
type candidate struct {
	unit, at int
	before   int // index of the candidate before it in the best chain, -1 for none
}

// mostPlaces finds a longest chain of echoes in which units and places both rise: the patience method for the longest rising subsequence, with
// blocks in place of points.
func mostPlaces(units []*unit, out *output) []int {
	var cands []candidate
	var tails []int // tails[n]: the candidate that ends a chain of n+1 units at the earliest line
	endOf := func(c int) int { return cands[c].at + len(units[cands[c].unit].lines) }
	for i, u := range units {
		type update struct{ length, cand int }
		var updates []update
		for from := 0; ; {
			at := out.find(u.lines, from)
			if at < 0 {
				break
			}
			from = at + 1
			n := sort.Search(len(tails), func(n int) bool { return endOf(tails[n]) > at })
			before := -1
			if n > 0 {
				before = tails[n-1]
			}
			cands = append(cands, candidate{unit: i, at: at, before: before})
			updates = append(updates, update{n, len(cands) - 1})
		}
		for k := len(updates) - 1; k >= 0; k-- { // after all of the unit's places: no chain holds it twice
			up := updates[k]
			switch {
			case up.length == len(tails):
				tails = append(tails, up.cand)
			case endOf(up.cand) < endOf(tails[up.length]):
				tails[up.length] = up.cand
			}
		}
	}
	places := make([]int, len(units))
	for i := range places {
		places[i] = -1
	}
	if len(tails) > 0 {
		for c := tails[len(tails)-1]; c >= 0; c = cands[c].before {
			places[cands[c].unit] = cands[c].at
		}
	}
	return places
}
