package rewrite

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/query"
)

// Event is a set of commands, with the bits that pg_relation_is_updatable gives.
type Event int32

// The commands that change rows.
const (
	UpdateEvent Event = 1 << (2 + iota)
	InsertEvent
	DeleteEvent
	AllEvents = UpdateEvent | InsertEvent | DeleteEvent
)

// UpdatableEvents says what a relation can have done to its rows: by itself, by unconditional INSTEAD rules, as an automatically updatable view, and with
// triggers by INSTEAD OF triggers. cols, unless nil, are the only columns that count.
func UpdatableEvents(relation func(OID) (*catalog.Relation, error), oid OID, triggers bool, cols map[int]bool) (Event, error) {
	return updatableEvents(relation, oid, triggers, cols, nil)
}

func updatableEvents(relation func(OID) (*catalog.Relation, error), oid OID, triggers bool, cols map[int]bool, outer []OID) (Event, error) {
	rel, err := relation(oid)
	if err != nil || rel == nil {
		return 0, err
	}
	for _, o := range outer {
		if o == oid {
			return 0, nil // a view of itself
		}
	}
	if rel.Kind == 'r' || rel.Kind == 'p' {
		return AllEvents, nil
	}
	var events Event
	for _, r := range rel.Rules {
		if r.Instead && r.Qual == nil && r.Event >= '2' {
			events |= 1 << (r.Event - '0')
		}
	}
	if triggers {
		for _, t := range rel.Triggers {
			if t.Type&(1<<6) == 0 {
				continue
			}
			for bit, e := range map[int16]Event{1 << 2: InsertEvent, 1 << 3: DeleteEvent, 1 << 4: UpdateEvent} {
				if t.Type&bit != 0 {
					events |= e
				}
			}
		}
	}
	if events == AllEvents || rel.Kind != 'v' {
		return events, nil
	}
	def, err := viewQuery(rel)
	if err != nil || NotUpdatable(def, false) != "" {
		return events, err
	}
	base := def.JoinTree.Items[0].(*query.RangeTblRef).Index
	auto, baseCols := DeleteEvent, map[int]bool{}
	for i, t := range def.Targets {
		if columnNotUpdatable(t, base) == "" && (cols == nil || cols[i+1]) {
			auto = AllEvents
			baseCols[int(t.Expr.(*query.Var).AttNo)] = true
		}
	}
	if e := def.RangeTable[base-1]; e.RelKind != 'r' && e.RelKind != 'p' {
		below, err := updatableEvents(relation, e.RelOID, triggers, baseCols, append(outer, oid))
		if err != nil {
			return 0, err
		}
		auto &= below
	}
	return events | auto, nil
}
