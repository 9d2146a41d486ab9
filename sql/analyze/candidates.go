package analyze

import (
	"slices"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// candidate is a function or operator that a call may mean, with its arguments laid out for this call: variadic arguments expanded, named
// arguments put in order, missing ones left to defaults.
type candidate struct {
	oid      OID
	args     []OID
	proc     *catalog.Proc
	oper     *catalog.Operator
	variadic bool  // the last parameter was expanded
	nvarargs int   // how many actual arguments it took
	ndefault int   // how many arguments come from defaults
	argNums  []int // with named notation: the parameter that each actual argument, then each default, is
	pathPos  int
}

// candidates gives the procs that a possibly qualified name may mean.
func (p *state) candidates(name []string, at int) []*catalog.Proc {
	schema, fn := p.qualified(name)
	list, err := p.env.Catalog.ProcsByName(schema, fn)
	return mustAt(list, err, at)
}

// qualified splits a possibly qualified object name and checks its database part.
func (p *state) qualified(name []string) (schema, object string) {
	switch len(name) {
	case 1:
		return "", name[0]
	case 2:
		return name[0], name[1]
	case 3:
		if name[0] != p.env.Database {
			throw(pgerr.New(pgerr.FeatureNotSupported, "cross-database references are not implemented: %s", nameList(name)))
		}
		return name[1], name[2]
	}
	throw(pgerr.New(pgerr.SyntaxError, "improper qualified name (too many dotted names): %s", nameList(name)))
	return "", ""
}

// checkSchema fails when a qualified name's schema does not exist.
func (p *state) checkSchema(schema string, at int) {
	if schema != "" && must(p.env.Catalog.NamespaceByName(schema)) == 0 {
		fail(at, pgerr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
	}
}

// funcCandidates lays out every function of a name for a call with nargs arguments, the last of them named names. CALL (isProc) gives a
// procedure's OUT parameters too.
func (p *state) funcCandidates(name []string, at, nargs int, names []string, expandVariadic, expandDefaults, isProc bool) []*candidate {
	var out []*candidate
	for _, f := range p.candidates(name, at) {
		if isProc && f.Kind == 'p' {
			f = withOutParameters(f)
		}
		c := layOut(f, nargs, names, expandVariadic, expandDefaults)
		if c == nil {
			continue
		}
		// Two layouts with the same argument types: the one that needs less wins (no defaults, no variadic expansion).
		replaced := false
		for i, o := range out {
			if !slices.Equal(o.args, c.args) {
				continue
			}
			replaced = true
			if better := preferLayout(o, c); better == c {
				out[i] = c
			} else if better == nil {
				o.oid = 0 // ambiguous
			}
			break
		}
		if !replaced {
			out = append(out, c)
		}
	}
	return out
}

// preferLayout chooses between layouts of equal argument types; nil = they are ambiguous.
func preferLayout(a, b *candidate) *candidate {
	switch {
	case a.proc.Namespace != b.proc.Namespace:
		return a // candidates come in path order
	case a.variadic != b.variadic:
		if a.variadic {
			return b
		}
		return a
	case a.variadic && len(a.proc.ArgTypes) != len(b.proc.ArgTypes):
		if len(a.proc.ArgTypes) > len(b.proc.ArgTypes) {
			return a
		}
		return b
	case a.ndefault != b.ndefault:
		if a.ndefault < b.ndefault {
			return a
		}
		return b
	}
	return nil
}

// layOut fits a function to a call; nil when it cannot take it.
func layOut(f *catalog.Proc, nargs int, names []string, expandVariadic, expandDefaults bool) *candidate {
	pronargs := len(f.ArgTypes)
	if nargs < 0 {
		return &candidate{oid: f.OID, args: f.ArgTypes, proc: f}
	}
	c := &candidate{oid: f.OID, proc: f}
	if len(names) > 0 {
		if f.Variadic != 0 && expandVariadic {
			return nil // named notation cannot be used with VARIADIC expansion
		}
		return layOutNamed(c, f, nargs, names, expandDefaults)
	}
	c.variadic = expandVariadic && f.Variadic != 0 && pronargs <= nargs+1 && nargs >= pronargs-1
	if c.variadic && nargs < pronargs {
		// No argument for the variadic parameter: only with a default, as an array.
		c.variadic = false
	}
	switch {
	case c.variadic:
		c.args = append([]OID(nil), f.ArgTypes[:pronargs-1]...)
		for range nargs - pronargs + 1 {
			c.args = append(c.args, f.Variadic)
		}
		c.nvarargs = nargs - pronargs + 1
	case pronargs == nargs:
		c.args = f.ArgTypes
	case pronargs > nargs && expandDefaults && nargs+f.NArgDefaults >= pronargs:
		c.args = f.ArgTypes
		c.ndefault = pronargs - nargs
	default:
		return nil
	}
	return c
}

// layOutNamed puts named arguments in order.
func layOutNamed(c *candidate, f *catalog.Proc, nargs int, names []string, expandDefaults bool) *candidate {
	pronargs := len(f.ArgTypes)
	positional := nargs - len(names)
	if pronargs < nargs || nargs < pronargs-f.NArgDefaults || pronargs != nargs && !expandDefaults || f.ArgNames == nil {
		return nil
	}
	given := make([]bool, pronargs)
	for i := range positional {
		given[i] = true
		c.argNums = append(c.argNums, i)
	}
	inputs := inputNames(f)
	for _, n := range names {
		at := slices.Index(inputs, n)
		if at < 0 || at < pronargs && given[at] {
			return nil
		}
		given[at] = true
		c.argNums = append(c.argNums, at)
	}
	firstDefault := pronargs - f.NArgDefaults
	for i, g := range given {
		if !g {
			if i < firstDefault {
				return nil
			}
			c.argNums = append(c.argNums, i)
		}
	}
	c.ndefault = pronargs - nargs
	for _, n := range c.argNums {
		c.args = append(c.args, f.ArgTypes[n])
	}
	return c
}

// inputNames are the names of the input parameters.
func inputNames(f *catalog.Proc) []string {
	if f.ArgModes == nil {
		return f.ArgNames
	}
	var out []string
	for i, m := range f.ArgModes {
		if (m == 'i' || m == 'b' || m == 'v') && i < len(f.ArgNames) {
			out = append(out, f.ArgNames[i])
		}
	}
	return out
}

// matchArgs keeps the candidates whose parameters the arguments can become implicitly.
func (p *state) matchArgs(in []OID, list []*candidate) []*candidate {
	var out []*candidate
	for _, c := range list {
		if p.canCoerce(in, c.args[:len(in)], coercionImplicit) {
			out = append(out, c)
		}
	}
	return out
}

// choose applies PostgreSQL's rules to several possible candidates; nil when none is best.
func (p *state) choose(in []OID, list []*candidate) *candidate {
	const argsMax = 100
	n := len(in)
	if n > argsMax {
		throw(pgerr.New(pgerr.TooManyArguments, "cannot pass more than %d arguments to a function", argsMax))
	}
	base := make([]OID, n)
	for i, t := range in {
		base[i] = p.baseType(t)
	}
	// Most exact matches.
	list = keepBest(list, func(c *candidate) int {
		s := 0
		for i := range n {
			if base[i] != types.UnknownOID && c.args[i] == base[i] {
				s++
			}
		}
		return s
	})
	if len(list) == 1 {
		return list[0]
	}
	// Most exact matches or preferred types.
	cats := make([]byte, n)
	for i := range n {
		cats[i], _ = p.category(base[i])
	}
	list = keepBest(list, func(c *candidate) int {
		s := 0
		for i := range n {
			if base[i] != types.UnknownOID && (c.args[i] == base[i] || p.preferredOf(cats[i], c.args[i])) {
				s++
			}
		}
		return s
	})
	if len(list) == 1 {
		return list[0]
	}
	if !slices.Contains(base, types.UnknownOID) {
		return nil
	}
	if list = p.narrowByCategory(base, list); len(list) == 1 {
		return list[0]
	}
	return p.chooseSameType(base, list)
}

// keepBest keeps the candidates of the highest score.
func keepBest(list []*candidate, score func(*candidate) int) []*candidate {
	best := -1
	var out []*candidate
	for _, c := range list {
		switch s := score(c); {
		case s > best:
			best, out = s, []*candidate{c}
		case s == best:
			out = append(out, c)
		}
	}
	return out
}

func (p *state) preferredOf(cat byte, t OID) bool {
	c, pref := p.category(t)
	return pref && c == cat
}

// narrowByCategory decides the category of each unknown argument: string if any candidate takes it, else the one that all agree on, preferred
// types first; and keeps the candidates that fit. It keeps all when the categories cannot be decided or none fits.
func (p *state) narrowByCategory(base []OID, list []*candidate) []*candidate {
	slotCat := make([]byte, len(base))
	slotPref := make([]bool, len(base))
	for i := range base {
		if base[i] != types.UnknownOID {
			continue
		}
		conflict := false
		for k, c := range list {
			cat, pref := p.category(c.args[i])
			switch {
			case k == 0 || cat != slotCat[i] && cat == 'S':
				slotCat[i], slotPref[i] = cat, pref
			case cat == slotCat[i]:
				slotPref[i] = slotPref[i] || pref
			default:
				conflict = true
			}
		}
		if conflict && slotCat[i] != 'S' {
			return list
		}
	}
	var out []*candidate
	for _, c := range list {
		keep := true
		for i := range base {
			if base[i] == types.UnknownOID && keep {
				cat, pref := p.category(c.args[i])
				keep = cat == slotCat[i] && (pref || !slotPref[i])
			}
		}
		if keep {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return list
	}
	return out
}

// chooseSameType assumes that the unknown arguments have the type of the known ones, when those all have the same.
func (p *state) chooseSameType(base []OID, list []*candidate) *candidate {
	known := types.UnknownOID
	for _, t := range base {
		if t == types.UnknownOID {
			continue
		}
		if known == types.UnknownOID {
			known = t
		} else if known != t {
			return nil
		}
	}
	if known == types.UnknownOID {
		return nil
	}
	assumed := make([]OID, len(base))
	for i := range assumed {
		assumed[i] = known
	}
	var found *candidate
	for _, c := range list {
		if p.canCoerce(assumed, c.args[:len(assumed)], coercionImplicit) {
			if found != nil {
				return nil
			}
			found = c
		}
	}
	return found
}
