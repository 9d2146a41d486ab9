package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// address finds the object that a parse node of that kind names, and with lock its relation locked. An object that is not there is an error.
func (c *ctx) address(t pg_query.ObjectType, n *pg_query.Node, lock int) (catalog.Object, error) {
	if class, ok := namedClasses[t]; ok {
		return c.namedObject(class, nameList(n))
	}
	switch t {
	case pg_query.ObjectType_OBJECT_TYPE, pg_query.ObjectType_OBJECT_DOMAIN:
		return c.typeObject(n, t == pg_query.ObjectType_OBJECT_DOMAIN)
	case pg_query.ObjectType_OBJECT_SCHEMA:
		oid, err := c.schemaNamed(n.GetString_().GetSval())
		return object(catalog.PgNamespaceOID, oid), err
	case pg_query.ObjectType_OBJECT_FUNCTION, pg_query.ObjectType_OBJECT_PROCEDURE, pg_query.ObjectType_OBJECT_ROUTINE, pg_query.ObjectType_OBJECT_AGGREGATE:
		oid, err := c.findRoutine(t, n.GetObjectWithArgs())
		return object(catalog.PgProcOID, oid), err
	case pg_query.ObjectType_OBJECT_OPERATOR:
		oid, err := c.findOperator(n.GetObjectWithArgs())
		return object(catalog.PgOperatorOID, oid), err
	case pg_query.ObjectType_OBJECT_CAST:
		return c.findCast(n.GetList().GetItems())
	case pg_query.ObjectType_OBJECT_OPCLASS:
		return c.opObject(catalog.PgOpclassOID, n.GetList().GetItems())
	case pg_query.ObjectType_OBJECT_OPFAMILY:
		return c.opObject(catalog.PgOpfamilyOID, n.GetList().GetItems())
	case pg_query.ObjectType_OBJECT_TRIGGER, pg_query.ObjectType_OBJECT_RULE, pg_query.ObjectType_OBJECT_POLICY, pg_query.ObjectType_OBJECT_TABCONSTRAINT:
		o, _, err := c.memberOf(t, n.GetList().GetItems(), lock)
		return o, err
	case pg_query.ObjectType_OBJECT_DOMCONSTRAINT:
		return c.domainConstraint(n.GetList().GetItems())
	}
	return catalog.Object{}, pgerr.NotSupported("naming a %s", strings.ToLower(parse.ObjectWord(t)))
}

// nameList gives the names of a node that is a list of them or one.
func nameList(n *pg_query.Node) []*pg_query.Node {
	if l := n.GetList(); l != nil {
		return l.Items
	}
	return []*pg_query.Node{n}
}

// namedObject finds an object of a kind that is found by name.
func (c *ctx) namedObject(class OID, names []*pg_query.Node) (catalog.Object, error) {
	k := objectKinds[class]
	oid, err := c.lookUpNamed(k, 0, names)
	if err == nil && oid == 0 {
		text := joinName(strs(names))
		err = pgerr.New(pgerr.UndefinedObject, "%s \"%s\" does not exist", k.word, text)
		if class == catalog.PgCollationOID {
			err = pgerr.New(pgerr.UndefinedObject, "collation \"%s\" for encoding \"UTF8\" does not exist", text)
		}
	}
	return object(class, oid), err
}

// lookUpNamed finds an object by a possibly qualified name; 0 = none.
func (c *ctx) lookUpNamed(k *objectKind, am OID, names []*pg_query.Node) (OID, error) {
	schema, name := splitName(names)
	if k.ns == none {
		return c.inSchema(k, am, 0, name)
	}
	if schema != "" {
		ns, err := c.schemaNamed(schema)
		if err != nil {
			return 0, err
		}
		return c.inSchema(k, am, ns, name)
	}
	for _, ns := range c.v.SearchPath() {
		if oid, err := c.inSchema(k, am, ns, name); oid != 0 || err != nil {
			return oid, err
		}
	}
	return 0, nil
}

// opObject finds an operator class or family: its access method, then its name.
func (c *ctx) opObject(class OID, items []*pg_query.Node) (catalog.Object, error) {
	amName := items[0].GetString_().GetSval()
	am, err := c.accessMethod(amName)
	if err != nil {
		return catalog.Object{}, err
	}
	k := objectKinds[class]
	oid, err := c.lookUpNamed(k, am, items[1:])
	if err == nil && oid == 0 {
		err = pgerr.New(pgerr.UndefinedObject, "%s \"%s\" does not exist for access method \"%s\"", k.word, joinName(strs(items[1:])), amName)
	}
	return object(class, oid), err
}

// accessMethod finds an access method that must be there.
func (c *ctx) accessMethod(name string) (OID, error) {
	am, err := c.v.AMByName(name)
	if err == nil && am == 0 {
		err = pgerr.New(pgerr.UndefinedObject, "access method \"%s\" does not exist", name)
	}
	return am, err
}

// typeObject finds a type.
func (c *ctx) typeObject(n *pg_query.Node, domain bool) (catalog.Object, error) {
	tn := n.GetTypeName()
	if tn == nil {
		tn = namedType(nameList(n))
	}
	t, _, err := analyze.LookUpTypeName(c.analyzeEnv(), unplaced(tn))
	if err != nil {
		return catalog.Object{}, err
	}
	if t == nil {
		return catalog.Object{}, pgerr.New(pgerr.UndefinedObject, "type \"%s\" does not exist", analyze.TypeNameText(tn))
	}
	if domain && t.Kind != 'd' {
		return catalog.Object{}, pgerr.New(pgerr.WrongObjectType, "%s is not a domain", types.FormatType(c.Backend.Env, t.OID))
	}
	return object(catalog.PgTypeOID, t.OID), nil
}

// findCast finds a cast by its two types.
func (c *ctx) findCast(items []*pg_query.Node) (catalog.Object, error) {
	from, to := items[0].GetTypeName(), items[1].GetTypeName()
	source, _, err := c.typeName(unplaced(from))
	if err != nil {
		return catalog.Object{}, err
	}
	target, _, err := c.typeName(unplaced(to))
	if err != nil {
		return catalog.Object{}, err
	}
	k, err := c.v.Cast(source, target)
	if err != nil {
		return catalog.Object{}, err
	}
	if k == nil {
		return catalog.Object{}, pgerr.New(pgerr.UndefinedObject, "cast from type %s to type %s does not exist", types.FormatType(c.Backend.Env, source),
			types.FormatType(c.Backend.Env, target))
	}
	return object(catalog.PgCastOID, k.OID), nil
}

// memberOf finds a trigger, rule, policy or constraint of a relation: the relation's name, then its own.
func (c *ctx) memberOf(t pg_query.ObjectType, items []*pg_query.Node, lock int) (catalog.Object, *catalog.Relation, error) {
	rel, err := c.open(rangeVarOf(items[:len(items)-1]), lock)
	if err != nil {
		return catalog.Object{}, nil, err
	}
	name := items[len(items)-1].GetString_().GetSval()
	o, word := catalog.Object{}, "trigger"
	switch t {
	case pg_query.ObjectType_OBJECT_TRIGGER:
		for _, tg := range rel.Triggers {
			if tg.Name == name {
				o = object(catalog.PgTriggerOID, tg.OID)
			}
		}
	case pg_query.ObjectType_OBJECT_RULE:
		for _, r := range rel.Rules {
			if r.Name == name {
				o = object(catalog.PgRewriteOID, r.OID)
			}
		}
		if o.OID == 0 {
			return o, rel, pgerr.New(pgerr.UndefinedObject, "rule \"%s\" for relation \"%s\" does not exist", name, rel.Name)
		}
	case pg_query.ObjectType_OBJECT_POLICY:
		word = "policy"
		for _, p := range rel.Policies {
			if p.Name == name {
				o = object(catalog.PgPolicyOID, p.OID)
			}
		}
	default:
		word = "constraint"
		for _, k := range rel.Constraints() {
			if k.Name == name {
				o = object(catalog.PgConstraintOID, k.OID)
			}
		}
	}
	if o.OID == 0 {
		return o, rel, pgerr.New(pgerr.UndefinedObject, "%s \"%s\" for table \"%s\" does not exist", word, name, rel.Name)
	}
	return o, rel, nil
}

// domainConstraint finds a domain's constraint: the domain's type name, then the constraint's name.
func (c *ctx) domainConstraint(items []*pg_query.Node) (catalog.Object, error) {
	d, err := c.typeObject(items[0], true)
	if err != nil {
		return catalog.Object{}, err
	}
	t, err := c.v.Type(d.OID)
	if err != nil {
		return catalog.Object{}, err
	}
	name := items[1].GetString_().GetSval()
	for _, k := range t.DomainChecks {
		if k.Name == name {
			return object(catalog.PgConstraintOID, k.OID), nil
		}
	}
	return catalog.Object{}, pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" for domain %s does not exist", name, types.FormatType(c.Backend.Env, t.OID))
}
