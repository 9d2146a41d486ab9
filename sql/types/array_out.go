package types

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// arrayOut writes "{1,2}", with the bounds in front when a lower bound is not 1.
func arrayOut(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	a, err := OpenArray(io.elem.Info, d)
	if err != nil {
		return dst, err
	}
	if len(a.Dims) == 0 {
		return append(dst, "{}"...), nil
	}
	for _, l := range a.Lower {
		if l != 1 {
			for i := range a.Dims {
				dst = strconv.AppendInt(append(dst, '['), int64(a.Lower[i]), 10)
				dst = strconv.AppendInt(append(dst, ':'), int64(a.Lower[i])+int64(a.Dims[i])-1, 10)
				dst = append(dst, ']')
			}
			dst = append(dst, '=')
			break
		}
	}
	w := arrayWriter{env: env, elem: io.elem, a: a}
	return w.level(dst, 0)
}

type arrayWriter struct {
	env  *Env
	elem *IO
	a    *Array
	next int
}

func (w *arrayWriter) level(dst []byte, depth int) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i := int32(0); i < w.a.Dims[depth]; i++ {
		if i > 0 {
			dst = append(dst, w.elem.Info.Delim)
		}
		if depth+1 < len(w.a.Dims) {
			dst, err = w.level(dst, depth+1)
		} else {
			dst, err = w.element(dst)
		}
		if err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (w *arrayWriter) element(dst []byte) ([]byte, error) {
	d := w.a.Elems[w.next]
	w.next++
	if d.IsNull() {
		return append(dst, "NULL"...), nil
	}
	start := len(dst)
	dst, err := w.elem.AppendText(w.env, dst, d)
	if err != nil || !needsArrayQuotes(dst[start:], w.elem.Info.Delim) {
		return dst, err
	}
	text := string(dst[start:])
	return appendQuoted(dst[:start], text), nil
}

func needsArrayQuotes(b []byte, delim byte) bool {
	if len(b) == 0 || len(b) == 4 && strings.EqualFold(string(b), "null") {
		return true
	}
	for _, c := range b {
		if c == '"' || c == '\\' || c == '{' || c == '}' || c == delim || isSpace(c) {
			return true
		}
	}
	return false
}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); i++ {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// arraySend: dimensions, flags, element type, then each dimension's length and lower bound, then the elements with their lengths.
func arraySend(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	a, err := OpenArray(io.elem.Info, d)
	if err != nil {
		return dst, err
	}
	flags := uint32(0)
	if binary.LittleEndian.Uint32(d.Bytes()[4:]) != 0 {
		flags = 1
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.Dims)))
	dst = binary.BigEndian.AppendUint32(dst, flags)
	dst = binary.BigEndian.AppendUint32(dst, uint32(a.ElemID))
	for i := range a.Dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(a.Dims[i]))
		dst = binary.BigEndian.AppendUint32(dst, uint32(a.Lower[i]))
	}
	for _, e := range a.Elems {
		if dst, err = appendSized(env, io.elem, dst, e); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendSized appends a value's binary form behind its length, -1 for null.
func appendSized(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	at := len(dst)
	dst = append(dst, 0xff, 0xff, 0xff, 0xff)
	if d.IsNull() {
		return dst, nil
	}
	dst, err := io.AppendBinary(env, dst, d)
	if err == nil {
		binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	}
	return dst, err
}

func arrayRecv(env *Env, io *IO, b []byte, typmod int32) (Datum, error) {
	r := reader{b: b}
	ndim, flags, elem := int32(r.uint32()), r.uint32(), OID(r.uint32())
	if r.short {
		return Null, badBinary()
	}
	switch {
	case ndim < 0:
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", ndim)
	case ndim > arrayDimsMax:
		return Null, tooManyDims(int(ndim))
	case flags > 1:
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "invalid array flags")
	case elem != io.elem.Info.OID:
		return Null, pgerr.New(pgerr.DatatypeMismatch, "binary data has array element type %d (%s) instead of expected %d (%s)",
			elem, FormatType(env, elem), io.elem.Info.OID, FormatType(env, io.elem.Info.OID))
	}
	dims, lower := make([]int32, ndim), make([]int32, ndim)
	count := int64(1)
	for i := range dims {
		dims[i], lower[i] = int32(r.uint32()), int32(r.uint32())
		if count *= int64(dims[i]); dims[i] < 0 || count > arrayElemsMax {
			return Null, checkItems(dims)
		}
	}
	if r.short || ndim > 0 && count*4 > int64(len(r.b)) {
		return Null, badBinary()
	}
	if err := checkUpper(dims, lower); err != nil {
		return Null, err
	}
	if ndim == 0 || count == 0 {
		if !io.Info.IsTrueArray() || io.Info.Storage == 'p' {
			return Bytes(vectorHead(elem, 0, 0)), nil
		}
		return EmptyArray(elem), nil
	}
	values := make([]Datum, count)
	for i := range values {
		var err error
		if values[i], err = r.sized(env, io.elem, typmod); err != nil {
			return Null, err
		}
	}
	if len(r.b) > 0 {
		return Null, pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	return BuildArray(io.elem.Info, values, dims, lower), nil
}

// reader takes a message apart; short says that it ended too early.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.short = true
		return make([]byte, max(min(n, 16), 0))
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) uint8() byte    { return r.bytes(1)[0] }
func (r *reader) uint16() uint16 { return binary.BigEndian.Uint16(r.bytes(2)) }
func (r *reader) uint32() uint32 { return binary.BigEndian.Uint32(r.bytes(4)) }
func (r *reader) uint64() uint64 { return binary.BigEndian.Uint64(r.bytes(8)) }

// sized reads a value behind its length.
func (r *reader) sized(env *Env, io *IO, typmod int32) (Datum, error) {
	n := int32(r.uint32())
	if n == -1 && !r.short {
		return Null, nil
	}
	if r.short || n < -1 || int(n) > len(r.b) {
		return Null, badBinary()
	}
	return io.Receive(env, r.bytes(int(n)), typmod)
}

// vectorIn reads numbers separated by spaces.
func vectorIn(env *Env, io *IO, s string, _ int32) (Datum, error) {
	var oids []OID
	var nums []int16
	for _, f := range strings.Fields(s) {
		if io.Info.OID == OidvectorOID {
			v, err := ParseOID(f)
			if err != nil {
				return Null, err
			}
			oids = append(oids, v)
			continue
		}
		v, err := ParseInt(f, 16, "smallint")
		if err != nil {
			return Null, err
		}
		nums = append(nums, int16(v))
	}
	if io.Info.OID == OidvectorOID {
		return MakeOidVector(oids), nil
	}
	return MakeInt2Vector(nums), nil
}

func vectorOut(_ *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
	if io.Info.OID == OidvectorOID {
		for i, o := range OidVector(d) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = strconv.AppendUint(dst, uint64(o), 10)
		}
		return dst, nil
	}
	for i, n := range Int2Vector(d) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	return dst, nil
}

// anyArrayOut prints a value whose type is only known to be an array (pg_statistic): by the element type in it.
func anyArrayOut(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	elem, err := IOFor(env, ArrayElemType(d))
	if err != nil {
		return dst, err
	}
	return arrayOut(env, &IO{Info: elem.Info, elem: elem}, dst, d)
}

func anyArraySend(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	elem, err := IOFor(env, ArrayElemType(d))
	if err != nil {
		return dst, err
	}
	return arraySend(env, &IO{Info: elem.Info, elem: elem}, dst, d)
}
