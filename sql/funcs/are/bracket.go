package are

// bracket reads a bracket expression after its [.
func (p *parser) bracket() (*node, bool) {
	for text, kind := range map[string]byte{"[:<:]]": 'm', "[:>:]]": 'M'} {
		if p.follows(text) {
			p.at += len(text)
			return &node{op: opAssert, assert: kind}, false
		}
	}
	s := &set{icase: p.flags.ICase}
	if p.peek() == '^' {
		p.at++
		s.negated, s.noNL = true, p.flags.NLStop
	}
	for first := true; first || p.peek() != ']'; first = false {
		p.bracketPart(s, first)
	}
	p.at++
	return &node{op: opSet, set: s.seal()}, true
}

func (p *parser) follows(text string) bool {
	for i, r := range text {
		if p.peekAt(i) != r {
			return false
		}
	}
	return true
}

// bracketPart reads one member: a character, a class or a range.
func (p *parser) bracketPart(s *set, first bool) {
	if p.peek() == '-' && !first && p.peekAt(1) != ']' {
		p.fail(errRange)
	}
	lo, class := p.bracketItem()
	ranged := p.peek() == '-' && p.peekAt(1) != ']' && p.peekAt(1) != -1
	if class != nil {
		if ranged {
			p.fail(errRange)
		}
		s.classes = append(s.classes, class)
		return
	}
	hi := lo
	if ranged {
		p.at++
		if hi, class = p.bracketItem(); class != nil || hi < lo {
			p.fail(errRange)
		}
	}
	s.add(lo, hi)
}

func (p *parser) bracketItem() (rune, func(rune) bool) {
	c := p.peek()
	switch {
	case c == -1:
		p.fail(errBracket)
	case c == '\\' && !p.flags.Extended:
		p.at++
		switch e := p.peek(); e {
		case 'd', 'w', 's', 'D', 'W', 'S':
			p.at++
			return 0, escapeClass(e)
		case 'A', 'Z', 'm', 'M', 'y', 'Y':
			p.fail(errEscape)
		}
		return p.escape(), nil
	case c == '[' && (p.peekAt(1) == ':' || p.peekAt(1) == '.' || p.peekAt(1) == '='):
		return p.bracketName(p.peekAt(1))
	}
	p.at++
	return c, nil
}

// bracketName reads [:class:], [.name.] or [=x=].
func (p *parser) bracketName(kind rune) (rune, func(rune) bool) {
	p.at += 2
	start := p.at
	for !(p.peek() == kind && p.peekAt(1) == ']') {
		if p.peek() == -1 {
			p.fail(errBracket)
		}
		p.at++
	}
	name := p.in[start:p.at]
	p.at += 2
	if kind == ':' {
		f := classes[string(name)]
		if f == nil {
			p.fail(errClass)
		}
		return 0, f
	}
	if len(name) == 1 {
		return name[0], nil
	}
	r, ok := collatingNames[string(name)]
	if !ok {
		p.fail(errCollate)
	}
	return r, nil
}
