package isolation

import (
	"context"
	"testing"
	"time"

	"github.com/calfdb/calf/regress/target"
)

// startCalf starts calf.
func startCalf(t *testing.T) *target.Server {
	t.Helper()
	bin, err := target.BuildCalf(t.TempDir())
	if err != nil {
		t.Fatal(err)
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
