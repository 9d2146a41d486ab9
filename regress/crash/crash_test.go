package crash

import (
	"context"
	"flag"
	"math/rand"
	"sync"
	"testing"
	"time"
)

var (
	rounds      = flag.Int("rounds", 0, "rounds of work and kill -9; 0 = none")
	seed        = flag.Int64("seed", 1, "of the clients' and the killer's choices")
	serverBin   = flag.String("server", "", "calf's binary; empty = build it")
	postgresBin = flag.String("postgres", "", "run against PostgreSQL: its directory of programs")
)

var schema = []string{
	"create table kv (id int primary key, val int not null, grp int not null, pad text not null)",
	"create index kv_grp on kv (grp)",
	"create table accounts (aid int primary key, balance int not null)",
	"create table history (hid int primary key, aid int not null, delta int not null)",
	"insert into accounts values (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0)",
}

func TestKill(t *testing.T) {
	if *rounds == 0 {
		t.Skip("run by make crash")
	}
	ctx := context.Background()
	s := newServer(t)
	s.start()
	defer s.kill()
	c, err := s.connect(ctx)
	if err != nil {
		s.fatal("%v", err)
	}
	for _, sql := range schema {
		if _, err := c.Exec(ctx, sql); err != nil {
			s.fatal("%s: %v", sql, err)
		}
	}
	_ = c.Close(ctx)

	ws := make([]*worker, workers)
	for i := range ws {
		ws[i] = newWorker(i)
	}
	for round := range *rounds {
		killer := rand.New(rand.NewSource(*seed*1000 + int64(round)))
		work(ctx, s, ws, killer, round)
		if err := s.checkCopy(); err != nil {
			s.fatal("the checkers after the kill: %v", err)
		}
		started := time.Now()
		s.start()
		took := time.Since(started)
		commits, items := check(ctx, s, ws)
		t.Logf("round %d (seed %d): up after %v; %d commits so far, %d items", round, *seed, took.Round(time.Millisecond), commits, items)
	}
}

// work lets the clients work, and kills the server.
func work(ctx context.Context, s *server, ws []*worker, killer *rand.Rand, round int) {
	var wg sync.WaitGroup
	for _, w := range ws {
		conn, err := s.connect(ctx)
		if err != nil {
			s.fatal("client %d: %v", w.n, err)
		}
		w.conn, w.rng = conn, rand.New(rand.NewSource(*seed*1000000+int64(round*workers+w.n)))
		wg.Go(func() { w.run(ctx) })
	}
	stop := make(chan struct{})
	wg.Go(func() { vacuum(ctx, s, stop) })
	time.Sleep(time.Duration(200+killer.Intn(1500)) * time.Millisecond)
	if !s.running() {
		s.fatal("the server ended by itself")
	}
	s.kill()
	close(stop)
	wg.Wait()
	for _, w := range ws {
		if w.err != nil {
			s.fatal("%v", w.err)
		}
	}
}

// vacuum vacuums and analyses until it is stopped or the server is gone.
func vacuum(ctx context.Context, s *server, stop chan struct{}) {
	c, err := s.connect(ctx)
	if err != nil {
		return
	}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		case <-time.After(30 * time.Millisecond):
		}
		sql := []string{"vacuum kv", "vacuum accounts", "analyze kv", "vacuum history"}[i%4]
		if _, err := c.Exec(ctx, sql); err != nil {
			if !c.IsClosed() {
				s.t.Errorf("%s: %v", sql, err)
			}
			return
		}
	}
}

// check compares the server with the clients' models, and that it goes on working.
func check(ctx context.Context, s *server, ws []*worker) (commits, items int) {
	c, err := s.connect(ctx)
	if err != nil {
		s.fatal("%v", err)
	}
	defer c.Close(ctx)
	f, err := read(ctx, c)
	if err != nil {
		s.fatal("after the restart: %v", err)
	}
	for _, w := range ws {
		if err := w.settle(f); err != nil {
			s.fatal("after the restart: %v", err)
		}
		commits += w.commits
		items += len(w.items)
	}
	return commits, items
}
