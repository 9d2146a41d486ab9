package catalog

import "github.com/calfdb/calf/sql/types"

// RuleByOID finds a rule and its relation; nil when there is none.
func (v *View) RuleByOID(oid OID) (*Relation, *Rule, error) {
	rel, err := v.ownerOf(PgRewriteOidIndexOID, RewriteEvClass, oid)
	if rel == nil || err != nil {
		return nil, nil, err
	}
	for _, r := range rel.Rules {
		if r.OID == oid {
			return rel, r, nil
		}
	}
	return nil, nil, nil
}

// TriggerByOID finds a trigger and its relation; nil when there is none.
func (v *View) TriggerByOID(oid OID) (*Relation, *Trigger, error) {
	rel, err := v.ownerOf(PgTriggerOidIndexOID, TriggerTgrelid, oid)
	if rel == nil || err != nil {
		return nil, nil, err
	}
	for _, t := range rel.Triggers {
		if t.OID == oid {
			return rel, t, nil
		}
	}
	return nil, nil, nil
}

// ownerOf gives the relation that a row, found by its OID, names in a column.
func (v *View) ownerOf(index OID, col int, oid OID) (*Relation, error) {
	_, row, err := v.Find(index, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	return v.Relation(row[col].Oid())
}
