package funcs

import "testing"

// TestSimilarEscape: inside of brackets nothing is translated, and only the bracket that ends the outermost class ends it. The results are from PostgreSQL
// 15.18's strings.out.
func TestSimilarEscape(t *testing.T) {
	for _, c := range [][2]string{
		{`_[_[:alpha:]_]_`, `^(?:.[_[:alpha:]_].)$`},
		{`%[%[:alnum:]%]%`, `^(?:.*[%[:alnum:]%].*)$`},
		{`$[$[:alnum:]$]$`, `^(?:\$[$[:alnum:]$]\$)$`},
		{`^[^[:alnum:]^[^^][[^^]][\^][[\^]]\^]^`, `^(?:\^[^[:alnum:]^[^^][[^^]][\^][[\^]]\^]\^)$`},
		{`[]%][^]%][^%]%`, `^(?:[]%][^]%][^%].*)$`},
	} {
		got, err := similarEscape(c[0], `\`)
		if err != nil || got.Str() != c[1] {
			t.Errorf("%s: %q %v, want %q", c[0], got.Str(), err, c[1])
		}
	}
}
