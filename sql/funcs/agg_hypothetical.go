package funcs

import (
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// Hypothetical-set aggregates: rank, dense_rank, percent_rank and cume_dist of a row among rows. The executor finds the row's place.

func init() {
	types.RegisterFunc("ordered_set_transition_multi", func(*types.Call) (types.Datum, error) {
		return types.Null, pgerr.Internal("ordered-set aggregate called in non-aggregate context")
	})
	final := func(name string, f func(p *types.HypotheticalPlace) types.Datum) {
		types.RegisterFunc("hypothetical_"+name+"_final", func(c *types.Call) (types.Datum, error) {
			if c.AggState == nil {
				return types.Null, pgerr.Internal("ordered-set aggregate called in non-aggregate context")
			}
			return f((*c.AggState).(*types.HypotheticalPlace)), nil
		})
	}
	final("rank", func(p *types.HypotheticalPlace) types.Datum { return types.Int8(p.Before + 1) })
	final("dense_rank", func(p *types.HypotheticalPlace) types.Datum { return types.Int8(p.DistinctBefore + 1) })
	final("percent_rank", func(p *types.HypotheticalPlace) types.Datum {
		if p.Total == 0 {
			return types.Float8(0)
		}
		return types.Float8(float64(p.Before) / float64(p.Total))
	})
	final("cume_dist", func(p *types.HypotheticalPlace) types.Datum {
		return types.Float8(float64(p.Before+p.Equal+1) / float64(p.Total+1))
	})
}
