package catalog

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// typeCatalog answers what package types asks of the catalogs.
type typeCatalog struct{ v *View }

var _ types.Catalog = typeCatalog{}

// TypeCatalog gives what a session puts into types.Env.
func (v *View) TypeCatalog() types.Catalog { return typeCatalog{v} }

// Lookup gives the catalogs behind a types.Catalog, for SQL functions that print what is in them.
func (c typeCatalog) Lookup() Lookup { return c.v }

// SetEnv says which environment the view's own uses of package types have: the session's.
func (v *View) SetEnv(env *types.Env) { v.env = env }

// Env is the session's environment, or one that has no more than the catalogs.
func (v *View) Env() *types.Env {
	if v.env == nil {
		v.env = &types.Env{Catalog: typeCatalog{v}}
	}
	return v.env
}

func (c typeCatalog) TypeByOID(oid OID) (*types.TypeInfo, bool) {
	t, err := c.v.Type(oid)
	if t == nil || err != nil {
		return nil, false
	}
	src := func(proc OID) string {
		p, err := c.v.Proc(proc)
		if p == nil || err != nil {
			return ""
		}
		return p.Src
	}
	return &types.TypeInfo{OID: t.OID, Name: t.Name, Namespace: t.Namespace, Len: t.Len, ByVal: t.ByVal, Align: t.Align, Storage: t.Storage,
		Kind: t.Kind, Category: t.Category, Preferred: t.Preferred, Delim: t.Delim, Elem: t.Elem, Array: t.Array, RelID: t.RelID,
		BaseType: t.BaseType, TypMod: t.TypMod, NotNull: t.NotNull, Collation: t.Collation, Input: src(t.Input), Output: src(t.Output),
		Receive: src(t.Receive), Send: src(t.Send), ModIn: src(t.ModIn), ModOut: src(t.ModOut), Subscript: src(t.Subscript)}, true
}

func (c typeCatalog) TypeIsVisible(oid OID) bool { return c.v.TypeVisible(oid) }

func (c typeCatalog) NamespaceName(oid OID) (string, bool) {
	n, err := c.v.Namespace(oid)
	if n == nil || err != nil {
		return "", false
	}
	return n.Name, true
}

func (c typeCatalog) EnumValues(enumType OID) ([]types.EnumValue, error) {
	t, err := c.v.Type(enumType)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, missing("type", enumType)
	}
	list := make([]types.EnumValue, len(t.EnumLabels))
	for i, l := range t.EnumLabels {
		list[i] = types.EnumValue{OID: l.OID, Label: l.Label, Sort: l.Sort, Uncommitted: c.v.newLabels[l.OID]}
	}
	return list, nil
}

func (c typeCatalog) EnumValueByOID(value OID) (types.EnumValue, OID, bool) {
	typ, err := fetch(c.v, Key{Kind: EnumKey, A: value}, func(r reader) (OID, error) {
		return r.oidOf(PgEnumOidIndexOID, EnumEnumtypid, types.Oid(value))
	})
	if typ == 0 || err != nil {
		return types.EnumValue{}, 0, false
	}
	list, err := c.EnumValues(typ)
	if err != nil {
		return types.EnumValue{}, 0, false
	}
	for _, e := range list {
		if e.OID == value {
			return e, typ, true
		}
	}
	return types.EnumValue{}, 0, false
}

func (c typeCatalog) RowType(typ OID, typmod int32) (*types.TupleDesc, error) {
	t, err := c.v.Type(typ)
	if err != nil {
		return nil, err
	}
	if t == nil || t.RelID == 0 {
		return nil, pgerr.New(pgerr.WrongObjectType, "type %s is not composite", c.v.typeText(typ))
	}
	rel, err := c.v.Relation(t.RelID)
	if err != nil {
		return nil, err
	}
	if rel == nil {
		return nil, missing("relation", t.RelID)
	}
	return rel.Desc, nil
}

func (c typeCatalog) RangeByOID(oid OID) (*types.RangeInfo, bool) {
	t, err := c.v.Type(oid)
	if t == nil || err != nil || t.Range == nil {
		return nil, false
	}
	r := t.Range
	info := &types.RangeInfo{Range: r.RangeOID, Multirange: r.Multirange, Subtype: r.Subtype, Collation: r.Collation}
	if p, _ := c.v.Proc(r.Canonical); p != nil {
		info.Canonical = p.Src
	}
	if p, _ := c.v.Proc(r.SubDiff); p != nil {
		info.SubDiff = p.Src
	}
	return info, true
}

// DomainChecker evaluates one CHECK constraint of a domain; the session sets it, because it needs the expression compiler.
type DomainChecker func(check *Constraint, d types.Datum) (ok bool, err error)

// SetDomainChecker says how CHECK constraints of domains are evaluated.
func (v *View) SetDomainChecker(f DomainChecker) { v.checkDomain = f }

// CheckDomain applies NOT NULL of the domain and all that it is made over, then the CHECKs, those of the innermost domain first. Errors name the
// outermost one.
func (c typeCatalog) CheckDomain(domain OID, d types.Datum) error {
	var chain [domainDepthMax]*Type
	n := 0
	for oid := domain; ; n++ {
		t, err := c.v.Type(oid)
		if err != nil {
			return err
		}
		if t == nil {
			return missing("type", oid)
		}
		if t.Kind != 'd' {
			break
		}
		if n == domainDepthMax {
			return pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
		}
		if t.NotNull && d.IsNull() {
			return c.domainError(pgerr.New(pgerr.NotNullViolation, "domain %s does not allow null values", c.v.typeText(domain)), domain)
		}
		chain[n], oid = t, t.BaseType
	}
	for n--; n >= 0; n-- {
		for _, k := range chain[n].DomainChecks {
			if c.v.checkDomain == nil {
				return pgerr.NotSupported("CHECK constraints of domains")
			}
			ok, err := c.v.checkDomain(k, d)
			if err != nil {
				return err
			}
			if !ok {
				return c.domainError(pgerr.New(pgerr.CheckViolation, "value for domain %s violates check constraint \"%s\"",
					c.v.typeText(domain), k.Name).WithConstraint(k.Name), domain)
			}
		}
	}
	return nil
}

// domainDepthMax bounds domains over domains.
const domainDepthMax = 64

// domainError gives an error the fields that name the domain.
func (c typeCatalog) domainError(e *pgerr.Error, domain OID) error {
	t, err := c.v.Type(domain)
	if err != nil || t == nil {
		return e
	}
	ns, _ := c.NamespaceName(t.Namespace)
	return e.WithDataType(ns, t.Name)
}

func (c typeCatalog) RoleName(oid OID) (string, bool) {
	r, err := c.v.Role(oid)
	if r == nil || err != nil {
		return "", false
	}
	return r.Name, true
}

func (c typeCatalog) RoleByName(name string) (OID, bool) {
	r, err := c.v.RoleByName(name)
	if r == nil || err != nil {
		return 0, false
	}
	return r.OID, true
}

func (c typeCatalog) DefaultBtreeCompare(typ OID) string { return c.support(BTreeAM, typ) }
func (c typeCatalog) DefaultHash(typ OID) string         { return c.support(HashAM, typ) }

// support gives the source name of support function 1 of a type's default operator class.
func (c typeCatalog) support(am, typ OID) string {
	oid, err := c.v.DefaultOpClass(am, typ)
	if oid == 0 || err != nil {
		return ""
	}
	opc, err := c.v.OpClass(oid)
	if opc == nil || err != nil {
		return ""
	}
	proc, err := c.v.AmProc(opc.Family, opc.InType, opc.InType, 1)
	if err != nil {
		return ""
	}
	p, err := c.v.Proc(proc)
	if p == nil || err != nil {
		return ""
	}
	return p.Src
}

// splitQualified takes a possibly qualified identifier in text apart, as textToQualifiedNameList does.
func splitQualified(text string) ([]string, error) {
	var parts []string
	s := strings.TrimSpace(text)
	for {
		var part string
		if strings.HasPrefix(s, `"`) {
			end := 1
			var b strings.Builder
			for {
				at := strings.IndexByte(s[end:], '"')
				if at < 0 {
					return nil, pgerr.New(pgerr.InvalidName, "invalid name syntax")
				}
				b.WriteString(s[end : end+at])
				end += at + 1
				if end < len(s) && s[end] == '"' {
					b.WriteByte('"')
					end++
					continue
				}
				break
			}
			part, s = b.String(), s[end:]
		} else {
			end := strings.IndexAny(s, ". \t\n\r")
			if end < 0 {
				end = len(s)
			}
			part, s = strings.ToLower(s[:end]), s[end:]
		}
		if part == "" {
			return nil, pgerr.New(pgerr.InvalidName, "invalid name syntax")
		}
		if len(part) > 63 {
			part = part[:63]
		}
		parts = append(parts, part)
		s = strings.TrimSpace(s)
		if s == "" {
			return parts, nil
		}
		if s[0] != '.' {
			return nil, pgerr.New(pgerr.InvalidName, "invalid name syntax")
		}
		s = strings.TrimSpace(s[1:])
	}
}
