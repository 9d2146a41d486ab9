package plancache

import (
	"fmt"
	"testing"

	"github.com/calfdb/calf/sql/parse"
)

// cacheTest is a cache of texts: the literals given by number are lifted.
type cacheTest struct {
	Statements[string]
}

func (c *cacheTest) add(sql string, lifted ...int) {
	shape, lits, _ := parse.Shape(sql, nil, nil)
	var l []Lifted
	for _, n := range lifted {
		l = append(l, Lifted{Literal: n})
	}
	c.Add(shape, sql, lits, l, sql, 1000)
}

func (c *cacheTest) find(sql string) string {
	shape, lits, _ := parse.Shape(sql, nil, nil)
	if s := c.Find(shape, sql, lits); s != nil {
		return s.Value
	}
	return ""
}

func TestStatementsMatchLiterals(t *testing.T) {
	c := &cacheTest{}
	c.BytesMax = 1 << 20
	c.add("select a from t where b = 1 limit 5", 0)
	c.add("select a from t where b = 1 limit 6", 0)
	c.add("select a from t where b = 'x' limit 6", 0)
	for _, w := range [][2]string{
		{"select a from t where b = 77 limit 5", "select a from t where b = 1 limit 5"},
		{"select a from t where b = 77 limit 6", "select a from t where b = 1 limit 6"},
		{"select a from t where b = '' limit 6", "select a from t where b = 'x' limit 6"},
		{"select a from t where b = 77 limit 7", ""},
		{"select a from t where b = 3000000000 limit 5", ""},
		{"select a from t where b =  77 limit 5", ""},
	} {
		if got := c.find(w[0]); got != w[1] {
			t.Errorf("%s: found %q, want %q", w[0], got, w[1])
		}
	}
	for i := range 2 * shapeVariantsMax {
		c.add(fmt.Sprintf("select a from t where b = 1 limit %d", i), 0)
	}
	if n := c.Len(); n != shapeVariantsMax+1 {
		t.Errorf("%d statements, want %d of one shape and one of another", n, shapeVariantsMax)
	}
}

func TestStatementsForgetTheLeastRecentlyUsed(t *testing.T) {
	c := &cacheTest{}
	c.BytesMax = 10 * 1100
	for i := range 20 {
		c.add(fmt.Sprintf("select c%d", i))
		c.find("select c0")
	}
	if c.find("select c0") == "" || c.find("select c19") == "" || c.find("select c1") != "" {
		t.Error("c0 and c19 were used, c1 was not")
	}
	if c.bytes > c.BytesMax || c.Len() < 8 {
		t.Errorf("%d statements of %d bytes", c.Len(), c.bytes)
	}
	c.Clear()
	if c.Len() != 0 || c.bytes != 0 || c.find("select c0") != "" {
		t.Error("not empty")
	}
}
