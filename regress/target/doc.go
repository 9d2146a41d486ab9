// Package target is the server that a runner of regression or isolation files talks to: one that runs already, or a private calf or PostgreSQL
// that the package starts on a directory of its own, watches, starts again after a crash, and stops.
//
//	s, err := target.Start(ctx, target.Options{Kind: target.Calf, Binary: "bin/calf"})
//	defer s.Close()
//	out, err := s.Psql(ctx, "postgres", "-Atc", "select 1").CombinedOutput()
//	if !s.Healthy(ctx) {
//		err = s.Restart(ctx)
//	}
//
// A private server listens on a Unix socket in a directory of its own and on no TCP port, so any number of them run beside each
// other. It is probed through stock psql, as a client would meet it: the package imports nothing of calf.
package target
