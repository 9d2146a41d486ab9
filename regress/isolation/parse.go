package isolation

// Spec is a parsed spec file.
type Spec struct {
	Setups       []string // each is sent to the control session by itself
	Teardown     *string
	Sessions     []*Session
	Permutations [][]*PermutationStep // as the file names them; none: all interleavings
}

// Session is one connection and the steps that it may run.
type Session struct {
	Name            string
	Setup, Teardown *string
	Steps           []*Step
}

// Step is SQL text, sent as one simple query.
type Step struct {
	Name, SQL string
	Line      int // of the file, where the step begins
	session   int // index in Spec.Sessions
	used      bool
}

// PermutationStep is one place of a permutation.
type PermutationStep struct {
	Name     string
	Blockers []*Blocker
	step     *Step
}

// blockerKind is what a marker in parentheses asks for.
type blockerKind uint8

const (
	blockOnce      blockerKind = iota // (*): say that it waits, whatever the server says
	blockOtherStep                    // (other): not complete while the other step is active
	blockNotices                      // (other notices n): not complete before the other's session has sent n more notices
)

// Blocker delays the report that a step is complete.
type Blocker struct {
	kind    blockerKind
	Name    string // the other step
	Notices int
	step    *Step
	target  int // notices that the other session must have sent; set when the step is sent
}

// parser is a recursive descent over the tokens of a spec.
type parser struct {
	lexer lexer
	tok   token
}

// Parse reads a spec and resolves its names; unused are steps that no permutation of the file uses.
func Parse(text string) (spec *Spec, unused []string, err error) {
	p := &parser{lexer: lexer{src: text, line: 1}}
	if err := p.advance(); err != nil {
		return nil, nil, err
	}
	if spec, err = p.spec(); err != nil {
		return nil, nil, err
	}
	unused, err = spec.check()
	return spec, unused, err
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lexer.next()
	return err
}

// take gives the current token, which must be of a kind, and moves on.
func (p *parser) take(kind tokenKind) (token, error) {
	t := p.tok
	if t.kind != kind {
		return t, p.lexer.fail("syntax error")
	}
	return t, p.advance()
}

func (p *parser) spec() (*Spec, error) {
	s := &Spec{}
	for p.tok.kind == tokSetup {
		sql, err := p.block(tokSetup)
		if err != nil {
			return nil, err
		}
		s.Setups = append(s.Setups, *sql)
	}
	var err error
	if s.Teardown, err = p.block(tokTeardown); err != nil {
		return nil, err
	}
	for p.tok.kind == tokSession || len(s.Sessions) == 0 {
		session, err := p.session()
		if err != nil {
			return nil, err
		}
		s.Sessions = append(s.Sessions, session)
	}
	for p.tok.kind == tokPermutation {
		steps, err := p.permutation()
		if err != nil {
			return nil, err
		}
		s.Permutations = append(s.Permutations, steps)
	}
	_, err = p.take(tokEOF)
	return s, err
}

// block reads KEYWORD { sql }, or nothing.
func (p *parser) block(keyword tokenKind) (*string, error) {
	if p.tok.kind != keyword {
		return nil, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	t, err := p.take(tokSQL)
	return &t.text, err
}

func (p *parser) session() (*Session, error) {
	if _, err := p.take(tokSession); err != nil {
		return nil, err
	}
	name, err := p.take(tokIdent)
	if err != nil {
		return nil, err
	}
	s := &Session{Name: name.text}
	if s.Setup, err = p.block(tokSetup); err != nil {
		return nil, err
	}
	for p.tok.kind == tokStep || len(s.Steps) == 0 {
		step, err := p.step()
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, step)
	}
	s.Teardown, err = p.block(tokTeardown)
	return s, err
}

func (p *parser) step() (*Step, error) {
	line := p.lexer.line
	if _, err := p.take(tokStep); err != nil {
		return nil, err
	}
	name, err := p.take(tokIdent)
	if err != nil {
		return nil, err
	}
	sql, err := p.take(tokSQL)
	return &Step{Name: name.text, SQL: sql.text, Line: line}, err
}

func (p *parser) permutation() ([]*PermutationStep, error) {
	if _, err := p.take(tokPermutation); err != nil {
		return nil, err
	}
	var steps []*PermutationStep
	for p.tok.kind == tokIdent || len(steps) == 0 {
		name, err := p.take(tokIdent)
		if err != nil {
			return nil, err
		}
		step := &PermutationStep{Name: name.text}
		if p.tok.kind == '(' {
			if step.Blockers, err = p.blockers(); err != nil {
				return nil, err
			}
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func (p *parser) blockers() ([]*Blocker, error) {
	var list []*Blocker
	for p.tok.kind == ',' || len(list) == 0 {
		if err := p.advance(); err != nil { // the parenthesis or comma
			return nil, err
		}
		b, err := p.blocker()
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	_, err := p.take(')')
	return list, err
}

func (p *parser) blocker() (*Blocker, error) {
	if p.tok.kind == '*' {
		return &Blocker{kind: blockOnce}, p.advance()
	}
	name, err := p.take(tokIdent)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != tokNotices {
		return &Blocker{kind: blockOtherStep, Name: name.text}, nil
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.take(tokInteger)
	return &Blocker{kind: blockNotices, Name: name.text, Notices: n.num}, err
}
