package pgregress

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCrashReason(t *testing.T) {
	panicLine := `{"level":"error","stack":"goroutine 1 [running]:\nruntime/debug.Stack()\n\t/usr/local/go/src/runtime/debug/stack.go:26 +0x5e\ngithub.com/calfdb/calf/pgwire.(*Conn).serve.func1()\n\t/src/calf/pgwire/server.go:177 +0x68\npanic({0x1})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\nslices.Sort()\n\t/usr/local/go/src/slices/sort.go:32 +0x1\ngithub.com/calfdb/calf/executor.(*sorter)()\n\t/src/calf/executor/sorter.go:188 +0x2","message":"panic in a session: index out of range"}`
	for in, want := range map[string]string{
		"goroutine 1\n" + panicLine + "\n":                                               "panic in a session: index out of range at executor/sorter.go:188",
		"x\nfatal error: concurrent map writes\n\ngoroutine 7\n":                         "fatal error: concurrent map writes",
		"LOG:  server process (PID 7) was terminated by signal 11: Segmentation fault\n": "LOG:  server process (PID 7) was terminated by signal 11: Segmentation fault",
		"all is well\n": "",
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte("fatal error: of before\n"+in), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := crashReason(path, int64(len("fatal error: of before\n"))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
