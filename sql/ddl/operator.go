package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("AlterOperatorStmt", alterOperator) }

// operatorDef is CREATE OPERATOR made ready.
type operatorDef struct {
	name                string
	ns                  OID
	left, right, result OID
	fn                  OID
	restrict, join      OID
	commutator, negator []*pg_query.Node
	hashes, merges      bool
}

const operatorNameMax = 63

// isOperatorName says whether the lexer would take a name for an operator.
func isOperatorName(name string) bool {
	if name == "" || len(name) > operatorNameMax || strings.Trim(name, "~!@#^&|`?+-*/%<>=") != "" || strings.Contains(name, "/*") ||
		strings.Contains(name, "--") {
		return false
	}
	last := name[len(name)-1]
	return !(len(name) > 1 && (last == '+' || last == '-') && !strings.ContainsAny(name[:len(name)-1], "~!@#^&|`?%")) && name != "!="
}

// createOperator is CREATE OPERATOR.
func (c *ctx) createOperator(n *pg_query.DefineStmt) error {
	o := &operatorDef{}
	var err error
	if o.ns, o.name, err = c.creationName(n.Defnames); err != nil {
		return err
	}
	var fn, restrict, join []*pg_query.Node
	var left, right *pg_query.TypeName
	for _, x := range n.Definition {
		d := x.GetDefElem()
		switch d.Defname {
		case "leftarg":
			left, err = defTypeName(d)
		case "rightarg":
			right, err = defTypeName(d)
		case "function", "procedure":
			fn, err = defNames(d)
		case "commutator":
			o.commutator, err = defNames(d)
		case "negator":
			o.negator, err = defNames(d)
		case "restrict":
			restrict, err = defNames(d)
		case "join":
			join, err = defNames(d)
		case "hashes":
			o.hashes, err = defBool(d)
		case "merges":
			o.merges, err = defBool(d)
		case "sort1", "sort2", "ltcmp", "gtcmp": // obsolete: they say that it can merge
			o.merges = true
		default:
			c.warnCode(pgerr.SyntaxError, "operator attribute \"%s\" not recognized", d.Defname)
		}
		if err != nil {
			return err
		}
		if left != nil && left.Setof || right != nil && right.Setof {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "SETOF type not allowed for operator argument")
		}
	}
	if fn == nil {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "operator function must be specified")
	}
	if err := c.operands(o, left, right); err != nil {
		return err
	}
	if err := c.operatorFunction(o, fn); err != nil {
		return err
	}
	if o.restrict, err = c.restrictionEstimator(restrict); err != nil {
		return err
	}
	if o.join, err = c.joinEstimator(join); err != nil {
		return err
	}
	return c.storeOperator(o)
}

// warnCode sends a warning with a code of its own.
func (c *ctx) warnCode(code pgerr.Code, format string, args ...any) {
	n := pgerr.New(code, format, args...)
	n.Severity = "WARNING"
	c.send(n)
}

func (c *ctx) operands(o *operatorDef, left, right *pg_query.TypeName) error {
	for _, side := range []struct {
		tn  *pg_query.TypeName
		oid *OID
	}{{left, &o.left}, {right, &o.right}} {
		if side.tn == nil {
			continue
		}
		t, err := c.definedOrShell(side.tn)
		if err != nil {
			return err
		}
		*side.oid = t.OID
	}
	switch {
	case o.left == 0 && o.right == 0:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "operator argument types must be specified")
	case o.right == 0:
		return pgerr.New(pgerr.InvalidFunctionDefinition, "operator right argument type must be specified").
			WithDetail("Postfix operators are not supported.")
	}
	for _, oid := range []OID{o.left, o.right} {
		if oid == 0 {
			continue
		}
		t, err := c.v.Type(oid)
		if err != nil {
			return err
		}
		if err := c.requireTypeUsage(t); err != nil {
			return err
		}
	}
	return nil
}

// definedOrShell finds a type that must be there, be it only a shell.
func (c *ctx) definedOrShell(tn *pg_query.TypeName) (*catalog.Type, error) {
	oids, err := c.argTypes([]*pg_query.Node{{Node: &pg_query.Node_TypeName{TypeName: unplaced(tn)}}})
	if err != nil {
		return nil, err
	}
	return c.v.Type(oids[0])
}

func (c *ctx) operatorFunction(o *operatorDef, names []*pg_query.Node) error {
	args := []OID{o.left, o.right}
	if o.left == 0 {
		args = args[1:]
	}
	p, err := c.functionNamed(names, args)
	if err != nil {
		return err
	}
	o.fn, o.result = p.OID, p.RetType
	if err := c.requireExecute(p, joinName(strs(names))); err != nil {
		return err
	}
	t, err := c.v.Type(p.RetType)
	if err != nil {
		return err
	}
	return c.requireTypeUsage(t)
}

// requireExecute checks EXECUTE on a function.
func (c *ctx) requireExecute(p *catalog.Proc, name string) error {
	ok, err := c.v.HasPrivilege(catalog.PgProcOID, p.OID, 0, c.v.User(), query.AclExecute)
	return orDenied(ok, err, "permission denied for function %s", name)
}

// restrictionEstimator finds the function of RESTRICT; 0 for none.
func (c *ctx) restrictionEstimator(names []*pg_query.Node) (OID, error) {
	return c.estimator(names, "restriction", []OID{types.InternalOID, types.OidOID, types.InternalOID, types.Int4OID})
}

// joinEstimator finds the function of JOIN, which may be of four arguments, too; 0 for none.
func (c *ctx) joinEstimator(names []*pg_query.Node) (OID, error) {
	args := []OID{types.InternalOID, types.OidOID, types.InternalOID, types.Int2OID, types.InternalOID}
	if len(names) > 0 {
		five, err := c.findFunction(names, args)
		if err != nil {
			return 0, err
		}
		four, err := c.findFunction(names, args[:4])
		if err != nil {
			return 0, err
		}
		switch {
		case five != nil && four != nil:
			return 0, pgerr.New(pgerr.AmbiguousFunction, "join estimator function %s has multiple matches", joinName(strs(names)))
		case four != nil:
			args = args[:4]
		}
	}
	return c.estimator(names, "join", args)
}

func (c *ctx) estimator(names []*pg_query.Node, what string, args []OID) (OID, error) {
	if len(names) == 0 {
		return 0, nil
	}
	p, err := c.functionNamed(names, args)
	if err != nil {
		return 0, err
	}
	name := joinName(strs(names))
	if p.RetType != types.Float8OID {
		return 0, pgerr.New(pgerr.InvalidObjectDefinition, "%s estimator function %s must return type %s", what, name, "float8")
	}
	return p.OID, c.requireExecute(p, name)
}

// checkOperatorClauses refuses what operators of one operand, or that don't give a boolean, cannot have.
func checkOperatorClauses(binary, boolean bool, com, neg, rest, join, merges, hashes bool) error {
	for _, x := range []struct {
		said   bool
		binary bool
		only   bool // boolean operators have it only
		can    string
	}{{com, true, false, "have commutators"}, {join, true, false, "have join selectivity"}, {merges, true, false, "merge join"},
		{hashes, true, false, "hash"}, {neg, false, true, "have negators"}, {rest, false, true, "have restriction selectivity"},
		{join, false, true, "have join selectivity"}, {merges, false, true, "merge join"}, {hashes, false, true, "hash"}} {
		switch {
		case x.said && x.binary && !binary:
			return pgerr.New(pgerr.InvalidFunctionDefinition, "only binary operators can %s", x.can)
		case x.said && x.only && !boolean:
			return pgerr.New(pgerr.InvalidFunctionDefinition, "only boolean operators can %s", x.can)
		}
	}
	return nil
}

// storeOperator makes the operator's row, or fills in the shell that another operator's COMMUTATOR or NEGATOR has left.
func (c *ctx) storeOperator(o *operatorDef) error {
	if !isOperatorName(o.name) {
		return pgerr.New(pgerr.InvalidName, "\"%s\" is not a valid operator name", o.name)
	}
	err := checkOperatorClauses(o.left != 0, o.result == types.BoolOID, o.commutator != nil, o.negator != nil, o.restrict != 0, o.join != 0, o.merges, o.hashes)
	if err != nil {
		return err
	}
	tid, old, err := c.operatorRow(o.ns, o.name, o.left, o.right)
	if err != nil {
		return err
	}
	if old != nil && old[catalog.OperatorOprcode].Oid() != 0 {
		return pgerr.New(pgerr.DuplicateFunction, "operator %s already exists", o.name)
	}
	oid := OID(0)
	if old != nil {
		oid = old[0].Oid()
		if err := c.requireOperatorOwner(oid, o.name); err != nil {
			return err
		}
	} else if oid, err = c.v.GetNewOID(catalog.PgOperatorOidIndexOID); err != nil {
		return err
	}
	com, err := c.relatedOperator(o, o.commutator, o.right, o.left, oid, true)
	if err != nil {
		return err
	}
	neg, err := c.relatedOperator(o, o.negator, o.left, o.right, oid, false)
	if err != nil {
		return err
	}
	row := c.newOperatorRow(oid, o.ns, o.name, o.left, o.right)
	row[catalog.OperatorOprcanmerge], row[catalog.OperatorOprcanhash] = types.Bool(o.merges), types.Bool(o.hashes)
	row[catalog.OperatorOprresult], row[catalog.OperatorOprcode] = types.Oid(o.result), types.Oid(o.fn)
	row[catalog.OperatorOprcom], row[catalog.OperatorOprnegate] = types.Oid(com), types.Oid(neg)
	row[catalog.OperatorOprrest], row[catalog.OperatorOprjoin] = types.Oid(o.restrict), types.Oid(o.join)
	if old != nil {
		err = c.v.Update(catalog.PgOperatorOID, tid, old, row)
	} else {
		err = c.v.Insert(catalog.PgOperatorOID, row)
	}
	if err != nil {
		return err
	}
	if err := c.operatorDepends(oid, row, old == nil); err != nil {
		return err
	}
	if err := c.next(); err != nil {
		return err
	}
	return c.linkOperators(oid, com, neg)
}

func (c *ctx) newOperatorRow(oid, ns OID, name string, left, right OID) types.Row {
	row := catalog.NewRow(catalog.PgOperatorOID)
	kind := byte('b')
	if left == 0 {
		kind = 'l'
	}
	row[catalog.OperatorOid], row[catalog.OperatorOprname] = types.Oid(oid), types.Text(name)
	row[catalog.OperatorOprnamespace], row[catalog.OperatorOprowner] = types.Oid(ns), types.Oid(c.v.User())
	row[catalog.OperatorOprkind], row[catalog.OperatorOprleft], row[catalog.OperatorOprright] = types.Char(kind), types.Oid(left), types.Oid(right)
	for _, col := range []int{catalog.OperatorOprresult, catalog.OperatorOprcode, catalog.OperatorOprcom, catalog.OperatorOprnegate,
		catalog.OperatorOprrest, catalog.OperatorOprjoin} {
		row[col] = types.Oid(0)
	}
	row[catalog.OperatorOprcanmerge], row[catalog.OperatorOprcanhash] = types.Bool(false), types.Bool(false)
	return row
}

// operatorDepends records what an operator needs. Commutator and negator are not among it: they come and go.
func (c *ctx) operatorDepends(oid OID, row types.Row, isNew bool) error {
	self := object(catalog.PgOperatorOID, oid)
	if !isNew {
		if err := c.v.RemoveDepends(self, 0, 0); err != nil {
			return err
		}
	}
	of := func(class OID, col int) catalog.Object { return object(class, row[col].Oid()) }
	err := c.v.Depend(self, catalog.DepNormal, of(catalog.PgNamespaceOID, catalog.OperatorOprnamespace), of(catalog.PgTypeOID, catalog.OperatorOprleft),
		of(catalog.PgTypeOID, catalog.OperatorOprright), of(catalog.PgTypeOID, catalog.OperatorOprresult), of(catalog.PgProcOID, catalog.OperatorOprcode),
		of(catalog.PgProcOID, catalog.OperatorOprrest), of(catalog.PgProcOID, catalog.OperatorOprjoin))
	if err != nil || !isNew {
		return err
	}
	return c.v.DependOwner(self, row[catalog.OperatorOprowner].Oid())
}

// operatorRow finds an operator's row, a shell's too.
func (c *ctx) operatorRow(ns OID, name string, left, right OID) (types.TID, types.Row, error) {
	return c.v.Find(catalog.PgOperatorOprnameLRNIndexOID, types.Text(name), types.Oid(left), types.Oid(right), types.Oid(ns))
}

func (c *ctx) requireOperatorOwner(oid OID, name string) error {
	o, err := c.v.Operator(oid)
	if err != nil {
		return err
	}
	ok, err := c.v.IsOwner(c.v.User(), o.Owner)
	return orDenied(ok, err, "must be owner of operator %s", name)
}

// relatedOperator finds the commutator or negator of self; where there is none yet, it makes a shell, to be filled in by its own CREATE OPERATOR.
func (c *ctx) relatedOperator(o *operatorDef, names []*pg_query.Node, left, right, self OID, commutes bool) (OID, error) {
	if names == nil {
		return 0, nil
	}
	found, err := c.operatorNamed(names, left, right)
	if err != nil {
		return 0, err
	}
	if found != nil {
		return found.OID, c.requireOperatorOwner(found.OID, found.Name)
	}
	ns, name, err := c.creationName(names)
	if err != nil {
		return 0, err
	}
	if ns == o.ns && name == o.name && left == o.left && right == o.right {
		if !commutes {
			return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "operator cannot be its own negator or sort operator")
		}
		return self, nil
	}
	if !isOperatorName(name) {
		return 0, pgerr.New(pgerr.InvalidName, "\"%s\" is not a valid operator name", name)
	}
	oid, err := c.v.GetNewOID(catalog.PgOperatorOidIndexOID)
	if err != nil {
		return 0, err
	}
	row := c.newOperatorRow(oid, ns, name, left, right)
	if err := c.v.Insert(catalog.PgOperatorOID, row); err != nil {
		return 0, err
	}
	if err := c.operatorDepends(oid, row, true); err != nil {
		return 0, err
	}
	return oid, c.next()
}

// linkOperators makes an operator's commutator and negator name it in turn.
func (c *ctx) linkOperators(oid, com, neg OID) error {
	for _, x := range []struct {
		other OID
		col   int
	}{{com, catalog.OperatorOprcom}, {neg, catalog.OperatorOprnegate}} {
		if x.other == 0 || x.other == oid {
			continue
		}
		tid, old, err := c.v.Find(catalog.PgOperatorOidIndexOID, types.Oid(x.other))
		if err != nil || old == nil || old[x.col].Oid() == oid {
			return err
		}
		row := append(types.Row(nil), old...)
		row[x.col] = types.Oid(oid)
		if err := c.v.Update(catalog.PgOperatorOID, tid, old, row); err != nil {
			return err
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return nil
}

// alterOperator is ALTER OPERATOR SET: it changes the estimators.
func alterOperator(c *ctx, n *pg_query.AlterOperatorStmt) (string, error) {
	oid, err := c.findOperator(n.Opername)
	if err != nil {
		return "", err
	}
	o, err := c.v.Operator(oid)
	if err != nil {
		return "", err
	}
	var rest, join []*pg_query.Node
	setRest, setJoin := false, false
	for _, x := range n.Options {
		d := x.GetDefElem()
		var names []*pg_query.Node
		if d.Arg != nil {
			if names, err = defNames(d); err != nil {
				return "", err
			}
		}
		switch d.Defname {
		case "restrict":
			rest, setRest = names, true
		case "join":
			join, setJoin = names, true
		case "leftarg", "rightarg", "function", "procedure", "commutator", "negator", "hashes", "merges":
			return "", pgerr.New(pgerr.SyntaxError, "operator attribute \"%s\" cannot be changed", d.Defname)
		default:
			return "", pgerr.New(pgerr.SyntaxError, "operator attribute \"%s\" not recognized", d.Defname)
		}
	}
	if err := c.requireOperatorOwner(oid, joinName(strs(n.Opername.Objname))); err != nil {
		return "", err
	}
	restOID, err := c.restrictionEstimator(rest)
	if err != nil {
		return "", err
	}
	joinOID, err := c.joinEstimator(join)
	if err != nil {
		return "", err
	}
	if err := checkOperatorClauses(o.Left != 0, o.Result == types.BoolOID, false, false, restOID != 0, joinOID != 0, false, false); err != nil {
		return "", err
	}
	tid, old, err := c.v.Find(catalog.PgOperatorOidIndexOID, types.Oid(oid))
	if err != nil {
		return "", err
	}
	row := append(types.Row(nil), old...)
	if setRest {
		row[catalog.OperatorOprrest] = types.Oid(restOID)
	}
	if setJoin {
		row[catalog.OperatorOprjoin] = types.Oid(joinOID)
	}
	if err := c.v.Update(catalog.PgOperatorOID, tid, old, row); err != nil {
		return "", err
	}
	return "ALTER OPERATOR", c.operatorDepends(oid, row, false)
}
