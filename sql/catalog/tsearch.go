package catalog

import (
	"sync"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/tsearch"
	"github.com/calfdb/calf/sql/types"
)

// TSConfig is a text search configuration.
type TSConfig struct {
	OID    OID
	Parser OID
	Map    [][]tsearch.DictID // dictionaries by kind of token
}

// TSDict is a text search dictionary: made when it is used first, and kept.
type TSDict struct {
	OID          OID
	Name         string
	Init, Lexize string // source names of the template's functions
	Options      string
	once         sync.Once
	dict         tsearch.Dictionary
	err          error
}

// TSConfig gives a configuration, nil when there is none.
func (v *View) TSConfig(oid OID) (*TSConfig, error) {
	return fetchOID(v, TSConfigKey, oid, reader.tsConfig)
}

func (r reader) tsConfig(oid OID) (*TSConfig, error) {
	row, err := r.one(PgTsConfigOidIndexOID, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	c := &TSConfig{OID: oid, Parser: row[TsConfigCfgparser].Oid()}
	rows, err := r.list(PgTsConfigMapIndexOID, types.Oid(oid))
	for _, m := range rows {
		token := int(m[TsConfigMapMaptokentype].Int4())
		for len(c.Map) <= token {
			c.Map = append(c.Map, nil)
		}
		c.Map[token] = append(c.Map[token], tsearch.DictID(m[TsConfigMapMapdict].Oid()))
	}
	return c, err
}

// TSDict gives a dictionary, nil when there is none.
func (v *View) TSDict(oid OID) (*TSDict, error) { return fetchOID(v, TSDictKey, oid, reader.tsDict) }

func (r reader) tsDict(oid OID) (*TSDict, error) {
	row, err := r.one(PgTsDictOidIndexOID, types.Oid(oid))
	if row == nil || err != nil {
		return nil, err
	}
	d := &TSDict{OID: oid, Name: row[TsDictDictname].Str()}
	if o := row[TsDictDictinitoption]; !o.IsNull() {
		d.Options = o.Str()
	}
	template, err := r.one(PgTsTemplateOidIndexOID, row[TsDictDicttemplate])
	if template == nil || err != nil {
		return nil, err
	}
	d.Init, d.Lexize, err = r.tsTemplateFuncs(template)
	return d, err
}

// tsTemplateFuncs gives the source names of a template's functions.
func (r reader) tsTemplateFuncs(template types.Row) (init, lexize string, err error) {
	source := func(fn OID) (string, error) {
		p, err := r.one(PgProcOidIndexOID, types.Oid(fn))
		if p == nil || err != nil {
			return "", err
		}
		return p[ProcProsrc].Str(), nil
	}
	if init, err = source(template[TsTemplateTmplinit].Oid()); err != nil {
		return "", "", err
	}
	lexize, err = source(template[TsTemplateTmpllexize].Oid())
	return init, lexize, err
}

// CheckTSOptions makes a dictionary of a template to see whether the options are right.
func (v *View) CheckTSOptions(env *types.Env, template OID, options []tsearch.Option) error {
	_, row, err := v.Find(PgTsTemplateOidIndexOID, types.Oid(template))
	if row == nil || err != nil {
		return err
	}
	r, end, err := v.read()
	if err != nil {
		return err
	}
	init, lexize, err := r.tsTemplateFuncs(row)
	end()
	if err != nil {
		return err
	}
	if init == "" {
		if len(options) > 0 {
			return pgerr.New(pgerr.SyntaxError, "text search template \"%s\" does not accept options", row[TsTemplateTmplname].Str())
		}
		return nil
	}
	_, err = tsearch.NewDictionary(v.dictEnv(env), init, lexize, options)
	return err
}

func (v *View) dictEnv(env *types.Env) *tsearch.DictEnv {
	return &tsearch.DictEnv{CTypeC: ctypeC(env), Find: func(name string) (tsearch.Dictionary, error) {
		oid, err := typeCatalog{v}.RegLookup(types.RegdictionaryOID, name)
		if err != nil {
			return nil, err
		}
		return v.Dictionary(env, oid)
	}}
}

func ctypeC(env *types.Env) bool { return env != nil && env.Settings != nil && env.Settings.CTypeC }

// Dictionary makes a dictionary or gives the one that was made.
func (v *View) Dictionary(env *types.Env, oid OID) (tsearch.Dictionary, error) {
	d, err := v.TSDict(oid)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, pgerr.Internal("cache lookup failed for text search dictionary %d", oid)
	}
	d.once.Do(func() {
		options, err := tsearch.ParseOptions(d.Options)
		if err == nil {
			d.dict, err = tsearch.NewDictionary(v.dictEnv(env), d.Init, d.Lexize, options)
		}
		d.err = err
	})
	return d.dict, d.err
}

// TextSearch gives a configuration for use.
func (v *View) TextSearch(env *types.Env, oid OID) (*tsearch.Config, error) {
	c, err := v.TSConfig(oid)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return nil, pgerr.Internal("cache lookup failed for text search configuration %d", oid)
	}
	if err := v.CheckTSParser(c.Parser); err != nil {
		return nil, err
	}
	return &tsearch.Config{Map: c.Map, CTypeC: ctypeC(env), Open: func(id tsearch.DictID) (tsearch.Dictionary, error) {
		return v.Dictionary(env, OID(id))
	}}, nil
}

// CheckTSParser refuses parsers other than the default one.
func (v *View) CheckTSParser(oid OID) error {
	_, row, err := v.Find(PgTsParserOidIndexOID, types.Oid(oid))
	if err != nil {
		return err
	}
	if row == nil {
		return pgerr.Internal("cache lookup failed for text search parser %d", oid)
	}
	p, err := v.Proc(row[TsParserPrsstart].Oid())
	if err == nil && (p == nil || p.Src != "prsd_start") {
		err = pgerr.NotSupported("text search parser %s", row[TsParserPrsname].Str())
	}
	return err
}

// TSParserByName finds a parser by its possibly qualified name.
func (v *View) TSParserByName(text string) (OID, error) {
	parts, err := splitQualified(text)
	if err != nil {
		return 0, err
	}
	return v.tsObject(parts, PgTsParserPrsnameIndexOID, TsParserOid, "text search parser")
}
