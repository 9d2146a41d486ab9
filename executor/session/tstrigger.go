package session

import (
	"strings"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/tsearch"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	executor.RegisterTrigger("tsvector_update_trigger_byid", func(c *executor.TriggerCall) (types.Row, error) { return updateTSVector(c, false) })
	executor.RegisterTrigger("tsvector_update_trigger_bycolumn", func(c *executor.TriggerCall) (types.Row, error) { return updateTSVector(c, true) })
}

// updateTSVector keeps a tsvector column in step with text columns. Its arguments: the column; the configuration, or, with byColumn, the column that has
// it; the text columns. An UPDATE that leaves the texts as they were leaves the tsvector too.
func updateTSVector(c *executor.TriggerCall, byColumn bool) (types.Row, error) {
	s := c.Backend.Session.(*Session)
	args := c.Trigger.Args
	switch {
	case !c.ForRow:
		return nil, pgerr.Internal("tsvector_update_trigger: must be fired for row")
	case !c.Before:
		return nil, pgerr.Internal("tsvector_update_trigger: must be fired BEFORE event")
	case c.Event != executor.TriggerInsert && c.Event != executor.TriggerUpdate:
		return nil, pgerr.Internal("tsvector_update_trigger: must be fired for INSERT or UPDATE")
	case len(args) < 3:
		return nil, pgerr.Internal("tsvector_update_trigger: arguments must be tsvector_field, ts_config, text_field1, ...)")
	}
	rel := c.Table.Rel
	target := rel.AttrByName(args[0])
	if target == nil {
		return nil, pgerr.New(pgerr.UndefinedColumn, "tsvector column \"%s\" does not exist", args[0])
	}
	if ok, err := s.isLike(target.TypeOID, types.TsvectorOID); !ok {
		return nil, orError(err, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is not of tsvector type", args[0]))
	}
	oid, err := s.triggerTSConfig(rel, c.New, args[1], byColumn)
	if err != nil {
		return nil, err
	}
	cfg, err := s.view.TextSearch(s.backend.Env, oid)
	if err != nil {
		return nil, err
	}
	changed := c.Event == executor.TriggerInsert
	var doc tsearch.Document
	for _, name := range args[2:] {
		a := rel.AttrByName(name)
		if a == nil {
			return nil, pgerr.New(pgerr.UndefinedColumn, "column \"%s\" does not exist", name)
		}
		if ok, err := s.isLike(a.TypeOID, types.TextOID); !ok {
			return nil, orError(err, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is not of a character type", name))
		}
		d := c.New[a.Num-1]
		if !changed {
			old := c.Old[a.Num-1]
			changed = old.IsNull() != d.IsNull() || !d.IsNull() && old.Str() != d.Str()
		}
		if d.IsNull() {
			continue
		}
		if err := cfg.Add(&doc, d.Str()); err != nil {
			return nil, err
		}
	}
	if !changed {
		return c.New, nil
	}
	row := append(types.Row(nil), c.New...)
	row[target.Num-1], err = doc.Vector().Datum()
	return row, err
}

// isLike says whether values of a type can be taken for those of another.
func (s *Session) isLike(typ, as types.OID) (bool, error) {
	if typ == as {
		return true, nil
	}
	return s.view.IsBinaryCoercible(typ, as)
}

func orError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// triggerTSConfig finds the configuration that a trigger's argument names, or the column that it names has.
func (s *Session) triggerTSConfig(rel *catalog.Relation, row types.Row, name string, byColumn bool) (types.OID, error) {
	if !byColumn {
		if !strings.Contains(name, ".") {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "text search configuration name \"%s\" must be schema-qualified", name)
		}
		return s.view.TypeCatalog().RegLookup(types.RegconfigOID, name)
	}
	a := rel.AttrByName(name)
	if a == nil {
		return 0, pgerr.New(pgerr.UndefinedColumn, "configuration column \"%s\" does not exist", name)
	}
	if ok, err := s.isLike(a.TypeOID, types.RegconfigOID); !ok {
		return 0, orError(err, pgerr.New(pgerr.DatatypeMismatch, "column \"%s\" is not of regconfig type", name))
	}
	if row[a.Num-1].IsNull() {
		return 0, pgerr.New(pgerr.NullValueNotAllowed, "configuration column \"%s\" must not be null", name)
	}
	return row[a.Num-1].Oid(), nil
}
