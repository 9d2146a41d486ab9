package session

import (
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/tsearch"
	"github.com/calfdb/calf/sql/types"
)

// Functions of text search that use a configuration, which default_text_search_config names where the call does not.
func init() {
	types.RegisterFunc("get_current_ts_config", func(c *types.Call) (types.Datum, error) {
		s, err := sessionOf(c)
		if err != nil {
			return types.Null, err
		}
		oid, err := s.currentTSConfig()
		return types.Oid(oid), err
	})
	type textFunc func(cfg *tsearch.Config, c *types.Call, args []types.Datum) (types.Datum, error)
	for name, f := range map[string]textFunc{
		"to_tsvector": func(cfg *tsearch.Config, _ *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.Parse(args[0].Str())
		},
		"to_tsquery": func(cfg *tsearch.Config, c *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.ToQuery(c.Env, args[0].Str())
		},
		"plainto_tsquery": func(cfg *tsearch.Config, c *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.PlainQuery(c.Env, args[0].Str())
		},
		"phraseto_tsquery": func(cfg *tsearch.Config, c *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.PhraseQuery(c.Env, args[0].Str())
		},
		"websearch_to_tsquery": func(cfg *tsearch.Config, c *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.WebQuery(c.Env, args[0].Str())
		},
		"json_string_to_tsvector": func(cfg *tsearch.Config, _ *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.ParseJSON(args[0].Str(), []byte(`"string"`))
		},
		"jsonb_string_to_tsvector": func(cfg *tsearch.Config, _ *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.ParseJSON(args[0].Str(), []byte(`"string"`))
		},
		"json_to_tsvector": func(cfg *tsearch.Config, _ *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.ParseJSON(args[0].Str(), args[1].Bytes())
		},
		"jsonb_to_tsvector": func(cfg *tsearch.Config, _ *types.Call, args []types.Datum) (types.Datum, error) {
			return cfg.ParseJSON(args[0].Str(), args[1].Bytes())
		},
	} {
		types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
			cfg, err := currentTextSearch(c)
			if err != nil {
				return types.Null, err
			}
			return f(cfg, c, c.Args)
		})
		types.RegisterFunc(name+"_byid", func(c *types.Call) (types.Datum, error) {
			cfg, err := textSearchOf(c, c.Args[0].Oid())
			if err != nil {
				return types.Null, err
			}
			return f(cfg, c, c.Args[1:])
		})
	}
	registerHeadlines()
	types.RegisterFunc("ts_match_tt", func(c *types.Call) (types.Datum, error) {
		cfg, err := currentTextSearch(c)
		if err != nil {
			return types.Null, err
		}
		q, err := cfg.PlainQuery(c.Env, c.Args[1].Str())
		if err != nil {
			return types.Null, err
		}
		return matchText(cfg, c.Args[0].Str(), q)
	})
	types.RegisterFunc("ts_match_tq", func(c *types.Call) (types.Datum, error) {
		cfg, err := currentTextSearch(c)
		if err != nil {
			return types.Null, err
		}
		return matchText(cfg, c.Args[0].Str(), c.Args[1])
	})
	types.RegisterFunc("ts_lexize", lexize)
	types.RegisterFunc("tsquery_rewrite_query", rewriteByQuery)
	registerParserFuncs()
	types.RegisterSRF("ts_stat1", tsStat)
	types.RegisterSRF("ts_stat2", tsStat)
}

// currentTSConfig looks default_text_search_config up.
func (s *Session) currentTSConfig() (types.OID, error) {
	name := s.gucs.Str(settings.DefaultTextSearchConfig)
	if name == "" {
		return 0, pgerr.Internal("text search configuration isn't set")
	}
	return s.view.TypeCatalog().RegLookup(types.RegconfigOID, name)
}

func currentTextSearch(c *types.Call) (*tsearch.Config, error) {
	s, err := sessionOf(c)
	if err != nil {
		return nil, err
	}
	oid, err := s.currentTSConfig()
	if err != nil {
		return nil, err
	}
	return s.view.TextSearch(c.Env, oid)
}

func textSearchOf(c *types.Call, oid types.OID) (*tsearch.Config, error) {
	s, err := sessionOf(c)
	if err != nil {
		return nil, err
	}
	return s.view.TextSearch(c.Env, oid)
}

func matchText(cfg *tsearch.Config, text string, q types.Datum) (types.Datum, error) {
	v, err := cfg.Parse(text)
	if err != nil {
		return types.Null, err
	}
	return types.Bool(tsearch.VectorOf(v).Matches(tsearch.QueryOf(q))), nil
}

// registerHeadlines registers ts_headline of text, json and jsonb, each with and without a configuration and options.
func registerHeadlines() {
	for kind, f := range map[string]func(*tsearch.Config, string, *tsearch.Query, []tsearch.Option) (string, error){
		"": (*tsearch.Config).Headline, "_json": (*tsearch.Config).HeadlineJSON, "_jsonb": (*tsearch.Config).HeadlineJSONB,
	} {
		for _, byID := range []bool{false, true} {
			for _, withOptions := range []bool{false, true} {
				name := "ts_headline" + kind
				if byID {
					name += "_byid"
				}
				if withOptions {
					name += "_opt"
				}
				types.RegisterFunc(name, func(c *types.Call) (types.Datum, error) {
					cfg, args, err := (*tsearch.Config)(nil), c.Args, error(nil)
					if byID {
						cfg, err = textSearchOf(c, args[0].Oid())
						args = args[1:]
					} else {
						cfg, err = currentTextSearch(c)
					}
					if err != nil {
						return types.Null, err
					}
					var options []tsearch.Option
					if withOptions {
						if options, err = tsearch.ParseOptions(args[2].Str()); err != nil {
							return types.Null, err
						}
					}
					out, err := f(cfg, args[0].Str(), tsearch.QueryOf(args[1]), options)
					return types.Text(out), err
				})
			}
		}
	}
}

// lexize asks one dictionary about a word.
func lexize(c *types.Call) (types.Datum, error) {
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	d, err := s.view.Dictionary(c.Env, c.Args[0].Oid())
	if err != nil {
		return types.Null, err
	}
	var ahead tsearch.Lookahead
	res, err := d.Lexize(c.Args[1].Str(), &ahead)
	if err != nil {
		return types.Null, err
	}
	if ahead.More {
		ahead.End = true
		more, err := d.Lexize(c.Args[1].Str(), &ahead)
		if err != nil {
			return types.Null, err
		}
		if more != nil {
			res = more
		}
	}
	if res == nil {
		return types.Null, nil
	}
	words := []types.Datum{}
	for _, x := range res {
		words = append(words, types.Text(x.Text))
	}
	info, _ := types.BuiltinType(types.TextOID)
	return types.MakeArray(info, words), nil
}

// rowSet is a list of rows of several columns.
type rowSet struct {
	rowsIterator
	desc *types.TupleDesc
}

func (r *rowSet) Desc() *types.TupleDesc { return r.desc }

// newRowSet makes the set; columns are names and types.
func newRowSet(env *types.Env, rows []types.Row, columns ...types.RecordColumn) (types.Iterator, error) {
	for i := range columns {
		columns[i].TypMod = -1
	}
	desc, err := types.NewRecordDesc(env, columns)
	return &rowSet{rowsIterator{rows: rows}, desc}, err
}

// registerParserFuncs registers ts_token_type and ts_parse, by a parser's OID or name.
func registerParserFuncs() {
	byName := func(f func(c *types.Call, args []types.Datum) (types.Iterator, error), named bool) types.SRF {
		return func(c *types.Call) (types.Iterator, error) {
			s, err := sessionOf(c)
			if err != nil {
				return nil, err
			}
			oid := types.OID(0)
			if named {
				oid, err = s.view.TSParserByName(c.Args[0].Str())
			} else {
				oid = c.Args[0].Oid()
			}
			if err == nil {
				err = s.view.CheckTSParser(oid)
			}
			if err != nil {
				return nil, err
			}
			return f(c, c.Args[1:])
		}
	}
	for suffix, named := range map[string]bool{"byid": false, "byname": true} {
		types.RegisterSRF("ts_token_type_"+suffix, byName(tokenTypes, named))
		types.RegisterSRF("ts_parse_"+suffix, byName(parseTokens, named))
	}
}

func tokenTypes(c *types.Call, _ []types.Datum) (types.Iterator, error) {
	var rows []types.Row
	for i, t := range tsearch.TokenTypes {
		if i > 0 {
			rows = append(rows, types.Row{types.Int4(int32(i)), types.Text(t.Alias), types.Text(t.Description)})
		}
	}
	return newRowSet(c.Env, rows, types.RecordColumn{Name: "tokid", Type: types.Int4OID}, types.RecordColumn{Name: "alias", Type: types.TextOID},
		types.RecordColumn{Name: "description", Type: types.TextOID})
}

func parseTokens(c *types.Call, args []types.Datum) (types.Iterator, error) {
	var rows []types.Row
	p := tsearch.NewParser(string(args[0].Bytes()), c.Env.Settings != nil && c.Env.Settings.CTypeC)
	for {
		t, ok, err := p.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		rows = append(rows, types.Row{types.Int4(int32(t.Type)), types.Text(t.Text)})
	}
	return newRowSet(c.Env, rows, types.RecordColumn{Name: "tokid", Type: types.Int4OID}, types.RecordColumn{Name: "token", Type: types.TextOID})
}

// columnTypes gives the types of a query's columns.
func (s *Session) columnTypes(sql string) ([]types.OID, error) {
	stmts, err := parse.Parse(sql)
	if err != nil || len(stmts) != 1 {
		return nil, err
	}
	a, err := s.analyze(s.newPrepared("", sql, stmts[0], nil))
	if err != nil {
		return nil, err
	}
	var list []types.OID
	for _, te := range a.Result {
		list = append(list, te.Expr.Type())
	}
	return list, nil
}

// rewriteByQuery is ts_rewrite with a query that gives pairs: what to replace, and by what.
func rewriteByQuery(c *types.Call) (types.Datum, error) {
	q := tsearch.QueryOf(c.Args[0])
	if q == nil {
		return c.Args[0], nil
	}
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	sql := c.Args[1].Str()
	cols, err := s.columnTypes(sql)
	if err != nil {
		return types.Null, err
	}
	if len(cols) != 2 || cols[0] != types.TsqueryOID || cols[1] != types.TsqueryOID {
		return types.Null, pgerr.New(pgerr.InvalidParameterValue, "ts_rewrite query must return two tsquery columns")
	}
	rows, err := s.RunQuery(sql, nil)
	if err != nil {
		return types.Null, err
	}
	r := tsearch.NewRewriter(q)
	for _, row := range rows {
		if !row[0].IsNull() && !row[1].IsNull() {
			r.Replace(tsearch.QueryOf(row[0]), tsearch.QueryOf(row[1]))
		}
	}
	return r.Query().Datum()
}

// tsStat counts the words of the tsvectors that a query gives.
func tsStat(c *types.Call) (types.Iterator, error) {
	s, err := sessionOf(c)
	if err != nil {
		return nil, err
	}
	sql := c.Args[0].Str()
	cols, err := s.columnTypes(sql)
	if err != nil {
		return nil, err
	}
	if len(cols) != 1 || cols[0] != types.TsvectorOID {
		return nil, pgerr.New(pgerr.InvalidParameterValue, "ts_stat query must return one tsvector column")
	}
	rows, err := s.RunQuery(sql, nil)
	if err != nil {
		return nil, err
	}
	weights := ""
	if len(c.Args) > 1 {
		weights = c.Args[1].Str()
	}
	st := tsearch.NewStatistics(weights)
	for _, row := range rows {
		if !row[0].IsNull() {
			st.Add(tsearch.VectorOf(row[0]))
		}
	}
	var out []types.Row
	for _, w := range st.Words() {
		out = append(out, types.Row{types.Text(w.Word), types.Int4(w.Documents), types.Int4(w.Entries)})
	}
	return newRowSet(c.Env, out, types.RecordColumn{Name: "word", Type: types.TextOID}, types.RecordColumn{Name: "ndoc", Type: types.Int4OID},
		types.RecordColumn{Name: "nentry", Type: types.Int4OID})
}
