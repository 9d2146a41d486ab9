package tsearch

import (
	"slices"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	vectorFunc("tsvector_strip", func(v Vector, _ *types.Call) (Vector, error) {
		for i := range v {
			v[i].Pos = nil
		}
		return v, nil
	})
	types.RegisterFunc("tsvector_length", func(c *types.Call) (types.Datum, error) {
		return types.Int4(int32(len(VectorOf(c.Args[0])))), nil
	})
	vectorFunc("tsvector_setweight", func(v Vector, c *types.Call) (Vector, error) {
		w, ok := weightOf(c.Args[1].Char())
		if !ok {
			return nil, pgerr.Internal("unrecognized weight: %d", int8(c.Args[1].Char()))
		}
		for i := range v {
			v[i].setWeight(w)
		}
		return v, nil
	})
	vectorFunc("tsvector_setweight_by_filter", func(v Vector, c *types.Call) (Vector, error) {
		w, ok := weightOf(c.Args[1].Char())
		if !ok {
			return nil, pgerr.Internal("unrecognized weight: %c", c.Args[1].Char())
		}
		return v, eachWord(c.Args[2], func(word string) {
			if i, ok := v.find(word); ok {
				v[i].setWeight(w)
			}
		})
	})
	vectorFunc("tsvector_concat", func(v Vector, c *types.Call) (Vector, error) { return v.concat(VectorOf(c.Args[1])), nil })
	vectorFunc("tsvector_filter", filterVector)
	vectorFunc("tsvector_delete_str", func(v Vector, c *types.Call) (Vector, error) {
		word := c.Args[1].Str()
		return slices.DeleteFunc(v, func(e Entry) bool { return e.Word == word }), nil
	})
	vectorFunc("tsvector_delete_arr", func(v Vector, c *types.Call) (Vector, error) {
		gone := map[string]bool{}
		err := eachWord(c.Args[1], func(word string) { gone[word] = true })
		return slices.DeleteFunc(v, func(e Entry) bool { return gone[e.Word] }), err
	})
	types.RegisterFunc("tsvector_to_array", func(c *types.Call) (types.Datum, error) {
		words := []types.Datum{}
		for _, e := range VectorOf(c.Args[0]) {
			words = append(words, types.Text(e.Word))
		}
		return textArray(words), nil
	})
	types.RegisterFunc("array_to_tsvector", vectorOfArray)
	types.RegisterSRF("tsvector_unnest", func(c *types.Call) (types.Iterator, error) {
		desc, err := types.NewRecordDesc(c.Env, []types.RecordColumn{{Name: "lexeme", Type: types.TextOID, TypMod: -1},
			{Name: "positions", Type: types.Int2ArrayOID, TypMod: -1}, {Name: "weights", Type: types.TextArrayOID, TypMod: -1}})
		return &unnested{VectorOf(c.Args[0].Clone()), desc}, err
	})
	types.RegisterFunc("ts_match_vq", func(c *types.Call) (types.Datum, error) {
		return types.Bool(VectorOf(c.Args[0]).Matches(QueryOf(c.Args[1]))), nil
	})
	types.RegisterFunc("ts_match_qv", func(c *types.Call) (types.Datum, error) {
		return types.Bool(VectorOf(c.Args[1]).Matches(QueryOf(c.Args[0]))), nil
	})
}

// vectorFunc registers a function that makes a tsvector of its first argument, which it may change.
func vectorFunc(name string, f func(v Vector, c *types.Call) (Vector, error)) {
	types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
		v, err := f(VectorOf(c.Args[0]), c)
		if err != nil {
			return types.Null, err
		}
		return v.Datum()
	})
}

// weightOf reads a letter of a weight.
func weightOf(c byte) (int, bool) {
	switch {
	case c >= 'a' && c <= 'd':
		return int('d' - c), true
	case c >= 'A' && c <= 'D':
		return int('D' - c), true
	}
	return 0, false
}

func (e *Entry) setWeight(w int) {
	for i := range e.Pos {
		e.Pos[i] = e.Pos[i].withWeight(w)
	}
}

func elementsOf(elem types.OID, d types.Datum) ([]types.Datum, error) {
	info, _ := types.BuiltinType(elem)
	return types.ArrayElements(info, d, nil)
}

// eachWord calls f with the elements of a text array that are not null.
func eachWord(d types.Datum, f func(word string)) error {
	words, err := elementsOf(types.TextOID, d)
	for _, w := range words {
		if !w.IsNull() {
			f(w.Str())
		}
	}
	return err
}

func textArray(words []types.Datum) types.Datum {
	info, _ := types.BuiltinType(types.TextOID)
	return types.MakeArray(info, words)
}

// concat appends a document: its positions go on where v's end.
func (v Vector) concat(w Vector) Vector {
	last := 0
	for _, e := range v {
		for _, p := range e.Pos {
			last = max(last, p.at())
		}
	}
	for _, e := range w {
		i, found := v.find(e.Word)
		if !found {
			v = slices.Insert(v, i, Entry{Word: e.Word})
		}
		for _, p := range e.Pos {
			if n := len(v[i].Pos); n >= positionsMax || n > 0 && v[i].Pos[n-1].at() == positionMax {
				break
			}
			v[i].Pos = append(v[i].Pos, makePos(p.at()+last, p.weight()))
		}
	}
	return v
}

// filterVector keeps positions of the weights listed.
func filterVector(v Vector, c *types.Call) (Vector, error) {
	letters, err := elementsOf(types.CharOID, c.Args[1])
	if err != nil {
		return nil, err
	}
	var keep [4]bool
	for _, l := range letters {
		if l.IsNull() {
			return nil, pgerr.New(pgerr.NullValueNotAllowed, "weight array may not contain nulls")
		}
		w, ok := weightOf(l.Char())
		if !ok {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized weight: \"%s\"", string([]byte{l.Char()}))
		}
		keep[w] = true
	}
	var out Vector
	for _, e := range v {
		if e.Pos = slices.DeleteFunc(e.Pos, func(p Pos) bool { return !keep[p.weight()] }); len(e.Pos) > 0 {
			out = append(out, e)
		}
	}
	return out, nil
}

func vectorOfArray(c *types.Call) (types.Datum, error) {
	words, err := elementsOf(types.TextOID, c.Args[0])
	if err != nil {
		return types.Null, err
	}
	var v Vector
	for _, w := range words {
		if w.IsNull() {
			return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "lexeme array may not contain nulls")
		}
		if len(w.Str()) == 0 {
			return types.Null, pgerr.New(pgerr.ZeroLengthCharacterString, "lexeme array may not contain empty strings")
		}
		v = append(v, Entry{Word: w.Str()})
	}
	return v.normalize().Datum()
}

// unnested gives a tsvector's words, positions and weights.
type unnested struct {
	rest Vector
	desc *types.TupleDesc
}

func (u *unnested) Desc() *types.TupleDesc { return u.desc }

func (u *unnested) Next(row []types.Datum) (bool, error) {
	if len(u.rest) == 0 {
		return false, nil
	}
	e := u.rest[0]
	u.rest = u.rest[1:]
	row[0], row[1], row[2] = types.Text(e.Word), types.Null, types.Null
	if len(e.Pos) == 0 {
		return true, nil
	}
	var at, weights []types.Datum
	for _, p := range e.Pos {
		at = append(at, types.Int2(int16(p.at())))
		weights = append(weights, types.Text(string(weightLetter(p.weight()))))
	}
	info, _ := types.BuiltinType(types.Int2OID)
	row[1], row[2] = types.MakeArray(info, at), textArray(weights)
	return true, nil
}
