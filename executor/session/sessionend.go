package session

import (
	"errors"
	"io"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// countEnd adds to the database's figures how long the session was there and how it ended.
func (s *Session) countEnd(reason error) {
	stats := s.backend.Heap.Stats
	if stats == nil || s.conn == nil {
		return
	}
	micros := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	d, a, now := stats.Delta(), &s.activity, s.clock.Now()
	a.mu.Lock()
	a.leave(now)
	d.SessionTime += micros(now - a.started)
	d.ActiveTime += micros(a.active)
	d.IdleInTransactionTime += micros(a.idleInTransaction)
	started := a.started != 0
	a.mu.Unlock()
	var e *pgerr.Error
	switch {
	case !started: // refused
		return
	case reason == nil:
	case errors.As(reason, &e) && e.Code == pgerr.AdminShutdown:
		d.SessionsKilled++
	case errors.As(reason, &e):
		d.SessionsFatal++
	case errors.Is(reason, io.EOF), errors.Is(reason, io.ErrUnexpectedEOF):
		d.SessionsAbandoned++
	}
	stats.Flush()
}
