package pagestore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/calfdb/calf/storage/page"
)

// mergeAll merges operands, oldest first, as Pebble might: from either end.
func mergeAll(t testing.TB, operands [][]byte, fromNewest, includesBase bool) []byte {
	t.Helper()
	ops := slices.Clone(operands)
	if fromNewest {
		slices.Reverse(ops)
	}
	m, err := merger.Merge([]byte("key"), ops[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range ops[1:] {
		if fromNewest {
			err = m.MergeOlder(v)
		} else {
			err = m.MergeNewer(v)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	v, closer, err := m.Finish(includesBase)
	if err != nil {
		t.Fatal(err)
	}
	v = slices.Clone(v)
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	return v
}

// mergeGrouped first merges random runs of neighbours without base, as compactions between levels do, then all.
func mergeGrouped(t testing.TB, rng *rand.Rand, operands [][]byte, includesBase bool) []byte {
	ops := slices.Clone(operands)
	for range 3 {
		if len(ops) < 3 {
			break
		}
		from := rng.IntN(len(ops) - 1)
		n := 2 + rng.IntN(len(ops)-from-1)
		if from == 0 && (ops[0][0] == kindPlain || ops[0][0] == kindImage) {
			// A group that reaches the base yields the base.
			ops = slices.Replace(ops, 0, n, mergeAll(t, ops[:n], rng.IntN(2) == 0, true))
			continue
		}
		ops = slices.Replace(ops, from, from+n, mergeAll(t, ops[from:from+n], rng.IntN(2) == 0, false))
	}
	return mergeAll(t, ops, rng.IntN(2) == 0, includesBase)
}

func imageValue(m Meta, p []byte) []byte {
	from, to := imageHole(p)
	v := make([]byte, imageLen(from, to))
	putImage(v, m, p, from, to)
	return v
}

func deltaValue(version uint64, ops []byte) []byte {
	v := make([]byte, deltaLen(ops))
	putDelta(v, version, ops)
	return v
}

func orValue(off int, bits []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte{kindOr}, uint32(off)), bits...)
}

func addValue(n int64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{kindAdd}, uint64(n))
}

// editRandomly changes a page.
func editRandomly(e *page.Edit, rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		switch rng.IntN(4) {
		case 0:
			e.Move(1000+rng.IntN(3000), 1000+rng.IntN(3000), rng.IntN(500))
		case 1:
			e.Fill(5000+rng.IntN(100), rng.IntN(100), byte(rng.Uint32()))
		default:
			e.Put64(1000+rng.IntN(7000), rng.Uint64())
		}
	}
}

func TestMergePage(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := make([]byte, page.Size)
		var e page.Edit
		e.Reset(p, false)
		page.Init(&e, 16)
		if _, err := page.AddItem(&e, []byte("row"), 0, 0); err != nil {
			t.Fatal(err)
		}
		meta := Meta{Version: 1 + rng.Uint64N(1000)}
		operands := [][]byte{imageValue(meta, p)}
		for range 1 + rng.IntN(40) {
			e.Reset(p, false)
			editRandomly(&e, rng)
			meta.Version++
			meta.Deltas++
			meta.Weight += uint16(len(e.Ops()))
			operands = append(operands, deltaValue(meta.Version, e.Ops()))
		}
		got := make([]byte, page.Size)
		m, err := DecodePage(PageID{}, mergeGrouped(t, rng, operands, true), got)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if m != meta || !bytes.Equal(got, p) {
			t.Fatalf("seed %d: %v, want %v; page equal %v", seed, m, meta, bytes.Equal(got, p))
		}
	}
}

func TestMergeBitsAndCounters(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		bits := make([]byte, 300)
		sum := int64(0)
		var ors, adds [][]byte
		if rng.IntN(2) == 0 { // a plain base
			base := make([]byte, rng.IntN(50))
			for i := range base {
				base[i] = byte(rng.Uint32())
			}
			copy(bits, base)
			ors = append(ors, append([]byte{kindPlain}, base...))
			sum = 77
			adds = append(adds, append([]byte{kindPlain}, addValue(77)[1:]...))
		}
		for range 2 + rng.IntN(20) {
			off, b := rng.IntN(290), []byte{byte(rng.Uint32()), byte(rng.Uint32())}
			bits[off] |= b[0]
			bits[off+1] |= b[1]
			ors = append(ors, orValue(off, b))
			n := rng.Int64N(1000) - 500
			sum += n
			adds = append(adds, addValue(n))
		}
		got, err := decodeSmall(nil, nil, mergeGrouped(t, rng, ors, true))
		if err != nil || !bytes.Equal(got, bits[:len(got)]) || len(bytes.Trim(bits[len(got):], "\x00")) != 0 {
			t.Fatalf("seed %d: bits %x, want %x (%v)", seed, got, bits, err)
		}
		got, err = decodeSmall(nil, nil, mergeGrouped(t, rng, adds, true))
		if err != nil || int64(le.Uint64(got)) != sum {
			t.Fatalf("seed %d: counter %x, want %d (%v)", seed, got, sum, err)
		}
	}
}

func TestMergePoison(t *testing.T) {
	p := make([]byte, page.Size)
	image := imageValue(Meta{Version: 3}, p)
	ops := []byte{100, 0, 1, 0, 9} // PATCH 100: 9
	for _, c := range []struct {
		name     string
		operands [][]byte
		reason   string
	}{
		{"gap", [][]byte{image, deltaValue(5, ops)}, "gap in versions"},
		{"twice", [][]byte{image, deltaValue(4, ops), deltaValue(4, ops)}, "gap in versions"},
		{"no base", [][]byte{deltaValue(4, ops), deltaValue(5, ops)}, "delta without an image"},
		{"image above", [][]byte{image, image}, "image among deltas"},
		{"bad op", [][]byte{image, deltaValue(4, []byte{1, 2, 3})}, "malformed delta"},
		{"short", [][]byte{image, {kindDelta, 1}}, "malformed delta"},
		{"kinds", [][]byte{image, addValue(1)}, "values of different kinds"},
		{"unknown", [][]byte{image, {99}}, "unknown kind of value"},
		{"empty", [][]byte{image, {}}, "empty value"},
		{"long bits", [][]byte{orValue(0, []byte{1}), orValue(maxOrEnd, []byte{1})}, "bit value too long"},
	} {
		for _, fromNewest := range []bool{false, true} {
			v := mergeAll(t, c.operands, fromNewest, true)
			if want := append([]byte{kindPoison}, c.reason...); !bytes.Equal(v, want) {
				t.Errorf("%s: %q", c.name, v[:min(len(v), 60)])
			}
			// Poison stays poison under later deltas.
			if v := mergeAll(t, [][]byte{v, deltaValue(9, ops)}, fromNewest, true); v[0] != kindPoison {
				t.Errorf("%s: poison became kind %d", c.name, v[0])
			}
			if _, err := DecodePage(PageID{1, 2, 0, 7}, v, p); err == nil || err.Error() != "invalid page in block 7 of relation base/1/2" {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}

// FuzzMerge: whatever the operands are, the operator answers without error or panic, and what it makes of all of them at once it also makes of groups.
func FuzzMerge(f *testing.F) {
	pack := func(operands ...[]byte) (b []byte) {
		for _, v := range operands {
			b = binary.LittleEndian.AppendUint16(b, uint16(len(v)))
			b = append(b, v...)
		}
		return b
	}
	p := make([]byte, page.Size)
	var e page.Edit
	e.Reset(p, false)
	page.Init(&e, 0)
	ops := []byte{100, 0, 1, 0, 9}
	f.Add(pack(imageValue(Meta{Version: 3}, p), deltaValue(4, ops), deltaValue(5, ops)), uint64(1))
	f.Add(pack(orValue(3, []byte{7}), orValue(0, []byte{1})), uint64(2))
	f.Add(pack(addValue(3), addValue(-9)), uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		var operands [][]byte
		for len(data) >= 2 && len(operands) < 50 {
			n := min(int(binary.LittleEndian.Uint16(data)), len(data)-2)
			operands = append(operands, data[2:2+n])
			data = data[2+n:]
		}
		if len(operands) == 0 {
			return
		}
		for i, v := range operands {
			if len(v) == 0 || i > 0 && (v[0] == kindImage || v[0] == kindPlain) {
				mergeAll(t, operands, false, true) // not what Pebble gives; must not panic all the same
				return
			}
		}
		whole := mergeAll(t, operands, seed%2 == 0, true)
		grouped := mergeGrouped(t, rand.New(rand.NewPCG(seed, 1)), operands, true)
		if whole[0] == kindPoison || grouped[0] == kindPoison {
			if whole[0] != grouped[0] {
				t.Errorf("poison %v and %v: %s", whole[0] == kindPoison, grouped[0] == kindPoison, fmt.Sprintf("%.60q %.60q", whole, grouped))
			}
			return
		}
		if !bytes.Equal(whole, grouped) {
			t.Errorf("%x and %x", whole, grouped)
		}
	})
}
