package session

import (
	"sync"

	"github.com/calfdb/calf/sql/types"
)

// activity is what pg_stat_activity shows of a session. Its own goroutine writes, anyone reads.
type activity struct {
	mu          sync.Mutex
	kind        string // backend_type
	application string
	state       activityState
	text        string // of the last statement, when it is kept elsewhere; else query has a copy
	query       []byte
	started     int64 // timestamptz values; 0 = none
	xactStart   int64
	queryStart  int64
	stateChange int64

	// Microseconds in each state since they were last taken.
	active, idleInTransaction int64
}

type activityState uint8

const (
	stateIdle activityState = iota
	stateActive
	stateIdleInTransaction
	stateIdleInFailed
)

func (st activityState) String() string {
	return [...]string{"idle", "active", "idle in transaction", "idle in transaction (aborted)"}[st]
}

// activityQueryMax is track_activity_query_size's default, less its final zero.
const activityQueryMax = 1023

// open makes the session show.
func (a *activity) open(kind string, now int64) {
	a.mu.Lock()
	a.kind, a.started, a.stateChange = kind, now, now
	a.query = make([]byte, 0, activityQueryMax)
	a.mu.Unlock()
}

// setApplication is application_name.
func (a *activity) setApplication(name string) {
	a.mu.Lock()
	a.application = name
	a.mu.Unlock()
}

// begin notes that a statement runs, whose text stays as it is. beginCopy is for one that lies in a buffer.
func (a *activity) begin(text string, now int64) {
	a.mu.Lock()
	a.text = text
	a.run(now)
	a.mu.Unlock()
}

func (a *activity) beginCopy(text string, now int64) {
	a.mu.Lock()
	a.text, a.query = "", append(a.query[:0], shorten(text)...)
	a.run(now)
	a.mu.Unlock()
}

func (a *activity) run(now int64) {
	if a.state != stateActive {
		a.leave(now)
	}
	a.state, a.queryStart = stateActive, now
}

// shorten cuts a text to what is shown of it, not in the middle of a character.
func shorten(text string) string {
	n := min(len(text), activityQueryMax)
	for n > 0 && n < len(text) && text[n]&0xc0 == 0x80 {
		n--
	}
	return text[:n]
}

// end notes that the session waits for its client.
func (a *activity) end(inBlock, failed bool, now int64) {
	st := stateIdle
	switch {
	case failed:
		st = stateIdleInFailed
	case inBlock:
		st = stateIdleInTransaction
	}
	a.mu.Lock()
	if a.state != st {
		a.leave(now)
		a.state = st
	}
	a.mu.Unlock()
}

// leave counts the time in the state that ends.
func (a *activity) leave(now int64) {
	switch a.state {
	case stateActive:
		a.active += now - a.stateChange
	case stateIdleInTransaction, stateIdleInFailed:
		a.idleInTransaction += now - a.stateChange
	}
	a.stateChange = now
}

// transaction notes when the transaction began; 0 = it has ended.
func (a *activity) transaction(start int64) {
	a.mu.Lock()
	a.xactStart = start
	a.mu.Unlock()
}

// timeOrNull makes a timestamptz of a time that may be missing.
func timeOrNull(t int64) types.Datum {
	if t == 0 {
		return types.Null
	}
	return types.Int8(t)
}
