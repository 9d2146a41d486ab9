package tsearch

import (
	"math"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/sql/types/libm"
)

// defaultWeights are those of the letters D, C, B, A.
var defaultWeights = [4]float32{0.1, 0.2, 0.4, 1}

// Normalizations of a rank, bits of the functions' last argument.
const (
	normLogLength = 1 << iota
	normLength
	normExtentDistance
	normWords
	normLogWords
	normSelf
)

// length counts the positions of a vector; a word without counts as one.
func (v Vector) length() (n int) {
	for _, e := range v {
		n += max(1, len(e.Pos))
	}
	return n
}

// wordDistance weighs two words that are w positions apart.
func wordDistance(w int) float32 {
	if w > 100 {
		return 1e-30
	}
	return float32(1.0 / (1.005 + 0.05*libm.Exp(float64(float32(w))/1.5-2)))
}

// entriesOf gives the entries that an operand stands for.
func (v Vector) entriesOf(q *Query) []Entry {
	i, found := v.find(q.Word)
	if !q.Prefix {
		if !found {
			return nil
		}
		return v[i : i+1]
	}
	end := i
	for end < len(v) && strings.HasPrefix(v[end].Word, q.Word) {
		end++
	}
	return v[i:end]
}

// operands gives the words of a query in order, each once.
func (q *Query) operands() (list []*Query) {
	q.walk(func(n *Query) {
		if n.Op == Operand {
			list = append(list, n)
		}
	})
	slices.SortStableFunc(list, func(a, b *Query) int { return strings.Compare(a.Word, b.Word) })
	return slices.CompactFunc(list, func(a, b *Query) bool { return a.Word == b.Word })
}

// rankAnd weighs each two words by their distance.
func rankAnd(w *[4]float32, v Vector, q *Query) float32 {
	items := q.operands()
	if len(items) < 2 {
		return rankOr(w, v, q)
	}
	noPositions := []Pos{makePos(positionMax, 0)}
	type found struct {
		pos  []Pos
		null bool
	}
	seen := make([]*found, len(items))
	res := float32(-1)
	for i, item := range items {
		for _, e := range v.entriesOf(item) {
			f := &found{pos: e.Pos}
			if len(e.Pos) == 0 {
				f = &found{noPositions, true}
			}
			seen[i] = f
			for _, g := range seen[:i] {
				if g == nil {
					continue
				}
				for _, a := range f.pos {
					for _, b := range g.pos {
						dist := a.at() - b.at()
						if dist < 0 {
							dist = -dist
						}
						if dist == 0 && !f.null && !g.null {
							continue
						}
						if dist == 0 {
							dist = positionMax + 1
						}
						curw := float32(math.Sqrt(float64(w[a.weight()] * w[b.weight()] * wordDistance(dist))))
						if res < 0 {
							res = curw
						} else {
							res = float32(1.0 - (1.0-float64(res))*(1.0-float64(curw)))
						}
					}
				}
			}
		}
	}
	return res
}

func rankOr(w *[4]float32, v Vector, q *Query) float32 {
	items := q.operands()
	noPositions := []Pos{0}
	res := float32(0)
	for _, item := range items {
		for _, e := range v.entriesOf(item) {
			pos := e.Pos
			if len(pos) == 0 {
				pos = noPositions
			}
			sum, best, bestAt := float32(0), float32(-1), 0
			for j, p := range pos {
				wp := w[p.weight()]
				sum += wp / float32((j+1)*(j+1))
				if wp > best {
					best, bestAt = wp, j
				}
			}
			// The sum of 1/i² is pi²/6.
			res = float32(float64(res) + float64(best+sum-best/float32((bestAt+1)*(bestAt+1)))/1.64493406685)
		}
	}
	if len(items) > 0 {
		res /= float32(len(items))
	}
	return res
}

// Rank is ts_rank.
func Rank(w *[4]float32, v Vector, q *Query, method int32) float32 {
	if len(v) == 0 || q == nil {
		return 0
	}
	rank := rankOr
	if q.Op == And || q.Op == Phrase {
		rank = rankAnd
	}
	res := rank(w, v, q)
	if res < 0 {
		res = 1e-20
	}
	if method&normLogLength != 0 {
		res = float32(float64(res) / (libm.Log(float64(v.length()+1)) / libm.Log(2)))
	}
	if method&normLength != 0 {
		res /= float32(v.length())
	}
	if method&normWords != 0 {
		res /= float32(len(v))
	}
	if method&normLogWords != 0 {
		res = float32(float64(res) / (libm.Log(float64(len(v)+1)) / libm.Log(2)))
	}
	if method&normSelf != 0 {
		res /= res + 1
	}
	return res
}

// rankWeights reads the array of weights; a negative one means the default.
func rankWeights(d types.Datum) (w [4]float32, err error) {
	elem, _ := types.BuiltinType(types.Float4OID)
	if types.ArrayNDims(d) != 1 {
		return w, pgerr.New(pgerr.ArraySubscriptError, "array of weight must be one-dimensional")
	}
	values, err := types.ArrayElements(elem, d, nil)
	if err != nil {
		return w, err
	}
	if len(values) < len(w) {
		return w, pgerr.New(pgerr.ArraySubscriptError, "array of weight is too short")
	}
	for _, x := range values {
		if x.IsNull() {
			return w, pgerr.New(pgerr.NullValueNotAllowed, "array of weight must not contain nulls")
		}
	}
	for i := range w {
		if w[i] = values[i].Float4(); !(w[i] >= 0) {
			w[i] = defaultWeights[i]
		}
		if w[i] > 1 {
			return w, pgerr.New(pgerr.InvalidParameterValue, "weight out of range")
		}
	}
	return w, nil
}

func init() {
	for name, rank := range map[string]func(*[4]float32, Vector, *Query, int32) float32{"ts_rank": Rank, "ts_rankcd": RankCover} {
		for _, withWeights := range []bool{false, true} {
			for _, withMethod := range []bool{false, true} {
				suffix := map[bool]string{true: "_w", false: "_"}[withWeights] + "tt" + map[bool]string{true: "f"}[withMethod]
				types.RegisterFunc(name+suffix, func(c *types.Call) (types.Datum, error) {
					args, w, method := c.Args, defaultWeights, int32(0)
					if withWeights {
						var err error
						if w, err = rankWeights(args[0]); err != nil {
							return types.Null, err
						}
						args = args[1:]
					}
					if withMethod {
						method = args[2].Int4()
					}
					return types.Float4(rank(&w, VectorOf(args[0]), QueryOf(args[1]), method)), nil
				})
			}
		}
	}
}
