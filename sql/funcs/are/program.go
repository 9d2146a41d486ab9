package are

// code is what an instruction does.
type code uint8

const (
	codeSet    code = iota // consume a member of set, go on at x
	codeSplit              // go on at x and y
	codeJump               // go on at x
	codeAssert             // go on at x when the zero-width test holds
	codeLook               // go on at x when the lookaround holds
	codeMatch
)

type inst struct {
	code code
	x, y int32
	node *node // of codeSet, codeAssert, codeLook
}

// program is a nondeterministic automaton in Thompson's form.
type program struct{ insts []inst }

const instsMax = 100_000 // of one program

// prepare compiles the automaton of each node that matching will ask for.
func (re *Regexp) prepare(n *node) error {
	if n.prog == nil {
		p := &program{}
		if !p.compile(n) {
			return errTooBig
		}
		p.emit(inst{code: codeMatch})
		n.prog = p
	}
	if n.op == opAlt || n.op == opConcat || n.op == opRepeat || n.op == opCapture {
		if n.attrs&(hasCapture|hasBackref) != 0 {
			for _, k := range n.kids {
				if err := re.prepare(k); err != nil {
					return err
				}
			}
		}
	}
	for _, in := range n.prog.insts {
		if in.code == codeLook && in.node.kids[0].prog == nil {
			if err := re.prepare(in.node.kids[0]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) emit(in inst) int32 {
	p.insts = append(p.insts, in)
	return int32(len(p.insts) - 1)
}

func (p *program) here() int32 { return int32(len(p.insts)) }

// compile appends n's instructions; they fall through to what follows. It says whether the program stays within bounds.
func (p *program) compile(n *node) bool {
	if len(p.insts) > instsMax {
		return false
	}
	switch n.op {
	case opSet:
		p.emit(inst{code: codeSet, node: n, x: p.here() + 1})
	case opAssert:
		p.emit(inst{code: codeAssert, node: n, x: p.here() + 1})
	case opLook:
		p.emit(inst{code: codeLook, node: n, x: p.here() + 1})
	case opConcat:
		for _, k := range n.kids {
			if !p.compile(k) {
				return false
			}
		}
	case opCapture:
		return p.compile(n.kids[0])
	case opAlt:
		return p.compileAlt(n.kids)
	case opRepeat, opBackref:
		return p.compileRepeat(n.kids[0], n.min, n.max)
	}
	return true
}

func (p *program) compileAlt(kids []*node) bool {
	var ends []int32
	for i, k := range kids {
		if i == len(kids)-1 {
			if !p.compile(k) {
				return false
			}
			break
		}
		split := p.emit(inst{code: codeSplit, x: p.here() + 1})
		if !p.compile(k) {
			return false
		}
		ends = append(ends, p.emit(inst{code: codeJump}))
		p.insts[split].y = p.here()
	}
	for _, e := range ends {
		p.insts[e].x = p.here()
	}
	return true
}

func (p *program) compileRepeat(k *node, least, most int) bool {
	for range least {
		if !p.compile(k) {
			return false
		}
	}
	if most == infinite {
		split := p.emit(inst{code: codeSplit, x: p.here() + 1})
		if !p.compile(k) {
			return false
		}
		p.emit(inst{code: codeJump, x: split})
		p.insts[split].y = p.here()
		return true
	}
	var splits []int32
	for range most - least {
		splits = append(splits, p.emit(inst{code: codeSplit, x: p.here() + 1}))
		if !p.compile(k) {
			return false
		}
	}
	for _, s := range splits {
		p.insts[s].y = p.here()
	}
	return true
}
