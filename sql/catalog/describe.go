package catalog

import (
	"fmt"
	"strings"

	"github.com/calfdb/calf/sql/types"
)

// Describe says what an object is, as messages name it: "table t", "column c of table t", "function f(integer)". An object that is not there is
// described by its numbers.
func (v *View) Describe(o Object) string {
	if s, err := v.describe(o); err == nil && s != "" {
		return s
	}
	return fmt.Sprintf("object %d/%d/%d", o.Class, o.OID, o.Sub)
}

func (v *View) describe(o Object) (string, error) {
	switch o.Class {
	case PgClassOID:
		return v.describeRelation(o)
	case PgTypeOID:
		return "type " + v.typeText(o.OID), nil
	case PgProcOID:
		p, err := v.Proc(o.OID)
		if p == nil {
			return "", err
		}
		return "function " + v.ProcText(p), nil
	case PgConstraintOID:
		return v.describeConstraint(o.OID)
	case PgAttrdefOID:
		_, row, err := v.Find(PgAttrdefOidIndexOID, types.Oid(o.OID))
		if row == nil {
			return "", err
		}
		return "default value for " + v.Describe(Object{PgClassOID, row[AttrdefAdrelid].Oid(), int32(row[AttrdefAdnum].Int2())}), nil
	case PgRewriteOID:
		return v.describeMember(o.OID, PgRewriteOidIndexOID, "rule", RewriteRulename, RewriteEvClass)
	case PgTriggerOID:
		return v.describeMember(o.OID, PgTriggerOidIndexOID, "trigger", TriggerTgname, TriggerTgrelid)
	case PgPolicyOID:
		return v.describeMember(o.OID, PgPolicyOidIndexOID, "policy", PolicyPolname, PolicyPolrelid)
	case PgCastOID:
		_, row, err := v.Find(PgCastOidIndexOID, types.Oid(o.OID))
		if row == nil {
			return "", err
		}
		return fmt.Sprintf("cast from %s to %s", v.typeText(row[CastCastsource].Oid()), v.typeText(row[CastCasttarget].Oid())), nil
	case PgOperatorOID:
		return v.describeOperator(o.OID)
	case PgAmopOID:
		_, row, err := v.Find(PgAmopOidIndexOID, types.Oid(o.OID))
		if row == nil {
			return "", err
		}
		op, err := v.Operator(row[AmopAmopopr].Oid())
		if op == nil {
			return "", err
		}
		return fmt.Sprintf("operator %d (%s, %s) of %s: %s", row[AmopAmopstrategy].Int2(), v.typeText(row[AmopAmoplefttype].Oid()),
			v.typeText(row[AmopAmoprighttype].Oid()), v.Describe(Object{PgOpfamilyOID, row[AmopAmopfamily].Oid(), 0}), v.operatorText(op)), nil
	case PgAmprocOID:
		_, row, err := v.Find(PgAmprocOidIndexOID, types.Oid(o.OID))
		if row == nil {
			return "", err
		}
		p, err := v.Proc(row[AmprocAmproc].Oid())
		if p == nil {
			return "", err
		}
		return fmt.Sprintf("function %d (%s, %s) of %s: %s", row[AmprocAmprocnum].Int2(), v.typeText(row[AmprocAmproclefttype].Oid()),
			v.typeText(row[AmprocAmprocrighttype].Oid()), v.Describe(Object{PgOpfamilyOID, row[AmprocAmprocfamily].Oid(), 0}), v.ProcText(p)), nil
	case PgCollationOID:
		c, err := v.Collation(o.OID)
		if c == nil {
			return "", err
		}
		found, _ := v.CollationByName("", c.Name)
		return "collation " + v.qualified(c.Namespace, c.Name, found == o.OID), nil
	}
	return v.describeNamed(o)
}

// describeNamed describes objects whose name needs no more than their row.
func (v *View) describeNamed(o Object) (string, error) {
	kinds := map[OID]struct {
		word string
		name int
	}{
		PgNamespaceOID: {"schema", NamespaceNspname}, PgAuthidOID: {"role", AuthidRolname}, PgDatabaseOID: {"database", DatabaseDatname},
		PgLanguageOID: {"language", LanguageLanname}, PgExtensionOID: {"extension", ExtensionExtname}, PgTablespaceOID: {"tablespace", TablespaceSpcname},
		PgAmOID: {"access method", AmAmname}, PgConversionOID: {"conversion", ConversionConname}, PgEventTriggerOID: {"event trigger", EventTriggerEvtname},
		PgTsConfigOID: {"text search configuration", TsConfigCfgname}, PgTsDictOID: {"text search dictionary", TsDictDictname},
		PgTsParserOID: {"text search parser", TsParserPrsname}, PgTsTemplateOID: {"text search template", TsTemplateTmplname},
		PgOpclassOID: {"operator class", OpclassOpcname}, PgOpfamilyOID: {"operator family", OpfamilyOpfname},
		PgStatisticExtOID: {"statistics object", StatisticExtStxname},
	}
	k, ok := kinds[o.Class]
	if !ok {
		return "", nil
	}
	_, row, err := v.Find(oidIndexes[o.Class], types.Oid(o.OID))
	if row == nil {
		return "", err
	}
	s := k.word + " " + row[k.name].Str()
	if o.Class == PgOpclassOID || o.Class == PgOpfamilyOID {
		am := OpclassOpcmethod
		if o.Class == PgOpfamilyOID {
			am = OpfamilyOpfmethod
		}
		if _, amRow, _ := v.Find(PgAmOidIndexOID, row[am]); amRow != nil {
			s += " for access method " + amRow[AmAmname].Str()
		}
	}
	return s, nil
}

// describeMember describes what belongs to a relation: rule, trigger, policy.
func (v *View) describeMember(oid, index OID, word string, name, rel int) (string, error) {
	_, row, err := v.Find(index, types.Oid(oid))
	if row == nil {
		return "", err
	}
	return fmt.Sprintf("%s %s on %s", word, row[name].Str(), v.Describe(Object{PgClassOID, row[rel].Oid(), 0})), nil
}

func (v *View) describeConstraint(oid OID) (string, error) {
	c, err := v.Constraint(oid)
	if c == nil {
		return "", err
	}
	if c.Rel != 0 {
		return fmt.Sprintf("constraint %s on %s", c.Name, v.Describe(Object{PgClassOID, c.Rel, 0})), nil
	}
	return "constraint " + c.Name, nil
}

func (v *View) describeRelation(o Object) (string, error) {
	r, err := v.Relation(o.OID)
	if r == nil {
		return "", err
	}
	s := RelKindWord(r.Kind) + " " + v.RelationText(r)
	if o.Sub == 0 {
		return s, nil
	}
	name := ""
	if int(o.Sub) <= len(r.Desc.Attrs) && o.Sub > 0 {
		name = r.Desc.Attrs[o.Sub-1].Name
	}
	return fmt.Sprintf("column %s of %s", name, s), nil
}

// RelKindWord names a kind of relation.
func RelKindWord(kind byte) string {
	switch kind {
	case 'r', 'p':
		return "table"
	case 'i', 'I':
		return "index"
	case 'S':
		return "sequence"
	case 't':
		return "toast table"
	case 'v':
		return "view"
	case 'm':
		return "materialized view"
	case 'c':
		return "composite type"
	case 'f':
		return "foreign table"
	}
	return "relation"
}

// RelationText is a relation's name, qualified when the path does not find it.
func (v *View) RelationText(r *Relation) string {
	found, _ := v.RelationByName("", r.Name)
	return v.qualified(r.Namespace, r.Name, found == r.OID)
}

// qualified quotes a name, with its schema unless it is visible.
func (v *View) qualified(ns OID, name string, visible bool) string {
	if visible {
		return types.QuoteIdent(nil, name)
	}
	n, _ := v.Namespace(ns)
	if n == nil {
		return types.QuoteIdent(nil, name)
	}
	return types.QuoteIdent(nil, n.Name) + "." + types.QuoteIdent(nil, name)
}

func (v *View) typeText(oid OID) string { return types.FormatType(v.Env(), oid) }

// ProcText is a function's name with its argument types.
func (v *View) ProcText(p *Proc) string {
	args := make([]string, len(p.ArgTypes))
	for i, t := range p.ArgTypes {
		args[i] = v.typeText(t)
	}
	return v.qualified(p.Namespace, p.Name, v.ProcVisible(p.OID)) + "(" + strings.Join(args, ",") + ")"
}

func (v *View) describeOperator(oid OID) (string, error) {
	o, err := v.Operator(oid)
	if o == nil {
		return "", err
	}
	return "operator " + v.operatorText(o), nil
}

// operatorText is an operator's name with its operand types.
func (v *View) operatorText(o *Operator) string {
	left := "NONE"
	if o.Left != 0 {
		left = v.typeText(o.Left)
	}
	name := o.Name
	if !v.OperatorVisible(o.OID) {
		if n, _ := v.Namespace(o.Namespace); n != nil {
			name = types.QuoteIdent(nil, n.Name) + "." + o.Name
		}
	}
	return fmt.Sprintf("%s(%s,%s)", name, left, v.typeText(o.Right))
}
