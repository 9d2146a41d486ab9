package pgregress

import (
	"path/filepath"

	"github.com/calfdb/calf/regress/verdict"
)

// compare compares as pg_regress does: with the expected file (the platform's, if resultmap names one), with its alternates, and with the plain
// one. White space counts (pg_regress ignores it on Windows only).
func (r *runner) compare(test, result string) (verdict.Comparison, error) {
	plain := r.input("expected", test, ".out")
	first := plain
	if name := r.resultMap[test+":out"]; name != "" {
		first = filepath.Join(filepath.Dir(plain), name)
	}
	candidates := append([]string{first}, verdict.Alternates(first)...)
	if first != plain {
		candidates = append(candidates, plain)
	}
	return verdict.Compare(result, candidates)
}
