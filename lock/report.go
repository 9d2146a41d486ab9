package lock

import (
	"fmt"
	"strings"
	"time"

	"github.com/calfdb/calf/sql/pgerr"
)

// waitEdge is one line of a deadlock's detail: who waits for which mode of what. It waits for the session of the next line.
type waitEdge struct {
	session *Session
	tag     Tag
	mode    Mode
}

// deadlockError words a deadlock, and logs it.
func (s *Session) deadlockError(cycle []waitEdge) error {
	var detail strings.Builder
	for i, e := range cycle {
		if i > 0 {
			detail.WriteByte('\n')
		}
		fmt.Fprintf(&detail, "Process %d waits for %s on %s; blocked by process %d.",
			e.session.pid, e.mode, e.tag, cycle[(i+1)%len(cycle)].session.pid)
	}
	return pgerr.New(pgerr.TRDeadlockDetected, "deadlock detected").
		WithDetail("%s", detail.String()).WithHint("See server log for query details.")
}

// waitOutcome is what log_lock_waits tells.
type waitOutcome uint8

const (
	waitContinues waitOutcome = iota
	waitAcquired
	waitDeadlock
	waitDeadlockAvoided
)

// waitReport collects what log_lock_waits tells of one wait.
type waitReport struct {
	tag            Tag
	mode           Mode
	since          time.Time
	logged         bool // the wait lasted longer than deadlock_timeout and was told
	holders, queue []int32
}

// logWait words a log_lock_waits message. That the lock was acquired is told only after a long wait.
func (s *Session) logWait(w *waitReport, outcome waitOutcome) {
	if s.Log == nil || outcome == waitAcquired && !w.logged {
		return
	}
	w.logged = true
	var format string
	switch outcome {
	case waitContinues:
		format = "process %d still waiting for %s on %s after %d.%03d ms"
	case waitAcquired:
		format = "process %d acquired %s on %s after %d.%03d ms"
	case waitDeadlock:
		format = "process %d detected deadlock while waiting for %s on %s after %d.%03d ms"
	case waitDeadlockAvoided:
		format = "process %d avoided deadlock for %s on %s by rearranging queue order after %d.%03d ms"
	}
	us := time.Since(w.since).Microseconds()
	msg := pgerr.New(pgerr.SuccessfulCompletion, format, s.pid, w.mode, w.tag, us/1000, us%1000)
	msg.Severity = "LOG"
	if outcome != waitAcquired {
		noun := "Process"
		if len(w.holders) > 1 {
			noun = "Processes"
		}
		msg.WithDetail("%s holding the lock: %s. Wait queue: %s.", noun, pidList(w.holders), pidList(w.queue))
	}
	s.Log(msg)
}

// collect notes who holds and who waits. The caller holds the lock's partition.
func (w *waitReport) collect(l *sharedLock, self *Session) {
	w.holders, w.queue = nil, nil
	for h := l.holds; h != nil; h = h.nextHold {
		if h.mask != 0 && h.session != self {
			w.holders = append(w.holders, h.session.pid)
		}
	}
	for q := l.first; q != nil; q = q.wait.next {
		w.queue = append(w.queue, q.pid)
	}
}

func pidList(pids []int32) string {
	var b strings.Builder
	for i, p := range pids {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, p)
	}
	return b.String()
}
