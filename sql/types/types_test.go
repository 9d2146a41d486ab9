package types

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// samples reads the sample values that the recorded calls of package funcs are made of.
func samples(t testing.TB) map[string][]string {
	f, err := os.Open("../funcs/testdata/samples.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := map[string][]string{}
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		typ, v, _ := strings.Cut(sc.Text(), "\t")
		m[typ] = append(m[typ], strings.ReplaceAll(v, `\\`, `\`))
	}
	return m
}

// typeByName finds a built-in type by the name that format_type gives.
func typeByName(name string) (OID, bool) {
	for i := range builtinTypes {
		if FormatType(nil, builtinTypes[i].OID) == name {
			return builtinTypes[i].OID, true
		}
	}
	return 0, false
}

// TestBinaryRoundTrip: what the binary form says is what the text form said.
func TestBinaryRoundTrip(t *testing.T) {
	for name, values := range samples(t) {
		typ, ok := typeByName(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		io, err := IOFor(nil, typ)
		if err != nil {
			t.Fatal(err)
		}
		if io.in == nil || io.out == nil || io.recv == nil || io.send == nil {
			continue
		}
		for _, v := range values {
			d, err := io.Input(nil, v, -1)
			if err != nil {
				t.Errorf("%s %q: %v", name, v, err)
				continue
			}
			text, err := io.AppendText(nil, nil, d)
			if err != nil {
				t.Fatal(err)
			}
			bin, err := io.AppendBinary(nil, nil, d)
			if err != nil {
				t.Fatal(err)
			}
			back, err := io.Receive(nil, bin, -1)
			if err != nil {
				t.Errorf("%s %q: receive: %v", name, v, err)
				continue
			}
			again, _ := io.AppendText(nil, nil, back)
			if string(again) != string(text) {
				t.Errorf("%s %q: text %q, after the binary form %q", name, v, text, again)
			}
		}
	}
}

// FuzzInput: no text and no message makes an input function panic, and what it takes it can print.
func FuzzInput(f *testing.F) {
	var oids []OID
	for i := range builtinTypes {
		if io, err := IOFor(nil, builtinTypes[i].OID); err == nil && io.in != nil && io.out != nil {
			oids = append(oids, builtinTypes[i].OID)
		}
	}
	for _, values := range samples(f) {
		for i, v := range values {
			f.Add(uint16(i*7), v)
		}
	}
	f.Fuzz(func(t *testing.T, which uint16, s string) {
		typ := oids[int(which)%len(oids)]
		if d, err := Input(nil, typ, -1, s); err == nil {
			if _, err := AppendOutput(nil, typ, nil, d); err != nil && !strings.Contains(err.Error(), "catalog") {
				t.Fatalf("type %d takes %q but does not print it: %v", typ, s, err)
			}
		}
		_, _ = Receive(nil, typ, -1, []byte(s))
	})
}

// TestNoAllocs: comparison, arithmetic and output of the plain types allocate nothing.
func TestNoAllocs(t *testing.T) {
	for _, tc := range []struct {
		fn   string
		a, b Datum
	}{
		{"int4pl", Int4(1), Int4(2)}, {"int4lt", Int4(1), Int4(2)}, {"int8mul", Int8(3), Int8(4)}, {"int84eq", Int8(3), Int4(3)},
		{"booleq", Bool(true), Bool(false)}, {"float8pl", Float8(1), Float8(2)}, {"float8lt", Float8(1), Float8(2)},
		{"texteq", Text("a"), Text("b")}, {"timestamp_lt", Int8(1), Int8(2)},
	} {
		f, ok := LookupFunc(tc.fn)
		if !ok {
			t.Fatal(tc.fn)
		}
		c := &Call{Args: []Datum{tc.a, tc.b}}
		if n := testing.AllocsPerRun(100, func() { _, _ = f(c) }); n != 0 {
			t.Errorf("%s allocates %v times", tc.fn, n)
		}
	}
	io, _ := IOFor(nil, Int4OID)
	buf := make([]byte, 0, 32)
	if n := testing.AllocsPerRun(100, func() { _, _ = io.AppendText(nil, buf, Int4(12345)) }); n > 1 {
		t.Errorf("printing int4 allocates %v times", n)
	}
}
