package session

import (
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// receiver takes the rows of a statement's result.
type receiver interface {
	receive(row types.Row) error
}

// discard takes rows that nobody wants.
type discard struct{}

func (discard) receive(types.Row) error { return nil }

// resultShape is what a client is told about a result, and how its columns are printed: resolved once for a statement.
type resultShape struct {
	fields []pgwire.Field
	ios    []*types.IO
	none   bool // the statement gives no rows at all
}

func newResultShape(env *types.Env, targets []*query.TargetEntry) (*resultShape, error) {
	r := &resultShape{none: targets == nil}
	for _, t := range targets {
		if t.Junk {
			continue
		}
		io, err := types.IOFor(env, t.Expr.Type())
		if err != nil {
			return nil, err
		}
		typmod := t.Expr.TypMod()
		if io.Info.Kind == 'd' { // clients hear of the type that a domain is made over
			io, typmod = io.DomainBase()
		}
		r.ios = append(r.ios, io)
		r.fields = append(r.fields, pgwire.Field{
			Name: t.Name, TableOID: uint32(t.OrigTable), AttrNum: t.OrigCol,
			TypeOID: uint32(io.Info.OID), TypLen: io.Info.Len, TypMod: typmod,
		})
	}
	return r, nil
}

// rowWriter sends rows to the client.
type rowWriter struct {
	w       *pgwire.Writer
	env     *types.Env
	shape   *resultShape
	formats []int16
}

func (r *rowWriter) receive(row types.Row) error {
	w := r.w
	ios := r.shape.ios
	w.BeginRow(len(ios))
	for i, io := range ios {
		d := row[i]
		if d.IsNull() {
			w.CellNull()
			continue
		}
		b := w.CellBegin()
		var err error
		if pgwire.FormatOf(r.formats, i) == 0 {
			if b, err = io.AppendText(r.env, b, d); err != nil {
				return err
			}
			w.CellEndText(b)
			continue
		}
		if b, err = io.AppendBinary(r.env, b, d); err != nil {
			return err
		}
		w.CellEnd(b)
	}
	return w.EndRow()
}
