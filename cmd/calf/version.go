package main

import (
	"fmt"
	"io"
	"runtime/debug"

	"github.com/calfdb/calf/sql/settings"
)

func init() {
	register(command{"version", "print the version", func(_ []string, out, _ io.Writer) int {
		fmt.Fprintf(out, "calf %s (behaves as PostgreSQL %s)\n", buildRevision(), settings.ServerVersion15)
		return 0
	}})
}

// buildRevision is the commit that the binary was built from, as the Go tool recorded it.
func buildRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return info.Main.Version
}
