package ddl

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/tsearch"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("AlterTsdictionaryStmt", alterTSDict)
	register("AlterTsconfigurationStmt", alterTSConfig)
}

// insertObject adds an object that is one row: it gets an OID, depends on refs, and belongs to the current user where the kind has owners.
func (c *ctx) insertObject(class OID, cols map[int]types.Datum, refs ...catalog.Object) (catalog.Object, error) {
	oid, err := c.v.GetNewOID(catalog.OIDIndex(class))
	if err != nil {
		return catalog.Object{}, err
	}
	row := catalog.NewRow(class)
	for i, d := range cols {
		row[i] = d
	}
	row[0] = types.Oid(oid)
	o := object(class, oid)
	k := objectKinds[class]
	if k != nil && k.owner != none {
		row[k.owner] = types.Oid(c.v.User())
	}
	if err := c.v.Insert(class, row); err != nil {
		return o, err
	}
	if k != nil && k.owner != none {
		if err := c.v.DependOwner(o, c.v.User()); err != nil {
			return o, err
		}
	}
	if k != nil && k.ns != none {
		refs = append(refs, object(catalog.PgNamespaceOID, row[k.ns].Oid()))
	}
	return o, c.v.Depend(o, catalog.DepNormal, refs...)
}

// supportFunc finds a function that an attribute names, with these arguments, and checks what it returns.
func (c *ctx) supportFunc(d *pg_query.DefElem, ret OID, args ...OID) (types.Datum, error) {
	names, err := defNames(d)
	if err != nil {
		return types.Null, err
	}
	p, err := c.functionNamed(names, args)
	if err != nil {
		return types.Null, err
	}
	if p.RetType != ret {
		return types.Null, pgerr.New(pgerr.InvalidObjectDefinition, "function %s should return type %s", c.signature(joinName(strs(names)), args),
			types.FormatType(c.Backend.Env, ret))
	}
	return types.Oid(p.OID), nil
}

// createTSParser is CREATE TEXT SEARCH PARSER.
func (c *ctx) createTSParser(n *pg_query.DefineStmt) error {
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to create text search parsers"); err != nil {
		return err
	}
	schema, name := splitName(n.Defnames)
	ns, err := c.schemaFor(schema, false)
	if err != nil {
		return err
	}
	in, num := types.InternalOID, types.Int4OID
	cols := map[int]types.Datum{catalog.TsParserPrsname: types.Text(name), catalog.TsParserPrsnamespace: types.Oid(ns),
		catalog.TsParserPrsheadline: types.Oid(0)}
	for _, x := range n.Definition {
		d := x.GetDefElem()
		var err error
		switch d.Defname {
		case "start":
			cols[catalog.TsParserPrsstart], err = c.supportFunc(d, in, in, num)
		case "gettoken":
			cols[catalog.TsParserPrstoken], err = c.supportFunc(d, in, in, in, in)
		case "end":
			cols[catalog.TsParserPrsend], err = c.supportFunc(d, types.VoidOID, in)
		case "headline":
			cols[catalog.TsParserPrsheadline], err = c.supportFunc(d, in, in, in, types.TsqueryOID)
		case "lextypes":
			cols[catalog.TsParserPrslextype], err = c.supportFunc(d, in, in)
		default:
			err = pgerr.New(pgerr.SyntaxError, "text search parser parameter \"%s\" not recognized", d.Defname)
		}
		if err != nil {
			return err
		}
	}
	refs := []catalog.Object{object(catalog.PgProcOID, cols[catalog.TsParserPrsheadline].Oid())}
	for _, m := range []struct {
		col  int
		word string
	}{{catalog.TsParserPrsstart, "start"}, {catalog.TsParserPrstoken, "gettoken"}, {catalog.TsParserPrsend, "end"}, {catalog.TsParserPrslextype, "lextypes"}} {
		fn, ok := cols[m.col]
		if !ok {
			return pgerr.New(pgerr.InvalidObjectDefinition, "text search parser %s method is required", m.word)
		}
		refs = append(refs, object(catalog.PgProcOID, fn.Oid()))
	}
	_, err = c.insertObject(catalog.PgTsParserOID, cols, refs...)
	return err
}

// createTSTemplate is CREATE TEXT SEARCH TEMPLATE.
func (c *ctx) createTSTemplate(n *pg_query.DefineStmt) error {
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to create text search templates"); err != nil {
		return err
	}
	schema, name := splitName(n.Defnames)
	ns, err := c.schemaFor(schema, false)
	if err != nil {
		return err
	}
	in := types.InternalOID
	cols := map[int]types.Datum{catalog.TsTemplateTmplname: types.Text(name), catalog.TsTemplateTmplnamespace: types.Oid(ns),
		catalog.TsTemplateTmplinit: types.Oid(0)}
	for _, x := range n.Definition {
		d := x.GetDefElem()
		var err error
		switch d.Defname {
		case "init":
			cols[catalog.TsTemplateTmplinit], err = c.supportFunc(d, in, in)
		case "lexize":
			cols[catalog.TsTemplateTmpllexize], err = c.supportFunc(d, in, in, in, in, in)
		default:
			err = pgerr.New(pgerr.SyntaxError, "text search template parameter \"%s\" not recognized", d.Defname)
		}
		if err != nil {
			return err
		}
	}
	lexize, ok := cols[catalog.TsTemplateTmpllexize]
	if !ok {
		return pgerr.New(pgerr.InvalidObjectDefinition, "text search template lexize method is required")
	}
	_, err = c.insertObject(catalog.PgTsTemplateOID, cols, object(catalog.PgProcOID, cols[catalog.TsTemplateTmplinit].Oid()),
		object(catalog.PgProcOID, lexize.Oid()))
	return err
}

// tsOption makes an option of a dictionary of its definition.
func tsOption(d *pg_query.DefElem) (tsearch.Option, error) {
	if d.Arg == nil {
		return tsearch.Option{}, pgerr.New(pgerr.SyntaxError, "%s requires a parameter", d.Defname)
	}
	o := tsearch.Option{Name: d.Defname, Value: defText(d.Arg)}
	switch d.Arg.Node.(type) {
	case *pg_query.Node_Integer, *pg_query.Node_Float:
		o.Number = true
	}
	return o, nil
}

// tsOptionsText is what pg_ts_dict keeps of options.
func tsOptionsText(options []tsearch.Option) types.Datum {
	if len(options) == 0 {
		return types.Null
	}
	return types.Text(tsearch.FormatOptions(options))
}

// createTSDict is CREATE TEXT SEARCH DICTIONARY.
func (c *ctx) createTSDict(n *pg_query.DefineStmt) error {
	ns, name, err := c.creationName(n.Defnames)
	if err != nil {
		return err
	}
	template := catalog.Object{}
	var options []tsearch.Option
	for _, x := range n.Definition {
		d := x.GetDefElem()
		if d.Defname == "template" {
			names, err := defNames(d)
			if err != nil {
				return err
			}
			if template, err = c.namedObject(catalog.PgTsTemplateOID, names); err != nil {
				return err
			}
			continue
		}
		o, err := tsOption(d)
		if err != nil {
			return err
		}
		options = append(options, o)
	}
	if template.OID == 0 {
		return pgerr.New(pgerr.InvalidObjectDefinition, "text search template is required")
	}
	if err := c.v.CheckTSOptions(c.Backend.Env, template.OID, options); err != nil {
		return err
	}
	_, err = c.insertObject(catalog.PgTsDictOID, map[int]types.Datum{catalog.TsDictDictname: types.Text(name), catalog.TsDictDictnamespace: types.Oid(ns),
		catalog.TsDictDicttemplate: types.Oid(template.OID), catalog.TsDictDictinitoption: tsOptionsText(options)}, template)
	return err
}

// alterTSDict is ALTER TEXT SEARCH DICTIONARY (option = value, ...): an option without a value goes.
func alterTSDict(c *ctx, n *pg_query.AlterTSDictionaryStmt) (string, error) {
	o, err := c.namedObject(catalog.PgTsDictOID, n.Dictname)
	if err != nil {
		return "", err
	}
	if err := c.requireOwnership(pg_query.ObjectType_OBJECT_TSDICTIONARY, o, nil); err != nil {
		return "", err
	}
	tid, old, err := c.v.Find(catalog.PgTsDictOidIndexOID, types.Oid(o.OID))
	if err != nil {
		return "", err
	}
	var options []tsearch.Option
	if text := old[catalog.TsDictDictinitoption]; !text.IsNull() {
		if options, err = tsearch.ParseOptions(text.Str()); err != nil {
			return "", err
		}
	}
	for _, x := range n.Options {
		d := x.GetDefElem()
		options = slices.DeleteFunc(options, func(o tsearch.Option) bool { return o.Name == d.Defname })
		if d.Arg == nil {
			continue
		}
		opt, err := tsOption(d)
		if err != nil {
			return "", err
		}
		options = append(options, opt)
	}
	if err := c.v.CheckTSOptions(c.Backend.Env, old[catalog.TsDictDicttemplate].Oid(), options); err != nil {
		return "", err
	}
	row := append(types.Row(nil), old...)
	row[catalog.TsDictDictinitoption] = tsOptionsText(options)
	return "ALTER TEXT SEARCH DICTIONARY", c.v.Update(catalog.PgTsDictOID, tid, old, row)
}

// createTSConfig is CREATE TEXT SEARCH CONFIGURATION.
func (c *ctx) createTSConfig(n *pg_query.DefineStmt) error {
	ns, name, err := c.creationName(n.Defnames)
	if err != nil {
		return err
	}
	var parser, source catalog.Object
	for _, x := range n.Definition {
		d := x.GetDefElem()
		names, err := defNames(d)
		switch d.Defname {
		case "parser":
			if err == nil {
				parser, err = c.namedObject(catalog.PgTsParserOID, names)
			}
		case "copy":
			if err == nil {
				source, err = c.namedObject(catalog.PgTsConfigOID, names)
			}
		default:
			err = pgerr.New(pgerr.SyntaxError, "text search configuration parameter \"%s\" not recognized", d.Defname)
		}
		if err != nil {
			return err
		}
	}
	if source.OID != 0 && parser.OID != 0 {
		return pgerr.New(pgerr.SyntaxError, "cannot specify both PARSER and COPY options")
	}
	if source.OID != 0 {
		_, row, err := c.v.Find(catalog.PgTsConfigOidIndexOID, types.Oid(source.OID))
		if err != nil {
			return err
		}
		parser = object(catalog.PgTsParserOID, row[catalog.TsConfigCfgparser].Oid())
	}
	if parser.OID == 0 {
		return pgerr.New(pgerr.InvalidObjectDefinition, "text search parser is required")
	}
	o, err := c.insertObject(catalog.PgTsConfigOID, map[int]types.Datum{catalog.TsConfigCfgname: types.Text(name),
		catalog.TsConfigCfgnamespace: types.Oid(ns), catalog.TsConfigCfgparser: types.Oid(parser.OID)}, parser)
	if err != nil || source.OID == 0 {
		return err
	}
	var rows []types.Row
	err = c.eachMapping(source.OID, func(_ types.TID, row types.Row) error {
		row[catalog.TsConfigMapMapcfg] = types.Oid(o.OID)
		rows = append(rows, append(types.Row(nil), row...))
		return nil
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := c.v.Insert(catalog.PgTsConfigMapOID, row); err != nil {
			return err
		}
	}
	return c.dependOnDicts(o)
}

// eachMapping calls f with the rows of a configuration's map.
func (c *ctx) eachMapping(cfg OID, f func(tid types.TID, row types.Row) error) error {
	return c.v.Scan(catalog.PgTsConfigMapIndexOID, []types.Datum{types.Oid(cfg)}, func(tid types.TID, row types.Row) (bool, error) {
		return true, f(tid, row)
	})
}

// dependOnDicts records that a configuration depends on the dictionaries of its map.
func (c *ctx) dependOnDicts(o catalog.Object) error {
	if err := c.v.RemoveDepends(o, 0, catalog.PgTsDictOID); err != nil {
		return err
	}
	if err := c.next(); err != nil {
		return err
	}
	var dicts []OID
	err := c.eachMapping(o.OID, func(_ types.TID, row types.Row) error {
		if d := row[catalog.TsConfigMapMapdict].Oid(); !slices.Contains(dicts, d) {
			dicts = append(dicts, d)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range dicts {
		if err := c.v.Depend(o, catalog.DepNormal, object(catalog.PgTsDictOID, d)); err != nil {
			return err
		}
	}
	return nil
}

// alterTSConfig is ALTER TEXT SEARCH CONFIGURATION ... MAPPING.
func alterTSConfig(c *ctx, n *pg_query.AlterTSConfigurationStmt) (string, error) {
	o, err := c.namedObject(catalog.PgTsConfigOID, n.Cfgname)
	if err != nil {
		return "", err
	}
	if err := c.requireOwnership(pg_query.ObjectType_OBJECT_TSCONFIGURATION, o, nil); err != nil {
		return "", err
	}
	_, row, err := c.v.Find(catalog.PgTsConfigOidIndexOID, types.Oid(o.OID))
	if err != nil {
		return "", err
	}
	tokens, err := c.tokenTypes(row[catalog.TsConfigCfgparser].Oid(), n.Tokentype)
	if err != nil {
		return "", err
	}
	switch {
	case len(n.Dicts) > 0:
		err = c.setMapping(n, o.OID, tokens)
	case len(n.Tokentype) > 0:
		err = c.dropMapping(n, o.OID, tokens)
	}
	if err != nil {
		return "", err
	}
	return "ALTER TEXT SEARCH CONFIGURATION", c.dependOnDicts(o)
}

// tokenTypes finds kinds of tokens of a parser, each once.
func (c *ctx) tokenTypes(parser OID, names []*pg_query.Node) (list []int32, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	if err := c.v.CheckTSParser(parser); err != nil {
		return nil, err
	}
	for _, name := range strs(names) {
		t := int32(tsearch.TokenTypeOf(name))
		if t == 0 {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "token type \"%s\" does not exist", name)
		}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list, nil
}

// setMapping is ADD MAPPING, ALTER MAPPING FOR ... WITH, ALTER MAPPING [FOR ...] REPLACE old WITH new.
func (c *ctx) setMapping(n *pg_query.AlterTSConfigurationStmt, cfg OID, tokens []int32) error {
	if n.Override {
		for _, t := range tokens {
			if _, err := c.v.DeleteWhere(catalog.PgTsConfigMapOID, catalog.PgTsConfigMapIndexOID, types.Oid(cfg), types.Int4(t)); err != nil {
				return err
			}
		}
	}
	var dicts []OID
	for _, x := range n.Dicts {
		d, err := c.namedObject(catalog.PgTsDictOID, nameList(x))
		if err != nil {
			return err
		}
		dicts = append(dicts, d.OID)
	}
	if n.Replace {
		return c.replaceDict(cfg, tokens, dicts[0], dicts[1])
	}
	for _, t := range tokens {
		for i, d := range dicts {
			row := types.Row{types.Oid(cfg), types.Int4(t), types.Int4(int32(i + 1)), types.Oid(d)}
			if err := c.v.Insert(catalog.PgTsConfigMapOID, row); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *ctx) replaceDict(cfg OID, tokens []int32, from, to OID) error {
	type change struct {
		tid types.TID
		row types.Row
	}
	var changes []change
	err := c.eachMapping(cfg, func(tid types.TID, row types.Row) error {
		if row[catalog.TsConfigMapMapdict].Oid() == from && (tokens == nil || slices.Contains(tokens, row[catalog.TsConfigMapMaptokentype].Int4())) {
			changes = append(changes, change{tid, append(types.Row(nil), row...)})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, ch := range changes {
		row := append(types.Row(nil), ch.row...)
		row[catalog.TsConfigMapMapdict] = types.Oid(to)
		if err := c.v.Update(catalog.PgTsConfigMapOID, ch.tid, ch.row, row); err != nil {
			return err
		}
	}
	return nil
}

// dropMapping is DROP MAPPING FOR.
func (c *ctx) dropMapping(n *pg_query.AlterTSConfigurationStmt, cfg OID, tokens []int32) error {
	for _, t := range tokens {
		gone, err := c.v.DeleteWhere(catalog.PgTsConfigMapOID, catalog.PgTsConfigMapIndexOID, types.Oid(cfg), types.Int4(t))
		if err != nil {
			return err
		}
		if gone > 0 {
			continue
		}
		name := tsearch.TokenTypes[t].Alias
		if !n.MissingOk {
			return pgerr.New(pgerr.UndefinedObject, "mapping for token type \"%s\" does not exist", name)
		}
		c.notice(pgerr.SuccessfulCompletion, "mapping for token type \"%s\" does not exist, skipping", name)
	}
	return nil
}
