package are

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

var unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")

// TestRecordedMatches compares matches with those that testdata/record.sh had a PostgreSQL server find.
func TestRecordedMatches(t *testing.T) {
	f, err := os.Open("testdata/matches.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, bad := 0, 0
	for sc := bufio.NewScanner(f); sc.Scan(); n++ {
		fields := strings.Split(sc.Text(), "\t")
		for i := range fields {
			fields[i] = unescape.Replace(fields[i])
		}
		got := describe(fields[0], fields[1], fields[2])
		if got != fields[3] {
			if bad++; bad < 30 {
				t.Errorf("%q =~ %q (%s)\n got  %s\n want %s", fields[0], fields[1], fields[2], got, fields[3])
			}
		}
	}
	t.Logf("%d matches, %d differ", n, bad)
}

func describe(text, pattern, flags string) string {
	var f Flags
	for _, c := range flags {
		switch c {
		case 'i':
			f.ICase = true
		case 'n':
			f.NLStop, f.NLAnchor = true, true
		case 'x':
			f.Expanded = true
		}
	}
	re, err := Compile(pattern, f)
	if err != nil {
		return "ERROR 2201B: " + err.(*pgerr.Error).Message
	}
	m, err := re.Find(text, nil)
	if ok, _ := re.Match(text, nil); ok != (m != nil) || err != nil {
		return fmt.Sprint("Match says ", ok, err)
	}
	if m == nil {
		return "no"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d-%d", utf8.RuneCountInString(text[:m[0]])+1, utf8.RuneCountInString(text[:m[1]])+1)
	for i := 2; i < len(m); i += 2 {
		if m[i] < 0 {
			b.WriteString(" -")
		} else {
			fmt.Fprintf(&b, " <%s>", text[m[i]:m[i+1]])
		}
	}
	return b.String()
}
