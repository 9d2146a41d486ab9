package tuple

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/calfdb/calf/sql/types"
)

func attr(typ types.OID, length int16, byVal bool, align, storage byte) types.Attr {
	return types.Attr{TypeOID: typ, TypMod: -1, Len: length, ByVal: byVal, Align: align, Storage: storage}
}

// kinds is one column of each way to store a value, with a maker of random values.
var kinds = []struct {
	name string
	attr types.Attr
	make func(r *rand.Rand) types.Datum
}{
	{"bool", attr(16, 1, true, 'c', 'p'), func(r *rand.Rand) types.Datum { return types.Bool(r.Intn(2) == 0) }},
	{"char", attr(18, 1, true, 'c', 'p'), func(r *rand.Rand) types.Datum { return types.Char(byte(r.Intn(256))) }},
	{"int2", attr(21, 2, true, 's', 'p'), func(r *rand.Rand) types.Datum { return types.Int2(int16(r.Uint32())) }},
	{"int4", attr(23, 4, true, 'i', 'p'), func(r *rand.Rand) types.Datum { return types.Int4(int32(r.Uint32())) }},
	{"int8", attr(20, 8, true, 'd', 'p'), func(r *rand.Rand) types.Datum { return types.Int8(int64(r.Uint64())) }},
	{"oid", attr(26, 4, true, 'i', 'p'), func(r *rand.Rand) types.Datum { return types.Oid(types.OID(r.Uint32())) }},
	{"float4", attr(700, 4, true, 'i', 'p'), func(r *rand.Rand) types.Datum { return types.Float4(float32(r.NormFloat64())) }},
	{"float8", attr(701, 8, true, 'd', 'p'), func(r *rand.Rand) types.Datum { return types.Float8(r.NormFloat64()) }},
	{"tid", attr(27, 6, false, 's', 'p'), func(r *rand.Rand) types.Datum {
		return types.TID{Block: r.Uint32(), Off: uint16(r.Uint32())}.Datum()
	}},
	{"name", attr(19, 64, false, 'c', 'p'), func(r *rand.Rand) types.Datum { return types.Text(strings.Repeat("n", r.Intn(64))) }},
	{"uuid", attr(2950, 16, false, 'c', 'p'), func(r *rand.Rand) types.Datum { return types.Bytes(randomBytes(r, 16)) }},
	{"interval", attr(1186, 16, false, 'd', 'p'), func(r *rand.Rand) types.Datum { return types.Bytes(randomBytes(r, 16)) }},
	{"text", attr(25, -1, false, 'i', 'x'), func(r *rand.Rand) types.Datum { return types.Bytes(randomBytes(r, r.Intn(300))) }},
	{"plain varlena", attr(1034, -1, false, 'd', 'p'), func(r *rand.Rand) types.Datum { return types.Bytes(randomBytes(r, r.Intn(200))) }},
	{"cstring", attr(2275, -2, false, 'c', 'p'), func(r *rand.Rand) types.Datum { return types.Text(strings.Repeat("c", r.Intn(40))) }},
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	r.Read(b)
	return b
}

func same(a, b types.Datum) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() == b.IsNull()
	case a.IsByRef() != b.IsByRef():
		return false
	case a.IsByRef():
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	return a.Raw() == b.Raw()
}

func form(l *Layout, row types.Row) Stored {
	s := Stored{Data: make([]byte, l.DataSize(row, nil)), NAtts: len(row)}
	if HasNulls(row) {
		s.Bitmap = make([]byte, BitmapLen(len(row)))
	}
	l.Fill(s.Data, s.Bitmap, row, nil)
	return s
}

// TestRoundTrip forms random rows and deforms them in random steps.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for round := range 3000 {
		n := 1 + rng.Intn(12)
		desc := &types.TupleDesc{}
		row := make(types.Row, n)
		var names []string
		nulls := rng.Intn(3) == 0
		for i := range n {
			k := kinds[rng.Intn(len(kinds))]
			desc.Attrs = append(desc.Attrs, k.attr)
			names = append(names, k.name)
			row[i] = k.make(rng)
			if nulls && rng.Intn(3) == 0 {
				row[i] = types.Null
			}
		}
		l := NewLayout(desc)
		s := form(l, row)
		got := make(types.Row, n)
		var st State
		for st.Att < int32(n) {
			if err := l.Deform(&s, got, &st, min(n, int(st.Att)+1+rng.Intn(3)), nil); err != nil {
				t.Fatal(err)
			}
		}
		for i := range row {
			if !same(row[i], got[i]) {
				t.Fatalf("round %d, columns %v: column %d differs", round, names, i)
			}
			b, ok := l.Locate(&s, i)
			if ok == row[i].IsNull() {
				t.Fatalf("round %d: Locate of column %d: %v", round, i, ok)
			}
			if ok && desc.Attrs[i].Len == -1 && !bytes.Equal(Payload(b), row[i].Bytes()) {
				t.Fatalf("round %d: Locate of column %d gives other bytes", round, i)
			}
		}
	}
}

// TestLayoutIsPostgreSQLs: data areas as heap_page_items shows them in t_data (pageinspect) for the same rows.
func TestLayoutIsPostgreSQLs(t *testing.T) {
	for _, c := range []struct {
		name  string
		attrs []types.Attr
		row   types.Row
		want  string
	}{
		{"int2, int8, text", []types.Attr{kinds[2].attr, kinds[4].attr, kinds[12].attr},
			types.Row{types.Int2(1), types.Int8(2), types.Text("abc")}, "010000000000000002000000000000000961" + "6263"},
		{"text, int4", []types.Attr{kinds[12].attr, kinds[3].attr},
			types.Row{types.Text("ab"), types.Int4(-1)}, "07616200ffffffff"},
		{"text of 127 bytes", []types.Attr{kinds[1].attr, kinds[12].attr},
			types.Row{types.Char('x'), types.Text(strings.Repeat("a", 127))}, "780000000c020000" + strings.Repeat("61", 127)},
		{"tid", []types.Attr{kinds[8].attr}, types.Row{types.TID{Block: 0x10002, Off: 3}.Datum()}, "010002000300"},
		{"null between", []types.Attr{kinds[3].attr, kinds[4].attr, kinds[3].attr},
			types.Row{types.Int4(1), types.Null, types.Int4(2)}, "0100000002000000"},
	} {
		l := NewLayout(&types.TupleDesc{Attrs: c.attrs})
		s := form(l, c.row)
		if got := hex.EncodeToString(s.Data); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestColumnsAddedLater(t *testing.T) {
	l := NewLayout(&types.TupleDesc{Attrs: []types.Attr{kinds[3].attr}})
	s := form(l, types.Row{types.Int4(7)})
	withDefault := kinds[3].attr
	withDefault.HasMissing, withDefault.Missing = true, types.Int4(42)
	l = NewLayout(&types.TupleDesc{Attrs: []types.Attr{kinds[3].attr, withDefault, kinds[12].attr}})
	row := make(types.Row, 3)
	var st State
	if err := l.Deform(&s, row, &st, 3, nil); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(row[0].Int4(), row[1].Int4(), row[2].IsNull()); got != "7 42 true" {
		t.Error(got)
	}
}

func TestDeformDoesNotAllocate(t *testing.T) {
	l := NewLayout(&types.TupleDesc{Attrs: []types.Attr{kinds[3].attr, kinds[12].attr, kinds[9].attr, kinds[4].attr}})
	s := form(l, types.Row{types.Int4(1), types.Text("some text"), types.Text("name"), types.Int8(5)})
	row := make(types.Row, 4)
	if n := testing.AllocsPerRun(100, func() {
		var st State
		if err := l.Deform(&s, row, &st, 4, nil); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDeform(b *testing.B) {
	l := NewLayout(&types.TupleDesc{Attrs: []types.Attr{kinds[3].attr, kinds[3].attr, kinds[3].attr, kinds[12].attr}})
	s := form(l, types.Row{types.Int4(1), types.Int4(2), types.Int4(3), types.Text(strings.Repeat("f", 84))})
	row := make(types.Row, 4)
	b.ReportAllocs()
	for b.Loop() {
		var st State
		if err := l.Deform(&s, row, &st, 4, nil); err != nil {
			b.Fatal(err)
		}
	}
}
