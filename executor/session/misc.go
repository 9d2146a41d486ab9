package session

import (
	"errors"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/analyze"
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/deparse"
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"

	"github.com/calfdb/calf/lock"
)

// lockTable is LOCK TABLE.
func (c *command) lockTable(n *pg_query.LockStmt) (string, error) {
	s := c.s
	if s.block != blockOpen && s.block != blockImplicit {
		return "", pgerr.New(pgerr.NoActiveSqlTransaction, "LOCK TABLE can only be used in transaction blocks")
	}
	for _, r := range n.Relations {
		rv := r.GetRangeVar()
		if err := s.lockNamed(rv, lock.Mode(n.Mode), n.Nowait); err != nil {
			return "", err
		}
	}
	return "LOCK TABLE", nil
}

func (s *Session) lockNamed(rv *pg_query.RangeVar, mode lock.Mode, nowait bool) error {
	rel, err := s.openRelation(rv.Schemaname, rv.Relname, 0)
	if err != nil {
		return err
	}
	if rel == nil {
		return undefinedRelation(rv)
	}
	if rel.Kind != 'r' && rel.Kind != 'v' && rel.Kind != 'p' {
		return pgerr.New(pgerr.WrongObjectType, "cannot lock relation \"%s\"", rel.Name)
	}
	if err := s.mayLock(rel, mode); err != nil {
		return err
	}
	if !nowait {
		rel, err = s.openRelation(rv.Schemaname, rv.Relname, int(mode))
	} else {
		err = s.lockNowait(rel, mode)
	}
	if err != nil || rel == nil || !rv.Inh {
		return err
	}
	return s.lockBelow(rel, mode, nowait, map[types.OID]bool{rel.OID: true})
}

// lockBelow locks the descendants of a table. Who may lock the table may lock them.
func (s *Session) lockBelow(rel *catalog.Relation, mode lock.Mode, nowait bool, done map[types.OID]bool) error {
	if !rel.HasSubclass || rel.Kind == 'v' {
		return nil
	}
	for _, oid := range rel.Children {
		if done[oid] {
			continue
		}
		done[oid] = true
		child, err := s.view.Relation(oid)
		if err != nil {
			return err
		}
		switch {
		case child == nil:
			continue
		case nowait:
			err = s.lockNowait(child, mode)
		default:
			err = s.lockOID(oid, int(mode))
		}
		if err != nil {
			return err
		}
		if child, err = s.view.Relation(oid); child == nil || err != nil {
			return err
		}
		if err := s.lockBelow(child, mode, nowait, done); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) lockNowait(rel *catalog.Relation, mode lock.Mode) error {
	ok, err := s.locks.TryAcquire(s.owner(), s.relationTag(rel.OID, rel.Shared), mode)
	if err == nil && !ok {
		err = pgerr.New(pgerr.LockNotAvailable, "could not obtain lock on relation \"%s\"", rel.Name)
	}
	return err
}

// setConstraints is SET CONSTRAINTS.
func (c *command) setConstraints(n *pg_query.ConstraintsSetStmt) (string, error) {
	s := c.s
	if s.block == blockNone && s.inFunction == 0 {
		s.notice(&pgerr.Error{Severity: "WARNING", Code: pgerr.NoActiveSqlTransaction, Message: "SET CONSTRAINTS can only be used in transaction blocks"})
	}
	oids := []types.OID{0}
	if len(n.Constraints) > 0 {
		oids = oids[:0]
		for _, node := range n.Constraints {
			rv := node.GetRangeVar()
			found, err := s.constraintsByName(rv.Schemaname, rv.Relname)
			if err != nil {
				return "", err
			}
			if len(found) == 0 {
				return "", pgerr.New(pgerr.UndefinedObject, "constraint \"%s\" does not exist", rv.Relname)
			}
			for _, k := range found {
				if !k.Deferrable {
					return "", pgerr.New(pgerr.WrongObjectType, "constraint \"%s\" is not deferrable", rv.Relname)
				}
				oids = append(oids, k.OID)
			}
		}
	}
	return "SET CONSTRAINTS", s.backend.After.SetConstraints(oids, n.Deferred)
}

// constraintsByName finds constraints of a schema, or of the first schema of the search path that has one of that name.
func (s *Session) constraintsByName(schema, name string) ([]*catalog.Constraint, error) {
	path := s.view.SearchPath()
	if schema != "" {
		ns, err := s.view.NamespaceByName(schema)
		if err != nil {
			return nil, err
		}
		path = []types.OID{ns}
	}
	for _, ns := range path {
		var found []*catalog.Constraint
		var oids []types.OID
		err := s.view.Scan(catalog.PgConstraintConnameNspIndexOID, []types.Datum{types.Text(name), types.Oid(ns)}, func(_ types.TID, row types.Row) (bool, error) {
			oids = append(oids, row[catalog.ConstraintOid].Oid())
			return true, nil
		})
		for _, oid := range oids {
			k, kerr := s.view.Constraint(oid)
			if kerr != nil {
				return nil, kerr
			}
			found = append(found, k)
		}
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// indexExprText prints an index's expression over its table's columns.
func (s *Session) indexExprText(rel *catalog.Relation, e query.Expr) string {
	ctx, err := deparse.ForRelation(s.view, s.backend.Env, rel, deparse.PrettyParen)
	if err != nil {
		return "?"
	}
	text, err := deparse.IndexExpr(ctx, e)
	if err != nil {
		return "?"
	}
	return text
}

// CommandCounterIncrement makes what was done so far visible to what follows.
func (s *Session) CommandCounterIncrement() error { return s.commandCounterIncrement() }

// RequireNoBlock refuses a command inside a transaction block.
func (s *Session) RequireNoBlock(name string) error {
	if s.inFunction > 0 {
		return pgerr.New(pgerr.ActiveSqlTransaction, "%s cannot be executed from a function", name)
	}
	if s.block == blockOpen || s.block == blockFailed || s.block == blockImplicit && s.severalStatements {
		return pgerr.New(pgerr.ActiveSqlTransaction, "%s cannot run inside a transaction block", name)
	}
	if s.pipelined {
		return pgerr.New(pgerr.ActiveSqlTransaction, "%s cannot be executed within a pipeline", name)
	}
	return nil
}

// CommitAndStart commits what was done and starts a new transaction.
func (s *Session) CommitAndStart() error {
	block := s.block
	if err := s.commit(); err != nil {
		return err
	}
	s.startTransaction()
	s.block = block
	return nil
}

// AtPreCommit runs fn when the transaction is about to commit.
func (s *Session) AtPreCommit(fn func() error) { s.atPreCommit = append(s.atPreCommit, fn) }

// rowList collects rows, at most max of them (0 = all).
type rowList struct {
	rows []types.Row
	max  int
	stop bool // at max, end the statement: it only reads
}

// errEnoughRows ends a statement whose further rows nobody wants.
var errEnoughRows = errors.New("enough rows")

func (r *rowList) upTo(max int) []types.Row {
	if max > 0 && len(r.rows) > max {
		return r.rows[:max]
	}
	return r.rows
}

func (r *rowList) receive(row types.Row) error {
	copied := make(types.Row, len(row))
	for i, d := range row {
		copied[i] = d.Clone()
	}
	r.rows = append(r.rows, copied)
	if r.stop && len(r.rows) == r.max {
		return errEnoughRows
	}
	return nil
}

// RunQuery runs SQL statements in the current transaction and gives the last one's rows.
func (s *Session) RunQuery(sql string, params []types.Datum) ([]types.Row, error) {
	return s.runTyped(sql, nil, params)
}

func (s *Session) runTyped(sql string, paramTypes []types.OID, params []types.Datum) ([]types.Row, error) {
	stmts, err := parse.Parse(sql)
	if err != nil {
		return nil, err
	}
	var rows rowList
	for _, stmt := range stmts {
		rows.rows = nil
		p := s.newPrepared("", sql, stmt, paramTypes)
		if _, err := s.analyze(p); err != nil {
			return nil, err
		}
		plans, err := p.source.Get(s.planEnv(), params)
		if err != nil {
			return nil, err
		}
		if _, err := s.runStatements(p, plans, params, &rows); err != nil {
			return nil, err
		}
		if err := s.commandCounterIncrement(); err != nil {
			return nil, err
		}
	}
	return rows.rows, nil
}

// OpenRelation finds a relation by name, locks it and gives its descriptor.
func (s *Session) OpenRelation(schema, name string, mode int) (*catalog.Relation, error) {
	return s.openRelation(schema, name, mode)
}

// LockRelation locks a relation and gives its descriptor.
func (s *Session) LockRelation(oid types.OID, mode int) (*catalog.Relation, error) {
	return s.lockRelation(oid, mode)
}

// RunTree plans and runs an analysed query of a command and calls each with its rows.
func (s *Session) RunTree(c *executor.Command, q *query.Query, each func(types.Row) error) error {
	queries, err := s.rewriteTree(q)
	if err != nil {
		return err
	}
	pl, err := plan.Build(s.env.Plan, queries, c.Params, plan.CursorOptions{})
	if err != nil {
		return err
	}
	p := &prepared{text: c.Text}
	if err := s.checkPermissions(p, pl); err != nil {
		return err
	}
	st, err := p.state(s.backend, pl)
	if err != nil {
		return err
	}
	_, err = s.execute(st, pl, c.Params, funcReceiver(each))
	return err
}

type funcReceiver func(types.Row) error

func (f funcReceiver) receive(row types.Row) error { return f(row) }

func (s *Session) rewriteTree(q *query.Query) (*query.Query, error) {
	list, err := s.rewriteAnalyzed(q, &analyze.Params{})
	if err != nil {
		return nil, err
	}
	if len(list.Queries) != 1 {
		return nil, pgerr.NotSupported("rules on the source of this command")
	}
	return list.Queries[0], nil
}

// undefinedRelation is the error of a relation name that means nothing.
func undefinedRelation(rv *pg_query.RangeVar) error {
	name := rv.Relname
	if rv.Schemaname != "" {
		name = rv.Schemaname + "." + name
	}
	return pgerr.New(pgerr.UndefinedTable, "relation \"%s\" does not exist", name)
}

// mayLock refuses LOCK TABLE in a mode that the current user's privileges do not cover.
func (s *Session) mayLock(rel *catalog.Relation, mode lock.Mode) error {
	privs := uint32(query.AclUpdate | query.AclDelete | query.AclTruncate)
	switch mode {
	case lock.AccessShare:
		privs = query.AclSelect
	case lock.RowExclusive:
		privs |= query.AclInsert
	}
	got, err := s.view.RelationPrivileges(rel, s.view.User(), privs)
	if err == nil && got == 0 {
		err = executor.PermissionDenied(rel)
	}
	return err
}

func utilityNode(q *query.Query) *pg_query.Node { return q.Utility.(*pg_query.Node) }
