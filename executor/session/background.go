package session

import (
	"sync"
	"time"
)

// background is the server's own goroutines. Each is stopped and waited for by stopBackground.
type background struct {
	stop chan struct{}
	wg   sync.WaitGroup
}

// startBackground starts what runs beside the sessions.
func (s *Server) startBackground() {
	s.stop = make(chan struct{})
	s.launchAutovacuum()
}

func (s *Server) stopBackground() {
	close(s.stop)
	s.stopWorkers()
	s.wg.Wait()
}

// wait sleeps until the server stops; false then.
func (b *background) wait(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-b.stop:
		return false
	case <-t.C:
		return true
	}
}
