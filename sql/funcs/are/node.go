package are

// op is the kind of a node.
type op uint8

const (
	opEmpty op = iota
	opSet
	opAssert
	opLook
	opConcat // kids[0] kids[1], or any number when nothing in it is dissected
	opAlt
	opRepeat
	opCapture
	opBackref
)

// Attributes of a node, as far as they decide which of several matches is taken.
type attrs uint8

const (
	prefersLonger attrs = 1 << iota
	prefersShorter
	mixed // preferences differ within
	hasCapture
	hasBackref

	preference = prefersLonger | prefersShorter
)

func (a attrs) messy() bool { return a&(mixed|hasCapture|hasBackref) != 0 }

// up gives the attributes that count for the node above: its own preference does not.
func (a attrs) up() attrs {
	r := a &^ preference
	if a&preference == preference {
		r |= mixed
	}
	return r
}

// combine joins the attributes of two neighbours: the first that has a preference decides.
func combine(a, b attrs) attrs {
	pref := a & preference
	if pref == 0 {
		pref = b & preference
	}
	return (a | b).up() | pref
}

const infinite = -1

// node is a part of a pattern.
type node struct {
	op       op
	attrs    attrs
	kids     []*node
	set      *set
	assert   byte // '^' '$' 'A' 'Z' 'm' 'M' 'y' 'Y'
	min, max int  // of opRepeat and opBackref; max may be infinite
	num      int  // of a capture or a back reference
	ahead    bool
	negative bool

	prog *program // the node's automaton, made when first needed
}

func concat(kids ...*node) *node {
	if len(kids) == 1 {
		return kids[0]
	}
	return &node{op: opConcat, kids: kids}
}

func repeat(n *node, min, max int) *node {
	if min == 1 && max == 1 {
		return n
	}
	return &node{op: opRepeat, kids: []*node{n}, min: min, max: max}
}
