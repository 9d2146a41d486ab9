// Command bench measures calf beside a PostgreSQL 15 that it starts itself: the same pgbench runs on both, turn and turn about, with equal
// shared_buffers, on the same file system and with fsync on. It prints a table of medians and ratios (calf / PostgreSQL). It never fails on a
// time.
//
//	go run ./regress/bench -calf ./calf [-scale 10] [-seconds 8] [-rounds 3] [-only select]
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	calf := flag.String("calf", "./calf", "the calf binary")
	scale := flag.Int("scale", 10, "pgbench scale")
	seconds := flag.Int("seconds", 8, "length of one run")
	rounds := flag.Int("rounds", 3, "runs of each case on each server")
	only := flag.String("only", "", "run the cases whose name contains this")
	buffers := flag.String("shared-buffers", "512MB", "shared_buffers of both")
	flag.Parse()

	dir, err := os.MkdirTemp("", "calfbench")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	pg, err := startPostgres(filepath.Join(dir, "pg"), *buffers)
	if err != nil {
		log.Fatal(err)
	}
	defer pg.stop()
	ca, err := startCalf(*calf, filepath.Join(dir, "calf"), *buffers)
	if err != nil {
		log.Fatal(err)
	}
	defer ca.stop()

	r := &runner{servers: []*server{pg, ca}, scale: *scale, seconds: *seconds, rounds: *rounds}
	r.load()
	for _, c := range cases {
		if strings.Contains(c.name, *only) {
			r.run(c)
		}
	}
	fmt.Printf("\nresident memory: PostgreSQL %d MB, calf %d MB\n", pg.residentMB(), ca.residentMB())
}
