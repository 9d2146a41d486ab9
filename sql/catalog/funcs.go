package catalog

import (
	"github.com/calfdb/calf/sql/types"
)

// Functions about the session's place in the catalogs: search path, visibility, names, sizes.

// viewFunc registers a function of the view.
func viewFunc(prosrc string, do func(v *View, c *types.Call) (types.Datum, error)) {
	types.RegisterFunc(prosrc, func(c *types.Call) (types.Datum, error) {
		v, err := FromCall(c)
		if err != nil {
			return types.Null, err
		}
		return do(v, c)
	})
}

func init() {
	viewFunc("current_schema", func(v *View, _ *types.Call) (types.Datum, error) {
		n, err := v.Namespace(v.CreationNamespace())
		if n == nil {
			return types.Null, err
		}
		return types.Text(n.Name), err
	})
	viewFunc("current_schemas", currentSchemas)
	viewFunc("current_database", func(v *View, _ *types.Call) (types.Datum, error) {
		db, err := v.Database(v.db.OID)
		if db == nil {
			return types.Null, err
		}
		return types.Text(db.Name), err
	})
	viewFunc("pg_relation_is_publishable", func(v *View, c *types.Call) (types.Datum, error) {
		rel, err := v.Relation(c.Args[0].Oid())
		if rel == nil {
			return types.Null, err
		}
		return types.Bool((rel.Kind == 'r' || rel.Kind == 'p') && rel.Persistence == 'p' && rel.OID >= FirstUserOID), nil
	})
	viewFunc("pg_my_temp_schema", func(v *View, _ *types.Call) (types.Datum, error) { return types.Oid(v.path.temp), nil })
	viewFunc("pg_is_other_temp_schema", isOtherTemp)
	viewFunc("pg_get_userbyid", func(v *View, c *types.Call) (types.Datum, error) {
		r, err := v.Role(c.Args[0].Oid())
		if r == nil {
			return types.Text("unknown (OID=" + utoa(c.Args[0].Oid()) + ")"), err
		}
		return types.Text(r.Name), err
	})
	visible("pg_table_is_visible", PgClassOidIndexOID, (*View).RelationVisible)
	visible("pg_type_is_visible", PgTypeOidIndexOID, (*View).TypeVisible)
	visible("pg_function_is_visible", PgProcOidIndexOID, (*View).ProcVisible)
	visible("pg_operator_is_visible", PgOperatorOidIndexOID, (*View).OperatorVisible)
	visibleNamed("pg_collation_is_visible", PgCollationOidIndexOID, CollationCollname, CollationCollnamespace, PgCollationNameEncNspIndexOID)
	visibleNamed("pg_conversion_is_visible", PgConversionOidIndexOID, ConversionConname, ConversionConnamespace, PgConversionNameNspIndexOID)
	visibleNamed("pg_opclass_is_visible", PgOpclassOidIndexOID, OpclassOpcname, OpclassOpcnamespace, 0)
	visibleNamed("pg_opfamily_is_visible", PgOpfamilyOidIndexOID, OpfamilyOpfname, OpfamilyOpfnamespace, 0)
	visibleNamed("pg_statistics_obj_is_visible", PgStatisticExtOidIndexOID, StatisticExtStxname, StatisticExtStxnamespace, PgStatisticExtNameIndexOID)
	visibleNamed("pg_ts_config_is_visible", PgTsConfigOidIndexOID, TsConfigCfgname, TsConfigCfgnamespace, PgTsConfigCfgnameIndexOID)
	visibleNamed("pg_ts_dict_is_visible", PgTsDictOidIndexOID, TsDictDictname, TsDictDictnamespace, PgTsDictDictnameIndexOID)
	visibleNamed("pg_ts_parser_is_visible", PgTsParserOidIndexOID, TsParserPrsname, TsParserPrsnamespace, PgTsParserPrsnameIndexOID)
	visibleNamed("pg_ts_template_is_visible", PgTsTemplateOidIndexOID, TsTemplateTmplname, TsTemplateTmplnamespace, PgTsTemplateTmplnameIndexOID)
	viewFunc("pg_describe_object", func(v *View, c *types.Call) (types.Datum, error) {
		s, err := v.describe(Object{c.Args[0].Oid(), c.Args[1].Oid(), c.Args[2].Int4()})
		if s == "" {
			return types.Null, err
		}
		return types.Text(s), err
	})
	registerDescriptions()
}

func utoa(o OID) string {
	if o == 0 {
		return "0"
	}
	var b [10]byte
	i := len(b)
	for ; o > 0; o /= 10 {
		i--
		b[i] = byte('0' + o%10)
	}
	return string(b[i:])
}

func currentSchemas(v *View, c *types.Call) (types.Datum, error) {
	var names []types.Datum
	path := v.SearchPath()
	if !c.Args[0].Bool() {
		path = v.explicitPath()
	}
	for _, ns := range path {
		n, err := v.Namespace(ns)
		if err != nil {
			return types.Null, err
		}
		if n != nil {
			names = append(names, types.Text(n.Name))
		}
	}
	return makeArray(types.NameOID, names, 1), nil
}

func isOtherTemp(v *View, c *types.Call) (types.Datum, error) {
	n, err := v.Namespace(c.Args[0].Oid())
	if n == nil || err != nil {
		return types.Bool(false), err
	}
	return types.Bool(n.OID != v.path.temp && isTempName(n.Name)), nil
}

func isTempName(name string) bool {
	return len(name) > 8 && name[:8] == "pg_temp_" || len(name) > 14 && name[:14] == "pg_toast_temp_"
}

// visible registers a visibility function; it gives null for an object that is not there.
func visible(prosrc string, index OID, is func(v *View, oid OID) bool) {
	viewFunc(prosrc, func(v *View, c *types.Call) (types.Datum, error) {
		if is(v, c.Args[0].Oid()) {
			return types.Bool(true), nil
		}
		_, row, err := v.Find(index, c.Args[0])
		if row == nil {
			return types.Null, err
		}
		return types.Bool(false), err
	})
}

// visibleNamed is visible for catalogs without descriptors: the first schema of the path that has the name decides. byName, 0 = the name is not
// unique in a schema, and being in the path suffices.
func visibleNamed(prosrc string, byOID OID, name, ns int, byName OID) {
	viewFunc(prosrc, func(v *View, c *types.Call) (types.Datum, error) {
		_, row, err := v.Find(byOID, c.Args[0])
		if row == nil {
			return types.Null, err
		}
		for _, schema := range v.SearchPath() {
			if schema == row[ns].Oid() {
				return types.Bool(true), nil
			}
			if byName == 0 {
				continue
			}
			hidden := false
			err := v.Scan(byName, []types.Datum{row[name]}, func(_ types.TID, other types.Row) (bool, error) {
				hidden = other[ns].Oid() == schema
				return !hidden, nil
			})
			if err != nil || hidden {
				return types.Bool(false), err
			}
		}
		return types.Bool(false), nil
	})
}

// registerDescriptions registers the comment functions, natively in place of their SQL bodies.
func registerDescriptions() {
	comment := func(v *View, oid, class types.Datum, sub int32) (types.Datum, error) {
		_, row, err := v.Find(PgDescriptionOCOIndexOID, oid, class, types.Int4(sub))
		if row == nil {
			return types.Null, err
		}
		return row[DescriptionDescription], nil
	}
	class := func(v *View, d types.Datum) types.Datum {
		oid, _ := v.relationIn(CatalogNamespace, d.Str())
		return types.Oid(oid)
	}
	viewFunc(NativeName("obj_description", 1215), func(v *View, c *types.Call) (types.Datum, error) {
		return comment(v, c.Args[0], class(v, c.Args[1]), 0)
	})
	viewFunc(NativeName("col_description", 1216), func(v *View, c *types.Call) (types.Datum, error) {
		return comment(v, c.Args[0], types.Oid(PgClassOID), c.Args[1].Int4())
	})
	viewFunc(NativeName("obj_description", 1348), func(v *View, c *types.Call) (types.Datum, error) {
		found := types.Null
		err := v.Scan(PgDescriptionOCOIndexOID, []types.Datum{c.Args[0]}, func(_ types.TID, row types.Row) (bool, error) {
			if row[DescriptionObjsubid].Int4() == 0 {
				found = row[DescriptionDescription]
				return false, nil
			}
			return true, nil
		})
		return found, err
	})
	viewFunc(NativeName("shobj_description", 1993), func(v *View, c *types.Call) (types.Datum, error) {
		_, row, err := v.Find(PgShdescriptionOCIndexOID, c.Args[0], class(v, c.Args[1]))
		if row == nil {
			return types.Null, err
		}
		return row[ShdescriptionDescription], nil
	})
}
