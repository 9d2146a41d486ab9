package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

func init() { register("AlterFunctionStmt", alterFunction) }

// alterFunction is ALTER FUNCTION, PROCEDURE and ROUTINE with options.
func alterFunction(c *ctx, n *pg_query.AlterFunctionStmt) (string, error) {
	oid, err := c.findRoutine(n.Objtype, n.Func)
	if err != nil {
		return "", err
	}
	p, err := c.v.Proc(oid)
	if err != nil {
		return "", err
	}
	self := object(catalog.PgProcOID, oid)
	if err := c.requireOwnership(n.Objtype, self, nil); err != nil {
		return "", err
	}
	if p.Kind == 'a' {
		return "", pgerr.New(pgerr.WrongObjectType, "\"%s\" is an aggregate function", joinName(strs(n.Func.Objname)))
	}
	a := &functionAttrs{cost: -1, rows: -1}
	seen := map[string]bool{}
	for _, x := range n.Actions {
		d := x.GetDefElem()
		if d.Defname != "set" && seen[d.Defname] {
			return "", conflictingOption(d)
		}
		seen[d.Defname] = true
		if err := c.commonOption(a, d, p.Kind == 'p'); err != nil {
			return "", err
		}
	}
	if a.leakProof && !c.isSuperuser() {
		return "", pgerr.New(pgerr.InsufficientPrivilege, "only superuser can define a leakproof function")
	}
	if a.rows >= 0 && !p.RetSet {
		return "", pgerr.New(pgerr.InvalidParameterValue, "ROWS is not applicable when function does not return a set")
	}
	config, err := c.updateConfig(p.Config, a.sets)
	if err != nil {
		return "", err
	}
	err = c.v.Modify(catalog.PgProcOID, catalog.PgProcOidIndexOID, []types.Datum{types.Oid(oid)}, func(row types.Row) {
		alterProcRow(row, a, config)
	})
	if err != nil || a.support == 0 {
		return parse.AlterTag(n.Objtype), err
	}
	return parse.AlterTag(n.Objtype), c.v.Depend(self, catalog.DepNormal, object(catalog.PgProcOID, a.support))
}

func alterProcRow(row types.Row, a *functionAttrs, config []string) {
	if a.volatile != 0 {
		row[catalog.ProcProvolatile] = types.Char(a.volatile)
	}
	if a.parallel != 0 {
		row[catalog.ProcProparallel] = types.Char(a.parallel)
	}
	if a.strict != nil {
		row[catalog.ProcProisstrict] = types.Bool(*a.strict)
	}
	if a.secDef != nil {
		row[catalog.ProcProsecdef] = types.Bool(*a.secDef)
	}
	if a.leak != nil {
		row[catalog.ProcProleakproof] = types.Bool(*a.leak)
	}
	if a.cost >= 0 {
		row[catalog.ProcProcost] = types.Float4(float32(a.cost))
	}
	if a.rows >= 0 {
		row[catalog.ProcProrows] = types.Float4(float32(a.rows))
	}
	if a.support != 0 {
		row[catalog.ProcProsupport] = types.Oid(a.support)
	}
	if len(a.sets) > 0 {
		row[catalog.ProcProconfig] = configDatum(config)
	}
}
