package funcs

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// unescape undoes COPY's text format.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case 'b':
				b.WriteByte('\b')
			case 'f':
				b.WriteByte('\f')
			case 'v':
				b.WriteByte('\v')
			default:
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

type fixedClock struct{ t int64 }

func (c fixedClock) TransactionStart() int64 { return c.t }
func (c fixedClock) StatementStart() int64   { return c.t }
func (c fixedClock) Now() int64              { return c.t }

func testEnv(t testing.TB) *types.Env {
	s := types.DefaultSettings
	loc, err := types.ParseTimeZone("America/New_York")
	if err != nil {
		t.Skip("no tz database")
	}
	s.TimeZone = loc
	return &types.Env{Settings: &s, Clock: fixedClock{types.TimestampTZFromTime(time.Now())}}
}

// knownDifferences are functions whose recorded samples hold integer overflows that PostgreSQL does not check: ages of infinite timestamps, and
// make_interval beyond the range. Here these are errors. So is xml, which is not built. btvarstrequalimage was recorded
// without a collation.
var knownDifferences = map[string]bool{"timestamp_age": true, "timestamptz_age": true, "make_interval": true, "texttoxml": true,
	"btvarstrequalimage": true}

// TestRecordedCalls calls every function that has an implementation with arguments whose results a PostgreSQL server recorded.
func TestRecordedCalls(t *testing.T) {
	path := os.Getenv("CALF_CALLS")
	if path == "" {
		path = "testdata/calls.txt"
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	env := testEnv(t)
	missing, failed := map[string]int{}, map[string]int{}
	done := 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		fields := strings.Split(sc.Text(), "\t")
		name := fields[0]
		fn, ok := types.LookupFunc(name)
		if !ok {
			missing[name]++
			continue
		}
		done++
		want := unescape(fields[4])
		if fields[4] == `\N` {
			want = "NULL"
		}
		got := callRecorded(env, fn, fields)
		if strings.HasSuffix(name, "cmp") {
			got, want = sign(got), sign(want)
		}
		if strings.Contains(got, "is not supported yet") || strings.Contains(got, "without a catalog") {
			missing[name]++
			continue
		}
		if got != want && !knownDifferences[name] {
			failed[name]++
			if failed[name] <= 3 {
				t.Errorf("%s(%s)\n got  %s\n want %s", name, unescape(fields[3]), got, want)
			}
		}
	}
	var names []string
	for n := range missing {
		names = append(names, n)
	}
	sort.Strings(names)
	t.Logf("%d calls checked, %d functions fail, %d functions missing: %s", done, len(failed), len(missing), strings.Join(names, " "))
}

func callRecorded(env *types.Env, fn types.Func, fields []string) (result string) {
	defer func() {
		if r := recover(); r != nil {
			result = fmt.Sprint("PANIC ", r)
		}
	}()
	c := &types.Call{Env: env, Collation: 100}
	ret, _ := strconv.Atoi(fields[2])
	c.RetType = types.OID(ret)
	arr, err := types.Input(env, types.TextArrayOID, -1, unescape(fields[3]))
	if err != nil {
		return "args: " + err.Error()
	}
	text, _ := types.BuiltinType(types.TextOID)
	args, _ := types.ArrayElements(text, arr, nil)
	for i, a := range strings.Split(fields[1], ",") {
		typ, _ := strconv.Atoi(a)
		d, err := types.Input(env, types.OID(typ), -1, args[i].Str())
		if err != nil {
			return errorText(err)
		}
		c.Args = append(c.Args, d)
		c.ArgTypes = append(c.ArgTypes, types.OID(typ))
	}
	d, err := fn(c)
	if err != nil {
		return errorText(err)
	}
	if d.IsNull() {
		return "NULL"
	}
	if c.RetType == types.InetOID { // the recording casts to text, which always has the mask
		if d, err = types.CallFunc(env, "network_show", d); err != nil {
			return errorText(err)
		}
		return d.Str()
	}
	s, err := types.Output(env, c.RetType, d)
	if err != nil {
		return errorText(err)
	}
	if c.RetType == types.BoolOID {
		return map[string]string{"t": "true", "f": "false"}[s]
	}
	if c.RetType == types.BpcharOID {
		s = strings.TrimRight(s, " ") // the recording casts to text
	}
	return s
}

// sign keeps of a comparison's result what counts.
func sign(s string) string {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil:
		return s
	case n < 0:
		return "-"
	case n > 0:
		return "+"
	}
	return "0"
}

func errorText(err error) string {
	e := pgerr.From(err)
	return fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
}
