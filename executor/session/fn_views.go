package session

import (
	"fmt"

	"github.com/calfdb/calf/lock"
	"github.com/calfdb/calf/sql/types"
)

// The set-returning functions behind pg_locks, pg_cursors, pg_prepared_statements.
func init() {
	for prosrc, f := range map[string]func(s *Session) ([]types.Row, error){
		"pg_lock_status":        (*Session).lockRows,
		"pg_cursor":             (*Session).cursorRows,
		"pg_prepared_statement": (*Session).preparedRows,
	} {
		types.RegisterSRF(prosrc, func(c *types.Call) (types.Iterator, error) {
			s, err := sessionOf(c)
			if err != nil {
				return nil, err
			}
			rows, err := f(s)
			return &rowsIterator{rows: rows}, err
		})
	}
}

// optional makes a value of a column that a lock's kind may leave null.
func optional[T any](p *T, make func(T) types.Datum) types.Datum {
	if p == nil {
		return types.Null
	}
	return make(*p)
}

func oidOf(v uint32) types.Datum { return types.Oid(types.OID(v)) }

// lockRows are pg_locks' rows.
func (s *Session) lockRows() ([]types.Row, error) {
	var rows []types.Row
	for _, st := range s.server.locks.Status() {
		rows = append(rows, lockRow(&st))
	}
	return rows, nil
}

func lockRow(st *lock.Status) types.Row {
	c := st.Tag.Columns()
	virtual := types.Null
	if c.VirtualBackend != nil {
		virtual = types.Text(fmt.Sprintf("%d/%d", *c.VirtualBackend, c.VirtualLXID))
	}
	waitStart := types.Null
	if !st.WaitStart.IsZero() {
		waitStart = types.Int8(types.TimestampTZFromTime(st.WaitStart))
	}
	return types.Row{
		types.Text(st.Tag.Kind().String()), optional(c.Database, oidOf), optional(c.Relation, oidOf),
		optional(c.Page, func(v uint32) types.Datum { return types.Int4(int32(v)) }),
		optional(c.Tuple, func(v uint32) types.Datum { return types.Int2(int16(v)) }),
		virtual, optional(c.TransactionID, oidOf), optional(c.ClassID, oidOf), optional(c.ObjID, oidOf), optional(c.ObjSubID, types.Int2),
		types.Text(fmt.Sprintf("%d/%d", st.Backend, st.LXID)), types.Int4(st.PID), types.Text(st.Mode.String()),
		types.Bool(st.Granted), types.Bool(st.FastPath), waitStart,
	}
}

// cursorRows are pg_cursors' rows.
func (s *Session) cursorRows() ([]types.Row, error) {
	var rows []types.Row
	for _, p := range s.portals {
		if p.name == "" {
			continue
		}
		text := p.text
		if text == "" {
			text = p.stmt.text
		}
		rows = append(rows, types.Row{types.Text(p.name), types.Text(text), types.Bool(p.hold), types.Bool(p.binary), types.Bool(p.scroll),
			types.Int8(p.made)})
	}
	return rows, nil
}

// preparedRows are pg_prepared_statements' rows.
func (s *Session) preparedRows() ([]types.Row, error) {
	var rows []types.Row
	elem, _ := types.BuiltinType(types.RegtypeOID)
	for _, p := range s.statements {
		params := []types.Datum{}
		for _, io := range p.params {
			params = append(params, types.Oid(io.Info.OID))
		}
		generic, custom := int64(0), int64(0)
		if p.source != nil {
			generic, custom = p.source.Counts()
		}
		rows = append(rows, types.Row{types.Text(p.name), types.Text(p.shownText()), types.Int8(types.TimestampTZFromTime(p.made)),
			types.MakeArray(elem, params), types.Bool(p.fromSQL), types.Int8(generic), types.Int8(custom)})
	}
	return rows, nil
}

// shownText is the text that made the statement: for PREPARE that command, to its semicolon.
func (p *prepared) shownText() string {
	if !p.fromSQL || p.stmt == nil {
		return p.text
	}
	text := p.text[p.stmt.Location:]
	if p.stmt.Len > 0 && p.stmt.Len < len(text) {
		text = text[:p.stmt.Len+1]
	}
	return text
}
