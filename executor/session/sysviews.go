package session

import (
	"fmt"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/settings"
)

// makeSystemViews runs the SQL that makes the system views, in template1, at first start. No client is there.
func (s *Server) makeSystemViews() error {
	ss := s.newSession(0)
	defer ss.Close(nil)
	if err := ss.openDatabase("template1", s.o.Superuser); err != nil {
		return err
	}
	ss.backend.Env.Notice = nil
	if err := ss.gucs.Set("allow_system_table_mods", "on", settings.ActionSet); err != nil {
		return err
	}
	for _, sql := range catalog.SystemViews() {
		ss.startTransaction()
		if _, err := ss.RunQuery(sql, nil); err != nil {
			return fmt.Errorf("making the system views: %s: %w", sql, err)
		}
		if err := ss.commit(); err != nil {
			return err
		}
	}
	return nil
}
