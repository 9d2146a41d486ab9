package session

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// set is SET, RESET and SET TRANSACTION.
func (c *command) set(n *pg_query.VariableSetStmt) (string, error) {
	s := c.s
	action := settings.ActionSet
	if n.IsLocal {
		action = settings.ActionLocal
		if s.block == blockNone && s.inFunction == 0 {
			s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.NoActiveSqlTransaction, Message: "SET LOCAL can only be used in transaction blocks"})
		}
	}
	switch n.Kind {
	case pg_query.VariableSetKind_VAR_SET_VALUE:
		value, err := c.setValue(n)
		if err != nil {
			return "", err
		}
		return "SET", s.setVariable(n.Name, value, action)
	case pg_query.VariableSetKind_VAR_SET_DEFAULT:
		return "SET", s.resetVariable(n.Name, action)
	case pg_query.VariableSetKind_VAR_SET_CURRENT:
		v, err := s.gucs.Show(n.Name, true)
		if err != nil {
			return "", err
		}
		return "SET", s.setVariable(n.Name, v, action)
	case pg_query.VariableSetKind_VAR_RESET:
		return "RESET", s.resetVariable(n.Name, action)
	case pg_query.VariableSetKind_VAR_RESET_ALL:
		return "RESET", s.gucs.resetAll()
	}
	return c.setMulti(n)
}

// setMulti is SET TRANSACTION and SET SESSION CHARACTERISTICS.
func (c *command) setMulti(n *pg_query.VariableSetStmt) (string, error) {
	switch n.Name {
	case "TRANSACTION":
		if c.s.block == blockNone && c.s.inFunction == 0 {
			c.s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.NoActiveSqlTransaction, Message: "SET TRANSACTION can only be used in transaction blocks"})
		}
		return "SET", c.setCharacteristics(n.Args)
	case "SESSION CHARACTERISTICS":
		for _, a := range n.Args {
			d := a.GetDefElem()
			if err := c.s.gucs.Set("default_"+d.Defname, constText(d.Arg), settings.ActionSet); err != nil {
				return "", err
			}
		}
		return "SET", nil
	case "TRANSACTION SNAPSHOT":
		return "", pgerr.NotSupported("SET TRANSACTION SNAPSHOT")
	}
	return "", pgerr.NotSupported("SET %s", n.Name)
}

// setCharacteristics applies the transaction modes of BEGIN and SET TRANSACTION.
func (c *command) setCharacteristics(options []*pg_query.Node) error {
	for _, o := range options {
		d := o.GetDefElem()
		if err := c.s.setTransactionMode(d.Defname, constText(d.Arg)); err != nil {
			return err
		}
	}
	return nil
}

// setTransactionMode changes the running transaction, where that is still allowed.
func (s *Session) setTransactionMode(name, value string) error {
	tx := s.backend.Heap.Tx
	switch name {
	case "transaction_isolation":
		iso := isolationOf(value)
		if iso != tx.Isolation {
			if s.snapshotTaken {
				return pgerr.New(pgerr.ActiveSqlTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
			}
			if len(s.savepoints) > 0 {
				return pgerr.New(pgerr.ActiveSqlTransaction, "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction")
			}
			if value == "serializable" {
				return pgerr.NotSupported("isolation level SERIALIZABLE")
			}
		}
	case "transaction_read_only":
		if value == "0" || value == "off" || value == "false" {
			if tx.ReadOnly && len(s.savepoints) > 0 {
				return pgerr.New(pgerr.ActiveSqlTransaction, "cannot set transaction read-write mode inside a read-only transaction")
			}
			if tx.ReadOnly && s.snapshotTaken {
				return pgerr.New(pgerr.ActiveSqlTransaction, "transaction read-write mode must be set before any query")
			}
		}
	}
	return s.gucs.Set(name, value, settings.ActionLocal)
}

// setVariable sets one setting; a few act on more than their own value.
func (s *Session) setVariable(name, value string, action settings.Action) error {
	switch strings.ToLower(name) {
	case "transaction_isolation", "transaction_read_only", "transaction_deferrable":
		return s.setTransactionMode(strings.ToLower(name), value)
	case "default_transaction_isolation":
		if value == "serializable" {
			return pgerr.NotSupported("isolation level SERIALIZABLE")
		}
	case "role":
		return s.setRole(value, action)
	case "session_authorization":
		return s.setSessionAuthorization(value, action)
	}
	return s.gucs.Set(name, value, action)
}

func (s *Session) resetVariable(name string, action settings.Action) error {
	switch strings.ToLower(name) {
	case "role":
		return s.setRole(noRole, action)
	case "session_authorization":
		return s.setSessionAuthorization(s.user.Name, action)
	}
	return s.gucs.Reset(name, action)
}

// alterSystem is ALTER SYSTEM: it writes postgresql.auto.conf, which a reload reads.
func (c *command) alterSystem(n *pg_query.VariableSetStmt) (string, error) {
	s := c.s
	if err := s.RequireNoBlock("ALTER SYSTEM"); err != nil {
		return "", err
	}
	if !s.superuser() {
		return "", pgerr.New(pgerr.InsufficientPrivilege, "permission denied to set parameter \"%s\"", n.Name)
	}
	o := &s.server.o
	if n.Kind == pg_query.VariableSetKind_VAR_RESET_ALL {
		return "ALTER SYSTEM", o.Settings.AlterSystemResetAll(o.DataDir)
	}
	var value *string
	if n.Kind == pg_query.VariableSetKind_VAR_SET_VALUE {
		v, err := c.setValue(n)
		if err != nil {
			return "", err
		}
		value = &v
	}
	if err := settings.CheckAlterSystem(s.gucs.Session, n.Name, value); err != nil {
		return "", err
	}
	return "ALTER SYSTEM", o.Settings.AlterSystem(o.DataDir, n.Name, value)
}

// setValue gives the text of SET's value; a list is joined as the setting keeps it.
func (c *command) setValue(n *pg_query.VariableSetStmt) (string, error) {
	if strings.EqualFold(n.Name, "timezone") && len(n.Args) == 1 {
		if v, ok, err := c.intervalZone(n.Args[0]); ok || err != nil {
			return v, err
		}
	}
	var values []string
	for _, a := range n.Args {
		values = append(values, constText(a))
	}
	return c.s.gucs.FlattenList(n.Name, values, quoteIdent)
}

// intervalZone reads SET TIME ZONE INTERVAL '...' HOUR TO MINUTE.
func (c *command) intervalZone(a *pg_query.Node) (string, bool, error) {
	tc := a.GetTypeCast()
	if tc == nil {
		return "", false, nil
	}
	d, err := types.Input(c.s.backend.Env, types.IntervalOID, -1, constText(tc.Arg))
	if err != nil {
		return "", true, err
	}
	text, err := types.Output(c.s.backend.Env, types.IntervalOID, d)
	return "INTERVAL '" + text + "'", true, err
}

// constText gives a constant of the grammar as text.
func constText(n *pg_query.Node) string {
	switch v := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		switch k := v.AConst.Val.(type) {
		case *pg_query.A_Const_Sval:
			return k.Sval.Sval
		case *pg_query.A_Const_Ival:
			return signed(int64(k.Ival.Ival))
		case *pg_query.A_Const_Fval:
			return k.Fval.Fval
		case *pg_query.A_Const_Boolval:
			if k.Boolval.Boolval {
				return "true"
			}
			return "false"
		}
	case *pg_query.Node_TypeCast:
		return constText(v.TypeCast.Arg)
	case *pg_query.Node_String_:
		return v.String_.Sval
	case *pg_query.Node_Integer:
		return signed(int64(v.Integer.Ival))
	case *pg_query.Node_Float:
		return v.Float.Fval
	}
	return ""
}

func signed(n int64) string {
	if n < 0 {
		return "-" + string(appendTag(nil, "", -n))
	}
	return string(appendTag(nil, "", n))
}

// quoteIdent quotes an identifier where it needs it.
func quoteIdent(s string) string { return types.QuoteIdent(nil, s) }

// show is SHOW name | ALL.
func (c *command) show(n *pg_query.VariableShowStmt) (string, error) {
	g := c.s.gucs
	mayReadAll := c.s.superuser()
	if strings.EqualFold(n.Name, "all") {
		for _, row := range g.All(mayReadAll) {
			if err := c.out.receive(types.Row{types.Text(row.Def.Name), types.Text(row.Show), types.Text(row.Def.Short)}); err != nil {
				return "", err
			}
		}
		return "SHOW", nil
	}
	v, err := c.s.showValue(n.Name, mayReadAll)
	if err != nil {
		return "", err
	}
	return "SHOW", c.out.receive(types.Row{types.Text(v)})
}

const readUncommitted = "read uncommitted"

// showValue is SHOW's value: the transaction's characteristics are those of the running one.
func (s *Session) showValue(name string, mayReadAll bool) (string, error) {
	if s.inTransaction() {
		switch strings.ToLower(name) {
		case "transaction_isolation":
			if v, err := s.gucs.Show(name, true); err == nil && v == readUncommitted {
				return v, nil // which behaves as the next stricter level
			}
			return s.backend.Heap.Tx.Isolation.String(), nil
		case "transaction_read_only":
			if s.backend.Heap.Tx.ReadOnly {
				return "on", nil
			}
			return "off", nil
		case "transaction_deferrable":
			if s.backend.Heap.Tx.Deferrable {
				return "on", nil
			}
			return "off", nil
		}
	}
	return s.gucs.Show(name, mayReadAll)
}

// showColumns gives SHOW's result columns.
func (s *Session) showColumns(name string, text func(string) []*query.TargetEntry) []*query.TargetEntry {
	if strings.EqualFold(name, "all") {
		cols := append(text("name"), text("setting")...)
		return append(cols, text("description")...)
	}
	return text(s.gucs.CanonicalName(name))
}
