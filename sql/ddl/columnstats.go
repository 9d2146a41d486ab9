package ddl

import (
	"math"
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// Kinds of statistics slots.
const (
	slotMCV         = 1
	slotHistogram   = 2
	slotCorrelation = 3
)

// widthThreshold is the size in bytes above which values are not looked at: they are taken to be distinct.
const widthThreshold = 1024

// columnStats computes one column's statistics as PostgreSQL's commands/analyze.c does.
type columnStats struct {
	attr       *types.Attr
	target     int
	totalRows  float64
	sampleRows int
	compare    types.CompareFunc
	lt, eq     OID

	values          []sampled // not null, not too wide
	nulls, tooWide  int
	totalWidth      float64
	nullFrac, width float64
	distinct        float64
	slots           []catalog.StatSlot
}

// sampled is a value and its row's number in the sample.
type sampled struct {
	d  types.Datum
	no int
}

// group is a run of equal values.
type group struct{ first, count int }

// take collects the column's values.
func (s *columnStats) take(rows []types.Row) {
	at := int(s.attr.Num) - 1
	for no, row := range rows {
		if at >= len(row) {
			s.nulls++
			continue
		}
		d := row[at]
		if d.IsNull() {
			s.nulls++
			continue
		}
		switch s.attr.Len {
		case -1:
			size := len(d.Bytes()) + 4
			if s.attr.Storage != 'p' && size-4 <= 126 {
				size -= 3
			}
			s.totalWidth += float64(size)
			if size > widthThreshold {
				s.tooWide++
				continue
			}
		case -2:
			s.totalWidth += float64(len(d.Bytes()) + 1)
		}
		s.values = append(s.values, sampled{d, no})
	}
}

func (s *columnStats) nonNull() int { return len(s.values) + s.tooWide }

// compute fills in the results.
func (s *columnStats) compute() {
	s.nullFrac = float64(s.nulls) / float64(s.sampleRows)
	s.width = float64(s.attr.Len)
	if s.attr.Len < 0 {
		s.width = 0
		if n := s.nonNull(); n > 0 {
			s.width = s.totalWidth / float64(n)
		}
	}
	switch {
	case s.nonNull() == 0:
		s.nullFrac, s.distinct = 1, 0
	case s.compare == nil:
		s.distinct = 0 // not known
	case len(s.values) == 0:
		s.distinct = -1 * (1 - s.nullFrac)
	default:
		s.scalar()
	}
}

// scalar is compute_scalar_stats.
func (s *columnStats) scalar() {
	slices.SortStableFunc(s.values, func(a, b sampled) int { return s.compare(a.d, b.d) })
	groups, distinct, multiple, xySum := s.groups()
	s.distinct = s.estimateDistinct(distinct, multiple)
	mcv := s.mcvCount(groups, distinct)
	s.mcvSlot(groups[:mcv])
	s.histogramSlot(groups[:mcv], distinct-mcv)
	s.correlationSlot(xySum)
}

// groups finds the runs of equal values: the most common ones that occur more than once (as many as the target, by falling count), how many
// distinct values there are, how many of them more than once, and the sum that correlation needs.
func (s *columnStats) groups() (common []group, distinct, multiple int, xySum float64) {
	for i := 0; i < len(s.values); {
		j := i
		for ; j < len(s.values) && s.compare(s.values[i].d, s.values[j].d) == 0; j++ {
			xySum += float64(j) * float64(s.values[j].no)
		}
		distinct++
		if n := j - i; n > 1 {
			multiple++
			common = insertCommon(common, group{i, n}, s.target)
		}
		i = j
	}
	return common, distinct, multiple, xySum
}

// insertCommon keeps the list sorted by falling count, the earlier value first among equals.
func insertCommon(list []group, g group, limit int) []group {
	if len(list) == limit {
		if limit == 0 || g.count <= list[limit-1].count {
			return list
		}
		list = list[:limit-1]
	}
	at := len(list)
	for at > 0 && g.count > list[at-1].count {
		at--
	}
	return slices.Insert(list, at, g)
}

// estimateDistinct is the number of distinct values in the table: negative = a fraction of the rows.
func (s *columnStats) estimateDistinct(distinct, multiple int) float64 {
	var est float64
	switch {
	case multiple == 0:
		return -1 * (1 - s.nullFrac)
	case s.tooWide == 0 && multiple == distinct:
		est = float64(distinct)
	default: // the Duj1 estimator of Haas and Stokes
		f1 := float64(distinct - multiple + s.tooWide)
		d := f1 + float64(multiple)
		n := float64(s.sampleRows - s.nulls)
		total := s.totalRows * (1 - s.nullFrac)
		if total > 0 {
			est = n * d / (n - f1 + f1*n/total)
		}
		est = math.Floor(min(max(est, d), max(total, d)) + 0.5)
	}
	if est > 0.1*s.totalRows {
		return -est / s.totalRows
	}
	return est
}

// mcvCount says how many of the common values go into the list of most common ones.
func (s *columnStats) mcvCount(common []group, distinct int) int {
	if len(common) == distinct && s.tooWide == 0 && s.distinct > 0 && len(common) <= s.target {
		return len(common) // all values there are
	}
	n := len(common)
	if n == 0 || float64(s.sampleRows) == s.totalRows || s.totalRows <= 1 {
		return n
	}
	return s.trimMCV(common)
}

// trimMCV drops values from the end that are not clearly more common than the rest (analyze_mcv_list).
func (s *columnStats) trimMCV(common []group) int {
	table := s.distinct
	if table < 0 {
		table = -table * s.totalRows
	}
	sum := 0.0
	for _, g := range common[:len(common)-1] {
		sum += float64(g.count)
	}
	total, n := s.totalRows, float64(s.sampleRows)
	num := len(common)
	for num > 0 {
		selec := min(max(1-sum/n-s.nullFrac, 0), 1)
		if other := table - float64(num-1); other > 1 {
			selec /= other
		}
		count := float64(common[num-1].count)
		k := total * count / n
		stddev := math.Sqrt(n * k * (total - k) * (total - n) / (total * total * (total - 1)))
		if count > selec*n+2*stddev+0.5 {
			break
		}
		if num--; num == 0 {
			break
		}
		sum -= float64(common[num-1].count)
	}
	return num
}

func (s *columnStats) mcvSlot(mcv []group) {
	if len(mcv) == 0 {
		return
	}
	slot := catalog.StatSlot{Kind: slotMCV, Op: s.eq}
	for _, g := range mcv {
		slot.Values = append(slot.Values, s.values[g.first].d)
		slot.Numbers = append(slot.Numbers, float32(float64(g.count)/float64(s.sampleRows)))
	}
	s.slots = append(s.slots, slot)
}

// histogramSlot spreads bounds over the values that are not in the list of most common ones.
func (s *columnStats) histogramSlot(mcv []group, bounds int) {
	bounds = min(bounds, s.target+1)
	if bounds < 2 {
		return
	}
	rest := s.values
	if len(mcv) > 0 {
		sorted := slices.Clone(mcv)
		slices.SortFunc(sorted, func(a, b group) int { return a.first - b.first })
		rest = nil
		at := 0
		for _, g := range sorted {
			rest = append(rest, s.values[at:g.first]...)
			at = g.first + g.count
		}
		rest = append(rest, s.values[at:]...)
	}
	slot := catalog.StatSlot{Kind: slotHistogram, Op: s.lt}
	delta, deltaFrac := (len(rest)-1)/(bounds-1), (len(rest)-1)%(bounds-1)
	pos, posFrac := 0, 0
	for range bounds {
		slot.Values = append(slot.Values, rest[pos].d)
		pos += delta
		if posFrac += deltaFrac; posFrac >= bounds-1 {
			pos++
			posFrac -= bounds - 1
		}
	}
	s.slots = append(s.slots, slot)
}

// correlationSlot tells how the order of values agrees with that of rows.
func (s *columnStats) correlationSlot(xySum float64) {
	n := float64(len(s.values))
	if n < 2 {
		return
	}
	xSum := n * (n - 1) / 2
	x2Sum := n * (n - 1) * (2*n - 1) / 6
	corr := (n*xySum - xSum*xSum) / (n*x2Sum - xSum*xSum)
	s.slots = append(s.slots, catalog.StatSlot{Kind: slotCorrelation, Op: s.lt, Numbers: []float32{float32(corr)}})
}

// sortByPlace puts sampled rows back into the table's order.
func sortByPlace(rows []types.Row, places []types.TID) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if places[a].Less(places[b]) {
			return -1
		}
		return 1
	})
	sorted := make([]types.Row, len(rows))
	for i, at := range order {
		sorted[i] = rows[at]
	}
	copy(rows, sorted)
}
