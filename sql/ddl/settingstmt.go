package ddl

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

func init() {
	register("AlterRoleSetStmt", alterRoleSet)
	register("AlterDatabaseSetStmt", alterDatabaseSet)
}

// alterRoleSet is ALTER ROLE ... [IN DATABASE ...] SET.
func alterRoleSet(c *ctx, n *pg_query.AlterRoleSetStmt) (string, error) {
	role, db := OID(0), OID(0)
	if n.Role != nil {
		var err error
		if role, err = c.roleSpec(n.Role); err != nil {
			return "", err
		}
	}
	if n.Database != "" {
		d, err := c.v.DatabaseByName(n.Database)
		if err != nil {
			return "", err
		}
		if d == nil {
			return "", pgerr.New(pgerr.UndefinedDatabase, "database \"%s\" does not exist", n.Database)
		}
		db = d.OID
	}
	if role != c.v.User() || role == 0 {
		if err := c.mayChangeRoles(&roleOptions{super: role == 0}, false); err != nil {
			return "", err
		}
	}
	return "ALTER ROLE", c.storeSetting(db, role, n.Setstmt)
}

// alterDatabaseSet is ALTER DATABASE ... SET.
func alterDatabaseSet(c *ctx, n *pg_query.AlterDatabaseSetStmt) (string, error) {
	db, err := c.ownedDatabase(n.Dbname)
	if err != nil {
		return "", err
	}
	return "ALTER DATABASE", c.storeSetting(db.OID, 0, n.Setstmt)
}

// storeSetting changes pg_db_role_setting.
func (c *ctx) storeSetting(db, role OID, n *pg_query.VariableSetStmt) error {
	tid, old, err := c.v.Find(catalog.PgDbRoleSettingDatabaseidRolIndexOID, types.Oid(db), types.Oid(role))
	if err != nil {
		return err
	}
	var list []string
	if old != nil {
		list = catalog.Texts(old[catalog.DbRoleSettingSetconfig])
	}
	name := strings.ToLower(n.Name)
	if d := settings.Lookup(name); d != nil {
		name = d.Name
	}
	kept := []string{}
	for _, s := range list {
		if k, _, _ := strings.Cut(s, "="); n.Kind != pg_query.VariableSetKind_VAR_RESET_ALL && !strings.EqualFold(k, name) {
			kept = append(kept, s)
		}
	}
	switch n.Kind {
	case pg_query.VariableSetKind_VAR_SET_VALUE:
		value := settingText(n.Args)
		if err := c.Session.CheckSetting(name, value); err != nil {
			return err
		}
		kept = append(kept, name+"="+value)
	case pg_query.VariableSetKind_VAR_SET_DEFAULT, pg_query.VariableSetKind_VAR_RESET, pg_query.VariableSetKind_VAR_RESET_ALL:
	case pg_query.VariableSetKind_VAR_SET_CURRENT:
		rows, err := c.Session.RunQuery("SELECT current_setting($1)", []types.Datum{types.Text(name)})
		if err != nil {
			return err
		}
		kept = append(kept, name+"="+rows[0][0].Str())
	default:
		return pgerr.NotSupported("this form of SET in ALTER ROLE and ALTER DATABASE")
	}
	row := types.Row{types.Oid(db), types.Oid(role), catalog.TextArray(kept)}
	switch {
	case old == nil && len(kept) == 0:
		return nil
	case old == nil:
		return c.v.Insert(catalog.PgDbRoleSettingOID, row)
	case len(kept) == 0:
		return c.v.Delete(catalog.PgDbRoleSettingOID, tid, old)
	}
	return c.v.Update(catalog.PgDbRoleSettingOID, tid, old, row)
}

// settingText joins the values of SET as the setting's text.
func settingText(args []*pg_query.Node) string {
	var parts []string
	for _, a := range args {
		k := a.GetAConst()
		if k == nil {
			if t := a.GetTypeCast(); t != nil {
				k = t.Arg.GetAConst()
			}
		}
		switch v := k.GetVal().(type) {
		case *pg_query.A_Const_Ival:
			parts = append(parts, itoa(int(v.Ival.GetIval())))
		case *pg_query.A_Const_Fval:
			parts = append(parts, v.Fval.Fval)
		case *pg_query.A_Const_Sval:
			if s := v.Sval.Sval; len(args) > 1 {
				parts = append(parts, types.QuoteIdent(nil, s))
			} else {
				parts = append(parts, s)
			}
		}
	}
	return strings.Join(parts, ", ")
}

// dropRoleSettings removes the settings of a database, or of a role.
func (c *ctx) dropRoleSettings(db, role OID) error {
	return c.v.ScanAll(catalog.PgDbRoleSettingOID, func(tid types.TID, row types.Row) (bool, error) {
		if db != 0 && row[catalog.DbRoleSettingSetdatabase].Oid() == db || role != 0 && row[catalog.DbRoleSettingSetrole].Oid() == role {
			return true, c.v.Delete(catalog.PgDbRoleSettingOID, tid, row)
		}
		return true, nil
	})
}
