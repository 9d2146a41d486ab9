package session

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/plancache"
	"github.com/calfdb/calf/sql/plan"
	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// runStatements runs the planned statements of one command (several when rules added some) and gives the command tag. Rows of the one that
// sets the tag go to out.
func (s *Session) runStatements(p *prepared, plans *plancache.Plans, params []types.Datum, out receiver) (tag string, err error) {
	for i, pl := range plans.Stmts {
		if i > 0 {
			if err := s.commandCounterIncrement(); err != nil {
				return "", err
			}
		}
		to := out
		if !pl.CanSetTag {
			to = discard{}
		}
		t, err := s.runOne(p, pl, plans.Generic, params, to)
		if err != nil {
			return "", err
		}
		if pl.CanSetTag {
			tag = t
		}
	}
	if tag == "" {
		tag = ruledTag(p)
	}
	return tag, nil
}

// ruledTag is the command tag of a statement that rules replaced by nothing of its kind.
func ruledTag(p *prepared) string {
	if p.stmt == nil {
		return ""
	}
	switch p.stmt.Node.Node.(type) {
	case *pg_query.Node_InsertStmt:
		return commandTag(query.CmdInsert, 0)
	case *pg_query.Node_UpdateStmt:
		return commandTag(query.CmdUpdate, 0)
	case *pg_query.Node_DeleteStmt:
		return commandTag(query.CmdDelete, 0)
	}
	return ""
}

// runOne runs one planned statement to its end.
func (s *Session) runOne(p *prepared, pl *plan.Planned, generic bool, params []types.Datum, out receiver) (string, error) {
	if pl.Command == query.CmdUtility {
		return s.runUtility(p, pl, params, out)
	}
	if err := s.checkReadOnly(pl); err != nil {
		return "", err
	}
	if err := s.checkPermissions(p, pl); err != nil {
		return "", err
	}
	st, err := p.state(s.backend, pl)
	if err != nil {
		return "", err
	}
	n, err := s.execute(st, pl, params, out)
	if err != nil {
		st.Close()
		return "", err
	}
	p.giveBack(st, pl, generic)
	return commandTag(pl.Command, n), nil
}

// execute runs a state from start to end with its own snapshot and fires what it triggered; it gives the number for the command tag.
func (s *Session) execute(st *executor.State, pl *plan.Planned, params []types.Datum, out receiver) (n int64, err error) {
	writes := pl.Command != query.CmdSelect || pl.HasModifyingCTE
	snap := &st.Snapshot
	s.takeSnapshot(snap)
	tx := s.backend.Heap.Tx
	defer tx.ReleaseSnapshot(&snap.Snapshot)
	s.pushSnapshot(snap)
	defer s.popSnapshot()
	if writes {
		tx.UseCID()
		s.backend.After.Begin()
		defer func() {
			if err != nil {
				s.backend.After.Drop()
			}
		}()
	}
	if err := st.Start(params, snap); err != nil {
		return 0, err
	}
	if b, ok := out.(interface{ begin() }); ok && !writes {
		b.begin() // a SELECT is described before its first row is computed, RETURNING only after the last
	}
	if n, err = drain(st, pl, out); err != nil {
		return n, err
	}
	if !writes {
		st.Close()
		return n, nil
	}
	if err := st.FinishModifying(); err != nil {
		return n, err
	}
	if pl.Command != query.CmdSelect {
		n = st.Modified()
	}
	st.Close()
	return n, s.backend.After.End()
}

// drain gives all rows to out.
func drain(st *executor.State, pl *plan.Planned, out receiver) (n int64, err error) {
	width := visibleColumns(pl)
	for {
		row, err := st.Next()
		if row == nil || err != nil {
			return n, err
		}
		if width > 0 || pl.Command == query.CmdSelect {
			if err := out.receive(row[:width]); err != nil {
				return n, err
			}
		}
		n++
	}
}

// visibleColumns counts the columns that the client sees.
func visibleColumns(pl *plan.Planned) int {
	n := 0
	for _, t := range pl.Targets {
		if !t.Junk {
			n++
		}
	}
	return n
}

// commandTag words CommandComplete.
func commandTag(c query.CommandType, n int64) string {
	if n >= 0 && n < int64(len(shortTags[0])) && int(c) < len(shortTags) {
		return shortTags[c][n]
	}
	return wordTag(c, n)
}

func wordTag(c query.CommandType, n int64) string {
	name := commandName(c)
	if c == query.CmdInsert {
		name = "INSERT 0"
	}
	return name + " " + strconv.FormatInt(n, 10)
}

// shortTags are the tags of few rows, made once.
var shortTags = func() (tags [query.CmdMerge + 1][16]string) {
	for c := range tags {
		for n := range tags[c] {
			tags[c][n] = wordTag(query.CommandType(c), int64(n))
		}
	}
	return tags
}()
