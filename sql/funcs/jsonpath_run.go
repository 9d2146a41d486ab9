package funcs

import (
	"math"
	"strings"

	"github.com/calfdb/calf/sql/funcs/are"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// pathValue is a value that a path reaches: JSON, or a date and time.
type pathValue struct {
	v      *types.JSON
	isTime bool
	typ    types.OID // of a date and time
	d      types.Datum
	west   int // seconds, of the zone that a timestamptz was written with
}

func numberValue(n types.Numeric) pathValue {
	return pathValue{v: &types.JSON{Kind: types.JSONNumber, Text: n.String()}}
}

func (p pathValue) is(k types.JSONKind) bool { return !p.isTime && p.v.Kind == k }

func (p pathValue) numeric() types.Numeric {
	n, _ := types.ParseNumeric(p.v.Text)
	return n
}

// pathResult is what a step gave; pathError is an error that the mode may suppress.
type pathResult uint8

const (
	pathOK pathResult = iota
	pathNotFound
	pathError
)

// pathTruth is a predicate's value.
type pathTruth uint8

const (
	pathFalse pathTruth = iota
	pathTrue
	pathUnknown
)

func truth(b bool) pathTruth {
	if b {
		return pathTrue
	}
	return pathFalse
}

// baseObject is what ids of keyvalue() are counted from.
type baseObject struct {
	root *types.JSON
	id   int64
}

// pathRun evaluates one path over one value. Steps take a list of values found; a nil list asks only whether there is one.
type pathRun struct {
	env  *types.Env
	path *types.JSONPath
	vars *types.JSON

	root, current    pathValue
	base             baseObject
	generated        int64 // ids given to objects that keyvalue() made
	offsets          map[*types.JSON]map[*types.JSON]int64
	regexes          map[*types.PathItem]*are.Regexp
	arraySize        int // of the innermost subscript, for last
	depth            int
	lax              bool
	ignoreStructural bool
	throw            bool
	useTZ            bool
	err              error // ends the evaluation
}

// fail is an error of the data: raised, or suppressed.
func (r *pathRun) fail(code pgerr.Code, format string, args ...any) pathResult {
	return r.failWith(pgerr.New(code, format, args...))
}

func (r *pathRun) failWith(err error) pathResult {
	if r.throw {
		r.raise(err)
	}
	return pathError
}

// raise is an error that no mode suppresses.
func (r *pathRun) raise(err error) pathResult {
	if r.err == nil {
		r.err = err
	}
	return pathError
}

func (r *pathRun) item(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	return r.unwrapping(it, v, found, r.lax)
}

// next goes on to the following item, or takes the value.
func (r *pathRun) next(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	if it.Next != nil {
		return r.item(it.Next, v, found)
	}
	if found != nil {
		*found = append(*found, v)
	}
	return pathOK
}

const pathRunDepthMax = 2000

// unwrapping runs one item; with unwrap an item for other kinds looks into the elements of an array.
func (r *pathRun) unwrapping(it *types.PathItem, v pathValue, found *[]pathValue, unwrap bool) pathResult {
	if r.depth++; r.depth > pathRunDepthMax {
		return r.raise(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
	}
	defer func() { r.depth-- }()
	if err := r.env.Poll(); err != nil {
		return r.raise(err)
	}
	if r.err != nil {
		return pathError
	}
	switch it.Kind {
	case types.PathAnd, types.PathOr, types.PathNot, types.PathIsUnknown, types.PathCompare, types.PathExists, types.PathStartsWith,
		types.PathLikeRegex:
		return r.truthValue(it, r.predicate(it, v), found)
	case types.PathRoot:
		saved := r.base
		r.base = baseObject{r.root.v, 0}
		res := r.next(it, r.root, found)
		r.base = saved
		return res
	case types.PathCurrent:
		return r.next(it, r.current, found)
	case types.PathArith:
		return r.arithmetic(it, v, found)
	case types.PathUnary:
		return r.unary(it, v, found)
	case types.PathNull, types.PathBool, types.PathNumber, types.PathString, types.PathVariable:
		return r.literal(it, found)
	case types.PathLast:
		return r.next(it, numberValue(types.NumericFromInt64(int64(r.arraySize)-1)), found)
	case types.PathKey, types.PathAnyKey, types.PathFilter, types.PathDatetime:
		if unwrap && v.is(types.JSONArray) {
			return r.elements(it, v, found, false)
		}
	case types.PathMethod:
		if unwrap && v.is(types.JSONArray) && it.Str != "type" && it.Str != "size" {
			return r.elements(it, v, found, false)
		}
	}
	return r.accessor(it, v, found)
}

func (r *pathRun) accessor(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	switch it.Kind {
	case types.PathKey:
		return r.key(it, v, found)
	case types.PathAnyKey:
		if v.is(types.JSONObject) {
			return r.anyItem(it.Next, v, found, 1, 1, 1, false, r.lax)
		}
		if !r.ignoreStructural {
			return r.fail(pgerr.SqlJsonObjectNotFound, "jsonpath wildcard member accessor can only be applied to an object")
		}
	case types.PathAnyArray:
		switch {
		case v.is(types.JSONArray):
			return r.elements(it.Next, v, found, r.lax)
		case r.lax:
			return r.next(it, v, found)
		case !r.ignoreStructural:
			return r.fail(pgerr.SqlJsonArrayNotFound, "jsonpath wildcard array accessor can only be applied to an array")
		}
	case types.PathIndexArray:
		return r.subscripts(it, v, found)
	case types.PathAny:
		return r.anyLevels(it, v, found)
	case types.PathFilter:
		saved := r.current
		r.current = v
		ok := r.predicate(it.Left, v)
		r.current = saved
		if ok == pathTrue {
			return r.next(it, v, found)
		}
	case types.PathMethod:
		return r.method(it, v, found)
	case types.PathDatetime:
		return r.datetime(it, v, found)
	}
	return pathNotFound
}

// elements runs an item over an array's elements; nil takes them.
func (r *pathRun) elements(it *types.PathItem, v pathValue, found *[]pathValue, unwrap bool) pathResult {
	return r.anyItem(it, v, found, 1, 1, 1, false, unwrap)
}

// anyItem runs an item over the members at levels first to last.
func (r *pathRun) anyItem(it *types.PathItem, v pathValue, found *[]pathValue, level, first, last uint32, ignore, unwrap bool) pathResult {
	res := pathNotFound
	if level > last {
		return res
	}
	if r.depth++; r.depth > pathRunDepthMax {
		return r.raise(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
	}
	defer func() { r.depth-- }()
	for i := range v.v.Elems {
		e := pathValue{v: &v.v.Elems[i]}
		container := e.v.Kind >= types.JSONArray
		if level >= first || first == types.PathAnyLevel && last == types.PathAnyLevel && !container {
			switch {
			case it != nil:
				saved := r.ignoreStructural
				r.ignoreStructural = saved || ignore
				res = r.unwrapping(it, e, found, unwrap)
				r.ignoreStructural = saved
				if res == pathError || res == pathOK && found == nil {
					return res
				}
			case found == nil:
				return pathOK
			default:
				*found = append(*found, e)
			}
		}
		if level < last && container {
			res = r.anyItem(it, e, found, level+1, first, last, ignore, unwrap)
			if res == pathError || res == pathOK && found == nil {
				return res
			}
		}
	}
	return res
}

func (r *pathRun) key(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	if !v.is(types.JSONObject) {
		if !r.ignoreStructural {
			return r.fail(pgerr.SqlJsonMemberNotFound, "jsonpath member accessor can only be applied to an object")
		}
		return pathNotFound
	}
	if e, ok := v.v.Field(it.Str); ok {
		return r.next(it, pathValue{v: e}, found)
	}
	if !r.ignoreStructural {
		return r.fail(pgerr.SqlJsonMemberNotFound, "JSON object does not contain key \"%s\"", it.Str)
	}
	return pathNotFound
}

func (r *pathRun) subscripts(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	if !v.is(types.JSONArray) && !r.lax {
		if !r.ignoreStructural {
			return r.fail(pgerr.SqlJsonArrayNotFound, "jsonpath array accessor can only be applied to an array")
		}
		return pathNotFound
	}
	size := 1
	if v.is(types.JSONArray) {
		size = len(v.v.Elems)
	}
	saved := r.arraySize
	r.arraySize = size
	defer func() { r.arraySize = saved }()
	res := pathNotFound
	for _, sub := range it.Subs {
		from, ok := r.index(sub[0], v)
		if !ok {
			return pathError
		}
		to := from
		if sub[1] != nil {
			if to, ok = r.index(sub[1], v); !ok {
				return pathError
			}
		}
		if !r.ignoreStructural && (from < 0 || from > to || to >= size) {
			return r.fail(pgerr.InvalidSqlJsonSubscript, "jsonpath array subscript is out of bounds")
		}
		res = pathNotFound
		for i := max(from, 0); i <= min(to, size-1); i++ {
			e := v
			if v.is(types.JSONArray) {
				e = pathValue{v: &v.v.Elems[i]}
			}
			if it.Next == nil && found == nil {
				return pathOK
			}
			if res = r.next(it, e, found); res == pathError || res == pathOK && found == nil {
				return res
			}
		}
	}
	return res
}

// index evaluates a subscript.
func (r *pathRun) index(it *types.PathItem, v pathValue) (int, bool) {
	found := []pathValue{}
	if r.item(it, v, &found) == pathError {
		return 0, false
	}
	if len(found) != 1 || !found[0].is(types.JSONNumber) {
		r.fail(pgerr.InvalidSqlJsonSubscript, "jsonpath array subscript is not a single numeric value")
		return 0, false
	}
	n, err := types.NumericToInt4(found[0].numeric().Truncate(0))
	if err != nil {
		r.fail(pgerr.InvalidSqlJsonSubscript, "jsonpath array subscript is out of integer range")
		return 0, false
	}
	return int(n), true
}

func (r *pathRun) anyLevels(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	res := pathNotFound
	if it.First == 0 {
		saved := r.ignoreStructural
		r.ignoreStructural = true
		res = r.next(it, v, found)
		r.ignoreStructural = saved
		if res == pathOK && found == nil {
			return res
		}
	}
	if !v.isTime && v.v.Kind >= types.JSONArray {
		return r.anyItem(it.Next, v, found, 1, it.First, it.Last, true, r.lax)
	}
	return res
}

func (r *pathRun) literal(it *types.PathItem, found *[]pathValue) pathResult {
	v := &types.JSON{Kind: types.JSONNull}
	saved := r.base
	switch it.Kind {
	case types.PathBool:
		v = &types.JSON{Kind: types.JSONBool, Bool: it.Bool}
	case types.PathNumber:
		v = &types.JSON{Kind: types.JSONNumber, Text: it.Num.String()}
	case types.PathString:
		v = &types.JSON{Kind: types.JSONString, Text: it.Str}
	case types.PathVariable:
		if r.vars != nil {
			e, ok := r.vars.Field(it.Str)
			if !ok {
				return r.raise(pgerr.New(pgerr.UndefinedObject, "could not find jsonpath variable \"%s\"", it.Str))
			}
			v = e
			r.base = baseObject{r.vars, 1}
		}
	}
	res := r.next(it, pathValue{v: v}, found)
	r.base = saved
	return res
}

func (r *pathRun) truthValue(it *types.PathItem, t pathTruth, found *[]pathValue) pathResult {
	if r.err != nil {
		return pathError
	}
	v := &types.JSON{Kind: types.JSONBool, Bool: t == pathTrue}
	if t == pathUnknown {
		v = &types.JSON{Kind: types.JSONNull}
	}
	return r.next(it, pathValue{v: v}, found)
}

// operand evaluates an operand; with unwrap arrays give their elements in lax mode.
func (r *pathRun) operand(it *types.PathItem, v pathValue, unwrap bool) ([]pathValue, pathResult) {
	found := []pathValue{}
	res := r.item(it, v, &found)
	if res == pathError || !unwrap || !r.lax {
		return found, res
	}
	flat := make([]pathValue, 0, len(found))
	for _, f := range found {
		if !f.is(types.JSONArray) {
			flat = append(flat, f)
			continue
		}
		for i := range f.v.Elems {
			flat = append(flat, pathValue{v: &f.v.Elems[i]})
		}
	}
	return flat, pathOK
}

// quietly is operand with errors suppressed, for predicates.
func (r *pathRun) quietly(it *types.PathItem, v pathValue, unwrap bool) ([]pathValue, pathResult) {
	saved := r.throw
	r.throw = false
	found, res := r.operand(it, v, unwrap)
	r.throw = saved
	return found, res
}

func (r *pathRun) predicate(it *types.PathItem, v pathValue) pathTruth {
	if r.depth++; r.depth > pathRunDepthMax {
		r.raise(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
		return pathUnknown
	}
	defer func() { r.depth-- }()
	switch it.Kind {
	case types.PathAnd, types.PathOr:
		decisive := truth(it.Kind == types.PathOr)
		a := r.predicate(it.Left, v)
		if a == decisive {
			return a
		}
		if b := r.predicate(it.Right, v); b == decisive || b == pathUnknown {
			return b
		}
		return a
	case types.PathNot:
		switch r.predicate(it.Left, v) {
		case pathTrue:
			return pathFalse
		case pathFalse:
			return pathTrue
		}
		return pathUnknown
	case types.PathIsUnknown:
		return truth(r.predicate(it.Left, v) == pathUnknown)
	case types.PathCompare:
		return r.compareAll(it, v, true, func(a, b pathValue) pathTruth { return r.compare(it.Str, a, b) })
	case types.PathStartsWith:
		return r.compareAll(it, v, false, func(a, b pathValue) pathTruth {
			if !a.is(types.JSONString) || !b.is(types.JSONString) {
				return pathUnknown
			}
			return truth(strings.HasPrefix(a.v.Text, b.v.Text))
		})
	case types.PathLikeRegex:
		return r.compareAll(it, v, false, func(a, _ pathValue) pathTruth { return r.likeRegex(it, a) })
	case types.PathExists:
		return r.exists(it.Left, v)
	}
	r.raise(pgerr.Internal("invalid boolean jsonpath item"))
	return pathUnknown
}

func (r *pathRun) exists(it *types.PathItem, v pathValue) pathTruth {
	if !r.lax {
		found, res := r.quietly(it, v, false)
		if res == pathError {
			return pathUnknown
		}
		return truth(len(found) > 0)
	}
	saved := r.throw
	r.throw = false
	res := r.item(it, v, nil)
	r.throw = saved
	if res == pathError {
		return pathUnknown
	}
	return truth(res == pathOK)
}

// compareAll tests all pairs of two sequences: in lax mode one that is true decides, in strict mode one that is unknown.
func (r *pathRun) compareAll(it *types.PathItem, v pathValue, unwrapRight bool, test func(a, b pathValue) pathTruth) pathTruth {
	left, res := r.quietly(it.Left, v, true)
	if res == pathError {
		return pathUnknown
	}
	right := []pathValue{{}}
	if it.Right != nil {
		if right, res = r.quietly(it.Right, v, unwrapRight); res == pathError {
			return pathUnknown
		}
	}
	isTrue, isUnknown := false, false
	for _, a := range left {
		for _, b := range right {
			switch test(a, b) {
			case pathUnknown:
				if !r.lax {
					return pathUnknown
				}
				isUnknown = true
			case pathTrue:
				if r.lax {
					return pathTrue
				}
				isTrue = true
			}
		}
	}
	switch {
	case isTrue:
		return pathTrue
	case isUnknown:
		return pathUnknown
	}
	return pathFalse
}

func (r *pathRun) likeRegex(it *types.PathItem, v pathValue) pathTruth {
	if !v.is(types.JSONString) {
		return pathUnknown
	}
	re := r.regexes[it]
	if re == nil {
		var err error
		if re, err = compilePathRegex(it.Str, it.Flags); err != nil {
			r.raise(err)
			return pathUnknown
		}
		if r.regexes == nil {
			r.regexes = map[*types.PathItem]*are.Regexp{}
		}
		r.regexes[it] = re
	}
	ok, err := re.Match(v.v.Text, r.env.Poll)
	if err != nil {
		r.raise(err)
		return pathUnknown
	}
	return truth(ok)
}

// compare orders two scalars of one kind; null is different from all others.
func (r *pathRun) compare(op string, a, b pathValue) pathTruth {
	var c int
	switch {
	case a.isTime && b.isTime:
		var ok bool
		if c, ok = r.compareTimes(a, b); !ok {
			return pathUnknown
		}
	case a.isTime || b.isTime || a.v.Kind != b.v.Kind:
		if a.is(types.JSONNull) || b.is(types.JSONNull) {
			return truth(op == "!=")
		}
		return pathUnknown
	case a.v.Kind >= types.JSONArray:
		return pathUnknown
	default:
		c = a.v.Compare(b.v)
	}
	switch op {
	case "==":
		return truth(c == 0)
	case "!=":
		return truth(c != 0)
	case "<":
		return truth(c < 0)
	case ">":
		return truth(c > 0)
	case "<=":
		return truth(c <= 0)
	}
	return truth(c >= 0)
}

var pathArithmetic = map[string]string{"+": "numeric_add", "-": "numeric_sub", "*": "numeric_mul", "/": "numeric_div", "%": "numeric_mod"}

func (r *pathRun) arithmetic(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	left, res := r.operand(it.Left, v, true)
	if res == pathError {
		return res
	}
	right, res := r.operand(it.Right, v, true)
	if res == pathError {
		return res
	}
	var args [2]types.Datum
	for i, seq := range [][]pathValue{left, right} {
		if len(seq) != 1 || !seq[0].is(types.JSONNumber) {
			return r.fail(pgerr.SingletonSqlJsonItemRequired, "%s operand of jsonpath operator %s is not a single numeric value",
				[]string{"left", "right"}[i], it.Str)
		}
		args[i], _ = seq[0].numeric().Datum(nil)
	}
	d, err := types.CallFunc(r.env, pathArithmetic[it.Str], args[0], args[1])
	if err != nil {
		return r.failWith(err)
	}
	return r.next(it, numberValue(d.Numeric()), found)
}

func (r *pathRun) unary(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	seq, res := r.operand(it.Left, v, true)
	if res == pathError {
		return res
	}
	res = pathNotFound
	for _, e := range seq {
		if !e.is(types.JSONNumber) {
			if found == nil && it.Next == nil {
				continue
			}
			return r.fail(pgerr.SqlJsonNumberNotFound, "operand of unary jsonpath operator %s is not a numeric value", it.Str)
		}
		if found == nil && it.Next == nil {
			return pathOK
		}
		if it.Str == "-" {
			e = numberValue(e.numeric().Negate())
		}
		switch r.next(it, e, found) {
		case pathError:
			return pathError
		case pathOK:
			if found == nil {
				return pathOK
			}
			res = pathOK
		}
	}
	return res
}

func (r *pathRun) method(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	switch it.Str {
	case "type":
		return r.next(it, pathValue{v: &types.JSON{Kind: types.JSONString, Text: v.typeName()}}, found)
	case "size":
		size := 1
		if v.is(types.JSONArray) {
			size = len(v.v.Elems)
		} else if !r.lax {
			if !r.ignoreStructural {
				return r.fail(pgerr.SqlJsonArrayNotFound, "jsonpath item method .%s() can only be applied to an array", it.Str)
			}
			return pathNotFound
		}
		return r.next(it, numberValue(types.NumericFromInt64(int64(size))), found)
	case "double":
		return r.double(it, v, found)
	case "keyvalue":
		return r.keyValue(it, v, found)
	}
	if !v.is(types.JSONNumber) {
		return r.fail(pgerr.NonNumericSqlJsonItem, "jsonpath item method .%s() can only be applied to a numeric value", it.Str)
	}
	arg, _ := v.numeric().Datum(nil)
	fn := map[string]string{"abs": "numeric_abs", "floor": "numeric_floor", "ceiling": "numeric_ceil"}[it.Str]
	d, err := types.CallFunc(r.env, fn, arg)
	if err != nil {
		return r.raise(err)
	}
	return r.next(it, numberValue(d.Numeric()), found)
}

func (r *pathRun) double(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	switch {
	case v.is(types.JSONNumber):
		f, _, err := types.ParseFloat(v.v.Text, v.v.Text, "double precision", 64, true)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return r.fail(pgerr.NonNumericSqlJsonItem,
				"numeric argument of jsonpath item method .%s() is out of range for type double precision", it.Str)
		}
	case v.is(types.JSONString):
		f, _, err := types.ParseFloat(v.v.Text, v.v.Text, "double precision", 64, true)
		if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return r.fail(pgerr.NonNumericSqlJsonItem,
				"string argument of jsonpath item method .%s() is not a valid representation of a double precision number", it.Str)
		}
		d, err := types.CallFunc(r.env, "float8_numeric", types.Float8(f))
		if err != nil {
			return r.raise(err)
		}
		v = numberValue(d.Numeric())
	default:
		return r.fail(pgerr.NonNumericSqlJsonItem, "jsonpath item method .%s() can only be applied to a string or numeric value", it.Str)
	}
	return r.next(it, v, found)
}

// keyValue makes an object of key, value and id for each member. An id names the object by its place in the value that it is in.
func (r *pathRun) keyValue(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	if !v.is(types.JSONObject) {
		return r.fail(pgerr.SqlJsonObjectNotFound, "jsonpath item method .%s() can only be applied to an object", it.Str)
	}
	res := pathNotFound
	id := r.base.id*10000000000 + r.offset(v.v)
	for i := range v.v.Elems {
		if it.Next == nil && found == nil {
			return pathOK
		}
		obj := &types.JSON{Kind: types.JSONObject, Keys: []string{"id", "key", "value"}, Elems: []types.JSON{
			{Kind: types.JSONNumber, Text: types.NumericFromInt64(id).String()}, {Kind: types.JSONString, Text: v.v.Keys[i]}, v.v.Elems[i]}}
		saved := r.base
		r.base = baseObject{obj, r.generated}
		r.generated++
		res = r.next(it, pathValue{v: obj}, found)
		r.base = saved
		if res == pathError || res == pathOK && found == nil {
			return res
		}
	}
	return res
}
