package types

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// pathParser reads the grammar of SQL/JSON paths: expressions, which give values, and predicates.
type pathParser struct {
	lex   pathLexer
	tok   pathToken
	depth int
	err   error
}

const pathDepthMax = 1000

// ParseJSONPath parses a path.
func ParseJSONPath(s string) (*JSONPath, error) {
	p := &pathParser{lex: pathLexer{s: s}}
	p.advance()
	if p.err == nil && p.tok.kind == pathEnd {
		return nil, badSyntax("jsonpath", s)
	}
	out := &JSONPath{}
	if p.isWord("strict") || p.isWord("lax") {
		out.Strict = p.isWord("strict")
		p.advance()
	}
	root, _ := p.orPredicate()
	if p.err == nil && p.tok.kind != pathEnd {
		p.unexpected()
	}
	if p.err == nil {
		p.err = root.check(0, false)
	}
	out.Root = root
	return out, p.err
}

// check refuses @ outside of filters and last outside of subscripts.
func (v *PathItem) check(filters int, inSubscript bool) error {
	for ; v != nil; v = v.Next {
		switch v.Kind {
		case PathCurrent:
			if filters <= 0 {
				return pgerr.New(pgerr.SyntaxError, "@ is not allowed in root expressions")
			}
		case PathLast:
			if !inSubscript {
				return pgerr.New(pgerr.SyntaxError, "LAST is allowed only in array subscripts")
			}
		}
		inner := filters
		if v.Kind == PathFilter {
			inner++
		}
		for _, o := range []*PathItem{v.Left, v.Right} {
			if err := o.check(inner, inSubscript); err != nil {
				return err
			}
		}
		for _, s := range v.Subs {
			for _, o := range s {
				if err := o.check(filters, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (p *pathParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
	p.tok = pathToken{}
}

func (p *pathParser) unexpected() { p.fail(pathSyntax("syntax error", p.tok.near)) }

func (p *pathParser) advance() {
	if p.err != nil {
		return
	}
	t, err := p.lex.next()
	if err != nil {
		p.fail(err)
		return
	}
	p.tok = t
}

func (p *pathParser) is(c byte) bool      { return p.tok.kind == c }
func (p *pathParser) isOp(op string) bool { return p.tok.kind == pathOp && p.tok.text == op }
func (p *pathParser) accept(c byte) (ok bool) {
	if ok = p.is(c); ok {
		p.advance()
	}
	return ok
}

func (p *pathParser) expect(c byte) {
	if !p.accept(c) {
		p.unexpected()
	}
}

// isWord tests for a keyword; null, true and false are keywords in lower case only.
func (p *pathParser) isWord(w string) bool {
	if p.tok.kind != pathIdent {
		return false
	}
	if w == "null" || w == "true" || w == "false" {
		return p.tok.text == w
	}
	return strings.EqualFold(p.tok.text, w)
}

func (p *pathParser) expectWord(w string) {
	if !p.isWord(w) {
		p.unexpected()
		return
	}
	p.advance()
}

// enter bounds recursion.
func (p *pathParser) enter() bool {
	if p.depth++; p.depth > pathDepthMax {
		p.fail(pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded"))
	}
	return p.err == nil
}

// wantPredicate and wantExpr check what an operand is.
func (p *pathParser) wantPredicate(isPredicate bool) {
	if !isPredicate {
		p.unexpected()
	}
}

func (p *pathParser) wantExpr(isPredicate bool) {
	if isPredicate {
		p.unexpected()
	}
}

// orPredicate reads a predicate or an expression and says which.
func (p *pathParser) orPredicate() (*PathItem, bool) {
	defer func() { p.depth-- }()
	if !p.enter() {
		return nil, false
	}
	left, pred := p.andPredicate()
	for p.isOp("||") {
		p.wantPredicate(pred)
		p.advance()
		right, rpred := p.andPredicate()
		p.wantPredicate(rpred)
		left = &PathItem{Kind: PathOr, Left: left, Right: right}
	}
	return left, pred
}

func (p *pathParser) andPredicate() (*PathItem, bool) {
	left, pred := p.comparison()
	for p.isOp("&&") {
		p.wantPredicate(pred)
		p.advance()
		right, rpred := p.comparison()
		p.wantPredicate(rpred)
		left = &PathItem{Kind: PathAnd, Left: left, Right: right}
	}
	return left, pred
}

// delimited reads (predicate) or exists (expr), after !.
func (p *pathParser) delimited() *PathItem {
	if p.isWord("exists") {
		return p.exists()
	}
	p.expect('(')
	v, pred := p.orPredicate()
	p.wantPredicate(pred)
	p.expect(')')
	return v
}

func (p *pathParser) exists() *PathItem {
	p.advance()
	p.expect('(')
	v, pred := p.orPredicate()
	p.wantExpr(pred)
	p.expect(')')
	return &PathItem{Kind: PathExists, Left: v}
}

func (p *pathParser) comparison() (*PathItem, bool) {
	if p.isOp("!") {
		p.advance()
		return &PathItem{Kind: PathNot, Left: p.delimited()}, true
	}
	if p.isWord("exists") {
		return p.exists(), true
	}
	left, pred := p.additive()
	switch {
	case p.err != nil || pred:
		return left, pred
	case p.tok.kind == pathOp && strings.Contains(" == != <> < <= > >= ", " "+p.tok.text+" "):
		op := p.tok.text
		if op == "<>" {
			op = "!="
		}
		p.advance()
		right, rpred := p.additive()
		p.wantExpr(rpred)
		return &PathItem{Kind: PathCompare, Str: op, Left: left, Right: right}, true
	case p.isWord("starts"):
		p.advance()
		p.expectWord("with")
		return &PathItem{Kind: PathStartsWith, Left: left, Right: p.startsWithInitial()}, true
	case p.isWord("like_regex"):
		p.advance()
		return p.likeRegex(left), true
	}
	return left, false
}

func (p *pathParser) startsWithInitial() *PathItem {
	kind := PathString
	if p.is(pathVar) {
		kind = PathVariable
	} else if !p.is(pathStr) {
		p.unexpected()
	}
	v := &PathItem{Kind: kind, Str: p.tok.text}
	p.advance()
	return v
}

func (p *pathParser) likeRegex(left *PathItem) *PathItem {
	v := &PathItem{Kind: PathLikeRegex, Left: left, Str: p.tok.text}
	p.expect(pathStr)
	if p.isWord("flag") {
		p.advance()
		flags := p.tok.text
		p.expect(pathStr)
		for i, c := range flags {
			if !strings.ContainsRune("ismxq", c) {
				p.fail(pgerr.New(pgerr.SyntaxError, "invalid input syntax for type %s", "jsonpath").
					WithDetail("Unrecognized flag character \"%s\" in LIKE_REGEX predicate.", firstChar(flags[i:])))
			}
		}
		for _, c := range "ismxq" {
			if strings.ContainsRune(flags, c) {
				v.Flags += string(c)
			}
		}
	}
	if p.err == nil && CheckPathRegex != nil {
		if err := CheckPathRegex(v.Str, v.Flags); err != nil {
			p.fail(err)
		}
	}
	return v
}

func (p *pathParser) additive() (*PathItem, bool) {
	return p.binary(p.multiplicative, '+', '-')
}

func (p *pathParser) multiplicative() (*PathItem, bool) {
	return p.binary(p.unary, '*', '/', '%')
}

func (p *pathParser) binary(operand func() (*PathItem, bool), ops ...byte) (*PathItem, bool) {
	left, pred := operand()
	for p.err == nil && strings.IndexByte(string(ops), p.tok.kind) >= 0 && p.tok.kind != pathEnd {
		p.wantExpr(pred)
		op := p.tok.text
		p.advance()
		right, rpred := operand()
		p.wantExpr(rpred)
		left = &PathItem{Kind: PathArith, Str: op, Left: left, Right: right}
	}
	return left, pred
}

func (p *pathParser) unary() (*PathItem, bool) {
	if !p.is('+') && !p.is('-') {
		return p.accessors()
	}
	defer func() { p.depth-- }()
	if !p.enter() {
		return nil, false
	}
	op := p.tok.text
	p.advance()
	v, pred := p.unary()
	p.wantExpr(pred)
	if p.err == nil && v.Kind == PathNumber && v.Next == nil {
		if op == "-" {
			v = &PathItem{Kind: PathNumber, Num: negNumeric(v.Num)}
		}
		return v, false
	}
	return &PathItem{Kind: PathUnary, Str: op, Left: v}, false
}

// accessors reads a primary and the accessors after it.
func (p *pathParser) accessors() (*PathItem, bool) {
	var head *PathItem
	pred := false
	if p.accept('(') {
		head, pred = p.orPredicate()
		p.expect(')')
		if pred && p.isWord("is") {
			p.advance()
			p.expectWord("unknown")
			return &PathItem{Kind: PathIsUnknown, Left: head}, true
		}
	} else {
		head = p.primary()
	}
	end := head
	for end != nil && end.Next != nil {
		end = end.Next
	}
	for p.err == nil && (p.is('.') || p.is('[') || p.is('?')) {
		end.Next = p.accessor()
		end, pred = end.Next, false
	}
	return head, pred
}

func (p *pathParser) primary() *PathItem {
	v := &PathItem{Str: p.tok.text}
	switch p.tok.kind {
	case pathStr:
		v.Kind = PathString
	case pathVar:
		v.Kind = PathVariable
	case pathNum, pathInt:
		n, err := ParseNumeric(p.tok.text)
		if err != nil {
			p.fail(err)
		}
		v.Kind, v.Num = PathNumber, n
	case '$':
		v.Kind = PathRoot
	case '@':
		v.Kind = PathCurrent
	default:
		switch {
		case p.isWord("null"):
			v.Kind = PathNull
		case p.isWord("true"), p.isWord("false"):
			v.Kind, v.Bool = PathBool, p.isWord("true")
		case p.isWord("last"):
			v.Kind = PathLast
		default:
			p.unexpected()
			return v
		}
	}
	p.advance()
	return v
}

func (p *pathParser) accessor() *PathItem {
	switch {
	case p.accept('['):
		return p.subscripts()
	case p.accept('?'):
		p.expect('(')
		v, pred := p.orPredicate()
		p.wantPredicate(pred)
		p.expect(')')
		return &PathItem{Kind: PathFilter, Left: v}
	}
	p.advance() // the dot
	switch {
	case p.accept('*'):
		return &PathItem{Kind: PathAnyKey}
	case p.isOp("**"):
		p.advance()
		return p.anyLevels()
	case p.is(pathStr):
		v := &PathItem{Kind: PathKey, Str: p.tok.text}
		p.advance()
		return v
	case !p.is(pathIdent):
		p.unexpected()
		return &PathItem{}
	}
	name, word := p.tok.text, strings.ToLower(p.tok.text)
	p.advance()
	if !p.is('(') {
		return &PathItem{Kind: PathKey, Str: name}
	}
	switch word {
	case "abs", "size", "type", "floor", "double", "ceiling", "keyvalue":
		p.advance()
		p.expect(')')
		return &PathItem{Kind: PathMethod, Str: word}
	case "datetime":
		p.advance()
		v := &PathItem{Kind: PathDatetime, Str: word}
		if p.is(pathStr) {
			v.Left = &PathItem{Kind: PathString, Str: p.tok.text}
			p.advance()
		}
		p.expect(')')
		return v
	}
	p.unexpected()
	return &PathItem{}
}

func (p *pathParser) subscripts() *PathItem {
	if p.accept('*') {
		p.expect(']')
		return &PathItem{Kind: PathAnyArray}
	}
	v := &PathItem{Kind: PathIndexArray}
	for {
		from, pred := p.additive()
		p.wantExpr(pred)
		sub := [2]*PathItem{from}
		if p.isWord("to") {
			p.advance()
			to, pred := p.additive()
			p.wantExpr(pred)
			sub[1] = to
		}
		v.Subs = append(v.Subs, sub)
		if !p.accept(',') {
			break
		}
	}
	p.expect(']')
	return v
}

func (p *pathParser) anyLevels() *PathItem {
	v := &PathItem{Kind: PathAny, Last: PathAnyLevel}
	if !p.accept('{') {
		return v
	}
	v.First = p.level()
	v.Last = v.First
	if p.isWord("to") {
		p.advance()
		v.Last = p.level()
	}
	p.expect('}')
	return v
}

func (p *pathParser) level() uint32 {
	if p.isWord("last") {
		p.advance()
		return PathAnyLevel
	}
	text := p.tok.text
	p.expect(pathInt)
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil && p.err == nil {
		p.fail(pgerr.New(pgerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", text, "integer"))
	}
	return uint32(n)
}
