package session

import (
	"strconv"
	"strings"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/rs/zerolog"
)

// The server's log: statements (log_statement), how long they took (log_duration, log_min_duration_statement), errors and warnings (log_min_messages,
// log_min_error_statement). PostgreSQL's LOG is zerolog's info, which ranks above ERROR as there: it is written whatever log_min_messages says, but for fatal and panic.

// logClass orders the values of log_statement: a statement is logged when its class is not above the setting.
type logClass uint8

const (
	logNone logClass = iota
	logDDL
	logMod
	logAll
)

// serverLog is what a session's settings say about the log, and the message that runs.
type serverLog struct {
	statement        logClass
	minDuration      int64 // ms; < 0: none
	duration         bool  // every one
	minMessage       int   // logRank of log_min_messages
	minStatement     int   // and of log_min_error_statement
	text             string
	start            time.Time
	isStatementThere bool // the log has the statement's text already
	connected        time.Time
}

func (g *gucs) followLog() {
	l := &g.s.log
	l.connected = time.Now()
	g.OnAssign(settings.LogStatement, func(v settings.Value) {
		l.statement = map[string]logClass{"ddl": logDDL, "mod": logMod, "all": logAll}[v.Str]
	})
	g.OnAssign(settings.LogMinDurationStatement, func(v settings.Value) { l.minDuration = v.I })
	g.OnAssign(settings.LogDuration, func(v settings.Value) { l.duration = v.I != 0 })
	g.OnAssign(settings.LogMinMessages, func(v settings.Value) { l.minMessage = logRank(v.Str) })
	g.OnAssign(settings.LogMinErrorStatement, func(v settings.Value) { l.minStatement = logRank(v.Str) })
}

// logRank orders severities as the server's log does: LOG is above ERROR.
func logRank(severity string) int {
	for i, n := range []string{"debug5", "debug4", "debug3", "debug2", "debug1", "info", "notice", "warning", "error", "log", "fatal", "panic"} {
		if strings.EqualFold(n, severity) {
			return i
		}
	}
	return logRank("error")
}

func (l *serverLog) timesStatements() bool { return l.duration || l.minDuration >= 0 }

// logBegin notes the statement text of a message.
func (s *Session) logBegin(text string) {
	l := &s.log
	l.text, l.isStatementThere = text, false
	if l.timesStatements() {
		l.start = time.Now()
	}
}

// logStatement does log_statement for a statement of a simple query; the whole text is logged, once.
func (s *Session) logStatement(node *pg_query.Node) {
	l := &s.log
	if l.statement == logNone || l.isStatementThere || s.classOf(node) > l.statement {
		return
	}
	l.isStatementThere = true
	s.conn.Log().Info().Str("statement", l.text).Msg("statement")
}

// logExecute does log_statement for a portal.
func (s *Session) logExecute(p *portal) {
	l := &s.log
	if l.statement == logNone || p.started || p.stmt.stmt == nil || s.classOf(p.stmt.stmt.Node) > l.statement {
		return
	}
	l.isStatementThere = true
	e := s.conn.Log().Info().Str("name", nameInLog(p.stmt.name)).Str("statement", p.stmt.text)
	if len(p.params) > 0 {
		e = e.Str("parameters", s.paramsInLog(p))
	}
	e.Msg("execute")
}

func nameInLog(name string) string {
	if name == "" {
		return "<unnamed>"
	}
	return name
}

func (s *Session) paramsInLog(p *portal) string {
	var b strings.Builder
	for i, d := range p.params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1) + " = ")
		if d.IsNull() {
			b.WriteString("NULL")
			continue
		}
		text, err := types.Output(s.backend.Env, p.stmt.params[i].Info.OID, d)
		if err != nil {
			text = "?"
		}
		b.WriteString(types.QuoteLiteral(text))
	}
	return b.String()
}

// logEnd logs how long a message took: phase is parse, bind, execute, or "" of a simple query.
func (s *Session) logEnd(phase string) {
	l := &s.log
	if !l.timesStatements() || l.text == "" || l.start.IsZero() {
		return
	}
	d := time.Since(l.start)
	isLong := l.minDuration >= 0 && d >= time.Duration(l.minDuration)*time.Millisecond
	if l.duration || isLong {
		e := s.conn.Log().Info().Dur("duration", d)
		if phase != "" {
			e = e.Str("phase", phase)
		}
		if isLong && !l.isStatementThere {
			e = e.Str("statement", l.text)
		}
		e.Msg("duration")
	}
	l.text, l.start = "", time.Time{}
}

// logError logs an error or a warning that the client gets too.
func (s *Session) logError(e *pgerr.Error, text string) {
	l := &s.log
	rank := logRank(e.Severity)
	if s.conn == nil || rank < l.minMessage || e.Severity == "FATAL" || e.Severity == "PANIC" { // those end the connection, which logs them
		return
	}
	level := zerolog.ErrorLevel
	if rank < logRank("error") {
		level = zerolog.WarnLevel
	}
	ev := s.conn.Log().WithLevel(level).Str("code", string(e.Code))
	for _, f := range [...]struct{ name, value string }{{"detail", e.Detail}, {"hint", e.Hint}, {"context", e.Context}} {
		if f.value != "" {
			ev = ev.Str(f.name, f.value)
		}
	}
	if e.Cause != nil {
		ev = ev.AnErr("cause", e.Cause)
	}
	if text != "" && rank >= l.minStatement {
		ev = ev.Str("statement", text)
	}
	ev.Msg(e.Message)
	l.start = time.Time{} // a statement that failed has no duration
}

// logDisconnection does log_disconnections.
func (s *Session) logDisconnection() {
	if s.conn != nil && !s.log.connected.IsZero() && s.gucs.Bool(settings.LogDisconnections) {
		s.conn.Log().Info().Dur("session_time", time.Since(s.log.connected)).Msg("disconnection")
	}
}

// classOf is the log_statement class of a statement, as PostgreSQL's: what runs another statement has that one's.
func (s *Session) classOf(node *pg_query.Node) logClass {
	switch n := node.Node.(type) {
	case *pg_query.Node_InsertStmt, *pg_query.Node_UpdateStmt, *pg_query.Node_DeleteStmt, *pg_query.Node_MergeStmt, *pg_query.Node_TruncateStmt:
		return logMod
	case *pg_query.Node_SelectStmt:
		if n.SelectStmt.IntoClause != nil {
			return logDDL
		}
		return logAll
	case *pg_query.Node_CopyStmt:
		if n.CopyStmt.IsFrom {
			return logMod
		}
		return logAll
	case *pg_query.Node_PrepareStmt:
		return s.classOf(n.PrepareStmt.Query)
	case *pg_query.Node_ExecuteStmt:
		if p := s.statements[n.ExecuteStmt.Name]; p != nil && p.stmt != nil {
			return s.classOf(p.stmt.Node)
		}
		return logAll
	case *pg_query.Node_ExplainStmt:
		for _, o := range n.ExplainStmt.Options {
			if o.GetDefElem().GetDefname() == "analyze" {
				return s.classOf(n.ExplainStmt.Query)
			}
		}
		return logAll
	case *pg_query.Node_AlterSystemStmt, *pg_query.Node_ClusterStmt:
		return logDDL
	}
	if changesNothing(node) {
		return logAll
	}
	return logDDL
}
