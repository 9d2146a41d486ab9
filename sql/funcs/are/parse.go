package are

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

const depthMax = 500 // nesting of a pattern

type parser struct {
	in     []rune
	at     int
	flags  Flags
	opened int     // capturing parentheses seen
	closed []*node // by number: what a back reference may name
	depth  int
	refs   bool
}

// Regexp is a compiled pattern. It is good for concurrent use.
type Regexp struct {
	root     *node
	captures int
	backrefs bool
	flags    Flags
}

// Groups counts the capturing parentheses.
func (re *Regexp) Groups() int { return re.captures }

// Compile reads a pattern.
func Compile(pattern string, flags Flags) (re *Regexp, err error) {
	p := &parser{in: []rune(pattern), flags: flags, closed: []*node{nil}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(parseError)
			if !ok {
				panic(r)
			}
			re, err = nil, e.error
		}
	}()
	p.prefix()
	if p.flags.Basic {
		return nil, pgerr.NotSupported("a basic regular expression")
	}
	var root *node
	if p.flags.Quote {
		root = p.literal()
	} else {
		root = p.alternation()
		if p.at < len(p.in) {
			p.fail(errParen)
		}
	}
	re = &Regexp{root: root, captures: p.opened, backrefs: p.refs, flags: p.flags}
	if err := re.prepare(root); err != nil {
		return nil, err
	}
	return re, nil
}

// parseError carries a refusal out of the recursive descent.
type parseError struct{ error }

func (p *parser) fail(err error) { panic(parseError{err}) }

// prefix reads the director (***) and embedded options at the pattern's start.
func (p *parser) prefix() {
	if p.flags.Quote {
		return
	}
	if strings.HasPrefix(string(p.in[:min(3, len(p.in))]), "***") {
		switch p.peekAt(3) {
		case '=':
			p.at, p.flags.Quote = 4, true
			return
		case ':':
			p.at, p.flags.Extended = 4, false
		default:
			p.fail(errOperand)
		}
	}
	if p.flags.Extended || p.peek() != '(' || p.peekAt(1) != '?' || !isAlpha(p.peekAt(2)) {
		return
	}
	for p.at += 2; isAlpha(p.peek()); p.at++ {
		p.option(p.peek())
	}
	if p.peek() != ')' {
		p.fail(errOption)
	}
	p.at++
}

func isAlpha(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

func (p *parser) option(r rune) {
	switch {
	case r == 'q':
		p.flags.Quote = true
	case r == 'e':
		p.flags.Extended = true
	case r == 'b':
		p.flags.Basic = true
	case !p.flags.letter(r):
		p.fail(errOption)
	}
}

func (p *parser) peek() rune { return p.peekAt(0) }

func (p *parser) peekAt(n int) rune {
	if p.at+n < len(p.in) {
		return p.in[p.at+n]
	}
	return -1
}

func (p *parser) literal() *node {
	var kids []*node
	for ; p.at < len(p.in); p.at++ {
		kids = append(kids, p.char(p.in[p.at]))
	}
	if len(kids) == 0 {
		return &node{}
	}
	return concat(kids...)
}

func (p *parser) char(r rune) *node { return &node{op: opSet, set: single(r, p.flags.ICase)} }

// skip passes over comments, and in the expanded syntax over white space.
func (p *parser) skip() {
	for {
		switch {
		case p.flags.Expanded && p.at < len(p.in) && isSpace(p.peek()):
			p.at++
		case p.flags.Expanded && p.peek() == '#':
			for p.at < len(p.in) && p.peek() != '\n' {
				p.at++
			}
		case !p.flags.Extended && p.peek() == '(' && p.peekAt(1) == '?' && p.peekAt(2) == '#':
			for p.at < len(p.in) && p.peek() != ')' {
				p.at++
			}
			p.at++
		default:
			p.at = min(p.at, len(p.in))
			return
		}
	}
}

// alternation reads branches up to a closing parenthesis or the end.
func (p *parser) alternation() *node {
	if p.depth++; p.depth > depthMax {
		p.fail(errTooBig)
	}
	defer func() { p.depth-- }()
	n := &node{op: opAlt, attrs: prefersLonger}
	for {
		b := p.branch()
		n.kids = append(n.kids, b)
		n.attrs |= (n.attrs | b.attrs).up()
		if p.peek() != '|' {
			break
		}
		p.at++
	}
	if len(n.kids) == 1 {
		return n.kids[0]
	}
	return n
}

func (p *parser) branchEnds() bool {
	p.skip()
	return p.at >= len(p.in) || p.peek() == '|' || p.peek() == ')' && !(p.flags.Extended && p.depth == 1)
}

// branch reads a concatenation. What needs no taking apart is gathered; the first part that does splits the branch in three.
func (p *parser) branch() *node {
	if p.depth++; p.depth > depthMax {
		p.fail(errTooBig)
	}
	defer func() { p.depth-- }()
	var simple []*node
	var have attrs
	for !p.branchEnds() {
		atom, quantifiable := p.atom()
		q := quantifier{min: 1, max: 1}
		if quantifiable {
			q = p.quantifier()
		}
		f := have | q.pref | atom.attrs
		if q.max == 0 {
			continue // {0} cancels the atom
		}
		if atom.op != opCapture && atom.op != opBackref && !f.up().messy() {
			simple = append(simple, repeat(atom, q.min, q.max))
			have = f
			continue
		}
		return p.splitBranch(simple, have, quantified(atom, q))
	}
	if len(simple) == 0 {
		return &node{}
	}
	n := &node{op: opConcat, kids: simple, attrs: have}
	return n
}

func (p *parser) splitBranch(simple []*node, have attrs, atom *node) *node {
	n := atom
	if !p.branchEnds() {
		rest := p.branch()
		n = &node{op: opConcat, kids: []*node{atom, rest}, attrs: combine(atom.attrs, rest.attrs)}
	}
	if len(simple) == 0 {
		return n
	}
	before := &node{op: opConcat, kids: simple, attrs: have}
	return &node{op: opConcat, kids: []*node{before, n}, attrs: combine(have, n.attrs)}
}

// quantified applies a quantifier to an atom whose parts matter.
func quantified(atom *node, q quantifier) *node {
	inner := atom.attrs & (preference | mixed)
	both := combine(q.pref, atom.attrs)
	switch {
	case atom.op == opBackref:
		atom.min, atom.max, atom.attrs = q.min, q.max, both|hasBackref
		return atom
	case q.min == 1 && q.max == 1 && (q.pref == 0 || inner == 0 || q.pref == inner):
		return atom
	case atom.attrs&(hasCapture|hasBackref) == 0:
		return &node{op: opConcat, kids: []*node{repeat(atom, q.min, q.max)}, attrs: both}
	case q.min > 0 && atom.attrs&hasBackref == 0:
		// The captures of x{m,n} are those of its last round: x{m-1,n-1}x, of which only the second x is taken apart.
		most := q.max
		if most != infinite {
			most--
		}
		before := &node{op: opConcat, kids: []*node{repeat(atom, q.min-1, most)}, attrs: both & preference}
		return &node{op: opConcat, kids: []*node{before, atom}, attrs: both}
	}
	return &node{op: opRepeat, kids: []*node{atom}, min: q.min, max: q.max, attrs: both}
}

type quantifier struct {
	min, max int
	pref     attrs
}

// quantifier reads what may follow an atom.
func (p *parser) quantifier() quantifier {
	p.skip()
	q := quantifier{min: 1, max: 1}
	exact := false
	switch c := p.peek(); {
	case c == '*':
		q.min, q.max = 0, infinite
		p.at++
	case c == '+':
		q.min, q.max = 1, infinite
		p.at++
	case c == '?':
		q.min, q.max = 0, 1
		p.at++
	case c == '{' && isDigit(p.peekAt(1)):
		p.at++
		q.min, q.max, exact = p.bound()
	default:
		return q
	}
	lazy := !p.flags.Extended && p.peek() == '?'
	if lazy {
		p.at++
	}
	switch {
	case exact:
	case lazy:
		q.pref = prefersShorter
	default:
		q.pref = prefersLonger
	}
	return q
}

const repeatMax = 255

// bound reads m}, m,} or m,n}.
func (p *parser) bound() (least, most int, exact bool) {
	least = p.count()
	most, exact = least, true
	if p.peek() == ',' {
		p.at++
		exact = false
		if most = infinite; isDigit(p.peek()) {
			if most = p.count(); most < least {
				p.fail(errRepeat)
			}
		}
	}
	switch p.peek() {
	case '}':
		p.at++
	case -1:
		p.fail(errBrace)
	default:
		p.fail(errRepeat)
	}
	return least, most, exact
}

func (p *parser) count() int {
	n := 0
	for ; isDigit(p.peek()); p.at++ {
		if n = n*10 + int(p.peek()-'0'); n > repeatMax {
			p.fail(errRepeat)
		}
	}
	return n
}
