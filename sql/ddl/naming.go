package ddl

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// objectName makes a name of one or two names and a label, cutting the longer of the names to fit.
func objectName(name1, name2, label string) string {
	overhead := 0
	if name2 != "" {
		overhead++
	}
	if label != "" {
		overhead += len(label) + 1
	}
	n1, n2 := len(name1), len(name2)
	for n1+n2 > types.NameLen-overhead {
		if n1 > n2 {
			n1--
		} else {
			n2--
		}
	}
	s := clip(name1, n1)
	if name2 != "" {
		s += "_" + clip(name2, n2)
	}
	if label != "" {
		s += "_" + label
	}
	return s
}

// clip cuts s to n bytes at most, at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// freeName makes a name with a label that taken does not know: label, label1, label2, ...
func freeName(name1, name2, label string, taken func(name string) (bool, error)) (string, error) {
	for pass := 0; ; pass++ {
		l := label
		if pass > 0 {
			l = fmt.Sprintf("%s%d", label, pass)
		}
		name := objectName(name1, name2, l)
		is, err := taken(name)
		if err != nil || !is {
			return name, err
		}
	}
}

// freeRelationName makes a name that no relation of the schema has, and with isConstraint no constraint either.
func (c *ctx) freeRelationName(name1, name2, label string, ns OID, isConstraint bool) (string, error) {
	return freeName(name1, name2, label, func(name string) (bool, error) {
		_, row, err := c.v.Find(catalog.PgClassRelnameNspIndexOID, types.Text(name), types.Oid(ns))
		if err != nil || row != nil || !isConstraint {
			return row != nil, err
		}
		return c.constraintNameTaken(ns, name)
	})
}

// freeConstraintName makes a name that no constraint of the schema and none of others has.
func (c *ctx) freeConstraintName(name1, name2, label string, ns OID, others []string) (string, error) {
	return freeName(name1, name2, label, func(name string) (bool, error) {
		for _, o := range others {
			if o == name {
				return true, nil
			}
		}
		return c.constraintNameTaken(ns, name)
	})
}

func (c *ctx) constraintNameTaken(ns OID, name string) (bool, error) {
	_, row, err := c.v.Find(catalog.PgConstraintConnameNspIndexOID, types.Text(name), types.Oid(ns))
	return row != nil, err
}

// joinedNames is the columns' part of a constraint's or index's generated name.
func joinedNames(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i > 0 {
			b.WriteByte('_')
		}
		b.WriteString(n)
		if b.Len() >= types.NameLen {
			break
		}
	}
	return b.String()
}
