package ddl

import (
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// functionAttrs are the options of CREATE and ALTER FUNCTION.
type functionAttrs struct {
	as                []string
	language          string
	window, transform bool
	volatile          byte // 0 = not said
	parallel          byte
	strict, secDef    *bool
	leak              *bool
	leakProof         bool
	cost, rows        float64 // -1 = not said
	support           OID
	sets              []*pg_query.VariableSetStmt
}

// functionOptions reads the options of CREATE FUNCTION or PROCEDURE.
func (c *ctx) functionOptions(a *functionAttrs, options []*pg_query.Node, procedure bool) error {
	seen := map[string]bool{}
	a.cost, a.rows = -1, -1
	for _, n := range options {
		d := n.GetDefElem()
		if d.Defname != "set" {
			if seen[d.Defname] {
				return conflictingOption(d)
			}
			seen[d.Defname] = true
		}
		var err error
		switch d.Defname {
		case "as":
			a.as = strs(d.Arg.GetList().GetItems())
		case "language":
			a.language = d.Arg.GetString_().GetSval()
		case "transform":
			a.transform = true
		case "window":
			if procedure {
				return notForProcedures(d)
			}
			a.window = boolOption(d)
		default:
			err = c.commonOption(a, d, procedure)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func conflictingOption(d *pg_query.DefElem) error {
	return pgerr.New(pgerr.SyntaxError, "conflicting or redundant options").WithLocation(int(d.Location))
}

func notForProcedures(d *pg_query.DefElem) error {
	return pgerr.New(pgerr.InvalidFunctionDefinition, "invalid attribute in procedure definition").WithLocation(int(d.Location))
}

func boolOption(d *pg_query.DefElem) bool {
	switch x := d.Arg.GetNode().(type) {
	case *pg_query.Node_Boolean:
		return x.Boolean.Boolval
	case *pg_query.Node_Integer:
		return x.Integer.Ival != 0
	}
	return d.Arg == nil
}

// commonOption reads an option that CREATE and ALTER have.
func (c *ctx) commonOption(a *functionAttrs, d *pg_query.DefElem, procedure bool) error {
	switch d.Defname {
	case "security":
		v := boolOption(d)
		a.secDef = &v
		return nil
	case "set":
		a.sets = append(a.sets, d.Arg.GetVariableSetStmt())
		return nil
	}
	if procedure {
		return notForProcedures(d)
	}
	word := d.Arg.GetString_().GetSval()
	switch d.Defname {
	case "volatility":
		v, ok := map[string]byte{"immutable": 'i', "stable": 's', "volatile": 'v'}[word]
		if !ok {
			return pgerr.Internal("invalid volatility \"%s\"", word)
		}
		a.volatile = v
	case "strict":
		v := boolOption(d)
		a.strict = &v
	case "leakproof":
		a.leakProof = boolOption(d)
		a.leak = &a.leakProof
	case "parallel":
		v, ok := map[string]byte{"safe": 's', "unsafe": 'u', "restricted": 'r'}[word]
		if !ok {
			return pgerr.New(pgerr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
		}
		a.parallel = v
	case "cost":
		if a.cost = numericOption(d); a.cost <= 0 {
			return pgerr.New(pgerr.InvalidParameterValue, "COST must be positive")
		}
	case "rows":
		if a.rows = numericOption(d); a.rows <= 0 {
			return pgerr.New(pgerr.InvalidParameterValue, "ROWS must be positive")
		}
	case "support":
		return c.supportOption(a, d)
	default:
		return pgerr.Internal("option \"%s\" not recognized", d.Defname)
	}
	return nil
}

// numericOption reads a number of an option.
func numericOption(d *pg_query.DefElem) float64 {
	switch x := d.Arg.GetNode().(type) {
	case *pg_query.Node_Integer:
		return float64(x.Integer.Ival)
	case *pg_query.Node_Float:
		v, _ := strconv.ParseFloat(x.Float.Fval, 64)
		return v
	}
	return 0
}

// supportOption finds the planner support function.
func (c *ctx) supportOption(a *functionAttrs, d *pg_query.DefElem) error {
	names := d.Arg.GetList().GetItems()
	if names == nil {
		names = d.Arg.GetTypeName().GetNames()
	}
	p, err := c.functionNamed(names, []OID{types.InternalOID})
	if err != nil {
		return err
	}
	if p.RetType != types.InternalOID {
		return pgerr.New(pgerr.InvalidObjectDefinition, "support function %s must return type %s", joinName(strs(names)), "internal")
	}
	if !c.isSuperuser() {
		return pgerr.New(pgerr.InsufficientPrivilege, "must be superuser to specify a support function")
	}
	a.support = p.OID
	return nil
}

// updateConfig applies SET and RESET clauses to a function's settings.
func (c *ctx) updateConfig(config []string, sets []*pg_query.VariableSetStmt) ([]string, error) {
	for _, n := range sets {
		if n.Kind == pg_query.VariableSetKind_VAR_RESET_ALL {
			config = nil
			continue
		}
		name := strings.ToLower(n.Name)
		kept := []string{}
		for _, s := range config {
			if k, _, _ := strings.Cut(s, "="); k != name {
				kept = append(kept, s)
			}
		}
		config = kept
		switch n.Kind {
		case pg_query.VariableSetKind_VAR_SET_VALUE:
			value := settingText(n.Args)
			if err := c.Session.CheckSetting(name, value); err != nil {
				return nil, err
			}
			config = append(config, name+"="+value)
		case pg_query.VariableSetKind_VAR_SET_CURRENT:
			rows, err := c.Session.RunQuery("SELECT current_setting($1)", []types.Datum{types.Text(name)})
			if err != nil {
				return nil, err
			}
			config = append(config, name+"="+rows[0][0].Str())
		case pg_query.VariableSetKind_VAR_SET_MULTI:
			return nil, pgerr.NotSupported("SET %s of a function", n.Name)
		}
	}
	return config, nil
}

// configDatum is a list of settings as pg_proc keeps it.
func configDatum(config []string) types.Datum {
	if len(config) == 0 {
		return types.Null
	}
	return catalog.TextArray(config)
}
