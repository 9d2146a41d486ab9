package session

import (
	"net"

	"github.com/calfdb/calf/sql/types"
)

// pg_stat_get_activity and the functions that give one column of it.

func init() {
	types.RegisterSRF("pg_stat_get_activity", func(c *types.Call) (types.Iterator, error) {
		s, err := sessionOf(c)
		if err != nil {
			return nil, err
		}
		rows, err := s.activityRows(c.Args[0])
		return &rowsIterator{rows: rows}, err
	})
	types.RegisterSRF("pg_stat_get_backend_idset", func(c *types.Call) (types.Iterator, error) {
		s, err := sessionOf(c)
		if err != nil {
			return nil, err
		}
		var rows []types.Row
		for _, ss := range s.server.shownSessions() {
			rows = append(rows, types.Row{types.Int4(ss.proc.ID())})
		}
		return &rowsIterator{rows: rows}, nil
	})
	for name, col := range map[string]int{"pid": actPID, "dbid": actDatabase, "userid": actUser, "activity": actQuery, "wait_event_type": actWaitType,
		"wait_event": actWaitEvent, "activity_start": actQueryStart, "xact_start": actXactStart, "start": actBackendStart,
		"client_addr": actClientAddr, "client_port": actClientPort} {
		statFunc("pg_stat_get_backend_"+name, func(s *Session, args []types.Datum) (types.Datum, error) {
			for _, ss := range s.server.shownSessions() {
				if ss.proc.ID() == args[0].Int4() {
					row, err := s.activityRow(ss)
					if err != nil {
						return types.Null, err
					}
					return row[col], nil
				}
			}
			return types.Null, nil
		})
	}
}

// Columns of pg_stat_get_activity.
const (
	actDatabase = iota
	actPID
	actUser
	actApplication
	actState
	actQuery
	actWaitType
	actWaitEvent
	actXactStart
	actQueryStart
	actBackendStart
	actStateChange
	actClientAddr
	actClientHost
	actClientPort
	actBackendXID
	actBackendXmin
	actBackendType
	actSSL
	actSSLVersion
	actSSLCipher
	actSSLBits
	actSSLClientDN
	actSSLClientSerial
	actSSLIssuerDN
	actGSSAuth
	actGSSPrincipal
	actGSSEncrypted
	actLeader
	actQueryID
	actColumns
)

// shownSessions lists the sessions that pg_stat_activity shows.
func (s *Server) shownSessions() (list []*Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ss := range s.sessions {
		if ss.ready.Load() {
			list = append(list, ss)
		}
	}
	return list
}

// activityRows gives the rows of all sessions, or of the one with a process id.
func (s *Session) activityRows(pid types.Datum) ([]types.Row, error) {
	var rows []types.Row
	if pid.IsNull() || pid.Int4() == s.server.auto.pid {
		rows = append(rows, s.launcherRow())
	}
	for _, ss := range s.server.shownSessions() {
		if !pid.IsNull() && pid.Int4() != ss.pid {
			continue
		}
		row, err := s.activityRow(ss)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func emptyActivity() types.Row {
	row := make(types.Row, actColumns)
	for i := range row {
		row[i] = types.Null
	}
	return row
}

// launcherRow is that of the autovacuum launcher.
func (s *Session) launcherRow() types.Row {
	row := emptyActivity()
	row[actPID], row[actBackendType] = types.Int4(s.server.auto.pid), types.Text("autovacuum launcher")
	row[actQuery] = types.Text("")
	row[actWaitType], row[actWaitEvent] = types.Text("Activity"), types.Text("AutoVacuumMain")
	row[actBackendStart] = timeDatum(s.server.started)
	row[actSSL], row[actGSSAuth], row[actGSSEncrypted] = types.Bool(false), types.Bool(false), types.Bool(false)
	return row
}

// activityRow gives a session's row: of other roles' sessions little more than that they are there.
func (s *Session) activityRow(ss *Session) (types.Row, error) {
	row := emptyActivity()
	row[actDatabase], row[actPID] = types.Oid(ss.db.OID), types.Int4(ss.pid)
	if ss.conn != nil {
		row[actUser] = types.Oid(ss.user.OID)
	}
	row[actSSL], row[actGSSAuth], row[actGSSEncrypted] = types.Bool(false), types.Bool(false), types.Bool(false)
	may, err := s.maySee(ss)
	if err != nil {
		return nil, err
	}
	if !may {
		row[actQuery] = types.Text("<insufficient privilege>")
		return row, nil
	}
	a := &ss.activity
	a.mu.Lock()
	row[actBackendType], row[actState] = types.Text(a.kind), types.Text(a.state.String())
	text := shorten(a.text)
	if text == "" {
		text = string(a.query)
	}
	row[actApplication], row[actQuery] = types.Text(a.application), types.Text(text)
	row[actXactStart], row[actQueryStart] = timeOrNull(a.xactStart), timeOrNull(a.queryStart)
	row[actBackendStart], row[actStateChange] = timeOrNull(a.started), timeOrNull(a.stateChange)
	waitsForClient := a.state != stateActive && ss.conn != nil
	a.mu.Unlock()

	if tag, _, waits := s.server.locks.WaitingFor(ss.pid); waits {
		row[actWaitType], row[actWaitEvent] = types.Text("Lock"), types.Text(tag.Kind().String())
	} else if waitsForClient {
		row[actWaitType], row[actWaitEvent] = types.Text("Client"), types.Text("ClientRead")
	}
	xid, xmin := ss.proc.Running()
	if xid != 0 {
		row[actBackendXID] = types.FromRaw(uint64(uint32(xid)))
	}
	if xmin != 0 {
		row[actBackendXmin] = types.FromRaw(uint64(uint32(xmin)))
	}
	if ss.conn == nil {
		return row, nil
	}
	return row, s.clientColumns(row, ss)
}

// clientColumns fills in where a session's client is.
func (s *Session) clientColumns(row types.Row, ss *Session) error {
	row[actClientPort] = types.Int4(-1)
	if addr, ok := ss.conn.RemoteAddr().(*net.TCPAddr); ok {
		io, err := types.IOFor(s.backend.Env, types.InetOID)
		if err != nil {
			return err
		}
		if row[actClientAddr], err = io.Input(s.backend.Env, addr.IP.String(), -1); err != nil {
			return err
		}
		row[actClientPort] = types.Int4(int32(addr.Port))
	}
	if t := ss.conn.TLS(); t != nil {
		row[actSSL] = types.Bool(true)
		row[actSSLVersion], row[actSSLCipher] = types.Text(tlsVersion(t.Version)), types.Text(tlsCipher(t.CipherSuite))
		row[actSSLBits] = types.Int4(tlsBits(t.CipherSuite))
	}
	return nil
}

// maySee says whether the current user may see what another session does: its own role's, or as a member of pg_read_all_stats.
func (s *Session) maySee(ss *Session) (bool, error) {
	const readAllStats = 3375
	for _, role := range []types.OID{ss.user.OID, readAllStats} {
		if ok, err := s.view.HasPrivsOfRole(s.view.User(), role); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
