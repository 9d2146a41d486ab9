package heap

// pin is a pinned page.
type pin struct {
	b   []byte
	blk uint32
}

func (p *pin) bytes() []byte { return p.b }
func (p *pin) block() uint32 { return p.blk }
func (p *pin) held() bool    { return p.b != nil }
func (p *pin) release()      { *p = pin{} }
