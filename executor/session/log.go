package session

import (
	"time"

	"github.com/calfdb/calf/sql/settings"
)

// logStatement does log_statement = all; what log_min_duration_statement asks for is logged at the end.
func (s *Session) logStatement(text string) {
	s.messageText, s.messageStart = text, time.Now()
	if s.gucs.Str(settings.LogStatement) == "all" {
		s.conn.Log().Info().Str("statement", text).Msg("statement")
	}
}

// logDuration logs a statement that ran longer than log_min_duration_statement.
func (s *Session) logDuration() {
	min := s.gucs.Int(settings.LogMinDurationStatement)
	if min < 0 || s.messageText == "" {
		return
	}
	d := time.Since(s.messageStart)
	if d >= time.Duration(min)*time.Millisecond {
		s.conn.Log().Info().Dur("duration", d).Str("statement", s.messageText).Msg("duration")
	}
	s.messageText = ""
}
