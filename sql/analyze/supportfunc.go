package analyze

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// SupportFunc finds the function that an aggregate calls with arguments of the given types, and what it then gives. Types may be polymorphic. The
// function is called without coercions at run time, so each argument must be of its parameter's type or binary coercible to it.
func SupportFunc(env *Env, name []string, args []OID, variadic OID) (fn *catalog.Proc, result OID, err error) {
	defer catch(&err)
	p := newState(env, nil)
	c := &call{name: name, argTypes: args, at: -1}
	for _, t := range args {
		c.args = append(c.args, &query.CaseTestExpr{TypeOID: t, Mod: -1})
	}
	kind, _ := p.lookUpCall(c, false, false)
	if kind != callFound || c.found.proc.Kind != 'f' {
		throw(pgerr.New(pgerr.UndefinedFunction, "function %s does not exist", p.signature(c)))
	}
	f := c.found.proc
	if f.RetSet {
		throw(pgerr.New(pgerr.DatatypeMismatch, "function %s returns a set", p.signature(c)))
	}
	if variadic == types.AnyOID && f.Variadic != types.AnyOID {
		throw(pgerr.New(pgerr.DatatypeMismatch, "function %s must accept VARIADIC ANY to be used in this aggregate", p.signature(c)))
	}
	declared := c.declared
	result = c.result
	if !standsForItself(args, declared) {
		result = p.resolveGeneric(args, declared, result)
	}
	for i, t := range declared {
		if !isPolymorphic(t) && !p.binaryCoercible(args[i], t) {
			throw(pgerr.New(pgerr.DatatypeMismatch, "function %s requires run-time type coercion", p.signature(&call{name: name, args: c.args, argTypes: declared})))
		}
	}
	return f, result, nil
}

// standsForItself says whether all polymorphic parameters are called with just their own type, as in an aggregate that is polymorphic itself.
func standsForItself(actual, declared []OID) bool {
	for i, t := range declared {
		if isPolymorphic(t) && actual[i] != t {
			return false
		}
	}
	return true
}
