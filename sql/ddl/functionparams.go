package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// functionParams are the parameters of a function, procedure or aggregate made ready.
type functionParams struct {
	in       []OID // types of the input parameters
	inNames  []string
	all      []OID // of all, when some are not plain IN
	modes    []byte
	names    []string
	hasNames bool
	variadic OID // element type of a VARIADIC parameter, 0 = none
	defaults []query.Expr
	required OID // result type that OUT parameters ask for, 0 = none
	allPlain bool
}

var paramModes = map[pg_query.FunctionParameterMode]byte{
	pg_query.FunctionParameterMode_FUNC_PARAM_DEFAULT: 'i', pg_query.FunctionParameterMode_FUNC_PARAM_IN: 'i',
	pg_query.FunctionParameterMode_FUNC_PARAM_OUT: 'o', pg_query.FunctionParameterMode_FUNC_PARAM_INOUT: 'b',
	pg_query.FunctionParameterMode_FUNC_PARAM_VARIADIC: 'v', pg_query.FunctionParameterMode_FUNC_PARAM_TABLE: 't',
}

func typeNameText(tn *pg_query.TypeName) string { return analyze.TypeNameText(tn) }

// functionParams reads a parameter list. what is "function", "procedure" or "aggregate".
func (c *ctx) functionParams(p *functionParams, list []*pg_query.Node, lang OID, what string) error {
	sawVariadic, outs := false, 0
	for i, n := range list {
		fp := n.GetFunctionParameter()
		mode := paramModes[fp.Mode]
		typ, err := c.paramType(fp, lang, what)
		if err != nil {
			return err
		}
		isIn := mode != 'o' && mode != 't'
		if isIn {
			if sawVariadic {
				return pgerr.New(pgerr.InvalidFunctionDefinition, "VARIADIC parameter must be the last input parameter")
			}
			p.in, p.inNames = append(p.in, typ), append(p.inNames, fp.Name)
		}
		if mode == 'o' || mode == 'b' || mode == 't' {
			if what == "procedure" {
				if sawVariadic {
					return pgerr.New(pgerr.InvalidFunctionDefinition, "VARIADIC parameter must be the last parameter")
				}
				p.required = types.RecordOID
			} else if outs == 0 {
				p.required = typ
			}
			outs++
		}
		if mode == 'v' {
			sawVariadic = true
			if p.variadic, err = c.variadicType(typ); err != nil {
				return err
			}
		}
		if err := checkParamName(list[:i], fp, mode); err != nil {
			return err
		}
		p.hasNames = p.hasNames || fp.Name != ""
		p.all, p.modes, p.names = append(p.all, typ), append(p.modes, mode), append(p.names, fp.Name)
		if err := c.paramDefault(p, fp, typ, isIn, what); err != nil {
			return err
		}
	}
	if outs > 1 {
		p.required = types.RecordOID
	}
	p.allPlain = outs == 0 && !sawVariadic
	return nil
}

// paramType finds a parameter's type.
func (c *ctx) paramType(fp *pg_query.FunctionParameter, lang OID, what string) (OID, error) {
	tn := fp.ArgType
	name := typeNameText(tn)
	t, _, err := analyze.LookUpTypeName(c.analyzeEnv(), unplaced(tn))
	if err != nil {
		return 0, err
	}
	if t == nil {
		return 0, pgerr.New(pgerr.UndefinedObject, "type %s does not exist", name)
	}
	if !t.Defined {
		switch {
		case lang == catalog.SQLLanguage:
			return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "SQL function cannot accept shell type %s", name)
		case what == "aggregate":
			return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "aggregate cannot accept shell type %s", name)
		}
		c.notice(pgerr.WrongObjectType, "argument type %s is only a shell", name)
	}
	if err := c.requireTypeUsage(t); err != nil {
		return 0, err
	}
	if tn.Setof {
		return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "%ss cannot accept set arguments", what)
	}
	return t.OID, nil
}

// variadicType is the type of the elements of a VARIADIC parameter.
func (c *ctx) variadicType(typ OID) (OID, error) {
	switch typ {
	case types.AnyarrayOID:
		return types.AnyelementOID, nil
	case types.AnycompatiblearrayOID:
		return types.AnycompatibleOID, nil
	case types.AnyOID:
		return types.AnyOID, nil
	}
	t, err := c.v.Type(typ)
	if err != nil {
		return 0, err
	}
	if t.Elem == 0 || t.Subscript != arraySubscript {
		return 0, pgerr.New(pgerr.InvalidFunctionDefinition, "VARIADIC parameter must be an array")
	}
	return t.Elem, nil
}

// checkParamName refuses a name that an earlier parameter has, unless one of them goes only in and the other only out.
func checkParamName(before []*pg_query.Node, fp *pg_query.FunctionParameter, mode byte) error {
	if fp.Name == "" {
		return nil
	}
	onlyIn := func(m byte) bool { return m == 'i' || m == 'v' }
	onlyOut := func(m byte) bool { return m == 'o' || m == 't' }
	for _, n := range before {
		prev := n.GetFunctionParameter()
		m := paramModes[prev.Mode]
		if prev.Name != fp.Name || onlyIn(mode) && onlyOut(m) || onlyIn(m) && onlyOut(mode) {
			continue
		}
		return pgerr.New(pgerr.InvalidFunctionDefinition, "parameter name \"%s\" used more than once", fp.Name)
	}
	return nil
}

func (c *ctx) paramDefault(p *functionParams, fp *pg_query.FunctionParameter, typ OID, isIn bool, what string) error {
	if fp.Defexpr == nil {
		if isIn && len(p.defaults) > 0 {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "input parameters after one with a default value must also have defaults")
		}
		if what == "procedure" && len(p.defaults) > 0 {
			return pgerr.New(pgerr.InvalidFunctionDefinition, "procedure OUT parameters cannot appear after one with a default value")
		}
		return nil
	}
	if !isIn {
		return pgerr.New(pgerr.InvalidFunctionDefinition, "only input parameters can have default values")
	}
	e, err := analyze.Expr(c.analyzeEnv(), fp.Defexpr, analyze.ExprFunctionDefault, analyze.ExprTarget{Type: typ, TypMod: -1})
	if err != nil {
		return err
	}
	if query.Contains(e, func(e query.Expr) bool { _, ok := e.(*query.Var); return ok }) {
		return pgerr.New(pgerr.InvalidColumnReference, "cannot use table references in parameter default value")
	}
	p.defaults = append(p.defaults, e)
	return nil
}
