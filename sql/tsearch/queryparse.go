package tsearch

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func errQuerySyntax(text string) error {
	return pgerr.New(pgerr.SyntaxError, "syntax error in tsquery: \"%s\"", text)
}

// pushFunc makes nodes of a word of a query's text: it pushes one operand, made of any number of nodes, onto the parser's output.
type pushFunc func(p *queryParser, word string, weight uint8, prefix bool) error

// queryStyle is how a query's text is read.
type queryStyle int

const (
	styleStandard queryStyle = iota // operators
	stylePlain                      // the whole text is one word
	styleWeb                        // search engines': "a phrase", or, -
)

// queryParser makes prefix notation by an operator stack.
type queryParser struct {
	text, rest  string
	style       queryStyle
	push        pushFunc
	out         []*Query // operands and operators in the order of postfix notation
	open        int      // open parentheses
	first       bool     // no operand was seen
	wantOperand bool
	words       wordScanner
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenOperator
	tokenOpen
	tokenClose
)

type queryToken struct {
	kind     tokenKind
	op       Operator
	distance int16
	word     string
	weight   uint8
	prefix   bool
}

// parseQuery reads a query's text. Notices say when nothing is left of it.
func parseQuery(env *types.Env, text string, style queryStyle, push pushFunc) (*Query, error) {
	p := &queryParser{text: text, rest: text, style: style, push: push, first: true, wantOperand: true}
	p.words = wordScanner{text: text, operators: true, query: true, web: style == styleWeb}
	if err := p.level(0); err != nil {
		return nil, err
	}
	if len(p.out) == 0 {
		notice(env, "text-search query doesn't contain lexemes: \"%s\"", text)
		return nil, nil
	}
	q, stops, err := p.build()
	if err != nil || !stops {
		return q, err
	}
	if q, _, _ = q.withoutStopWords(); q == nil {
		notice(env, "text-search query contains only stop words or doesn't contain lexemes, ignored")
	}
	return q, nil
}

func notice(env *types.Env, format string, args ...any) {
	if env != nil && env.Notice != nil {
		n := pgerr.New(pgerr.SuccessfulCompletion, format, args...)
		n.Severity = "NOTICE"
		env.Notice(n)
	}
}

// build makes the tree of the output.
func (p *queryParser) build() (q *Query, stops bool, err error) {
	var stack []*Query
	for _, n := range p.out {
		need := 2
		switch n.Op {
		case Operand:
			need = 0
		case stopWord:
			need, stops = 0, true
		case Not:
			need = 1
		}
		if len(stack) < need {
			return nil, false, pgerr.Internal("malformed tsquery: operand not found")
		}
		if need > 0 {
			n.Right = stack[len(stack)-1]
		}
		if need > 1 {
			n.Left = stack[len(stack)-2]
		}
		stack = append(stack[:len(stack)-need], n)
	}
	if len(stack) != 1 {
		return nil, false, pgerr.Internal("malformed tsquery: extra nodes")
	}
	if stack[0].depth() > queryDepthMax {
		return nil, false, errTooDeep()
	}
	return stack[0], stops, nil
}

func (q *Query) depth() int {
	if q == nil {
		return 0
	}
	return 1 + max(q.Left.depth(), q.Right.depth())
}

func (p *queryParser) pushWord(word string, weight uint8, prefix bool) error {
	if len(word) >= wordLenMax {
		return pgerr.New(pgerr.ProgramLimitExceeded, "word is too long in tsquery: \"%s\"", p.text)
	}
	p.out = append(p.out, &Query{Word: word, Weight: weight, Prefix: prefix})
	return nil
}

func (p *queryParser) pushStop() { p.out = append(p.out, &Query{Op: stopWord}) }

func (p *queryParser) pushOperator(op Operator, distance int16) {
	if op != Phrase {
		distance = 0
	}
	p.out = append(p.out, &Query{Op: op, Distance: distance})
}

// level reads up to the closing parenthesis or the end.
func (p *queryParser) level(depth int) error {
	if depth > queryDepthMax {
		return errTooDeep()
	}
	var ops []queryToken
	// unwind gives out the operators that bind at least as tightly as op; Not binds to the right.
	unwind := func(op Operator) {
		for n := len(ops); n > 0; n = len(ops) {
			top := ops[n-1]
			if op != Not && op.priority() > top.op.priority() || op == Not && op.priority() >= top.op.priority() {
				break
			}
			ops = ops[:n-1]
			p.pushOperator(top.op, top.distance)
		}
	}
	for {
		t, err := p.token()
		if err != nil {
			return err
		}
		switch t.kind {
		case tokenWord:
			err = p.push(p, t.word, t.weight, t.prefix)
		case tokenOperator:
			unwind(t.op)
			if len(ops) == 32 {
				return pgerr.Internal("tsquery stack too small")
			}
			ops = append(ops, t)
		case tokenOpen:
			err = p.level(depth + 1)
		default:
			unwind(Or)
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *queryParser) token() (queryToken, error) {
	switch p.style {
	case stylePlain:
		word := p.rest
		p.rest = ""
		if word == "" {
			return queryToken{}, nil
		}
		return queryToken{kind: tokenWord, word: word}, nil
	case styleWeb:
		if p.wantOperand {
			return p.webOperand()
		}
		return p.webOperator()
	}
	if p.wantOperand {
		return p.operand()
	}
	return p.operator()
}

func (p *queryParser) skipSpace() { p.rest = strings.TrimLeftFunc(p.rest, isSpace) }

func (p *queryParser) takeByte() { p.rest = p.rest[1:] }

func (p *queryParser) operand() (queryToken, error) {
	p.skipSpace()
	switch {
	case strings.HasPrefix(p.rest, "!"):
		p.takeByte()
		p.first = false
		return queryToken{kind: tokenOperator, op: Not}, nil
	case strings.HasPrefix(p.rest, "("):
		p.takeByte()
		p.first = false
		p.open++
		return queryToken{kind: tokenOpen}, nil
	case strings.HasPrefix(p.rest, ":"):
		return queryToken{}, errQuerySyntax(p.text)
	}
	word, ok, err := p.scanWord()
	if err != nil {
		return queryToken{}, err
	}
	if !ok && p.first {
		return queryToken{}, nil
	}
	if !ok {
		return queryToken{}, pgerr.New(pgerr.SyntaxError, "no operand in tsquery: \"%s\"", p.text)
	}
	t := queryToken{kind: tokenWord, word: word}
	p.modifiers(&t)
	return t, nil
}

// scanWord reads a word; an operator is wanted after it.
func (p *queryParser) scanWord() (string, bool, error) {
	p.words.rest = p.rest
	word, _, ok, err := p.words.next()
	p.rest = p.words.rest
	if ok {
		p.wantOperand, p.first = false, false
	}
	return word, ok, err
}

// modifiers reads :AB* after a word.
func (p *queryParser) modifiers(t *queryToken) {
	if !strings.HasPrefix(p.rest, ":") {
		return
	}
	for p.takeByte(); p.rest != ""; p.takeByte() {
		switch p.rest[0] {
		case 'a', 'A':
			t.weight |= 1 << 3
		case 'b', 'B':
			t.weight |= 1 << 2
		case 'c', 'C':
			t.weight |= 1 << 1
		case 'd', 'D':
			t.weight |= 1
		case '*':
			t.prefix = true
		default:
			return
		}
	}
}

func (p *queryParser) operator() (queryToken, error) {
	p.skipSpace()
	if p.rest == "" {
		if p.open > 0 {
			return queryToken{}, errQuerySyntax(p.text)
		}
		return queryToken{}, nil
	}
	switch p.rest[0] {
	case '&':
		p.takeByte()
		p.wantOperand = true
		return queryToken{kind: tokenOperator, op: And}, nil
	case '|':
		p.takeByte()
		p.wantOperand = true
		return queryToken{kind: tokenOperator, op: Or}, nil
	case '<':
		distance, ok, err := p.phraseOperator()
		if err != nil {
			return queryToken{}, err
		}
		if ok {
			p.wantOperand = true
			return queryToken{kind: tokenOperator, op: Phrase, distance: distance}, nil
		}
	case ')':
		p.takeByte()
		if p.open--; p.open >= 0 {
			return queryToken{kind: tokenClose}, nil
		}
	}
	return queryToken{}, errQuerySyntax(p.text)
}

func errPhraseDistance() error {
	return pgerr.New(pgerr.InvalidParameterValue, "distance in phrase operator must be an integer value between zero and %d inclusive", positionMax+1)
}

// phraseOperator reads <-> or <N>.
func (p *queryParser) phraseOperator() (int16, bool, error) {
	rest, distance := p.rest[1:], int64(1)
	if strings.HasPrefix(rest, "-") {
		rest = rest[1:]
	} else {
		n := 0
		for n < len(rest) && isDigit(rune(rest[n])) {
			n++
		}
		if n == 0 {
			return 0, false, nil
		}
		var err error
		if distance, err = strconv.ParseInt(rest[:n], 10, 64); err != nil || distance > positionMax+1 {
			return 0, false, errPhraseDistance()
		}
		rest = rest[n:]
	}
	// At the end of the text it is none: there is no operand either.
	if !strings.HasPrefix(rest, ">") || len(rest) == 1 {
		return 0, false, nil
	}
	p.rest = rest[1:]
	return int16(distance), true, nil
}

func (p *queryParser) webOperand() (queryToken, error) {
	for {
		p.skipSpace()
		switch {
		case strings.HasPrefix(p.rest, "-"):
			p.takeByte()
			p.first = false
			return queryToken{kind: tokenOperator, op: Not}, nil
		case strings.HasPrefix(p.rest, `"`):
			word, rest, _ := strings.Cut(p.rest[1:], `"`)
			p.rest, p.wantOperand, p.first = rest, false, false
			return queryToken{kind: tokenWord, word: word}, nil
		case p.rest != "" && isOperator(p.rest[0]):
			p.takeByte()
			p.first = false
			continue
		}
		word, ok, err := p.scanWord()
		if err != nil || ok {
			return queryToken{kind: tokenWord, word: word}, err
		}
		if !p.first {
			p.pushStop()
		}
		return queryToken{}, nil
	}
}

func (p *queryParser) webOperator() (queryToken, error) {
	for {
		p.skipSpace()
		switch {
		case p.rest == "":
			return queryToken{}, nil
		case p.webOr():
			p.wantOperand = true
			return queryToken{kind: tokenOperator, op: Or}, nil
		case isOperator(p.rest[0]):
			p.takeByte()
			continue
		}
		p.wantOperand = true
		return queryToken{kind: tokenOperator, op: And}, nil
	}
}

// webOr takes the word or where it is an operator: no part of a word, with something after it.
func (p *queryParser) webOr() bool {
	if len(p.rest) < 3 || !strings.EqualFold(p.rest[:2], "or") {
		return false
	}
	rest := p.rest[2:]
	r, n := utf8.DecodeRuneInString(rest)
	if r == '-' || r == '_' || isAlnum(r) {
		return false
	}
	if strings.TrimLeftFunc(rest[n:], isSpace) == "" {
		return false
	}
	p.rest = rest
	return true
}

// withoutStopWords takes stop words out. ladd and radd are what the distances of phrase operators to the left and to the right of q grow by: the places of
// the words that are gone. Where nothing is left, both are the same.
func (q *Query) withoutStopWords() (left *Query, ladd, radd int16) {
	switch q.Op {
	case Operand:
		return q, 0, 0
	case stopWord:
		return nil, 0, 0
	case Not:
		if q.Right, ladd, radd = q.Right.withoutStopWords(); q.Right == nil {
			return nil, ladd, radd
		}
		return q, ladd, radd
	}
	var lladd, lradd, rladd, rradd int16
	q.Left, lladd, lradd = q.Left.withoutStopWords()
	q.Right, rladd, rradd = q.Right.withoutStopWords()
	phrase := q.Op == Phrase
	switch {
	case q.Left == nil && q.Right == nil:
		if phrase {
			lladd += q.Distance + rladd
		} else {
			lladd = max(lladd, rladd)
		}
		return nil, lladd, lladd
	case q.Left == nil:
		if phrase {
			return q.Right, lladd + q.Distance + rladd, rradd
		}
		return q.Right, rladd, rradd
	case q.Right == nil:
		if phrase {
			return q.Left, lladd, lradd + q.Distance + rradd
		}
		return q.Left, lladd, lradd
	case phrase:
		q.Distance += lradd + rladd
		return q, lladd, rradd
	}
	return q, 0, 0
}
