package isolation

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// startCalf builds calf and starts it.
func startCalf(t *testing.T) *target.Server {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "calf")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/calfdb/calf/cmd/calf").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server, err := target.Start(context.Background(), target.Options{Kind: target.Calf, Binary: bin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// testWriter gives the report's lines to the test's log.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

// TestCalf runs our own specs against calf; the expected files are PostgreSQL's output.
func TestCalf(t *testing.T) {
	suite := Suite{Dir: ".", Results: t.TempDir(), StepTimeout: 10 * time.Second, Out: testWriter{t}}
	report, err := suite.Run(context.Background(), startCalf(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range report.Verdicts {
		if !v.OK {
			t.Errorf("%s:\n%s", v.Name, v.Diff)
		}
	}
	if report.Restarts > 0 {
		t.Errorf("the server was started again %d times", report.Restarts)
	}
}
