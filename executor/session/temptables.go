package session

import (
	"github.com/calfdb/calf/executor"
)

// dropTempTables drops everything in the session's temporary schema: DISCARD TEMP, and the end of the session.
func (s *Session) dropTempTables() error {
	if s.view.TempNamespace() == 0 {
		return nil
	}
	_, err := executor.LookupCommand(executor.DropTempCommand)(&executor.Command{Backend: s.backend, Session: s})
	return err
}

// leaveTempTables drops the temporary tables of a session that ends. What cannot be dropped now (the disk may be full) is dropped when the
// schema is used again.
func (s *Session) leaveTempTables() {
	if s.view == nil || s.view.TempNamespace() == 0 {
		return
	}
	s.terminated.Store(nil)
	s.backend.Interrupt(nil)
	s.startTransaction()
	err := s.dropTempTables()
	if err == nil {
		err = s.commit()
	}
	if err != nil {
		s.abort()
		s.server.o.Log.Warn().Err(err).Msg("temporary tables of a session are left behind")
	}
}
