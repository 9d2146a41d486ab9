package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Dates and times in jsonpath: the method datetime(), comparison, and the text of ISO 8601.

// pathTimeTemplates are tried in order when datetime() has no template.
var pathTimeTemplates = func() [][]templateNode {
	var out [][]templateNode
	for _, t := range []string{"yyyy-mm-dd", "HH24:MI:SS.USTZH:TZM", "HH24:MI:SS.USTZH", "HH24:MI:SSTZH:TZM", "HH24:MI:SSTZH", "HH24:MI:SS.US",
		"HH24:MI:SS", "yyyy-mm-dd HH24:MI:SS.USTZH:TZM", "yyyy-mm-dd HH24:MI:SS.USTZH", "yyyy-mm-dd HH24:MI:SSTZH:TZM",
		"yyyy-mm-dd HH24:MI:SSTZH", "yyyy-mm-dd\"T\"HH24:MI:SS.USTZH:TZM", "yyyy-mm-dd\"T\"HH24:MI:SS.USTZH",
		"yyyy-mm-dd\"T\"HH24:MI:SSTZH:TZM", "yyyy-mm-dd\"T\"HH24:MI:SSTZH", "yyyy-mm-dd HH24:MI:SS.US", "yyyy-mm-dd HH24:MI:SS",
		"yyyy-mm-dd\"T\"HH24:MI:SS.US", "yyyy-mm-dd\"T\"HH24:MI:SS"} {
		nodes, err := parseTemplate(t, true)
		if err != nil {
			panic("funcs: a template of datetime() is wrong: " + t)
		}
		out = append(out, nodes)
	}
	return out
}()

func (r *pathRun) datetime(it *types.PathItem, v pathValue, found *[]pathValue) pathResult {
	if !v.is(types.JSONString) {
		return r.fail(pgerr.InvalidArgumentForSqlJsonDatetimeFunction, "jsonpath item method .%s() can only be applied to a string", it.Str)
	}
	if it.Left != nil {
		nodes, err := parseTemplate(it.Left.Str, true)
		if err != nil {
			return r.raise(err)
		}
		t, err := pathTime(v.v.Text, nodes)
		if err != nil {
			return r.failWith(err)
		}
		return r.next(it, t, found)
	}
	for _, nodes := range pathTimeTemplates {
		if t, err := pathTime(v.v.Text, nodes); err == nil {
			return r.next(it, t, found)
		}
	}
	return r.failWith(pgerr.New(pgerr.InvalidArgumentForSqlJsonDatetimeFunction, "datetime format is not recognized: \"%s\"", v.v.Text).
		WithHint("Use a datetime template argument to specify the input data format."))
}

// templateParts says what a template reads: a date, a time, a zone.
func templateParts(nodes []templateNode) (dated, timed, zoned bool, err error) {
	for i := range nodes {
		n := &nodes[i]
		if n.kind != nodeKey {
			continue
		}
		switch id := n.key.id; id {
		case "FX":
		case "A.M.", "P.M.", "AM", "PM", "HH", "HH12", "HH24", "MI", "SS", "MS", "US", "SSSS":
			timed = true
		case "TZ", "OF":
			return false, false, false, pgerr.New(pgerr.FeatureNotSupported, "formatting field \"%s\" is only supported in to_char", n.key.name)
		case "TZH", "TZM":
			zoned = true
		default:
			if strings.HasPrefix(id, "FF") {
				timed = true
			} else {
				dated = true
			}
		}
	}
	return dated, timed, zoned, nil
}

// pathTime reads a text strictly by a template; the template's fields choose the type.
func pathTime(s string, nodes []templateNode) (pathValue, error) {
	p, err := parseByTemplate(s, nodes, true)
	if err != nil {
		return pathValue{}, err
	}
	dated, timed, zoned, err := templateParts(nodes)
	if err != nil {
		return pathValue{}, err
	}
	precision := int32(-1)
	if p.f.ff != 0 {
		precision = int32(p.f.ff)
	}
	missingZone := func(typ string) error { return badDatetime("missing time zone in input string for type %s", typ) }
	outOfRange := func(typ string) error { return pgerr.New(pgerr.DatetimeValueOutOfRange, "%s out of range", typ) }
	v := pathValue{isTime: true, west: p.dt.West}
	clock := types.RoundUsec(((int64(p.dt.Hour)*60+int64(p.dt.Min))*60+int64(p.dt.Sec))*1000000+int64(p.dt.Usec), precision)
	switch {
	case dated && timed:
		t, ok := p.dt.Timestamp()
		v.typ = types.TimestampOID
		if zoned {
			v.typ = types.TimestamptzOID
			if !p.hasZone {
				return v, missingZone("timestamptz")
			}
			t += int64(p.dt.West) * 1000000
			if !ok || !types.TimestampInRange(t) {
				return v, outOfRange("timestamptz")
			}
		} else if !ok {
			return v, outOfRange("timestamp")
		}
		v.d = types.Int8(types.RoundUsec(t, precision))
	case dated && zoned:
		return v, badDatetime("datetime format is zoned but not timed")
	case dated:
		d, ok := p.dt.Date()
		if !ok {
			return v, pgerr.New(pgerr.DatetimeValueOutOfRange, "date out of range: \"%s\"", s)
		}
		v.typ, v.d = types.DateOID, types.Int4(d)
	case timed && zoned:
		if !p.hasZone {
			return v, missingZone("timetz")
		}
		v.typ, v.d = types.TimetzOID, types.MakeTimeTZ(nil, clock, int32(p.dt.West))
	case timed:
		v.typ, v.d = types.TimeOID, types.Int8(clock)
	default:
		return v, badDatetime("datetime format is not dated and not timed")
	}
	return v, nil
}

var pathTimeNames = map[types.OID]string{types.DateOID: "date", types.TimeOID: "time", types.TimetzOID: "timetz", types.TimestampOID: "timestamp",
	types.TimestamptzOID: "timestamptz"}

// compareTimes compares dates and times; ok is false when the types do not compare. A conversion that needs the session's zone is an error where
// that was not asked for.
func (r *pathRun) compareTimes(a, b pathValue) (int, bool) {
	isClock := func(t types.OID) bool { return t == types.TimeOID || t == types.TimetzOID }
	if isClock(a.typ) != isClock(b.typ) {
		return 0, false
	}
	zoned := func(t types.OID) bool { return t == types.TimetzOID || t == types.TimestamptzOID }
	if zoned(a.typ) != zoned(b.typ) && !r.useTZ {
		from, to := a.typ, b.typ
		if zoned(from) {
			from, to = to, from
		}
		r.raise(pgerr.New(pgerr.FeatureNotSupported, "cannot convert value from %s to %s without time zone usage", pathTimeNames[from],
			pathTimeNames[to]).WithHint("Use *_tz() function for time zone support."))
		return 0, false
	}
	call := func(fn string, args ...types.Datum) types.Datum {
		d, err := types.CallFunc(r.env, fn, args...)
		if err != nil {
			r.raise(err)
			return types.Int4(0)
		}
		return d
	}
	if isClock(a.typ) {
		if a.typ == b.typ {
			return int(call(pathTimeNames[a.typ]+"_cmp", a.d, b.d).Int4()), true
		}
		for _, v := range []*pathValue{&a, &b} {
			if v.typ == types.TimeOID {
				v.d = call("time_timetz", v.d)
			}
		}
		return int(call("timetz_cmp", a.d, b.d).Int4()), r.err == nil
	}
	name := pathTimeNames[a.typ] + "_cmp_" + pathTimeNames[b.typ]
	switch {
	case a.typ == types.DateOID && b.typ == types.DateOID:
		name = "date_cmp"
	case a.typ == b.typ:
		name = "timestamp_cmp"
	}
	return int(call(name, a.d, b.d).Int4()), r.err == nil
}

// typeName is what type() gives.
func (p pathValue) typeName() string {
	if p.isTime {
		return map[types.OID]string{types.DateOID: "date", types.TimeOID: "time without time zone", types.TimetzOID: "time with time zone",
			types.TimestampOID: "timestamp without time zone", types.TimestamptzOID: "timestamp with time zone"}[p.typ]
	}
	return map[types.JSONKind]string{types.JSONNull: "null", types.JSONString: "string", types.JSONNumber: "number", types.JSONBool: "boolean",
		types.JSONArray: "array", types.JSONObject: "object"}[p.v.Kind]
}

// json is the value as JSON; a date and time is a string, in the zone that it was written with.
func (p pathValue) json() types.JSON {
	if !p.isTime {
		return *p.v
	}
	s := *types.DefaultISO()
	typ, d := p.typ, p.d
	if typ == types.TimestamptzOID {
		s.TimeZone = types.FixedZone("", -p.west)
	}
	text, err := types.Output(&types.Env{Settings: &s}, typ, d)
	if err != nil {
		return types.JSON{Kind: types.JSONNull}
	}
	if typ == types.TimestampOID || typ == types.TimestamptzOID {
		text = strings.Replace(text, " ", "T", 1)
	}
	if typ == types.TimestamptzOID || typ == types.TimetzOID {
		text = withMinutes(text)
	}
	return types.JSON{Kind: types.JSONString, Text: text}
}

// withMinutes completes an offset of hours: +05 becomes +05:00.
func withMinutes(s string) string {
	if i := strings.LastIndexAny(s, "+-"); i >= 0 && len(s)-i == 3 {
		return s + ":00"
	}
	return s
}
