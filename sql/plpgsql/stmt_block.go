package plpgsql

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// block is BEGIN ... END with its declarations and handlers.
type block struct {
	stmtBase
	label             string
	vars              []*datum
	body              []statement
	handlers          []*handler
	sqlstate, sqlerrm *datum
}

// handler is WHEN conditions THEN statements.
type handler struct {
	conditions []pgerr.Code // othersCondition among them
	body       []statement
}

// othersCondition is OTHERS: everything but a cancel and a failed assertion.
const othersCondition pgerr.Code = "OTHERS"

// conditionCodes gives the SQLSTATEs of a condition's name.
func conditionCodes(name string) []pgerr.Code {
	if name == "others" {
		return []pgerr.Code{othersCondition}
	}
	var codes []pgerr.Code
	for code, n := range pgerr.ConditionName {
		if n == name && code != "00000" {
			codes = append(codes, code)
		}
	}
	return codes
}

// catches says whether the handler is for an error. A code that ends in 000 stands for its class.
func (h *handler) catches(e *pgerr.Error) bool {
	for _, c := range h.conditions {
		switch {
		case c == othersCondition:
			if e.Code != pgerr.QueryCanceled && e.Code != pgerr.AssertFailure {
				return true
			}
		case c == e.Code || c[2:] == "000" && c[:2] == e.Code[:2]:
			return true
		}
	}
	return false
}

func (b *block) exec(f *frame) (flow, error) {
	if err := b.initialize(f); err != nil {
		return flowNext, err
	}
	var fl flow
	var err error
	if len(b.handlers) > 0 {
		fl, err = b.execGuarded(f)
	} else {
		fl, err = f.run(b.body)
	}
	if err != nil {
		return flowNext, err
	}
	// EXIT label of a block that is no loop ends here.
	if fl == flowExit && f.exitLabel != "" && f.exitLabel == b.label {
		f.exitLabel = ""
		return flowNext, nil
	}
	return fl, nil
}

// initialize gives the block's variables their defaults, each time that the block is entered.
func (b *block) initialize(f *frame) (err error) {
	if len(b.vars) == 0 {
		return nil
	}
	stage, withLine := f.stage, f.stageLine
	f.stage, f.stageLine = "during statement block local variable initialization", true
	defer func() {
		if err != nil {
			err = f.locate(err)
		}
		f.stage, f.stageLine = stage, withLine
	}()
	for _, d := range b.vars {
		if d == b.sqlstate || d == b.sqlerrm {
			continue
		}
		f.line = d.line
		if d.init != nil {
			if err := d.init.assignTo(f, target{d: d}); err != nil {
				return err
			}
			continue
		}
		f.clear(d)
		if err := f.checkNotNullDefault(d); err != nil {
			return err
		}
	}
	f.line = b.line
	return nil
}

// execGuarded runs the body in a subtransaction; an error that a handler is for undoes it and runs the handler.
func (b *block) execGuarded(f *frame) (flow, error) {
	host := f.rt.host
	depth := host.BeginSub()
	fl, err := f.run(b.body)
	if err == nil {
		host.ReleaseSub(depth)
		return fl, nil
	}
	located := f.locate(err)
	e := located.err
	host.RollbackSub(depth)
	if e.Severity == "FATAL" || e.Severity == "PANIC" {
		return flowNext, located
	}
	h := b.handlerFor(e)
	if h == nil {
		return flowNext, located
	}
	f.set(b.sqlstate, types.Text(string(e.Code)))
	f.set(b.sqlerrm, types.Text(e.Message))
	saved := f.caught
	f.caught = e
	fl, err = f.run(h.body)
	f.caught = saved
	return fl, err
}

func (b *block) handlerFor(e *pgerr.Error) *handler {
	for _, h := range b.handlers {
		if h.catches(e) {
			return h
		}
	}
	return nil
}
