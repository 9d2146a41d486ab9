package catalog

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// The reg* types: names of objects as values.

// TypeParser finds a type by its SQL text ("numeric(10,2)", "int[]"); the front end has it, the session sets it.
type TypeParser func(v *View, text string) (OID, int32, error)

// SetTypeParser says how regtype reads type names.
func (v *View) SetTypeParser(f TypeParser) { v.parseType = f }

func (c typeCatalog) RegLookup(regType OID, text string) (OID, error) {
	v := c.v
	switch regType {
	case types.RegclassOID:
		return v.regclass(text)
	case types.RegtypeOID:
		if v.parseType == nil {
			return v.regtypeByName(text)
		}
		oid, _, err := v.parseType(v, text)
		return oid, err
	case types.RegprocOID:
		return v.regproc(text)
	case types.RegprocedureOID:
		return v.regprocedure(text)
	case types.RegoperOID, types.RegoperatorOID:
		return v.regoperator(text, regType == types.RegoperatorOID)
	}
	parts, err := splitQualified(text)
	if err != nil {
		return 0, err
	}
	if len(parts) > 1 && (regType == types.RegnamespaceOID || regType == types.RegroleOID) {
		return 0, pgerr.New(pgerr.InvalidName, "invalid name syntax")
	}
	switch regType {
	case types.RegnamespaceOID:
		oid, err := v.NamespaceByName(parts[0])
		if err == nil && oid == 0 {
			err = pgerr.New(pgerr.InvalidSchemaName, "schema \"%s\" does not exist", parts[0])
		}
		return oid, err
	case types.RegroleOID:
		r, err := v.RoleByName(parts[0])
		if err == nil && r == nil {
			return 0, pgerr.New(pgerr.UndefinedObject, "role \"%s\" does not exist", parts[0])
		}
		if err != nil {
			return 0, err
		}
		return r.OID, nil
	case types.RegcollationOID:
		schema, name := splitSchema(parts)
		oid, err := v.CollationByName(schema, name)
		if err == nil && oid == 0 {
			err = v.notFound(schema, pgerr.New(pgerr.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", strings.Join(parts, ".")))
		}
		return oid, err
	case types.RegconfigOID:
		return v.tsObject(parts, PgTsConfigCfgnameIndexOID, TsConfigOid, "text search configuration")
	case types.RegdictionaryOID:
		return v.tsObject(parts, PgTsDictDictnameIndexOID, TsDictOid, "text search dictionary")
	}
	return 0, pgerr.Internal("no look-up for type %d", regType)
}

// notFound is err, or that the schema the name was qualified with does not exist.
func (v *View) notFound(schema string, err error) error {
	if schema == "" {
		return err
	}
	ns, e := v.NamespaceByName(schema)
	if e != nil {
		return e
	}
	if ns == 0 {
		return pgerr.New(pgerr.InvalidSchemaName, "schema \"%s\" does not exist", schema)
	}
	return err
}

func splitSchema(parts []string) (schema, name string) {
	if len(parts) > 1 {
		return parts[len(parts)-2], parts[len(parts)-1]
	}
	return "", parts[0]
}

func (v *View) tsObject(parts []string, index OID, column int, what string) (OID, error) {
	schema, name := splitSchema(parts)
	oid, err := v.along(schema, false, func(ns OID) (OID, error) {
		_, row, err := v.Find(index, types.Text(name), types.Oid(ns))
		if row == nil {
			return 0, err
		}
		return row[column].Oid(), nil
	})
	if err == nil && oid == 0 {
		err = v.notFound(schema, pgerr.New(pgerr.UndefinedObject, "%s \"%s\" does not exist", what, strings.Join(parts, ".")))
	}
	return oid, err
}

func (v *View) regclass(text string) (OID, error) {
	parts, err := splitQualified(text)
	if err != nil {
		return 0, err
	}
	if len(parts) == 3 {
		db, err := v.Database(v.db.OID)
		if err != nil {
			return 0, err
		}
		if db == nil || db.Name != parts[0] {
			return 0, pgerr.New(pgerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"", strings.Join(parts, "."))
		}
		parts = parts[1:]
	}
	if len(parts) > 2 {
		return 0, pgerr.New(pgerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(parts, "."))
	}
	schema, name := splitSchema(parts)
	oid, err := v.RelationByName(schema, name)
	if err == nil && oid == 0 {
		err = v.notFound(schema, pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts, ".")))
	}
	return oid, err
}

// regtypeByName serves where there is no type parser: a plain name.
func (v *View) regtypeByName(text string) (OID, error) {
	parts, err := splitQualified(text)
	if err != nil {
		return 0, err
	}
	schema, name := splitSchema(parts)
	oid, err := v.TypeByName(schema, name)
	if err == nil && oid == 0 {
		err = pgerr.New(pgerr.UndefinedObject, "type \"%s\" does not exist", text)
	}
	return oid, err
}

func (v *View) regproc(text string) (OID, error) {
	parts, err := splitQualified(text)
	if err != nil {
		return 0, err
	}
	schema, name := splitSchema(parts)
	list, err := v.ProcsByName(schema, name)
	switch {
	case err != nil:
		return 0, err
	case len(list) == 0:
		return 0, v.notFound(schema, pgerr.New(pgerr.UndefinedFunction, "function \"%s\" does not exist", text))
	case len(list) > 1:
		return 0, pgerr.New(pgerr.AmbiguousFunction, "more than one function named \"%s\"", text)
	}
	return list[0].OID, nil
}

// nameAndArgs takes "name(type, type)" apart.
func (v *View) nameAndArgs(text string) (name string, args []OID, err error) {
	open := strings.IndexByte(text, '(')
	if open < 0 {
		return "", nil, pgerr.New(pgerr.InvalidTextRepresentation, "expected a left parenthesis")
	}
	rest := strings.TrimSpace(text[open+1:])
	if !strings.HasSuffix(rest, ")") {
		return "", nil, pgerr.New(pgerr.InvalidTextRepresentation, "expected a right parenthesis")
	}
	rest = strings.TrimSpace(strings.TrimSuffix(rest, ")"))
	if rest == "" {
		return text[:open], nil, nil
	}
	for _, t := range splitTopLevel(rest) {
		if strings.EqualFold(t, "none") {
			args = append(args, 0)
			continue
		}
		oid, err := typeCatalog{v}.RegLookup(types.RegtypeOID, t)
		if err != nil {
			return "", nil, err
		}
		args = append(args, oid)
	}
	return text[:open], args, nil
}

// splitTopLevel splits at commas outside parentheses and quotes.
func splitTopLevel(s string) (parts []string) {
	depth, start, quoted := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			quoted = !quoted
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 && !quoted {
				parts = append(parts, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

func (v *View) regprocedure(text string) (OID, error) {
	name, args, err := v.nameAndArgs(text)
	if err != nil {
		return 0, err
	}
	parts, err := splitQualified(name)
	if err != nil {
		return 0, err
	}
	schema, base := splitSchema(parts)
	list, err := v.ProcsByName(schema, base)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		if err := v.notFound(schema, nil); err != nil {
			return 0, err
		}
	}
	for _, p := range list {
		if equalOIDs(p.ArgTypes, args) {
			return p.OID, nil
		}
	}
	return 0, pgerr.New(pgerr.UndefinedFunction, "function \"%s\" does not exist", text)
}

func equalOIDs(a, b []OID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func (v *View) regoperator(text string, withArgs bool) (OID, error) {
	name, args := text, []OID(nil)
	if withArgs {
		var err error
		if name, args, err = v.nameAndArgs(text); err != nil {
			return 0, err
		}
		switch {
		case len(args) == 1:
			return 0, pgerr.New(pgerr.UndefinedParameter, "missing argument").WithHint("Use NONE to denote the missing argument of a unary operator.")
		case len(args) > 2:
			return 0, pgerr.New(pgerr.TooManyArguments, "too many arguments").WithHint("Provide two argument types for operator.")
		}
	}
	schema, op := "", name
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		schema, op = name[:at], name[at+1:]
	}
	list, err := v.OperatorsByName(schema, op)
	if err != nil {
		return 0, err
	}
	var found []OID
	for _, o := range list {
		if !withArgs || o.Left == args[0] && o.Right == args[1] {
			found = append(found, o.OID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		err := pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s", text)
		if withArgs {
			return 0, err
		}
		return 0, v.notFound(schema, err)
	}
	return 0, pgerr.New(pgerr.AmbiguousFunction, "more than one operator named %s", text)
}

func (c typeCatalog) RegName(regType, oid OID) (string, bool) {
	v := c.v
	switch regType {
	case types.RegclassOID:
		if r, _ := v.Relation(oid); r != nil {
			return v.RelationText(r), true
		}
	case types.RegtypeOID:
		if t, _ := v.Type(oid); t != nil {
			return v.typeText(oid), true
		}
	case types.RegprocOID:
		if p, _ := v.Proc(oid); p != nil {
			list, _ := v.ProcsByName("", p.Name)
			return v.qualified(p.Namespace, p.Name, len(list) == 1 && list[0].OID == oid), true
		}
	case types.RegprocedureOID:
		if p, _ := v.Proc(oid); p != nil {
			return v.ProcText(p), true
		}
	case types.RegoperOID:
		if o, _ := v.Operator(oid); o != nil {
			list, _ := v.OperatorsByName("", o.Name)
			n, _ := v.Namespace(o.Namespace)
			if len(list) == 1 && list[0].OID == oid || n == nil {
				return o.Name, true
			}
			return types.QuoteIdent(nil, n.Name) + "." + o.Name, true
		}
	case types.RegoperatorOID:
		if o, _ := v.Operator(oid); o != nil {
			return v.operatorText(o), true
		}
	case types.RegnamespaceOID:
		if n, _ := v.Namespace(oid); n != nil {
			return types.QuoteIdent(nil, n.Name), true
		}
	case types.RegroleOID:
		if r, _ := v.Role(oid); r != nil {
			return types.QuoteIdent(nil, r.Name), true
		}
	case types.RegcollationOID:
		if x, _ := v.Collation(oid); x != nil {
			found, _ := v.CollationByName("", x.Name)
			return v.qualified(x.Namespace, x.Name, found == oid), true
		}
	case types.RegconfigOID:
		return v.regRow(PgTsConfigOidIndexOID, PgTsConfigCfgnameIndexOID, oid, TsConfigCfgname, TsConfigCfgnamespace)
	case types.RegdictionaryOID:
		return v.regRow(PgTsDictOidIndexOID, PgTsDictDictnameIndexOID, oid, TsDictDictname, TsDictDictnamespace)
	}
	return "", false
}

// regRow names an object that is one row; byName is the index on (name, schema).
func (v *View) regRow(index, byName, oid OID, name, ns int) (string, bool) {
	_, row, err := v.Find(index, types.Oid(oid))
	if row == nil || err != nil {
		return "", false
	}
	found, err := v.along("", false, func(schema OID) (OID, error) {
		_, other, err := v.Find(byName, row[name], types.Oid(schema))
		if other == nil || err != nil {
			return 0, err
		}
		return other[0].Oid(), nil
	})
	return v.qualified(row[ns].Oid(), row[name].Str(), found == oid && err == nil), true
}
