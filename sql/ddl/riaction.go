package ddl

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// The triggers on the referenced table: they look for rows that refer to a key that goes away, and refuse, or change those rows. They run as SQL,
// because the rows that they change have triggers and constraints of their own.

func init() {
	for name, run := range map[string]executor.TriggerFunc{
		"RI_FKey_noaction_del": riRefuse(true), "RI_FKey_noaction_upd": riRefuse(true),
		"RI_FKey_restrict_del": riRefuse(false), "RI_FKey_restrict_upd": riRefuse(false),
		"RI_FKey_cascade_del": riCascadeDelete, "RI_FKey_cascade_upd": riCascadeUpdate,
		"RI_FKey_setnull_del": riSet("NULL"), "RI_FKey_setnull_upd": riSet("NULL"),
		"RI_FKey_setdefault_del": riSet("DEFAULT"), "RI_FKey_setdefault_upd": riSet("DEFAULT"),
	} {
		executor.RegisterTrigger(name, run)
	}
}

// keyEvent is a change of a referenced row, made ready.
type keyEvent struct {
	t        *executor.TriggerCall
	b        *executor.Backend
	fk       *catalog.Constraint
	rel      *catalog.Relation // the referencing table
	params   []types.Datum     // the old key
	argTypes []OID
}

// newKeyEvent gives nil when nothing can refer to the old row, or when its key stays.
func newKeyEvent(t *executor.TriggerCall) (*keyEvent, error) {
	fk, err := foreignKey(t.Backend, t.Trigger.Constraint)
	if err != nil || t.Old == nil {
		return nil, err
	}
	if nullKeys(t.Old, fk.RefKeys) > 0 || t.New != nil && sameKey(t.Backend, t.Table.Rel, fk.RefKeys, t.Old, t.New) {
		return nil, nil
	}
	e := &keyEvent{t: t, b: t.Backend, fk: fk}
	if e.rel, err = t.Backend.Catalog.Relation(fk.Rel); err != nil {
		return nil, err
	}
	for _, k := range fk.RefKeys {
		e.params = append(e.params, t.Old[k-1])
		e.argTypes = append(e.argTypes, t.Table.Rel.Desc.Attrs[k-1].TypeOID)
	}
	return e, nil
}

// tableText is the referencing table's name in SQL.
func (e *keyEvent) tableText(rel *catalog.Relation) string {
	return types.QuoteIdent(nil, nsName(e.b.Catalog, rel.Namespace)) + "." + types.QuoteIdent(nil, rel.Name)
}

// where is the condition that finds the rows that refer to the old key: $1, $2, ... from first on.
func (e *keyEvent) where(first int) (string, error) {
	var parts []string
	for i, k := range e.fk.Keys {
		op, err := e.b.Catalog.Operator(e.fk.PFEqOps[i])
		if err != nil {
			return "", err
		}
		parts = append(parts, fmt.Sprintf("$%d OPERATOR(%s.%s) %s", first+i, types.QuoteIdent(nil, nsName(e.b.Catalog, op.Namespace)), op.Name,
			types.QuoteIdent(nil, e.rel.Desc.Attrs[k-1].Name)))
	}
	return strings.Join(parts, " AND "), nil
}

// run runs SQL about a table as its owner and gives the number of rows.
func (e *keyEvent) run(rel *catalog.Relation, sql string, argTypes []OID, params []types.Datum) (int64, error) {
	if e.b.RunSQL == nil {
		return 0, pgerr.NotSupported("foreign key actions without a session")
	}
	return e.b.RunSQL(rel.Owner, sql, argTypes, params)
}

// riRefuse is NO ACTION (which looks first whether another row has the key by now) and RESTRICT.
func riRefuse(noAction bool) executor.TriggerFunc {
	return func(t *executor.TriggerCall) (types.Row, error) {
		e, err := newKeyEvent(t)
		if e == nil || err != nil {
			return nil, err
		}
		if noAction {
			if again, err := e.keyIsBack(); again || err != nil {
				return nil, err
			}
		}
		where, err := e.where(1)
		if err != nil {
			return nil, err
		}
		n, err := e.run(e.rel, "SELECT 1 FROM "+only(e.rel)+e.tableText(e.rel)+" x WHERE "+where+" FOR KEY SHARE OF x", e.argTypes, e.params)
		if err != nil || n == 0 {
			return nil, err
		}
		return nil, e.stillReferenced()
	}
}

// keyIsBack says whether the referenced table has the old key in another row.
func (e *keyEvent) keyIsBack() (bool, error) {
	rel := e.t.Table.Rel
	var parts []string
	for i, k := range e.fk.RefKeys {
		op, err := e.b.Catalog.Operator(e.fk.PPEqOps[i])
		if err != nil {
			return false, err
		}
		parts = append(parts, fmt.Sprintf("%s OPERATOR(%s.%s) $%d", types.QuoteIdent(nil, rel.Desc.Attrs[k-1].Name),
			types.QuoteIdent(nil, nsName(e.b.Catalog, op.Namespace)), op.Name, i+1))
	}
	n, err := e.run(rel, "SELECT 1 FROM "+only(rel)+e.tableText(rel)+" x WHERE "+strings.Join(parts, " AND ")+" FOR KEY SHARE OF x", e.argTypes, e.params)
	return n > 0, err
}

func (e *keyEvent) stillReferenced() error {
	rel := e.t.Table.Rel
	return pgerr.New(pgerr.ForeignKeyViolation, "update or delete on table \"%s\" violates foreign key constraint \"%s\" on table \"%s\"",
		rel.Name, e.fk.Name, e.rel.Name).
		WithDetail("%s is still referenced from table \"%s\".", keyWords(e.b, rel, e.fk.RefKeys, e.t.Old), e.rel.Name).
		WithTable(nsName(e.b.Catalog, e.rel.Namespace), e.rel.Name).WithConstraint(e.fk.Name)
}

func riCascadeDelete(t *executor.TriggerCall) (types.Row, error) {
	e, err := newKeyEvent(t)
	if e == nil || err != nil {
		return nil, err
	}
	where, err := e.where(1)
	if err != nil {
		return nil, err
	}
	_, err = e.run(e.rel, "DELETE FROM "+only(e.rel)+e.tableText(e.rel)+" WHERE "+where, e.argTypes, e.params)
	return nil, err
}

func riCascadeUpdate(t *executor.TriggerCall) (types.Row, error) {
	e, err := newKeyEvent(t)
	if e == nil || err != nil {
		return nil, err
	}
	var set []string
	params, argTypes := []types.Datum{}, []OID{}
	for i, k := range e.fk.RefKeys {
		set = append(set, fmt.Sprintf("%s = $%d", types.QuoteIdent(nil, e.rel.Desc.Attrs[e.fk.Keys[i]-1].Name), i+1))
		params, argTypes = append(params, t.New[k-1]), append(argTypes, e.argTypes[i])
	}
	where, err := e.where(len(params) + 1)
	if err != nil {
		return nil, err
	}
	_, err = e.run(e.rel, "UPDATE "+only(e.rel)+e.tableText(e.rel)+" SET "+strings.Join(set, ", ")+" WHERE "+where, append(argTypes, e.argTypes...),
		append(params, e.params...))
	return nil, err
}

// riSet is SET NULL and SET DEFAULT. After SET DEFAULT the rows are checked as for NO ACTION: their new key may be the one that goes.
func riSet(value string) executor.TriggerFunc {
	return func(t *executor.TriggerCall) (types.Row, error) {
		e, err := newKeyEvent(t)
		if e == nil || err != nil {
			return nil, err
		}
		keys := e.fk.Keys
		if t.New == nil && len(e.fk.DelSetCols) > 0 {
			keys = e.fk.DelSetCols
		}
		var set []string
		for _, k := range keys {
			set = append(set, types.QuoteIdent(nil, e.rel.Desc.Attrs[k-1].Name)+" = "+value)
		}
		where, err := e.where(1)
		if err != nil {
			return nil, err
		}
		_, err = e.run(e.rel, "UPDATE "+only(e.rel)+e.tableText(e.rel)+" SET "+strings.Join(set, ", ")+" WHERE "+where, e.argTypes, e.params)
		if err != nil || value != "DEFAULT" {
			return nil, err
		}
		return riRefuse(true)(t)
	}
}

// only keeps an action to the table itself; a partitioned table's rows are its partitions'.
func only(rel *catalog.Relation) string {
	if rel.Kind == 'p' {
		return ""
	}
	return "ONLY "
}
