package tsearch

import (
	"testing"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// TestBinaryForms reads back what was sent, and refuses what is malformed: recv has no caller in SQL.
func TestBinaryForms(t *testing.T) {
	for _, text := range []string{"", "'a':1A,2 'b'", "'x y':3"} {
		d := input(t, types.TsvectorOID, text)
		b, _ := vectorSend(nil, nil, d)
		if got, err := vectorRecv(nil, b); err != nil || got.Str() != d.Str() {
			t.Errorf("tsvector %q came back as %q, %v", text, got.Bytes(), err)
		}
		for n := range b {
			if _, err := vectorRecv(nil, b[:n]); err == nil {
				t.Errorf("tsvector %q was read of %d of %d bytes", text, n, len(b))
			}
		}
	}
	for _, text := range []string{"'a'", "'a':*AB & !( 'b' | 'c' ) <3> 'd'"} {
		d := input(t, types.TsqueryOID, text)
		b, _ := querySend(nil, nil, d)
		if got, err := queryRecv(nil, b); err != nil || got.Str() != d.Str() {
			t.Errorf("tsquery %q came back as %q, %v", text, got.Bytes(), err)
		}
		for n := range b {
			if _, err := queryRecv(nil, b[:n]); err == nil {
				t.Errorf("tsquery %q was read of %d of %d bytes", text, n, len(b))
			}
		}
	}
	if _, err := queryRecv(nil, []byte{0, 0, 0, 1, 2, 2}); pgerr.CodeOf(err) != pgerr.InternalError {
		t.Errorf("an operator without operands: %v", err)
	}
}

func input(t *testing.T, typ types.OID, text string) types.Datum {
	d, err := types.Input(nil, typ, -1, text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

// TestDeepQueries: nesting ends with an error, not with the stack.
func TestDeepQueries(t *testing.T) {
	deep := make([]byte, 1_000_000)
	for i := range deep {
		deep[i] = '('
	}
	if _, err := queryIn(nil, string(deep)); pgerr.CodeOf(err) != pgerr.StatementTooComplex {
		t.Errorf("open parentheses: %v", err)
	}
	list := []byte("a")
	for range 100_000 {
		list = append(list, " & b"...)
	}
	if _, err := queryIn(nil, string(list)); err != nil && pgerr.CodeOf(err) != pgerr.StatementTooComplex {
		t.Errorf("a long list: %v", err)
	}
}

// FuzzParser: tokens cover the text in order, whatever it is.
func FuzzParser(f *testing.F) {
	f.Add("a.b-c@x.org http://x.y:1/z?<b>&amp; 1.2e3-4 ../a")
	f.Fuzz(func(t *testing.T, text string) {
		p := NewParser(text, false)
		for n := 0; ; n++ {
			tok, ok, err := p.Next()
			if err != nil || !ok {
				return
			}
			if tok.Type == 0 || n > 4*len(text)+4 {
				t.Fatalf("token %d of %q: %v", n, text, tok)
			}
		}
	})
}
