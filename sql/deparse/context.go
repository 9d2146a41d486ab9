package deparse

import (
	"fmt"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// OID is a catalog object's name.
type OID = types.OID

// Pretty says how much to lay out.
type Pretty uint8

const (
	PrettyParen  Pretty = 1 << iota // leave out parentheses that precedence makes needless
	PrettyIndent                    // line breaks and indentation
	PrettySchema                    // leave out schema names that the search path makes needless
)

// Context is what an expression's names mean.
type Context struct {
	Catalog catalog.Lookup
	Types   *types.Env
	Pretty  Pretty
	// Namespaces are the query levels, innermost first: Var.LevelsUp counts in them.
	Namespaces []*Namespace
	// VarPrefix writes table.column, not just column.
	VarPrefix bool
	// Plan says that expressions are of a plan: a variable is named by its VarNo, not as the statement wrote it.
	Plan bool
	// ResolveVar, when set, is asked for variables that are not in a range table (a plan's OuterVar, InnerVar, IndexVar): the expression that it stands for,
	// and the context to print that in.
	ResolveVar func(v *query.Var) (query.Expr, *Context, bool)
	// ResolveParam, when set, is asked for exec parameters in the same way.
	ResolveParam func(p *query.Param) (query.Expr, *Context, bool)

	// The function whose body is printed: parameters go by its argument names.
	funcName string
	argNames []string

	windows       []*query.WindowClause
	windowTargets []*query.TargetEntry
}

// Namespace is one query level: the names of its range table entries and of their columns.
type Namespace struct {
	rtable []*query.RTE
	ctes   []*query.CTE
	names  []string // by entry; "" = the entry has none
	cols   []columns
}

// columns are the names of an entry's columns as printed.
type columns struct {
	names []string // by attribute number; "" = dropped
	print bool     // an alias list is needed
}

// NewNamespace names the entries of a range table, apart from each other and from those of the outer levels. used, when not nil, leaves out the entries that
// it does not have (EXPLAIN names only what the plan scans).
func NewNamespace(cat catalog.Lookup, rtable []*query.RTE, ctes []*query.CTE, outer []*Namespace, used map[int]bool) (*Namespace, error) {
	n := &Namespace{rtable: rtable, ctes: ctes}
	taken := map[string]int{}
	for _, o := range outer {
		for _, name := range o.names {
			if name != "" {
				taken[name] = 0
			}
		}
	}
	for i, rte := range rtable {
		name, err := entryName(cat, rte)
		if err != nil {
			return nil, err
		}
		if used != nil && !used[i+1] {
			name = ""
		}
		n.names = append(n.names, uniqueName(taken, name))
	}
	for _, rte := range rtable {
		c, err := entryColumns(cat, rte)
		if err != nil {
			return nil, err
		}
		n.cols = append(n.cols, c)
	}
	return n, nil
}

// Name is the printed name of a range table entry, "" when it has none.
func (n *Namespace) Name(index int) string { return n.names[index-1] }

func entryName(cat catalog.Lookup, rte *query.RTE) (string, error) {
	switch {
	case rte.Alias != nil:
		return rte.Alias.Name, nil
	case rte.Kind == query.RTERelation:
		rel, err := cat.Relation(rte.RelOID)
		if err != nil || rel == nil {
			return rte.Eref.Name, err
		}
		return rel.Name, nil
	case rte.Kind == query.RTEJoin:
		return "", nil
	}
	return rte.Eref.Name, nil
}

// nameBytesMax is the longest identifier.
const nameBytesMax = 63

// uniqueName adds _1, _2, ... to a name that is taken.
func uniqueName(taken map[string]int, name string) string {
	if name == "" {
		return ""
	}
	if _, ok := taken[name]; !ok {
		taken[name] = 0
		return name
	}
	for {
		taken[name]++
		suffix := fmt.Sprintf("_%d", taken[name])
		base := name
		if len(base)+len(suffix) > nameBytesMax {
			base = clipName(base, nameBytesMax-len(suffix))
		}
		if _, ok := taken[base+suffix]; !ok {
			taken[base+suffix] = 0
			return base + suffix
		}
	}
}

// clipName cuts a name between characters.
func clipName(s string, n int) string {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

// entryColumns chooses the column names of an entry.
func entryColumns(cat catalog.Lookup, rte *query.RTE) (columns, error) {
	c := columns{}
	real := rte.Eref.Cols
	if rte.Kind == query.RTERelation {
		rel, err := cat.Relation(rte.RelOID)
		if err != nil {
			return c, err
		}
		if rel != nil {
			real = nil
			for i := range rel.Desc.Attrs {
				a := &rel.Desc.Attrs[i]
				if a.Dropped {
					real = append(real, "")
				} else {
					real = append(real, a.Name)
				}
			}
		}
	}
	changed := false
	seen := map[string]int{}
	for i, r := range real {
		name := r
		if r == "" {
			c.names = append(c.names, "")
			continue
		}
		if rte.Alias != nil && i < len(rte.Alias.Cols) && rte.Alias.Cols[i] != "" {
			name = rte.Alias.Cols[i]
		}
		if rte.Kind != query.RTEJoin {
			name = uniqueName(seen, name)
		}
		changed = changed || name != r
		c.names = append(c.names, name)
	}
	switch {
	case rte.Kind == query.RTERelation:
		c.print = changed
	case rte.Kind == query.RTEFunction:
		c.print = true
	case rte.Alias != nil && len(rte.Alias.Cols) > 0:
		c.print = true
	default:
		c.print = changed
	}
	return c, nil
}

// ForRelation is the context of an expression over one relation (VarNo 1): constraints, defaults, index expressions.
func ForRelation(cat catalog.Lookup, env *types.Env, rel *catalog.Relation, pretty Pretty) (*Context, error) {
	ctx := &Context{Catalog: cat, Types: env, Pretty: pretty}
	if rel == nil {
		return ctx, nil
	}
	rte := &query.RTE{Kind: query.RTERelation, RelOID: rel.OID, RelKind: rel.Kind, Eref: &query.Alias{Name: rel.Name}}
	n, err := NewNamespace(cat, []*query.RTE{rte}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	ctx.Namespaces = []*Namespace{n}
	return ctx, nil
}

// Expr prints an expression. showImplicit also prints the casts that were not written.
func Expr(ctx *Context, e query.Expr, showImplicit bool) (string, error) {
	p := &printer{ctx: ctx}
	p.expr(e, showImplicit)
	return string(p.buf), p.err
}

// Query prints a query. names, when not nil, are the names to give the result columns.
func Query(ctx *Context, q *query.Query, names []string) (string, error) {
	p := &printer{ctx: ctx}
	p.query(q, nil, names, true)
	return string(p.buf), p.err
}
