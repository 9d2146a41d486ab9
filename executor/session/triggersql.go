package session

import (
	"github.com/calfdb/calf/sql/parse"
	"github.com/calfdb/calf/sql/types"
)

// triggerSQLMax bounds the statements of triggers that a session keeps.
const triggerSQLMax = 256

// runSQL runs one statement for a trigger, with a fresh command and the rights of a role, and gives its number of rows.
func (s *Session) runSQL(as types.OID, sql string, argTypes []types.OID, args []types.Datum) (int64, error) {
	caller := s.view.User()
	s.view.SetUser(as)
	defer s.view.SetUser(caller)
	p := s.triggerSQL[sql]
	if p == nil {
		stmts, err := parse.Parse(sql)
		if err != nil {
			return 0, err
		}
		p = s.newPrepared("", sql, stmts[0], argTypes)
		if s.triggerSQL == nil || len(s.triggerSQL) >= triggerSQLMax {
			s.triggerSQL = map[string]*prepared{}
		}
		s.triggerSQL[sql] = p
	}
	counted := &countReceiver{}
	if err := s.commandCounterIncrement(); err != nil {
		return 0, err
	}
	if _, err := s.analyze(p); err != nil {
		return 0, err
	}
	plans, err := p.source.Get(s.planEnv(), args)
	if err != nil {
		return 0, err
	}
	tag, err := s.runStatements(p, plans, args, counted)
	if err != nil {
		return 0, err
	}
	return tagCount(tag), s.commandCounterIncrement()
}

// countReceiver drops rows.
type countReceiver struct{ n int64 }

func (c *countReceiver) receive(types.Row) error {
	c.n++
	return nil
}

// tagCount reads the number at the end of a command tag.
func tagCount(tag string) int64 {
	n, unit := int64(0), int64(1)
	for i := len(tag) - 1; i >= 0 && tag[i] >= '0' && tag[i] <= '9'; i-- {
		n += int64(tag[i]-'0') * unit
		unit *= 10
	}
	return n
}
