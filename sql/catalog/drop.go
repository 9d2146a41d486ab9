package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// How a dropped object got onto the list.
const (
	dropOriginal = 1 << iota
	dropNormal
	dropAuto
	dropInternal
	dropExtension
	dropPartition
	dropReverse   // came back from an object that it is a part of
	dropSubobject // a column of a table that is on the list too: the table tells of it
)

// Dropper drops objects with what depends on them.
type Dropper struct {
	View    *View
	Cascade bool
	// Quiet drops without a notice (temporary schemas, ON COMMIT DROP).
	Quiet bool
	// Lock takes the lock that dropping an object needs; nil = none.
	Lock   func(o Object) error
	Notice func(*pgerr.Error)

	pending []Object
	targets []dropTarget
}

type dropTarget struct {
	o        Object
	flags    int
	dependee Object
}

// dropStack is the chain of objects that led to the present one.
type dropStack struct {
	o     Object
	flags int
	next  *dropStack
}

// Drop removes the objects, and with CASCADE what depends on them.
func (d *Dropper) Drop(objects ...Object) error {
	d.pending = objects
	for _, o := range objects {
		if err := d.visit(o, dropOriginal, nil); err != nil {
			return err
		}
	}
	if err := d.report(); err != nil {
		return err
	}
	for _, t := range d.targets {
		if err := d.View.remove(t.o); err != nil {
			return err
		}
	}
	return nil
}

// visit puts what depends on o on the list, then o.
func (d *Dropper) visit(o Object, flags int, stack *dropStack) error {
	for s := stack; s != nil; s = s.next {
		if s.o == o || s.o.Class == o.Class && s.o.OID == o.OID && s.o.Sub == 0 {
			s.flags |= flags
			return nil
		}
	}
	if d.listed(o, flags) {
		return nil
	}
	if d.Lock != nil && stack != nil {
		if err := d.Lock(o); err != nil {
			return err
		}
	}
	if isPinnedForDrop(o) {
		return pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop %s because it is required by the database system", d.View.Describe(o))
	}
	if done, err := d.viaOwner(o, flags, stack); done || err != nil {
		return err
	}
	mine := &dropStack{o, flags, stack}
	dependents, err := d.dependents(o)
	if err != nil {
		return err
	}
	for _, dep := range dependents {
		if err := d.visit(dep.o, dep.flags, mine); err != nil {
			return err
		}
	}
	t := dropTarget{o: o, flags: mine.flags}
	if stack != nil {
		t.dependee = stack.o
	}
	d.targets = append(d.targets, t)
	return nil
}

func isPinnedForDrop(o Object) bool { return isPinned(o) }

// listed says whether o, or the whole that it is a column of, is on the list already.
func (d *Dropper) listed(o Object, flags int) bool {
	for i := range d.targets {
		t := &d.targets[i]
		if t.o == o {
			t.flags |= flags
			return true
		}
		if o.Sub == 0 && t.o.Class == o.Class && t.o.OID == o.OID { // a column was listed, now its table is
			t.flags |= flags | dropSubobject
			continue
		}
		if t.o.Class == o.Class && t.o.OID == o.OID && t.o.Sub == 0 {
			return true
		}
	}
	return false
}

// viaOwner deals with an object that is a part of another (an internal dependency): it can't be dropped alone. done = the other is dropped
// instead, or will be.
func (d *Dropper) viaOwner(o Object, flags int, stack *dropStack) (done bool, err error) {
	var owner Object
	var partition Object
	err = d.View.References(o, func(ref Object, kind byte) (bool, error) {
		if o.Sub == 0 && ref.Class == o.Class && ref.OID == o.OID { // columns of a partition key and their table
			return true, nil
		}
		switch kind {
		case DepInternal, DepExtension:
			if stack == nil && kind == DepInternal && slices.ContainsFunc(d.pending, func(p Object) bool { return covers(p, ref) }) {
				done = true // the other is to be dropped anyway
				return false, nil
			}
			if stack != nil && stackHas(stack, ref) {
				return true, nil
			}
			owner = ref
			return false, nil
		case DepPartitionPri, DepPartitionSec:
			if kind == DepPartitionPri || partition == (Object{}) {
				partition = ref
			}
			if stack != nil && stackHas(stack, ref) {
				partition = Object{}
				return false, nil
			}
		}
		return true, nil
	})
	if done || err != nil {
		return done, err
	}
	if owner == (Object{}) && stack == nil {
		owner = partition
	}
	if owner == (Object{}) {
		return false, nil
	}
	if stack == nil {
		mine, other := d.View.Describe(o), d.View.Describe(owner)
		return false, pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop %s because %s requires it", mine, other).
			WithHint("You can drop %s instead.", other)
	}
	// Something that o depends on goes: so must the whole that o is a part of.
	return true, d.visit(owner, flags|dropReverse, stack)
}

// covers says whether dropping p drops o.
func covers(p, o Object) bool {
	return p == o || p.Class == o.Class && p.OID == o.OID && p.Sub == 0
}

func stackHas(stack *dropStack, o Object) bool {
	for s := stack; s != nil; s = s.next {
		if covers(s.o, o) {
			return true
		}
	}
	return false
}

// dependents lists what depends on o, the youngest first.
func (d *Dropper) dependents(o Object) ([]dropTarget, error) {
	var list []dropTarget
	err := d.View.Dependents(o, func(dep Object, refSub int32, kind byte) (bool, error) {
		if dep.Class == o.Class && dep.OID == o.OID { // a column depends on its own table
			if o.Sub == 0 {
				return true, nil
			}
			if dep.Sub == o.Sub {
				return true, nil
			}
		}
		list = append(list, dropTarget{o: dep, flags: flagOf(kind)})
		return true, nil
	})
	slices.SortStableFunc(list, func(a, b dropTarget) int {
		switch {
		case a.o.OID != b.o.OID:
			return -cmpOID(a.o.OID, b.o.OID)
		case a.o.Class != b.o.Class:
			return cmpOID(a.o.Class, b.o.Class)
		}
		return int(a.o.Sub) - int(b.o.Sub)
	})
	return list, err
}

func cmpOID(a, b OID) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

func flagOf(kind byte) int {
	switch kind {
	case DepAuto:
		return dropAuto
	case DepInternal:
		return dropInternal
	case DepExtension:
		return dropExtension
	case DepPartitionPri, DepPartitionSec:
		return dropPartition
	}
	return dropNormal
}

// reportedMax bounds the lines of a report.
const reportedMax = 100

// report tells what goes along, or refuses when something would that may not.
func (d *Dropper) report() error {
	var lines []string
	refused := false
	for i := len(d.targets) - 1; i >= 0; i-- {
		t := &d.targets[i]
		if t.flags&dropOriginal != 0 || t.flags&(dropAuto|dropInternal|dropPartition|dropExtension|dropSubobject) != 0 {
			continue
		}
		what := d.View.Describe(t.o)
		if d.Cascade {
			lines = append(lines, "drop cascades to "+what)
			continue
		}
		refused = true
		line := fmt.Sprintf("drop depends on %s", what)
		if t.dependee != (Object{}) {
			line = fmt.Sprintf("%s depends on %s", what, d.View.Describe(t.dependee))
		}
		lines = append(lines, line)
	}
	if refused {
		return d.refusal(lines)
	}
	if d.Quiet || d.Notice == nil || len(lines) == 0 {
		return nil
	}
	n := &pgerr.Error{Severity: "NOTICE", Code: pgerr.SuccessfulCompletion, Message: lines[0]}
	if len(lines) > 1 {
		n.Message, n.Detail = fmt.Sprintf("drop cascades to %d other objects", len(lines)), clipLines(lines)
	}
	d.Notice(n)
	return nil
}

func (d *Dropper) refusal(lines []string) error {
	e := pgerr.New(pgerr.DependentObjectsStillExist, "cannot drop desired object(s) because other objects depend on them")
	if len(d.pending) == 1 {
		e.Message = fmt.Sprintf("cannot drop %s because other objects depend on it", d.View.Describe(d.pending[0]))
	}
	e.Detail = clipLines(lines)
	return e.WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

func clipLines(lines []string) string {
	if len(lines) <= reportedMax {
		return strings.Join(lines, "\n")
	}
	more := len(lines) - reportedMax
	object := "objects"
	if more == 1 {
		object = "object"
	}
	return strings.Join(lines[:reportedMax], "\n") + fmt.Sprintf("\nand %d other %s (see server log for list)", more, object)
}

// remove deletes an object and all that the catalogs say of it.
func (v *View) remove(o Object) error {
	if err := v.removeRows(o); err != nil {
		return err
	}
	if err := v.removeDepend(o); err != nil {
		return err
	}
	if err := v.removeShdepend(o, 0); err != nil {
		return err
	}
	if err := v.RemoveComments(o); err != nil {
		return err
	}
	if o.Sub == 0 {
		if _, err := v.DeleteWhere(PgInitPrivsOID, PgInitPrivsOCOIndexOID, types.Oid(o.OID), types.Oid(o.Class)); err != nil {
			return err
		}
	}
	return v.NextCommand()
}

// RemoveComments deletes an object's comments; with Sub 0 also its columns'.
func (v *View) RemoveComments(o Object) error {
	if isSharedClass(o.Class) {
		_, err := v.DeleteWhere(PgShdescriptionOID, PgShdescriptionOCIndexOID, types.Oid(o.OID), types.Oid(o.Class))
		return err
	}
	key := []types.Datum{types.Oid(o.OID), types.Oid(o.Class)}
	if o.Sub != 0 {
		key = append(key, types.Int4(o.Sub))
	}
	_, err := v.DeleteWhere(PgDescriptionOID, PgDescriptionOCOIndexOID, key...)
	return err
}
