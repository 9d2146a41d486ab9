package session

import (
	"github.com/calfdb/calf/sql/rewrite"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	types.RegisterFunc("pg_relation_is_updatable", func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		e, err := rewrite.UpdatableEvents(s.view.Relation, c.Args[0].Oid(), c.Args[1].Bool(), nil)
		return types.Int4(int32(e)), err
	})
	types.RegisterFunc("pg_column_is_updatable", func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		att := int(c.Args[1].Int2())
		if err != nil || att <= 0 { // system columns
			return types.Bool(false), err
		}
		const need = rewrite.UpdateEvent | rewrite.DeleteEvent // PostgreSQL asks for both, so that a column is not updatable where INSERT alone is
		e, err := rewrite.UpdatableEvents(s.view.Relation, c.Args[0].Oid(), c.Args[2].Bool(), map[int]bool{att: true})
		return types.Bool(e&need == need), err
	})
}
