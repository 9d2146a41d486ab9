package types

import (
	"slices"
	"sort"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// json is its text, checked on input. jsonb is kept as the text that it prints: keys sorted (shorter first) and unique, one space after colons
// and commas, numbers as numeric prints them. Equal values have equal scales or not, so equality goes through the comparison.

func init() {
	registerIO("json_in", jsonIn, "json_out", textOut, "json_recv", jsonRecv, "json_send", textOut)
	registerIO("jsonb_in", jsonbIn, "jsonb_out", textOut, "jsonb_recv", jsonbRecv, "jsonb_send", jsonbSend)
	registerOrder("jsonb_", compareJSONB)
	registerCompare("jsonb_cmp", compareJSONB)
	registerHash("jsonb_hash", hashJSONB, "jsonb_hash_extended", hashJSONBExt)
}

func jsonIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	_, err := ParseJSON(s, false)
	return Text(s), err
}

func jsonRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	if err := CheckUTF8(b); err != nil {
		return Null, err
	}
	return jsonIn(env, io, string(b), typmod)
}

func jsonbIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	v, err := ParseJSON(s, true)
	if err != nil {
		return Null, err
	}
	return v.JSONB()
}

func jsonbRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	if len(b) == 0 {
		return Null, pgerr.New(pgerr.ProtocolViolation, "no data left in message")
	}
	if b[0] != 1 {
		return Null, pgerr.Internal("unsupported jsonb version number %d", b[0])
	}
	if err := CheckUTF8(b[1:]); err != nil {
		return Null, err
	}
	return jsonbIn(env, io, string(b[1:]), typmod)
}

func jsonbSend(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return append(append(dst, 1), d.Bytes()...), nil
}

// Normalize makes v what jsonb keeps: numbers as numeric, keys sorted and unique (the last value counts).
func (v *JSON) Normalize() error {
	v.Raw = ""
	if v.Kind == JSONNumber {
		n, err := ParseNumeric(v.Text)
		if err != nil {
			return err
		}
		v.Text = n.String()
	}
	for i := range v.Elems {
		if err := v.Elems[i].Normalize(); err != nil {
			return err
		}
	}
	if v.Kind == JSONObject {
		v.sortKeys()
	}
	return nil
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func (v *JSON) sortKeys() {
	order := make([]int, len(v.Keys))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return compareKeys(v.Keys[order[i]], v.Keys[order[j]]) < 0 })
	var keys []string
	var elems []JSON
	for i, o := range order {
		if i+1 < len(order) && v.Keys[order[i+1]] == v.Keys[o] {
			continue
		}
		keys, elems = append(keys, v.Keys[o]), append(elems, v.Elems[o])
	}
	v.Keys, v.Elems = keys, elems
}

// JSONB makes a jsonb datum of v, which it normalizes.
func (v *JSON) JSONB() (Datum, error) {
	if err := v.Normalize(); err != nil {
		return Null, err
	}
	return Bytes(v.Append(nil)), nil
}

// Append appends v as jsonb prints it.
func (v *JSON) Append(dst []byte) []byte {
	switch v.Kind {
	case JSONNull:
		return append(dst, "null"...)
	case JSONBool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case JSONNumber:
		return append(dst, v.Text...)
	case JSONString:
		return AppendJSONString(dst, v.Text)
	}
	brackets := "[]"
	if v.Kind == JSONObject {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if v.Kind == JSONObject {
			dst = append(AppendJSONString(dst, v.Keys[i]), ": "...)
		}
		dst = v.Elems[i].Append(dst)
	}
	return append(dst, brackets[1])
}

// JSONB parses a jsonb datum.
func (d Datum) JSONB() JSON {
	v, err := ParseJSON(d.Str(), true)
	if err != nil {
		panic("types: a jsonb value is damaged: " + err.Error())
	}
	return v
}

// Field finds the value of a key of an object that is normalized.
func (v *JSON) Field(key string) (*JSON, bool) {
	if v.Kind != JSONObject {
		return nil, false
	}
	i, ok := slices.BinarySearchFunc(v.Keys, key, compareKeys)
	if !ok {
		return nil, false
	}
	return &v.Elems[i], true
}

func compareJSONB(a, b Datum) int {
	x, y := a.JSONB(), b.JSONB()
	return x.compareRoot(&y)
}

// compareRoot compares whole values: a scalar counts as an array of one there, which sorts before a true array of one.
func (v *JSON) compareRoot(w *JSON) int {
	vs, ws := v.Kind < JSONArray, w.Kind < JSONArray
	if vs == ws || v.Kind == JSONObject || w.Kind == JSONObject {
		return v.Compare(w)
	}
	if vs {
		if len(w.Elems) == 0 {
			return 1
		}
		return -1
	}
	return -w.compareRoot(v)
}

// Compare orders values: by kind; containers by size, then member by member.
func (v *JSON) Compare(w *JSON) int {
	if v.Kind != w.Kind {
		return int(v.Kind) - int(w.Kind)
	}
	switch v.Kind {
	case JSONString:
		return strings.Compare(v.Text, w.Text)
	case JSONNumber:
		x, _ := ParseNumeric(v.Text)
		y, _ := ParseNumeric(w.Text)
		return CompareNumeric(x, y)
	case JSONBool:
		return boolInt(v.Bool) - boolInt(w.Bool)
	}
	if len(v.Elems) != len(w.Elems) {
		return len(v.Elems) - len(w.Elems)
	}
	for i := range v.Elems {
		if v.Kind == JSONObject {
			if c := strings.Compare(v.Keys[i], w.Keys[i]); c != 0 {
				return c
			}
		}
		if c := v.Elems[i].Compare(&w.Elems[i]); c != 0 {
			return c
		}
	}
	return 0
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

const (
	jsonbArrayFlag  = 0x40000000
	jsonbObjectFlag = 0x20000000
)

func hashJSONB(d Datum) uint32 {
	v := d.JSONB()
	if v.Kind >= JSONArray && len(v.Elems) == 0 {
		return 0
	}
	h := uint32(0)
	if v.Kind < JSONArray {
		h = jsonbArrayFlag
	}
	v.hash(&h)
	return h
}

func (v *JSON) hash(h *uint32) {
	mix := func(x uint32) { *h = (*h<<1 | *h>>31) ^ x }
	switch v.Kind {
	case JSONNull:
		mix(1)
	case JSONString:
		mix(HashBytes([]byte(v.Text)))
	case JSONNumber:
		n, _ := ParseNumeric(v.Text)
		d, _ := n.Datum(nil)
		f, _, _ := HashFor(nil, NumericOID, 0)
		mix(f(d))
	case JSONBool:
		mix(uint32(4 >> boolInt(v.Bool)))
	case JSONArray:
		*h ^= jsonbArrayFlag
	case JSONObject:
		*h ^= jsonbObjectFlag
	}
	for i := range v.Elems {
		if v.Kind == JSONObject {
			mix(HashBytes([]byte(v.Keys[i])))
		}
		v.Elems[i].hash(h)
	}
}

func hashJSONBExt(d Datum, seed uint64) uint64 {
	v := d.JSONB()
	if v.Kind >= JSONArray && len(v.Elems) == 0 {
		return seed
	}
	h := uint64(0)
	if v.Kind < JSONArray {
		h = jsonbArrayFlag<<32 | jsonbArrayFlag
	}
	v.hashExt(&h, seed)
	return h
}

func (v *JSON) hashExt(h *uint64, seed uint64) {
	mix := func(x uint64) { *h = (*h<<1&0xfffffffefffffffe | *h>>31&0x100000001) ^ x }
	switch v.Kind {
	case JSONNull:
		mix(seed + 1)
	case JSONString:
		mix(HashBytesExt([]byte(v.Text), seed))
	case JSONNumber:
		n, _ := ParseNumeric(v.Text)
		d, _ := n.Datum(nil)
		_, f, _ := HashFor(nil, NumericOID, 0)
		mix(f(d, seed))
	case JSONBool:
		if seed != 0 {
			mix(HashUint32Ext(uint32(boolInt(v.Bool)), seed))
		} else {
			mix(uint64(4 >> boolInt(v.Bool)))
		}
	case JSONArray:
		*h ^= jsonbArrayFlag<<32 | jsonbArrayFlag
	case JSONObject:
		*h ^= jsonbObjectFlag<<32 | jsonbObjectFlag
	}
	for i := range v.Elems {
		if v.Kind == JSONObject {
			mix(HashBytesExt([]byte(v.Keys[i]), seed))
		}
		v.Elems[i].hashExt(h, seed)
	}
}
