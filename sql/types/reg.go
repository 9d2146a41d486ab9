package types

import (
	"strconv"

	"github.com/calfdb/calf/sql/pgerr"
)

// The reg* types are OIDs that read and print as names; the catalog translates.

func init() {
	for name, oid := range map[string]OID{
		"regproc": RegprocOID, "regprocedure": RegprocedureOID, "regoper": RegoperOID, "regoperator": RegoperatorOID, "regclass": RegclassOID,
		"regtype": RegtypeOID, "regrole": RegroleOID, "regnamespace": RegnamespaceOID, "regcollation": RegcollationOID,
		"regconfig": RegconfigOID, "regdictionary": RegdictionaryOID,
	} {
		registerIO(name+"in", regIn(oid), name+"out", regOut(oid), name+"recv", oidRecv, name+"send", int4Send)
		if name != "regconfig" && name != "regdictionary" {
			RegisterFunc("to_"+name, toReg(oid))
		}
	}
	RegisterFunc("text_regclass", func(c *Call) (Datum, error) {
		oid, err := ParseReg(c.Env, RegclassOID, c.Args[0].Str())
		return Oid(oid), err
	})
}

// ParseReg translates the text form of a reg* type: '-' is 0, digits are the OID, the rest is the catalog's.
func ParseReg(env *Env, regType OID, s string) (OID, error) {
	if s == "-" {
		return 0, nil
	}
	if s != "" && onlyDigits(s) {
		if v, err := strconv.ParseUint(s, 10, 32); err == nil {
			return OID(v), nil
		}
		return ParseOID(s)
	}
	cat, err := env.catalog("a name of a catalog object")
	if err != nil {
		return 0, err
	}
	return cat.RegLookup(regType, s)
}

func onlyDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func regIn(typ OID) inFunc {
	return func(env *Env, _ *IO, s string, _ int32) (Datum, error) {
		oid, err := ParseReg(env, typ, s)
		return Oid(oid), err
	}
}

func regOut(typ OID) outFunc {
	return func(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
		oid := d.Oid()
		if oid == 0 && typ != RegoperOID && typ != RegoperatorOID {
			return append(dst, '-'), nil
		}
		if oid != 0 && env != nil && env.Catalog != nil {
			if name, ok := env.Catalog.RegName(typ, oid); ok {
				return append(dst, name...), nil
			}
		}
		return strconv.AppendUint(dst, uint64(oid), 10), nil
	}
}

// toReg is to_regclass and its like: null where the input function gives an error of "does not exist".
func toReg(typ OID) Func {
	return func(c *Call) (Datum, error) {
		cat, err := c.Env.catalog("a name of a catalog object")
		if err != nil {
			return Null, err
		}
		oid, err := cat.RegLookup(typ, c.Args[0].Str())
		if err != nil {
			if isNotFound(err) {
				return Null, nil
			}
			return Null, err
		}
		return Oid(oid), nil
	}
}

// isNotFound says whether the error means that no (or more than one) such object exists.
func isNotFound(err error) bool {
	switch pgerr.CodeOf(err) {
	case pgerr.UndefinedTable, pgerr.UndefinedFunction, pgerr.UndefinedObject, pgerr.InvalidSchemaName, pgerr.AmbiguousFunction:
		return true
	}
	return false
}
