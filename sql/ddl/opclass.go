package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("CreateOpClassStmt", createOpClass)
	register("CreateOpFamilyStmt", createOpFamily)
	register("AlterOpFamilyStmt", alterOpFamily)
}

// Kinds of CreateOpClassItem.
const (
	itemOperator = 1
	itemFunction = 2
	itemStorage  = 3
)

// methodTraits is what an access method says of its operator classes.
type methodTraits struct {
	name                string
	strategies, support int32
	options             int32 // number of the support function that parses options
	storage, ordering   bool
}

const strategiesMax = 32767

// methods are the access methods. Strategies of most are for their operator classes to choose.
var methods = map[string]methodTraits{
	"btree":  {strategies: 5, support: 5, options: 5},
	"hash":   {strategies: 1, support: 3, options: 3},
	"gist":   {strategies: strategiesMax, support: 11, options: 10, storage: true, ordering: true},
	"gin":    {strategies: strategiesMax, support: 7, options: 7, storage: true},
	"spgist": {strategies: strategiesMax, support: 7, options: 6, storage: true, ordering: true},
	"brin":   {strategies: strategiesMax, support: 15, options: 5, storage: true},
}

// familyMember is an operator or a support function of an operator family.
type familyMember struct {
	isFunc      bool
	number      int16
	left, right OID
	object      OID
	sortFamily  OID
	hard        bool // its operator class, or family, can't be without it
	refClass    OID  // the operator class that it belongs to, 0 = the family
}

// opMethod finds an access method for operator classes and families.
func (c *ctx) opMethod(name string) (OID, methodTraits, error) {
	am, err := c.accessMethod(name)
	if err != nil {
		return 0, methodTraits{}, err
	}
	t, ok := methods[name]
	if !ok {
		return 0, t, pgerr.NotSupported("operator classes of access method %s", name)
	}
	t.name = name
	return am, t, nil
}

// createOpClass is CREATE OPERATOR CLASS.
func createOpClass(c *ctx, n *pg_query.CreateOpClassStmt) (string, error) {
	ns, name, err := c.creationName(n.Opclassname)
	if err != nil {
		return "", err
	}
	am, traits, err := c.opMethod(n.Amname)
	if err != nil {
		return "", err
	}
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to create an operator class"); err != nil {
		return "", err
	}
	typ, err := c.definedOrShell(n.Datatype)
	if err != nil {
		return "", err
	}
	family, err := c.familyOfClass(n, am, ns, name)
	if err != nil {
		return "", err
	}
	members, storage, err := c.classItems(n.Items, am, traits, typ.OID)
	if err != nil {
		return "", err
	}
	if storage == typ.OID {
		storage = 0
	}
	if storage != 0 && !traits.storage {
		return "", pgerr.New(pgerr.InvalidObjectDefinition, "storage type cannot be different from data type for access method \"%s\"", n.Amname)
	}
	k := objectKinds[catalog.PgOpclassOID]
	if other, err := c.inSchema(k, am, ns, name); err != nil {
		return "", err
	} else if other != 0 {
		return "", pgerr.New(pgerr.DuplicateObject, "operator class \"%s\" for access method \"%s\" already exists", name, n.Amname)
	}
	if n.IsDefault {
		if err := c.checkDefaultClass(am, typ.OID, name); err != nil {
			return "", err
		}
	}
	oid, err := c.v.GetNewOID(catalog.PgOpclassOidIndexOID)
	if err != nil {
		return "", err
	}
	row := catalog.NewRow(catalog.PgOpclassOID)
	row[0], row[catalog.OpclassOpcmethod], row[catalog.OpclassOpcname] = types.Oid(oid), types.Oid(am), types.Text(name)
	row[catalog.OpclassOpcnamespace], row[catalog.OpclassOpcowner] = types.Oid(ns), types.Oid(c.v.User())
	row[catalog.OpclassOpcfamily], row[catalog.OpclassOpcintype] = types.Oid(family), types.Oid(typ.OID)
	row[catalog.OpclassOpcdefault], row[catalog.OpclassOpckeytype] = types.Bool(n.IsDefault), types.Oid(storage)
	if err := c.v.Insert(catalog.PgOpclassOID, row); err != nil {
		return "", err
	}
	self := object(catalog.PgOpclassOID, oid)
	if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgNamespaceOID, ns), object(catalog.PgTypeOID, typ.OID),
		object(catalog.PgTypeOID, storage)); err != nil {
		return "", err
	}
	if err := c.v.Depend(self, catalog.DepAuto, object(catalog.PgOpfamilyOID, family)); err != nil {
		return "", err
	}
	if err := c.v.DependOwner(self, c.v.User()); err != nil {
		return "", err
	}
	for _, m := range members {
		m.refClass, m.hard = oid, true
		switch {
		case m.left != m.right:
			m.refClass, m.hard = 0, false
		case m.isFunc && m.number != 1:
			m.hard = false
		}
	}
	return "CREATE OPERATOR CLASS", c.storeMembers(members, am, family)
}

// familyOfClass finds or makes the operator family of a new operator class.
func (c *ctx) familyOfClass(n *pg_query.CreateOpClassStmt, am, ns OID, name string) (OID, error) {
	if len(n.Opfamilyname) > 0 {
		o, err := c.opObject(catalog.PgOpfamilyOID, append([]*pg_query.Node{stringNode(n.Amname)}, n.Opfamilyname...))
		return o.OID, err
	}
	oid, err := c.inSchema(objectKinds[catalog.PgOpfamilyOID], am, ns, name)
	if err != nil || oid != 0 {
		return oid, err
	}
	return c.makeOpFamily(am, ns, name)
}

func (c *ctx) checkDefaultClass(am, typ OID, name string) error {
	return c.v.Scan(catalog.PgOpclassAmNameNspIndexOID, []types.Datum{types.Oid(am)}, func(_ types.TID, row types.Row) (bool, error) {
		if row[catalog.OpclassOpcintype].Oid() == typ && row[catalog.OpclassOpcdefault].Bool() {
			return false, pgerr.New(pgerr.DuplicateObject, "could not make operator class \"%s\" be default for type %s", name,
				types.FormatType(c.Backend.Env, typ)).WithDetail("Operator class \"%s\" already is the default.", row[catalog.OpclassOpcname].Str())
		}
		return true, nil
	})
}

// classItems reads the members of an operator class; typ 0: those that ALTER OPERATOR FAMILY adds.
func (c *ctx) classItems(items []*pg_query.Node, am OID, traits methodTraits, typ OID) (list []*familyMember, storage OID, err error) {
	for _, x := range items {
		n := x.GetCreateOpClassItem()
		var m *familyMember
		switch n.Itemtype {
		case itemOperator:
			m, err = c.operatorItem(n, am, traits, typ)
		case itemFunction:
			m, err = c.functionItem(n, am, traits, typ)
		case itemStorage:
			switch {
			case typ == 0:
				return nil, 0, pgerr.New(pgerr.SyntaxError, "STORAGE cannot be specified in ALTER OPERATOR FAMILY")
			case storage != 0:
				return nil, 0, pgerr.New(pgerr.InvalidObjectDefinition, "storage type specified more than once")
			}
			var t *catalog.Type
			if t, err = c.definedOrShell(n.Storedtype); err == nil {
				storage = t.OID
			}
		}
		if err != nil {
			return nil, 0, err
		}
		if m == nil {
			continue
		}
		for _, other := range list {
			if other.isFunc == m.isFunc && other.number == m.number && other.left == m.left && other.right == m.right {
				return nil, 0, pgerr.New(pgerr.InvalidObjectDefinition, "%s appears more than once", c.memberText(m, true))
			}
		}
		list = append(list, m)
	}
	return list, storage, nil
}

// memberText is a member as messages name it.
func (c *ctx) memberText(m *familyMember, long bool) string {
	word, sep := "operator", ""
	if m.isFunc {
		word = "function"
	}
	if long {
		word, sep = word+" number", " for "
	}
	return word + " " + itoa(int(m.number)) + sep + "(" + types.FormatType(c.Backend.Env, m.left) + "," + types.FormatType(c.Backend.Env, m.right) + ")"
}

func checkMemberNumber(what string, number, maximum int32) error {
	if number <= 0 || number > maximum {
		return pgerr.New(pgerr.InvalidObjectDefinition, "invalid %s number %d, must be between 1 and %d", what, number, maximum)
	}
	return nil
}

// operatorItem reads OPERATOR.
func (c *ctx) operatorItem(n *pg_query.CreateOpClassItem, am OID, traits methodTraits, typ OID) (*familyMember, error) {
	if err := checkMemberNumber("operator", n.Number, traits.strategies); err != nil {
		return nil, err
	}
	m := &familyMember{number: int16(n.Number)}
	var err error
	switch {
	case len(n.Name.Objargs) > 0:
		m.object, err = c.findOperator(n.Name)
	case typ == 0:
		return nil, pgerr.New(pgerr.SyntaxError, "operator argument types must be specified in ALTER OPERATOR FAMILY")
	default:
		var o *catalog.Operator
		if o, err = c.operatorNamed(n.Name.Objname, typ, typ); err == nil && o == nil {
			t := types.FormatType(c.Backend.Env, typ)
			return nil, pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s %s", t, joinName(strs(n.Name.Objname)), t)
		} else if o != nil {
			m.object = o.OID
		}
	}
	if err != nil {
		return nil, err
	}
	if len(n.OrderFamily) > 0 {
		o, err := c.opObject(catalog.PgOpfamilyOID, append([]*pg_query.Node{stringNode("btree")}, n.OrderFamily...))
		if err != nil {
			return nil, err
		}
		m.sortFamily = o.OID
	}
	o, err := c.v.Operator(m.object)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Kind != 'b':
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "index operators must be binary")
	case m.sortFamily != 0 && !traits.ordering:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "access method \"%s\" does not support ordering operators", traits.name)
	case m.sortFamily == 0 && o.Result != types.BoolOID:
		return nil, pgerr.New(pgerr.InvalidObjectDefinition, "index search operators must return boolean")
	}
	m.left, m.right = o.Left, o.Right
	return m, nil
}

// functionItem reads FUNCTION.
func (c *ctx) functionItem(n *pg_query.CreateOpClassItem, am OID, traits methodTraits, typ OID) (*familyMember, error) {
	if err := checkMemberNumber("function", n.Number, traits.support); err != nil {
		return nil, err
	}
	m := &familyMember{isFunc: true, number: int16(n.Number)}
	var err error
	if m.object, err = c.findRoutine(pg_query.ObjectType_OBJECT_FUNCTION, n.Name); err != nil {
		return nil, err
	}
	if len(n.ClassArgs) > 0 {
		if m.left, m.right, err = c.memberTypes(n.ClassArgs); err != nil {
			return nil, err
		}
	}
	p, err := c.v.Proc(m.object)
	if err != nil {
		return nil, err
	}
	if err := m.checkSupport(p, traits, typ); err != nil {
		return nil, err
	}
	for _, side := range []*OID{&m.left, &m.right} {
		if *side == 0 {
			*side = typ
		}
		if *side == 0 {
			return nil, pgerr.New(pgerr.InvalidObjectDefinition, "associated data types must be specified for index support function")
		}
	}
	return m, nil
}

// memberTypes reads the one or two types that a member is for.
func (c *ctx) memberTypes(list []*pg_query.Node) (left, right OID, err error) {
	oids, err := c.argTypes(list)
	if err != nil {
		return 0, 0, err
	}
	if len(oids) > 2 {
		return 0, 0, pgerr.New(pgerr.SyntaxError, "one or two argument types must be specified")
	}
	return oids[0], oids[len(oids)-1], nil
}

// checkSupport checks the signature of a support function, and takes from it the types that the member is for where it tells them.
func (m *familyMember) checkSupport(p *catalog.Proc, traits methodTraits, typ OID) error {
	bad := func(format string, args ...any) error {
		return pgerr.New(pgerr.InvalidObjectDefinition, format, args...)
	}
	args := p.ArgTypes
	fill := func(left, right int) {
		if m.left == 0 && left < len(args) {
			m.left = args[left]
		}
		if m.right == 0 && right < len(args) {
			m.right = args[right]
		}
	}
	if int32(m.number) == traits.options {
		switch {
		case typ != 0 && (m.left != 0 && m.left != typ || m.right != 0 && m.right != typ):
			return bad("associated data types for operator class options parsing functions must match opclass input type")
		case typ == 0 && m.left != m.right:
			return bad("left and right associated data types for operator class options parsing functions must match")
		case p.RetType != types.VoidOID || len(args) != 1 || args[0] != types.InternalOID:
			return pgerr.New(pgerr.InvalidObjectDefinition, "invalid operator class options parsing function").
				WithHint("Valid signature of operator class options parsing function is %s.", "(internal) RETURNS void")
		}
		return nil
	}
	type signature struct {
		args      int
		argsText  string
		ret       OID
		retText   string
		left, rgt int // -1 = the types are not the function's
	}
	known := map[string]map[int16]signature{
		"btree": {
			1: {2, "btree comparison functions must have two arguments", types.Int4OID, "btree comparison functions must return integer", 0, 1},
			2: {1, "btree sort support functions must accept type \"internal\"", types.VoidOID, "btree sort support functions must return void", -1, -1},
			3: {5, "btree in_range functions must have five arguments", types.BoolOID, "btree in_range functions must return boolean", 0, 2},
			4: {1, "btree equal image functions must have one argument", types.BoolOID, "btree equal image functions must return boolean", -1, -1},
		},
		"hash": {
			1: {1, "hash function 1 must have one argument", types.Int4OID, "hash function 1 must return integer", 0, 0},
			2: {2, "hash function 2 must have two arguments", types.Int8OID, "hash function 2 must return bigint", 0, 0},
		},
	}
	s, ok := known[traits.name][m.number]
	if !ok {
		return nil
	}
	sortSupport := traits.name == "btree" && m.number == 2
	switch {
	case len(args) != s.args || sortSupport && args[0] != types.InternalOID:
		return bad("%s", s.argsText)
	case p.RetType != s.ret:
		return bad("%s", s.retText)
	case traits.name == "btree" && m.number == 4 && m.left != m.right:
		return bad("btree equal image functions must not be cross-type")
	}
	if s.left >= 0 {
		fill(s.left, s.rgt)
	}
	return nil
}

// storeMembers makes the rows of a family's new members.
func (c *ctx) storeMembers(list []*familyMember, am, family OID) error {
	for _, m := range list {
		if found, err := c.memberRow(m, family); err != nil {
			return err
		} else if found != 0 {
			_, row, err := c.v.Find(catalog.PgOpfamilyOidIndexOID, types.Oid(family))
			if err != nil {
				return err
			}
			return pgerr.New(pgerr.DuplicateObject, "%s already exists in operator family \"%s\"", c.memberText(m, false), row[catalog.OpfamilyOpfname].Str())
		}
		self, ref, err := c.insertMember(m, am, family)
		if err != nil {
			return err
		}
		to, owner := byte(catalog.DepAuto), byte(catalog.DepAuto)
		if m.hard {
			to, owner = catalog.DepNormal, catalog.DepInternal
		}
		if err := c.v.Depend(self, to, ref); err != nil {
			return err
		}
		holder := object(catalog.PgOpfamilyOID, family)
		if m.refClass != 0 {
			holder = object(catalog.PgOpclassOID, m.refClass)
		}
		if err := c.v.Depend(self, owner, holder); err != nil {
			return err
		}
		if err := c.v.Depend(self, to, object(catalog.PgOpfamilyOID, m.sortFamily)); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// insertMember makes a member's row and gives it, and what it names.
func (c *ctx) insertMember(m *familyMember, am, family OID) (self, ref catalog.Object, err error) {
	if m.isFunc {
		oid, err := c.v.GetNewOID(catalog.PgAmprocOidIndexOID)
		if err != nil {
			return self, ref, err
		}
		row := catalog.NewRow(catalog.PgAmprocOID)
		row[catalog.AmprocOid], row[catalog.AmprocAmprocfamily] = types.Oid(oid), types.Oid(family)
		row[catalog.AmprocAmproclefttype], row[catalog.AmprocAmprocrighttype] = types.Oid(m.left), types.Oid(m.right)
		row[catalog.AmprocAmprocnum], row[catalog.AmprocAmproc] = types.Int2(m.number), types.Oid(m.object)
		return object(catalog.PgAmprocOID, oid), object(catalog.PgProcOID, m.object), c.v.Insert(catalog.PgAmprocOID, row)
	}
	oid, err := c.v.GetNewOID(catalog.PgAmopOidIndexOID)
	if err != nil {
		return self, ref, err
	}
	purpose := byte('s')
	if m.sortFamily != 0 {
		purpose = 'o'
	}
	row := catalog.NewRow(catalog.PgAmopOID)
	row[catalog.AmopOid], row[catalog.AmopAmopfamily] = types.Oid(oid), types.Oid(family)
	row[catalog.AmopAmoplefttype], row[catalog.AmopAmoprighttype] = types.Oid(m.left), types.Oid(m.right)
	row[catalog.AmopAmopstrategy], row[catalog.AmopAmoppurpose] = types.Int2(m.number), types.Char(purpose)
	row[catalog.AmopAmopopr], row[catalog.AmopAmopmethod] = types.Oid(m.object), types.Oid(am)
	row[catalog.AmopAmopsortfamily] = types.Oid(m.sortFamily)
	return object(catalog.PgAmopOID, oid), object(catalog.PgOperatorOID, m.object), c.v.Insert(catalog.PgAmopOID, row)
}

// memberRow finds a member that is there already, 0 when there is none.
func (c *ctx) memberRow(m *familyMember, family OID) (OID, error) {
	index := catalog.PgAmopFamStratIndexOID
	if m.isFunc {
		index = catalog.PgAmprocFamProcIndexOID
	}
	_, row, err := c.v.Find(index, types.Oid(family), types.Oid(m.left), types.Oid(m.right), types.Int2(m.number))
	if err != nil || row == nil {
		return 0, err
	}
	return row[0].Oid(), nil
}

// createOpFamily is CREATE OPERATOR FAMILY.
func createOpFamily(c *ctx, n *pg_query.CreateOpFamilyStmt) (string, error) {
	ns, name, err := c.creationName(n.Opfamilyname)
	if err != nil {
		return "", err
	}
	am, _, err := c.opMethod(n.Amname)
	if err != nil {
		return "", err
	}
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to create an operator family"); err != nil {
		return "", err
	}
	_, err = c.makeOpFamily(am, ns, name)
	return "CREATE OPERATOR FAMILY", err
}

func (c *ctx) makeOpFamily(am, ns OID, name string) (OID, error) {
	other, err := c.inSchema(objectKinds[catalog.PgOpfamilyOID], am, ns, name)
	if err != nil {
		return 0, err
	}
	if other != 0 {
		_, row, err := c.v.Find(catalog.PgAmOidIndexOID, types.Oid(am))
		if err != nil {
			return 0, err
		}
		return 0, pgerr.New(pgerr.DuplicateObject, "operator family \"%s\" for access method \"%s\" already exists", name, row[catalog.AmAmname].Str())
	}
	oid, err := c.v.GetNewOID(catalog.PgOpfamilyOidIndexOID)
	if err != nil {
		return 0, err
	}
	row := catalog.NewRow(catalog.PgOpfamilyOID)
	row[0], row[catalog.OpfamilyOpfmethod], row[catalog.OpfamilyOpfname] = types.Oid(oid), types.Oid(am), types.Text(name)
	row[catalog.OpfamilyOpfnamespace], row[catalog.OpfamilyOpfowner] = types.Oid(ns), types.Oid(c.v.User())
	if err := c.v.Insert(catalog.PgOpfamilyOID, row); err != nil {
		return 0, err
	}
	self := object(catalog.PgOpfamilyOID, oid)
	if err := c.v.Depend(self, catalog.DepAuto, object(catalog.PgAmOID, am)); err != nil {
		return 0, err
	}
	if err := c.v.Depend(self, catalog.DepNormal, object(catalog.PgNamespaceOID, ns)); err != nil {
		return 0, err
	}
	if err := c.v.DependOwner(self, c.v.User()); err != nil {
		return 0, err
	}
	return oid, c.next()
}

// alterOpFamily is ALTER OPERATOR FAMILY ADD and DROP.
func alterOpFamily(c *ctx, n *pg_query.AlterOpFamilyStmt) (string, error) {
	const tag = "ALTER OPERATOR FAMILY"
	am, traits, err := c.opMethod(n.Amname)
	if err != nil {
		return "", err
	}
	family, err := c.opObject(catalog.PgOpfamilyOID, append([]*pg_query.Node{stringNode(n.Amname)}, n.Opfamilyname...))
	if err != nil {
		return "", err
	}
	if err := orDenied(c.isSuperuser(), nil, "must be superuser to alter an operator family"); err != nil {
		return "", err
	}
	if n.IsDrop {
		return tag, c.dropMembers(n, traits, family.OID)
	}
	members, _, err := c.classItems(n.Items, am, traits, 0)
	if err != nil {
		return "", err
	}
	return tag, c.storeMembers(members, am, family.OID)
}

// dropMembers is ALTER OPERATOR FAMILY DROP.
func (c *ctx) dropMembers(n *pg_query.AlterOpFamilyStmt, traits methodTraits, family OID) error {
	var list []*familyMember
	for _, x := range n.Items {
		item := x.GetCreateOpClassItem()
		m := &familyMember{isFunc: item.Itemtype == itemFunction, number: int16(item.Number)}
		what, most := "operator", traits.strategies
		if m.isFunc {
			what, most = "function", traits.support
		}
		if err := checkMemberNumber(what, item.Number, most); err != nil {
			return err
		}
		var err error
		if m.left, m.right, err = c.memberTypes(item.ClassArgs); err != nil {
			return err
		}
		for _, other := range list {
			if other.isFunc == m.isFunc && other.number == m.number && other.left == m.left && other.right == m.right {
				return pgerr.New(pgerr.InvalidObjectDefinition, "%s appears more than once", c.memberText(m, true))
			}
		}
		list = append(list, m)
	}
	for _, m := range list {
		oid, err := c.memberRow(m, family)
		if err != nil {
			return err
		}
		if oid == 0 {
			return pgerr.New(pgerr.UndefinedObject, "%s does not exist in operator family \"%s\"", c.memberText(m, false), joinName(strs(n.Opfamilyname)))
		}
		class := OID(catalog.PgAmopOID)
		if m.isFunc {
			class = catalog.PgAmprocOID
		}
		if err := c.dropObjects([]catalog.Object{object(class, oid)}, pg_query.DropBehavior_DROP_RESTRICT); err != nil {
			return err
		}
	}
	return nil
}
