package ddl

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// findRoutine finds a function, procedure or aggregate by name and argument types, or by its name alone.
func (c *ctx) findRoutine(t pg_query.ObjectType, n *pg_query.ObjectWithArgs) (OID, error) {
	args, err := c.argTypes(n.Objargs)
	if err != nil {
		return 0, err
	}
	found, ambiguous, err := c.routinesNamed(t, n, args)
	if err != nil {
		return 0, err
	}
	if ambiguous {
		return 0, notUnique(t, n)
	}
	if found == nil {
		return 0, c.noRoutine(t, n, args)
	}
	return found.OID, c.checkRoutineKind(t, found, n, args)
}

// argTypes finds the types of an argument list.
func (c *ctx) argTypes(list []*pg_query.Node) ([]OID, error) {
	var args []OID
	for _, a := range list {
		tn := a.GetTypeName()
		typ, _, err := analyze.LookUpTypeName(c.analyzeEnv(), unplaced(tn))
		if err != nil {
			return nil, err
		}
		if typ == nil {
			return nil, pgerr.New(pgerr.UndefinedObject, "type \"%s\" does not exist", analyze.TypeNameText(tn))
		}
		args = append(args, typ.OID)
	}
	return args, nil
}

// routinesNamed picks the routine meant.
func (c *ctx) routinesNamed(t pg_query.ObjectType, n *pg_query.ObjectWithArgs, args []OID) (found *catalog.Proc, ambiguous bool, err error) {
	schema, name := splitName(n.Objname)
	if schema != "" {
		if _, err := c.schemaNamed(schema); err != nil {
			return nil, false, err
		}
	}
	list, err := c.v.ProcsByName(schema, name)
	if err != nil {
		return nil, false, err
	}
	if n.ArgsUnspecified {
		list = slices.DeleteFunc(slices.Clone(list), func(p *catalog.Proc) bool { return !isRoutineKind(t, p.Kind) })
		if len(list) == 1 {
			return list[0], false, nil
		}
		return nil, len(list) > 1, nil
	}
	for _, p := range list {
		if slices.Equal(p.ArgTypes, args) {
			found = p
			break
		}
	}
	if t != pg_query.ObjectType_OBJECT_PROCEDURE && t != pg_query.ObjectType_OBJECT_ROUTINE || len(n.Objfuncargs) == 0 || hasModes(n.Objfuncargs) {
		return found, false, nil
	}
	// Without modes the list may be one of all parameters, OUT ones included, as the standard has it.
	for _, p := range list {
		if p == found || len(p.AllArgTypes) == 0 || !isRoutineKind(t, p.Kind) || !slices.Equal(allParams(p), args) {
			continue
		}
		if found != nil {
			return nil, true, nil
		}
		found = p
	}
	return found, false, nil
}

// allParams are the types of a routine's parameters, OUT ones included, columns of a result table not.
func allParams(p *catalog.Proc) []OID {
	var list []OID
	for i, t := range p.AllArgTypes {
		if p.ArgModes[i] != 't' {
			list = append(list, t)
		}
	}
	return list
}

func hasModes(params []*pg_query.Node) bool {
	return slices.ContainsFunc(params, func(n *pg_query.Node) bool {
		return n.GetFunctionParameter().Mode != pg_query.FunctionParameterMode_FUNC_PARAM_DEFAULT
	})
}

// isRoutineKind says whether a look-up by name alone takes routines of a kind.
func isRoutineKind(t pg_query.ObjectType, kind byte) bool {
	switch t {
	case pg_query.ObjectType_OBJECT_FUNCTION:
		return kind == 'f' || kind == 'w' || kind == 'a'
	case pg_query.ObjectType_OBJECT_AGGREGATE:
		return kind == 'a'
	case pg_query.ObjectType_OBJECT_PROCEDURE:
		return kind == 'p'
	}
	return true
}

func notUnique(t pg_query.ObjectType, n *pg_query.ObjectWithArgs) error {
	word := map[pg_query.ObjectType]string{pg_query.ObjectType_OBJECT_PROCEDURE: "procedure", pg_query.ObjectType_OBJECT_AGGREGATE: "aggregate",
		pg_query.ObjectType_OBJECT_ROUTINE: "routine"}[t]
	if word == "" {
		word = "function"
	}
	e := pgerr.New(pgerr.AmbiguousFunction, "%s name \"%s\" is not unique", word, joinName(strs(n.Objname)))
	if n.ArgsUnspecified {
		return e.WithHint("Specify the argument list to select the %s unambiguously.", word)
	}
	return e
}

func (c *ctx) noRoutine(t pg_query.ObjectType, n *pg_query.ObjectWithArgs, args []OID) error {
	name := joinName(strs(n.Objname))
	word, article := "function", "a"
	switch t {
	case pg_query.ObjectType_OBJECT_PROCEDURE:
		word = "procedure"
	case pg_query.ObjectType_OBJECT_AGGREGATE:
		word, article = "aggregate", "an"
	}
	if n.ArgsUnspecified {
		return pgerr.New(pgerr.UndefinedFunction, "could not find %s %s named \"%s\"", article, word, name)
	}
	if word == "aggregate" && len(args) == 0 {
		return pgerr.New(pgerr.UndefinedFunction, "aggregate %s(*) does not exist", name)
	}
	return pgerr.New(pgerr.UndefinedFunction, "%s %s does not exist", word, c.signature(name, args))
}

// checkRoutineKind refuses a routine of another kind than the command says.
func (c *ctx) checkRoutineKind(t pg_query.ObjectType, p *catalog.Proc, n *pg_query.ObjectWithArgs, args []OID) error {
	text := c.signature(joinName(strs(n.Objname)), args)
	switch {
	case t == pg_query.ObjectType_OBJECT_FUNCTION && p.Kind == 'p':
		return pgerr.New(pgerr.WrongObjectType, "%s is not a function", text)
	case t == pg_query.ObjectType_OBJECT_PROCEDURE && p.Kind != 'p':
		return pgerr.New(pgerr.WrongObjectType, "%s is not a procedure", text)
	case t == pg_query.ObjectType_OBJECT_AGGREGATE && p.Kind != 'a':
		return pgerr.New(pgerr.WrongObjectType, "function %s is not an aggregate", text)
	}
	return nil
}

// signature is a routine as messages name it: f(integer, text).
func (c *ctx) signature(name string, args []OID) string {
	list := make([]string, len(args))
	for i, a := range args {
		list[i] = types.FormatType(c.Backend.Env, a)
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

// findFunction finds a function by its name and the exact types of its arguments, for commands that name one; nil when there is none.
func (c *ctx) findFunction(names []*pg_query.Node, args []OID) (*catalog.Proc, error) {
	schema, name := splitName(names)
	if schema != "" {
		if _, err := c.schemaNamed(schema); err != nil {
			return nil, err
		}
	}
	list, err := c.v.ProcsByName(schema, name)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if slices.Equal(p.ArgTypes, args) {
			return p, nil
		}
	}
	return nil, nil
}

// functionNamed is findFunction of one that must be there.
func (c *ctx) functionNamed(names []*pg_query.Node, args []OID) (*catalog.Proc, error) {
	p, err := c.findFunction(names, args)
	if err == nil && p == nil {
		err = pgerr.New(pgerr.UndefinedFunction, "function %s does not exist", c.signature(joinName(strs(names)), args))
	}
	return p, err
}

// findOperator finds an operator by its name and operand types.
func (c *ctx) findOperator(n *pg_query.ObjectWithArgs) (OID, error) {
	left, right, err := c.operandTypes(n.Objargs)
	if err != nil {
		return 0, err
	}
	o, err := c.operatorNamed(n.Objname, left, right)
	if err == nil && o == nil {
		name := joinName(strs(n.Objname))
		switch {
		case left == 0:
			return 0, pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s", name, types.FormatType(c.Backend.Env, right))
		case right == 0:
			return 0, pgerr.New(pgerr.SyntaxError, "postfix operators are not supported")
		}
		return 0, pgerr.New(pgerr.UndefinedFunction, "operator does not exist: %s %s %s", types.FormatType(c.Backend.Env, left), name,
			types.FormatType(c.Backend.Env, right))
	}
	if err != nil {
		return 0, err
	}
	return o.OID, nil
}

// operandTypes finds the two operand types of an operator's name, 0 for NONE.
func (c *ctx) operandTypes(list []*pg_query.Node) (left, right OID, err error) {
	types := [2]OID{}
	for i, a := range list {
		if a.GetTypeName() == nil {
			continue
		}
		oids, err := c.argTypes(list[i : i+1])
		if err != nil {
			return 0, 0, err
		}
		types[i] = oids[0]
	}
	return types[0], types[1], nil
}

// operatorNamed finds an operator by name and exact operand types; nil when there is none.
func (c *ctx) operatorNamed(names []*pg_query.Node, left, right OID) (*catalog.Operator, error) {
	schema, name := splitName(names)
	if schema != "" {
		if _, err := c.schemaNamed(schema); err != nil {
			return nil, err
		}
	}
	list, err := c.v.OperatorsByName(schema, name)
	if err != nil {
		return nil, err
	}
	for _, o := range list {
		if o.Left == left && o.Right == right {
			return o, nil
		}
	}
	return nil, nil
}
