package types

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestParseISO: what the quick reader takes, the general one reads the same in every order of day, month and year; and it takes what the server writes.
func TestParseISO(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	taken := 0
	for range 200000 {
		s := fmt.Sprintf("%04d-%02d-%02d", rng.IntN(10000), rng.IntN(14), rng.IntN(33))
		if rng.IntN(3) > 0 {
			s += fmt.Sprintf(" %02d:%02d:%02d", rng.IntN(26), rng.IntN(62), rng.IntN(62))
			if n := rng.IntN(9); n > 0 {
				s += fmt.Sprintf(".%08d", rng.IntN(100000000))[:n]
			}
		}
		if rng.IntN(8) == 0 { // a slip of the pen
			b := []byte(s)
			b[rng.IntN(len(b))] = "0-: .T+x"[rng.IntN(8)]
			s = string(b)
		}
		got, ok := parseISO(s)
		if !ok {
			continue
		}
		taken++
		toks, e := splitDateTime(s)
		for _, order := range []DateOrder{DateMDY, DateDMY, DateYMD} {
			d := &dateDecoder{order: order}
			if e == dateOK {
				e = d.run(toks)
			}
			if e != dateOK || d.special != 0 {
				t.Fatalf("%q is not a date to the general reader", s)
			}
			want := d.dt
			if got.Year != want.Year || got.Month != want.Month || got.Day != want.Day || got.timeUsec() != want.timeUsec() {
				t.Fatalf("%q: %+v, want %+v", s, got, want)
			}
		}
	}
	if taken < 50000 {
		t.Errorf("only %d were taken", taken)
	}
	for _, s := range []string{"2020-02-29", "0001-01-01", "9999-12-31 23:59:59.999999", "2020-01-01 00:00:00", "2020-01-01 00:00:00.5"} {
		if _, ok := parseISO(s); !ok {
			t.Errorf("%q was not taken", s)
		}
	}
}

func BenchmarkTimestampIn(b *testing.B) {
	for _, s := range []string{"2020-01-12 13:46:40", "2020-01-12 13:46:40.123456", "Jan 12 2020 13:46:40"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := timestampIn(nil, nil, s, -1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
