package are

// atom reads one atom or constraint; constraints take no quantifier.
func (p *parser) atom() (n *node, quantifiable bool) {
	c := p.peek()
	p.at++
	switch c {
	case '^', '$':
		return p.assertion(byte(c)), false
	case '.':
		return &node{op: opSet, set: (&set{negated: true, noNL: p.flags.NLStop}).seal()}, true
	case '[':
		return p.bracket()
	case '\\':
		if p.flags.Extended {
			if p.at >= len(p.in) {
				p.fail(errEscape)
			}
			p.at++
			return p.char(p.in[p.at-1]), true
		}
		return p.escapeAtom()
	case '(':
		return p.group()
	case '*', '+', '?':
		p.fail(errOperand)
	case '{':
		if isDigit(p.peek()) {
			p.fail(errOperand)
		}
	}
	return p.char(c), true
}

// assertion makes a zero-width test; ^ and $ depend on the newline mode.
func (p *parser) assertion(c byte) *node {
	if !p.flags.NLAnchor {
		switch c {
		case '^':
			c = 'A'
		case '$':
			c = 'Z'
		}
	}
	return &node{op: opAssert, assert: c}
}

// group reads what follows an opening parenthesis.
func (p *parser) group() (*node, bool) {
	if !p.flags.Extended && p.peek() == '?' {
		kind := p.peekAt(1)
		p.at += 2
		switch kind {
		case ':':
			return p.closeGroup(), true
		case '=', '!':
			return p.look(true, kind == '!'), false
		case '<':
			if c := p.peek(); c == '=' || c == '!' {
				p.at++
				return p.look(false, c == '!'), false
			}
		}
		p.fail(errOperand)
	}
	p.opened++
	num := p.opened
	p.closed = append(p.closed, nil)
	inner := p.closeGroup()
	n := &node{op: opCapture, kids: []*node{inner}, num: num, attrs: inner.attrs | hasCapture}
	p.closed[num] = n
	return n, true
}

func (p *parser) closeGroup() *node {
	n := p.alternation()
	if p.peek() != ')' {
		p.fail(errParen)
	}
	p.at++
	return n
}

// look reads a lookaround constraint. Parentheses within capture nothing.
func (p *parser) look(ahead, negative bool) *node {
	opened, closed := p.opened, p.closed
	inner := p.closeGroup()
	p.opened, p.closed = opened, closed[:opened+1]
	return &node{op: opLook, kids: []*node{inner}, ahead: ahead, negative: negative}
}

func (p *parser) escapeAtom() (*node, bool) {
	if p.at >= len(p.in) {
		p.fail(errEscape)
	}
	c := p.in[p.at]
	switch c {
	case 'A', 'Z', 'm', 'M', 'y', 'Y':
		p.at++
		return &node{op: opAssert, assert: byte(c)}, false
	case 'd', 'w', 's', 'D', 'W', 'S':
		p.at++
		s := &set{classes: []func(rune) bool{escapeClass(c)}}
		return &node{op: opSet, set: s.seal()}, true
	}
	if c >= '1' && c <= '9' {
		if n := p.backref(); n != nil {
			return n, true
		}
	}
	return p.char(p.escape()), true
}

// backref reads \m or \mnn when it can be a back reference: one digit always is.
func (p *parser) backref() *node {
	start, num := p.at, 0
	for ; isDigit(p.peek()) && num < 1e6; p.at++ {
		num = num*10 + int(p.peek()-'0')
	}
	if p.at != start+1 && num > p.opened {
		p.at = start
		return nil
	}
	if num > p.opened || p.closed[num] == nil {
		p.fail(errSubReg)
	}
	p.refs = true
	return &node{op: opBackref, num: num, min: 1, max: 1, attrs: hasBackref, kids: []*node{p.closed[num].kids[0]}}
}

func escapeClass(c rune) func(rune) bool {
	f := isDigit
	switch c {
	case 'w', 'W':
		f = isWord
	case 's', 'S':
		f = isSpace
	}
	if c == 'D' || c == 'W' || c == 'S' {
		g := f
		f = func(r rune) bool { return !g(r) }
	}
	return f
}

// escape reads a character after a backslash.
func (p *parser) escape() rune {
	if p.at >= len(p.in) {
		p.fail(errEscape)
	}
	c := p.in[p.at]
	p.at++
	switch c {
	case 'a':
		return 7
	case 'b':
		return 8
	case 'B':
		return '\\'
	case 'c':
		if p.at >= len(p.in) {
			p.fail(errEscape)
		}
		p.at++
		return p.in[p.at-1] & 31
	case 'e':
		return 27
	case 'f':
		return 12
	case 'n':
		return 10
	case 'r':
		return 13
	case 't':
		return 9
	case 'v':
		return 11
	case 'u':
		return p.digits(16, 4, 4)
	case 'U':
		return p.digits(16, 8, 8)
	case 'x':
		return p.digits(16, 1, 255)
	}
	if isDigit(c) {
		p.at--
		return p.octal()
	}
	if isAlpha(c) {
		p.fail(errEscape)
	}
	return c
}

func (p *parser) octal() rune {
	v := p.digits(8, 1, 3)
	if v > 0xff {
		p.at--
		v >>= 3
	}
	return v
}

func (p *parser) digits(base rune, least, most int) rune {
	v := rune(0)
	n := 0
	for ; n < most; n++ {
		d := digitValue(p.peek())
		if d < 0 || d >= base {
			break
		}
		if v = v*base + d; v > 0x10ffff {
			p.fail(errEscape)
		}
		p.at++
	}
	if n < least {
		p.fail(errEscape)
	}
	return v
}

func digitValue(r rune) rune {
	switch {
	case r >= '0' && r <= '9':
		return r - '0'
	case r >= 'a' && r <= 'f':
		return r - 'a' + 10
	case r >= 'A' && r <= 'F':
		return r - 'A' + 10
	}
	return -1
}
