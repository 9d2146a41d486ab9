package pgregress

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"time"
)

// progress is the line on a terminal that says how far the run is. Without a writer it does nothing.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	started time.Time
	total   int
	ended   int
	failed  int
	running map[string]bool
}

func newProgress(w io.Writer, total int) *progress {
	return &progress{w: w, started: time.Now(), total: total, running: map[string]bool{}}
}

func (p *progress) begin(test string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running[test] = true
	p.draw()
}

func (p *progress) done(f *FileResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, f.Name)
	p.ended++
	if f.Verdict == Failed {
		p.failed++
	}
	p.draw()
}

// clear takes the line away, for something else to be printed.
func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func (p *progress) end() { p.clear() }

// lineMax keeps the line on one row of a terminal.
const lineMax = 79

func (p *progress) draw() {
	if p.w == nil {
		return
	}
	names := make([]string, 0, len(p.running))
	for n := range p.running {
		names = append(names, n)
	}
	sort.Strings(names)
	line := fmt.Sprintf("%d/%d, %d failed, %v: %s", p.ended, p.total, p.failed, time.Since(p.started).Round(time.Second), strings.Join(names, " "))
	if len(line) > lineMax {
		line = line[:lineMax]
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}
