package types

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// sqlNames are the spellings of the SQL standard that format_type prefers to the catalog's names.
var sqlNames = map[OID]string{
	BitOID: "bit", BoolOID: "boolean", BpcharOID: "character", Float4OID: "real", Float8OID: "double precision", Int2OID: "smallint",
	Int4OID: "integer", Int8OID: "bigint", NumericOID: "numeric", IntervalOID: "interval", TimeOID: "time without time zone",
	TimetzOID: "time with time zone", TimestampOID: "timestamp without time zone", TimestamptzOID: "timestamp with time zone",
	VarbitOID: "bit varying", VarcharOID: "character varying",
}

// FormatType names a type as format_type(oid, NULL) does: for messages.
func FormatType(env *Env, typ OID) string { return formatType(env, typ, -1, false, false) }

// FormatTypeMod names a type with its modifier, as format_type(oid, typmod) does.
func FormatTypeMod(env *Env, typ OID, typmod int32) string {
	return formatType(env, typ, typmod, true, false)
}

// FormatTypeQualified names a type always with its schema, unless it has an SQL spelling, as pg_dump's queries ask for.
func FormatTypeQualified(env *Env, typ OID, typmod int32) string {
	return formatType(env, typ, typmod, true, true)
}

func formatType(env *Env, typ OID, typmod int32, typmodGiven, qualify bool) string {
	if typ == 0 {
		return "-"
	}
	info, err := env.TypeByOID(typ)
	if err != nil {
		return "???"
	}
	if info.IsTrueArray() && info.Storage != 'p' {
		if elem, err := env.TypeByOID(info.Elem); err == nil {
			return formatPlain(env, elem, typmod, typmodGiven, qualify) + "[]"
		}
		return "???[]"
	}
	return formatPlain(env, info, typmod, typmodGiven, qualify)
}

func formatPlain(env *Env, info *TypeInfo, typmod int32, typmodGiven, qualify bool) string {
	withMod := typmodGiven && typmod >= 0
	name, special := sqlNames[info.OID]
	if special && typmodGiven && !withMod && (info.OID == BitOID || info.OID == BpcharOID) {
		special = false // BIT and CHARACTER mean length 1: the catalog's name, quoted if need be, has no such default
	}
	if special && withMod && info.Category == 'D' {
		name, _, _ = strings.Cut(name, " ") // the typmod's text repeats "without time zone"
	}
	if !special {
		name = QuoteIdent(env, info.Name)
		if qualify || !typeVisible(env, info) {
			if ns, ok := namespaceName(env, info.Namespace); ok {
				name = QuoteIdent(env, ns) + "." + name
			}
		}
	}
	if !withMod || special && info.ModOut == "" {
		return name
	}
	mod, err := TypModOut(env, info.OID, typmod)
	if err != nil {
		return name
	}
	return name + mod
}

func typeVisible(env *Env, info *TypeInfo) bool {
	if env == nil || env.Catalog == nil {
		return true
	}
	return env.Catalog.TypeIsVisible(info.OID)
}

func namespaceName(env *Env, ns OID) (string, bool) {
	if ns == 11 {
		return "pg_catalog", true
	}
	if env == nil || env.Catalog == nil {
		return "", false
	}
	return env.Catalog.NamespaceName(ns)
}

// TypModOut gives the text of a type modifier, such as "(10,2)".
func TypModOut(env *Env, typ OID, typmod int32) (string, error) {
	info, err := env.TypeByOID(typ)
	if err != nil {
		return "", err
	}
	if typmod < 0 {
		return "", nil
	}
	if f, ok := typmodOutTable[info.ModOut]; ok {
		return f(typmod), nil
	}
	return fmt.Sprintf("(%d)", typmod), nil
}

// TypModIn computes a type modifier from the texts between the parentheses of a type name.
func TypModIn(env *Env, typ OID, mods []string) (int32, error) {
	info, err := env.TypeByOID(typ)
	if err != nil {
		return 0, err
	}
	f, ok := typmodInTable[info.ModIn]
	if !ok {
		return 0, pgerr.New(pgerr.SyntaxError, "type modifier is not allowed for type \"%s\"", FormatType(env, typ))
	}
	return f(env, mods)
}

var (
	typmodOutTable = map[string]func(typmod int32) string{}
	typmodInTable  = map[string]func(env *Env, mods []string) (int32, error){}
)
