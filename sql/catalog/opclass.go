package catalog

import "github.com/calfdb/calf/sql/types"

// DefaultOpClass finds the operator class that an index uses for a type when none is named: an exact match, else one of a binary-compatible
// type, with a preferred type before others. 0 = none, or several that are equally good.
func (v *View) DefaultOpClass(am, typ OID) (OID, error) {
	list, err := v.opClasses(am)
	if err != nil {
		return 0, err
	}
	base, err := v.BaseType(typ)
	if err != nil {
		return 0, err
	}
	t, err := v.Type(base)
	if t == nil || err != nil {
		return 0, err
	}
	var compatible, preferred []OID
	for _, c := range list {
		if !c.Default {
			continue
		}
		if c.InType == base {
			return c.OID, nil
		}
		ok, err := v.IsBinaryCoercible(base, c.InType)
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		in, err := v.Type(c.InType)
		if err != nil {
			return 0, err
		}
		if in != nil && in.Preferred && in.Category == t.Category {
			preferred = append(preferred, c.OID)
		} else {
			compatible = append(compatible, c.OID)
		}
	}
	switch {
	case len(preferred) == 1:
		return preferred[0], nil
	case len(preferred) == 0 && len(compatible) == 1:
		return compatible[0], nil
	}
	return 0, nil
}

// BaseType gives the type under all domains.
func (v *View) BaseType(oid OID) (OID, error) {
	for {
		t, err := v.Type(oid)
		if err != nil || t == nil || t.Kind != 'd' {
			return oid, err
		}
		oid = t.BaseType
	}
}

// IsBinaryCoercible says whether values of source are values of target without a change: by identity, by a polymorphic pseudotype, or by a
// cast that is binary and implicit.
func (v *View) IsBinaryCoercible(source, target OID) (bool, error) {
	if source == target || target == types.AnyOID || target == types.AnyelementOID || target == types.AnycompatibleOID {
		return true, nil
	}
	source, err := v.BaseType(source)
	if err != nil || source == target {
		return err == nil, err
	}
	t, err := v.Type(source)
	if t == nil || err != nil {
		return false, err
	}
	isArray := t.Elem != 0 && t.Len == -1 && t.Subscript != 0
	switch target {
	case types.AnyarrayOID, types.AnycompatiblearrayOID:
		if isArray {
			return true, nil
		}
	case types.AnynonarrayOID, types.AnycompatiblenonarrayOID:
		if !isArray {
			return true, nil
		}
	case types.AnyenumOID:
		if t.Kind == 'e' {
			return true, nil
		}
	case types.AnyrangeOID, types.AnycompatiblerangeOID:
		if t.Kind == 'r' {
			return true, nil
		}
	case types.AnymultirangeOID, types.AnycompatiblemultirangeOID:
		if t.Kind == 'm' {
			return true, nil
		}
	case types.RecordOID:
		if t.Kind == 'c' {
			return true, nil
		}
	case types.RecordArrayOID:
		if e, err := v.Type(t.Elem); isArray && err == nil && e != nil && e.Kind == 'c' {
			return true, nil
		}
	}
	c, err := v.Cast(source, target)
	return c != nil && c.Method == 'b' && c.Context == 'i', err
}
